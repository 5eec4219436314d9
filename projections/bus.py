"""The relay: follows the log in order and says on the bus what is new.

For each event it tells that its table changed, asks the bots that owe an answer, takes back questions that
are no longer open, and sets the table's alarm clock. What lies on the bus follows from the tables as they
are, so it can be laid out anew at any time: at the start, and whenever the bus has been away.
"""

import asyncio
import contextlib
import datetime
import logging
from collections.abc import Awaitable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec
import psycopg
from nats.aio.client import Client
from nats.errors import Error as BusError

from domain.game import Seat
from domain.table import Table
from projections.decisions import Owing, owing, question
from projections.run import Bell, Pause, try_hold, where
from replay import bus
from replay.live import Live
from replay.log import Log, Notified, Unavailable
from replay.tables import Tables
from replay.tasks import all_of, end, within

BATCH = 256  # events that are taken at once
POLL_S = 0.5  # between looks at the log when nobody rings
SAVE_S = 0.5  # between notes of how far the relay has come: it does no harm to say a thing twice
RUNG_S = 300  # a rung alarm that nobody fetched is dropped: the sweeper has seen to it long since

DDL = (
    "CREATE SCHEMA IF NOT EXISTS relay",
    # Position in the log up to which everything has been said.
    """
    CREATE TABLE IF NOT EXISTS relay.position (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        at bigint NOT NULL
    )
    """,
    "INSERT INTO relay.position (at) VALUES (0) ON CONFLICT DO NOTHING",
    # Tables at which something may lie on the bus.
    "CREATE TABLE IF NOT EXISTS relay.live (table_id text PRIMARY KEY)",
)

log = logging.getLogger(__name__)
_json = msgspec.json.Encoder(order=None)


class Changed(msgspec.Struct, frozen=True):
    """Says that a table has events up to a version. No more is told."""

    table: str
    version: int


class Alarm(msgspec.Struct, frozen=True):
    """What rings when a table is due: the timer's key and the wall-clock time, ms since 1970."""

    table: str
    key: str
    at: int


class Laid(NamedTuple):
    """What lies on the bus of a table, as far as this relay knows."""

    game: str
    asked: dict[Seat, Owing]
    alarm: Alarm | None


class Relay:
    """One at a time is at work, whoever holds its lock. `key`: the house's, for decision tokens."""

    def __init__(self, source: Log, tables: Tables, client: Client, key: bytes, bell: Bell) -> None:
        self._source, self._tables, self._client, self._key = source, tables, client, key
        self._js = client.jetstream(timeout=5)
        self._laid: dict[str, Laid] = {}
        self._live: set[str] = set()
        self._news = asyncio.Event()  # the log has grown
        self._anew = True  # everything is to be laid out again
        self._work: asyncio.Task[None] | None = None
        self.position = 0
        loop = asyncio.get_running_loop()
        bell.on_ring(partial(_ring, loop, self._news))

    def bus_was_away(self) -> None:
        """Lay everything out again: messages may be gone, and what waits for the bus waits in vain."""
        self._anew = True
        if self._work is not None:
            self._work.cancel()

    async def run(self) -> None:
        """Relay until cancelled. Whatever breaks is done again."""
        pause = Pause()
        while True:
            try:
                await self._session(pause)
            except (psycopg.OperationalError, Unavailable, BusError, OSError, TimeoutError) as fault:
                log.warning("the relay stopped short: %s", type(fault).__name__)
            except Exception as fault:
                log.error("the relay failed\n%s", where(fault))
            self._anew = True
            await asyncio.sleep(pause.next())

    async def _session(self, pause: Pause) -> None:
        connection = await asyncio.to_thread(self._source.connect)
        try:
            while not await asyncio.to_thread(try_hold, connection, "relay"):  # noqa: ASYNC110  # another process has it
                await asyncio.sleep(POLL_S)
            self.position, self._live = await asyncio.to_thread(_load, connection)
            while True:
                self._work = asyncio.create_task(self._follow(connection, pause))
                try:
                    await self._work
                except asyncio.CancelledError:
                    own = asyncio.current_task()
                    if not self._work.cancelled() or (own and own.cancelling()):
                        raise
        finally:
            if self._work is not None:
                await end(self._work)
            await asyncio.to_thread(connection.close)

    async def _follow(self, connection: psycopg.Connection[Any], pause: Pause) -> None:
        clock = asyncio.get_running_loop().time
        saved, saved_at, stored = -1, clock(), frozenset[str]()
        while not self._client.is_connected:  # noqa: ASYNC110  # the client tells of it by callback only
            await asyncio.sleep(0.05)
        await bus.streams(self._js)
        while True:
            self._news.clear()
            batch = await asyncio.to_thread(self._source.notifications, self.position, BATCH)
            if batch:
                await self._take(batch)
                self.position = batch[-1].position
            # Only at the end of the log is it known what belongs on the bus.
            if self._anew and len(batch) < BATCH:
                self._anew = False
                await self._lay_out()
            pause.over()
            if self.position != saved and (not batch or clock() > saved_at + SAVE_S):
                live = frozenset(self._live)
                await asyncio.to_thread(_save, connection, self.position, live - stored, stored - live)
                saved, saved_at, stored = self.position, clock(), live
            if not batch:
                await within(POLL_S, self._news.wait())

    # -- what is new
    # --------------------------------------------------------------------------------------------------

    async def _take(self, batch: Sequence[Notified]) -> None:
        newest = {n.table: n.version for n in batch}
        for table, version in newest.items():
            await self._say(Changed(table, version))
        events: dict[str, list[Notified]] = {}
        for n in batch:
            events.setdefault(n.table, []).append(n)
        await all_of(self._attend, events.values())

    async def _say(self, said: Changed) -> None:
        await self._client.publish(bus.changed(said.table), _json.encode(said))

    async def _attend(self, news: Sequence[Notified]) -> None:
        """Lay out what follows from a table's new events."""
        table = news[0].table
        live = await self._sound(table, self._tables.heard(table, [(n.version, n.raw) for n in news]))
        if live is not None:
            await self._lay(live)

    async def _sound(self, table: str, loading: Awaitable[Live]) -> Live | None:
        """The table, or None if it cannot be followed: it holds up no other."""
        try:
            return await loading
        except (psycopg.OperationalError, Unavailable):
            raise
        except Exception as fault:
            log.error("the relay cannot follow table %s\n%s", table, where(fault))
            return None

    async def _lay(self, live: Live) -> None:
        """Bring what lies on the bus of a table to what the table says."""
        table, game = live.table, live.table.game.name
        before = self._laid.get(table.id, Laid(game, {}, None))
        after = Laid(game, owing(table), _alarm(table))
        steps: list[Awaitable[Any]] = [
            self._ask(live, owed) for seat, owed in after.asked.items() if before.asked.get(seat) != owed
        ]
        gone = before.asked.keys() - after.asked.keys()
        steps += [self._purge(bus.DECIDE, bus.decide(game, table.id, seat)) for seat in gone]
        if after.alarm and after.alarm != before.alarm:
            steps.append(self._set(after.alarm))
        elif before.alarm and not after.alarm:
            steps.append(self._purge(bus.TIMER, bus.alarm(table.id)))
        await asyncio.gather(*steps)
        if table.ended:
            self._laid.pop(table.id, None)
            self._live.discard(table.id)
        elif table.phase != "open":
            self._laid[table.id] = after
            self._live.add(table.id)

    async def _ask(self, live: Live, owed: Owing) -> None:
        """Put a question on the bus in place of the seat's last one.

        Without a message id: the server remembers ids of what was purged too, and would swallow a question
        that is asked again. A seat's subject holds one message, and an answer counts but once.
        """
        subject = bus.decide(live.table.game.name, live.table.id, owed.decision.seat)
        await self._js.publish(subject, _json.encode(question(live, owed, self._key)))

    async def _set(self, alarm: Alarm) -> None:
        """Set a table's alarm clock, whatever it was set to before."""
        at = datetime.datetime.fromtimestamp(alarm.at / 1000, datetime.UTC)
        headers = {
            "Nats-Schedule": f"@at {at.isoformat(timespec='milliseconds').replace('+00:00', 'Z')}",
            "Nats-Schedule-Target": bus.due(alarm.table),
            "Nats-Schedule-TTL": f"{RUNG_S}s",
        }
        await self._js.publish(bus.alarm(alarm.table), _json.encode(alarm), headers=headers)

    async def _purge(self, stream: str, subject: str) -> None:
        await self._js.purge_stream(stream, subject=subject)

    # -- everything anew
    # ----------------------------------------------------------------------------------------------

    async def _lay_out(self) -> None:
        """Lay out all tables, and take away what belongs to none of them."""
        self._laid.clear()
        await all_of(self._lay_again, list(self._live))
        laid = self._laid.items()
        asked = {bus.decide(lies.game, table, seat) for table, lies in laid for seat in lies.asked}
        alarms = {bus.alarm(table) for table, lies in laid if lies.alarm}
        stale = await bus.subjects(self._client, bus.DECIDE, bus.DECIDE_ALL) - asked
        await all_of(partial(self._purge, bus.DECIDE), stale)
        stale = await bus.subjects(self._client, bus.TIMER, bus.AT_ALL) - alarms
        await all_of(partial(self._purge, bus.TIMER), stale)

    async def _lay_again(self, table: str) -> None:
        live = await self._sound(table, self._tables.get(table))
        if live is not None:
            await self._say(Changed(table, live.table.version))
            await self._lay(live)


def _ring(loop: asyncio.AbstractEventLoop, news: asyncio.Event) -> None:
    with contextlib.suppress(RuntimeError):  # the loop has ended
        loop.call_soon_threadsafe(news.set)


def _alarm(table: Table) -> Alarm | None:
    """The alarm that a table needs.

    A bot's silence needs none, nor does a table that never starts: there the sweeper's second does not matter.
    """
    due = table.due()
    if due is None or due.key == "idle" or due.key.startswith("bot:"):
        return None
    return Alarm(table.id, due.key, due.at + table.granted)


def _load(connection: psycopg.Connection[Any]) -> tuple[int, set[str]]:
    row = connection.execute("SELECT at FROM relay.position").fetchone()
    live = connection.execute("SELECT table_id FROM relay.live").fetchall()
    return (row[0] if row else 0), {table for (table,) in live}


def _save(connection: psycopg.Connection[Any], at: int, come: Iterable[str], gone: Iterable[str]) -> None:
    with connection.transaction():
        connection.execute("SET LOCAL synchronous_commit TO off")
        connection.execute(
            "INSERT INTO relay.live SELECT unnest(%s::text[]) ON CONFLICT DO NOTHING", (list(come),)
        )
        connection.execute("DELETE FROM relay.live WHERE table_id = ANY(%s)", (list(gone),))
        connection.execute("UPDATE relay.position SET at = %s", (at,))
