"""What cards are worth (RULES.md, "Points"), and what this game calls a meld."""

from collections.abc import Iterable

from domain.cards import RANKS
from domain.melds import Meld, Run, Style

STYLE = Style()  # sets and runs from three cards, two naturals at least, aces low or high: RULES.md, "Melds"

POINTS = {rank: 10 if rank in "TJQK" else 5 for rank in RANKS} | {"A": 15, "*": 15}
LOW_ACE = 1


def held(hand: Iterable[str]) -> int:
    """Points that the cards of a hand cost at its end: joker and ace 15, ten to king 10, the rest 5.

    >>> held(("AH1", "*1", "TS1", "2C1"))
    45
    """
    return sum(POINTS[card[0]] for card in hand)


def value(meld: Meld) -> int:
    """Points of all cards of a meld on the table."""
    low_ace = isinstance(meld, Run) and meld.lo == 1 and meld.cards[0][0] == "A"
    return held(meld.cards) - (POINTS["A"] - LOW_ACE if low_ace else 0)


def worth(meld: Meld, i: int) -> int:
    """Points of the card at index i of a meld on the table: as in a hand, but an ace at position 1 of a run is 1."""
    card = meld.cards[i]
    if card[0] == "A" and isinstance(meld, Run) and meld.lo + i == 1:
        return LOW_ACE
    return POINTS[card[0]]
