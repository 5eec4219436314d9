"""Thai Rummy as a game of the house (RULES.md)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain.cards import Card, Ms, Seat
from domain.game import Chance, Decision, Game, Illegal, Line, Offer, Outcome, Step
from domain.thai_rummy import moves, options, state
from domain.thai_rummy.offers import offers
from domain.thai_rummy.plan import cheapest
from domain.thai_rummy.position import place, position, redeal, zones
from domain.thai_rummy.state import Discard, Draw, Extend, Lay, Pass, Ready, State, Take
from domain.thai_rummy.view import helps, outcome, view
from domain.thai_rummy.ways import lays, spots, takes
from domain.thai_rummy.words import sentence

_RULES: dict[type[Any], tuple[str, Callable[[State, Seat, Any], Step]]] = {
    Draw: ("draw", moves.draw),
    Take: ("draw", moves.take),
    Pass: ("draw", moves.pass_),
    Lay: ("play", moves.lay),
    Extend: ("play", moves.extend),
    Discard: ("play", moves.discard),
}


class ThaiRummy(Game[options.Options, State, state.Move, state.View]):
    """Two to four seats, each for itself: take from the pile for new melds, lay in front of oneself, go out."""

    name = "thai_rummy"
    title = "Thai Rummy"
    teaser = "Take from the pile for new melds, extend anyone's for yourself, and mind what you throw."
    seats = range(2, 5)
    Options = options.Options
    Move = state.Move
    View = state.View
    Helps = state.Helps
    Position = state.Position
    public = frozenset(
        {
            "dealt", "draw", "take", "pass", "meld", "extend", "discard", "out", "passed_out", "hand", "ready", "over",
        }
    )  # fmt: skip

    def parse(self, raw: Mapping[str, Any]) -> state.Move:
        at = raw.get("at")
        if raw.get("type") == "take" and (type(at) is not int or at < 0):
            raise Illegal("BAD_INDEX", "Say from which card of the pile up you take.")
        return super().parse(raw)

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
        return rule(s, seat, move)

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
            return Draw() if s.stock else Pass()
        return Discard(cheapest(s.hands[seat], s.melds, s.options.gift_penalty == "on"))

    def legal(self, s: State, seat: Seat) -> list[state.Move]:
        if s.phase == "scored":
            return [] if s.ready[seat] else [Ready()]
        if s.phase == "over" or seat != s.turn:
            return []
        hand = s.hands[seat]
        if s.phase == "draw":
            taking = [Take(at, cards) for at in range(len(s.pile)) for cards in takes(hand, s.pile, at)]
            return [Draw() if s.stock else Pass(), *taking]
        found: list[state.Move] = [Lay(cards) for cards in lays(hand)]
        if len(hand) > 1:
            found += [Extend(card, *spot) for card in hand for spot in spots(card, s.melds)]
        return [*found, *map(Discard, hand)]

    def view(self, s: State, seat: Seat | None) -> state.View:
        return view(s, seat)

    def offers(self, s: State, seat: Seat, picked: Sequence[Card]) -> tuple[Offer, ...]:
        return offers(s, seat, picked, self.play)

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
