"""Timers: what is due happens, once, never early, and after an outage only when the time lost has been given
back.

A table's row in `timers`, written with its event, says when it is due. A sweeper looks at the rows every
second; an alarm on the bus only makes it quicker. Either way the table itself decides whether that timer is
still its own and due.

Parts of the house beat: each writes its row in `heartbeats` every second. A gap between two beats of a part
is an outage, stored with the beat that ended it, and given back to every table that waits for time, before
anything is fired. While a part is silent nothing is fired at all (deploy/decisions/, "Outages").
"""

import asyncio
import logging
from typing import Any, NamedTuple

import msgspec
import nats.errors
import psycopg
from nats.aio.client import Client
from nats.aio.msg import Msg

from projections.bus import Alarm
from projections.run import Pause, try_hold, where
from replay import bus
from replay.log import Log, Unavailable
from replay.tables import Tables, wall_ms
from replay.tasks import all_of, together

EVERY_S = 1.0  # between two beats, and between two looks of the sweeper
GAP_MS = 5_000  # a part that has not beaten for longer was away
FRESH_MS = 3_000  # how long after a look without an outage something may be fired; less than GAP_MS
SWEEP = 500  # tables that are fired in one look
REST_MS = 60_000  # a table that cannot be fired is left alone for so long

DDL = (
    "CREATE TABLE IF NOT EXISTS heartbeats (part text PRIMARY KEY, at bigint NOT NULL)",
    """
    CREATE TABLE IF NOT EXISTS outages (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        part text NOT NULL,
        since bigint NOT NULL,  -- last beat before it, wall clock, ms since 1970
        until bigint NOT NULL,  -- first beat after it
        given boolean NOT NULL DEFAULT false  -- to the tables that waited for time
    )
    """,
    "CREATE INDEX IF NOT EXISTS outages_open ON outages (id) WHERE NOT given",
)

_NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
_GAP = f"""
    INSERT INTO outages (part, since, until)
    SELECT part, at, {_NOW} FROM heartbeats WHERE part = %s AND {_NOW} - at > %s FOR UPDATE
"""  # noqa: S608  # nothing of it comes from outside
_BEAT = f"""
    INSERT INTO heartbeats (part, at) VALUES (%s, {_NOW})
    ON CONFLICT (part) DO UPDATE SET at = greatest(heartbeats.at, excluded.at)
"""  # noqa: S608
_DUE = f"SELECT table_id, key FROM timers WHERE due_at <= {_NOW} ORDER BY due_at LIMIT %s"  # noqa: S608
_SILENT = f"SELECT part FROM heartbeats WHERE {_NOW} - at > %s"  # noqa: S608

log = logging.getLogger(__name__)
_alarm = msgspec.json.Decoder(Alarm)


class Outage(NamedTuple):
    """A part's silence that has not been given back, wall clock, ms."""

    id: int
    part: str
    since: int
    until: int


# -- parts of the house
# -----------------------------------------------------------------------------------------------


def beat_once(connection: psycopg.Connection[Any], part: str) -> None:
    """Say that a part of the house is at work. What it missed since it last said so becomes an outage."""
    with connection.transaction():
        connection.execute(_GAP, (part, GAP_MS))
        connection.execute(_BEAT, (part,))


class Presence:
    """A part of the house that beats, and decides nothing for anybody before what it missed has been given
    back.

    All its processes share one name.
    """

    def __init__(self, source: Log, part: str) -> None:
        self._source, self._part = source, part
        self._beaten: int | None = None  # wall clock, ms: when it last asked to, with no outage left behind it
        self._coming: asyncio.Task[None] | None = None

    async def ready(self) -> None:
        """Return at once if it is at work; after a silence when that has been given back, or `back` gives up.

        An event of another player that came in before would take its table's share of the time that was
        lost. Raises Unavailable.
        """
        if self.fresh():
            return
        if self._coming is None or self._coming.done():
            self._coming = asyncio.create_task(self._come())
            self._coming.add_done_callback(lambda done: done.cancelled() or done.exception())  # if nobody waits
        await asyncio.shield(self._coming)

    async def run(self) -> None:
        """Beat every second until cancelled."""
        silent = False
        while True:
            try:
                if self.fresh():
                    now = wall_ms()
                    await asyncio.to_thread(self._source.ask, lambda connection: beat_once(connection, self._part))
                    self._beaten = now
                else:
                    await self.ready()
                silent = False
            except Unavailable:
                if not silent:
                    log.warning("%s cannot say that it is at work: the database does not answer", self._part)
                silent = True
            await asyncio.sleep(EVERY_S)

    def fresh(self) -> bool:
        """Whether it beat a moment ago."""
        return self._beaten is not None and abs(wall_ms() - self._beaten) < FRESH_MS

    async def _come(self) -> None:
        self._beaten = await back(self._source, self._part)


async def beat(source: Log, part: str) -> None:
    """Say every second, until cancelled, that a part of the house is at work."""
    await Presence(source, part).run()


async def back(source: Log, part: str, seconds: float = 5.0) -> int:
    """Beat until outages have been given back, at most so long: what a part does before it serves.

    When it last beat, wall clock, ms. Raises Unavailable.
    """

    def left(connection: psycopg.Connection[Any]) -> list[Outage]:
        beat_once(connection, part)
        return open_outages(connection)

    until = asyncio.get_running_loop().time() + seconds
    while True:
        now = wall_ms()
        if not await asyncio.to_thread(source.ask, left):
            return now
        if asyncio.get_running_loop().time() > until:
            log.warning("%s starts though an outage has not been given back: is an engine at work?", part)
            return now
        await asyncio.sleep(0.1)


def open_outages(connection: psycopg.Connection[Any]) -> list[Outage]:
    """Outages that have not been given back, oldest first."""
    rows = connection.execute("SELECT id, part, since, until FROM outages WHERE NOT given ORDER BY id")
    return [Outage(*row) for row in rows.fetchall()]


# -- the timers
# -------------------------------------------------------------------------------------------------------


class Timers:
    """Fires what is due. One process at a time does so: whoever holds the lock."""

    def __init__(self, source: Log, tables: Tables, client: Client, part: str = "engine") -> None:
        self._source, self._tables, self._client, self._part = source, tables, client, part
        self._looked = 0  # wall clock, ms: when nothing was wrong last
        self._resting: dict[str, int] = {}  # tables that cannot be fired, and until when they are left alone
        self._held = ""

    async def run(self) -> None:
        """Fire until cancelled. Whatever breaks is tried again."""
        pause = Pause()
        while True:
            try:
                await self._session(pause)
            except (psycopg.OperationalError, Unavailable, OSError) as fault:
                log.warning("the timers stopped short: %s", type(fault).__name__)
            except Exception as fault:
                log.error("the timers failed\n%s", where(fault))
            await asyncio.sleep(min(pause.next(), EVERY_S))

    async def _session(self, pause: Pause) -> None:
        connection = await asyncio.to_thread(self._source.connect)
        try:
            while not await asyncio.to_thread(try_hold, connection, "timers"):  # noqa: ASYNC110  # another has it
                await asyncio.sleep(EVERY_S)
            await asyncio.to_thread(connection.execute, "SET synchronous_commit TO off")
            await together(self._alarms(), self._sweeps(connection, pause))
        finally:
            await asyncio.to_thread(connection.close)

    def may_fire(self) -> bool:
        """Whether it is known of this moment that every outage before it has been given back."""
        return self._tables.clock() - self._looked < FRESH_MS

    # -- the sweeper
    # --------------------------------------------------------------------------------------------------

    async def _sweeps(self, connection: psycopg.Connection[Any], pause: Pause) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            started = clock()
            if await self._look(connection):
                due = await asyncio.to_thread(_due, connection)
                await all_of(self._sweep, due)
            pause.over()
            await asyncio.sleep(max(0.0, started + EVERY_S - clock()))

    async def _look(self, connection: psycopg.Connection[Any]) -> bool:
        """Beat, give back what was lost, and find out whether anybody is silent; whether something may be
        fired.
        """
        now = self._tables.clock()
        await asyncio.to_thread(beat_once, connection, self._part)
        for outage in await asyncio.to_thread(open_outages, connection):
            await self._give(connection, outage)
        silent = await asyncio.to_thread(_silent, connection)
        if silent != self._held:
            log.warning("timers %s", f"wait: {silent} cannot be heard" if silent else "go on")
            self._held = silent
        if silent:
            return False
        self._looked = now
        return True

    async def _give(self, connection: psycopg.Connection[Any], outage: Outage) -> None:
        """Give an outage back to every table that waits for time. Done again after a crash, it gives nothing
        twice.

        A table's own last event bounds what it is given, and what it was given is an event.
        """
        waiting = await asyncio.to_thread(_waiting, connection)
        lost = outage.until - outage.since
        log.warning("%s was away for %d ms, given back to %d tables", outage.part, lost, len(waiting))

        async def give(table: str) -> None:
            try:
                await self._tables.grant(table, outage.since, outage.until)
            except (psycopg.OperationalError, Unavailable):
                raise
            except Exception as fault:
                self._rest(table, fault)

        await all_of(give, waiting)
        given = "UPDATE outages SET given = true WHERE id = %s"
        await asyncio.to_thread(connection.execute, given, (outage.id,))

    async def _sweep(self, due: tuple[str, str]) -> None:
        table, key = due
        if self._resting.get(table, 0) <= self._tables.clock():
            await self._fire(table, key)

    async def _fire(self, table: str, key: str) -> None:
        try:
            await self._tables.fire(table, key, self.may_fire)
            self._resting.pop(table, None)
        except (psycopg.OperationalError, Unavailable):
            raise
        except Exception as fault:
            self._rest(table, fault)

    def _rest(self, table: str, fault: Exception) -> None:
        """One table that is broken holds up no other."""
        self._resting[table] = self._tables.clock() + REST_MS
        log.error("time cannot go on at table %s\n%s", table, where(fault))

    # -- the alarm clocks
    # ---------------------------------------------------------------------------------------------

    async def _alarms(self) -> None:
        """Fire what rings on the bus. What is missed or comes at a bad moment is the sweeper's."""
        pause = Pause()
        while True:
            try:
                heard = await self._client.jetstream().pull_subscribe_bind(bus.FIRE, bus.TIMER)
                try:
                    await self._listen(heard, pause)
                finally:
                    await heard.unsubscribe()
            except (nats.errors.Error, OSError) as fault:
                log.warning("no alarms from the bus: %s", type(fault).__name__)
            await asyncio.sleep(pause.next())

    async def _listen(self, heard: Any, pause: Pause) -> None:
        while True:
            try:
                rung: list[Msg] = await heard.fetch(64, timeout=1.0)
            except TimeoutError:
                continue
            pause.over()
            await all_of(self._rung, rung)

    async def _rung(self, msg: Msg) -> None:
        try:
            alarm = _alarm.decode(msg.data)
        except msgspec.DecodeError:
            log.error("an alarm on the bus that is none of ours")
            await msg.term()
            return
        if self.may_fire():
            try:
                await self._fire(alarm.table, alarm.key)
            except (psycopg.OperationalError, Unavailable):
                log.warning("an alarm rang while the database was away")
        await msg.ack()


def _due(connection: psycopg.Connection[Any]) -> list[tuple[str, str]]:
    return connection.execute(_DUE, (SWEEP,)).fetchall()


def _waiting(connection: psycopg.Connection[Any]) -> list[str]:
    rows = connection.execute("SELECT table_id FROM timers ORDER BY due_at")
    return [table for (table,) in rows.fetchall()]


def _silent(connection: psycopg.Connection[Any]) -> str:
    return ", ".join(part for (part,) in connection.execute(_SILENT, (GAP_MS,)).fetchall())
