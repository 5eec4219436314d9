"""The append-only log of all tables, in PostgreSQL: what was appended stays, in order, and is on the disk.

A table's events have versions 1, 2, 3, …; over all tables they have positions in the order of commits, with
holes. `Log.channel` is the NOTIFY channel on which each commit is announced (without content): LISTEN
there, and poll as well.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, TypeVar

import psycopg.rows
from eventsourcing.application import Application
from eventsourcing.postgres import PostgresFactory
from eventsourcing.utils import Environment, EnvType

from replay import connections
from replay.connections import Connection, Connections, Unavailable, connect, in_time
from replay.recorder import Recorder, Timer
from replay.writer import Conflict, TimerChange, Writer

__all__ = [
    "LAST", "Conflict", "House", "Log", "NotReady", "Notified", "Stored", "Timer", "TimerChange", "Unavailable",
]  # fmt: skip

T = TypeVar("T")
LAST = 2**53 - 1  # no table has as many events
READERS = 4  # threads that read at the same time


class Stored(NamedTuple):
    """An event of a table: its version there and its canonical bytes."""

    version: int
    raw: bytes


class Notified(NamedTuple):
    """An event of the whole log, at its position."""

    position: int
    table: str
    version: int
    raw: bytes


class NotReady(Exception):
    """The database lacks the log's tables: `faircut migrate` makes them."""


class House(Application[str]):
    """The library's application over our recorder and mapper.

    `create`: make its table and function (migrations only). Whatever speaks the library can read the log
    through it, and write to it: the rules of versions and positions are kept.
    """

    name = "faircut"

    def __init__(self, url: str, create: bool = False) -> None:
        self._url = url
        super().__init__(
            {
                "PERSISTENCE_MODULE": "eventsourcing.postgres",
                "POSTGRES_DBNAME": "",
                "POSTGRES_HOST": "",
                "POSTGRES_USER": "",
                "POSTGRES_PASSWORD": "",
                "POSTGRES_CONNECT_TIMEOUT": "5",
                "POSTGRES_POOL_SIZE": "1",
                "ORIGINATOR_ID_TYPE": "text",
                "POSTGRES_ENABLE_DB_FUNCTIONS": "yes",
                "APPLICATION_RECORDER_TOPIC": "replay.recorder:Recorder",
                "MAPPER_TOPIC": "replay.recorder:EnvelopeMapper",
                "TRANSCODER_TOPIC": "replay.recorder:Canonical",
                "CREATE_TABLE": "yes" if create else "no",
            }
        )

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        """Only what is said here counts: a variable of the process must not change how events are stored."""
        return Environment(name, env)

    def construct_factory(self, env: Environment) -> Any:
        """The library's factory, given the whole URL: it would lose what it does not know, such as TLS."""
        factory = PostgresFactory(env)
        pool = factory.datastore.pool
        pool.conninfo, pool.kwargs = self._url, {"row_factory": psycopg.rows.dict_row}
        return factory


class Log:
    """All tables' events. Appends and async reads belong to one event loop, the rest to any thread.

    The database must have been made ready (`replay.schema.migrate`). Raises Unavailable, NotReady.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connections = Connections(url)
        self._connections.ask(_check, patience=0)
        self._house = House(url)
        recorder = self._house.recorder
        assert isinstance(recorder, Recorder)
        self._recorder = recorder
        self.channel = recorder.channel_name
        self._writer = Writer(recorder, lambda: connect(url, autocommit=True))
        self._threads = ThreadPoolExecutor(READERS, "log reader")

    def __repr__(self) -> str:
        return "<Log>"

    async def append(
        self, table: str, version: int, raws: Sequence[bytes], timer: TimerChange = "same"
    ) -> None:
        """Store events as a table's `version`, `version` + 1, …: all or none, on the disk when this returns.

        `timer`: what the table's timer row becomes in the same transaction; None deletes it. Bytes that
        already lie there and are the same count as stored. Raises Conflict if another writer was first or
        the version before is missing, Unavailable if the database did not answer (the events may or may not
        be there).
        """
        await self._writer.append(table, version, raws, timer)

    async def read(self, table: str, after: int = 0, until: int = LAST) -> list[Stored]:
        """A table's events above a version and up to another, in order. Raises Unavailable."""
        work = partial(self.read_sync, table, after, until)
        reading = asyncio.get_running_loop().run_in_executor(self._threads, work)
        return await in_time(reading, connections.WAIT_S)

    def read_sync(self, table: str, after: int = 0, until: int = LAST) -> list[Stored]:
        """As `read`, in the calling thread."""
        query = (self._recorder.select_statement, (table, after, until))
        return self.ask(lambda connection: [Stored(*row) for row in _rows(connection, *query)])

    def notifications(self, after: int, limit: int) -> list[Notified]:
        """Events above a position, oldest commit first, at most `limit`. Raises Unavailable.

        Nothing is ever added below a position that was handed out.
        """
        query = (self._recorder.follow_statement, (after, limit))
        return self.ask(lambda connection: [Notified(*row) for row in _rows(connection, *query)])

    def ask(self, ask: Callable[[Connection], T]) -> T:
        """What a function, safe to repeat, makes of an autocommit connection, in the calling thread.

        Raises Unavailable, and what the function raises.
        """
        return self._connections.ask(ask)

    def connect(self) -> Connection:
        """A connection of one's own, for projections and side tables. Raises psycopg.OperationalError."""
        return connect(self._url)

    async def close(self) -> None:
        """Store what has been taken, then give everything back."""
        await self._writer.close()
        self._threads.shutdown()
        self._connections.close()
        self._house.close()


def _check(connection: Connection) -> None:
    found = connection.execute("SELECT to_regproc('faircut_events_append'), to_regclass('timers')").fetchone()
    if found is None or None in found:
        raise NotReady("the database is not ready: run `faircut migrate`")


def _rows(connection: Connection, query: bytes, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return connection.cursor(binary=True).execute(query, values, prepare=True).fetchall()
