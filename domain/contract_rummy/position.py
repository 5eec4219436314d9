"""The state by name, where every card lies, and the worlds that a viewer cannot tell apart."""

from typing import get_args

from msgspec.structs import replace

from domain.cards import Card, Ms, Seat
from domain.chance import Stream
from domain.contract_rummy.contracts import DECKS, LAST, fresh_pack
from domain.contract_rummy.moves import put
from domain.contract_rummy.options import Options
from domain.contract_rummy.state import Position, Pref, State, Timed
from domain.contract_rummy.window import SOONEST_MS, SPREAD_MS, awaited, eligible, skips
from domain.game import Chance

_FIELDS = Position.__struct_fields__


def position(s: State) -> Position:
    """The state in its named form."""
    return Position(**{name: getattr(s, name) for name in _FIELDS})


def place(options: Options, p: Position) -> State:
    """The state that a position names. Raises ValueError for one that cannot be played on."""
    _check(p)
    return State(options=options, **{name: getattr(p, name) for name in _FIELDS})


def _check(p: Position) -> None:
    cards = [c for cards in (*p.hands, p.stock, p.pile, *(m.cards for m in p.melds)) for c in cards]
    if len(set(cards)) < len(cards) or not set(fresh_pack(p.seats)).issuperset(cards):
        raise ValueError(f"a position names cards of {DECKS[p.seats]} decks and {p.seats - 1} jokers, each once")
    by_seat = (p.hands, p.prefs, p.away, p.known, p.down, p.down_at, p.ready, p.totals, *p.scores)
    if any(len(row) != p.seats for row in by_seat):
        raise ValueError("a list by seat has one entry a seat")
    seats = [p.first_dealer, p.dealer, p.turn]
    if p.window is not None:
        w = p.window
        seats += [*w.claims, *w.passed, *w.slow, *(t.seat for t in w.timed)]
        if p.phase != "draw" or p.pile[-1:] != (w.card,):
            raise ValueError("the card that may be bought is the top of the pile while a seat is to draw")
    if not all(0 <= seat < p.seats for seat in seats):
        raise ValueError("a seat is counted from 0")
    if not 1 <= p.deals <= LAST:
        raise ValueError(f"hands are counted from 1 to {LAST}")


def zones(s: State) -> dict[str, tuple[Card, ...]]:
    """Every card by where it lies; together they are the pack."""
    named = {f"hand:{seat}": hand for seat, hand in enumerate(s.hands)}
    named |= {f"meld:{meld.id}": meld.cards for meld in s.melds}
    return {"stock": s.stock, "pile": s.pile} | named


def redeal(s: State, seat: Seat | None, chance: Chance) -> State:
    """The hidden cards dealt anew, and the other seats' wishes and passes made up anew.

    Everyone has seen which cards went into a remade stock, so a card changes places only with cards that were last
    hidden at the same time.
    """
    stream = chance.stream("redeal")
    everyone = frozenset(Seat(i) for i in range(s.seats))
    world = _shuffled(s, everyone if s.phase in ("scored", "over") else frozenset({seat}), stream)
    prefs: tuple[Pref, ...] = get_args(Pref)
    for other in sorted(everyone - {seat}):
        world = replace(world, prefs=put(world.prefs, other, prefs[stream.below(len(prefs))]))
    return _passes(world, seat, stream)


def _shuffled(s: State, open_: frozenset[Seat] | frozenset[Seat | None], stream: Stream) -> State:
    """Other hidden cards in all hands but these and in the stock."""
    since = {card: k for k, cards in enumerate(s.remade, 1) for card in cards}
    hidden = [c for i, hand in enumerate(s.hands) if i not in open_ for c in hand if c not in s.known[i]]
    decks: dict[int, list[Card]] = {}
    for card in (*hidden, *s.stock):
        decks.setdefault(since.get(card, 0), []).append(card)
    fresh = {k: iter(stream.shuffle(cards)) for k, cards in decks.items()}
    hands: list[tuple[Card, ...]] = []
    for i, hand in enumerate(s.hands):
        if i in open_:
            hands.append(hand)
        else:
            hands.append(tuple(c if c in s.known[i] else next(fresh[since.get(c, 0)]) for c in hand))
    return replace(s, hands=tuple(hands), stock=tuple(next(fresh[since.get(c, 0)]) for c in s.stock))


def _passes(s: State, viewer: Seat | None, stream: Stream) -> State:
    """Other passes behind an open buying: any that would not have closed it and were not seen."""
    w = s.window
    if w is None or w.shut:
        return s
    mine = [seat for seat in w.passed if seat == viewer]
    unknown = [seat for seat in eligible(s) if seat != viewer and seat not in w.claims]
    if w.slow:  # the minute is over: who is not named has passed, and everyone knows
        passed = {*mine, *(seat for seat in unknown if seat not in w.slow)}
    else:
        passed = {*mine, *(seat for seat in unknown if stream.below(2))}
        if not awaited(s, passed):
            free = [seat for seat in awaited(s, mine) if seat != viewer] or list(awaited(s, mine))
            passed.discard(free[stream.below(len(free))])
    timed = []
    for seat in eligible(s):
        before = next((t for t in w.timed if t.seat == seat), None)
        if seat == viewer:
            timed += [before] if before else []
            continue
        wants = s.away[seat] or skips(s.prefs[seat], s.hands[seat], w.card, s.deals, s.down[seat])
        waits = wants and seat not in passed and seat not in w.claims
        if before or waits:
            delay = Ms(SOONEST_MS + stream.below(SPREAD_MS))
            timed.append(Timed(seat, delay, Ms(w.opened + delay) if waits else None))
    after = replace(w, passed=tuple(sorted(passed)), timed=tuple(sorted(timed, key=lambda t: t.seat)))
    return replace(s, window=after)
