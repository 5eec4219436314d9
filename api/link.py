"""The API's end of the bus: it hears which tables have changed elsewhere, and takes the bots' moves.

While the bus is away, and whenever it has come back, tables with listeners are looked up in the log instead.
"""

import asyncio
import contextlib
import logging
from typing import Any

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from api.feed import Hub
from projections.bots import decide_key, serve_bots
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
        self._client: Client | None = None
        self._late: set[str] = set()  # tables being looked up, so that a storm of messages costs one look

    @property
    def up(self) -> bool:
        """Whether the bus is there just now."""
        return self._client is not None and self._client.is_connected

    async def run(self) -> None:
        """Connect, however long that takes; then look tables up whenever the bus is away."""
        while self._client is None:
            try:
                await self._connect()
            except (OSError, nats.errors.Error, TimeoutError):
                await self._look_up()
                await asyncio.sleep(RETRY_S)
        while True:
            await asyncio.sleep(POLL_S)
            if not self.up:
                await self._look_up()

    async def close(self) -> None:
        """Leave the bus."""
        if self._client is not None:
            with contextlib.suppress(Exception):  # it may be away; nothing of ours is lost with it
                await asyncio.wait_for(self._client.close(), 2)

    async def _connect(self) -> None:
        client = await bus.connect(self._settings.nats_url, "faircut api", again=self._look_up)
        try:
            await client.subscribe(ALL_CHANGED, cb=self._changed)
            await serve_bots(client, self._tables, decide_key(self._settings.keys))
            await client.flush()
        except BaseException:
            await client.close()
            raise
        self._client = client
        await self._look_up()

    async def _changed(self, message: Msg) -> None:
        """A table has changed somewhere. Only those that somebody here looks at are followed at once."""
        table_id = message.subject.split(".")[2]
        live = self._tables.peek(table_id)
        if live is None:
            return
        version = bus.version_of(message.data)
        if live.table.version < version:
            await self._refresh(table_id, version)

    async def _look_up(self) -> None:
        """Follow every table that has listeners here."""
        for table_id in self._hub.watched():
            live = self._tables.peek(table_id)
            if live is not None:
                await self._refresh(table_id, live.table.version + 1)

    async def _refresh(self, table_id: str, version: int) -> None:
        if table_id in self._late:
            return
        self._late.add(table_id)
        try:
            await self._tables.refresh(table_id, version)
        except (Unavailable, NoSuchTable) as fault:
            log.warning("a table could not be looked up: %s", type(fault).__name__)
        finally:
            self._late.discard(table_id)


def _unused(_: Any) -> None: ...
