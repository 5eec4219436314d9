"""The API, one worker: moves a second beside a bare handler, how soon a move shows elsewhere, what a feed costs."""

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from websockets.exceptions import ConnectionClosed

from api.cli_migrate import make_ready
from api.listen import bind
from deploy.local import Nats, Postgres
from replay.settings import Settings
from tests.api.house import Feed, Person
from tests.bench import Row, percentile

TABLES = 64  # at once, as for moves without HTTP
ROUNDS = 5  # of ours and of the bare handler, in turn: whatever else the machine does meets both
SECONDS = 2.0  # of each
FEEDS = 1000  # idle ones


class _View(Struct):
    hand: tuple[str, ...]
    deals: int
    moves: int
    phase: str
    turn: int


class _Table(Struct):
    view: _View


class _Done(Struct):
    table: _Table


_decode = msgspec.json.Decoder(_Done).decode


class Line:
    """A kept-alive connection that sends moves: hardly any work of its own."""

    async def open(self, port: int, table: str) -> "Line":
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port)
        self._path, self._number = f"/tables/{table}/moves", 0
        return self

    async def post(self, token: str, body: bytes) -> bytes:
        """The answer's body. Raises RuntimeError unless it is 200."""
        self._number += 1
        head = (
            f"POST {self._path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n"
            f"Idempotency-Key: bench-{self._number:08}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        told = await self._reader.readuntil(b"\r\n\r\n")
        length = told.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        answer = await self._reader.readexactly(int(length))
        if told[9:12] != b"200":
            raise RuntimeError(answer[:200])
        return answer


def body(view: _View) -> bytes:
    """A fallback move: draw, discard, ready."""
    moves = {"draw": {"type": "draw"}, "play": {"type": "discard", "card": view.hand[0] if view.hand else ""}}
    move = moves.get(view.phase, {"type": "ready"})
    key = f"{view.deals}:{view.moves}" if view.phase in moves else f"r{view.deals}"
    return msgspec.json.encode({"key": key, "move": move})


async def play(port: int, table: str, view: _View, tokens: list[str], until: float) -> int:
    """Play on at a table of two; the number of moves."""
    line, count = await Line().open(port, table), 0
    while time.perf_counter() < until and view.phase != "over":
        for seat in (0, 1) if view.phase == "scored" else (view.turn,):
            after = _decode(await line.post(tokens[seat], body(view))).table.view
            count += 1
        view = after
    return count


async def knock(port: int, until: float) -> int:
    """The same requests to the bare handler; their number."""
    line, count = await Line().open(port, "table"), 0
    view = _View((), 1, 100, "draw", 0)
    while time.perf_counter() < until:
        await line.post("fc_0123456789abcdef_" + "A" * 43, body(view))
        count += 1
    return count


@contextmanager
def api() -> Iterator[tuple[str, int, int]]:
    """An API process over servers of its own: its address, port and process id."""
    with ExitStack() as rooms:
        folder = Path(rooms.enter_context(tempfile.TemporaryDirectory(prefix="faircut-")))
        postgres, nats = rooms.enter_context(Postgres(folder)), rooms.enter_context(Nats(folder))
        postgres.start()
        nats.start()
        settings = Settings(database_url=postgres.url, nats_url=str(nats.credentials("server")), keys=folder / "keys")
        make_ready(settings)
        told = {"FAIRCUT_DATABASE_URL": settings.database_url, "FAIRCUT_NATS_URL": settings.nats_url,
                "FAIRCUT_KEYS": str(settings.keys)}  # fmt: skip
        listening = rooms.enter_context(bind("127.0.0.1", 0))
        command = [sys.executable, "-m", "api.cli", "api", "--fd", str(listening.fileno())]
        with serving(command, listening.fileno(), os.environ | told) as pid:
            port = listening.getsockname()[1]
            yield f"http://127.0.0.1:{port}", port, pid
        postgres.stop(now=True)


@contextmanager
def serving(command: list[str], fd: int, environment: dict[str, str]) -> Iterator[int]:
    """A server in a process of its own: its process id."""
    process = subprocess.Popen(command, pass_fds=[fd], env=environment)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def seated(url: str, tables: int) -> tuple[list[tuple[str, _View]], list[Person]]:
    """Tables of the same two people, dealt."""
    pair = [Person(url), Person(url)]
    for person in pair:
        person.guest("Bench")
    made = []
    for _ in range(tables):
        table = pair[0].open("michigan_rummy", 2)["id"]
        for seat, person in enumerate(pair):
            person.call("POST", f"/tables/{table}/seats/{seat}", {"promise": None})
        made.append((table, msgspec.convert(pair[0].start(table)["view"], _View)))
    return made, pair


def token(person: Person) -> str:
    return str(person.http.headers["authorization"]).partition(" ")[2]


async def moves(port: int, tables: list[tuple[str, _View]], pair: list[Person], seconds: float) -> float:
    until, tokens = time.perf_counter() + seconds, [token(person) for person in pair]
    counts = await asyncio.gather(*(play(port, table, view, tokens, until) for table, view in tables))
    return sum(counts) / seconds


async def knocks(port: int) -> float:
    until = time.perf_counter() + SECONDS
    return sum(await asyncio.gather(*(knock(port, until) for _ in range(TABLES)))) / SECONDS


@contextmanager
def bare() -> Iterator[int]:
    """A process with the bare handler: its port."""
    with bind("127.0.0.1", 0) as listening:
        command = [sys.executable, "-m", "tests.bench.bare", str(listening.fileno())]
        with serving(command, listening.fileno(), dict(os.environ)):
            yield listening.getsockname()[1]


def races(url: str, port: int) -> tuple[float, float]:
    """Moves a second to the API and requests a second to the bare handler: the round whose ratio is the median."""
    rounds = []
    with bare() as beside:
        asyncio.run(moves(port, *seated(url, 8), 1.0))  # warm, both
        asyncio.run(knocks(beside))
        for _ in range(ROUNDS):
            tables, pair = seated(url, TABLES)
            rounds.append((asyncio.run(moves(port, tables, pair, SECONDS)), asyncio.run(knocks(beside))))
    return sorted(rounds, key=lambda rates: rates[0] / rates[1])[ROUNDS // 2]


class Ear(threading.Thread):
    """Hears a live feed and notes when the last frame came."""

    def __init__(self, feed: Feed) -> None:
        super().__init__(daemon=True)
        self._feed, self.heard, self.at = feed, threading.Event(), 0.0
        feed.next()
        self.start()

    def run(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                self._feed.socket.recv()
                self.at = time.perf_counter()
                self.heard.set()


def latency(url: str, port: int) -> list[float]:
    """Milliseconds from sending a move to its showing at the other seat: one table, nothing else going on."""
    [(table, view)], pair = seated(url, 1)
    tokens, told = [token(person) for person in pair], list[float]()
    ears = [Ear(person.feed(table)) for person in pair]
    with asyncio.Runner() as runner:
        line = runner.run(Line().open(port, table))
        for _ in range(400):
            for seat in (0, 1) if view.phase == "scored" else (view.turn,):
                for ear in ears:
                    ear.heard.clear()
                sent = time.perf_counter()
                after = _decode(runner.run(line.post(tokens[seat], body(view)))).table.view
                for ear in ears:
                    ear.heard.wait(5)
                told.append((ears[1 - seat].at - sent) * 1000)
            view = after
    return told[50:]


def memory(pid: int) -> int:
    """Resident memory of a process, bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise OSError("no figure of memory")


def idle(url: str, pid: int) -> float:
    """KiB that an idle feed of its own table's seat costs."""
    tables, pair = seated(url, 4)
    with ExitStack() as rooms:
        for i in range(20):
            rooms.enter_context(pair[i % 2].feed(tables[i % 4][0])).next()
        before = memory(pid)
        for i in range(FEEDS):
            rooms.enter_context(pair[i % 2].feed(tables[i % 4][0])).next()
        return (memory(pid) - before) / FEEDS / 1024


def rows() -> list[Row]:
    """Moves over HTTP, latency to another's feed, memory of a feed."""
    with api() as (url, port, pid):
        delays = latency(url, port)  # first: the database is busy for a while after the races
        costs = idle(url, pid)
        ours, theirs = races(url, port)
    return [
        Row(f"moves over HTTP, {TABLES} tables, one worker", ours, "moves/s", "a POST that only decodes", theirs,
            least=0.5),
        Row("move → another's feed, p50", percentile(delays, 0.5), "ms", most=5.0),
        Row("move → another's feed, p99", percentile(delays, 0.99), "ms", most=20.0),
        Row("an idle live feed", costs, "KiB", most=40.0),
    ]  # fmt: skip
