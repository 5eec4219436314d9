"""Laying on a table: new melds, then plays in order, all or nothing (RULES.md, "A turn")."""

import re
from typing import NamedTuple

from domain.cards import Card
from domain.game import Illegal, Seat
from domain.melds import Meld, Run, extend, make
from domain.michigan_rummy.points import STYLE, value, worth
from domain.michigan_rummy.state import Lay

_NEW = re.compile(r"n(0|[1-9][0-9]{0,2})")  # a meld that is new in the same move


class Laid(NamedTuple):
    """The table after a meld move, its new melds as they were first laid, and the points it brings."""

    melds: tuple[Meld, ...]
    made: tuple[Meld, ...]
    points: int


def used(move: Lay) -> list[Card]:
    """All cards of a meld move, in the order in which they are laid."""
    return [card for meld in move.melds for card in meld.cards] + [play.card for play in move.plays]


def apply(melds: tuple[Meld, ...], next_id: int, seat: Seat, move: Lay) -> Laid:
    """Lay the move's melds and cards on a table. Raises Illegal for the first of them that does not go.

    Whether the seat holds the cards is the caller's to check, before.
    """
    made = tuple(
        make(new.cards, STYLE, id=next_id + i, owner=seat, kind=new.kind, low_jokers=new.low_jokers)
        for i, new in enumerate(move.melds)
    )
    table = {meld.id: meld for meld in melds + made}
    points = sum(map(value, made))
    for play in move.plays:
        key = target(play.meld, next_id, len(made))
        if key not in table:
            raise Illegal("NO_SUCH_MELD", "There is no such meld.")
        before = table[key]
        after = table[key] = extend(before, play.card, seat, STYLE, play.end)
        low = isinstance(after, Run) and isinstance(before, Run) and after.lo < before.lo
        points += worth(after, 0 if low else len(after.cards) - 1)
    return Laid(tuple(table.values()), made, points)


def target(name: int | str, next_id: int, made: int) -> int:
    """Id of the meld that a play names, -1 for a name that no meld can have."""
    if isinstance(name, int):
        return name if name < next_id else -1  # a meld of this same move is named "n0", "n1", …
    if _NEW.fullmatch(name) and int(name[1:]) < made:
        return next_id + int(name[1:])
    return -1
