"""Results: every table that has ended, how, and its signed record. Voided tables and those closed early are
among them.

Built from the table's whole stream, replayed with the seed that its last event reveals. At a table with a
watch delay nothing of it is there before the delay is over.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct
from psycopg import AsyncConnection, Cursor

from domain import events
from domain.chance import Vault
from domain.table import Chair, Next, Table
from projections.run import Seen
from replay import record
from replay.log import Log
from replay.notes import Signer
from replay.tables import replayed

LAST = 2**62  # later than any table ends
PAGE = 100  # results that are listed at once at most

DDL = """
CREATE TABLE finished (
    id text PRIMARY KEY,
    game text NOT NULL,
    ended_at bigint NOT NULL,    -- wall clock, ms since 1970
    shown_from bigint NOT NULL,  -- nobody but its players is told before then
    result jsonb NOT NULL,
    record bytea NOT NULL
);
CREATE INDEX finished_newest ON finished (ended_at DESC, id DESC);
CREATE INDEX finished_newest_of_game ON finished (game, ended_at DESC, id DESC);
-- Records that have not been put on the bus yet.
CREATE TABLE unpublished (
    id text PRIMARY KEY,
    game text NOT NULL,
    shown_from bigint NOT NULL
);
CREATE INDEX unpublished_next ON unpublished (shown_from);
"""


class Sitter(Struct, frozen=True, kw_only=True):
    """Who held a seat at the end. `level`: of a bot. `cut`: whether its cut is in the chance; audits name who
    has none.

    `covered`: whether a bot played the seat at any point, for a person; `left`: whether its person had left.
    """

    kind: Literal["human", "bot"]
    who: str
    level: events.Level | None
    cut: bool
    covered: bool
    left: bool


class Result(Struct, frozen=True, kw_only=True):
    """How a table ended. `how`: played, resigned, deadline, voided, or what it was closed for: host, agreed,
    idle, …

    `places` (1 is best, ties share), `totals` and `sides` by seat; null if the game was not finished. `host`:
    the `who` of the person who opened it. `events`: in its record. `started_at`: when the seats were closed,
    null if they never were. Times are wall-clock ms since 1970.
    """

    id: str
    game: str
    rules: int
    options: dict[str, Any]
    how: str
    places: tuple[int, ...] | None
    totals: tuple[int, ...] | None
    sides: tuple[int, ...] | None
    seats: tuple[Sitter | None, ...]
    host: str | None
    opened_at: int
    started_at: int | None
    ended_at: int
    watch_delay: int
    events: int


def result(steps: Sequence[Next]) -> Result:
    """The result of a whole table, event by event."""
    last = steps[-1].table
    covered = {step.event.seat for step in steps if isinstance(step.event, events.Covered)}
    started = next((step.event.at for step in steps if isinstance(step.event, events.Started)), None)
    opened, outcome = last.opened, last.outcome
    return Result(
        id=opened.id, game=opened.game, rules=opened.rules, options=msgspec.to_builtins(last.options),
        how=last.how or "", places=outcome.places if outcome else None,
        totals=outcome.totals if outcome else None, sides=outcome.sides if outcome else None,
        seats=tuple(_sitter(last, seat, chair, seat in covered) for seat, chair in enumerate(last.chairs)),
        host=opened.host, opened_at=opened.at, started_at=started, ended_at=last.at,
        watch_delay=opened.watch_delay, events=last.version,
    )  # fmt: skip


def _sitter(table: Table, seat: int, chair: Chair | None, covered: bool) -> Sitter | None:
    if chair is None:
        return None
    cut = seat < len(table.cuts) and table.cuts[seat] is not None
    return Sitter(
        kind=chair.kind, who=chair.who, level=chair.level, cut=cut, covered=covered, left=chair.left
    )


class Results:
    """The projection. `signer`: the house's, for the note under each record."""

    name = "results"
    ddl = DDL

    def __init__(self, source: Log, signer: Signer) -> None:
        self._source, self._signer = source, signer

    def apply(self, cursor: Cursor[Any], batch: Sequence[Seen]) -> None:
        """Store each table whose seed is revealed in this batch."""
        rows = [self._row(seen) for seen in batch if isinstance(seen.event, events.Revealed)]
        if not rows:
            return
        cursor.executemany(
            "INSERT INTO finished (id, game, ended_at, shown_from, result, record)"
            " VALUES (%(id)s, %(game)s, %(ended_at)s, %(shown_from)s, %(result)s, %(record)s)",
            rows,
        )
        cursor.executemany(
            "INSERT INTO unpublished (id, game, shown_from) VALUES (%(id)s, %(game)s, %(shown_from)s)", rows
        )

    def _row(self, seen: Seen) -> dict[str, Any]:
        assert isinstance(seen.event, events.Revealed)
        stored = self._source.read_sync(seen.table)
        steps = list(replayed((entry.raw for entry in stored), Vault(bytes.fromhex(seen.event.seed))))
        found = result(steps)
        text = record.write([(step.table.digest, step.raw) for step in steps], self._signer)
        return {
            "id": found.id, "game": found.game, "ended_at": found.ended_at,
            "shown_from": found.ended_at + (0 if found.started_at is None else found.watch_delay),
            "result": msgspec.json.encode(found).decode(), "record": text,
        }  # fmt: skip


_decode = msgspec.json.Decoder(Result).decode


async def finished(
    connection: AsyncConnection[Any],
    now: int,
    *,
    game: str | None = None,
    tables: Sequence[str] | None = None,
    before: tuple[int, str] | None = None,
    limit: int = 50,
) -> list[Result]:
    """Ended tables that anyone may know of at a wall-clock time (ms), latest first, at most PAGE.

    `tables`: only these. `before`: `ended_at` and `id` of the last one of the page before.
    """
    ended_at, last = before or (LAST, "")
    cursor = await connection.execute(
        "SELECT result::text AS result FROM results.finished WHERE shown_from <= %s"
        " AND (ended_at, id) < (%s, %s) AND (%s::text IS NULL OR game = %s)"
        " AND (%s::text[] IS NULL OR id = ANY(%s)) ORDER BY ended_at DESC, id DESC LIMIT %s",
        (now, ended_at, last, game, game, _list(tables), _list(tables), max(1, min(limit, PAGE))),
    )
    return [_decode(_only(row)) for row in await cursor.fetchall()]


async def result_of(connection: AsyncConnection[Any], table: str, now: int) -> Result | None:
    """One ended table as anyone may know it at a wall-clock time (ms), or None."""
    cursor = await connection.execute(
        "SELECT result::text AS result FROM results.finished WHERE id = %s AND shown_from <= %s", (table, now)
    )
    row = await cursor.fetchone()
    return None if row is None else _decode(_only(row))


async def record_of(connection: AsyncConnection[Any], table: str, now: int) -> bytes | None:
    """The record of an ended table, once anyone may have it, or None."""
    cursor = await connection.execute(
        "SELECT record FROM results.finished WHERE id = %s AND shown_from <= %s", (table, now)
    )
    row = await cursor.fetchone()
    return None if row is None else bytes(_only(row))


def _list(tables: Sequence[str] | None) -> list[str] | None:
    return None if tables is None else list(tables)


def _only(row: Any) -> Any:
    return next(iter(row.values())) if isinstance(row, dict) else row[0]
