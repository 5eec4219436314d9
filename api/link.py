"""The API's end of the bus: it hears which tables have changed elsewhere and what people say, and takes bots' moves.

While the bus is away, and whenever it has come back, tables with listeners are looked up in the log instead. What
people say then reaches nobody, and they are told so.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable

import msgspec
import nats.errors
import psycopg
import psycopg_pool
from nats.aio.client import Client
from nats.aio.msg import Msg

from api.feed import Hub
from api.talk import Said
from projections.bus import Changed
from projections.decisions import load_key, serve_bots
from replay import bus
from replay.log import Unavailable
from replay.settings import Settings
from replay.tables import NoSuchTable, Tables

log = logging.getLogger(__name__)

ALL_CHANGED, ALL_ASIDE = bus.changed("*"), bus.aside("*")
ALL_SAYS, ALL_RENAMED = bus.says("*"), bus.renamed("*")
POLL_S = 1.0  # how often tables are looked up while the bus is away
RETRY_S = 1.0  # between tries to reach a bus that has not answered yet
HEARD_S = 2.0  # what has not come back from the bus by then may have reached nobody

_said = msgspec.json.Decoder(Said)


class Away(Exception):
    """The bus is away: what was to be said has reached nobody, as far as we know."""


class Link:
    """One connection to the bus, for as long as the process runs."""

    def __init__(self, settings: Settings, tables: Tables, hub: Hub) -> None:
        self._settings, self._tables, self._hub = settings, tables, hub
        self._key = load_key(settings.keys / "decide.key")
        self._client: Client | None = None
        self._wanted: dict[str, int] = {}  # tables being looked up, and up to which version

    @property
    def up(self) -> bool:
        """Whether the bus is there just now."""
        return self._client is not None and self._client.is_connected

    async def run(self) -> None:
        """Connect, however long that takes; look tables up whenever the bus is away."""
        said = ""
        while self._client is None:
            try:
                self._client = await self._connect()
            except (OSError, nats.errors.Error, TimeoutError) as fault:
                if said != type(fault).__name__:
                    said = type(fault).__name__
                    log.warning("the bus cannot be reached (%s): moves are taken all the same", said)
                await self._look_up()
                await asyncio.sleep(RETRY_S)
        serving = asyncio.create_task(serve_bots(self._client, self._tables, self._key))
        try:
            while not serving.done():
                await asyncio.wait([serving], timeout=POLL_S)
                if not self.up:
                    await self._look_up()
            serving.result()
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    async def say(self, table_id: str, said: Said) -> None:
        """Let everybody at a table hear something. Raises Away unless it has come back to us as well."""
        with self._hub.talk.heard(said) as heard:
            try:
                async with asyncio.timeout(HEARD_S):
                    await self._publish(bus.says(table_id), msgspec.json.encode(said))
                    await heard
            except (TimeoutError, nats.errors.Error) as fault:
                raise Away from fault

    async def set_aside(self, table_id: str) -> None:
        """Say that what goes with a table has changed. Who does not hear it finds out by itself."""
        await self._hub.set_aside(table_id)
        with contextlib.suppress(Away, nats.errors.Error):
            await self._publish(bus.aside(table_id))

    async def renamed(self, person_id: str) -> None:
        """Say that a person is called otherwise now. Who does not hear it finds out by itself."""
        await self._hub.renamed(person_id)
        with contextlib.suppress(Away, nats.errors.Error):
            await self._publish(bus.renamed(person_id))

    async def _publish(self, subject: str, data: bytes = b"") -> None:
        if self._client is None or not self._client.is_connected:
            raise Away
        await self._client.publish(subject, data)

    async def close(self) -> None:
        """Leave the bus."""
        if self._client is not None:
            with contextlib.suppress(Exception):  # it may be away; nothing of ours is lost with it
                await asyncio.wait_for(self._client.close(), 2)

    async def _connect(self) -> Client:
        client = await bus.connect(self._settings.nats_url, "faircut api", again=self._look_up)
        try:
            await client.subscribe(ALL_CHANGED, cb=self._changed)
            await client.subscribe(ALL_SAYS, cb=self._says)
            await client.subscribe(ALL_ASIDE, cb=self._told(self._hub.set_aside))
            await client.subscribe(ALL_RENAMED, cb=self._told(self._hub.renamed))
            await client.flush()
        except BaseException:
            await client.close()
            raise
        await self._look_up()
        return client

    async def _changed(self, message: Msg) -> None:
        """A table has changed somewhere. One that nobody here looks at is read when it is asked for next."""
        table_id = message.subject.split(".")[2]
        live = self._tables.peek(table_id)
        if live is None:
            return
        try:
            version = msgspec.json.decode(message.data, type=Changed).version
        except msgspec.DecodeError:
            return
        if live.table.version >= version:
            return
        if live.listeners:
            await self._refresh(table_id, version)
        else:
            live.unsure = True

    async def _says(self, message: Msg) -> None:
        """Somebody says something, here or elsewhere."""
        with contextlib.suppress(msgspec.DecodeError):
            self._hub.said(message.subject.split(".")[2], _said.decode(message.data))

    def _told(self, hear: Callable[[str], Awaitable[None]]) -> Callable[[Msg], Awaitable[None]]:
        """Passes on the table or person that a message is about."""

        async def told(message: Msg) -> None:
            await self._try(hear(message.subject.split(".")[2]))

        return told

    async def _try(self, reading: Awaitable[None]) -> None:
        try:
            await reading
        except (Unavailable, psycopg.Error, psycopg_pool.PoolTimeout) as fault:
            log.warning("what goes with tables could not be read: %s", type(fault).__name__)

    async def _look_up(self) -> None:
        """Follow every table that has listeners here."""
        for table_id in self._hub.watched():
            live = self._tables.peek(table_id)
            if live is not None:
                await self._refresh(table_id, live.table.version + 1)
        await self._try(self._hub.look_again())

    async def _refresh(self, table_id: str, version: int) -> None:
        """Follow a table up to a version, one read at a time whatever comes in meanwhile."""
        busy = table_id in self._wanted
        self._wanted[table_id] = max(version, self._wanted.get(table_id, 0))
        if busy:
            return
        try:
            before = -1
            while (live := self._tables.peek(table_id)) and before < live.table.version < self._wanted[table_id]:
                before = live.table.version
                await self._tables.refresh(table_id, self._wanted[table_id])
        except (Unavailable, NoSuchTable) as fault:
            log.warning("a table could not be looked up: %s", type(fault).__name__)
        finally:
            del self._wanted[table_id]
