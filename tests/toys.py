"""A toy game with secret answers and a timer, which must pass the contract, and spoilt copies, which must not.

Whispers: each seat holds three cards and secretly picks one before the time is up; it may pick again until then.
When time closes the round, all picks are shown, the highest card scores a point, equal ranks become a set, and
everyone draws. Three rounds are a hand. A cheer is an act that answers no question.
"""

from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from domain.cards import POSITION, Card, Ms, Seat, pack
from domain.chance import Chance
from domain.game import Decision, Due, Game, Hidden, Illegal, Line, Outcome, Step
from domain.melds import Set

HAND = 3  # cards in a hand
ROUNDS = 3  # rounds in a hand of the game


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    seconds: Literal[10, 20] = 10
    hands: Literal[2, 3] = 2


class Pick(Struct, frozen=True, forbid_unknown_fields=True, tag="pick", tag_field="type"):
    card: Card


class Cheer(Struct, frozen=True, forbid_unknown_fields=True, tag="cheer", tag_field="type"):
    pass


class Ready(Struct, frozen=True, forbid_unknown_fields=True, tag="ready", tag_field="type"):
    pass


Move: TypeAlias = Pick | Cheer | Ready
Phase = Literal["pick", "scored", "over"]


class Position(Hidden, frozen=True, kw_only=True):
    seats: int
    deals: int
    round: int
    phase: Phase
    hands: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...]
    pile: tuple[Card, ...]
    melds: tuple[Set, ...]
    next_id: int
    picks: tuple[Card | None, ...]
    asked: tuple[int, ...]  # how often each seat has picked in this round
    closes: Ms | None
    cheered: tuple[bool, ...]
    ready: tuple[bool, ...]
    totals: tuple[int, ...]


class State(Position, frozen=True, kw_only=True):
    options: Options


class View(Hidden, frozen=True, kw_only=True):
    seat: Seat | None
    seats: int
    deals: int
    round: int
    phase: Phase
    hand: tuple[Card, ...] | None
    counts: tuple[int, ...]
    stock: int
    pile: tuple[Card, ...]
    melds: tuple[Set, ...]
    pick: Card | None
    closes: Ms | None
    cheered: tuple[bool, ...]
    ready: tuple[bool, ...]
    totals: tuple[int, ...]
    revealed: tuple[tuple[Card, ...], ...] | None


class Helps(Hidden, frozen=True):
    best: Card | None = None


def rank(card: Card) -> tuple[int, str]:
    return POSITION[card[0]], card


class Whispers(Game[Options, State, Any, View]):
    name, title, teaser = "whispers", "Whispers", "Pick a card in secret."
    seats = range(2, 5)
    Options, Move, View, Helps, Position = Options, Move, View, Helps, Position
    public = frozenset({"dealt", "closed", "cheer", "ready", "hand"})
    keyless = frozenset({"cheer"})

    def start(self, options: Options, seats: int, now: Ms, chance: Chance) -> Step:
        none = (None,) * seats
        table = State(
            options=options, seats=seats, deals=0, round=0, phase="pick", hands=(), stock=(), pile=(), melds=(),
            next_id=0, picks=none, asked=(0,) * seats, closes=None, cheered=(False,) * seats,
            ready=(False,) * seats, totals=(0,) * seats,
        )  # fmt: skip
        return self.deal(table, now, chance)

    def deal(self, s: State, now: Ms, chance: Chance) -> Step:
        n, deals = s.seats, s.deals + 1
        stock = chance.stream(f"deal:{deals}").shuffle(pack())
        hands = tuple(tuple(stock[-1 - i : -1 - n * HAND : -n][:HAND]) for i in range(n))
        after = replace(
            s, deals=deals, round=1, phase="pick", hands=hands, stock=tuple(stock[: -n * HAND]), pile=(), melds=(),
            next_id=0, picks=(None,) * n, asked=(0,) * n, closes=Ms(now + s.options.seconds * 1000),
            cheered=(False,) * n, ready=(False,) * n,
        )  # fmt: skip
        return Step(after, (Line("dealt", None, {"deal": deals}),))

    def play(self, s: State, seat: Seat, move: Any, now: Ms, chance: Chance) -> Step:
        if s.phase == "over":
            raise Illegal("OVER", "The game is over.")
        return {Pick: self.pick, Cheer: self.cheer, Ready: self.get_ready}[type(move)](s, seat, move, now, chance)

    def pick(self, s: State, seat: Seat, move: Pick, _now: Ms, _: Chance) -> Step:
        if s.phase != "pick":
            raise Illegal("PHASE", "The hand has been played.")
        if move.card not in s.hands[seat]:
            raise Illegal("NOT_YOURS", "That card is not in your hand.")
        if move.card == s.picks[seat]:
            raise Illegal("SAME", "You have picked that card.")
        after = replace(
            s, picks=put(s.picks, seat, move.card), asked=put(s.asked, seat, s.asked[seat] + 1)
        )
        return Step(after, (Line("picked", seat, {"card": move.card}),), notice=(seat,))

    def cheer(self, s: State, seat: Seat, _: Cheer, _now: Ms, _chance: Chance) -> Step:
        if s.cheered[seat]:
            raise Illegal("HOARSE", "You have cheered in this hand.")
        return Step(replace(s, cheered=put(s.cheered, seat, True)), (Line("cheer", seat),))

    def get_ready(self, s: State, seat: Seat, _: Ready, now: Ms, chance: Chance) -> Step:
        if s.phase != "scored" or s.ready[seat]:
            raise Illegal("PHASE", "Nobody waits for you to be ready.")
        after = replace(s, ready=put(s.ready, seat, True))
        line = Line("ready", seat)
        if not all(after.ready):
            return Step(after, (line,))
        step = self.deal(after, now, chance)
        return Step(step.state, (line, *step.lines))

    def tick(self, s: State, now: Ms, _: Chance) -> Step:
        shown = tuple(pick or hand[0] for pick, hand in zip(s.picks, s.hands, strict=True))
        best = max(range(s.seats), key=lambda i: rank(shown[i]))
        ranks = [card[0] for card in shown]
        most = max(ranks, key=ranks.count)
        pairs = tuple(i for i in range(s.seats) if ranks.count(most) > 1 and ranks[i] == most)
        melds, pile = s.melds, s.pile + tuple(card for i, card in enumerate(shown) if i not in pairs)
        if pairs:
            cards = tuple(shown[i] for i in pairs)
            melds += (Set(s.next_id, Seat(pairs[0]), cards, tuple(map(Seat, pairs)), cards[0][0]),)
        hands = tuple(
            (*(c for c in hand if c != shown[i]), s.stock[-1 - i]) for i, hand in enumerate(s.hands)
        )
        after = replace(
            s, round=s.round + 1, hands=hands, stock=s.stock[: -s.seats], pile=pile, melds=melds,
            next_id=s.next_id + bool(pairs), picks=(None,) * s.seats, asked=(0,) * s.seats,
            closes=Ms(now + s.options.seconds * 1000), totals=put(s.totals, best, s.totals[best] + 1),
        )  # fmt: skip
        lines = (Line("closed", None, {"cards": list(shown)}),)
        lines += tuple(Line("drew", Seat(i), {"card": hand[-1]}) for i, hand in enumerate(hands))
        return self.score(after, lines) if s.round == ROUNDS else Step(after, lines)

    def score(self, s: State, lines: tuple[Line, ...]) -> Step:
        over = s.deals == s.options.hands
        after = replace(s, phase="over" if over else "scored", closes=None)
        return Step(after, (*lines, Line("hand", None, {"totals": list(s.totals)})), hand_ended=True)

    def due(self, s: State) -> Due | None:
        return None if s.closes is None else Due(f"close:{s.deals}:{s.round}", s.closes)

    def deciding(self, s: State) -> tuple[Decision, ...]:
        if s.phase == "pick":
            key = f"p{s.deals}:{s.round}"
            return tuple(
                Decision(Seat(i), "pick", f"{key}:{s.asked[i]}", waits=s.picks[i] is None, named=False)
                for i in range(s.seats)
            )
        if s.phase == "scored":
            return tuple(Decision(Seat(i), "ready", f"r{s.deals}") for i in range(s.seats) if not s.ready[i])
        return ()

    def fallback(self, s: State, seat: Seat) -> Any:
        if s.phase == "scored":
            return Ready()
        return Pick(next(card for card in s.hands[seat] if card != s.picks[seat]))

    def legal(self, s: State, seat: Seat) -> list[Any]:
        moves: list[Any] = []
        if s.phase == "pick":
            moves = [Pick(card) for card in s.hands[seat] if card != s.picks[seat]]
        if s.phase == "scored" and not s.ready[seat]:
            moves = [Ready()]
        return moves if s.cheered[seat] or s.phase == "over" else [*moves, Cheer()]

    def view(self, s: State, seat: Seat | None) -> View:
        return View(
            seat=seat, seats=s.seats, deals=s.deals, round=s.round, phase=s.phase,
            hand=None if seat is None else s.hands[seat], counts=tuple(len(hand) for hand in s.hands),
            stock=len(s.stock), pile=s.pile, melds=s.melds, pick=None if seat is None else s.picks[seat],
            closes=s.closes, cheered=s.cheered, ready=s.ready, totals=s.totals,
            revealed=None if s.phase == "pick" else s.hands,
        )  # fmt: skip

    def helps(self, s: State, seat: Seat) -> Helps:
        return Helps(max(s.hands[seat], key=rank, default=None))

    def outcome(self, s: State) -> Outcome | None:
        if s.phase != "over":
            return None
        places = tuple(1 + sum(other > total for other in s.totals) for total in s.totals)
        return Outcome(places, s.totals)

    def position(self, s: State) -> Position:
        return Position(**{name: getattr(s, name) for name in Position.__struct_fields__})

    def place(self, options: Options, position: Position) -> State:
        fields = {name: getattr(position, name) for name in Position.__struct_fields__}
        return State(options=options, **fields)

    def zones(self, s: State) -> dict[str, tuple[Card, ...]]:
        hands = {f"hand:{i}": hand for i, hand in enumerate(s.hands)}
        return hands | {"stock": s.stock, "pile": s.pile} | {f"meld:{m.id}": m.cards for m in s.melds}

    def redeal(self, s: State, seat: Seat | None, chance: Chance) -> State:
        source = chance.stream("redeal")
        hidden = [i for i in range(s.seats) if i != seat and s.phase == "pick"]
        cards = source.shuffle([card for i in hidden for card in s.hands[i]] + list(s.stock))
        hands, picks, asked = list(s.hands), list(s.picks), list(s.asked)
        for i in hidden:
            hands[i], cards = tuple(cards[: len(hands[i])]), cards[len(hands[i]) :]
            times = source.below(3)
            picks[i], asked[i] = hands[i][source.below(HAND)] if times else None, times
        return replace(s, hands=tuple(hands), stock=tuple(cards), picks=tuple(picks), asked=tuple(asked))


def put(row: tuple[Any, ...], i: int, value: Any) -> tuple[Any, ...]:
    return (*row[:i], value, *row[i + 1 :])


class LeakingView(Whispers):
    """The watcher's view counts who has picked: the stock is reported one short for each."""

    def view(self, s: State, seat: Seat | None) -> View:
        return replace(super().view(s, seat), stock=len(s.stock) - sum(p is not None for p in s.picks))


class LeakingLine(Whispers):
    """Everyone may read what a seat drew."""

    public = Whispers.public | {"drew"}


class LeakingPick(Whispers):
    """Everyone may read that a seat picked, though not what."""

    public = Whispers.public | {"picked"}

    def pick(self, s: State, seat: Seat, move: Pick, now: Ms, chance: Chance) -> Step:
        return super().pick(s, seat, move, now, chance)._replace(lines=(Line("picked", seat),))


class LeakingWords(Whispers):
    """A refusal says where the card lies."""

    def pick(self, s: State, seat: Seat, move: Pick, now: Ms, chance: Chance) -> Step:
        if move.card in s.stock:
            raise Illegal("NOT_YOURS", "That card is in the stock.")
        return super().pick(s, seat, move, now, chance)


class LeakingCode(Whispers):
    """A refusal has another code if someone else holds the card."""

    def pick(self, s: State, seat: Seat, move: Pick, now: Ms, chance: Chance) -> Step:
        if any(move.card in hand for i, hand in enumerate(s.hands) if i != seat):
            raise Illegal("THEIRS", "That card is not in your hand.")
        return super().pick(s, seat, move, now, chance)


class LeakingSeen(Whispers):
    """A secret pick moves everyone's feed number."""

    def pick(self, s: State, seat: Seat, move: Pick, now: Ms, chance: Chance) -> Step:
        return super().pick(s, seat, move, now, chance)._replace(notice=None)


class LeakingDue(Whispers):
    """The time that everyone may know of tells how many have picked."""

    def open_due(self, s: State) -> Due | None:
        due = super().open_due(s)
        return due and replace(due, at=Ms(due.at - sum(p is not None for p in s.picks)))


class LeakingKey(Whispers):
    """A decision's key counts the picks of all seats."""

    def deciding(self, s: State) -> tuple[Decision, ...]:
        return tuple(
            replace(d, key=f"{d.key}:{sum(s.asked)}") if d.kind == "pick" else d for d in super().deciding(s)
        )


class LeakingDecision(Whispers):
    """Everyone is told who has not picked yet."""

    def deciding(self, s: State) -> tuple[Decision, ...]:
        return tuple(replace(d, named=True) for d in super().deciding(s))


class LeakingHelps(Whispers):
    """The hint looks at the other hands."""

    def helps(self, s: State, seat: Seat) -> Helps:
        theirs = sum(POSITION[card[0]] for i, hand in enumerate(s.hands) if i != seat for card in hand)
        return Helps(s.hands[seat][theirs % HAND])


class LeakingLegal(Whispers):
    """What may be picked depends on the stock."""

    def legal(self, s: State, seat: Seat) -> list[Any]:
        return [m for m in super().legal(s, seat) if type(m) is not Pick or m.card[0] != s.stock[-1][0]]


class LeakingRepr(Whispers):
    """A state that shows its cards when printed."""

    def start(self, options: Options, seats: int, now: Ms, chance: Chance) -> Step:
        step = super().start(options, seats, now, chance)
        return step._replace(state=Loud(**{f: getattr(step.state, f) for f in State.__struct_fields__}))


class Loud(State, frozen=True, kw_only=True):
    __repr__ = Struct.__repr__


class WeakRedeal(Whispers):
    """Its redeal leaves all cards where they are, so that no leak could be found."""

    def redeal(self, s: State, seat: Seat | None, chance: Chance) -> State:
        return s


class MuteView(Whispers):
    """A view that says nothing of the pile."""

    def view(self, s: State, seat: Seat | None) -> View:
        return replace(super().view(s, seat), pile=())


class LosesCards(Whispers):
    """A card is lost whenever a round closes."""

    def tick(self, s: State, now: Ms, chance: Chance) -> Step:
        step = super().tick(s, now, chance)
        return step._replace(state=replace(step.state, pile=step.state.pile[:-1]))


class BadFallback(Whispers):
    """Its fallback picks again what has been picked."""

    def fallback(self, s: State, seat: Seat) -> Any:
        return Pick(s.picks[seat] or s.hands[seat][0]) if s.phase == "pick" else Ready()


class OffersTooMuch(Whispers):
    """It offers a move that it then refuses."""

    def legal(self, s: State, seat: Seat) -> list[Any]:
        return [*super().legal(s, seat), Pick(s.pile[-1])] if s.pile else super().legal(s, seat)


class OffersTooLittle(Whispers):
    """It accepts a move that it does not offer."""

    def legal(self, s: State, seat: Seat) -> list[Any]:
        moves = super().legal(s, seat)
        return moves[1:] if s.phase == "pick" and len(moves) > 2 else moves


class StuckKey(Whispers):
    """The key of a decision stays when its seat has picked."""

    def deciding(self, s: State) -> tuple[Decision, ...]:
        return tuple(replace(d, key=d.key.rsplit(":", 1)[0]) for d in super().deciding(s))


class ForgetsInPosition(Whispers):
    """Its position leaves out who has cheered."""

    def position(self, s: State) -> Position:
        return replace(super().position(s), cheered=(False,) * s.seats)


class NeverEnds(Whispers):
    """It deals for ever."""

    def score(self, s: State, lines: tuple[Line, ...]) -> Step:
        return Step(replace(s, phase="scored", closes=None), lines, hand_ended=True)


class Breaks(Whispers):
    """A bug: a card that nobody holds breaks it."""

    def pick(self, s: State, seat: Seat, move: Pick, now: Ms, chance: Chance) -> Step:
        s.hands[seat].index(move.card)
        return super().pick(s, seat, move, now, chance)


# Which check of the contract must catch which toy.
SPOILT: dict[type[Whispers], str] = {
    LeakingView: "secrets", LeakingLine: "secrets", LeakingPick: "secrets", LeakingWords: "secrets",
    LeakingCode: "secrets", LeakingSeen: "secrets", LeakingKey: "secrets", LeakingDecision: "secrets",
    LeakingHelps: "secrets", LeakingLegal: "secrets", LeakingDue: "secrets", WeakRedeal: "secrets",
    LeakingRepr: "reprs", MuteView: "views", LosesCards: "cards", BadFallback: "fallback", OffersTooMuch: "legal",
    OffersTooLittle: "legal", StuckKey: "decisions", ForgetsInPosition: "codecs", NeverEnds: "ends",
}  # fmt: skip
