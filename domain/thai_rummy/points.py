"""What cards are worth (RULES.md, "Points"), and what this game calls a meld."""

from collections.abc import Iterable, Sequence

from domain.cards import RANKS
from domain.melds import Meld, Style

# Sets of three or four, runs from three cards, the ace high only: RULES.md, "Melds".
STYLE = Style(set_max=4, run_max=13, low=2, distinct=True)
ROUND = Style(set_max=4, run_max=13, low=1, high=25, distinct=True)  # the same with aces low and round the corner

DEAR = 50
POINTS = {rank: 10 if rank in "TJQK" else 5 for rank in RANKS} | {"A": 15, "QS": DEAR, "2C": DEAR}


def value(card: str) -> int:
    """Points of a card wherever it lies: queen of spades and two of clubs 50, ace 15, ten to king 10, others 5.

    >>> value("QS1"), value("2C1"), value("AH1"), value("QH1"), value("2H1")
    (50, 50, 15, 10, 5)
    """
    return POINTS.get(card[:2]) or POINTS[card[0]]


def held(cards: Iterable[str]) -> int:
    """Points of some cards."""
    return sum(map(value, cards))


def face_worth(face: str, _: int) -> int:
    """Points of a face, wherever in a meld it lies; of a joker none, for there is none."""
    return 0 if face == "*" else value(face)


def shown(melds: Sequence[Meld], seats: int) -> tuple[int, ...]:
    """Points that each seat has in front of it: what it laid itself, whoever's meld it belongs to."""
    points = [0] * seats
    for meld in melds:
        for card, seat in zip(meld.cards, meld.by, strict=True):
            points[seat] += value(card)
    return tuple(points)
