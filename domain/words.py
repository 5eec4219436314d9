"""Cards and points as people write them: what the sentences of every game are made of."""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any

from domain.cards import Seat
from domain.game import Line

Name = Callable[[Seat], str]
Sentences = Mapping[str, Callable[[Line, dict[str, Any], Name], str]]  # by the kind of the line

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def show(card: str) -> str:
    """A card as people write it.

    >>> show("TH2"), show("*1")
    ('10♥', 'joker')
    """
    return "joker" if card[0] == "*" else card[0].replace("T", "10") + _SUITS[card[1]]


def who(line: Line, name: Name) -> str:
    """Who did what a line of the log tells."""
    return name(line.seat) if line.seat is not None else "Nobody"


def row(cards: Iterable[str]) -> str:
    """Cards as people write them, in order."""
    return " ".join(map(show, cards))


def laid_on(plays: Iterable[Mapping[str, Any]], seat: Seat | None, name: Name) -> str:
    """Cards (`card`) and whose melds (`meld`, `owner`) a seat laid them on, in order.

    >>> plays = [{"card": "6H1", "meld": 2, "owner": 1}, {"card": "QS1", "meld": 3, "owner": 0}]
    >>> laid_on(plays, 0, ["Ada", "Ben"].__getitem__)
    '6♥ on a meld of Ben and Q♠ on an own meld'
    """
    parts = []
    for owner, some in groupby(plays, lambda play: play["owner"]):
        on = list(some)
        many = len({play["meld"] for play in on}) > 1
        own = "own melds" if many else "an own meld"
        whose = own if owner == seat else f"{'melds' if many else 'a meld'} of {name(Seat(owner))}"
        parts.append(f"{row(play['card'] for play in on)} on {whose}")
    return " and ".join(parts)


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
