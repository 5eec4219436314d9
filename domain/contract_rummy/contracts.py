"""The packs, the contracts and what cards cost (RULES.md, "Players, cards and the deal" and "The contracts")."""

from collections.abc import Iterable

from msgspec import Struct

from domain.cards import RANKS, Card, pack
from domain.melds import Style

STYLE = Style(set_min=3, run_min=4, run_max=14, naturals=0)  # jokers any number: RULES.md, "Melds"
SET_SIZE, RUN_SIZE = 3, 4  # cards in each meld of a contract

DECKS = {3: 2, 4: 2, 5: 3, 6: 3, 7: 4, 8: 4}  # by number of players


class Contract(Struct, frozen=True):
    """What a hand asks for, and how many cards each seat is dealt."""

    sets: int
    runs: int
    dealt: int

    @property
    def size(self) -> int:
        """Cards of the contract; in the last hand the fewest that three runs have."""
        return SET_SIZE * self.sets + RUN_SIZE * self.runs


CONTRACTS = (
    Contract(2, 0, 10), Contract(1, 1, 10), Contract(0, 2, 10), Contract(3, 0, 10), Contract(2, 1, 12),
    Contract(1, 2, 12), Contract(0, 3, 12),
)  # fmt: skip
LAST = len(CONTRACTS)  # in this hand nobody goes down: whoever can lay all cards as three runs goes out

POINTS = {rank: 10 if rank in "TJQK" else i for i, rank in enumerate(RANKS, 1)} | {"A": 15, "*": 25}


def contract(hand: int) -> Contract:
    """The contract of a hand, counted from 1.

    >>> contract(5)
    Contract(sets=2, runs=1, dealt=12)
    """
    return CONTRACTS[hand - 1]


def fresh_pack(seats: int) -> list[Card]:
    """The pack for so many seats, one joker fewer than seats; not shuffled.

    >>> [len(fresh_pack(n)) for n in range(3, 9)]
    [106, 107, 160, 161, 214, 215]
    """
    return pack(DECKS[seats], seats - 1)


def held(hand: Iterable[str]) -> int:
    """Points that the cards of a hand cost at its end: two to ten their pips, court cards 10, ace 15, joker 25.

    >>> held(("AS1", "KH1", "7C2", "*1", "3D1"))
    60
    """
    return sum(POINTS[card[0]] for card in hand)
