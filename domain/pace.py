"""How long a bot waits before it moves, so that people can follow."""

PACE_MS = {"ready": 0, "buy": 800}  # by kind of decision; the stock waits for an answer to a buy
USUAL_MS = 1000  # a draw, a meld, a discard and whatever else


def think_ms(kind: str, options: object = None) -> int:
    """Milliseconds that a bot waits over a decision of this kind; twice as long if the table's `bot_pace` is relaxed.

    >>> think_ms("draw"), think_ms("buy"), think_ms("ready")
    (1000, 800, 0)
    """
    relaxed = getattr(options, "bot_pace", "brisk") == "relaxed"
    return PACE_MS.get(kind, USUAL_MS) * (2 if relaxed else 1)
