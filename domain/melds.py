"""Sets and runs: making, arranging and extending them (RULES.md of each game, "Melds").

A run's `cards[i]` stands at position `lo + i`, so what an ace or a joker means is where it lies and nothing else. Positions
are 1 for an ace low, the rank up to 13 for a king, 14 for an ace high; a natural of rank r may stand at r and at r + 13 as
far as a game's `Style` reaches.
"""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from domain.cards import POSITION, SUITS, Card, Seat
from domain.game import Illegal

End: TypeAlias = Literal["low", "high"]
Kind: TypeAlias = Literal["set", "run"]


class Style(Struct, frozen=True):
    """What a game calls a meld: sizes in cards, positions in runs."""

    set_min: int = 3
    set_max: int = 99
    run_min: int = 3
    run_max: int = 14
    naturals: int = 2  # fewest naturals in a new meld
    low: int = 1  # lowest position of a run: 2 where the ace is high only
    high: int = 14  # highest: 13 where the ace is low only, 25 where runs go round the corner
    distinct: bool = False  # whether the suits of a set must differ


class Set(Struct, frozen=True, tag="set", tag_field="kind"):
    """Cards of one rank, jokers among them. `by[i]` is the seat that laid `cards[i]`."""

    kind: ClassVar[Literal["set"]] = "set"
    id: int
    owner: Seat
    cards: tuple[Card, ...]
    by: tuple[Seat, ...]
    rank: str


class Run(Struct, frozen=True, tag="run", tag_field="kind"):
    """Consecutive cards of one suit: `cards[i]` stands at position `lo + i`; `by[i]` is the seat that laid it."""

    kind: ClassVar[Literal["run"]] = "run"
    id: int
    owner: Seat
    cards: tuple[Card, ...]
    by: tuple[Seat, ...]
    suit: str
    lo: int

    @property
    def hi(self) -> int:
        """Position of the last card."""
        return self.lo + len(self.cards) - 1


Meld: TypeAlias = Set | Run
