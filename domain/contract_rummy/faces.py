"""A hand as counts of its faces: equal cards of different decks are interchangeable, and so are jokers.

A face is numbered suit * 13 + rank, suits S H D C, ranks from the ace at 0.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from domain.cards import RANKS, SUITS
from domain.contract_rummy.contracts import POINTS
from domain.melds import Kind

FACES = tuple(rank + suit for suit in SUITS for rank in RANKS)
NUMBER = {face: i for i, face in enumerate(FACES)}
WORTH = tuple(POINTS[face[0]] for face in FACES)

Counts: TypeAlias = tuple[int, ...]  # how many of each of the 52 faces


class Shape(NamedTuple):
    """A hand by its faces."""

    counts: Counts
    jokers: int


class Part(NamedTuple):
    """A meld, perhaps unfinished. `faces` by place: a natural's, "*" for a joker of the hand, "" where one is missing.

    A set has its `rank`, a run its `suit` and lowest position `lo`; what does not apply is empty.
    """

    kind: Kind
    rank: str
    suit: str
    lo: int
    faces: tuple[str, ...]

    @property
    def missing(self) -> int:
        return self.faces.count("")


def shape(hand: Iterable[str]) -> Shape:
    """The shape of a hand of cards or faces."""
    counts, jokers = [0] * len(FACES), 0
    for card in hand:
        if card[0] == "*":
            jokers += 1
        else:
            counts[NUMBER[card[:2]]] += 1
    return Shape(tuple(counts), jokers)


def faces_of(shape: Shape) -> list[str]:
    """The faces of a shape, jokers as "*"."""
    return [face for face, n in zip(FACES, shape.counts, strict=True) for _ in range(n)] + ["*"] * shape.jokers


def at(suit: int, position: int) -> int:
    """Number of the face that stands at a position (1 to 14) of a run.

    >>> at(1, 14) == at(1, 1) == NUMBER["AH"]
    True
    """
    return suit * 13 + (position - 1) % 13
