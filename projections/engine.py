"""The engine:

everything that follows the log, in one process. Several may run; each part is at work in one of them.
"""

import asyncio
import logging
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from nats.aio.client import Client

from projections import bus as relay
from projections import timers
from projections.decisions import load_key
from projections.lobby import Lobby
from projections.records import Records
from projections.results import Results
from projections.run import Bell, Projection, Runner, Statement, ddl
from replay import bus
from replay.log import Log
from replay.notes import Signer
from replay.seal import Sealer
from replay.settings import Settings
from replay.tables import Tables
from replay.tasks import together

THREADS = 32  # that wait for the database at the same time

log = logging.getLogger(__name__)


def projections(source: Log, signer: Signer) -> list[Projection]:
    """Every read model of the house. A new one is a line here."""
    return [Lobby(), Results(source, signer)]


def schema() -> list[Statement]:
    """Statements for `replay.schema.migrate`: the tables of all projections, the relay and the timers."""
    return [*ddl([(Lobby.name, Lobby.ddl), (Results.name, Results.ddl)]), *relay.DDL, *timers.DDL]


class Engine:
    """All parts. `source`, `tables`, `client` and the keys are the caller's, who also closes them."""

    def __init__(
        self, source: Log, tables: Tables, client: Client, signer: Signer, decide_key: bytes
    ) -> None:
        self.bell = Bell(source)
        self.runners = [Runner(source, projection, self.bell) for projection in projections(source, signer)]
        self.relay = relay.Relay(source, tables, client, decide_key, self.bell)
        self.timers = timers.Timers(source, tables, client)
        self.records = Records(source, client)

    async def bus_was_away(self) -> None:
        """What to do when the bus is reached again."""
        self.relay.bus_was_away()

    async def run(self) -> None:
        """Work until cancelled."""
        stop = threading.Event()
        follow = [self.bell.run, *(runner.run for runner in self.runners)]
        threads = [threading.Thread(target=run, args=(stop,), name="follower", daemon=True) for run in follow]
        for thread in threads:
            thread.start()
        try:
            await together(self.relay.run(), self.timers.run(), self.records.run())
        finally:
            stop.set()
            self.bell.ring()
            await asyncio.to_thread(_join, threads)


def _join(threads: Iterable[threading.Thread]) -> None:
    for thread in threads:
        thread.join(5.0)


async def work(settings: Settings, stop: asyncio.Event) -> None:
    """An engine from settings, until told to stop. Raises what opening its keys, log or bus raises."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "engine"))
    source = await asyncio.to_thread(Log, settings.database_url)
    try:
        sealer = Sealer.load(settings.keys / "seal.key", create=False, database=source)
        signer = Signer.load(settings.keys / "sign.key", settings.key_name)
        decide_key = load_key(settings.keys / "decide.key")
        engines: list[Engine] = []

        async def again() -> None:
            for engine in engines:
                await engine.bus_was_away()

        client = await bus.connect(settings.nats_url, "engine", again=again)
        try:
            await bus.streams(client.jetstream())
            engines.append(Engine(source, Tables(source, sealer), client, signer, decide_key))
            log.info("the engine is at work")
            await together(engines[0].run(), _until(stop))
        finally:
            await client.close()
    finally:
        await source.close()


async def _until(stop: asyncio.Event) -> None:
    await stop.wait()
