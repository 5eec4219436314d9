"""The runner: position and view in one transaction, rebuilt at will, over whatever breaks."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from deploy.local import Postgres
from domain import events
from projections.run import Bell, Runner, Seen, caught_up, ddl, rebuild
from replay.log import Log
from replay.schema import migrate

DDL = "CREATE TABLE counts (id text PRIMARY KEY, n int NOT NULL); CREATE TABLE seen (position bigint PRIMARY KEY)"


class Counts:
    """How often each table was sat down at; every position that was given."""

    name, ddl = "counts", DDL

    def __init__(self) -> None:
        self.broken: Callable[[Seen], bool] = lambda seen: False

    def apply(self, cursor: psycopg.Cursor[Any], batch: Sequence[Seen]) -> None:
        for seen in batch:
            cursor.execute("INSERT INTO seen VALUES (%s)", (seen.position,))
            if isinstance(seen.event, events.Sat):
                cursor.execute(
                    "INSERT INTO counts AS old VALUES (%s, 1) ON CONFLICT (id) DO UPDATE SET n = old.n + 1",
                    (seen.table,),
                )
            if self.broken(seen):
                raise RuntimeError("QH1 is in the hand")


def sat(n: int) -> bytes:
    return events.encode(events.Sat(at=n, seat=n % 8, who=f"p{n}", kind="human", cut=None))


async def fill(log: Log, tables: int, each: int) -> None:
    for table in range(tables):
        name = f"table{table:015d}"
        already = len(await log.read(name))
        await log.append(name, already + 1, [sat(n) for n in range(each)])


def view(url: str) -> tuple[list[Any], int]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT id, n FROM counts.counts ORDER BY id").fetchall()
        seen = connection.execute("SELECT count(*) FROM counts.seen").fetchone()
    assert seen is not None
    return rows, seen[0]


@contextmanager
def running(log: Log, *runners: Runner, bell: Bell | None = None) -> Iterator[None]:
    stop = threading.Event()
    parts = [*runners, *([bell] if bell else [])]
    threads = [threading.Thread(target=part.run, args=(stop,), daemon=True) for part in parts]
    for thread in threads:
        thread.start()
    yield
    stop.set()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture
def log(database: str) -> Iterator[Log]:
    migrate(database, ddl([("counts", DDL)]))
    source = Log(database)
    yield source
    asyncio.run(source.close())


def test_a_view_follows_and_a_rebuild_is_the_same_view(log: Log, database: str) -> None:
    bell = Bell(log)
    runner = Runner(log, Counts(), bell, batch=7)
    with running(log, runner, bell=bell):
        for _ in range(3):
            asyncio.run(fill(log, tables=5, each=4))
        assert caught_up(log, [runner])
        live = view(database)
    assert live == ([(f"table{n:015d}", 12) for n in range(5)], 60)
    assert rebuild(log, Counts(), batch=11) == 60
    assert view(database) == live


def test_a_view_rebuilt_while_it_is_kept_goes_on(log: Log, database: str) -> None:
    bell = Bell(log)
    runner = Runner(log, Counts(), bell)
    with running(log, runner, bell=bell):
        for _ in range(5):
            asyncio.run(fill(log, tables=2, each=3))
            rebuild(log, Counts(), batch=4)
        asyncio.run(fill(log, tables=2, each=3))
        assert caught_up(log, [runner])
    assert view(database) == ([(f"table{n:015d}", 18) for n in range(2)], 36)


def test_other_tables_are_built_anew(log: Log, database: str) -> None:
    asyncio.run(fill(log, tables=2, each=3))
    runner = Runner(log, Counts())
    with running(log, runner):
        assert caught_up(log, [runner])

    class More(Counts):
        ddl = DDL + "; CREATE TABLE extra (id int)"

    newer = Runner(log, More())
    with running(log, newer):
        assert caught_up(log, [newer])
    assert view(database)[1] == 6
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM counts.extra").fetchone() == (0,)


def test_of_two_runners_one_works_and_the_other_takes_over(log: Log, database: str) -> None:
    first, second = Runner(log, Counts()), Runner(log, Counts())
    with running(log, second):
        asyncio.run(fill(log, tables=1, each=3))
        assert caught_up(log, [second])
        with running(log, first):
            asyncio.run(fill(log, tables=1, each=3))
            assert caught_up(log, [second])
            assert first.position == 0
    with running(log, first):
        assert caught_up(log, [first])
    assert view(database) == ([("table000000000000000", 6)], 6)


def test_a_poison_event_is_told_and_neither_passed_nor_in_others_way(
    log: Log, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    counts = Counts()
    counts.broken = lambda seen: isinstance(seen.event, events.Sat) and seen.event.who == "p3"
    migrate(database, ddl([("other", DDL)]))

    class Other(Counts):
        name = "other"

    asyncio.run(fill(log, tables=1, each=6))
    runner, other = Runner(log, counts), Runner(log, Other())
    with caplog.at_level(logging.ERROR), running(log, runner, other):
        assert caught_up(log, [other])
        wait(lambda: runner.stuck is not None)
        assert view(database)[1] == 3  # what comes before it is in the view, nothing after it
        with psycopg.connect(database) as connection:
            at = connection.execute("SELECT at FROM counts.position").fetchone()
        assert at == (runner.position,)
        assert runner.stuck == runner.position + 1
        assert f"position {runner.stuck}" in caplog.text
        assert "table000000000000000" in caplog.text
        assert "QH1" not in caplog.text  # an exception's words may name cards
        counts.broken = lambda seen: False
        assert caught_up(log, [runner])
        assert runner.stuck is None
    assert view(database)[1] == 6


def test_killed_connections_are_made_anew(log: Log, database: str) -> None:
    bell = Bell(log)
    runner = Runner(log, Counts(), bell)
    with running(log, runner, bell=bell):
        for _ in range(3):
            asyncio.run(fill(log, tables=1, each=3))
            with psycopg.connect(database, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        asyncio.run(fill(log, tables=1, each=3))
        assert caught_up(log, [runner], 30)
        heard = threading.Event()
        bell.on_ring(heard.set)
        wait(lambda: _listens(database))
        heard.clear()
        asyncio.run(fill(log, tables=1, each=1))
        assert heard.wait(30)
        assert caught_up(log, [runner])
    assert view(database) == ([("table000000000000000", 13)], 13)


def test_a_killed_database_costs_nothing(own_postgres: Postgres) -> None:
    url = own_postgres.to("ready")
    migrate(url, ddl([("counts", DDL)]))
    log = Log(url)
    bell = Bell(log)
    runner = Runner(log, Counts(), bell, batch=5)
    with running(log, runner, bell=bell):
        asyncio.run(fill(log, tables=4, each=20))
        own_postgres.kill()
        own_postgres.start()
        asyncio.run(fill(log, tables=4, each=20))
        assert caught_up(log, [runner], 30)
    assert view(url) == ([(f"table{n:015d}", 40) for n in range(4)], 160)
    asyncio.run(log.close())


def _listens(database: str) -> bool:
    with psycopg.connect(database) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
        ).fetchone()
    return found is not None and found[0] > 0


def wait(true: Callable[[], bool], seconds: float = 30) -> None:
    asyncio.run(_wait(true, seconds))


async def _wait(true: Callable[[], bool], seconds: float) -> None:
    end = asyncio.get_running_loop().time() + seconds
    while not true():
        assert asyncio.get_running_loop().time() < end
        await asyncio.sleep(0.02)


