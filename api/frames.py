"""Finished tables event by event with all hands open: what a replay is drawn from.

A table is followed once, in a thread, and its events are kept ready to send in blocks: the first of a block with the
whole open table after it, each later one with what it changed.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from api.frame_words import told
from api.schemas import Replay
from domain import events
from domain.chance import Vault
from domain.game import Illegal
from domain.table import Next, Table
from projections.results import Result, result
from projections.views import LineView, TableView, line_view, name_at, table_view
from replay.tables import replayed

BLOCK = 250  # events in an answer
KEPT = 32 * 1024 * 1024  # bytes of answers that a process keeps
WAITING = 16  # tables that are being made or wait for it; who asks for more is told to come back

_MAKING = ThreadPoolExecutor(1, "replays")
_VIEWED = tuple(field for field in TableView.__struct_fields__ if field not in ("opened", "started", "checkpoint"))
_encode = msgspec.json.Encoder().encode


class ReplayEvent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event of a record. `at`: wall-clock ms since 1970. `by`: who made a move: person, bot or timer.

    `words`: the event in a sentence, where it makes no line of its own. `lines`: all that it told anybody. `labels`: of
    the streams of chance that it read. `table`: what it changed of the table as a watcher sees it and of `hands`, every
    seat's cards; of the game's `view` likewise only the fields that changed. The first event of an answer has all.
    """

    n: int
    type: str
    at: int
    seat: int | None = None
    by: str | None = None
    words: str = ""
    lines: tuple[LineView, ...] = ()
    labels: tuple[str, ...] = ()
    table: dict[str, Any] = {}


class Mark(Struct, frozen=True, kw_only=True):
    """Where a replay may be jumped to: the event that dealt a hand, or ended one. `totals`: after it, by seat."""

    n: int
    kind: Literal["deal", "end"]
    totals: tuple[int, ...] | None


class ReplayFrames(Struct, frozen=True, kw_only=True):
    """A finished table and some of its events: those from `first` on, as many as `block` or as are left.

    `marks`: of the whole table.
    """

    replay: Replay
    marks: tuple[Mark, ...]
    first: int
    block: int
    events: list[ReplayEvent]


class Frames(NamedTuple):
    """A whole table, ready to send. `whos`, `names`: of its people, whose names its words hold."""

    result: Result
    marks: tuple[Mark, ...]
    blocks: tuple[bytes, ...]
    names: Mapping[str, str]

    def block(self, n: int) -> tuple[int, bytes]:
        """The block that holds event n, or the nearest: number of its first event, and its events as JSON."""
        i = (min(max(n, 1), self.result.events) - 1) // BLOCK
        return i * BLOCK + 1, self.blocks[i]

    @property
    def size(self) -> int:
        return sum(map(len, self.blocks))


class Shelf:
    """The tables of one process that somebody has looked back on lately."""

    def __init__(self) -> None:
        self._kept = OrderedDict[str, Frames]()
        self._making: dict[str, asyncio.Future[Frames]] = {}

    def kept(self, table_id: str) -> Frames | None:
        """A table that is ready."""
        found = self._kept.get(table_id)
        if found is not None:
            self._kept.move_to_end(table_id)
        return found

    async def make(self, table_id: str, record: bytes, names: Mapping[str, str]) -> Frames:
        """A table from its record, as its people are called now. Raises Illegal("BUSY", …)."""
        making = self._making.get(table_id)
        if making is None:
            if len(self._making) >= WAITING:
                raise Illegal("BUSY", "Too many replays are asked for just now: try again.")
            work = asyncio.get_running_loop().run_in_executor(_MAKING, frames, record, names)
            making = self._making[table_id] = asyncio.ensure_future(work)
            making.add_done_callback(lambda done: self._made(table_id, done))
        return await asyncio.shield(making)

    def _made(self, table_id: str, done: "asyncio.Future[Frames]") -> None:
        self._making.pop(table_id, None)
        if done.cancelled() or done.exception() is not None:
            return
        self._kept[table_id] = done.result()
        self._kept.move_to_end(table_id)
        while len(self._kept) > 1 and sum(frames.size for frames in self._kept.values()) > KEPT:
            self._kept.popitem(last=False)


def raws(record: bytes) -> list[bytes]:
    """The events' bytes in a record that this house has written."""
    return [line[65:] for line in record.partition(b"\n\n")[0].split(b"\n")]


def people(record: bytes) -> list[str]:
    """The `who` of every person who has had a seat, and of the host."""
    found: dict[str, None] = {}
    for raw in raws(record):
        event = events.decode(raw)
        if isinstance(event, events.Opened) and event.host:
            found[event.host] = None
        elif isinstance(event, events.Sat) and event.kind == "human":
            found[event.who] = None
        elif isinstance(event, events.Started):
            break
    return list(found)


def frames(record: bytes, names: Mapping[str, str]) -> Frames:
    """Follow a record of this house to its end. `names`: of its people by their `who`."""
    stored = raws(record)
    last = events.decode(stored[-1])
    assert isinstance(last, events.Revealed)
    steps = list(replayed(stored, Vault(bytes.fromhex(last.seed))))
    seated = next((step.table for step in steps if isinstance(step.event, events.Started)), steps[-1].table)
    rows, marks = list[bytes](), list[Mark]()
    before: Table | None = None
    shown: dict[str, Any] = {}
    for n, step in enumerate(steps, 1):
        now = _open(step.table, names)
        whole = n % BLOCK == 1
        rows.append(_encode(_event(n, before, step, names, now if whole else _changes(shown, now), seated)))
        marks += _marks(n, step, now["view"])
        before, shown = step.table, now
    blocks = tuple(_array(rows[i : i + BLOCK]) for i in range(0, len(rows), BLOCK))
    return Frames(result(steps), tuple(marks), blocks, dict(names))


def _array(rows: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(rows) + b"]"


class _Unsigned:
    """A replay shows no notes but the one under its record."""

    def note(self, kind: str, table_id: str, digest: bytes) -> str:
        return ""


def _open(table: Table, names: Mapping[str, str]) -> dict[str, Any]:
    """The table as a watcher sees it, and all hands; its view as a dict of fields."""
    seen = table_view(table, None, _Unsigned(), names)
    shown = {field: getattr(seen, field) for field in _VIEWED}
    view, position = shown["view"], None
    if view is not None:
        shown["view"] = {field: getattr(view, field) for field in view.__struct_fields__}
        position = table.game.position(table.state)
    shown["hands"] = getattr(position, "hands", None)
    return shown


def _changes(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    found = {field: value for field, value in new.items() if value != old[field]}
    if "view" in found and old["view"] is not None and new["view"] is not None:
        found["view"] = {field: value for field, value in new["view"].items() if value != old["view"][field]}
    return found


def _event(
    n: int, before: Table | None, step: Next, names: Mapping[str, str], table: dict[str, Any], seated: Table
) -> ReplayEvent:
    event, game = step.event, step.table.game
    called = lambda seat: name_at(step.table, seat, names)  # noqa: E731
    return ReplayEvent(
        n=n, type=str(event.__struct_config__.tag), at=event.at, seat=getattr(event, "seat", None),
        by=getattr(event, "by", None),
        words=told(event, before, step.table, names, alone=not step.lines, seated=seated),
        lines=tuple(line_view(line, n, game.words(line, called)) for line in step.lines),
        labels=tuple(sorted(step.table.spent - (before.spent if before else frozenset()))), table=table,
    )  # fmt: skip


def _marks(n: int, step: Next, view: Mapping[str, Any] | None) -> Iterable[Mark]:
    totals = view.get("totals") if view else None
    if step.hand_ended:
        yield Mark(n=n, kind="end", totals=totals)
    if any(line.kind == "dealt" for line in step.lines):
        yield Mark(n=n, kind="deal", totals=totals)
