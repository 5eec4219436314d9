"""One runner for all read models: it follows the log and keeps a view and its position in one transaction.

A projection is one file: a name, the DDL of its tables, and a function that is given the next events
(deploy/decisions has why). Its tables lie in a schema of its name, so its DDL and statements name them bare,
and a rebuild makes the new view beside the old one and puts it in its place in one step while both go on.
"""

import hashlib
import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import psycopg
from psycopg import Connection, Cursor, sql
from psycopg.sql import SQL, Composed, Identifier

from domain import events
from replay.log import Log, Notified, Unavailable

BATCH = 1000  # events in one transaction at most
POLL_S = 0.5  # between looks at the log when nobody rings
PAUSE_S = 5.0  # longest wait before something that failed is tried again
_LOCK = 0x70726F6A  # class of the advisory locks: one process runs each projection
_REBUILD = 0x72656275  # the same for rebuilding it

log = logging.getLogger(__name__)

Statement = str | Composed


class Seen(NamedTuple):
    """An event as a projection is given it:

    where it lies in the log, its table, its version there, what happened.
    """

    position: int
    table: str
    version: int
    event: events.Event


class Projection(Protocol):
    """A read model.

    What `apply` does may depend on the events and the view alone, else a rebuild is not the same view.
    """

    @property
    def name(self) -> str:
        """Of its schema too: `[a-z_]+`."""

    @property
    def ddl(self) -> str:
        """Statements that make its tables, named bare. Whatever is changed here has the view built anew."""

    def apply(self, cursor: Cursor[Any], batch: Sequence[Seen]) -> None:
        """Bring the view forward by the next events, in order, each given once. No commit, no rollback."""


class Overtaken(Exception):
    """Somebody else has moved the view: read its position again."""


def ddl(views: Iterable[tuple[str, str]]) -> list[Statement]:
    """Statements for the migration, which make each (name, DDL) an empty view if there is none."""
    made: list[Statement] = []
    for name, tables in views:
        made += [SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(name)), _view(name, tables)]
    return made


def _view(name: str, tables: str) -> Composed:
    """A view's tables and its position, made only if its schema holds none: one statement."""
    body = SQL("""
        DO $view$ BEGIN
            IF to_regclass({known}) IS NULL THEN
                SET LOCAL search_path TO {schema};
                EXECUTE {tables};
                CREATE TABLE position (
                    one boolean PRIMARY KEY DEFAULT true CHECK (one),
                    at bigint NOT NULL,  -- of the last event that the view has seen
                    made text NOT NULL   -- digest of the DDL that it was made by
                );
                INSERT INTO position (at, made) VALUES (0, {made});
                SET LOCAL search_path TO DEFAULT;
            END IF;
        END $view$
    """)
    return body.format(
        known=sql.Literal(f"{name}.position"), schema=Identifier(name),
        tables=sql.Literal(tables), made=sql.Literal(digest(tables)),
    )  # fmt: skip


def digest(tables: str) -> str:
    """Tells one form of a view's tables from another."""
    return hashlib.sha256(tables.encode()).hexdigest()[:16]


class Bell:
    """Rings when the log has grown.

    One LISTEN connection for a process; who waits must look by itself now and then.
    """

    def __init__(self, source: Log) -> None:
        self._source, self._rung, self._condition = source, 0, threading.Condition()
        self._heard: list[Callable[[], None]] = []

    def on_ring(self, hear: Callable[[], None]) -> None:
        """Call `hear`, in the bell's thread."""
        self._heard.append(hear)

    def ring(self) -> None:
        """Wake everyone who waits."""
        with self._condition:
            self._rung += 1
            self._condition.notify_all()
        for hear in self._heard:
            hear()

    def wait(self, rung: int, seconds: float) -> int:
        """Wait until it has rung more often than `rung`, or for so long; how often it has rung."""
        with self._condition:
            self._condition.wait_for(lambda: self._rung > rung, seconds)
            return self._rung

    def run(self, stop: threading.Event) -> None:
        """Listen until told to stop, over whatever breaks."""
        pause = Pause()
        while not stop.is_set():
            try:
                with self._source.connect() as connection:
                    connection.autocommit = True
                    connection.execute(SQL("LISTEN {}").format(Identifier(self._source.channel)))
                    self.ring()  # for what came before we listened
                    pause.over()
                    while not stop.is_set():
                        for _ in connection.notifies(timeout=0.5, stop_after=1):
                            self.ring()
            except psycopg.OperationalError as fault:
                log.warning("the log's bell broke (%s)", type(fault).__name__)
                stop.wait(pause.next())


class Pause:
    """How long to wait before the next try: longer each time, from the start again once something worked."""

    def __init__(self) -> None:
        self._next = 0.1

    def next(self) -> float:
        """Seconds."""
        now, self._next = self._next, min(self._next * 2, PAUSE_S)
        return now

    def over(self) -> None:
        """It worked."""
        self._next = 0.1


class Runner:
    """Keeps one projection up with the log, from a thread of its own.

    `stuck`: the event it cannot get past, if any.
    """

    def __init__(
        self, source: Log, projection: Projection, bell: Bell | None = None, batch: int = BATCH
    ) -> None:
        self._source, self._projection, self._bell = source, projection, bell or Bell(source)
        self._batch = self._limit = batch
        self.position = 0
        self.stuck: int | None = None

    def run(self, stop: threading.Event) -> None:
        """Follow the log until told to stop.

        Whatever breaks is tried again; nothing of it is lost or done twice.
        """
        pause = Pause()
        name = self._projection.name
        while not stop.is_set():
            try:
                with self._source.connect() as connection:
                    if not hold(connection, name, stop):
                        return
                    self._open(connection)
                    self._follow(connection, stop, pause)
            except (psycopg.OperationalError, Unavailable, Overtaken) as fault:
                log.warning("projection %s: %s", name, type(fault).__name__)
            except Exception as fault:
                log.error("projection %s failed\n%s", name, where(fault))
            stop.wait(pause.next())

    def _open(self, connection: Connection[Any]) -> None:
        """Where the view stands. It is built anew if it was made by other DDL."""
        use(connection, self._projection.name)
        made, self.position = _position(connection)
        if made != digest(self._projection.ddl):
            log.warning("projection %s: other tables: the view is built anew", self._projection.name)
            rebuild(self._source, self._projection)
            _, self.position = _position(connection)

    def _follow(self, connection: Connection[Any], stop: threading.Event, pause: Pause) -> None:
        rung = 0
        while not stop.is_set():
            batch = self._source.notifications(self.position, self._limit)
            if not batch:
                rung = self._bell.wait(rung, POLL_S)
                continue
            try:
                self._take(connection, batch)
            except (psycopg.OperationalError, Unavailable, Overtaken):
                raise
            except Exception as fault:
                self._failed(batch, fault)
                stop.wait(pause.next() if self._limit == len(batch) == 1 else 0)
                self._limit = 1
                continue
            pause.over()
            self.stuck, self._limit = None, min(self._limit * 2, self._batch)

    def _take(self, connection: Connection[Any], batch: Sequence[Notified]) -> None:
        with connection.transaction():
            advance(connection, self._projection, self.position, batch)
        self.position = batch[-1].position

    def _failed(self, batch: Sequence[Notified], fault: Exception) -> None:
        """Say it loudly.

        The view stays where it is; events before the one at fault are then taken one by one.
        """
        if len(batch) > 1:
            return
        first = batch[0]
        self.stuck = first.position
        log.error(
            "projection %s cannot get past position %d (table %s, event %d) and waits there\n%s",
            self._projection.name, first.position, first.table, first.version, where(fault),
        )  # fmt: skip


def advance(
    connection: Connection[Any], projection: Projection, position: int, batch: Sequence[Notified]
) -> None:
    """One step of a view inside the caller's transaction.

    Raises Overtaken if the view is not at `position`.
    """
    seen = [Seen(n.position, n.table, n.version, events.decode(n.raw)) for n in batch]
    with connection.cursor() as cursor:
        projection.apply(cursor, seen)
        cursor.execute("UPDATE position SET at = %s WHERE at = %s", (batch[-1].position, position))
        if cursor.rowcount != 1:
            raise Overtaken


def rebuild(source: Log, projection: Projection, batch: int = BATCH) -> int:
    """Build a view from the first event on and put it in the old one's place; how many events there were.

    Readers see the old view until then, and a runner goes on with the new one. Raises what the projection
    raises.
    """
    fresh, count = f"{projection.name}_new", 0
    with source.connect() as connection:
        connection.autocommit = True
        connection.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", (_REBUILD, projection.name))
        connection.execute(SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(Identifier(fresh)))
        for statement in ddl([(fresh, projection.ddl)]):
            connection.execute(statement)
        use(connection, fresh)
        position = 0
        while True:
            with connection.transaction():
                found = source.notifications(position, batch)
                if found:
                    advance(connection, projection, position, found)
                    position, count = found[-1].position, count + len(found)
                if len(found) < batch:
                    _swap(connection, projection.name, fresh)
                    return count


def _swap(connection: Connection[Any], name: str, fresh: str) -> None:
    old, new = Identifier(name), Identifier(fresh)
    connection.execute(SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(old))
    connection.execute(SQL("ALTER SCHEMA {} RENAME TO {}").format(new, old))


def hold(connection: Connection[Any], name: str, stop: threading.Event) -> bool:
    """Wait until this connection holds a name's lock, until it closes; False if told to stop."""
    while not stop.is_set():
        if try_hold(connection, name):
            return True
        stop.wait(POLL_S)
    return False


def try_hold(connection: Connection[Any], name: str) -> bool:
    """Whether this connection now holds a name's lock. It is in autocommit mode from here on."""
    connection.autocommit = True
    asked = connection.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (_LOCK, name))
    return asked.fetchone() == (True,)


def use(connection: Connection[Any], schema: str) -> None:
    """Let bare names mean a projection's tables.

    A commit need not be on the disk: what is lost is projected again.
    """
    connection.execute(SQL("SET search_path TO {}").format(Identifier(schema)))
    connection.execute("SET synchronous_commit TO off")


def _position(connection: Connection[Any]) -> tuple[str, int]:
    row = connection.execute("SELECT made, at FROM position").fetchone()
    assert row is not None
    return row[0], row[1]


def where(fault: BaseException) -> str:
    """Type and places of an exception, without its words and without what it was about:

    those may name cards.
    """
    places = traceback.extract_tb(fault.__traceback__)
    lines = [f"  {Path(place.filename).name}:{place.lineno} {place.name}" for place in places[-8:]]
    return "\n".join([*lines, f"  {type(fault).__name__}"])


def caught_up(source: Log, runners: Iterable[Runner], seconds: float = 10.0) -> bool:
    """Wait until runners have come to where the log ends now; whether they have."""
    until = time.monotonic() + seconds
    while any(source.notifications(runner.position, 1) for runner in runners):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)  # between looks, until the time is up
    return True
