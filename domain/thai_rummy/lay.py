"""Whether cards make a meld or go on one, and why not (RULES.md, "Melds")."""

from collections.abc import Sequence

from domain.cards import Card, Seat
from domain.game import Illegal
from domain.melds import Meld, extend, fits, make
from domain.thai_rummy.points import ROUND, STYLE


def new_meld(cards: Sequence[Card], meld_id: int, owner: Seat) -> Meld:
    """A new meld. Raises Illegal: NOT_A_MELD, ACE_HIGH_ONLY.

    Whether the seat holds the cards, each once, is the caller's to check, before.
    """
    try:
        return make(cards, STYLE, id=meld_id, owner=owner)
    except Illegal as fault:
        try:
            make(cards, ROUND, id=meld_id, owner=owner)
        except Illegal:
            raise Illegal("NOT_A_MELD", f"That is no meld. {fault.words}") from None
        raise Illegal("ACE_HIGH_ONLY", "The ace stands above the king only: never below a two.") from None


def on_meld(melds: Sequence[Meld], key: int, card: Card, seat: Seat, end: str | None) -> Meld:
    """The meld of this id with one more card on it. Raises Illegal: NO_SUCH_MELD, ACE_HIGH_ONLY, DOES_NOT_FIT."""
    meld = next((m for m in melds if m.id == key), None)
    if meld is None:
        raise Illegal("NO_SUCH_MELD", "There is no such meld.")
    if not fits(meld, card, STYLE) and fits(meld, card, ROUND):
        raise Illegal("ACE_HIGH_ONLY", "The ace stands above the king only: never below a two.")
    return extend(meld, card, seat, STYLE, end)


def goes_on(card: Card, melds: Sequence[Meld]) -> bool:
    """Whether some meld of the table takes the card."""
    return any(fits(meld, card, STYLE) for meld in melds)


def all_go_on(cards: Sequence[Card], melds: Sequence[Meld]) -> bool:
    """Whether all these cards, one after another, go on one meld of the table."""
    return any(_all_on(cards, meld) for meld in melds)


def _all_on(cards: Sequence[Card], meld: Meld) -> bool:
    left = list(cards)
    while left:
        card = next((c for c in left if fits(meld, c, STYLE)), None)
        if card is None:
            return False
        meld = extend(meld, card, meld.owner, STYLE)
        left.remove(card)
    return bool(cards)
