"""A house served over HTTP in a thread of the test's process, over a real database and bus, and the people in it."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec
from websockets.sync.client import ClientConnection, connect

from api.client import Client, Refused
from api.listen import bind
from api.server import server
from api.services import Services
from replay.settings import Settings
from replay.tables import wall_ms

__all__ = [
    "Clock", "Feed", "Person", "Refused", "Served", "Working", "play_on", "seated", "settings_for", "to_draw", "turn",
    "version", "wait",
]  # fmt: skip

T = TypeVar("T")


class Clock:
    """The wall clock, which a test may move forward."""

    def __init__(self) -> None:
        self.ahead = 0  # ms

    def __call__(self) -> int:
        return wall_ms() + self.ahead


class Served:
    """One API process, in a thread. `clock` moves all its times."""

    def __init__(self, settings: Settings, clock: Clock | None = None, port: int = 0) -> None:
        self.settings, self.clock = settings, clock or Clock()
        self._socket = bind("127.0.0.1", port)
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._server = server(settings, self.clock)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        wait(lambda: self._server.started or not self._thread.is_alive())
        assert self._server.started, "the API did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(15)
        assert not self._thread.is_alive(), "the API did not stop"

    @property
    def app(self) -> Any:
        """The application that is served."""
        return self._server.config.loaded_app

    @property
    def services(self) -> Services:
        """What its resources work with."""
        found: Services = self.app.state["services"]
        return found

    def do(self, make: Callable[[Services], Awaitable[T]]) -> T:
        """Run something in the process's event loop."""

        async def run() -> T:
            return await make(self.services)

        return asyncio.run_coroutine_threadsafe(run(), self._server.servers[0].get_loop()).result(30)

    def person(self, name: str = "Ada") -> "Person":
        """A new guest."""
        made = Person(self.url)
        made.guest(name)
        return made

    def watcher(self) -> "Person":
        """Somebody without a token."""
        return Person(self.url)


class Person(Client):
    """A client with a live feed."""

    def feed(self, table: str, seen: int | None = None, **options: Any) -> "Feed":
        """Open a live feed."""
        ticket = self.call("POST", f"/tables/{table}/tickets")["ticket"]
        return Feed(self.feed_url(table, ticket, seen), **options)

    def at(self, url: str) -> "Person":
        """The same person at another address of the house."""
        made = Person(url, self.keys)
        made.http.headers["authorization"] = self.http.headers["authorization"]
        return made

    def feed_url(self, table: str, ticket: str, seen: int | None = None) -> str:
        since = "" if seen is None else f"&seen={seen}"
        base = str(self.http.base_url).rstrip("/").replace("http", "ws", 1)
        return f"{base}/tables/{table}/feed?ticket={ticket}{since}"

    def owes(self, table: dict[str, Any]) -> dict[str, Any] | None:
        """This person's question at a table as they see it."""
        return next((d for d in table["deciding"] if d["seat"] == table["you"] and d["key"]), None)


class Feed:
    """A live feed's frames."""

    def __init__(self, url: str, **options: Any) -> None:
        self._open = ExitStack()
        self.socket: ClientConnection = self._open.enter_context(connect(url, open_timeout=10, **options))
        self.frames: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def next(self, timeout: float = 10) -> dict[str, Any]:
        """The next frame. Raises TimeoutError."""
        raw = self.socket.recv(timeout)
        assert isinstance(raw, str)
        self.frames.append(raw)
        frame: dict[str, Any] = msgspec.json.decode(raw)
        return frame

    def until(self, holds: Callable[[dict[str, Any]], bool], timeout: float = 10) -> dict[str, Any]:
        """The first state for which something holds; beats and other states are passed over."""
        while True:
            frame = self.next(timeout)
            if frame["type"] == "state" and holds(frame):
                return frame


def wait(holds: Callable[[], T], seconds: float = 15.0) -> T:
    """Wait until something holds; what it is."""
    done = threading.Event()
    for _ in range(int(seconds / 0.01)):
        if found := holds():
            return found
        done.wait(0.01)
    raise AssertionError("it did not come to hold in time")


def seated(
    served: Served, people: int = 2, *, game: str = "michigan_rummy", watch_delay: int = 0,
    names: Sequence[str] = ("Ada", "Ben", "Cleo", "Dan"), **options: Any,
) -> tuple[str, list[Person]]:  # fmt: skip
    """A table with everyone's cut in the cards, and its people in seat order; the first is the host."""
    crowd = [served.person(name) for name in names[:people]]
    body = {"game": game, "seats": people, "options": options, "watch_delay": watch_delay}
    table: str = crowd[0].call("POST", "/tables", body)["table"]["id"]
    for seat, person in enumerate(crowd):
        person.sit(table, seat)
    crowd[0].start(table)
    for person in crowd:
        person.cut(table)
    return table, crowd


def turn(table: str, crowd: list[Person]) -> tuple[int, str]:
    """Whose turn it is, and the key of the question."""
    for seat, person in enumerate(crowd):
        if question := person.owes(person.table(table)):
            return seat, question["key"]
    raise AssertionError("nobody is asked anything")


def play_on(table: str, crowd: list[Person], moves: int) -> None:
    """Make moves that are legal, whosever turn it is."""
    for _ in range(moves):
        seat, key = turn(table, crowd)
        crowd[seat].move(table, key, crowd[seat].legal(table)[0])


def to_draw(table: str, crowd: list[Person]) -> tuple[int, str]:
    """Play until somebody is to draw: who, and the key of the question."""
    while True:
        for seat, person in enumerate(crowd):
            if question := person.owes(person.table(table)):
                if question["kind"] == "draw":
                    return seat, question["key"]
                person.move(table, question["key"], person.legal(table)[0])


def version(served: Served, table: str) -> int:
    """How many events the log has of a table."""

    async def count(house: Services) -> int:
        return len(await house.log.read(table))

    return served.do(count)


def settings_for(database: str, nats: Path | str, keys: Path) -> Settings:
    """Settings of a house in tests."""
    return Settings(database_url=database, nats_url=str(nats), keys=keys, key_name="faircut.test/records")


class Working:
    """A part of the house that works until it is told to stop, in a thread of its own."""

    def __init__(self, work: Callable[[asyncio.Event], Awaitable[None]]) -> None:
        self._work, self._begun = work, threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    async def _run(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._begun.set()
        await self._work(self._stop)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._begun.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(20)
        assert not self._thread.is_alive(), "it did not stop"
