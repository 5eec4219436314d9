"""The state by name, where every card lies, and the worlds that a viewer cannot tell apart."""

from msgspec.structs import replace

from domain.cards import Card, Seat, pack
from domain.chance import Stream
from domain.game import Chance
from domain.michigan_rummy.options import Options
from domain.michigan_rummy.plan import meldable
from domain.michigan_rummy.state import Position, State
from domain.michigan_rummy.view import places

TRIES = 50  # deals tried for a world in which the card that must be melded can be

_PACK = frozenset(pack(2, 4))


def position(s: State) -> Position:
    """The state in its named form."""
    return Position(
        seats=s.seats, first_dealer=s.first_dealer, deals=s.deals, dealer=s.dealer, hands=s.hands, stock=s.stock,
        pile=s.pile, melds=s.melds, next_id=s.next_id, phase=s.phase, turn=s.turn, must=s.must, took=s.took,
        known=s.known, melded=s.melded, turns=s.turns, moves=s.moves, reshuffles=s.reshuffles, remade=s.remade,
        stalled=s.stalled, out=s.out, ready=s.ready, scores=s.scores, totals=s.totals,
        outcome=places(s.totals) if s.phase == "over" else None, winners=s.winners,
    )  # fmt: skip


def place(options: Options, p: Position) -> State:
    """The state that a position names. Raises ValueError for one that cannot be played on."""
    _check(p)
    return State(
        options=options, seats=p.seats, first_dealer=p.first_dealer, deals=p.deals, dealer=p.dealer, hands=p.hands,
        stock=p.stock, pile=p.pile, melds=p.melds, next_id=p.next_id, phase=p.phase, turn=p.turn, must=p.must,
        took=p.took, known=p.known, melded=p.melded, turns=p.turns, moves=p.moves, reshuffles=p.reshuffles,
        remade=p.remade, stalled=p.stalled, out=p.out, ready=p.ready, scores=p.scores, totals=p.totals,
        winners=p.winners,
    )  # fmt: skip


def _check(p: Position) -> None:
    cards = [c for cards in (*p.hands, p.stock, p.pile, *(m.cards for m in p.melds)) for c in cards]
    if len(set(cards)) < len(cards) or not _PACK.issuperset(cards):
        raise ValueError("a position names cards of two decks and four jokers, each at most once")
    by_seat = (p.hands, p.known, p.melded, p.ready, p.totals, *p.scores)
    if any(len(row) != p.seats for row in by_seat):
        raise ValueError("a list by seat has one entry a seat")
    if not all(0 <= seat < p.seats for seat in (p.first_dealer, p.dealer, p.turn)):
        raise ValueError("a seat is counted from 0")
    if p.must is not None and (p.phase != "play" or p.must not in p.hands[p.turn]):
        raise ValueError("the card that must be melded is in the hand of the seat that plays")


def zones(s: State) -> dict[str, tuple[Card, ...]]:
    """Every card by where it lies; together they are the pack."""
    named = {f"hand:{seat}": hand for seat, hand in enumerate(s.hands)}
    named |= {f"meld:{meld.id}": meld.cards for meld in s.melds}
    return {"stock": s.stock, "pile": s.pile} | named


def redeal(s: State, seat: Seat | None, chance: Chance) -> State:
    """The hidden cards dealt anew, each place its own number of them.

    Everyone has seen which cards went into a remade stock, so a card changes places only with cards that were last
    hidden at the same time; and a card taken from deep in the pile could be melded, so it still can.
    """
    stream = chance.stream("redeal")
    everyone = frozenset(Seat(i) for i in range(s.seats))
    open_ = everyone if s.phase in ("scored", "over") else frozenset({seat})
    for _ in range(TRIES):
        world = _shuffled(s, open_, stream)
        if s.must is None or s.turn in open_ or _meldable(world):
            return world
    return _shuffled(s, open_ | {s.turn}, stream)


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
    stock = tuple(next(fresh[since.get(c, 0)]) for c in s.stock)
    return replace(s, hands=tuple(hands), stock=stock)


def _meldable(s: State) -> bool:
    assert s.must is not None
    pool = [c for c in s.hands[s.turn] if c != s.must]
    return meldable(s.must, pool, s.melds, spare=s.options.discard_out == "on")
