"""Buying windows on real timers: opened by a discard, closed once, over kills of engine, bus and database."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deploy.local import START_S, Nats, Postgres
from domain import events
from domain.chance import Vault
from domain.contract_rummy.window import SOONEST_MS, SPREAD_MS
from domain.game import Illegal, Seat
from domain.table import Next
from projections import timers
from replay import record
from replay.audit import audit
from replay.log import Unavailable
from replay.schema import migrate
from replay.tables import Tables, replayed, wall_ms
from tests.projections.support import House, at_work, house, in_time, until

SECONDS = 10  # the shortest time to buy that there is
LONGEST_S = 150.0  # a test that waits for longer says where
_commands = itertools.count()


@pytest.fixture
def place(database: str, own_nats: Nats, tmp_path: Path) -> Any:
    return lambda: house(database, own_nats, tmp_path)


def run(play: Callable[[], Awaitable[None]]) -> None:
    """Play in an event loop, but not for ever."""
    asyncio.run(in_time("the whole play", play(), LONGEST_S))


class Played:
    """A table of three: seat `thrower` is about to discard, `next` plays then, and `buyer` alone may buy."""

    def __init__(self, home: House, table: str, first: Seat) -> None:
        self.home, self.table = home, table
        self.thrower, self.next, self.buyer = (Seat((first + i) % 3) for i in range(3))

    async def move(self, seat: Seat, move: dict[str, Any]) -> Any:
        """A move of a person, who answers what is asked."""
        tables = self.home.tables
        asked = [o.decision.key for o in (await tables.get(self.table)).table.owed if o.decision.seat == seat]
        command = f"command{next(_commands)}"
        return await tables.move(self.table, seat, move, key=asked[0] if asked else None, command=command)

    async def buy(self, tables: Tables | None = None) -> str:
        """The code with which a claim is refused; "" if it stands. It names no key: what it means is the card."""
        claim, command = {"type": "buy"}, f"command{next(_commands)}"
        try:
            await (tables or self.home.tables).move(self.table, self.buyer, claim, key=None, command=command)
        except Illegal as no:
            return no.code
        return ""

    async def throw(self, ago: int = 0) -> None:
        """Discard; the window opens `ago` ms before now."""
        self.home.tables.clock = lambda: wall_ms() - ago
        state = (await self.home.tables.get(self.table)).table.state
        await self.move(self.thrower, {"type": "discard", "card": state.hands[self.thrower][0]})
        self.home.tables.clock = wall_ms

    async def steps(self) -> list[Next]:
        """What is stored, followed anew."""
        raws = [entry.raw for entry in await self.home.log.read(self.table)]
        vault: Vault = await self.home.tables._vault(self.table)
        return list(replayed(raws, vault))

    async def check(self, by: type[events.Event] = events.Ticked) -> list[events.Event]:  # type: ignore[valid-type]
        """The window has closed once, through an event of this kind, and no timer was early; the events since it
        opened.
        """
        steps = await self.steps()
        opened = next(i for i, step in enumerate(steps) if any(line.kind == "discard" for line in step.lines))
        since = steps[opened + 1 :]
        closed = [step for step in since if any(line.kind == "closed" for line in step.lines)]
        assert [type(step.event) for step in closed] == [by]
        for before, after in itertools.pairwise(steps):
            if isinstance(after.event, events.Ticked):
                due = before.table.due()
                assert due is not None
                assert after.event.at - before.table.granted >= due.at
        assert sum(isinstance(step.event, events.Ticked) for step in since) == (by is events.Ticked)
        return [step.event for step in since]


async def begin(home: House, ago: int = 60_000, prefs: str = "ask") -> Played:
    """A table whose first seat has taken the upcard, so long ago that nobody is slow any more."""
    home.tables.clock = lambda: wall_ms() - ago
    live = await home.begin("contract_rummy", [None] * 3, buy_seconds=SECONDS)
    played = Played(home, live.table.id, live.table.state.turn)
    await played.move(played.thrower, {"type": "take"})
    if prefs != "ask":
        await played.move(played.buyer, {"type": "buy_pref", "pref": prefs})
    home.tables.clock = wall_ms
    return played


async def shut(played: Played) -> bool:
    """Whether buying has closed, as the log has it."""
    return any(line.kind == "closed" for step in await played.steps() for line in step.lines)


async def all_shut(home: House, tables: list[Played]) -> None:
    """Wait until the log has it that buying has closed at each table."""
    for played in tables:
        await until(f"it closes, at {played.table}", lambda played=played: shut(played))


# -- once -------------------------------------------------------------------------------------------------------------


def test_windows_close_once_over_kills_of_all_servers(own_postgres: Postgres, own_nats: Nats, tmp_path: Path) -> None:
    """Some are decided before their time; the timers of those are gone, and nothing more comes of them."""

    async def play() -> None:
        url = own_postgres.to("ready")
        migrate(url)
        async with house(url, own_nats, tmp_path) as home:
            with home.engine() as first:
                tables = [await begin(home) for _ in range(16)]
                for n, played in enumerate(tables):
                    await played.throw(ago=7_500 - 400 * n)  # the first closes in 2.5 s, the last in 8.5 s
                decided = tables[-4:]
                assert await decided[0].buy() == ""
                for played in decided[1:]:
                    await played.move(played.buyer, {"type": "pass"})
                await until("the first closes", lambda: shut(tables[0]))
                own_nats.kill()
                await until("without the bus", lambda: shut(tables[3]))
                own_nats.start()
                first.kill()
                with home.engine():
                    await until("by another engine", lambda: shut(tables[5]))
                    own_postgres.kill()
                    await in_time("the database starts", asyncio.to_thread(own_postgres.start), START_S)
                    await until("the log is there", lambda: answers(home))
                    await all_shut(home, tables)
                    late = await begin(home)
                    await late.throw(ago=SECONDS * 1000)
                    await all_shut(home, [late])
            for played in tables[:-4]:
                await played.check()
            assert [type(event) for event in await decided[0].check(events.Moved)] == [events.Moved]
            for played in decided[1:]:
                await played.check(events.Moved)
            assert home.ask("SELECT count(*) FROM timers") == [(0,)]

    run(play)


async def answers(home: House) -> bool:
    try:
        await home.log.read("nosuchtable00000")
    except Unavailable:
        return False
    return True


def test_a_pass_that_comes_by_itself_comes_at_its_moment(place: Any) -> None:
    """With one seat that could buy and wishes to be skipped, buying closes there and then."""

    async def play() -> None:
        async with place() as home, at_work(home) as engine:
            await until("the first look", engine.timers.may_fire)
            tables = [await begin(home, prefs="never") for _ in range(4)]
            for played in tables:
                await played.throw()
            await all_shut(home, tables)
            for played in tables:
                (tick,) = await played.check()
                (opened,) = [s.event.at for s in await played.steps() if any(x.kind == "discard" for x in s.lines)]
                (timed,) = (await home.tables.refresh(played.table, 10**6)).table.state.window.timed
                assert SOONEST_MS <= timed.delay < SOONEST_MS + SPREAD_MS
                assert tick.at >= opened + timed.delay

    run(play)


# -- races ------------------------------------------------------------------------------------------------------------


def other(home: House) -> Tables:
    """The tables as another process has them, which looks at the log only when it must."""
    return Tables(home.log, home.sealer)


@pytest.mark.parametrize("first", ["claim", "time"])
def test_of_a_claim_and_the_time_the_first_in_the_log_wins(place: Any, first: str) -> None:
    """Both come when the time is over, from processes of which the second has not heard of the first.

    An audit of the record finds the same.
    """

    async def play() -> None:
        async with place() as home:
            played = await begin(home)
            await played.throw(ago=SECONDS * 1000 + 5)
            mine, theirs = other(home), other(home)
            due = (await mine.get(played.table)).table.due()
            assert due is not None
            await theirs.get(played.table)
            if first == "claim":
                assert await played.buy(mine) == ""
                assert not await theirs.fire(played.table, due.key)
                (move,) = await played.check(events.Moved)
                assert move.at >= due.at
            else:
                assert await mine.fire(played.table, due.key)
                assert await played.buy(theirs) == "BUYING_CLOSED"
                (tick,) = await played.check()
                assert tick.at >= due.at
            await home.close(played.table)
            written = record.write(await home.tables.entries(played.table), home.signer)
            assert audit(written, home.signer.keys).exit == 0

    run(play)


def test_claims_and_the_time_at_the_same_moment(place: Any) -> None:
    """One of the two counts, at every table, and whoever lost is told so."""

    async def play() -> None:
        async with place() as home, at_work(home) as engine:
            await until("the first look", engine.timers.may_fire)
            tables = [await begin(home) for _ in range(12)]
            for played in tables:
                await played.throw(ago=SECONDS * 1000 - 7_000)
            mine, theirs = other(home), other(home)
            keys = [(await mine.get(played.table)).table.due().key for played in tables]  # type: ignore[union-attr]
            for played in tables:
                await theirs.get(played.table)
            due = max([(await mine.get(played.table)).table.due().at for played in tables])  # type: ignore[union-attr]
            await until("the time has come", lambda: wall_ms() >= due)
            fires = [theirs.fire(played.table, key) for played, key in zip(tables, keys, strict=True)]
            said = await asyncio.gather(*(played.buy(mine) for played in tables), *fires)
            for played, code in zip(tables, said, strict=False):
                assert code in ("", "BUYING_CLOSED")
                await played.check(events.Ticked if code else events.Moved)

    run(play)


# -- outages ----------------------------------------------------------------------------------------------------------


def test_an_engine_that_was_killed_gives_its_time_back_to_who_was_deciding(place: Any) -> None:
    """Its window's time is over when another engine is there, and whoever was deciding may still buy."""

    async def play() -> None:
        async with place() as home:
            with home.engine() as first:
                await until("it beats", lambda: home.ask("SELECT 1 FROM heartbeats"))
                slow, quick = await begin(home), await begin(home)
                for played in (slow, quick):
                    await played.throw(ago=3_000)
                due = (await home.tables.get(slow.table)).table.due()
                assert due is not None
                first.kill()
            ((last,),) = home.ask("SELECT at FROM heartbeats WHERE part = 'engine'")
            await until("that is an outage", lambda: wall_ms() > max(due.at, last + timers.GAP_MS) + 300)
            with home.engine():
                await until("given back", lambda: grants(slow))
                await until("given back", lambda: grants(quick))
                live = await home.tables.refresh(quick.table, 10**6)
                assert not live.table.state.window.shut
                assert await quick.buy() == ""
                await all_shut(home, [slow])
            (grant, tick) = await slow.check()
            assert isinstance(grant, events.Granted)
            assert grant.since == last
            assert grant.ms >= timers.GAP_MS
            assert tick.at >= due.at + grant.ms
            assert [type(event) for event in await quick.check(events.Moved)] == [events.Granted, events.Moved]

    run(play)


async def grants(played: Played) -> list[events.Event]:
    return [event for event in await played.home.stored(played.table) if isinstance(event, events.Granted)]


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Outages count from 1.5 s."""
    monkeypatch.setattr(timers, "EVERY_S", 0.1)
    monkeypatch.setattr(timers, "GAP_MS", 1500)
    monkeypatch.setattr(timers, "FRESH_MS", 1000)
    return


def test_time_is_given_back_to_a_window_that_was_not_heard_of(place: Any) -> None:
    """A discard is stored, and before the engine hears of it all goes down: its window gets the time none the less."""

    async def play() -> None:
        async with place() as home:
            played = await begin(home)
            theirs = other(home)
            assert (await theirs.get(played.table)).table.due() is None
            await played.throw(ago=5_000)
            thrown = (await home.tables.get(played.table)).table.at
            assert await theirs.grant(played.table, thrown - 1_000, thrown + 3_000)
            (grant,) = await grants(played)
            assert isinstance(grant, events.Granted)
            assert (grant.since, grant.ms) == (thrown, 3_000)
            assert not await theirs.grant(played.table, thrown - 1_000, thrown + 3_000)

    run(play)


def test_a_database_that_was_killed_gives_its_time_back(
    own_postgres: Postgres, own_nats: Nats, tmp_path: Path, hasty: None
) -> None:
    async def play() -> None:
        url = own_postgres.to("ready")
        migrate(url)
        async with house(url, own_nats, tmp_path) as home, at_work(home) as engine:
            await until("the first look", engine.timers.may_fire)
            played = await begin(home)
            await played.throw(ago=7_000)
            due = (await home.tables.get(played.table)).table.due()
            assert due is not None
            own_postgres.kill()
            own_nats.kill()
            killed = wall_ms()
            await until("its time is over", lambda: wall_ms() > max(due.at, killed + timers.GAP_MS) + 500)
            await in_time("the database starts", asyncio.to_thread(own_postgres.start), START_S)
            own_nats.start()
            await until("the log is there", lambda: answers(home))
            await all_shut(home, [played])
            stored = await played.check()
            given = sum(event.ms for event in stored if isinstance(event, events.Granted))
            assert given >= 500
            assert isinstance(stored[-1], events.Ticked)
            assert stored[-1].at >= due.at + given

    run(play)
