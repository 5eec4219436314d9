"""Connections to PostgreSQL: given up when they break, and a commit is on the disk when they answer."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import psycopg

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

PATIENCE_S = 5.0  # how long something is tried again while the database does not answer
WAIT_S = 10.0  # how long anybody waits for a database that takes what it is asked and says nothing
IDLE = 8  # connections kept for later

# A peer that vanished without a word is given up after these (TCP only; seconds, then ms).
KEEPALIVE: dict[str, Any] = {
    "keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3, "tcp_user_timeout": 10_000,
}  # fmt: skip


class Unavailable(Exception):
    """The database did not answer. What was to be stored may be there or not."""


async def in_time(work: Coroutine[Any, Any, T] | asyncio.Future[T], seconds: float) -> T:
    """What the work gives, if that comes in time; else it is left to end by itself. Raises Unavailable.

    It is not cancelled: a query that a hanging database has been sent cannot be taken back without its help.
    """
    task = asyncio.ensure_future(work)
    _left.add(task)
    task.add_done_callback(_forget)
    done, _ = await asyncio.wait([task], timeout=seconds)
    if not done:
        raise Unavailable("the database does not answer in time")
    return task.result()


_left: set["asyncio.Future[Any]"] = set()  # an event loop alone does not keep its tasks


def _forget(task: "asyncio.Future[Any]") -> None:
    _left.discard(task)
    if not task.cancelled():
        task.exception()  # if nobody waits for it any more, it is nobody's


def connect(url: str, *, autocommit: bool = False) -> Connection:
    """A connection of one's own. Raises psycopg.OperationalError."""
    connection = psycopg.connect(
        url, autocommit=True, connect_timeout=5, application_name="faircut", client_encoding="utf8", **KEEPALIVE
    )
    try:
        connection.execute(_DURABLE)
        connection.autocommit = autocommit
    except BaseException:
        connection.close()
        raise
    return connection


# A database may have been set to answer early; a setting that waits for more than our disk stays.
_DURABLE = """
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
"""


class Connections:
    """Autocommit connections to one database, made as they are needed; any thread may borrow."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: deque[Connection] = deque()
        self._closed = False

    def ask(self, ask: Callable[[Connection], T], patience: float | None = None) -> T:
        """What a function makes of a connection, in the calling thread.

        After the connection broke it is called again, for up to `patience` seconds (PATIENCE_S), so it must be
        safe to repeat. Raises Unavailable, and what the function raises.
        """
        deadline = time.monotonic() + (PATIENCE_S if patience is None else patience)
        pause = 0.02
        while not self._closed:
            connection: Connection | None = None
            try:
                connection = self._borrow()
                return ask(connection)
            except psycopg.OperationalError:
                if connection is not None:
                    connection.close()
                if time.monotonic() + pause > deadline:
                    break
            finally:
                if connection is not None and not connection.closed:
                    self._back(connection)
            time.sleep(pause)  # between tries, until the deadline: a database that is away is not hammered
            pause = min(2 * pause, 0.5)
        raise Unavailable("the database does not answer")

    def close(self) -> None:
        """Close what is idle; what is lent is closed when it comes back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def _borrow(self) -> Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return connect(self._url, autocommit=True)

    def _back(self, connection: Connection) -> None:
        idle = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        if idle and not self._closed and len(self._idle) < IDLE:
            self._idle.append(connection)
        else:
            connection.close()
