"""What the API's resources work with: the log and its tables, the people, the signer, the feeds, the bus.

All of it belongs to one process and one event loop. The bus may be away: moves are taken all the same,
and tables that somebody watches are looked up in the log meanwhile.
"""

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Literal

from api.asides import Asides
from api.feed import Hub
from api.link import Link
from api.people import People, Person
from api.pool import Pool
from api.wire import Asked, Refused, header
from domain.game import Hidden, Seat
from projections import timers
from projections.views import seat_of, viewer_of
from replay.live import Live
from replay.log import Log
from replay.notes import Signer
from replay.seal import Sealer
from replay.settings import Settings
from replay.tables import Tables, wall_ms

log = logging.getLogger(__name__)

PART = "api"  # of the house: its silence is an outage, which is given back to tables that wait for time
NOTES = 20_000  # notes that a process remembers


class NoteBook:
    """Signs what views show of tables' digests, each once."""

    def __init__(self, signer: Signer) -> None:
        self._sign = {"opened": signer.opened, "started": signer.started, "checkpoint": signer.checkpoint}
        self._kept = OrderedDict[tuple[str, bytes], str]()

    def note(self, kind: Literal["opened", "started", "checkpoint"], table_id: str, digest: bytes) -> str:
        """The note's text."""
        kept = self._kept.get((kind, digest))
        if kept is None:
            kept = self._kept[kind, digest] = self._sign[kind](table_id, digest).decode()
            if len(self._kept) > NOTES:
                self._kept.popitem(last=False)
        return kept


class Viewer(Hidden, frozen=True):
    """Somebody in front of a table. `seat`: whose cards they see; `covered`: theirs while a bot plays it."""

    live: Live
    person: Person | None
    who: str | None
    seat: Seat | None
    covered: Seat | None


class Services:
    """Everything a resource may ask for."""

    def __init__(self, settings: Settings, clock: Callable[[], int] = wall_ms) -> None:
        self.settings, self.clock = settings, clock
        self.log = Log(settings.database_url)
        self.sealer = Sealer.load(settings.keys / "seal.key", create=False, database=self.log)
        self.signer = Signer.load(settings.keys / "sign.key", settings.key_name)
        self.notes = NoteBook(self.signer)
        self.presence = timers.Presence(self.log, PART)
        self.tables = Tables(self.log, self.sealer, clock=clock)
        self.tables.ready = self.presence.ready
        self.pool = Pool(settings.database_url)
        self.people = People(self.pool, clock)
        self.asides = Asides(self.pool, clock)
        self.hub = Hub(self.tables, self.people, self.asides, self.notes, clock)
        self.link = Link(settings, self.tables, self.hub)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["Services"]:
        """Opened, until the end of the block."""
        await self.pool.open()
        await self.presence.ready()
        works = (self.hub.run, self.link.run, self.presence.run)
        tasks = [asyncio.create_task(self._forever(work)) for work in works]
        try:
            yield self
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.hub.close()
            await self.link.close()
            await self.pool.close()
            await self.log.close()

    async def _forever(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task of the process; if it fails, say so and start it again."""
        while True:
            try:
                await work()
            except Exception as fault:
                log.error("%s failed: %s", getattr(work, "__qualname__", "a task"), type(fault).__name__)
            await asyncio.sleep(1)

    # -- who asks -----------------------------------------------------------------------------------------------------

    async def somebody(self, request: Asked) -> Person | None:
        """Whoever's token the request bears; None if it bears none.

        Raises Refused for one that is nobody's.
        """
        sent = header(request, b"authorization")
        if sent is None:
            return None
        kind, _, token = sent.partition(" ")
        person = await self.people.holder(token.strip()) if kind.lower() == "bearer" else None
        if person is None:
            why = (b"www-authenticate", b'Bearer error="invalid_token"')
            raise Refused(401, "TOKEN", "That token is nobody's.", why)
        return person

    async def person(self, request: Asked) -> Person:
        """Whoever's token the request bears. Raises Refused if it bears none."""
        person = await self.somebody(request)
        if person is None:
            raise Refused(401, "TOKEN", "Send your token: Authorization: Bearer …", (b"www-authenticate", b"Bearer"))
        return person

    async def viewer(self, request: Asked, *, look: bool = True) -> Viewer:
        """Whoever asks, in front of the table in the path. Raises Refused, NoSuchTable."""
        person = await self.somebody(request)
        live = await self.table(request.path_params["table_id"])
        return await self.at(live, person, look=look)

    async def at(self, live: Live, person: Person | None, *, look: bool = False) -> Viewer:
        """A person in front of a table."""
        who = await self.people.who(person, live.table.id) if person else None
        held = seat_of(live.table, who)
        seat = viewer_of(live.table, who)
        if look and who is not None:
            self.people.look(live.table.id, who)
        return Viewer(live, person, who, seat, held if seat is None else None)

    async def table(self, table_id: str) -> Live:
        """The table as the log has it. Raises NoSuchTable."""
        live = await self.tables.get(table_id)
        if live.unsure or not self.link.up:  # another process has appended, or may have without our hearing of it
            await self.tables.refresh(table_id, live.table.version + 1)
        return live

