"""Records go on the bus: the record of each table that has ended, once anyone may have it."""

import asyncio
import logging
from typing import Any

import nats.errors
import psycopg
from nats.aio.client import Client

from projections.run import Pause, try_hold, where
from replay import bus
from replay.log import Log, Unavailable

EVERY_S = 0.5  # between looks
AT_ONCE = 16  # records in one look

_NEXT = (
    "SELECT u.id, u.game, f.record FROM results.unpublished u JOIN results.finished f USING (id)"
    " WHERE u.shown_from <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    " ORDER BY u.shown_from LIMIT %s"
)
_DONE = "DELETE FROM results.unpublished WHERE id = ANY(%s)"

log = logging.getLogger(__name__)


class Records:
    """Puts records on the bus, one process at a time.

    One is put there twice if a crash comes between, as the same.
    """

    def __init__(self, source: Log, client: Client) -> None:
        self._source, self._client = source, client

    async def run(self) -> None:
        """Publish until cancelled. Whatever breaks is tried again."""
        pause = Pause()
        while True:
            try:
                await self._session(pause)
            except (psycopg.OperationalError, Unavailable, nats.errors.Error, OSError, TimeoutError) as fault:
                log.warning("no records go on the bus: %s", type(fault).__name__)
            except Exception as fault:
                log.error("records failed\n%s", where(fault))
            await asyncio.sleep(pause.next())

    async def _session(self, pause: Pause) -> None:
        connection = await asyncio.to_thread(self._source.connect)
        try:
            while not await asyncio.to_thread(try_hold, connection, "records"):  # noqa: ASYNC110  # another has it
                await asyncio.sleep(EVERY_S)
            while True:
                found = await asyncio.to_thread(_next, connection)
                for table, game, record in found:
                    await self._publish(table, game, bytes(record))
                if found:
                    done = [table for table, _, _ in found]
                    await asyncio.to_thread(connection.execute, _DONE, (done,))
                pause.over()
                if len(found) < AT_ONCE:
                    await asyncio.sleep(EVERY_S)
        finally:
            await asyncio.to_thread(connection.close)

    async def _publish(self, table: str, game: str, record: bytes) -> None:
        if len(record) > self._client.max_payload:
            log.error("the record of table %s is too long for the bus (%d bytes)", table, len(record))
            return
        js = self._client.jetstream(timeout=5)
        await js.publish(bus.replay(game, table), record, headers={"Nats-Msg-Id": table})


def _next(connection: psycopg.Connection[Any]) -> list[tuple[str, str, bytes]]:
    return connection.execute(_NEXT, (AT_ONCE,)).fetchall()
