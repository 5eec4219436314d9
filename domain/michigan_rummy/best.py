"""The richest meld move of a hand (RULES.md, "Hints")."""

from collections.abc import Sequence
from typing import NamedTuple

from domain.cards import POSITION, RANKS, Card, Seat
from domain.game import Illegal
from domain.melds import End, Meld, Run, arrange, extend, fits
from domain.michigan_rummy.lay import apply, used
from domain.michigan_rummy.plan import way
from domain.michigan_rummy.points import LOW_ACE, POINTS, STYLE
from domain.michigan_rummy.state import Lay, NewMeld, Play, Suggestion
from domain.mixes import MIXES, Mix, Piece, richest


def face_worth(face: str, position: int) -> int:
    """Points of a face at a position of a run, 0 for in a set."""
    return LOW_ACE if face[0] == "A" and position == 1 else POINTS[face[0]]


def best(
    hand: Sequence[Card], melds: tuple[Meld, ...], next_id: int, seat: Seat, *, must: Card | None = None,
    spare: bool = False, jokers_on_table: bool = True, budget: int = MIXES,
) -> Suggestion | None:  # fmt: skip
    """The richest single meld move of a hand and the points it brings, or None if nothing can be laid.

    `must` is a card it has to use; `spare`: one card must stay in hand. It is exact unless the budget of mixes is spent;
    then it is the richest of those looked at.
    """
    found = _best(hand, hand, melds, next_id, seat, must, jokers_on_table, budget)
    if spare and found is not None and len(used(found.move)) == len(hand):
        found = _but_one(hand, melds, next_id, seat, must, jokers_on_table, budget, found.points)
    if found is None and must is not None:
        only = way(must, [c for c in hand if c != must], melds, spare=spare)
        return _scored(only.move, melds, next_id, seat) if only else None
    return found
