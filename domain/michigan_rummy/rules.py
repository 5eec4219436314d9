"""Michigan Rummy as a game of the house (RULES.md)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import msgspec

from domain.game import Card, Chance, Decision, Game, Illegal, Line, Ms, Outcome, Seat, Step
from domain.michigan_rummy import moves
from domain.michigan_rummy.options import Options
from domain.michigan_rummy.plan import diggable, way
from domain.michigan_rummy.state import (
    Discard, Draw, Helps, Lay, Move, Position, Ready, State, Take, View,
)  # fmt: skip

_PLAY: dict[type[Any], tuple[str, Callable[[State, Seat, Any, Chance], Step]]] = {
    Draw: ("draw", moves.draw),
    Take: ("draw", moves.take),
    Lay: ("play", moves.lay),
    Discard: ("play", moves.discard),
}


class MichiganRummy(Game[Options, State, Move, View]):
    """Two to eight seats, each for itself: dig in an open pile, meld for points, first past the target."""

    name = "michigan_rummy"
    title = "Michigan Rummy"
    teaser = "Dig into an open discard pile, meld for points, and play on anyone's melds."
    seats = range(2, 9)
    Options = Options
    Move = Move
    View = View
    Helps = Helps
    Position = Position
    public = frozenset(
        {"dealt", "draw", "take", "meld", "discard", "reshuffle", "stalled", "hand", "ready", "over"}
    )

    def start(self, options: Options, seats: int, now: Ms, chance: Chance) -> Step:
        return moves.new_game(options, seats, chance)

    def play(self, s: State, seat: Seat, move: Move, now: Ms, chance: Chance) -> Step:
        if s.phase == "over":
            raise Illegal("OVER", "The game is over.")
        if type(move) is Ready:
            return moves.ready(s, seat, move, chance)
        if s.phase == "scored":
            raise Illegal("PHASE", "The hand is over: say that you are ready for the next.")
        if seat != s.turn:
            raise Illegal("TURN", "It is not your turn.")
        phase, rule = _PLAY[type(move)]
        if phase != s.phase:
            said = "Draw or take first." if s.phase == "draw" else "You have drawn: meld or discard."
            raise Illegal("PHASE", said)
        return rule(s, seat, move, chance)

    def deciding(self, s: State) -> tuple[Decision, ...]:
        if s.phase == "over":
            return ()
        if s.phase == "scored":
            key = f"r{s.deals}"
            return tuple(Decision(Seat(i), "ready", key) for i, ready in enumerate(s.ready) if not ready)
        return (Decision(s.turn, s.phase, f"{s.deals}:{s.moves}"),)
