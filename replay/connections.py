"""Connections to PostgreSQL: given up when they break, and a commit is on the disk when they answer."""

import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import psycopg

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

PATIENCE_S = 5.0  # how long something is tried again while the database does not answer
IDLE = 8  # connections kept for later

# A peer that vanished without a word is given up after these (TCP only; seconds, then ms).
_KEEPALIVE: dict[str, Any] = {
    "keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3, "tcp_user_timeout": 10_000,
}  # fmt: skip


class Unavailable(Exception):
    """The database did not answer. What was to be stored may be there or not."""


def connect(url: str, *, autocommit: bool = False) -> Connection:
    """A connection of one's own. Raises psycopg.OperationalError."""
    connection = psycopg.connect(
        url, autocommit=True, connect_timeout=5, application_name="faircut", client_encoding="utf8", **_KEEPALIVE
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
            time.sleep(pause)
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
