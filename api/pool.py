"""Connections for the API's short questions to its side tables and read models.

Nobody waits for long: a question that a database which hangs does not answer is left alone after a while. It cannot be
broken off, since that too would wait for the database, so it keeps its connection until the database goes on or ends.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import psycopg
from psycopg_pool import AsyncConnectionPool

from replay.connections import KEEPALIVE, in_time

T = TypeVar("T")
Connection = psycopg.AsyncConnection[Any]

ANSWER_S = 5.0  # a question that is not answered by then is given up
FREE_S = 2.0  # the same of the wait for a connection


class Pool:
    """Autocommit connections to one database, for one event loop."""

    def __init__(self, url: str) -> None:
        self._pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
            url, min_size=0, max_size=8, timeout=FREE_S, open=False, configure=_impatient,
            reconnect_timeout=1,  # then whoever asks next tries anew: no long pause after a long outage
            kwargs={"autocommit": True, "connect_timeout": 5, "application_name": "faircut api", **KEEPALIVE},
        )  # fmt: skip

    async def open(self) -> None:
        """Begin. Nothing is connected until somebody asks."""
        await self._pool.open()

    async def close(self) -> None:
        """End; its workers may be waiting for a database that is away."""
        await self._pool.close(timeout=1)

    async def ask(self, ask: Callable[[Connection], Awaitable[T]], seconds: float | None = None) -> T:
        """What a function makes of a connection, within ANSWER_S unless said.

        Raises Unavailable, PoolTimeout and what the function raises.
        """

        async def asking() -> T:
            async with self._pool.connection() as connection:
                return await ask(connection)

        return await in_time(asking(), ANSWER_S if seconds is None else seconds)

    async def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows that a statement answers with, if it answers with rows. Raises as `ask`."""

        async def fetch(connection: Connection) -> list[tuple[Any, ...]]:
            cursor = await connection.execute(query, values)
            return await cursor.fetchall() if cursor.description else []

        return await self.ask(fetch)


async def _impatient(connection: Connection) -> None:
    """Whoever asked has gone by then."""
    await connection.execute(f"SET statement_timeout = {int(ANSWER_S * 1000)}")
