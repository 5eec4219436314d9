"""What the log promises: order, all or nothing, one writer a version, timers with their events, positions."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from eventsourcing.persistence import IntegrityError
from psycopg.sql import SQL, Identifier

from deploy.local import Postgres
from replay.log import Conflict, House, Log, Notified, NotReady, Stored, Timer, Unavailable
from replay.recorder import Envelope
from replay.schema import migrate

A, B = "tablea0000000001", "tableb0000000001"


def event(kind: str, n: int = 0) -> bytes:
    return b'{"n":%d,"type":"%s"}' % (n, kind.encode())


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Log]:
    log = Log(url)
    try:
        yield log
    finally:
        await log.close()


def with_log(url: str, use: Callable[[Log], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with opened(url) as log:
            await use(log)

    asyncio.run(run())


def timers(url: str) -> dict[str, Timer]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT table_id, key, due_at FROM timers").fetchall()
        return {table: Timer(key, due) for table, key, due in rows}


def test_a_table_reads_back_in_order(database: str) -> None:
    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened"), event("sat")])
        await log.append(B, 1, [event("opened", 9)])
        await log.append(A, 3, [event("started")])
        assert await log.read(A) == [
            Stored(1, event("opened")), Stored(2, event("sat")), Stored(3, event("started")),
        ]  # fmt: skip
        assert await log.read(A, after=2) == [Stored(3, event("started"))]
        assert await log.read(A, until=1) == [Stored(1, event("opened"))]
        assert await log.read(A, after=1, until=2) == [Stored(2, event("sat"))]
        assert log.read_sync(B) == [Stored(1, event("opened", 9))]
        assert await log.read("nosuchtable00001") == []

    with_log(database, use)


def test_what_is_stored_is_the_bytes_under_the_tag(database: str) -> None:
    raw = b'{"at":1,"move":{"type":"draw"},"type":"moved"}'
    with_log(database, lambda log: log.append(A, 1, [raw]))
    with psycopg.connect(database) as connection:
        row = connection.execute(
            "SELECT originator_id, originator_version, topic, state FROM faircut_events"
        ).fetchone()
    assert row == (A, 1, "moved", raw)


def test_a_version_belongs_to_who_was_first(database: str) -> None:
    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")])
        await log.append(A, 2, [event("sat", 1)])
        with pytest.raises(Conflict):
            await log.append(A, 2, [event("sat", 2)])
        with pytest.raises(Conflict):
            await log.append(A, 1, [event("opened"), event("sat", 2)])
        assert [entry.raw for entry in await log.read(A)] == [event("opened"), event("sat", 1)]

    with_log(database, use)


def test_the_same_bytes_again_are_the_same_event(database: str) -> None:
    async def use(log: Log) -> None:
        for _ in range(2):
            await log.append(A, 1, [event("opened"), event("sat")])
        await log.append(A, 3, [event("started")])
        await log.append(A, 1, [event("opened"), event("sat")])
        assert [entry.version for entry in await log.read(A)] == [1, 2, 3]

    with_log(database, use)


def test_no_version_is_left_out(database: str) -> None:
    """As when the database was put back to an older copy under a running process."""

    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")])
        with pytest.raises(Conflict):
            await log.append(A, 3, [event("sat")])
        with pytest.raises(Conflict):
            await log.append(B, 2, [event("sat")])
        assert len(await log.read(A)) == 1
        assert await log.read(B) == []

    with_log(database, use)


def test_an_append_is_stored_whole_or_not_at_all(database: str) -> None:
    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened"), event("sat", 1), event("sat", 2)])
        with pytest.raises(Conflict):  # version 3 is taken, 4 and 5 are free
            await log.append(A, 3, [event("over"), event("revealed"), event("more")])
        assert len(await log.read(A)) == 3

    with_log(database, use)


@pytest.mark.parametrize(
    ("version", "raws"),
    [(0, [event("a")]), (-1, [event("a")]), (1, []), (1, [b"{}"]), (1, [b"not json"]), (1, [b'{"type":7}'])],
)
def test_what_is_no_append_is_refused(database: str, version: int, raws: list[bytes]) -> None:
    async def use(log: Log) -> None:
        with pytest.raises(ValueError, match=r"an (append|event) is"):
            await log.append(A, version, raws)
        assert log.notifications(0, 10) == []

    with_log(database, use)


def test_a_timer_is_set_moved_and_deleted_with_its_event(database: str) -> None:
    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")])
        assert timers(database) == {}
        await log.append(A, 2, [event("sat")], Timer("cut", 1_750_000_000_000))
        await log.append(B, 1, [event("opened")], Timer("turn:1", 5))
        await log.append(A, 3, [event("sat")])
        assert timers(database) == {A: Timer("cut", 1_750_000_000_000), B: Timer("turn:1", 5)}
        await log.append(A, 4, [event("sat")], Timer("turn:2", 7))
        assert timers(database)[A] == Timer("turn:2", 7)
        await log.append(A, 5, [event("over")], None)
        assert timers(database) == {B: Timer("turn:1", 5)}

    with_log(database, use)


def test_an_append_that_fails_leaves_the_timer_alone(database: str) -> None:
    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")], Timer("first", 1))
        for timer in (Timer("second", 2), None):
            with pytest.raises(Conflict):
                await log.append(A, 1, [event("other")], timer)
        assert timers(database) == {A: Timer("first", 1)}

    with_log(database, use)


def test_notifications_go_on_from_a_position(database: str) -> None:
    async def use(log: Log) -> None:
        for version in range(1, 4):
            await log.append(A, version, [event("a", version)])
            await log.append(B, version, [event("b", version)])
        everything = log.notifications(0, 100)
        assert [(n.table, n.version) for n in everything] == [(A, 1), (B, 1), (A, 2), (B, 2), (A, 3), (B, 3)]
        assert everything[1] == Notified(everything[1].position, B, 1, event("b", 1))
        assert log.notifications(0, 2) == everything[:2]
        assert log.notifications(everything[1].position, 2) == everything[2:4]
        assert log.notifications(everything[-1].position, 2) == []

    with_log(database, use)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE faircut_events SET state = '{}'",
        "DELETE FROM faircut_events",
        "TRUNCATE faircut_events",
    ],
)
def test_the_past_stays(database: str, statement: str) -> None:
    with_log(database, lambda log: log.append(A, 1, [event("opened")]))
    with psycopg.connect(database) as connection, pytest.raises(psycopg.IntegrityError):
        connection.execute(statement)


def test_a_live_follower_misses_nothing(database: str) -> None:
    """16 writers, each with a connection of its own; a follower that only ever reads on from where it was."""
    writers, appends = 16, 60
    log = Log(database)
    done = threading.Event()
    followed: list[Notified] = []

    def follow() -> None:
        while True:
            last = done.is_set()
            page = log.notifications(followed[-1].position if followed else 0, 50)
            followed.extend(page)
            if last and not page:
                return

    def write(number: int) -> None:
        async def run(own: Log) -> None:
            table = f"table{number:011}"
            for version in range(1, 2 * appends, 2):
                await own.append(table, version, [event("a", version), event("b", version)])

        with_log(database, run)

    follower = threading.Thread(target=follow)
    follower.start()
    with ThreadPoolExecutor(writers) as pool:
        for written in [pool.submit(write, number) for number in range(writers)]:
            written.result()
    done.set()
    follower.join()
    assert followed == log.notifications(0, 10 * writers * appends)
    assert len(followed) == 2 * writers * appends
    seen: dict[str, int] = {}
    for entry in followed:
        assert entry.version == seen.get(entry.table, 0) + 1
        seen[entry.table] = entry.version
    asyncio.run(log.close())


def test_each_commit_is_announced(database: str) -> None:
    async def use(log: Log) -> None:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute(SQL("LISTEN {}").format(Identifier(log.channel)))
            await log.append(A, 1, [event("opened")])
            assert [n.payload for n in connection.notifies(timeout=30, stop_after=1)] == [""]

    with_log(database, use)


def test_the_library_reads_and_writes_the_same_events(database: str) -> None:
    """Tools that speak the event-sourcing library find an ordinary application."""
    with_log(database, lambda log: log.append(A, 1, [event("opened")]))
    house = House(database)
    recorded = house.save(Envelope(A, 2, event("sat")), Envelope(A, 3, event("started")))
    assert list(house.events.get(A)) == [
        Envelope(A, 1, event("opened")), Envelope(A, 2, event("sat")), Envelope(A, 3, event("started")),
    ]  # fmt: skip
    noted = house.notification_log.select(start=1, limit=10)
    assert [(n.originator_version, n.topic, n.state) for n in noted[1:]] == [
        (2, "sat", event("sat")), (3, "started", event("started")),
    ]  # fmt: skip
    assert [r.notification.id for r in recorded] == [n.id for n in noted[1:]]
    for taken in (Envelope(A, 3, event("other")), Envelope(A, 5, event("gap"))):
        with pytest.raises(IntegrityError):
            house.save(taken)
    house.close()


def test_the_environment_changes_nothing(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "COMPRESSOR_TOPIC": "zlib", "FAIRCUT_COMPRESSOR_TOPIC": "zlib", "CREATE_TABLE": "y",
        "MAPPER_TOPIC": "eventsourcing.persistence:Mapper", "PERSISTENCE_MODULE": "eventsourcing.popo",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    with_log(database, lambda log: log.append(A, 1, [event("opened")]))
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT state FROM faircut_events").fetchall() == [(event("opened"),)]


def test_migrations_may_run_side_by_side_and_again(postgres: Postgres) -> None:
    with psycopg.connect(postgres.to("postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS bare")
        connection.execute("CREATE DATABASE bare")
    url = postgres.to("bare")
    more = ["CREATE TABLE IF NOT EXISTS views (id int PRIMARY KEY)"]
    with ThreadPoolExecutor(4) as pool:
        for made in [pool.submit(migrate, url, more) for _ in range(4)]:
            made.result()
    with_log(url, lambda log: log.append(A, 1, [event("opened")], Timer("k", 1)))
    migrate(url, more)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM views").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM faircut_events").fetchone() == (1,)
    with psycopg.connect(postgres.to("postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE bare")


def test_acknowledged_means_on_the_disk(database: str) -> None:
    """Even where the database's default is to answer earlier."""
    with psycopg.connect(database, autocommit=True) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        assert connection.execute("SHOW full_page_writes").fetchone() == ("on",)
        name = Identifier(connection.info.dbname)
        connection.execute(SQL("ALTER DATABASE {} SET synchronous_commit = off").format(name))

    async def use(log: Log) -> None:
        await log.append(A, 1, [event("opened")])
        with log._writer._connect() as connection:
            assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)

    with_log(database, use)


def test_a_database_that_was_not_made_ready_is_said_to_be(postgres: Postgres) -> None:
    with pytest.raises(NotReady, match="faircut migrate"):
        Log(postgres.to("postgres"))


def test_what_one_asks_of_the_database_may_fail(database: str) -> None:
    log = Log(database)

    def pid(connection: psycopg.Connection[Any]) -> int:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
        assert row is not None
        return int(row[0])

    def slip(connection: psycopg.Connection[Any]) -> None:
        connection.execute("SELECT nothing")

    def left_open(connection: psycopg.Connection[Any]) -> int:
        connection.execute("BEGIN")
        return connection.info.backend_pid

    first = log.ask(pid)
    with pytest.raises(psycopg.errors.UndefinedColumn):
        log.ask(slip)
    assert log.ask(pid) == first  # and serves on
    assert log.ask(left_open) == first
    second = log.ask(pid)  # it is not handed on in the middle of a transaction
    assert second != first
    with psycopg.connect(database, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", (second,))
    assert log.ask(pid) != second  # broken ones are given up
    asyncio.run(log.close())
    with pytest.raises(Unavailable):
        log.ask(pid)


def test_a_database_that_is_not_there_is_said_to_be(tmp_path: Any) -> None:
    with pytest.raises(Unavailable):
        Log(f"postgresql://faircut:hidden@/faircut?host={tmp_path}")


def test_addresses_with_passwords_are_not_shown(database: str) -> None:
    log = Log(database.replace("faircut@", "faircut:hunter2@"))
    shown = repr(log) + str(log) + repr(vars(log)["_writer"]) + repr(log._house) + repr(log._house.env)
    assert "hunter2" not in shown
    asyncio.run(log.close())
