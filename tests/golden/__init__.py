"""Games of the past, which every later build must replay to the same bytes, digest by digest.

`tests/golden/<game>/v<rules>/<name>.events` has a line `<digest> <event>` for each event of a table, hexadecimal digest
and canonical bytes as they were stored; the last event reveals the seed. `python -m tests.golden GAME` plays new ones
under the game's newest rules. It never writes over a file: once released, a record stays as it is, and a fix that would
replay it otherwise is a new version of the rules.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import msgspec

from domain import events
from domain.chance import Vault
from domain.registry import newest, version
from domain.table import Next, follow, open_table
from tests.house import AnyGame, House, bits, wander

FOLDER = Path(__file__).parent
TRIES = 12  # games tried for a short one
LONG = 20_000  # events after which a game is given up


class Differs(AssertionError):
    """A record is not replayed to the same bytes."""


class Plan(NamedTuple):
    """A table to play: who sits at it, who promises a cut, how it ends."""

    name: str
    seats: int
    options: Any
    people: tuple[int, ...]
    cuts: tuple[int, ...]
    stop: int | None = None  # events of play after which the host closes it
    end: str = "host"  # or instead: someone has resigned, or let the deadline pass


def files(game: AnyGame) -> list[Path]:
    """The records of a game under its version of the rules."""
    return sorted((FOLDER / game.name / f"v{game.rules}").glob("*.events"))


def replay(text: bytes) -> Iterator[Next]:
    """Every event of a record, followed. Raises Differs, Illegal or Diverged at the first that is not the same."""
    lines = [line.split(b" ", 1) for line in text.splitlines()]
    last = events.decode_strict(lines[-1][1])
    assert isinstance(last, events.Revealed)
    vault, step = Vault(bytes.fromhex(last.seed)), None
    for n, (digest, raw) in enumerate(lines, 1):
        event = events.decode_strict(raw)
        if step is not None:
            step = follow(step.table, event, vault)
        else:
            assert isinstance(event, events.Opened)
            step = open_table(event, version(event.game, event.rules), vault)
        if step.raw != raw or step.table.digest.hex().encode() != digest:
            raise Differs(f"event {n} is not replayed to the same bytes")
        yield step


def plans(game: AnyGame) -> list[Plan]:
    """Tables of every kind: people with cuts, bots, the most seats, each option's last choice, ends before the end."""
    few, most = game.seats[0], game.seats[-1]
    options, everyone = last_choices(game), tuple(range(few))
    ends = [
        Plan("resigned", most, game.Options(), tuple(range(most)), (0,), stop=400, end="resigned"),
        Plan("deadline", few, options, everyone, (), stop=150, end="deadline"),
    ]
    return [
        *(ends if "resign" in game.keyless else []),
        Plan("people", few, game.Options(), everyone, everyone),
        Plan("options", few, options, (0,), ()),
        Plan("bots", min(few + 1, most), options, (), ()),
        Plan("most_seats", most, game.Options(), tuple(range(0, most, 2)), (0,), stop=250),
        Plan("voided", few, game.Options(), everyone, everyone, stop=0),
    ]


def last_choices(game: AnyGame) -> Any:
    """Options of which each is the last choice that there is."""
    return game.Options(**{field.name: _last(field.type) for field in msgspec.structs.fields(game.Options)})


def _last(hint: Any) -> Any:
    """The last choice of an option that lists its choices, the greatest of a bounded number."""
    for bounds in get_args(hint)[1:] if get_origin(hint) is Annotated else ():
        if isinstance(bounds, msgspec.Meta) and bounds.le is not None:
            return bounds.le
    while get_origin(hint) is not None and not isinstance(get_args(hint)[0], int | str):
        hint = get_args(hint)[0]
    return get_args(hint)[-1]


def make(name: str) -> list[Path]:
    """Play what `plans` names and write what is not there yet. Returns the new files."""
    game = newest(name)
    folder = FOLDER / game.name / f"v{game.rules}"
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for plan in plans(game):
        path = folder / f"{plan.name}.events"
        if not path.exists():
            house = min((play(game, plan, i) for i in range(TRIES)), key=lambda house: len(house.steps))
            with path.open("xb") as file:
                file.writelines(step.table.digest.hex().encode() + b" " + step.raw + b"\n" for step in house.steps)
            made.append(path)
    return made


def play(game: AnyGame, plan: Plan, attempt: int) -> House:
    """One table as planned, from opened to revealed."""
    rng = random.Random(f"{game.name} {plan.name} {attempt}")
    house = House(game, plan.seats, plan.options, seed=bits("golden", game.name, plan.name, attempt))
    if plan.stop == 0:
        for seat in range(plan.seats):
            house.sit(seat, cut=seat in plan.cuts)
        house.close_seats()
        house.do(events.Cut, after=1_500, seat=plan.cuts[-1], cut=house.cut(plan.cuts[-1]).hex())
        house.do(events.Voided, after=20_000, seats=plan.cuts[:-1])
    else:
        house.start(plan.people, plan.cuts)
        wander(house, rng, plan.stop or LONG)
    if not house.table.ended and plan.end != "host":
        _give_up(house, plan)
    if not house.table.ended:
        house.do(events.Closed, after=5, how="host")
    house.reveal()
    return house


def _give_up(house: House, plan: Plan) -> None:
    """Everyone is back; then the last seat resigns, or nobody moves until the deadline has passed."""
    for seat, chair in enumerate(house.table.chairs):
        if chair and (chair.cover or chair.left):
            house.do(events.Returned, seat=seat)
    if plan.end == "resigned":
        house.move(plan.seats - 1, {"type": "resign"})
    else:
        due = house.table.due()
        assert due
        house.do(events.Ticked, after=max(0, due.at - house.table.now(house.at)))
