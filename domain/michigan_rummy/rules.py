"""Michigan Rummy as a game of the house (RULES.md)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain.cards import Card, Ms, Seat
from domain.game import Chance, Decision, Game, Illegal, Line, Outcome, Step
from domain.michigan_rummy import moves, options, state
from domain.michigan_rummy.legal import compound, legal
from domain.michigan_rummy.offers import offers
from domain.michigan_rummy.parse import parse
from domain.michigan_rummy.position import place, position, redeal, zones
from domain.michigan_rummy.state import Discard, Draw, Lay, Ready, State, Take
from domain.michigan_rummy.view import helps, outcome, view
from domain.michigan_rummy.words import sentence
from domain.offers import Offer

_RULES: dict[type[Any], tuple[str, Callable[[State, Seat, Any, Chance], Step]]] = {
    Draw: ("draw", moves.draw),
    Take: ("draw", moves.take),
    Lay: ("play", moves.lay),
    Discard: ("play", moves.discard),
}


class MichiganRummy(Game[options.Options, State, state.Move, state.View]):
    """Two to eight seats, each for itself: dig in an open pile, meld for points, first past the target."""

    name = "michigan_rummy"
    title = "Michigan Rummy"
    teaser = "Dig in an open discard pile, meld for points, and play on anyone's melds."
    seats = range(2, 9)
    Options = options.Options
    Move = state.Move
    View = state.View
    Helps = state.Helps
    Position = state.Position
    public = frozenset(
        {"dealt", "draw", "take", "meld", "discard", "reshuffle", "stalled", "hand", "ready", "over"}
    )

    def parse(self, raw: Mapping[str, Any]) -> state.Move:
        return parse(raw)

    def start(self, options: options.Options, seats: int, now: Ms, chance: Chance) -> Step:
        return moves.new_game(options, seats, chance)

    def play(self, s: State, seat: Seat, move: state.Move, now: Ms, chance: Chance) -> Step:
        if s.phase == "over":
            raise Illegal("OVER", "The game is over.")
        if type(move) is Ready:
            return moves.ready(s, seat, move, chance)
        if s.phase == "scored":
            raise Illegal("PHASE", "The hand is over: say that you are ready for the next.")
        if seat != s.turn:
            raise Illegal("TURN", "It is not your turn.")
        phase, rule = _RULES[type(move)]
        if phase != s.phase:
            first = s.phase == "draw"
            raise Illegal("PHASE", "Draw or take first." if first else "You have your card: meld or discard.")
        return rule(s, seat, move, chance)

    def deciding(self, s: State) -> tuple[Decision, ...]:
        if s.phase == "over":
            return ()
        if s.phase == "scored":
            key = f"r{s.deals}"
            return tuple(Decision(Seat(i), "ready", key) for i, ready in enumerate(s.ready) if not ready)
        return (Decision(s.turn, s.phase, f"{s.deals}:{s.moves}"),)

    def fallback(self, s: State, seat: Seat) -> state.Move:
        if s.phase == "scored":
            return Ready()
        if s.phase == "draw":
            return Draw() if s.stock or len(s.pile) > 1 else Take(len(s.pile) - 1)
        return compound(s, seat) if s.must is not None else Discard(s.hands[seat][0])

    def legal(self, s: State, seat: Seat) -> list[state.Move]:
        return legal(s, seat)

    def view(self, s: State, seat: Seat | None) -> state.View:
        return view(s, seat)

    def offers(self, s: State, seat: Seat, picked: Sequence[Card]) -> tuple[Offer, ...]:
        return offers(s, seat, picked)

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
