"""What each move of a turn does (RULES.md, "A turn"), one function a move, and the deal."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from domain.cards import Card, Ms, Seat
from domain.contract_rummy.contracts import LAST, RUN_SIZE, SET_SIZE, contract, fresh_pack, held
from domain.contract_rummy.lay import in_order, lay, put_on, swap_in
from domain.contract_rummy.options import Options
from domain.contract_rummy.state import Discard, Draw, GoDown, GoOut, Laid, LayOff, Pref, Ready, Row, State, Swap, Take
from domain.contract_rummy.window import buyer, open_window
from domain.game import Chance, Illegal, Line, Step
from domain.melds import Meld, Set

T = TypeVar("T")

RESHUFFLES = 10  # more remade stocks than this end the hand: RULES.md, "The end of a hand"


def new_game(options: Options, seats: int, now: Ms, chance: Chance) -> Step:
    """The table with its first hand dealt."""
    dealer = Seat(chance.stream("dealer").below(seats))
    none: Row = (0,) * seats
    nothing: tuple[tuple[Card, ...], ...] = ((),) * seats
    ask: Pref = "ask"
    table = State(
        options=options, seats=seats, first_dealer=dealer, deals=0, dealer=dealer, hands=nothing, stock=(), pile=(),
        melds=(), next_id=1, phase="draw", turn=dealer, turns=0, moves=0, window=None, windows=0,
        prefs=(ask,) * seats, away=(False,) * seats, known=nothing, down=(False,) * seats,
        down_at=(None,) * seats, went_down=False, laid=(), reshuffles=0, remade=(), out=None,
        ready=(False,) * seats, scores=(), totals=none, winners=(),
    )  # fmt: skip
    return deal(table, now, chance)


def deal(s: State, now: Ms, chance: Chance) -> Step:
    """The next hand: dealt one card at a time, the dealer last, then the upcard, which may be bought."""
    n, deals = s.seats, s.deals + 1
    dealer = Seat((s.first_dealer + deals - 1) % n)
    stock = chance.stream(f"deal:{deals}").shuffle(fresh_pack(n))
    stock.reverse()  # the end of a stock is drawn first
    size = contract(deals).dealt
    hands = [tuple(stock[(seat - dealer - 1) % n : size * n : n]) for seat in range(n)]
    upcard = stock[size * n]
    after = replace(
        s, deals=deals, dealer=dealer, hands=tuple(hands), stock=tuple(reversed(stock[size * n + 1 :])),
        pile=(upcard,), melds=(), next_id=1, phase="draw", turn=Seat((dealer + 1) % n), turns=s.turns + 1, moves=0,
        window=None, known=((),) * n, down=(False,) * n, down_at=(None,) * n, went_down=False, laid=(),
        reshuffles=0, remade=(), out=None, ready=(False,) * n,
    )  # fmt: skip
    line = Line("dealt", None, {"deal": deals, "dealer": dealer, "cards": size, "upcard": upcard})
    return Step(open_window(after, None, now, chance), (line,))


def take(s: State, seat: Seat, _: Take, __: Chance) -> Step:
    """The discard comes to the hand free; buying is off, whoever has claimed."""
    if not s.pile:
        raise Illegal("NO_DISCARD", "There is no discard to take.")
    card = s.pile[-1]
    after = replace(s, pile=s.pile[:-1], window=None, phase="play", moves=0)
    return Step(_give(after, seat, card, seen=True), (Line("take", seat, {"card": card}),))


def _give(s: State, seat: Seat, card: Card, seen: bool = False) -> State:
    hands = put(s.hands, seat, (*s.hands[seat], card))
    return replace(s, hands=hands, known=put(s.known, seat, (*s.known[seat], card)) if seen else s.known)


class _Drawn(NamedTuple):
    state: State
    lines: tuple[Line, ...]
    dry: bool = False


def _draw_one(s: State, seat: Seat, lines: tuple[Line, ...], chance: Chance) -> _Drawn:
    """The stock's top card comes to a hand. An empty stock is remade of the pile under its top, or else it is dry."""
    if not s.stock:
        if len(s.pile) < 2:
            return _Drawn(s, (*lines, Line("dry", None, {})), dry=True)
        count, under = s.reshuffles + 1, s.pile[:-1]
        stock = tuple(chance.stream(f"deal:{s.deals}:reshuffle:{count}").shuffle(under))
        again = set(under)
        remade = (*(tuple(c for c in cards if c not in again) for cards in s.remade), tuple(sorted(under)))
        s = replace(s, stock=stock, pile=s.pile[-1:], reshuffles=count, remade=remade)
        lines = (*lines, Line("reshuffle", None, {"count": count, "cards": len(stock)}))
    after = _give(s, seat, s.stock[-1])
    return _Drawn(replace(after, stock=s.stock[:-1]), lines)


def draw(s: State, seat: Seat, _: Draw, chance: Chance) -> Step:
    """The stock's top card; then the first claimant gets the discard and a card of the stock with it."""
    if s.window is not None and not s.window.shut:
        raise Illegal("STOCK_SHUT", "The stock is shut until buying has closed.")
    served = buyer(s) if s.window else None
    s = replace(s, window=None)
    drawn = _draw_one(s, seat, (), chance)
    if drawn.dry:
        return end_hand(drawn.state, None, drawn.lines)
    lines = (*drawn.lines, Line("draw", seat))
    s = replace(drawn.state, phase="play", moves=0)
    if served is None:
        return Step(s, lines)
    card = s.pile[-1]
    s = _give(replace(s, pile=s.pile[:-1]), served, card, seen=True)
    drawn = _draw_one(s, served, (*lines, Line("bought", served, {"card": card})), chance)
    return end_hand(drawn.state, None, drawn.lines) if drawn.dry else Step(drawn.state, drawn.lines)


def ends_hand(s: State) -> bool:
    """Whether drawing now would end the hand: the stock is out and nothing is left to remake it."""
    if s.phase != "draw":
        return False
    stock, pile = len(s.stock), len(s.pile)
    if not stock:
        if pile < 2:
            return True
        stock, pile = pile - 1, 1
    bought = s.window is not None and bool(s.window.claims)
    return bought and stock == 1 and pile - 1 < 2


def _take_away(hand: tuple[Card, ...], cards: Sequence[Card]) -> tuple[Card, ...]:
    """The hand without these cards. Raises Illegal("NOT_YOURS", …)."""
    gone = set(cards)
    if len(gone) < len(cards) or not gone.issubset(hand):
        raise Illegal("NOT_YOURS", "A card you named is not in your hand, or was named twice.")
    return tuple(c for c in hand if c not in gone)


def _after(s: State, seat: Seat, hand: tuple[Card, ...], melds: dict[int, Meld], cards: Sequence[Card]) -> State:
    """The table once a seat has laid cards, holding the rest."""
    known = tuple(c for c in s.known[seat] if c in hand)
    mine = next((laid for laid in s.laid if laid.seat == seat and laid.turn == s.turns), Laid(seat, s.turns, ()))
    laid = (*(other for other in s.laid if other != mine), Laid(seat, s.turns, (*mine.cards, *cards)))
    return replace(
        s, hands=put(s.hands, seat, hand), melds=in_order(melds), next_id=max(melds, default=s.next_id - 1) + 1,
        known=put(s.known, seat, known), laid=laid, moves=s.moves + 1,
    )  # fmt: skip


def go_down(s: State, seat: Seat, move: GoDown) -> Step:
    """The contract is laid, exactly, with jokers won from the table if any were swapped."""
    if s.deals == LAST:
        raise Illegal("LAST_HAND", "In the last hand nobody goes down: lay all your cards as three runs.")
    if s.down[seat]:
        raise Illegal("ALREADY_DOWN", "You are down: lay off on melds of the table.")
    hand = _take_away(s.hands[seat], [swap.card for swap in move.swaps])
    melds = {meld.id: meld for meld in s.melds}
    won = [swap_in(melds, swap.meld, swap.card, seat) for swap in move.swaps]
    cards = [card for meld in move.melds for card in meld.cards]
    hand = _take_away((*hand, *won), cards)
    made = [lay(new, s.next_id + i, seat) for i, new in enumerate(move.melds)]
    _exact(s, made)
    if set(won) - set(cards):
        raise Illegal("JOKER_MUST_BE_USED", "A joker you win must be part of the contract.")
    _keep_one(hand)
    melds |= {meld.id: meld for meld in made}
    after = _after(s, seat, hand, melds, [*(swap.card for swap in move.swaps), *cards])
    after = replace(after, down=put(s.down, seat, True), down_at=put(s.down_at, seat, s.turns), went_down=True)
    told = {"melds": [_told(meld) for meld in made]}
    swaps = [{"card": x.card, "meld": x.meld, "joker": joker} for x, joker in zip(move.swaps, won, strict=True)]
    return Step(after, (Line("go_down", seat, told | {"swaps": swaps}),))


def _exact(s: State, made: Sequence[Meld]) -> None:
    if any(len(meld.cards) != (SET_SIZE if isinstance(meld, Set) else RUN_SIZE) for meld in made):
        raise Illegal("EXACT_SIZE", "To go down lay sets of exactly three and runs of exactly four. The rest waits.")
    wanted, sets = contract(s.deals), sum(isinstance(meld, Set) for meld in made)
    if (sets, len(made) - sets) != (wanted.sets, wanted.runs):
        raise Illegal("CONTRACT", f"This hand asks for sets: {wanted.sets}, runs: {wanted.runs}.")


def _keep_one(hand: tuple[Card, ...]) -> None:
    if not hand:
        raise Illegal("KEEP_ONE", "Keep a card: you go out with a discard.")


def _told(meld: Meld) -> dict[str, object]:
    return {"id": meld.id, "kind": meld.kind, "cards": list(meld.cards)}


def _need_down(s: State, seat: Seat) -> None:
    if not s.down[seat]:
        raise Illegal("NOT_DOWN", "Go down before you lay off.")
    if s.went_down:
        raise Illegal("SAME_TURN", "You went down in this turn: lay off from your next turn on.")


def lay_off(s: State, seat: Seat, move: LayOff) -> Step:
    """Cards go on melds of the table, one after the other."""
    _need_down(s, seat)
    if len(move.plays) > len(s.hands[seat]):
        raise Illegal("BAD", "You have fewer cards than you name.")
    cards = [play.card for play in move.plays]
    hand = _take_away(s.hands[seat], cards)
    melds = {meld.id: meld for meld in s.melds}
    for play in move.plays:
        put_on(melds, play.meld, play.card, seat, play.end)
    _keep_one(hand)
    plays = [{"card": play.card, "meld": play.meld, "owner": melds[play.meld].owner} for play in move.plays]
    return Step(_after(s, seat, hand, melds, cards), (Line("lay_off", seat, {"plays": plays}),))


def swap(s: State, seat: Seat, move: Swap) -> Step:
    """A natural goes where a joker stands for it in a run, and the joker goes on a meld, perhaps the same."""
    _need_down(s, seat)
    hand = _take_away(s.hands[seat], [move.card])
    melds = {meld.id: meld for meld in s.melds}
    joker = swap_in(melds, move.meld, move.card, seat)
    put_on(melds, move.to, joker, seat, move.end)
    _keep_one(hand)
    owners = {"owner": melds[move.meld].owner, "to_owner": melds[move.to].owner}
    told = {"card": move.card, "meld": move.meld, "joker": joker, "to": move.to} | owners
    return Step(_after(s, seat, hand, melds, [move.card, joker]), (Line("swap", seat, told),))


def go_out(s: State, seat: Seat, move: GoOut) -> Step:
    """In the last hand the whole hand is laid as three runs, without a discard."""
    if s.deals != LAST:
        raise Illegal("NOT_LAST", "Only in the last hand you go out with three runs.")
    if len(move.runs) != contract(LAST).runs:
        raise Illegal("THREE_RUNS", "Lay exactly three runs.")
    cards = [card for run in move.runs for card in run.cards]
    hand = _take_away(s.hands[seat], cards)
    made = [lay(new, s.next_id + i, seat) for i, new in enumerate(move.runs)]
    if hand:
        raise Illegal("EVERY_CARD", "Every card of your hand must be in the three runs.")
    after = _after(s, seat, hand, {meld.id: meld for meld in (*s.melds, *made)}, cards)
    line = Line("go_out", seat, {"melds": [_told(meld) for meld in made]})
    return end_hand(after, seat, (line,))


def discard(s: State, seat: Seat, move: Discard, now: Ms, chance: Chance) -> Step:
    """A card goes to the pile and the turn is over; so is the hand if it was the last card."""
    hand = _take_away(s.hands[seat], [move.card])
    old = s.down_at[seat]
    after = replace(
        s, hands=put(s.hands, seat, hand), pile=(*s.pile, move.card), went_down=False, moves=0,
        known=put(s.known, seat, tuple(c for c in s.known[seat] if c != move.card)),
        laid=tuple(laid for laid in s.laid if laid.seat != seat or laid.turn == s.turns),
        down_at=s.down_at if old is None or old == s.turns else put(s.down_at, seat, None),
        turns=s.turns + 1, phase="draw", turn=Seat((seat + 1) % s.seats),
    )  # fmt: skip
    line = Line("discard", seat, {"card": move.card})
    if not hand:
        return end_hand(replace(after, turn=seat), seat, (line,))
    if after.reshuffles > RESHUFFLES:
        return end_hand(replace(after, turn=seat), None, (line, Line("stalled", None, {"count": after.reshuffles})))
    return Step(open_window(after, seat, now, chance), (line,))


def end_hand(s: State, out: Seat | None, lines: tuple[Line, ...]) -> Step:
    """Score the hand; the game is over after the last."""
    row = tuple(map(held, s.hands))
    totals = tuple(t + r for t, r in zip(s.totals, row, strict=True))
    lines = (*lines, Line("hand", None, {"out": out, "score": list(row), "totals": list(totals)}))
    over, best = s.deals >= LAST, min(totals)
    winners = tuple(Seat(i) for i, total in enumerate(totals) if total == best) if over else ()
    after = replace(
        s, phase="over" if over else "scored", window=None, moves=0, went_down=False, out=out,
        scores=(*s.scores, row), totals=totals, winners=winners,
    )  # fmt: skip
    if over:
        lines = (*lines, Line("over", None, {"winners": list(winners), "totals": list(totals)}))
    return Step(after, lines, hand_ended=True)


def ready(s: State, seat: Seat, _: Ready, now: Ms, chance: Chance) -> Step:
    """The seat asks for the next hand; the last to ask gets it dealt."""
    if s.phase != "scored":
        raise Illegal("PHASE", "The hand is still being played.")
    if s.ready[seat]:
        raise Illegal("PHASE", "You are ready: the others are not yet.")
    after = replace(s, ready=put(s.ready, seat, True))
    line = Line("ready", seat)
    if not all(after.ready):
        return Step(after, (line,))
    step = deal(after, now, chance)
    return Step(step.state, (line, *step.lines))


def put(row: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """A list by seat with one entry replaced."""
    return (*row[:seat], value, *row[seat + 1 :])
