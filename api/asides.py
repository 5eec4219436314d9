"""What goes with a table and is no part of its game: which table follows it, and whether watchers may talk there.

None of it is in the log. Whoever changes it says so on the bus; a process that was not told finds out soon by itself.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from api.pool import Pool
from api.recent import Recent
from domain.table import Table

AGO_MS = 1_000  # how old an answer may be where nobody has said that it has changed
KEPT = 20_000  # tables that a process remembers this of

TABLES = (
    """
    CREATE TABLE IF NOT EXISTS rematches (
        table_id text PRIMARY KEY,
        next text NOT NULL,  -- the table that follows it
        ready boolean NOT NULL DEFAULT false  -- whether that one is open and its bots sit
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS watchers_say (
        table_id text PRIMARY KEY,
        allowed boolean NOT NULL
    )
    """,
)


class Aside(NamedTuple):
    """`next`: id of the table that follows, once it is there; `watchers_say`: whether watchers may talk."""

    next: str | None
    watchers_say: bool

    def seen_at(self, table: Table) -> "Aside":
        """As whoever is shown this table may know it: that it has ended, they learn from the table itself."""
        return self if table.ended else self._replace(next=None)


class Asides:
    """These of one database's tables.

    Raises Unavailable, psycopg.OperationalError or PoolTimeout while it does not answer.
    """

    def __init__(self, pool: Pool, clock: Callable[[], int]) -> None:
        self._pool, self._clock = pool, clock
        self._kept: Recent[str, tuple[int, int, Aside]] = Recent(KEPT)  # the reading's number, when it began
        self._readings = 0

    def known(self, table_id: str) -> Aside | None:
        """What was read last, however long ago: feeds are told when there is something new."""
        kept = self._kept.get(table_id)
        return kept[2] if kept else None

    async def of(self, table_id: str) -> Aside:
        """A table's, a second old at most."""
        kept = self._kept.get(table_id)
        if kept is None or not 0 <= self._clock() - kept[1] < AGO_MS:
            await self.read([table_id])
            kept = self._kept.get(table_id)
            assert kept is not None
        return kept[2]

    async def read(self, table_ids: Iterable[str]) -> list[str]:
        """Read them anew; which of them have changed. A reading that began later is never undone by one before it."""
        self._readings += 1
        number, now, changed = self._readings, self._clock(), []
        for table_id, following, allowed in await self._pool.rows(
            "SELECT id, (SELECT next FROM rematches WHERE table_id = id AND ready),"
            " coalesce((SELECT allowed FROM watchers_say WHERE table_id = id), false)"
            " FROM unnest(%s::text[]) AS id",
            list(table_ids),
        ):
            kept, found = self._kept.get(table_id), Aside(following, allowed)
            if kept is not None and kept[0] > number:
                continue
            if kept is None or kept[2] != found:
                changed.append(table_id)
            self._kept.put(table_id, (number, now, found))
        return changed

    async def follow(self, table_id: str, following: str) -> tuple[str, bool]:
        """The table that follows another: this one, unless there is one already; and whether it is ready."""
        rows = await self._pool.rows(
            "INSERT INTO rematches (table_id, next) VALUES (%s, %s)"
            " ON CONFLICT (table_id) DO UPDATE SET next = rematches.next RETURNING next, ready",
            table_id, following,
        )  # fmt: skip
        return str(rows[0][0]), bool(rows[0][1])

    async def ready(self, table_id: str) -> None:
        """The table that follows is open and its bots sit: everybody may know of it."""
        await self._pool.rows("UPDATE rematches SET ready = true WHERE table_id = %s", table_id)

    async def let_watchers_say(self, table_id: str, allowed: bool) -> None:
        """Whether watchers may talk from now on."""
        await self._pool.rows(
            "INSERT INTO watchers_say (table_id, allowed) VALUES (%s, %s)"
            " ON CONFLICT (table_id) DO UPDATE SET allowed = excluded.allowed",
            table_id, allowed,
        )  # fmt: skip
