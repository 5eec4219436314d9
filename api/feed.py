"""Live feeds: one WebSocket a viewer and table. It only speaks; moves go by POST.

A socket is opened with a ticket and gets the table as its viewer sees it, then again whenever that
viewer's feed number has risen, the seat has changed hands, or what goes with the table has changed (its names, the
table that follows it): latest wins, a slow reader skips states but no lines. What people say comes apart from that,
each thing once a socket. Nothing is sent on account of what a viewer may not know. Frames are filled up with spaces to
a multiple of 256 bytes, and are never compressed.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

from api.asides import Aside, Asides
from api.people import People, Person
from api.schemas import BeatFrame, StateFrame
from api.talk import Said, Talk
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
    """One viewer's socket. `pushed`: the viewer (None: watching) and feed number it was last told, and the rest."""

    __slots__ = (
        "_again", "_busy", "_gone", "_heard", "_later", "_send", "hub", "live", "person", "pushed", "told", "who",
    )  # fmt: skip

    def __init__(self, hub: "Hub", live: Live, person: Person | None, send: Sends) -> None:
        self.hub, self.live, self.person, self._send = hub, live, person, send
        self.who: str | None = None
        self.pushed: tuple[Seat | None, int, Aside, tuple[str, ...]] | None = None
        self.told = 0  # how many of the table's lines have been dealt with
        self._busy, self._again = True, False  # busy until it has begun
        self._gone = False
        self._heard: frozenset[str] = frozenset()  # ids of the things said that were passed on
        self._later: asyncio.TimerHandle | None = None

    async def begin(self, since: int | None) -> None:
        """The present view, the lines since a feed number, and what was said last."""
        await self._know()
        await self.hub.asides.read([self.live.table.id])
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
                for frame in await self._frames(beat):
                    await self._send(frame)
                if not self._again or self._gone:
                    return
                beat = False
        finally:
            self._busy = False

    async def _frames(self, beat: bool) -> list[str]:
        """What there is to tell: the table if it is news, then what has been said; a beat if that is nothing."""
        news = await self._news()
        frames = [news] if news is not None else []
        frames += [padded(said.frame()) for said in self._said()]
        return frames or ([self._beat()] if beat else [])

    def _said(self) -> Collection[Said]:
        """What has been said and not been passed on. Watchers who see late hear late what seats say."""
        said = self.hub.talk.of(self.live.table.id)
        if not said:
            return ()
        now = None if viewer_of(self.live.table, self.who) is not None else self.hub.clock()
        fresh = [one for one in said if one.id not in self._heard and (now is None or one.watch_at <= now)]
        if fresh:
            self._heard = self._heard.intersection(one.id for one in said).union(one.id for one in fresh)
        return fresh

    async def _news(self) -> str | None:
        await self._know()
        live, hub, now = self.live, self.hub, self.hub.clock()
        viewer = viewer_of(live.table, self.who)
        shown = live.shown(viewer, now)
        self._come_back(viewer, now)
        aside, names = await hub.aside(live, shown), await hub.people.names(shown.table)
        called = tuple([names[c.who] for c in shown.table.chairs if c and c.kind == "human"])
        news = (viewer, shown.table.feed(viewer), aside, called)
        if self.pushed == news:
            return None
        frame = self._frame(viewer, shown, names, aside) if self.who else hub.for_all(self, shown, names, aside)
        self.pushed, self.told = news, max(self.told, shown.told)
        return frame

    def _frame(self, viewer: Seat | None, shown: Shown, names: Mapping[str, str], aside: Aside) -> str:
        """What a viewer is shown of the table, with the lines since the last time."""
        held = seat_of(self.live.table, self.who)
        table = table_view(
            shown.table, viewer, self.hub.notes, names, who=self.who, covered=held if viewer is None else None,
            checkpoint=shown.checkpoint,
        )  # fmt: skip
        lines = lines_view(shown.table, self.live.told[self.told : shown.told], viewer, names)
        return padded(
            StateFrame(
                seen=table.seen, lines=lines, table=table, quiet=self.hub.quiet(self.live), next=aside.next,
                watchers_say=aside.watchers_say,
            )
        )  # fmt: skip

    def watching(self, shown: Shown, names: Mapping[str, str], aside: Aside) -> str:
        """As anyone is shown it who has nothing to do with the table."""
        return self._frame(None, shown, names, aside)

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
        if viewer is not None:
            return
        more = self.live.more_at(now)
        at = min([one.watch_at for one in self.hub.talk.of(self.live.table.id) if one.watch_at > now], default=more)
        if at is not None:
            at = at if more is None else min(at, more)
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

    def __init__(
        self, tables: Tables, people: People, asides: Asides, notes: Notes, clock: Callable[[], int]
    ) -> None:
        self.people, self.asides, self.notes, self.clock = people, asides, notes, clock
        self.talk = Talk()
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
        self._tell(live.table.id)

    def _tell(self, table_id: str) -> None:
        for feed in self._feeds.get(table_id, ()):
            self.start(feed)

    def said(self, table_id: str, said: Said) -> None:
        """Somebody has said something at a table."""
        self.talk.hear(table_id, said)
        self._tell(table_id)

    async def renamed(self, person_id: str) -> None:
        """Somebody is called otherwise now."""
        for table_id in await self.people.renamed(person_id):
            self._tell(table_id)

    async def set_aside(self, table_id: str) -> None:
        """What goes with a table has changed, here or elsewhere."""
        if self.asides.known(table_id) and await self.asides.read([table_id]):
            self._tell(table_id)

    async def look_again(self) -> None:
        """Names, and what goes with tables, may have changed without our hearing of it."""
        self.people.forget_names()
        watched = self.watched()
        for table_id in await self.asides.read(watched) if watched else ():
            self._tell(table_id)

    async def aside(self, live: Live, shown: Shown) -> Aside:
        """What goes with a table, for somebody who is told whenever it changes."""
        found = self.asides.known(live.table.id) or await self.asides.of(live.table.id)
        return found.seen_at(shown.table)

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

    def for_all(self, feed: Feed, shown: Shown, names: Mapping[str, str], aside: Aside) -> str:
        """The frame for a feed of somebody with no part in the table: made once for all that are told the same."""
        table_id = feed.live.table.id
        key = (shown.table.version, feed.told, shown.told, self.quiet(feed.live), aside, tuple(names.items()))
        known = self._frames.get(table_id)
        if known is None or known[0] != key:
            known = self._frames[table_id] = key, feed.watching(shown, names, aside)
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
                await self.asides.read(self.watched())
                self._quiet = await self.people.quiet(self.watched()) if feeds else {}
            finally:
                for feed in feeds:
                    self.start(feed, beat=True)

    async def close(self) -> None:
        """Stop all pushes."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
