"""What each move does (RULES.md, "A turn" and "The end of a hand"), one function a move."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.cards import Card, pack
from domain.game import Chance, Illegal, Line, Seat, Step
from domain.michigan_rummy.lay import apply, target, used
from domain.michigan_rummy.options import Options
from domain.michigan_rummy.plan import meldable
from domain.michigan_rummy.points import held
from domain.michigan_rummy.state import Discard, Draw, Lay, Ready, Row, State, Take

STALL = 20  # turns a player in a row without any meld end the hand: RULES.md, "The end of a hand"
RESHUFFLES = 10  # more remade stocks than this end the hand: RULES.md, "The end of a hand"
HANDS = 200  # the game ends after this hand whatever the totals: RULES.md, "The end of the game"


def new_game(options: Options, seats: int, chance: Chance) -> Step:
    """The table with its first hand dealt."""
    dealer = Seat(chance.stream("dealer").below(seats))
    none: Row = (0,) * seats
    nothing: tuple[tuple[Card, ...], ...] = ((),) * seats
    table = State(
        options=options, seats=seats, first_dealer=dealer, dealer=dealer, turn=dealer, hands=nothing, stock=(), pile=(),
        known=nothing, melded=none, ready=(False,) * seats, totals=none,
    )  # fmt: skip
    return deal(table, chance)


def fresh_pack(seats: int) -> list[Card]:
    """One deck for two to four players, two for more, two jokers a deck; not shuffled."""
    decks = 1 if seats <= 4 else 2
    return pack(decks, 2 * decks)


def deal(s: State, chance: Chance) -> Step:
    """The next hand: dealt one card at a time, first to the seat after the dealer, then the upcard."""
    n, deals = s.seats, s.deals + 1
    dealer = Seat((s.first_dealer + deals - 1) % n)
    stock = chance.stream(f"deal:{deals}").shuffle(fresh_pack(n))
    stock.reverse()  # the end of a stock is drawn first
    size = 13 if n == 2 else 7
    hands = [tuple(stock[(seat - dealer - 1) % n : size * n : n]) for seat in range(n)]
    upcard = stock[size * n]
    left = tuple(reversed(stock[size * n + 1 :]))
    first = Seat((dealer + 1) % n)
    nothing: tuple[tuple[Card, ...], ...] = ((),) * n
    after = replace(
        s, deals=deals, dealer=dealer, hands=tuple(hands), stock=left, pile=(upcard,), melds=(), next_id=0,
        phase="draw", turn=first, must=None, took=(), known=nothing, melded=(0,) * n, turns=0, moves=0, reshuffles=0,
        remade=(), stalled=0, out=None, ready=(False,) * n,
    )  # fmt: skip
    return Step(after, (Line("dealt", None, {"deal": deals, "dealer": dealer, "cards": size, "upcard": upcard}),))


def draw(s: State, seat: Seat, _: Draw, chance: Chance) -> Step:
    """The top of the stock comes to the hand; an empty stock is remade of the pile under its top."""
    lines: tuple[Line, ...] = ()
    stock = s.stock
    if not stock:
        if len(s.pile) < 2:
            raise Illegal("STOCK_DRY", "The stock is out: take the top card of the pile.")
        s = _remake(s, chance)
        stock = s.stock
        lines = (Line("reshuffle", None, {"count": s.reshuffles, "cards": len(stock)}),)
    card = stock[-1]
    after = replace(
        s, hands=put(s.hands, seat, (*s.hands[seat], card)), stock=stock[:-1], phase="play", moves=s.moves + 1
    )
    return Step(after, (*lines, Line("draw", seat), Line("drew", seat, {"card": card})))


def _remake(s: State, chance: Chance) -> State:
    count = s.reshuffles + 1
    under = s.pile[:-1]
    stock = tuple(chance.stream(f"deal:{s.deals}:reshuffle:{count}").shuffle(under))
    again = set(under)
    remade = (*(tuple(c for c in cards if c not in again) for cards in s.remade), tuple(sorted(under)))
    return replace(s, stock=stock, pile=s.pile[-1:], reshuffles=count, remade=remade)


def take(s: State, seat: Seat, move: Take, _: Chance) -> Step:
    """The pile from index `at` up comes to the hand; unless it is the top alone, its lowest card must be melded."""
    at = move.at
    if not 0 <= at < len(s.pile):
        raise Illegal("BAD_INDEX", "There is no such card in the pile.")
    took = s.pile[at:]
    deep = len(took) > 1
    if deep and not meldable(took[0], s.hands[seat] + took[1:], s.melds, spare=s.options.discard_out == "on"):
        raise Illegal("DEEP_UNMELDABLE", "The lowest card you take must be melded this turn, and it cannot be.")
    after = replace(
        s, hands=put(s.hands, seat, s.hands[seat] + took), pile=s.pile[:at], must=took[0] if deep else None, took=took,
        known=put(s.known, seat, s.known[seat] + took), phase="play", moves=s.moves + 1,
    )  # fmt: skip
    return Step(after, (Line("take", seat, {"cards": list(took)}),))


def lay(s: State, seat: Seat, move: Lay, _: Chance) -> Step:
    """New melds and cards played on melds; the hand ends if none is left in it."""
    cards, hand = used(move), s.hands[seat]
    if not move.melds and not move.plays:
        raise Illegal("EMPTY", "Name a card to meld.")
    gone = set(cards)
    if len(gone) < len(cards) or not gone.issubset(hand):
        raise Illegal("NOT_YOURS", "A card you named is not in your hand, or was named twice.")
    if s.must is not None and s.must not in gone:
        raise Illegal("MUST_FIRST", "Meld the card you took from the pile first.")
    if s.options.discard_out == "on" and len(gone) == len(hand):
        raise Illegal("KEEP_ONE", "Keep a card: at this table you go out with a discard.")
    laid = apply(s.melds, s.next_id, seat, move)
    left = tuple(c for c in hand if c not in gone)
    known = s.known if not s.known[seat] else put(s.known, seat, [c for c in s.known[seat] if c not in gone])
    after = replace(
        s, hands=put(s.hands, seat, left), melds=laid.melds, next_id=s.next_id + len(laid.made), known=known,
        melded=(*s.melded[:seat], s.melded[seat] + laid.points, *s.melded[seat + 1 :]), must=None, stalled=0,
        moves=s.moves + 1,
    )  # fmt: skip
    made = [{"id": m.id, "kind": m.kind, "cards": list(m.cards)} for m in laid.made]
    owners = {meld.id: meld.owner for meld in laid.melds}
    on = [target(play.meld, s.next_id, len(made)) for play in move.plays]
    plays = [{"card": p.card, "meld": m, "owner": owners[m]} for p, m in zip(move.plays, on, strict=True)]
    lines = (Line("meld", seat, {"melds": made, "plays": plays, "points": laid.points}),)
    return Step(after, lines) if left else end_hand(after, seat, lines)


def discard(s: State, seat: Seat, move: Discard, _: Chance) -> Step:
    """A card goes to the pile and the turn is over; so is the hand if that was the last card, or if it has stalled."""
    card, hand = move.card, s.hands[seat]
    if card not in hand:
        raise Illegal("NOT_YOURS", "That card is not in your hand.")
    if s.must is not None:
        raise Illegal("MUST_FIRST", "Meld the card you took from the pile first.")
    i = hand.index(card)
    left = hand[:i] + hand[i + 1 :]
    known = s.known if not s.known[seat] else put(s.known, seat, [c for c in s.known[seat] if c != card])
    after = replace(
        s, hands=put(s.hands, seat, left), pile=(*s.pile, card), known=known, turns=s.turns + 1, moves=s.moves + 1,
        stalled=s.stalled + 1, took=(), phase="draw", turn=Seat((seat + 1) % s.seats),
    )  # fmt: skip
    line = Line("discard", seat, {"card": card})
    if not left:
        return end_hand(replace(after, turn=seat), seat, (line,))
    if after.stalled >= STALL * s.seats or after.reshuffles > RESHUFFLES:
        stalled = Line("stalled", None, {"turns": after.stalled, "reshuffles": after.reshuffles})
        return end_hand(replace(after, turn=seat), None, (line, stalled))
    return Step(after, (line,))


def end_hand(s: State, out: Seat | None, lines: tuple[Line, ...]) -> Step:
    """Score the hand; end the game if someone has reached the target."""
    left = tuple(held(hand) for hand in s.hands)
    row = tuple(m - h for m, h in zip(s.melded, left, strict=True))
    totals = tuple(t + r for t, r in zip(s.totals, row, strict=True))
    told = {"out": out, "melded": list(s.melded), "held": list(left), "score": list(row), "totals": list(totals)}
    lines = (*lines, Line("hand", None, told))
    best = max(totals)
    over = best >= s.options.target or s.deals >= HANDS
    winners = tuple(Seat(i) for i, total in enumerate(totals) if total == best) if over else ()
    after = replace(
        s, phase="over" if over else "scored", out=out, must=None, took=(), scores=(*s.scores, row), totals=totals,
        winners=winners,
    )  # fmt: skip
    if over:
        lines = (*lines, Line("over", None, {"winners": list(winners), "totals": list(totals)}))
    return Step(after, lines, hand_ended=True)


def ready(s: State, seat: Seat, _: Ready, chance: Chance) -> Step:
    """The seat asks for the next hand; the last to ask gets it dealt."""
    if s.phase != "scored":
        raise Illegal("PHASE", "The hand is still being played.")
    if s.ready[seat]:
        raise Illegal("PHASE", "You are ready: the others are not yet.")
    after = replace(s, ready=(*s.ready[:seat], True, *s.ready[seat + 1 :]))
    line = Line("ready", seat)
    if not all(after.ready):
        return Step(after, (line,))
    step = deal(after, chance)
    return Step(step.state, (line, *step.lines))


def put(
    hands: tuple[tuple[Card, ...], ...], seat: int, hand: Sequence[Card]
) -> tuple[tuple[Card, ...], ...]:
    """The hands with one of them replaced."""
    return (*hands[:seat], tuple(hand), *hands[seat + 1 :])
