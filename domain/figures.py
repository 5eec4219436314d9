"""Points as people write them: with a real minus, and one of them as one."""


def signed(points: int) -> str:
    """Points with their sign as people write it.

    >>> signed(40), signed(-25)
    ('+40', '−25')
    """
    return f"{points:+d}".replace("-", "−")


def counted(points: int) -> str:
    """So many points.

    >>> counted(1), counted(-15)
    ('1 point', '−15 points')
    """
    return f"{points} point{'' if points == 1 else 's'}".replace("-", "−")
