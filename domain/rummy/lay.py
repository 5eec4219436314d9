"""Laying on a table: a new meld, or cards on melds in order, all or nothing (RULES.md, "Melds")."""

from collections.abc import Sequence

from domain.cards import Card
from domain.game import Illegal, Seat
from domain.melds import Meld, Run, arrange, extend, fits, make
from domain.rummy.points import CORNER, STYLE
from domain.rummy.state import LayOff

ACE_WORDS = "An ace is low here: it stands before the two, never after the king."


def meld(cards: Sequence[Card], id: int, owner: Seat) -> Meld:
    """A new meld. Raises Illegal: ACE_IS_LOW, NOT_A_MELD."""
    try:
        return make(cards, STYLE, id=id, owner=owner)
    except Illegal as no:
        if len(cards) >= STYLE.run_min and len({c[1] for c in cards}) == 1 and arrange(cards, CORNER) is not None:
            raise Illegal("ACE_IS_LOW", ACE_WORDS) from None
        raise Illegal("NOT_A_MELD", no.words) from None


def lay_off(melds: tuple[Meld, ...], move: LayOff, seat: Seat) -> tuple[Meld, ...]:
    """The table after the move's cards. Raises Illegal for the first that does not go."""
    table = {meld.id: meld for meld in melds}
    for play in move.plays:
        if play.meld not in table:
            raise Illegal("NO_SUCH_MELD", "There is no such meld.")
        on = table[play.meld]
        if not fits(on, play.card, STYLE):
            if isinstance(on, Run) and on.hi == STYLE.high and play.card[0] == "A" and play.card[1] == on.suit:
                raise Illegal("ACE_IS_LOW", ACE_WORDS)
            raise Illegal("DOES_NOT_FIT", "That card does not fit there.")
        table[play.meld] = extend(on, play.card, seat, STYLE)
    return tuple(table.values())
