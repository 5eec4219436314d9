"""The state by name, where every card lies, and the worlds that a viewer cannot tell apart."""

from msgspec.structs import replace

from domain.cards import Card, Seat, pack
from domain.game import Chance
from domain.thai_rummy.options import Options
from domain.thai_rummy.score import places
from domain.thai_rummy.state import Position, State

_PACK = frozenset(pack())
_FIELDS = [name for name in Position.__struct_fields__ if name not in ("rules", "outcome")]


def position(s: State) -> Position:
    """The state in its named form."""
    outcome = places(s.totals, s.winners) if s.phase == "over" else None
    return Position(outcome=outcome, **{name: getattr(s, name) for name in _FIELDS})


def place(options: Options, p: Position) -> State:
    """The state that a position names. Raises ValueError for one that cannot be played on."""
    _check(p)
    return State(options=options, **{name: getattr(p, name) for name in _FIELDS})


def _check(p: Position) -> None:
    down = () if p.down is None else (p.down,)
    cards = [c for cards in (*p.hands, p.stock, p.pile, down, *(m.cards for m in p.melds)) for c in cards]
    if len(set(cards)) < len(cards) or not _PACK.issuperset(cards):
        raise ValueError("a position names cards of one deck, each at most once")
    by_seat = (p.hands, p.known, p.dark, p.gifts, p.ready, p.totals, *p.scores)
    if any(len(row) != p.seats for row in by_seat):
        raise ValueError("a list by seat has one entry a seat")
    seats = (p.first_dealer, p.dealer, p.turn, *(seat for seat in (p.thrower, p.fed, p.out) if seat is not None))
    if not all(0 <= seat < p.seats for seat in seats):
        raise ValueError("a seat is counted from 0")
    if p.phase in ("draw", "play") and not p.hands[p.turn]:
        raise ValueError("the seat on turn holds a card")


def zones(s: State) -> dict[str, tuple[Card, ...]]:
    """Every card by where it lies; together they are the pack."""
    named = {f"hand:{seat}": hand for seat, hand in enumerate(s.hands)}
    named |= {f"meld:{meld.id}": meld.cards for meld in s.melds}
    return {"stock": s.stock, "pile": s.pile, "down": () if s.down is None else (s.down,)} | named


def redeal(s: State, seat: Seat | None, chance: Chance) -> State:
    """The hidden cards dealt anew, each place its own number of them: stock, other hands, the card laid face down."""
    everyone = s.phase in ("scored", "over")
    shut = [i for i in range(s.seats) if not everyone and i != seat]
    down = s.down is not None and seat != s.out
    hidden = [c for i in shut for c in s.hands[i] if c not in s.known[i]]
    cards = [*hidden, *s.stock, *([s.down] if down and s.down is not None else [])]
    fresh = iter(chance.stream("redeal").shuffle(sorted(cards)))
    hands = tuple(
        tuple(c if c in s.known[i] else next(fresh) for c in hand) if i in shut else hand
        for i, hand in enumerate(s.hands)
    )
    stock = tuple(next(fresh) for _ in s.stock)
    return replace(s, hands=hands, stock=stock, down=next(fresh) if down else s.down)
