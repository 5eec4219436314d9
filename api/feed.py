"""Live feeds: one WebSocket a viewer and table. It only speaks; moves go by POST.

A socket is opened with a ticket and gets the table as its viewer sees it, then again whenever that
viewer's feed number has risen or the seat has changed hands: latest wins, a slow reader skips states but
no lines. Nothing is sent on account of what a viewer may not know. Frames are filled up with spaces to a
multiple of 256 bytes, and are never compressed.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from api.people import People, Person
from api.schemas import BeatFrame, StateFrame
from api.wire import encode
from domain.game import Seat
from projections.views import Notes, lines_view, seat_of, table_view, viewer_of
from replay.live import Live, Shown
from replay.tables import Tables

log = logging.getLogger(__name__)

PAD = 256  # bytes: lengths tell no more than this
BEAT_S = 15.0
FIRST = 40  # lines shown to whoever names no feed number

Sends = Callable[[str], Awaitable[None]]


def padded(value: Any) -> str:
    """A frame: JSON, then spaces."""
    raw = encode(value)
    return (raw + b" " * (-len(raw) % PAD)).decode()


class Feed:
    """One viewer's socket. `pushed`: the viewer (None: watching) and feed number that it was last told."""

    __slots__ = ("_again", "_busy", "_gone", "_later", "_send", "hub", "live", "person", "pushed", "told", "who")

    def __init__(self, hub: "Hub", live: Live, person: Person | None, send: Sends) -> None:
        self.hub, self.live, self.person, self._send = hub, live, person, send
        self.who: str | None = None
        self.pushed: tuple[Seat | None, int] | None = None
        self.told = 0  # how many of the table's lines have been dealt with
        self._busy, self._again = True, False  # busy until it has begun
        self._gone = False
        self._later: asyncio.TimerHandle | None = None

    async def begin(self, since: int | None) -> None:
        """The present view, and the lines since a feed number."""
        await self._know()
        viewer, now = viewer_of(self.live.table, self.who), self.hub.clock()
        until = self.live.shown(viewer, now).told
        if since is None:
            self.told = max(0, until - FIRST)
        else:
            at = -1 if viewer is None else viewer
            told = self.live.told
            self.told = next((i for i in range(until) if told[i].seen[at] > since), until)
        self._busy = False
        await self.push()

    async def push(self, beat: bool = False) -> None:
        """Tell the viewer how the table stands, if that is news; else, with `beat`, that nothing has happened."""
        if self._busy or self._gone:
            self._again = True
            return
        self._busy = True
        try:
            while True:
                self._again = False
                frame = await self._news() or (self._beat() if beat else None)
                if frame is not None:
                    await self._send(frame)
                if not self._again or self._gone:
                    return
                beat = False
        finally:
            self._busy = False

    async def _news(self) -> str | None:
        await self._know()
        live, hub, now = self.live, self.hub, self.hub.clock()
        viewer = viewer_of(live.table, self.who)
        shown = live.shown(viewer, now)
        self._come_back(viewer, now)
        if self.pushed == (viewer, shown.table.feed(viewer)):
            return None
        names = await hub.people.names(shown.table)
        frame = self._frame(viewer, shown, names) if self.who else hub.for_all(self, shown, names)
        self.pushed, self.told = (viewer, shown.table.feed(viewer)), max(self.told, shown.told)
        return frame

    def _frame(self, viewer: Seat | None, shown: Shown, names: Mapping[str, str]) -> str:
        """What a viewer is shown of the table, with the lines since the last time."""
        held = seat_of(self.live.table, self.who)
        table = table_view(
            shown.table, viewer, self.hub.notes, names, who=self.who, covered=held if viewer is None else None,
            checkpoint=shown.checkpoint,
        )  # fmt: skip
        lines = lines_view(shown.table, self.live.told[self.told : shown.told], viewer, names)
        return padded(StateFrame(seen=table.seen, lines=lines, table=table, quiet=self.hub.quiet(self.live)))

    def watching(self, shown: Shown, names: Mapping[str, str]) -> str:
        """As anyone is shown it who has nothing to do with the table."""
        return self._frame(None, shown, names)

    def _beat(self) -> str:
        return padded(BeatFrame(quiet=self.hub.quiet(self.live)))

    async def _know(self) -> None:
        """Find out under which name the person sits here: seats may be taken as long as the table is open."""
        if self.who is None and self.person is not None and (self.pushed is None or self.live.table.phase == "open"):
            self.who = await self.hub.people.who(self.person, self.live.table.id)

    def _come_back(self, viewer: Seat | None, now: int) -> None:
        """Watchers who see late are told when their time has come."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        at = self.live.more_at(now) if viewer is None else None
        if at is not None:
            loop = asyncio.get_running_loop()
            self._later = loop.call_later(max(0.001, (at - now) / 1000), self.hub.start, self)

    def look(self) -> None:
        """Say that the person is here, if they have to do with this table."""
        if self.who is not None:
            self.hub.people.look(self.live.table.id, self.who)

    def end(self) -> None:
        """The socket is gone."""
        self._gone = True
        if self._later is not None:
            self._later.cancel()


class Hub:
    """All feeds of a process, by table."""

    def __init__(self, tables: Tables, people: People, notes: Notes, clock: Callable[[], int]) -> None:
        self.people, self.notes, self.clock = people, notes, clock
        self._feeds: dict[str, set[Feed]] = {}
        self._quiet: dict[str, set[str]] = {}
        self._frames: dict[str, tuple[tuple[Any, ...], str]] = {}  # the latest for watchers, by table
        self._tasks: set[asyncio.Task[None]] = set()
        tables.on_change(self.changed)

    def watched(self) -> list[str]:
        """Tables that somebody listens to."""
        return list(self._feeds)

    def add(self, feed: Feed) -> None:
        """From now on this feed is told of its table."""
        self._feeds.setdefault(feed.live.table.id, set()).add(feed)
        feed.live.listeners += 1

    def remove(self, feed: Feed) -> None:
        """The feed's socket is gone."""
        feed.end()
        feeds = self._feeds.get(feed.live.table.id, set())
        if feed in feeds:
            feeds.remove(feed)
            feed.live.listeners -= 1
        if not feeds:
            self._feeds.pop(feed.live.table.id, None)
            self._quiet.pop(feed.live.table.id, None)
            self._frames.pop(feed.live.table.id, None)

    def changed(self, live: Live) -> None:
        """A table has changed: whoever it is news to hears of it."""
        for feed in self._feeds.get(live.table.id, ()):
            self.start(feed)

    def start(self, feed: Feed, beat: bool = False) -> None:
        """Push in the background."""
        task = asyncio.get_running_loop().create_task(self._push(feed, beat))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _push(self, feed: Feed, beat: bool) -> None:
        try:
            await feed.push(beat)
        except Exception as fault:  # a socket that is gone, a database that is away: the next beat tries again
            log.debug("a feed was not told: %s", type(fault).__name__)

    def for_all(self, feed: Feed, shown: Shown, names: Mapping[str, str]) -> str:
        """The frame for a feed of somebody with no part in the table: made once for all that are told the same."""
        table_id = feed.live.table.id
        key = (shown.table.version, feed.told, shown.told, self.quiet(feed.live))
        known = self._frames.get(table_id)
        if known is None or known[0] != key:
            known = self._frames[table_id] = key, feed.watching(shown, names)
        return known[1]

    def quiet(self, live: Live) -> tuple[int, ...]:
        """Seats whose people have not looked at the table for a minute, as of the last beat."""
        whos = self._quiet.get(live.table.id, set())
        return tuple(
            i for i, chair in enumerate(live.table.chairs) if chair and chair.kind == "human" and chair.who in whos
        )

    async def run(self) -> None:
        """Every 15 seconds: store who is here, see who is not, let every feed hear something."""
        while True:
            await asyncio.sleep(BEAT_S)
            feeds = [feed for feeds in self._feeds.values() for feed in feeds]
            for feed in feeds:
                feed.look()
            try:
                await self.people.flush()
                self._quiet = await self.people.quiet(self.watched()) if feeds else {}
            finally:
                for feed in feeds:
                    self.start(feed, beat=True)

    async def close(self) -> None:
        """Stop all pushes."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
