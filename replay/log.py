"""The append-only log of all tables, in PostgreSQL: what was appended stays, in order, and is on the disk.

A table's events have versions 1, 2, 3, …; over all tables they have positions in the order of commits, with holes.
`Log.channel` is the NOTIFY channel on which each commit is announced (without content): LISTEN there, and poll as well.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import eventsourcing.persistence
import psycopg
import psycopg.rows
from eventsourcing.application import Application
from eventsourcing.postgres import PostgresFactory
from eventsourcing.utils import Environment, EnvType

from replay.recorder import Canonical, EnvelopeMapper, Recorder, Timer
from replay.writer import Conflict, TimerChange, Unavailable, Writer

__all__ = ["Conflict", "House", "Log", "Notified", "Stored", "Timer", "TimerChange", "Unavailable"]

T = TypeVar("T")
READERS = 4  # threads, and connections, that read at the same time
TRIES = 10  # of a read, while connections turn out to be broken

# A peer that vanished without a word is given up after these (TCP only; seconds, then ms).
KEEPALIVE: dict[str, Any] = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3, "tcp_user_timeout": 10_000}


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


class House(Application[str]):
    """The library's application over our recorder and mapper. `create`: make its table and function (migrations only)."""

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
                "POSTGRES_MAX_OVERFLOW": str(READERS),
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
        factory = PostgresFactory(env)
        pool = factory.datastore.pool
        pool.conninfo = self._url  # the library takes a URL apart and loses what it does not know, such as TLS
        pool.kwargs = {"row_factory": psycopg.rows.dict_row, **KEEPALIVE}
        return factory


def connect(url: str, *, autocommit: bool = False) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection of one's own. Raises psycopg.OperationalError."""
    return psycopg.connect(url, autocommit=autocommit, connect_timeout=5, application_name="faircut", **KEEPALIVE)


class Log:
    """All tables' events. The database must have been made ready (`replay.schema.migrate`).

    Appends and async reads belong to one event loop. Raises Unavailable at once if the database does not answer.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        try:
            self._house = House(url)
        except eventsourcing.persistence.PersistenceError:
            raise Unavailable("the database does not answer") from None
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
        """Store events as versions `version`, `version` + 1, … of a table: all or none, on the disk when this returns.

        `timer`: what the table's timer row becomes in the same transaction; None deletes it. Bytes that already lie there
        and are the same count as stored. Raises Conflict if another writer was first or the version before is missing,
        Unavailable if the database did not answer (the events may or may not be there).
        """
        await self._writer.append(table, version, raws, timer)

    async def read(self, table: str, after: int = 0) -> list[Stored]:
        """A table's events above a version, in order. Raises Unavailable."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.read_sync, table, after)

    def read_sync(self, table: str, after: int = 0) -> list[Stored]:
        """As `read`, in the calling thread."""
        query = (self._recorder.select_statement, (table, after))
        return self.ask(lambda c: [Stored(*row) for row in _rows(c, *query)])

    def notifications(self, after: int, limit: int) -> list[Notified]:
        """Events above a position, oldest commit first, at most `limit`. Raises Unavailable.

        Nothing is ever added below a position that was handed out.
        """
        query = (self._recorder.follow_statement, (after, limit))
        return self.ask(lambda c: [Notified(*row) for row in _rows(c, *query)])

    def ask(self, ask: Callable[[psycopg.Connection[Any]], T]) -> T:
        """What a function makes of a pooled autocommit connection, in the calling thread.

        It may be called again after the connection broke, so it must be safe to repeat. Raises Unavailable, and what the
        function raises, errors of the database as psycopg's.
        """
        for _ in range(TRIES):
            try:
                with self._recorder.datastore.get_connection() as connection:
                    return ask(connection)
            except (eventsourcing.persistence.OperationalError, eventsourcing.persistence.InterfaceError):
                continue
            except eventsourcing.persistence.PersistenceError as fault:
                raise (fault.__cause__ or fault) from None
        raise Unavailable("the database does not answer")

    def connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        """A connection of one's own, for projections and side tables. Raises psycopg.OperationalError."""
        return connect(self._url)

    async def close(self) -> None:
        """Store what has been taken, then give everything back."""
        await self._writer.close()
        self._threads.shutdown()
        self._house.close()

def _rows(connection: psycopg.Connection[Any], query: bytes, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    cursor = connection.cursor(binary=True, row_factory=psycopg.rows.tuple_row)
    return cursor.execute(query, values, prepare=True).fetchall()
