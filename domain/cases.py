"""Case files: a position, steps, and what must hold after each, for tests, puzzles and bug reports.

A case is TOML: `about`, `game`, perhaps `rules` (a version, else the newest), `options` and `[position]` (see
domain/positions.py), then one `[[step]]` a move:

- `seat`, `move`: who does what. `move = { type = "tick" }` without a seat lets time pass; a step without a
  move only looks.
- `at`: ms of table time, that of the step before if absent, 0 for the first.
- `by = "timer"`: the move must be the seat's fallback.
- `refused = CODE`: the rules refuse it and nothing changes. Without it the move must be accepted.
- `expect`, `null`: a part of the position after the step; fields of it that must be null.
- `view = { seat, expect, null }` or a list of such: what a seat sees, a watcher without `seat`. `helps`: the
  same of a seat's hints.
- `outcome`: a part of how the game ended.
- `lines`: lines of the log that the step makes, each in part, in this order.

Dicts are compared as parts, lists in full; hands as sets of cards; lists of melds in order of id, each meld
in part. After every step all cards must still be there, and every seat that is asked must have a fallback that
is accepted.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from domain.chance import Chance
from domain.game import Illegal, Ms, Seat, Step
from domain.positions import KEY, AnyGame, CaseError, known_only, pack, seats_of, set_up, spelled

HANDS = frozenset({"hand", "hands", "revealed"})  # fields whose lists of cards are compared as sets
DEAL = re.compile(r"deal:[0-9]+")  # the label under which a game shuffles a fresh pack


class Look(Struct, frozen=True, forbid_unknown_fields=True):
    """What one viewer must be shown; a watcher without `seat`."""

    seat: int | None = None
    expect: dict[str, Any] = {}
    null: list[str] = []


class Move(Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[step]]` of a case."""

    seat: int | None = None
    at: int | None = None
    move: dict[str, Any] | None = None
    by: Literal["person", "bot", "timer"] = "person"
    refused: str | None = None
    expect: dict[str, Any] = {}
    null: list[str] = []
    view: Look | list[Look] = []
    helps: Look | list[Look] = []
    outcome: dict[str, Any] | None = None
    lines: list[dict[str, Any]] = []


class Case(Struct, frozen=True, forbid_unknown_fields=True):
    """A case as it is written."""

    about: str
    game: str
    rules: int | None = None
    options: dict[str, Any] = {}
    position: dict[str, Any] = {}
    step: list[Move] = []


def parse(text: str) -> Case:
    """A case from its TOML. Raises CaseError, which names the key that is wrong."""
    try:
        case = msgspec.convert(tomllib.loads(text), Case)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as fault:
        raise CaseError(str(fault)) from None
    at = 0
    for i, step in enumerate(case.step, 1):
        if step.seat is None and step.move is not None and step.move != {"type": "tick"}:
            raise CaseError(f"step {i}: a move needs a seat")
        if step.at is not None and step.at < at:
            raise CaseError(f"step {i}: at: time does not go back")
        at = at if step.at is None else step.at
    return case


def game_of(case: Case, games: Mapping[str, Mapping[int, AnyGame]]) -> AnyGame:
    """The game of a case under the version of its rules. Raises CaseError."""
    versions = games.get(case.game)
    if not versions:
        raise CaseError(f"game: there is none called {case.game}; there are {', '.join(sorted(games))}")
    rules = max(versions) if case.rules is None else case.rules
    if rules not in versions:
        raise CaseError(f"rules: there is no version {rules} of {case.game}")
    return versions[rules]


def run(case: Case, games: Mapping[str, Mapping[int, AnyGame]]) -> list[str]:
    """What does not hold, in words. Stops after the first step that fails. Raises CaseError."""
    game = game_of(case, games)
    runner = _Runner(game, set_up(game, case.options, case.position))
    for i, step in enumerate(case.step, 1):
        _names(game, step, f"step {i}")
        _seated(step, seats_of(game, case.position), f"step {i}")
    for i, step in enumerate(case.step, 1):
        try:
            found = list(runner.step(step))
        except CaseError:
            raise
        except Exception as fault:  # a bug in the rules is what a case may be there to show
            found = [f"the rules broke: {type(fault).__name__}: {fault}"]
        if found:
            return [f"step {i}: {text}" for text in found]
    return []


def _names(game: AnyGame, step: Move, where: str) -> None:
    """Raise CaseError for a field that the position, a view or the helps of the game do not have."""
    known = {what: _field_names(what_type) for what, what_type in
             (("expect", game.Position), ("view", game.View), ("helps", game.Helps))}  # fmt: skip
    known_only(step.expect | dict.fromkeys(step.null), known["expect"], f"{where}: expect")
    for look in _looks(step.view):
        known_only(look.expect | dict.fromkeys(look.null), known["view"], f"{where}: view")
    for look in _looks(step.helps):
        if look.seat is None:
            raise CaseError(f"{where}: helps: only a seat is helped")
        known_only(look.expect | dict.fromkeys(look.null), known["helps"], f"{where}: helps")


def _seated(step: Move, seats: int, where: str) -> None:
    """Raise CaseError for a seat that the table does not have."""
    for seat in (step.seat, *(look.seat for look in _looks(step.view) + _looks(step.helps))):
        if seat is not None and not 0 <= seat < seats:
            raise CaseError(f"{where}: seat {seat}: the table has seats 0 to {seats - 1}")


def _field_names(struct: Any) -> dict[str, Any]:
    return dict.fromkeys(field.encode_name for field in msgspec.structs.fields(struct))


def _looks(looks: Look | list[Look]) -> list[Look]:
    return looks if isinstance(looks, list) else [looks]


class _Runner:
    """A state on its way through the steps of a case."""

    def __init__(self, game: AnyGame, state: Any) -> None:
        self.game, self.state = game, state
        self.now, self.spent = Ms(0), frozenset[str]()
        self.pack = pack(game, state)

    def step(self, step: Move) -> Iterator[str]:
        if step.at is not None:
            self.now = Ms(step.at)
        lines: list[Any] = []
        if step.move is not None:
            before = self.game.position(self.state)
            try:
                lines = msgspec.to_builtins(list(self._do(step).lines))
            except Illegal as no:
                if no.code != step.refused:
                    wanted = f"to be refused {step.refused}" if step.refused else "to be accepted"
                    yield f"refused {no.code} ({no.words}), expected {wanted}"
                    return
            else:
                if step.refused:
                    yield f"accepted, expected to be refused {step.refused}"
                    return
            if step.refused and self.game.position(self.state) != before:
                yield "the refusal changed the position"
        yield from self._sound()
        yield from self._holds(step, lines)

    def _do(self, step: Move) -> Step:
        """Play the step's move or let time pass. Raises Illegal, and then nothing has changed."""
        game, source = self.game, Chance(KEY, self.spent)
        if step.seat is None:
            due = game.due(self.state)
            if due is None or self.now < due.at:
                raise Illegal("NOT_DUE", "Nothing is due.")
            after = game.tick(self.state, self.now, source)
        else:
            move, seat = game.parse(spelled(game.Move, step.move, strict=False)), Seat(step.seat)
            if step.by == "timer" and move != game.fallback(self.state, seat):
                raise Illegal("NOT_FALLBACK", f"the fallback is {game.fallback(self.state, seat)}")
            after = game.play(self.state, seat, move, self.now, source)
        if any(DEAL.fullmatch(label) for label in source.spent - self.spent):
            self.pack = pack(game, after.state)
        self.state, self.spent = after.state, source.spent
        return after

    def _sound(self) -> Iterator[str]:
        """What holds at every table: all cards are there, and who is asked has a fallback."""
        cards = sorted(card for zone in self.game.zones(self.state).values() for card in zone)
        if cards != self.pack:
            odd = sorted(set(cards) ^ set(self.pack)) or sorted({c for c in cards if cards.count(c) > 1})
            yield f"cards were lost, made or doubled: {' '.join(odd)}"
        for decision in self.game.deciding(self.state):
            seat = decision.seat
            try:
                move = self.game.fallback(self.state, seat)
                self.game.play(self.state, seat, move, self.now, Chance(KEY, self.spent))
            except Illegal as no:
                yield f"the fallback of seat {seat} is refused: {no}"

    def _holds(self, step: Move, lines: list[Any]) -> Iterator[str]:
        yield from _part(step.expect, step.null, self.game.position(self.state), "")
        for look in _looks(step.view):
            seat = None if look.seat is None else Seat(look.seat)
            who = "watcher's view" if seat is None else f"view of seat {seat}"
            yield from _part(look.expect, look.null, self.game.view(self.state, seat), f"{who}: ")
        for look in _looks(step.helps):
            helps = self.game.helps(self.state, Seat(look.seat or 0))
            yield from _part(look.expect, look.null, helps, f"helps of seat {look.seat}: ")
        if step.outcome is not None:
            outcome = self.game.outcome(self.state)
            if outcome is None:
                yield "outcome: the game goes on"
            else:
                yield from differ(step.outcome, msgspec.to_builtins(outcome), "outcome")
        rest = iter(lines)
        for line in step.lines:
            if not any(not list(differ(line, made, "")) for made in rest):
                yield f"lines: none (or none in this order) like {line}; there were {lines}"


def _part(expect: Mapping[str, Any], null: list[str], actual: Struct, where: str) -> Iterator[str]:
    whole = msgspec.to_builtins(actual)
    for name, value in expect.items():
        yield from differ(value, whole.get(name), f"{where}{name}", name)
    for name in null:
        if whole.get(name) is not None:
            yield f"{where}{name}: expected null, got {show(whole[name])}"


def differ(expected: Any, actual: Any, where: str, name: str = "") -> Iterator[str]:
    """Where an actual builtin value departs from an expected one. `name`: of the field it stands in."""
    if isinstance(actual, list | tuple) and isinstance(expected, str):
        expected = expected.split()
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key, value in expected.items():
            path = f"{where}.{key}" if where else key
            if key not in actual:
                yield f"{path}: there is no such field"
            else:
                yield from differ(value, actual[key], path, key)
    elif isinstance(expected, list) and isinstance(actual, list | tuple):
        wanted, got = _ordered(expected), _ordered(list(actual))
        if all(isinstance(v, str) for v in actual):
            same = sorted(map(str, wanted)) == sorted(got) if name in HANDS else wanted == got
        else:
            same = len(wanted) == len(got)
            for i, (value, found) in enumerate(zip(wanted, got, strict=False) if same else ()):
                yield from differ(value, found, f"{where}[{i}]", name)
        if not same:
            yield f"{where}: expected {show(expected)}, got {show(actual)}"
    elif expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
        yield f"{where}: expected {show(expected)}, got {show(actual)}"


def _ordered(values: list[Any]) -> list[Any]:
    """Melds in order of id, other lists as they are."""
    if values and all(isinstance(v, dict) and isinstance(v.get("id"), int) for v in values):
        return sorted(values, key=lambda meld: meld["id"])
    return values


def show(value: Any) -> str:
    """A builtin value in short: cards as one string."""
    if isinstance(value, list | tuple) and value and all(isinstance(v, str) for v in value):
        return f'"{" ".join(value)}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(show(v) for v in value)}]"
    return "null" if value is None else repr(value)
