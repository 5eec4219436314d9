"""Random games without a table around them, moment by moment, and commands that no player would think of."""

import random
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, get_args

import msgspec
from msgspec import inspect

from domain.cards import Card, Ms, Seat
from domain.chance import Chance
from domain.game import Game, Illegal, Step
from tests.house import RESIGN, bits, pick_move, playable

AnyGame = Game[Any, Any, Any, Any]
CARD = re.compile(r"(?<![A-Za-z0-9])(?:[A2-9TJQK][SHDC][1-9]|\*[1-9][0-9]?)(?![A-Za-z0-9])")


class Moment(NamedTuple):
    """A state and the step that led to it. `seat` is None for the start and for a tick."""

    game: AnyGame
    options: Any
    seats: int
    before: Any
    seat: Seat | None
    move: Any
    step: Step
    now: Ms
    key: bytes
    spent_before: frozenset[str]
    spent: frozenset[str]
    hands: int  # that have ended so far
    known: tuple[Any, ...]  # some moves that were legal earlier, for whomever

    @property
    def state(self) -> Any:
        return self.step.state

    @property
    def phase(self) -> str:
        return str(getattr(self.game.position(self.state), "phase", ""))

    @property
    def dealt(self) -> bool:
        """Whether a fresh pack was dealt in this step."""
        return any(re.fullmatch("deal:[0-9]+", label) for label in self.spent - self.spent_before)

    def try_move(self, seat: Seat, move: Any, state: Any = None) -> Step:
        """What a move leads to here (or in another state). Raises Illegal."""
        s = self.state if state is None else state
        return self.game.play(s, seat, move, self.now, Chance(self.key, self.spent))

    def asked(self) -> list[Seat]:
        return [d.seat for d in self.game.deciding(self.state)]


def walk(game: AnyGame, seats: int, options: Any, seed: int, limit: int = 200_000) -> Iterator[Moment]:
    """A whole random game, late moves and late ticks included. Stops after `limit` moves even if it is not over."""
    rng, key = random.Random(seed), bits("walk", seed)
    source, now = Chance(key), Ms(0)
    before, seat, move, hands = None, None, None, 0
    known: list[Any] = []
    step = game.start(options, seats, now, source)
    spent_before: frozenset[str] = frozenset()
    for _ in range(limit):
        hands += step.hand_ended
        yield Moment(game, options, seats, before, seat, move, step, now, key, spent_before, source.spent, hands,
                     tuple(known))  # fmt: skip
        before, spent_before = step.state, source.spent
        source = Chance(key, spent_before)
        if game.outcome(before) is not None:
            return
        due, asks = game.due(before), game.deciding(before)
        if due and (not asks or rng.random() < (0.2 if due.seat is None else RESIGN)):
            now, seat, move = Ms(max(now, due.at) + rng.choice([0, 0, 1, 5_000])), None, None
            step = game.tick(before, now, source)
            continue
        now = Ms(now + rng.randrange(3_000))
        seat = rng.choice(asks).seat if rng.random() < 0.9 else Seat(rng.randrange(seats))
        moves = playable(rng, game.legal(before, seat))
        if not moves:
            seat = rng.choice(asks).seat
            moves = playable(rng, game.legal(before, seat))
        assert moves, f"seat {seat} is asked and has no moves"
        move = pick_move(rng, moves)
        known = [*known, move][-40:]
        step = game.play(before, seat, move, now, source)


def moments(
    game: AnyGame, seats: int, options: Any, seed: int, each: int = 10, share: float = 0.03
) -> Iterator[Moment]:
    """Some moments of random games: the first few of every phase in each of the first three hands, and a share.

    One game is enough if it comes to every phase and to a third hand; others are played until one has.
    """
    rng, met, lasts = random.Random(seed), dict[tuple[str, int], int](), list[Any]()
    for attempt in range(5):
        for moment in walk(game, seats, options, seed + 1_000 * attempt):
            last = moment.state
            place = (moment.phase, min(moment.hands, 2))
            met[place] = met.get(place, 0) + 1
            if met[place] <= each or rng.random() < share:
                yield moment
        lasts.append(last)
        missing = phases(game) - {phase for phase, _ in met}
        short = all(game.outcome(state) is not None for state in lasts)  # a game of one hand or two has no third
        if not missing and (short or any(hands == 2 for _, hands in met)):
            return
    assert not missing, f"random games never come to the phases {sorted(missing)} that the position can name"
    raise AssertionError("random games neither end nor come to a third hand (is `hand_ended` set as a hand ends?)")


def phases(game: AnyGame) -> set[str]:
    """All phases that the game's position can name."""
    hints = {field.name: field.type for field in msgspec.structs.fields(game.Position)}
    return set(get_args(hints["phase"])) if "phase" in hints else set()


def parts(move: Any) -> int:
    """How many parts a move has: the structs in its lists, one for a move without lists."""
    raw = msgspec.to_builtins(move)
    return max(1, sum(isinstance(v, dict) for value in raw.values() if isinstance(value, list | tuple) for v in value))


def commands(moment: Moment, seat: Seat, rng: random.Random, count: int) -> Iterator[dict[str, Any]]:
    """One-part commands near those that are legal: other cards (anyone's), other places, other numbers."""
    game, s = moment.game, moment.state
    near = [*game.legal(s, seat), *moment.known]
    near = [move for move in near if parts(move) == 1]
    pack = [card for cards in game.zones(s).values() for card in cards]
    mine = list(getattr(game.position(s), "hands", ((),) * moment.seats)[seat]) or pack
    for _ in range(count if near else 0):
        raw = msgspec.json.decode(msgspec.json.encode(pick_move(rng, near)))
        added = rng.random() < 0.5 and _add(raw, rng, optional(game))
        for _ in range(rng.choice([0, 0, 0, 1] if added else [0, 1, 1, 2])):
            _vary(raw, rng, mine if rng.random() < 0.6 else pack)
        yield raw


Optional = list[tuple[set[str], dict[str, list[Any]]]]


@cache
def optional(game: AnyGame) -> Optional:
    """For each struct that moves are made of: its fields, and some values of those that may be left out."""
    found: Optional = []

    def visit(kind: Any) -> None:
        if isinstance(kind, inspect.StructType):
            values = {field.encode_name: list(_values(field.type)) for field in kind.fields if not field.required}
            found.append(({field.encode_name for field in kind.fields}, values))
            for field in kind.fields:
                visit(field.type)
        for part in getattr(kind, "types", (getattr(kind, "item_type", None),)):
            if part is not None:
                visit(part)

    visit(inspect.type_info(game.Move))
    return found


def _values(kind: Any) -> Iterator[Any]:
    for part in getattr(kind, "types", (kind,)):
        if isinstance(part, inspect.LiteralType):
            yield from part.values
        elif isinstance(part, inspect.IntType):
            yield from (0, 1, 2)


def _add(raw: dict[str, Any], rng: random.Random, structs: Optional) -> bool:
    """Give one part of a move a field that it may have; whether there is one."""
    boxes = [part for value in raw.values() if isinstance(value, list) for part in value if isinstance(part, dict)]
    box = rng.choice(boxes or [raw])
    for names, values in structs:
        if names >= set(box) - {"type"} and any(values.values()):
            name = rng.choice([name for name, some in values.items() if some])
            box[name] = rng.choice(values[name])
            return True
    return False


def _vary(raw: Any, rng: random.Random, cards: list[Card]) -> None:
    """Change one thing somewhere in a builtin move."""
    places = [(box, key) for box, key in _leaves(raw) if key != "type"]
    if not places:
        return
    box, key = rng.choice(places)
    value = box[key]
    if isinstance(value, list):
        if value and rng.random() < 0.5:
            value.pop(rng.randrange(len(value)))
        else:
            value.insert(rng.randrange(len(value) + 1), rng.choice(cards))
    elif isinstance(value, int):
        box[key] = rng.choice([value - 1, value + 1, 0, 1, rng.randrange(12), -1, 10**6])
    elif CARD.fullmatch(value):
        box[key] = rng.choice(cards)
    elif value in ("low", "high"):
        box[key] = rng.choice(["low", "high"])
        if isinstance(box, dict) and rng.random() < 0.3:
            del box[key]
    else:
        box[key] = rng.choice(["n0", "n1", "set", "run", value])


def _leaves(raw: Any) -> Iterator[tuple[Any, Any]]:
    items = raw.items() if isinstance(raw, dict) else enumerate(raw)
    for key, value in list(items):
        if isinstance(value, dict):
            yield from _leaves(value)
        elif isinstance(value, list):
            if all(isinstance(v, str) for v in value):
                yield raw, key
            yield from _leaves(value)
        elif isinstance(value, int | str):
            yield raw, key


def answer(moment: Moment, seat: Seat, raw: dict[str, Any], state: Any = None) -> tuple[str, str] | Step:
    """What a command comes to: a refusal's code and words, or the step. Anything else that is raised is a bug."""
    try:
        return moment.try_move(seat, moment.game.parse(raw), state)
    except Illegal as no:
        return no.code, no.words
