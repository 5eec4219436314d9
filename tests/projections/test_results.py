"""Results and records: every table that ended, for whoever may know, and nothing before it may be known."""

import asyncio
from pathlib import Path
from typing import Any

import psycopg
import pytest

from deploy.local import Nats
from domain import chance, events
from projections.results import Result, Results, finished, record_of, result_of
from projections.run import rebuild
from replay import bus
from replay.audit import audit
from tests.projections.support import House, at_work, followed, house, until

LATER = 2**50  # long after all delays


async def results(home: House, now: int = LATER, **ask: Any) -> list[Result]:
    async with await psycopg.AsyncConnection.connect(home.database) as connection:
        return await finished(connection, now, **ask)


async def one(home: House, table: str, now: int = LATER) -> tuple[Result | None, bytes | None]:
    async with await psycopg.AsyncConnection.connect(home.database) as connection:
        return await result_of(connection, table, now), await record_of(connection, table, now)


async def ended(home: House, table: str) -> Result:
    await followed(home, "results")
    found, _ = await one(home, table)
    assert found is not None
    return found


@pytest.fixture
def place(database: str, own_nats: Nats, tmp_path: Path) -> Any:
    return lambda: house(database, own_nats, tmp_path)


def test_a_game_that_was_played(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.begin("ticking", [None, None, "hard"], ms=200)
            table = live.table.id
            await home.act(table, events.Left, seat=1)
            await home.act(table, events.Covered, seat=1, level="easy")
            await until("the time is up", lambda: _over(home, table))
            found = await ended(home, table)
            assert (found.game, found.rules, found.how) == ("ticking", 1, "played")
            assert (found.places, found.totals, found.sides) == ((1, 1, 1), (0, 0, 0), None)
            host, covered, bot = found.seats
            assert (host.kind, host.who, host.level) == ("human", "person0", None)
            assert (host.covered, host.left) == (False, False)
            assert (covered.who, covered.covered, covered.left) == ("person1", True, True)
            assert (bot.kind, bot.level, bot.covered) == ("bot", "hard", False)
            assert not any(seat.cut for seat in found.seats)
            stored = await home.stored(table)
            assert found.events == len(stored)
            assert (found.opened_at, found.ended_at) == (stored[0].at, stored[-1].at)
            assert found.started_at == next(e.at for e in stored if isinstance(e, events.Started))
            assert found.host == "person0"

    asyncio.run(play())


async def _over(home: House, table: str) -> bool:
    return any(isinstance(event, events.Revealed) for event in await home.stored(table))


def test_voided_and_closed_tables_are_published_too(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.tables.open("ticking", 1, {})
            await home.sit(live.table.id, 0, cut=chance.promise(live.table.d_1, 0, bytes(32)).hex())
            await home.start(live.table.id)
            clock, home.tables.clock = home.tables.clock, lambda: live.table.at + 20_000
            assert await home.tables.fire(live.table.id, "cut")
            home.tables.clock = clock
            voided = await ended(home, live.table.id)
            assert (voided.how, voided.places, voided.totals) == ("voided", None, None)
            assert voided.seats[0] is not None
            assert not voided.seats[0].cut

            never = await home.tables.open("ticking", 2, {})
            await home.close(never.table.id, "host")
            closed = await ended(home, never.table.id)
            assert (closed.how, closed.started_at, closed.seats) == ("host", None, (None, None))

            for table in (live.table.id, never.table.id):
                _, record = await one(home, table)
                assert record is not None
                report = audit(record, home.signer.keys)
                assert report.exit == 0, report

    asyncio.run(play())


def test_a_table_that_never_started_has_nothing_to_wait_for(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.tables.open("ticking", 1, {}, watch_delay=3_600_000)
            await home.close(live.table.id)
            await followed(home, "results")
            for viewer_at in (live.table.at, LATER):
                found, record = await one(home, live.table.id, viewer_at)
                assert found
                assert record
                assert audit(record, home.signer.keys).exit == 0

    asyncio.run(play())


def test_the_record_is_the_log_signed_and_goes_on_the_bus_once_it_may(place: Any) -> None:
    async def play() -> None:
        async with place() as home:
            delay, said = 3_600_000, []

            async def hear(msg: Any) -> None:
                said.append(msg)

            await home.client.subscribe("faircut.replay.>", cb=hear)
            async with at_work(home):
                late = await home.begin("ticking", [None], watch_delay=delay, ms=600_000)
                await home.close(late.table.id)
                live = await home.begin("ticking", [None], ms=600_000)
                await home.close(live.table.id)
                await until("the record is on the bus", lambda: said)
                (msg,) = said
                assert msg.subject == bus.replay("ticking", live.table.id)
                _, record = await one(home, live.table.id)
                assert msg.data == record
                assert audit(record, home.signer.keys).exit == 0
                assert [line.split(b" ", 1)[1] for line in record.split(b"\n\n")[0].split(b"\n")] == [
                    entry.raw for entry in await home.log.read(live.table.id)
                ]
                kept = await home.client.jetstream().get_last_msg(bus.REPLAY, msg.subject)
                assert kept.data == record

                # The delayed one is known to nobody yet, not even that it ended.
                await followed(home, "results")
                at = late.table.at
                assert [r.id for r in await results(home, at + delay - 1)] == [live.table.id]
                assert await one(home, late.table.id, at + delay - 1) == (None, None)
                found, record = await one(home, late.table.id, at + delay)
                assert found is not None
                assert record is not None
                assert len(await results(home, at + delay)) == 2
                assert len(said) == 1
                waiting = home.ask("SELECT id, shown_from FROM results.unpublished")
                assert waiting == [(late.table.id, at + delay)]

    asyncio.run(play())


def test_latest_first_by_pages_and_a_rebuild_is_the_same(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            for n in range(5):
                live = await home.begin("ticking", ["easy", None], ms=600_000)
                await home.close(live.table.id, f"reason_{'abcde'[n]}")
            await followed(home, "results")
            found = await results(home)
            assert [(r.ended_at, r.id) for r in found] == sorted(((r.ended_at, r.id) for r in found), reverse=True)
            pages: list[Result] = []
            before = None
            while page := await results(home, before=before, limit=2):
                pages += page
                before = (page[-1].ended_at, page[-1].id)
            assert pages == found
            assert [r.id for r in await results(home, tables=[found[3].id])] == [found[3].id]
            assert await results(home, game="michigan_rummy") == []

            query = "SELECT * FROM results.finished ORDER BY id"
            rows = home.ask(query)
            await asyncio.to_thread(rebuild, home.log, Results(home.log, home.signer), 4)
            assert home.ask(query) == rows

    asyncio.run(play())
