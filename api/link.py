"""The API's end of the bus: it hears which tables have changed elsewhere, and takes the bots' moves.

While the bus is away, and whenever it has come back, tables with listeners are looked up in the log instead.
"""

import asyncio
import contextlib
import logging

import msgspec
import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from api.feed import Hub
from projections.bus import Changed
from projections.decisions import load_key, serve_bots
from replay import bus
from replay.log import Unavailable
from replay.settings import Settings
from replay.tables import NoSuchTable, Tables

log = logging.getLogger(__name__)

ALL_CHANGED = bus.changed("*")
POLL_S = 1.0  # how often tables are looked up while the bus is away
RETRY_S = 1.0  # between tries to reach a bus that has not answered yet


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

    async def close(self) -> None:
        """Leave the bus."""
        if self._client is not None:
            with contextlib.suppress(Exception):  # it may be away; nothing of ours is lost with it
                await asyncio.wait_for(self._client.close(), 2)

    async def _connect(self) -> Client:
        client = await bus.connect(self._settings.nats_url, "faircut api", again=self._look_up)
        try:
            await client.subscribe(ALL_CHANGED, cb=self._changed)
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

    async def _look_up(self) -> None:
        """Follow every table that has listeners here."""
        for table_id in self._hub.watched():
            live = self._tables.peek(table_id)
            if live is not None:
                await self._refresh(table_id, live.table.version + 1)

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
