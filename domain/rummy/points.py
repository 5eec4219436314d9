"""What cards are worth (RULES.md, "Points"), and what this game calls a meld."""

from collections.abc import Iterable

from domain.cards import RANKS
from domain.melds import Style

# Sets of three or four, runs of three or more with the ace low, no jokers: RULES.md, "Melds".
STYLE = Style(set_max=4, run_max=13, naturals=3, high=13, distinct=True)
CORNER = Style(set_max=4, naturals=3, high=25, distinct=True)  # what would be runs if aces went round

POINTS = {rank: 10 if rank in "TJQK" else i for i, rank in enumerate(RANKS, 1)}


def held(hand: Iterable[str]) -> int:
    """Points that the cards of a hand count at its end: ten to king 10, ace 1, the rest their number.

    >>> held(("KH1", "9C1", "AS1"))
    20
    """
    return sum(POINTS[card[0]] for card in hand)
