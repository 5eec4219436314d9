"""Rummy as a game of the house (RULES.md)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from domain import canon
from domain.cards import Card, Ms, Seat
from domain.game import Chance, Decision, Due, Game, Illegal, Line, Offer, Outcome, Step
from domain.rummy import moves, options, state
from domain.rummy.offers import offers
from domain.rummy.position import place, position, redeal, zones
from domain.rummy.state import Discard, Draw, EndHand, LayOff, NewMeld, Resign, State, Take
from domain.rummy.view import helps, legal, outcome, view
from domain.rummy.words import sentence

_RULES: dict[type[Any], tuple[str, Callable[[State, Seat, Any, Ms, Chance], Step]]] = {
    Draw: ("draw", moves.draw),
    Take: ("draw", moves.take),
    EndHand: ("draw", moves.block),
    NewMeld: ("play", moves.meld),
    LayOff: ("play", moves.lay_off),
    Discard: ("play", moves.discard),
}
_ONE = ("card", "meld")  # fields of a lay-off of one card that is sent without a list
_SAY = 120  # characters of a fault that are told
_convert = canon.converter(state.Move)


class Rummy(Game[options.Options, State, state.Move, state.View]):
    """Two to four seats, each for itself: lay sets and runs, be out first, come to a hundred."""

    name = "rummy"
    title = "Rummy"
    teaser = "Lay sets and runs, be the first without cards, and take your time: a turn may last a week."
    seats = range(2, 5)
    Options = options.Options
    Move = state.Move
    View = state.View
    Helps = state.Helps
    Position = state.Position
    public = frozenset(
        {"dealt", "draw", "take", "meld", "lay_off", "discard", "reshuffle", "stalled", "end_hand", "hand", "resigned",
         "deadline", "over"}
    )  # fmt: skip
    keyless = frozenset({"resign"})

    def bots_at(self, seats: int) -> bool:
        return seats > 2

    def parse(self, raw: Mapping[str, Any]) -> state.Move:
        """A move from its builtin form. A lay-off of one card may be sent without a list."""
        if raw.get("type") == "lay_off" and "plays" not in raw:
            one = {name: raw[name] for name in _ONE if name in raw}
            raw = {name: value for name, value in raw.items() if name not in _ONE} | {"plays": [one]}
        try:
            return _convert(raw)  # type: ignore[no-any-return]
        except msgspec.ValidationError as fault:
            said = "".join(c for c in str(fault)[:_SAY] if c.isprintable())
            raise Illegal("BAD", f"That is no move of this game: {said}.") from None

    def start(self, options: options.Options, seats: int, now: Ms, chance: Chance) -> Step:
        return moves.new_game(options, seats, now, chance)

    def play(self, s: State, seat: Seat, move: state.Move, now: Ms, chance: Chance) -> Step:
        if s.phase == "over":
            raise Illegal("OVER", "The game is over.")
        if type(move) is Resign:
            return self.forfeit(s, seat, "resigned")
        if seat != s.turn:
            raise Illegal("TURN", "It is not your turn.")
        phase, rule = _RULES[type(move)]
        if phase != s.phase:
            first = s.phase == "draw"
            raise Illegal("PHASE", "Draw or take first." if first else "You have your card: meld, lay off or discard.")
        return rule(s, seat, move, now, chance)

    def tick(self, s: State, now: Ms, chance: Chance) -> Step:
        return self.forfeit(s, s.turn, "deadline")

    def forfeit(self, s: State, seat: Seat, how: Literal["resigned", "deadline"]) -> Step:
        if s.phase == "over":
            raise Illegal("OVER", "The game is over.")
        return moves.finish(s, seat, how)

    def due(self, s: State) -> Due | None:
        return None if s.due is None else Due(f"turn:{s.deals}:{s.turns}", s.due, s.turn)

    def deciding(self, s: State) -> tuple[Decision, ...]:
        return () if s.phase == "over" else (Decision(s.turn, s.phase, f"{s.deals}:{s.moves}"),)

    def fallback(self, s: State, seat: Seat) -> state.Move:
        if s.phase == "draw":
            return EndHand() if moves.dry(s) else Draw()
        hand = s.hands[seat]
        return Discard(next((card for card in hand if card != s.taken), hand[0]))

    def legal(self, s: State, seat: Seat) -> list[state.Move]:
        return legal(s, seat)

    def view(self, s: State, seat: Seat | None) -> state.View:
        return view(s, seat)

    def offers(self, s: State, seat: Seat, picked: Sequence[Card]) -> tuple[Offer, ...]:
        return offers(s, seat, picked, self.play)

    def dated(self, view: state.View, due: int | None, granted: int) -> state.View:
        return replace(view, due=due)

    def helps(self, s: State, seat: Seat) -> state.Helps:
        return helps(s, seat)

    def outcome(self, s: State) -> Outcome | None:
        return outcome(s)

    def position(self, s: State) -> state.Position:
        return position(s)

    def place(self, options: options.Options, position: state.Position) -> State:
        return place(options, position)

    def zones(self, s: State) -> dict[str, tuple[Card, ...]]:
        return zones(s)

    def redeal(self, s: State, seat: Seat | None, chance: Chance) -> State:
        return redeal(s, seat, chance)

    def words(self, line: Line, name: Callable[[Seat], str]) -> str:
        return sentence(line, name)
