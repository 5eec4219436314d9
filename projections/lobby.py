"""The lobby: the tables that are open or being played, as anyone may see them.

A row changes when someone sits, stands, leaves, is covered or comes back, when the cards are dealt and when
the table ends; never because of what happens in a hand. At a table with a watch delay that shows only after
the delay, from the start on: before it nothing is secret, and all shows at once.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from psycopg import AsyncConnection, Cursor

from domain import events
from projections.run import Seen

NEVER = 2**62  # shown until then: until something changes
PAGE = 100  # tables that are listed at once at most

Phase = Literal["open", "cutting", "playing"]
PHASES: tuple[Phase, ...] = ("open", "cutting", "playing")

DDL = """
CREATE TABLE tables (
    id text NOT NULL,
    shown_from bigint NOT NULL,   -- wall clock, ms since 1970: what the public sees from then on
    shown_until bigint NOT NULL,  -- and before then
    opened_at bigint NOT NULL,
    game text NOT NULL,
    phase text NOT NULL,
    listing jsonb NOT NULL,
    PRIMARY KEY (id, shown_from)
);
CREATE INDEX tables_newest ON tables (opened_at DESC, id DESC);
CREATE INDEX tables_gone ON tables (shown_until);
"""


class Chair(Struct, frozen=True, kw_only=True):
    """Who sits in a seat. `level`: of the bot that sits there, `cover`: of the bot that plays for a person.

    `who` is the person's name at this table alone. `promised`: whether it promised a cut.
    """

    kind: Literal["human", "bot"]
    who: str
    level: events.Level | None = None
    promised: bool = False
    cover: events.Level | None = None
    left: bool = False


class Listing(Struct, frozen=True, kw_only=True):
    """A table in the lobby.

    `host`: the `who` of the person who opened it; `opened_at`: wall-clock ms since 1970.
    """

    id: str
    game: str
    rules: int
    options: dict[str, Any]
    phase: Phase
    chairs: tuple[Chair | None, ...]
    host: str | None
    watch_delay: int
    opened_at: int
    uncut: int = 0  # promised cuts that have not come

    def seat(self, seat: int, chair: Chair | None) -> "Listing":
        """The listing with another chair in a seat."""
        return replace(self, chairs=(*self.chairs[:seat], chair, *self.chairs[seat + 1 :]))


def follow(table: Listing | None, event: events.Event) -> Listing | None:
    """The listing after an event, None once the table has ended; the same object if the lobby shows nothing
    of it.
    """
    if isinstance(event, events.Opened):
        return _opened(event)
    if table is None:
        return None
    match event:
        case events.Sat():
            sat = Chair(kind=event.kind, who=event.who, level=event.level, promised=event.cut is not None)
            return table.seat(event.seat, sat)
        case events.Stood():
            return table.seat(event.seat, None)
        case events.Started():
            uncut = sum(cut is not None for cut in event.cuts)
            return replace(table, phase="cutting" if uncut else "playing", uncut=uncut)
        case events.Cut():
            return replace(table, phase="cutting" if table.uncut > 1 else "playing", uncut=table.uncut - 1)
        case events.Left():
            return table.seat(event.seat, replace(_at(table, event.seat), left=True))
        case events.Covered():
            return table.seat(event.seat, replace(_at(table, event.seat), cover=event.level))
        case events.Returned():
            return table.seat(event.seat, replace(_at(table, event.seat), cover=None, left=False))
        case events.Voided() | events.Closed() | events.Revealed():
            return None
        case _:
            return table


# Nothing of these shows. That a move ended the game is known by the seed that follows it.
_HIDDEN = (events.Moved, events.Ticked, events.Hurried, events.Granted, events.Agreed)


def _opened(event: events.Opened) -> Listing:
    return Listing(
        id=event.id, game=event.game, rules=event.rules, options=event.options, phase="open",
        chairs=(None,) * event.seats, host=event.host, watch_delay=event.watch_delay, opened_at=event.at,
    )  # fmt: skip


def _delay(before: Listing | None, event: events.Event) -> int:
    """By how many ms the public lags behind an event."""
    if before is None or (before.phase == "open" and not isinstance(event, events.Started)):
        return 0
    return before.watch_delay


def _at(table: Listing, seat: int) -> Chair:
    chair = table.chairs[seat]
    assert chair is not None
    return chair


class Lobby:
    """The projection."""

    name = "lobby"
    ddl = DDL

    def apply(self, cursor: Cursor[Any], batch: Sequence[Seen]) -> None:
        """Fold a batch:

        the newest row of each table that changes is read once, and what follows from it is written.
        """
        told = [seen for seen in batch if not isinstance(seen.event, _HIDDEN)]
        if not told:
            return
        rows = _Rows(cursor, {seen.table for seen in told})
        for seen in told:
            rows.take(seen)
        rows.write(batch[-1].event.at)


class _Rows:
    """The newest rows of some tables and what becomes of them."""

    def __init__(self, cursor: Cursor[Any], tables: Iterable[str]) -> None:
        self._cursor = cursor
        cursor.execute(
            "SELECT id, shown_from, listing::text FROM tables WHERE id = ANY(%s) AND shown_until = %s",
            (list(tables), NEVER),
        )
        self._newest = {row[0]: (row[1], _decode(row[2])) for row in cursor.fetchall()}
        self._rows: dict[tuple[str, int], tuple[int, Listing]] = {}  # id, shown_from: shown_until, listing

    def take(self, seen: Seen) -> None:
        """One event."""
        start, before = self._newest.get(seen.table, (seen.event.at, None))
        after = follow(before, seen.event)
        if after is before:
            return
        delay = _delay(before, seen.event)
        shown = max(start, seen.event.at + delay)
        if after is None:
            assert before is not None
            self._rows[seen.table, start] = (shown, before)
            del self._newest[seen.table]
            return
        if not delay:
            shown = start  # one row that always tells the present
        elif before is not None:
            self._rows[seen.table, start] = (shown, before)
        self._rows[seen.table, shown] = (NEVER, after)
        self._newest[seen.table] = (shown, after)

    def write(self, now: int) -> None:
        """Store what has changed, and drop the rows that nobody is shown any more."""
        self._cursor.executemany(
            "INSERT INTO tables (id, shown_from, shown_until, opened_at, game, phase, listing)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (id, shown_from) DO UPDATE"
            " SET shown_until = excluded.shown_until, phase = excluded.phase, listing = excluded.listing",
            [
                (table, start, until, listing.opened_at, listing.game, listing.phase, _encode(listing))
                for (table, start), (until, listing) in self._rows.items()
                if until > now
            ],
        )
        gone = [key for key, (until, _) in self._rows.items() if until <= now]
        self._cursor.executemany("DELETE FROM tables WHERE id = %s AND shown_from = %s", gone)
        self._cursor.execute("DELETE FROM tables WHERE shown_until <= %s", (now,))


_decode = msgspec.json.Decoder(Listing).decode


def _encode(listing: Listing) -> str:
    return msgspec.json.encode(listing).decode()


async def listed(
    connection: AsyncConnection[Any],
    now: int,
    *,
    game: str | None = None,
    phases: Sequence[Phase] = PHASES,
    before: tuple[int, str] | None = None,
    limit: int = 50,
) -> list[Listing]:
    """The tables that anyone may see at a wall-clock time (ms), newest first, at most PAGE.

    `before`: `opened_at` and `id` of the last table of the page before. What happens in a hand moves no
    table.
    """
    opened_at, last = before or (NEVER, "")
    cursor = await connection.execute(
        "SELECT listing::text FROM lobby.tables"
        " WHERE phase = ANY(%s) AND shown_from <= %s AND %s < shown_until"
        " AND (opened_at, id) < (%s, %s) AND (%s::text IS NULL OR game = %s)"
        " ORDER BY opened_at DESC, id DESC LIMIT %s",
        (list(phases), now, now, opened_at, last, game, game, max(1, min(limit, PAGE))),
    )
    return [_decode(_first(row)) for row in await cursor.fetchall()]


async def listing(connection: AsyncConnection[Any], table: str, now: int) -> Listing | None:
    """One table as anyone may see it at a wall-clock time (ms), or None if it is not in the lobby."""
    cursor = await connection.execute(
        "SELECT listing::text FROM lobby.tables WHERE id = %s AND shown_from <= %s AND %s < shown_until",
        (table, now, now),
    )
    row = await cursor.fetchone()
    return None if row is None else _decode(_first(row))


def _first(row: Any) -> Any:
    return cast(Any, next(iter(row.values())) if isinstance(row, dict) else row[0])
