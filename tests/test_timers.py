"""Timers: once, never early, over kills of bus and engine; outages are given back before anything is fired."""

import asyncio
import itertools
import json
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from deploy.local import Nats, Postgres
from domain import events
from domain.chance import Vault
from domain.table import BOT_GRACE_MS
from projections import timers
from projections.timers import Timers
from replay import bus
from replay.log import Unavailable
from replay.schema import migrate
from replay.tables import replayed
from replay.tasks import end
from tests.projections.support import House, at_work, followed, house, until

LONG = 600_000


@pytest.fixture
def place(database: str, own_nats: Nats, tmp_path: Path) -> Any:
    return lambda: house(database, own_nats, tmp_path)


async def over(home: House, table: str) -> bool:
    return any(isinstance(event, events.Revealed) for event in await home.stored(table))


async def check(home: House, table: str, rounds: int) -> list[events.Event]:
    """Every round ended once, none before its time; the stored events, in order."""
    raws = [entry.raw for entry in await home.log.read(table)]
    stored = [events.decode(raw) for raw in raws]
    assert isinstance(stored[-1], events.Revealed)
    before, ticks = None, 0
    for step in replayed(raws, Vault(bytes.fromhex(stored[-1].seed))):
        if isinstance(step.event, events.Ticked):
            assert before is not None
            due = before.due()
            assert due is not None
            assert step.event.at - before.granted >= due.at
            ticks += 1
        before = step.table
    assert ticks == rounds
    return stored


def test_many_timers_fire_once_and_never_early_over_kills(place: Any, own_nats: Nats) -> None:
    """The bus and the engine are killed while timers run, together and one by one; outages here are short."""

    async def play() -> None:
        async with place() as home:
            with home.engine() as first:
                tables = []
                for n in range(120):
                    live = await home.begin("ticking", [None], ms=300 + 40 * n, rounds=2)
                    tables.append(live.table.id)
                await until("some have fired", lambda: _ticks(home) >= 20)
                own_nats.kill()
                await until("the sweeper goes on", lambda: _ticks(home) >= 50)
                own_nats.start()
                await until("more have fired", lambda: _ticks(home) >= 90)
                first.kill()
                with home.engine():
                    await until("more have fired", lambda: _ticks(home) >= 130)
                    own_nats.kill()
                    own_nats.start()
                    for table in tables:
                        await until("it is over", lambda table=table: over(home, table))
            for table in tables:
                await check(home, table, 2)
            assert home.ask("SELECT count(*) FROM timers") == [(0,)]

    asyncio.run(play())


def _ticks(home: House) -> int:
    return int(home.ask("SELECT count(*) FROM faircut_events WHERE topic = 'ticked'")[0][0])


def test_an_alarm_fires_without_the_sweeper(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timers, "_DUE", "SELECT table_id, key FROM timers WHERE false LIMIT %s")

    async def play() -> None:
        async with place() as home, at_work(home) as engine:
            await until("the first look", engine.timers.may_fire)
            live = await home.begin("ticking", [None], ms=1000)
            await until("it rang", lambda: over(home, live.table.id))
            await check(home, live.table.id, 1)

    asyncio.run(play())


def test_an_early_or_unknown_alarm_does_nothing(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home) as engine:
            await until("the first look", engine.timers.may_fire)
            live = await home.begin("ticking", [None], ms=LONG)
            table, js = live.table.id, home.client.jetstream()
            for body in (
                {"table": table, "key": "round:1", "at": 0},
                {"table": table, "key": "round:0", "at": 0},
                {"table": "nosuchtable00000", "key": "round:1", "at": 0},
                {"nonsense": True},
            ):
                await js.publish(bus.due(table), json.dumps(body).encode())
                await until("heard", lambda: _heard_all(home))
            assert len(await home.stored(table)) == live.table.version
            assert not await home.tables.fire(table, "round:1")
            assert not await home.tables.fire(table, "round:7")

    asyncio.run(play())


async def _heard_all(home: House) -> bool:
    info = await home.client.jetstream().consumer_info(bus.TIMER, bus.FIRE)
    return info.num_pending == 0 and info.num_ack_pending == 0


def test_a_bot_that_is_silent_gets_its_fallback_played(place: Any) -> None:
    async def play() -> None:
        async with place() as home:
            now = time.time_ns() // 1_000_000
            home.tables.clock = lambda: now - BOT_GRACE_MS
            live = await home.begin("ticking", ["easy", None], ms=LONG, asks="on")
            async with at_work(home):
                await until("played", lambda: _moves(home, live.table.id))
            (move,) = await _moves(home, live.table.id)
            assert (move.seat, move.by, move.move) == (0, "timer", {"type": "note", "text": "nothing"})

    asyncio.run(play())


async def _moves(home: House, table: str) -> list[events.Moved]:
    return [event for event in await home.stored(table) if isinstance(event, events.Moved)]


# -- outages ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outages count from 1.5 s."""
    monkeypatch.setattr(timers, "EVERY_S", 0.1)
    monkeypatch.setattr(timers, "GAP_MS", 1500)
    monkeypatch.setattr(timers, "FRESH_MS", 1000)


async def granted(home: House, table: str) -> list[events.Granted]:
    """What a table was given back, no moment of it twice. A machine that stalls may add an outage of its own."""
    found = [event for event in await home.stored(table) if isinstance(event, events.Granted)]
    for one, other in itertools.pairwise(found):
        assert one.since + one.ms <= other.since
    return found


def ticked(stored: list[events.Event]) -> events.Event:
    (tick,) = [event for event in stored if isinstance(event, events.Ticked)]
    return tick


def test_what_an_engine_missed_is_given_back_once(place: Any, hasty: None) -> None:
    async def play() -> None:
        async with place() as home:
            async with at_work(home):
                live = await home.begin("ticking", [None, None], ms=4000)
                calm = await home.tables.open("ticking", 1, {})
                await until("it beats", lambda: home.ask("SELECT 1 FROM heartbeats"))
            assert not await over(home, live.table.id)
            ((last,),) = home.ask("SELECT at FROM heartbeats WHERE part = 'engine'")
            due = live.table.state.closes
            await until("its time is over", lambda: time.time() * 1000 > due + 500)
            version = len(await home.stored(live.table.id))
            async with at_work(home):
                await until("given back", lambda: granted(home, live.table.id))
                assert len(await home.stored(live.table.id)) == version + 1  # before anything is fired
                await until("over", lambda: over(home, live.table.id))
            grants = await granted(home, live.table.id)
            assert grants[0].since == max(last, _started(await home.stored(live.table.id)))
            assert grants[0].ms >= due + 500 - grants[0].since
            stored = await check(home, live.table.id, 1)
            assert ticked(stored).at >= due + sum(grant.ms for grant in grants)
            assert len(await home.stored(calm.table.id)) == 1  # nothing runs there
            assert ("engine", last) in home.ask("SELECT part, since FROM outages WHERE given")

    asyncio.run(play())


def _started(stored: list[events.Event]) -> int:
    return next(event.at for event in stored if isinstance(event, events.Started))


def test_an_outage_that_is_given_again_gives_nothing(place: Any, hasty: None) -> None:
    """As after a crash between giving and noting it."""

    async def play() -> None:
        async with place() as home:
            live = await home.begin("ticking", [None], ms=LONG)
            at = live.table.at
            await until("time passes", lambda: time.time() * 1000 > at + 300)
            with psycopg.connect(home.database) as connection:
                for part in ("engine", "api"):
                    connection.execute(
                        "INSERT INTO outages (part, since, until) VALUES (%s, %s, %s)", (part, at - 5000, at + 250)
                    )
            async with at_work(home):
                await until("given", lambda: not home.ask("SELECT 1 FROM outages WHERE NOT given"))
            with psycopg.connect(home.database) as connection:
                connection.execute("UPDATE outages SET given = false")
            async with at_work(home):
                await until("given", lambda: not home.ask("SELECT 1 FROM outages WHERE NOT given"))
            grants = await granted(home, live.table.id)
            assert (grants[0].since, grants[0].ms) == (at, 250)

    asyncio.run(play())


def test_nothing_is_fired_while_the_api_is_silent(place: Any, hasty: None) -> None:
    async def play() -> None:
        async with place() as home:
            api = asyncio.create_task(timers.beat(home.log, "api"))
            await until("it beats", lambda: home.ask("SELECT 1 FROM heartbeats WHERE part = 'api'"))
            async with at_work(home) as engine:
                await until("the first look", engine.timers.may_fire)
                live = await home.begin("ticking", [None], ms=6000)
                await end(api)
                await until("it is missed", lambda: engine.timers._held == "api")
                due = live.table.state.closes
                await until("its time is over", lambda: time.time() * 1000 > due + 1500)
                assert not await over(home, live.table.id)
                await timers.back(home.log, "api")
                grants = await granted(home, live.table.id)  # before the API goes on
                assert grants
                api = asyncio.create_task(timers.beat(home.log, "api"))
                await until("over", lambda: over(home, live.table.id))
                await end(api)
                stored = await check(home, live.table.id, 1)
                assert ticked(stored).at >= due + sum(grant.ms for grant in grants)

    asyncio.run(play())


def test_a_house_without_an_api_does_not_wait_for_one(place: Any, hasty: None) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.begin("ticking", [None], ms=300)
            await until("over", lambda: over(home, live.table.id))

    asyncio.run(play())


def test_the_apis_of_a_house_beat_as_one(place: Any, hasty: None) -> None:
    async def play() -> None:
        async with place() as home:
            first = asyncio.create_task(timers.beat(home.log, "api"))
            second = asyncio.create_task(timers.beat(home.log, "api"))
            await until("they beat", lambda: home.ask("SELECT 1 FROM heartbeats WHERE part = 'api'"))
            await end(first)
            ((at,),) = home.ask("SELECT at FROM heartbeats WHERE part = 'api'")
            await until("time passes", lambda: home.ask("SELECT at FROM heartbeats")[0][0] > at + 1500)
            await end(second)
            assert home.ask("SELECT * FROM outages") == []

    asyncio.run(play())


def test_an_outage_of_the_database_is_given_back(
    own_postgres: Postgres, own_nats: Nats, tmp_path: Path, hasty: None
) -> None:
    async def play() -> None:
        url = own_postgres.to("ready")
        migrate(url)
        async with house(url, own_nats, tmp_path) as home, at_work(home) as engine:
            await until("the first look", engine.timers.may_fire)
            live = await home.begin("ticking", [None], ms=2500)
            due = live.table.state.closes
            own_postgres.kill()
            await until("its time is over", lambda: time.time() * 1000 > due + 500)
            await asyncio.to_thread(own_postgres.start)
            await until("over", lambda: over(home, live.table.id))
            grants = await granted(home, live.table.id)
            stored = await check(home, live.table.id, 1)
            assert stored.index(grants[0]) < stored.index(ticked(stored))
            assert sum(grant.ms for grant in grants) >= due + 500 - grants[0].since

    asyncio.run(play())


@pytest.mark.parametrize("event", [events.Left, events.Agreed])
def test_nobody_takes_the_time_that_another_lost_by_being_first(place: Any, hasty: None, event: type[Any]) -> None:
    """What a part is asked after a silence, it does once that has been given back, whoever asks."""

    async def play() -> None:
        async with place() as home:
            presence = timers.Presence(home.log, "api")
            home.tables.ready = presence.ready
            live = await home.begin("ticking", [None, None], ms=LONG)
            ((last,),) = home.ask("SELECT at FROM heartbeats WHERE part = 'api'")
            await until("it was silent", lambda: time.time() * 1000 > last + timers.GAP_MS + 100)
            asked = [asyncio.create_task(home.act(live.table.id, event, seat=1)) for _ in range(3)]
            await until("it has noticed", lambda: home.ask("SELECT 1 FROM outages"))
            assert not any(task.done() for task in asked)
            async with at_work(home):
                await asyncio.gather(*asked, return_exceptions=True)
            grants = await granted(home, live.table.id)
            stored = await home.stored(live.table.id)
            first = next(i for i, found in enumerate(stored) if isinstance(found, event))
            assert stored.index(grants[0]) < first
            assert grants[0].ms >= timers.GAP_MS

    asyncio.run(play())


def test_a_house_without_an_engine_goes_on(place: Any, hasty: None) -> None:
    async def play() -> None:
        async with place() as home:
            presence = timers.Presence(home.log, "api")
            home.tables.ready = presence.ready
            live = await home.begin("ticking", [None], ms=LONG)
            with psycopg.connect(home.database) as connection:
                connection.execute("INSERT INTO outages (part, since, until) VALUES ('api', 0, 1)")
            await until("it beats no more", lambda: not presence.fresh())
            await home.act(live.table.id, events.Left, seat=0)
            chair = (await home.tables.get(live.table.id)).table.chairs[0]
            assert chair
            assert chair.left

    asyncio.run(play())


def test_who_asks_while_the_database_is_away_is_told_so(
    own_postgres: Postgres, own_nats: Nats, tmp_path: Path, hasty: None
) -> None:
    async def play() -> None:
        url = own_postgres.to("ready")
        migrate(url)
        async with house(url, own_nats, tmp_path) as home:
            presence = timers.Presence(home.log, "api")
            home.tables.ready = presence.ready
            live = await home.begin("ticking", [None, None], ms=LONG)
            own_postgres.kill()
            await until("it is missed", lambda: not presence.fresh())
            asked = [home.act(live.table.id, events.Left, seat=1) for _ in range(20)]
            refused = await asyncio.gather(*asked, return_exceptions=True)
            assert {type(no) for no in refused} == {Unavailable}
            await asyncio.to_thread(own_postgres.start)
            async with at_work(home):
                await home.act(live.table.id, events.Left, seat=1)
            stored = await home.stored(live.table.id)
            assert [type(found) for found in stored[-2:]] == [events.Granted, events.Left]

    asyncio.run(play())


def test_a_table_that_cannot_go_on_holds_up_no_other(
    place: Any, hasty: None, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        async with place() as home:
            broken = await home.begin("ticking", [None], ms=300)
            move = events.Moved(at=broken.table.at, seat=0, move={"type": "nonsense"}, by="person", command="c")
            await home.log.append(broken.table.id, broken.table.version + 1, [events.encode(move)])
            with psycopg.connect(home.database) as connection:
                connection.execute("INSERT INTO outages (part, since, until) VALUES ('api', 0, 1)")
            async with at_work(home):
                live = await home.begin("ticking", [None], ms=300)
                await until("over", lambda: over(home, live.table.id))
                await until("told", lambda: f"time cannot go on at table {broken.table.id}" in caplog.text)
            assert "nonsense" not in caplog.text

    asyncio.run(play())


def test_of_two_engines_one_fires(place: Any, hasty: None) -> None:
    async def play() -> None:
        async with place() as home, at_work(home) as first:
            await until("the first look", first.timers.may_fire)
            second = Timers(home.log, home.tables, home.client)
            task = asyncio.create_task(second.run())
            live = await home.begin("ticking", [None], ms=200)
            await until("over", lambda: over(home, live.table.id))
            assert not second.may_fire()
            await end(task)
            await followed(home, "relay")

    asyncio.run(play())
