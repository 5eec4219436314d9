"""A toy game that lives by its clock: rounds end when time is up, and in between a seat may note something in secret.

A note answers the seat's question and shows to nobody else. With `asks` off nobody is asked anything.
"""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.cards import Card, Ms, Seat
from domain.chance import Chance
from domain.game import Decision, Due, Game, Hidden, Illegal, Line, Outcome, Step


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    ms: Annotated[int, Meta(ge=1, le=10_000_000)] = 1000
    rounds: Annotated[int, Meta(ge=1, le=100)] = 1
    asks: Literal["on", "off"] = "off"
    bot_pace: Literal["brisk", "relaxed"] = "brisk"


class Note(Struct, frozen=True, forbid_unknown_fields=True, tag="note", tag_field="type"):
    text: str = "nothing"


Move: TypeAlias = Note


class Position(Hidden, frozen=True, kw_only=True):
    seats: int
    round: int
    closes: Ms | None
    notes: tuple[tuple[str, ...], ...]
    card: Card


class State(Position, frozen=True, kw_only=True):
    options: Options


class View(Hidden, frozen=True, kw_only=True):
    round: int
    notes: tuple[str, ...]


class Helps(Hidden, frozen=True):
    pass


class Ticking(Game[Options, State, Any, View]):
    name, title, teaser = "ticking", "Ticking", "Wait for it."
    seats = range(1, 9)
    Options, Move, View, Helps, Position = Options, Move, View, Helps, Position
    public = frozenset({"dealt", "round"})

    def start(self, options: Options, seats: int, now: Ms, chance: Chance) -> Step:
        card = Card(chance.stream("deal:1").shuffle(["AS1", "2S1"])[0])
        closes = Ms(now + options.ms)
        state = State(options=options, seats=seats, round=1, closes=closes, notes=((),) * seats, card=card)
        return Step(state, (Line("dealt"),))

    def play(self, s: State, seat: Seat, move: Any, now: Ms, chance: Chance) -> Step:
        if s.closes is None:
            raise Illegal("OVER", "The time is up.")
        notes = (*s.notes[:seat], (*s.notes[seat], move.text), *s.notes[seat + 1 :])
        return Step(replace(s, notes=notes), (Line("noted", seat, {"text": move.text}),), notice=(seat,))

    def tick(self, s: State, now: Ms, chance: Chance) -> Step:
        over = s.round == s.options.rounds
        closes = None if over else Ms(now + s.options.ms)
        after = replace(s, round=s.round + 1, closes=closes)
        return Step(after, (Line("round", None, {"round": s.round}),))

    def due(self, s: State) -> Due | None:
        return None if s.closes is None else Due(f"round:{s.round}", s.closes)

    def deciding(self, s: State) -> tuple[Decision, ...]:
        if s.closes is None or s.options.asks == "off":
            return ()
        open_seats = (i for i in range(s.seats) if len(s.notes[i]) < s.round)
        return tuple(Decision(Seat(i), "note", f"note:{len(s.notes[i])}", named=False) for i in open_seats)

    def fallback(self, s: State, seat: Seat) -> Note:
        return Note()

    def legal(self, s: State, seat: Seat) -> list[Note]:
        return [Note(f"{seat}.{i}") for i in range(300)]

    def view(self, s: State, seat: Seat | None) -> View:
        return View(round=s.round, notes=() if seat is None else s.notes[seat])

    def outcome(self, s: State) -> Outcome | None:
        return None if s.closes is not None else Outcome((1,) * s.seats, (0,) * s.seats)

    def position(self, s: State) -> Position:
        return Position(**{name: getattr(s, name) for name in Position.__struct_fields__})

    def place(self, options: Options, position: Position) -> State:
        return State(options=options, **{name: getattr(position, name) for name in Position.__struct_fields__})

    def zones(self, s: State) -> dict[str, tuple[Card, ...]]:
        return {"stock": (s.card,)}

    def redeal(self, s: State, seat: Seat | None, chance: Chance) -> State:
        return s
