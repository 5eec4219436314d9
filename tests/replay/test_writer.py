"""Group commit, and what becomes of appends when the database or the line to it breaks."""

import asyncio
import contextlib
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from deploy.local import Postgres
from replay import connections, writer
from replay.log import Conflict, Log, Timer, Unavailable
from replay.recorder import LOCK
from tests.replay.proxy import Wire
from tests.replay.test_log import A, B, event, timers, with_log

# Another process that stores an event, and does not wait for the log's lock.
INSERT = """
    INSERT INTO faircut_events (originator_id, originator_version, topic, state) VALUES (%s, %s, %s, %b)
"""


@contextlib.contextmanager
def held_up(url: str) -> Iterator[None]:
    """Saves wait in the database until this is left."""
    with psycopg.connect(url) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        yield


async def waits(url: str) -> None:
    """Until a save waits in the database."""

    def look() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            deadline = time.monotonic() + 60
            while connection.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone() is None:
                assert time.monotonic() < deadline, "no save came"
                time.sleep(0.005)  # between looks, until the deadline

    await asyncio.to_thread(look)


async def start(*appends: Coroutine[Any, Any, None]) -> list[asyncio.Task[None]]:
    """Appends that are on their way to the writer."""
    tasks = [asyncio.ensure_future(append) for append in appends]
    await asyncio.sleep(0)
    return tasks


def commits(url: str) -> int:
    """How many transactions stored what is in the log."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(DISTINCT xmin::text) FROM faircut_events").fetchone()
    assert row is not None
    return int(row[0])


def test_what_waits_together_is_one_commit(database: str) -> None:
    async def use(log: Log) -> None:
        with held_up(database):
            first = await start(log.append(A, 1, [event("first")]))
            await waits(database)
            tables = [f"table{n:011}" for n in range(40)]
            rest = await start(*[log.append(t, 1, [event("a"), event("b")], Timer("k", 1)) for t in tables])
        await asyncio.gather(*first, *rest)
        assert commits(database) == 2
        assert len(log.notifications(0, 100)) == 81
        assert len(timers(database)) == 40

    with_log(database, use)


def test_only_the_loser_fails(database: str) -> None:
    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")], Timer("kept", 1))
        with held_up(database):
            first = await start(log.append(B, 1, [event("opened")]))
            await waits(database)
            rest = await start(
                *[log.append(f"table{n:011}", 1, [event("a")], Timer("k", n)) for n in range(5)],
                log.append(A, 1, [event("stolen"), event("sat")], Timer("stolen", 9)),
                log.append(A, 9, [event("gap")]),
                log.append("table\0000000001", 1, [event("bad name")]),
                log.append("table00000000099", 1, [event("bad timer")], Timer("k", 2**63)),
                *[log.append(f"table{n:011}", 1, [event("a")]) for n in range(5, 10)],
            )
        await asyncio.gather(*first)
        outcomes = await asyncio.gather(*rest, return_exceptions=True)
        stolen, gap, bad_name, bad_timer = outcomes[5:9]
        assert (type(stolen), type(gap)) == (Conflict, Conflict)
        assert isinstance(bad_name, psycopg.DataError)
        assert isinstance(bad_timer, Exception)
        assert [*outcomes[:5], *outcomes[9:]] == [None] * 10
        assert [entry.raw for entry in await log.read(A)] == [event("opened")]
        assert timers(database)[A] == Timer("kept", 1)
        assert len(log.notifications(0, 100)) == 12

    with_log(database, use)


def test_two_of_a_group_want_the_same_version(database: str) -> None:
    async def use(log: Log) -> None:
        with held_up(database):
            first = await start(log.append(B, 1, [event("opened")]))
            await waits(database)
            rest = await start(*[log.append(A, 1, [event("mine", n)], Timer("mine", n)) for n in range(3)])
        outcomes = await asyncio.gather(*first, *rest, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [type(None), type(None), Conflict, Conflict]
        assert [entry.raw for entry in await log.read(A)] == [event("mine", 0)]
        assert timers(database) == {A: Timer("mine", 0)}

    with_log(database, use)


def test_one_group_may_hold_a_table_twice(database: str) -> None:
    async def use(log: Log) -> None:
        with held_up(database):
            first = await start(log.append(B, 1, [event("opened")]))
            await waits(database)
            rest = await start(
                log.append(A, 1, [event("opened")], Timer("old", 1)),
                log.append(A, 2, [event("sat")], Timer("new", 2)),
                log.append(A, 3, [event("sat")]),
            )
        await asyncio.gather(*first, *rest)
        assert commits(database) == 2
        assert len(await log.read(A)) == 3
        assert timers(database) == {A: Timer("new", 2)}

    with_log(database, use)


def test_who_stops_waiting_disturbs_nobody(database: str) -> None:
    async def use(log: Log) -> None:
        with held_up(database):
            gone, *others = await start(*[log.append(f"table{n:011}", 1, [event("a")]) for n in range(5)])
            await waits(database)
            gone.cancel()
        await asyncio.gather(*others)
        await log.append(A, 1, [event("opened")])
        assert len(log.notifications(0, 100)) == 6  # what had been handed over is stored all the same

    with_log(database, use)


def test_closing_stores_what_was_taken(database: str) -> None:
    async def run() -> None:
        log = Log(database)
        with held_up(database):
            tasks = await start(*[log.append(f"table{n:011}", 1, [event("a")]) for n in range(100)])
            closing = asyncio.ensure_future(log.close())
            await waits(database)
        await asyncio.gather(closing, *tasks)
        with pytest.raises(Unavailable):
            await log.append(A, 1, [event("late")])

    asyncio.run(run())
    with_log(database, lambda log: assert_length(log, 100))


async def assert_length(log: Log, length: int) -> None:
    assert len(log.notifications(0, 1000)) == length


def test_the_queue_has_an_end(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "QUEUE", 3)

    async def use(log: Log) -> None:
        with held_up(database):
            tasks = await start(*[log.append(f"table{n:011}", 1, [event("a")]) for n in range(5)])
            await asyncio.wait(tasks[3:])
            assert [type(task.exception()) for task in tasks[3:]] == [Unavailable, Unavailable]
        await asyncio.gather(*tasks[:3])
        await log.append(A, 1, [event("opened")])

    with_log(database, use)


@pytest.fixture
def wire(work_folder: Path, postgres: Postgres) -> Iterator[Wire]:
    folder = work_folder / "wire"
    folder.mkdir()
    wire = Wire(folder, postgres.socket)
    yield wire
    wire.close()
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def over(wire: Wire, url: str) -> str:
    """The URL with the wire in the place of the server's socket."""
    return make_conninfo(url, host=str(wire.folder))


def test_a_lost_acknowledgement_is_found(database: str, wire: Wire) -> None:
    """The commit happened, its answer did not arrive: the writer finds its own bytes, stored once."""

    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")])
        wire.lose_answer = True
        await log.append(A, 2, [event("sat", 1), event("sat", 2)], Timer("k", 2))
        assert not wire.lose_answer
        await log.append(A, 4, [event("started")])
        assert [entry.raw for entry in await log.read(A)] == [
            event("opened"), event("sat", 1), event("sat", 2), event("started"),
        ]  # fmt: skip
        assert timers(database) == {A: Timer("k", 2)}

    with_log(over(wire, database), use)


def test_a_lost_group_is_found_append_by_append(database: str, wire: Wire) -> None:
    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")])
        with held_up(database):
            first = await start(log.append(B, 1, [event("opened")]))
            await waits(database)
            rest = await start(*[log.append(f"table{n:011}", 1, [event("a", n)]) for n in range(20)])
            wire.lose_answer = True
        await asyncio.gather(*first, *rest)
        assert not wire.lose_answer
        assert commits(database) == 3  # nothing was stored one by one
        assert len(log.notifications(0, 1000)) == 22

    with_log(over(wire, database), use)


def test_a_lost_request_is_sent_again(database: str, wire: Wire) -> None:
    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")])
        wire.lose_request = True
        await log.append(A, 2, [event("sat")])
        assert not wire.lose_request
        wire.lose_request = True
        assert len(await log.read(A)) == 2  # reads go on too
        assert not wire.lose_request

    with_log(over(wire, database), use)


def test_another_ones_event_is_no_lost_acknowledgement(database: str, wire: Wire) -> None:
    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")])
        with held_up(database):
            wire.lose_request = True
            (mine,) = await start(log.append(A, 2, [event("mine")]))
            await waits(database)  # the second try
            with psycopg.connect(database, autocommit=True) as other:
                other.execute(INSERT, (A, 2, "other", event("other")))
        with pytest.raises(Conflict):
            await mine
        assert not wire.lose_request
        assert [entry.raw for entry in await log.read(A)] == [event("opened"), event("other")]

    with_log(over(wire, database), use)


async def outcome(append: Coroutine[Any, Any, None]) -> BaseException | None:
    try:
        await append
    except Exception as fault:
        return fault
    return None


def test_appends_work_again_after_an_outage(own_postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE_S", 0.2)

    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")])
        own_postgres.stop(now=True)  # and no session of it lives on, as after a kill it may for a moment
        appends = [outcome(log.append(B, 1, [event("b", n)])) for n in range(200)]
        outcomes = await asyncio.gather(*appends)
        assert {type(fault) for fault in outcomes} == {Unavailable}
        own_postgres.start()
        monkeypatch.undo()
        await log.append(A, 2, [event("sat")])
        assert [entry.version for entry in await log.read(A)] == [1, 2]
        assert await log.read(B) == []

    with_log(own_postgres.to("ready"), use)


def test_a_short_outage_is_waited_out(own_postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE_S", 60)  # the machine may be busy

    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")])
        own_postgres.kill()
        (appending,) = await start(log.append(A, 2, [event("sat")]))
        reading = asyncio.ensure_future(log.read(A))
        await asyncio.to_thread(own_postgres.start)
        await appending
        assert len(await reading) in (1, 2)
        assert len(await log.read(A)) == 2

    with_log(own_postgres.to("ready"), use)


def stored(log: Log, events: int) -> None:
    """Until so many events are in the log."""
    deadline = time.monotonic() + 60
    while len(log.notifications(0, 100)) < events:
        assert time.monotonic() < deadline
        time.sleep(0.005)  # between looks, until the deadline


def test_nobody_waits_without_end_for_a_save(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that hangs: whoever waits is told so. What was handed over is stored once it goes on."""
    monkeypatch.setattr(connections, "WAIT_S", 0.2)
    monkeypatch.setattr(writer, "QUEUE", 4)

    async def use(log: Log) -> None:
        with held_up(database):
            appends = [log.append(f"table{n:011}", 1, [event("a", n)]) for n in range(3)]
            outcomes = await asyncio.gather(*appends, return_exceptions=True)
            assert {type(fault) for fault in outcomes} == {Unavailable}
            more = await asyncio.gather(
                *[outcome(log.append(f"table{n:011}", 1, [event("a", n)])) for n in range(3, 6)]
            )
            assert [str(fault) for fault in more].count("too many appends are waiting") == 2
        await asyncio.to_thread(stored, log, 4)
        monkeypatch.setattr(connections, "WAIT_S", 60)
        await log.append(A, 1, [event("opened")])
        assert [entry.raw for entry in await log.read("table00000000002")] == [event("a", 2)]

    with_log(database, use)
