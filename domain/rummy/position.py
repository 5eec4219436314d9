"""The state by name, where every card lies, and the worlds that a viewer cannot tell apart."""

from msgspec.structs import replace

from domain.cards import Card, Seat, pack
from domain.game import Chance
from domain.rummy.options import Options
from domain.rummy.state import Position, State

_FIELDS = Position.__struct_fields__
_PACK = frozenset(pack())


def position(s: State) -> Position:
    """The state in its named form."""
    return Position(**{name: getattr(s, name) for name in _FIELDS})


def place(options: Options, p: Position) -> State:
    """The state that a position names. Raises ValueError for one that cannot be played on."""
    cards = [c for cards in (*p.hands, p.stock, p.pile, *(m.cards for m in p.melds)) for c in cards]
    if len(set(cards)) < len(cards) or not _PACK.issuperset(cards):
        raise ValueError("a position names cards of one deck without jokers, each at most once")
    if any(len(row) != p.seats for row in (p.hands, p.known, p.totals, *p.scores, *p.held)):
        raise ValueError("a list by seat has one entry a seat")
    if not all(0 <= seat < p.seats for seat in (p.first_dealer, p.dealer, p.turn, p.lost or 0)):
        raise ValueError("a seat is counted from 0")
    if p.phase == "draw" and not p.pile:
        raise ValueError("a seat that is to draw finds a pile")
    if p.phase == "play" and not p.hands[p.turn]:
        raise ValueError("a seat that is to play holds a card")
    if p.taken is not None and p.phase != "play":
        raise ValueError("only a seat that is to play has taken a card")
    if (p.phase == "over") != (p.how is not None) or (p.phase == "over") != (p.due is None):
        raise ValueError("a game that is over ended in some way, and no other has no deadline")
    return State(options=options, **{name: getattr(p, name) for name in _FIELDS})


def zones(s: State) -> dict[str, tuple[Card, ...]]:
    """Every card by where it lies; together they are the pack."""
    named = {f"hand:{seat}": hand for seat, hand in enumerate(s.hands)}
    named |= {f"meld:{meld.id}": meld.cards for meld in s.melds}
    return {"stock": s.stock, "pile": s.pile} | named


def redeal(s: State, seat: Seat | None, chance: Chance) -> State:
    """The hidden cards dealt anew, each place its own number of them.

    Everyone has seen which cards went into a remade stock, so a card changes places only with cards that were last
    hidden at the same time. Hands stay hidden when the game is over.
    """
    stream = chance.stream("redeal")
    since = {card: k for k, cards in enumerate(s.remade, 1) for card in cards}
    hidden = [c for i, hand in enumerate(s.hands) if i != seat for c in hand if c not in s.known[i]]
    decks: dict[int, list[Card]] = {}
    for card in (*hidden, *s.stock):
        decks.setdefault(since.get(card, 0), []).append(card)
    fresh = {k: iter(stream.shuffle(cards)) for k, cards in decks.items()}
    hands = tuple(
        hand if i == seat else tuple(c if c in s.known[i] else next(fresh[since.get(c, 0)]) for c in hand)
        for i, hand in enumerate(s.hands)
    )
    return replace(s, hands=hands, stock=tuple(next(fresh[since.get(c, 0)]) for c in s.stock))
