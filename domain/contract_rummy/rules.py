"""Contract Rummy as a game of the house (RULES.md)."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from domain.cards import Card, Ms, Seat
from domain.contract_rummy import moves, offers, options, shown, state, view, window
from domain.contract_rummy.legal import legal
from domain.contract_rummy.parse import keep_of, parse
from domain.contract_rummy.position import place, position, redeal, zones
from domain.contract_rummy.state import (
    Buy,
    BuyPref,
    Decline,
    Discard,
    Draw,
    GoDown,
    GoOut,
    LayOff,
    Pass,
    PassFor,
    Ready,
    State,
    Swap,
    Take,
)  # fmt: skip
from domain.contract_rummy.words import PUBLIC, sentence
from domain.game import Chance, Decision, Due, Game, Illegal, Line, Offer, Outcome, Step

_BUYING: dict[type[Any], Callable[[State, Seat, Any], Step]] = {
    Buy: window.buy, Pass: window.pass_, PassFor: window.pass_for,
}  # fmt: skip
_DRAWING: dict[type[Any], Callable[[State, Seat, Any, Chance], Step]] = {
    Take: moves.take, Draw: moves.draw, Decline: window.decline,
}  # fmt: skip
_PLAYING: dict[type[Any], Callable[[State, Seat, Any], Step]] = {
    GoDown: moves.go_down, LayOff: moves.lay_off, Swap: moves.swap, GoOut: moves.go_out,
}  # fmt: skip
_BUYING_KEY = re.compile("w([0-9]{1,9})")


class ContractRummy(Game[options.Options, State, state.Move, shown.View]):
    """Three to eight seats, seven contracts: buy while the clock runs, go down, get rid of your cards."""

    name = "contract_rummy"
    title = "Contract Rummy"
    teaser = "Seven hands, seven contracts: buy the card you need before the clock runs out."
    seats = range(3, 9)
    Options = options.Options
    Move = state.Move
    View = shown.View
    Helps = shown.Helps
    Arranged = shown.Arranged
    Position = state.Position
    public = PUBLIC
    keyless = frozenset({"buy_pref", "pass_for", "buy", "take"})  # may be made when nothing is asked of the seat

    def parse(self, raw: Mapping[str, Any]) -> state.Move:
        return parse(raw)

    def start(self, options: options.Options, seats: int, now: Ms, chance: Chance) -> Step:
        return moves.new_game(options, seats, now, chance)

    def play(self, s: State, seat: Seat, move: state.Move, now: Ms, chance: Chance) -> Step:
        kind = type(move)
        if s.phase == "over":
            raise Illegal("OVER", "The game is over.")
        if isinstance(move, BuyPref):
            return window.prefer(s, seat, move, now, chance)
        if isinstance(move, Ready):
            return moves.ready(s, seat, move, now, chance)
        if s.phase == "scored":
            raise Illegal("PHASE", "The hand is over: say that you are ready for the next.")
        if kind in _BUYING:
            return _BUYING[kind](s, seat, move)
        if seat != s.turn:
            raise Illegal("TURN", "It is not your turn.")
        if (kind in _DRAWING) != (s.phase == "draw"):
            first = s.phase == "draw"
            raise Illegal("PHASE", "Draw or take first." if first else "You have your card: lay cards or discard.")
        if isinstance(move, Discard):
            return moves.discard(s, seat, move, now, chance)
        return _DRAWING[kind](s, seat, move, chance) if kind in _DRAWING else _PLAYING[kind](s, seat, move)

    def due(self, s: State) -> Due | None:
        return window.due(s)

    def open_due(self, s: State) -> Due | None:
        """A pass that comes by itself is its seat's secret, and so is when it comes."""
        return window.open_due(s)

    def dated(self, view: shown.View, due: int | None, granted: int) -> shown.View:
        if view.window is None or view.window.closes is None:
            return view
        return replace(view, window=replace(view.window, closes=Ms(view.window.closes + granted)))

    def tick(self, s: State, now: Ms, chance: Chance) -> Step:
        return window.tick(s)

    def left(self, s: State, seat: Seat, now: Ms, chance: Chance) -> Step:
        """The seat's person has left: it passes by itself while nobody plays it."""
        return Step(window.attend(s, seat, True, now, chance))

    def covered(self, s: State, seat: Seat, now: Ms, chance: Chance) -> Step:
        """A bot plays the seat."""
        return Step(window.attend(s, seat, False, now, chance))

    def returned(self, s: State, seat: Seat) -> Step:
        return Step(window.sit_in(s, seat))

    def deciding(self, s: State) -> tuple[Decision, ...]:
        if s.phase == "over":
            return ()
        if s.phase == "scored":
            return tuple(Decision(Seat(i), "ready", f"r{s.deals}") for i, ready in enumerate(s.ready) if not ready)
        if s.phase == "play":
            return (Decision(s.turn, "play", f"p{s.turns}:{s.moves}"),)
        w = s.window
        if w is None or w.shut:
            return (Decision(s.turn, "draw", f"d{s.turns}"),)
        untimed = w.closes is None
        asked = [
            Decision(seat, "buy", f"w{w.id}", waits=untimed, named=seat in w.slow) for seat in window.undecided(s)
        ]
        if not w.declined:
            lapsed = f":{w.lapses}" if w.lapses else ""
            asked.append(Decision(s.turn, "draw", f"d{s.turns}w{lapsed}", waits=False))
        return tuple(sorted(asked, key=lambda d: d.seat))

    def slow(self, s: State) -> tuple[Seat, ...]:
        """Those named on the first upcard, as long as they say nothing."""
        return () if s.window is None else s.window.slow

    def late(self, s: State, move: Mapping[str, Any], key: str) -> Illegal:
        """A claim or a pass that answers a buying which has closed is told so."""
        id = _BUYING_KEY.fullmatch(key)
        if move.get("type") in ("buy", "pass") and id and window.shut(s, int(id[1])):
            return window.too_late()
        return super().late(s, move, key)

    def fallback(self, s: State, seat: Seat) -> state.Move:
        if s.phase == "scored":
            return Ready()
        if s.phase == "play":
            hand = s.hands[seat]
            return Discard(next((card for card in hand if card[0] != "*"), hand[0]))
        if seat != s.turn:
            return Pass()
        return Draw() if s.window is None or s.window.shut else Decline()

    def legal(self, s: State, seat: Seat) -> list[state.Move]:
        return legal(s, seat)

    def view(self, s: State, seat: Seat | None) -> shown.View:
        return view.view(s, seat)

    def offers(self, s: State, seat: Seat, picked: Sequence[Card]) -> tuple[Offer, ...]:
        return offers.offers(s, seat, picked, self.play)

    def helps(self, s: State, seat: Seat) -> shown.Helps:
        return view.helps(s, seat)

    def arrange(self, s: State, seat: Seat, keep: Any = ()) -> shown.Arranged | None:
        """A careful way to go down or out with the melds in `keep` (builtins) already built, or None.

        Raises Illegal("BAD", …) if `keep` is malformed.
        """
        return view.arrange(s, seat, keep_of(keep))

    def outcome(self, s: State) -> Outcome | None:
        return view.outcome(s)

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
