"""What each move does (RULES.md, "A turn" and "The end of a hand"), one function a move."""

from msgspec.structs import replace

from domain.cards import Card, Ms, pack
from domain.game import Chance, Illegal, Line, Seat, Step
from domain.melds import Meld
from domain.rummy.lay import lay_off as laid_off
from domain.rummy.lay import meld as made
from domain.rummy.options import Options
from domain.rummy.points import held
from domain.rummy.state import Before, Discard, Draw, EndHand, Hands, How, LayOff, NewMeld, Row, State, Take

TARGET = 100  # points that win: RULES.md, "The end of the game"
REUSES = 2  # times that the pile may become the stock: RULES.md, "A turn"
ROUNDS = 2  # rounds without a draw from the stock that block a hand: RULES.md, "The end of a hand"
HANDS = 200  # the game ends after this hand whatever the totals: RULES.md, "The end of the game"


def new_game(options: Options, seats: int, now: Ms, chance: Chance) -> Step:
    """The table with its first hand dealt."""
    dealer = Seat(chance.stream("dealer").below(seats))
    nothing: Hands = ((),) * seats
    table = State(
        options=options, seats=seats, first_dealer=dealer, deals=0, dealer=dealer, hands=nothing, stock=(), pile=(),
        melds=(), next_id=0, phase="draw", turn=dealer, taken=None, known=nothing, turns=0, moves=0, circling=0,
        reuses=0, remade=(), before=None, due=None, scores=(), held=(), outs=(), totals=(0,) * seats, lost=None,
        how=None, winners=(),
    )  # fmt: skip
    return deal(table, now, chance)


def deal(s: State, now: Ms, chance: Chance) -> Step:
    """The next hand: dealt one card at a time, first to the seat after the dealer, then the upcard."""
    n, deals = s.seats, s.deals + 1
    dealer = Seat((s.first_dealer + deals - 1) % n)
    stock = chance.stream(f"deal:{deals}").shuffle(pack())
    stock.reverse()  # the end of a stock is drawn first
    size = 10 if n == 2 else 7
    hands = [tuple(stock[(seat - dealer - 1) % n : size * n : n]) for seat in range(n)]
    upcard = stock[size * n]
    after = replace(
        s, deals=deals, dealer=dealer, hands=tuple(hands), stock=tuple(reversed(stock[size * n + 1 :])),
        pile=(upcard,), melds=(), next_id=0, phase="draw", turn=Seat((dealer + 1) % n), taken=None, known=((),) * n,
        turns=0, moves=0, circling=0, reuses=0, remade=(), due=_due(s, now),
        before=Before(s.pile, s.melds) if s.deals else None,
    )  # fmt: skip
    return Step(after, (Line("dealt", None, {"deal": deals, "dealer": dealer, "cards": size, "upcard": upcard}),))


def _due(s: State, now: Ms) -> Ms:
    return Ms(now + s.options.deadline * 1000)


def dry(s: State) -> bool:
    """Whether no card can be drawn: the stock is out and cannot be remade."""
    return not s.stock and (s.reuses >= REUSES or len(s.pile) < 2)


def draw(s: State, seat: Seat, _: Draw, now: Ms, chance: Chance) -> Step:
    """The top of the stock comes to the hand; an empty stock is remade of the pile under its top."""
    if dry(s):
        raise Illegal("NO_STOCK", "There is nothing left to draw: take the top of the pile or end the hand.")
    lines: tuple[Line, ...] = ()
    if not s.stock:
        s = _remake(s, chance)
        lines = (Line("reshuffle", None, {"count": s.reuses, "cards": len(s.stock)}),)
    card = s.stock[-1]
    after = replace(
        s, hands=put(s.hands, seat, (*s.hands[seat], card)), stock=s.stock[:-1], phase="play", moves=s.moves + 1
    )
    return Step(after, (*lines, Line("draw", seat), Line("drew", seat, {"card": card})))


def _remake(s: State, chance: Chance) -> State:
    count, under = s.reuses + 1, s.pile[:-1]
    stock = tuple(chance.stream(f"deal:{s.deals}:reshuffle:{count}").shuffle(under))
    remade = (*(tuple(c for c in cards if c not in under) for cards in s.remade), tuple(sorted(under)))
    return replace(s, stock=stock, pile=s.pile[-1:], reuses=count, remade=remade)


def take(s: State, seat: Seat, _: Take, now: Ms, chance: Chance) -> Step:
    """The top of the pile comes to the hand."""
    card = s.pile[-1]
    after = replace(
        s, hands=put(s.hands, seat, (*s.hands[seat], card)), pile=s.pile[:-1], taken=card,
        known=put(s.known, seat, (*s.known[seat], card)), phase="play", moves=s.moves + 1,
    )  # fmt: skip
    return Step(after, (Line("take", seat, {"card": card}),))


def meld(s: State, seat: Seat, move: NewMeld, now: Ms, chance: Chance) -> Step:
    """A new meld; the hand ends if nothing is left in it."""
    _holds(s, seat, move.cards)
    new = made(move.cards, s.next_id, seat)
    line = Line("meld", seat, {"meld": new.id, "kind": new.kind, "cards": list(new.cards)})
    return _laid(replace(s, next_id=s.next_id + 1), seat, (*s.melds, new), move.cards, line, now, chance)


def lay_off(s: State, seat: Seat, move: LayOff, now: Ms, chance: Chance) -> Step:
    """Cards on melds of the table, in order; the hand ends if nothing is left in it."""
    cards = tuple(play.card for play in move.plays)
    _holds(s, seat, cards)
    melds = laid_off(s.melds, move, seat)
    owners = {meld.id: meld.owner for meld in melds}
    plays = [{"card": play.card, "meld": play.meld, "owner": owners[play.meld]} for play in move.plays]
    return _laid(s, seat, melds, cards, Line("lay_off", seat, {"plays": plays}), now, chance)


def _holds(s: State, seat: Seat, cards: tuple[Card, ...]) -> None:
    if len(set(cards)) < len(cards) or not set(cards).issubset(s.hands[seat]):
        raise Illegal("NOT_YOURS", "A card you named is not in your hand, or was named twice.")


def _laid(
    s: State, seat: Seat, melds: tuple[Meld, ...], cards: tuple[Card, ...], line: Line, now: Ms, chance: Chance
) -> Step:
    after = replace(_without(s, seat, cards), melds=melds, moves=s.moves + 1)
    return Step(after, (line,)) if after.hands[seat] else end_hand(after, seat, (line,), now, chance)


def _without(s: State, seat: Seat, cards: tuple[Card, ...]) -> State:
    """The table with these cards gone from the seat's hand."""
    hand, known = (tuple(c for c in some if c not in cards) for some in (s.hands[seat], s.known[seat]))
    return replace(s, hands=put(s.hands, seat, hand), known=put(s.known, seat, known))


def discard(s: State, seat: Seat, move: Discard, now: Ms, chance: Chance) -> Step:
    """A card goes to the pile and the turn is over; so is the hand with the last card, or if all only circle."""
    card = move.card
    _holds(s, seat, (card,))
    if card == s.taken and len(s.hands[seat]) > 1:
        raise Illegal("THROW_BACK", "You took that card from the pile this turn: discard another one.")
    circling = s.circling + 1 if s.taken else 0
    after = replace(
        _without(s, seat, (card,)), pile=(*s.pile, card), taken=None, circling=circling, turns=s.turns + 1,
        moves=s.moves + 1, phase="draw", turn=Seat((seat + 1) % s.seats), due=_due(s, now),
    )  # fmt: skip
    line = Line("discard", seat, {"card": card})
    if not after.hands[seat]:
        return end_hand(after, seat, (line,), now, chance)
    if circling >= ROUNDS * s.seats:
        return end_hand(after, None, (line, Line("stalled", None, {"turns": circling})), now, chance)
    return Step(after, (line,))


def block(s: State, seat: Seat, _: EndHand, now: Ms, chance: Chance) -> Step:
    """The seat ends a hand in which nothing can be drawn."""
    if not dry(s):
        raise Illegal("NOT_YET", "The hand cannot be ended while there is a card to draw.")
    return end_hand(replace(s, moves=s.moves + 1), None, (Line("end_hand", seat),), now, chance)


def end_hand(s: State, out: Seat | None, lines: tuple[Line, ...], now: Ms, chance: Chance) -> Step:
    """Score the hand, then deal the next one, or end the game if someone has come to the target."""
    left = tuple(held(hand) for hand in s.hands)
    row = score(left, out)
    totals = tuple(t + r for t, r in zip(s.totals, row, strict=True))
    told = {"out": out, "held": list(left), "score": list(row), "totals": list(totals)}
    lines = (*lines, Line("hand", None, told))
    after = replace(
        s, scores=(*s.scores, row), held=(*s.held, left), outs=(*s.outs, out), totals=totals, taken=None
    )
    if max(totals) >= TARGET or s.deals >= HANDS:
        step = finish(after, None, "played")
    else:
        step = deal(after, now, chance)
    return Step(step.state, (*lines, *step.lines), hand_ended=True)


def score(left: Row, out: Seat | None) -> Row:
    """What each seat scores for a hand: `left` are the points held, `out` who went out, None if it was blocked.

    >>> score((7, 15, 22), None), score((9, 9, 14), None), score((0, 20, 12), Seat(0))
    ((23, 0, 0), (2, 2, 0), (32, 0, 0))
    """
    least = min(left)
    best = [out] if out is not None else [i for i, points in enumerate(left) if points == least]
    each = (sum(left) if out is not None else sum(points - least for points in left)) // len(best)
    return tuple(each if i in best else 0 for i in range(len(left)))


def finish(s: State, lost: Seat | None, how: How) -> Step:
    """The game is over, against a seat if one is named."""
    best = max(total for i, total in enumerate(s.totals) if i != lost)
    winners = tuple(Seat(i) for i, total in enumerate(s.totals) if total == best and i != lost)
    after = replace(s, phase="over", taken=None, due=None, lost=lost, how=how, winners=winners)
    lines = () if lost is None else (Line(how, lost),)
    return Step(after, (*lines, Line("over", None, {"winners": list(winners), "totals": list(s.totals)})))


def put(hands: Hands, seat: Seat, hand: tuple[Card, ...]) -> Hands:
    """The hands with one of them replaced."""
    return (*hands[:seat], hand, *hands[seat + 1 :])
