"""A house for tests of what follows the log: real PostgreSQL and NATS, the engine here or in a process of its own."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import psycopg
from nats.aio.client import Client

from deploy.local import Nats
from domain import events, registry
from domain.table import Table
from projections import engine
from projections.decisions import load_key, serve_bots
from replay import bus
from replay.live import Answer, Live
from replay.log import Log
from replay.notes import Signer
from replay.schema import migrate
from replay.seal import Sealer
from replay.tables import Tables
from replay.tasks import end
from tests.projections.toy import Ticking

KEY_NAME = "house.test/records"
PATIENCE_S = 60.0

T = TypeVar("T")


def play_toy() -> None:
    """Let the house of this process play Ticking."""
    registry.GAMES.setdefault("ticking", {1: Ticking()})


class House:
    """The parts that one process has of a house."""

    def __init__(self, database: str, server: Nats, keys: Path, client: Client) -> None:
        self.database, self.server, self.keys, self.client = database, server, keys, client
        self.log = Log(database)
        self.sealer = Sealer.load(keys / "seal.key", create=True)
        self.signer = Signer.load(keys / "sign.key", KEY_NAME, create=True)
        self.key = load_key(keys / "decide.key", create=True)
        self.tables = Tables(self.log, self.sealer)
        self.hooks: list[Callable[[], Awaitable[None]]] = []

    async def again(self) -> None:
        for hook in self.hooks:
            await hook()

    # -- tables -------------------------------------------------------------------------------------------------------

    async def act(self, table: str, event: type[Any], **fields: Any) -> Answer:
        return await self.tables.act(table, lambda _, at: event(at=at, **fields))

    async def sit(self, table: str, seat: int, level: str | None = None, cut: str | None = None) -> Answer:
        """A bot of that level takes a seat, or a person."""
        who = f"{'bot' if level else 'person'}{seat}"
        kind = "bot" if level else "human"
        return await self.act(table, events.Sat, seat=seat, who=who, kind=kind, cut=cut, level=level)

    async def start(self, table: str) -> Answer:
        def started(at_table: Table, at: int) -> events.Event:
            chairs = [chair for chair in at_table.chairs if chair]
            kinds = tuple(chair.kind for chair in chairs)
            return events.Started(at=at, kinds=kinds, cuts=tuple(chair.promise for chair in chairs))

        return await self.tables.act(table, started)

    async def begin(
        self, game: str, levels: Sequence[str | None], watch_delay: int = 0, **options: Any
    ) -> Live:
        """A table under way, with a bot of each level and a person for each None."""
        live = await self.tables.open(game, len(levels), options, host="person0", watch_delay=watch_delay)
        for seat, level in enumerate(levels):
            await self.sit(live.table.id, seat, level)
        await self.start(live.table.id)
        return live

    async def close(self, table: str, how: str = "host") -> Answer:
        return await self.act(table, events.Closed, how=how)

    async def stored(self, table: str) -> list[events.Event]:
        """What the log has of a table."""
        return [events.decode(entry.raw) for entry in await self.log.read(table)]

    def ask(self, query: Any, *values: Any) -> list[Any]:
        """Rows of a query."""
        with psycopg.connect(self.database, connect_timeout=10, options="-c statement_timeout=10s") as connection:
            return connection.execute(query, values).fetchall()

    # -- processes ----------------------------------------------------------------------------------------------------

    def environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("FAIRCUT_")}
        return own | {
            "FAIRCUT_DATABASE_URL": self.database,
            "FAIRCUT_NATS_URL": str(self.server.credentials("server")),
            "FAIRCUT_KEYS": str(self.keys),
            "FAIRCUT_KEY_NAME": KEY_NAME,
        }

    def engine(self) -> "Process":
        """`faircut engine`, which also knows the toy game."""
        return Process("-m", "tests.projections.engine", environment=self.environment())

    def worker(self, *arguments: str) -> "Process":
        """`faircut bots` with a bot's credentials and nothing else."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("FAIRCUT_")}
        own["FAIRCUT_NATS_BOT_URL"] = str(self.server.credentials("bot"))
        return Process("-m", "api.cli", "bots", *arguments, environment=own)


class Process:
    """A Python process of ours, from the root of the project."""

    def __init__(self, *arguments: str, environment: dict[str, str]) -> None:
        root = Path(__file__).parents[2]
        self._popen = subprocess.Popen([sys.executable, *arguments], env=environment, cwd=root)

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        return self._popen.pid

    def kill(self) -> None:
        """End it as a crash does."""
        self._popen.kill()
        self._popen.wait()

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        self._popen.terminate()
        return self._popen.wait(30)


@asynccontextmanager
async def house(database: str, server: Nats, folder: Path) -> AsyncIterator[House]:
    """A house whose database and streams are ready. Its engine and bots are started by the test."""
    play_toy()
    keys = folder / "keys"
    keys.mkdir(exist_ok=True)
    migrate(database, engine.schema())
    hooks: list[Callable[[], Awaitable[None]]] = []

    async def again() -> None:
        for hook in hooks:
            await hook()

    client = await bus.connect(server.as_user("server"), "test", again=again)
    await bus.streams(client.jetstream())
    found = House(database, server, keys, client)
    found.hooks = hooks
    try:
        yield found
    finally:
        await in_time("the bus is left", client.close())
        await in_time("the log closes", found.log.close())


@asynccontextmanager
async def at_work(home: House) -> AsyncIterator[engine.Engine]:
    """The engine in this process, with a log and tables of its own."""
    source = Log(home.database)
    own = engine.Engine(source, Tables(source, home.sealer), home.client, home.signer, home.key)
    home.hooks.append(own.bus_was_away)
    task = asyncio.create_task(own.run())
    try:
        yield own
        assert not task.done()
    finally:
        home.hooks.remove(own.bus_was_away)
        await in_time("the engine ends", end(task))
        await in_time("its log closes", source.close())


@asynccontextmanager
async def door(home: House) -> AsyncIterator[None]:
    """Takes bots' moves, as an API process does."""
    task = asyncio.create_task(serve_bots(home.client, home.tables, home.key))
    try:
        yield
    finally:
        await in_time("the door closes", end(task))


async def until(what: str, true: Callable[[], Any], seconds: float = PATIENCE_S) -> Any:
    """Wait until something holds (a function or coroutine function); its value."""
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    while True:
        value = true()
        if asyncio.iscoroutine(value):
            value = await in_time(what, value, end - clock())
        if value:
            return value
        assert clock() < end, f"waited in vain: {what}"
        await asyncio.sleep(0.02)


async def in_time(what: str, waiting: Awaitable[T], seconds: float = PATIENCE_S) -> T:
    """What comes of something, which fails by name if it does not come."""
    try:
        async with asyncio.timeout(max(seconds, 1.0)):
            return await waiting
    except TimeoutError:
        raise AssertionError(f"waited in vain: {what}") from None


async def followed(home: House, *views: str) -> None:
    """Wait until the views have seen everything that is in the log now."""
    position = home.ask("SELECT coalesce(max(notification_id), 0) FROM faircut_events")[0][0]
    for view in views or ("lobby", "results", "relay"):
        query = psycopg.sql.SQL("SELECT at FROM {}").format(psycopg.sql.Identifier(view, "position"))
        await until(f"{view} has come to {position}", lambda query=query: home.ask(query)[0][0] >= position)


async def questions(home: House) -> dict[str, dict[str, Any]]:
    """What lies in the bots' queue, by subject."""
    js = home.client.jetstream()
    found = {}
    for subject in await bus.subjects(home.client, bus.DECIDE, bus.DECIDE_ALL):
        found[subject] = json.loads((await js.get_last_msg(bus.DECIDE, subject)).data or b"{}")
    return found


async def listen(client: Client, subject: str) -> list[Any]:
    """A list to which each message on a subject is added from now on."""
    found: list[Any] = []

    async def hear(msg: Any) -> None:
        found.append(msg)

    await client.subscribe(subject, cb=hear)
    await client.flush()
    return found


def plain(value: Any) -> Any:
    """In builtin form."""
    return msgspec.to_builtins(value)
