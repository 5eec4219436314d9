"""What each move does (RULES.md, "A turn"), one function a move."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.cards import Card, pack
from domain.game import Chance, Illegal, Line, Seat, Step
from domain.melds import Meld
from domain.thai_rummy.lay import all_go_on, goes_on, new_meld, on_meld
from domain.thai_rummy.options import Options
from domain.thai_rummy.points import held, value
from domain.thai_rummy.score import end_hand, next_dealer
from domain.thai_rummy.state import Discard, Draw, Extend, Lay, Pass, Ready, State, Take

SIZES = {2: 13, 3: 10, 4: 7}  # cards dealt by number of players: RULES.md, "Players, cards and the deal"


def new_game(options: Options, seats: int, chance: Chance) -> Step:
    """The table with its first hand dealt."""
    dealer = Seat(chance.stream("dealer").below(seats))
    nothing: tuple[tuple[Card, ...], ...] = ((),) * seats
    table = State(
        options=options, seats=seats, first_dealer=dealer, dealer=dealer, turn=dealer, hands=nothing, stock=(), pile=(),
        known=nothing, dark=(True,) * seats, gifts=(0,) * seats, ready=(False,) * seats, totals=(0,) * seats,
    )  # fmt: skip
    return deal(table, dealer, chance)


def deal(s: State, dealer: Seat, chance: Chance) -> Step:
    """The next hand: dealt one card at a time, first to the seat after the dealer, then the upcard."""
    n, deals, size = s.seats, s.deals + 1, SIZES[s.seats]
    cards = chance.stream(f"deal:{deals}").shuffle(pack())
    cards.reverse()  # the end of a stock is drawn first
    hands = tuple(tuple(cards[(seat - dealer - 1) % n : size * n : n]) for seat in range(n))
    upcard = cards[size * n]
    nothing: tuple[tuple[Card, ...], ...] = ((),) * n
    after = replace(
        s, deals=deals, dealer=dealer, hands=hands, stock=tuple(reversed(cards[size * n + 1 :])), pile=(upcard,),
        down=None, melds=(), next_id=0, phase="draw", turn=Seat((dealer + 1) % n), took=(), known=nothing, thrower=None,
        fed=None, dark=(True,) * n, gifts=(0,) * n, passes=0, moves=0, out=None, ready=(False,) * n,
    )  # fmt: skip
    return Step(after, (Line("dealt", None, {"deal": deals, "dealer": dealer, "cards": size, "upcard": upcard}),))


def draw(s: State, seat: Seat, _: Draw) -> Step:
    """The top of the stock comes to the hand."""
    if not s.stock:
        raise Illegal("NO_STOCK", "The stock is out: take from the pile or pass.")
    card = s.stock[-1]
    hands = put(s.hands, seat, (*s.hands[seat], card))
    after = replace(s, hands=hands, stock=s.stock[:-1], phase="play", passes=0, moves=s.moves + 1)
    return Step(after, (Line("draw", seat), Line("drew", seat, {"card": card})))


def take(s: State, seat: Seat, move: Take) -> Step:
    """The pile from index `at` up comes to the hand, and its lowest card goes from there into a new meld."""
    at, hand, cards = move.at, s.hands[seat], move.meld
    if not 0 <= at < len(s.pile):
        raise Illegal("BAD_INDEX", "There is no such card in the pile.")
    took = s.pile[at:]
    pool = hand + took
    _need_own(cards, pool)
    if took[0] not in cards:
        raise Illegal("BOTTOM_MISSING", "The lowest card you take must be in the meld you lay with it.")
    try:
        meld = new_meld(cards, s.next_id, seat)
    except Illegal as fault:
        if fault.code == "NOT_A_MELD" and all_go_on(cards, s.melds):
            words = "You take from the pile only for a new meld: that the card fits one on the table is not enough."
            raise Illegal("NEW_MELD_ONLY", words) from None
        raise
    if not set(cards) & set(hand):
        raise Illegal("NEED_HAND_CARD", "The new meld needs a card that was in your hand before.")
    _need_rest(cards, pool)
    known = put(s.known, seat, [c for c in s.known[seat] + took if c not in cards])
    after = replace(
        s, hands=put(s.hands, seat, [c for c in pool if c not in cards]), pile=s.pile[:at], took=took, known=known,
        melds=(*s.melds, meld), next_id=s.next_id + 1, thrower=None, fed=_feeder(s, seat, took), phase="play",
        passes=0, moves=s.moves + 1,
    )  # fmt: skip
    return Step(after, (Line("take", seat, {"cards": list(took), **_told(meld)}),))


def _feeder(s: State, seat: Seat, took: Sequence[Card]) -> Seat | None:
    """Who threw the card taken, if it was the top alone and another seat threw it."""
    return s.thrower if len(took) == 1 and s.thrower != seat else None


def lay(s: State, seat: Seat, move: Lay) -> Step:
    """A new meld from the hand."""
    cards, hand = move.cards, s.hands[seat]
    _need_own(cards, hand)
    meld = new_meld(cards, s.next_id, seat)
    _need_rest(cards, hand)
    after = replace(_without(s, seat, cards), melds=(*s.melds, meld), next_id=s.next_id + 1, moves=s.moves + 1)
    return Step(after, (Line("meld", seat, _told(meld)),))


def _told(meld: Meld) -> dict[str, object]:
    return {"meld": {"id": meld.id, "kind": meld.kind, "cards": list(meld.cards)}, "points": held(meld.cards)}


def extend(s: State, seat: Seat, move: Extend) -> Step:
    """A card goes on anyone's meld and lies in front of the seat that laid it."""
    card = move.card
    _need_own((card,), s.hands[seat])
    longer = on_meld(s.melds, move.meld, card, seat, move.end)
    _need_rest((card,), s.hands[seat])
    melds = tuple(longer if m.id == longer.id else m for m in s.melds)
    after = replace(_without(s, seat, (card,)), melds=melds, moves=s.moves + 1)
    data = {"card": card, "meld": longer.id, "owner": longer.owner, "points": value(card)}
    return Step(after, (Line("extend", seat, data),))


def discard(s: State, seat: Seat, move: Discard) -> Step:
    """A card goes to the pile and the turn is over; the last one goes face down and the hand is over."""
    card = move.card
    _need_own((card,), s.hands[seat])
    after = replace(_without(s, seat, (card,)), moves=s.moves + 1)
    if len(s.hands[seat]) == 1:
        after = replace(after, down=card, out=seat, took=())
        return end_hand(after, (Line("out", seat),))
    gift = is_gift(s, card)
    gifts = (*s.gifts[:seat], s.gifts[seat] + gift, *s.gifts[seat + 1 :])
    after = replace(_turned(after), pile=(*s.pile, card), thrower=seat, gifts=gifts)
    return Step(after, (Line("discard", seat, {"card": card, "gift": gift}),))


def is_gift(s: State, card: Card) -> bool:
    """Whether a discard of this card, not as the last one, costs a penalty now."""
    return s.options.gift_penalty == "on" and goes_on(card, s.melds)


def pass_(s: State, seat: Seat, _: Pass) -> Step:
    """The turn goes by without a card; when all pass one after another the hand is over."""
    if s.stock:
        raise Illegal("STOCK_LEFT", "You may pass only once the stock is out.")
    line = Line("pass", seat)
    passes = s.passes + 1
    if passes < s.seats:
        return Step(replace(_turned(s), passes=passes, moves=s.moves + 1), (line,))
    after = replace(s, passes=passes, moves=s.moves + 1, took=(), fed=None)
    return end_hand(after, (line, Line("passed_out")))


def _turned(s: State) -> State:
    """The next seat's turn. Who has laid something by now is dark no more."""
    seat = s.turn
    laid = any(seat in meld.by for meld in s.melds)
    dark = (*s.dark[:seat], s.dark[seat] and not laid, *s.dark[seat + 1 :])
    return replace(s, phase="draw", turn=Seat((seat + 1) % s.seats), took=(), fed=None, dark=dark)


def ready(s: State, seat: Seat, _: Ready, chance: Chance) -> Step:
    """The seat asks for the next hand; the last to ask gets it dealt by the loser of the last."""
    if s.phase != "scored":
        raise Illegal("PHASE", "The hand is still being played.")
    if s.ready[seat]:
        raise Illegal("PHASE", "You are ready: the others are not yet.")
    after = replace(s, ready=(*s.ready[:seat], True, *s.ready[seat + 1 :]))
    line = Line("ready", seat)
    if not all(after.ready):
        return Step(after, (line,))
    step = deal(after, next_dealer(after), chance)
    return Step(step.state, (line, *step.lines))


def _need_own(cards: Sequence[Card], hand: Sequence[Card]) -> None:
    if len(set(cards)) < len(cards) or not set(cards).issubset(hand):
        raise Illegal("NOT_YOURS", "A card you named is not in your hand, or was named twice.")


def _need_rest(cards: Sequence[Card], hand: Sequence[Card]) -> None:
    if len(cards) >= len(hand):
        raise Illegal("KEEP_ONE", "Keep a card: a hand ends with a discard.")


def _without(s: State, seat: Seat, cards: Sequence[Card]) -> State:
    """The state with these cards gone from a hand."""
    hand = [c for c in s.hands[seat] if c not in cards]
    known = [c for c in s.known[seat] if c not in cards]
    return replace(s, hands=put(s.hands, seat, hand), known=put(s.known, seat, known))


def put(
    hands: tuple[tuple[Card, ...], ...], seat: int, hand: Sequence[Card]
) -> tuple[tuple[Card, ...], ...]:
    """The hands with one of them replaced."""
    return (*hands[:seat], tuple(hand), *hands[seat + 1 :])
