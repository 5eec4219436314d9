"""`faircut run`: a whole house from one command. PostgreSQL, NATS, API, engine and bots, with their data in a folder.

Servers that run already are used instead where FAIRCUT_DATABASE_URL or FAIRCUT_NATS_URL names them.
What dies is started again. Exit codes: 0 stopped, 1 something does not start or dies again and again, 2 unusable
settings, keys, folder or address.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

import nats.errors
import psycopg
from rich.console import Console

from api.children import Child, Kept
from api.cli import program
from api.cli_migrate import make_ready
from api.given import port_number
from api.listen import PortTaken, bind
from deploy import local
from replay import notes, seal
from replay.log import Unavailable
from replay.settings import Settings, database, port_from

READY_S = 60.0  # a house that is not ready by then has failed to start
DEATHS = 5  # in a row: then a server is given up, and so is a process of a house that was never ready

out = Console(highlight=False, soft_wrap=True)


class Failed(Exception):
    """The house did not start; the message says why. `code`: the exit code."""

    def __init__(self, words: str, code: int = 1) -> None:
        super().__init__(words)
        self.code = code


def arguments(parser: argparse.ArgumentParser) -> None:
    """Where to listen and where to keep things."""
    parser.add_argument("--data", type=Path, default=Path("data"), metavar="DIR", help="data folder (default: data)")
    parser.add_argument("--port", type=port_number, help="port to listen on (default: FAIRCUT_PORT, else 8000)")
    parser.add_argument("--host", help="address to listen on (default: FAIRCUT_HOST, else 127.0.0.1)")


def run(args: argparse.Namespace) -> int:
    """Run the house until SIGINT or SIGTERM. Exit code as above."""
    stop = _Stop()
    try:
        with contextlib.ExitStack() as rooms:
            return _run(args, stop, rooms)
    except Failed as fault:
        print(f"faircut run: {fault}", file=sys.stderr)
        return fault.code
    except KeyboardInterrupt:
        return 0


class _Stop:
    """Set by the first SIGINT or SIGTERM. While servers start, it breaks that off."""

    def __init__(self) -> None:
        self.asked = self.gentle = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._heard)

    def _heard(self, _: int, __: FrameType | None) -> None:
        first, self.asked = not self.asked, True
        if first and not self.gentle:
            raise KeyboardInterrupt


def _run(args: argparse.Namespace, stop: _Stop, rooms: contextlib.ExitStack) -> int:
    host = args.host or os.environ.get("FAIRCUT_HOST", "127.0.0.1")
    try:
        port = args.port if args.port is not None else port_from(os.environ)
    except ValueError as fault:
        raise Failed(str(fault), 2) from None
    data = _folder(args.data)
    try:
        listening = rooms.enter_context(bind(host, port))
    except OSError as fault:
        other = ": choose another with --port" if isinstance(fault, PortTaken | PermissionError) else ""
        raise Failed(f"{fault}{other}", 2) from None
    port = listening.getsockname()[1]
    settings, bots, servers = _servers(data, host, port, rooms)
    _ready(settings)
    children = _children(data, settings, bots, listening.fileno())
    stop.gentle = True
    for child in reversed(children):
        rooms.callback(child.stop)
        child.start()
    address = f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{port}"  # noqa: S104
    _Watch(children, servers, address, data, stop).run()
    out.print("Stopping …")
    return 0


def _folder(named: Path) -> Path:
    """The data folder, made if need be, with its logs. Raises Failed, also if its house runs already."""
    try:
        data = named.resolve()
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        (data / "logs").mkdir(exist_ok=True, mode=0o700)
        for name in ("api", "bots", "engine"):
            (data / "logs" / f"{name}.log").open("ab").close()
        if local.busy(data):
            raise Failed(f"the house of {data} is running already", 2)
    except (OSError, ValueError, RuntimeError) as fault:  # RuntimeError: links that go round in a circle
        raise Failed(f"the data folder cannot be used: {fault}", 2) from None
    return data


def _servers(data: Path, host: str, port: int, rooms: contextlib.ExitStack) -> tuple[Settings, str, list[Kept]]:
    """Addresses of the servers, started here unless they are named, and of the bots' bus; the servers started."""
    url, bus, bots = (os.environ.get(f"FAIRCUT_{name}_URL") for name in ("DATABASE", "NATS", "NATS_BOT"))
    kept: list[Kept] = []
    try:
        url = database(url) if url is not None else None
        if url is None:
            out.print(f"Starting PostgreSQL in {data} …")
            postgres = rooms.enter_context(local.postgres(data))
            url = postgres.url
            kept.append(Kept(postgres, "PostgreSQL"))
        if bus is None:
            out.print("Starting NATS …")
            nats = rooms.enter_context(local.nats(data))
            bus, bots = str(nats.credentials("server")), str(nats.credentials("bot"))
            kept.append(Kept(nats, "NATS"))
    except local.Busy as fault:
        raise Failed(f"{fault}: is the house running already?", 2) from None
    except local.Failed as fault:
        raise Failed(str(fault)) from None
    except (OSError, ValueError) as fault:
        raise Failed(str(fault), 2) from None
    settings = Settings(
        database_url=url, nats_url=bus, nats_bot_url=bots or bus, host=host, port=port,
        keys=Path(os.environ.get("FAIRCUT_KEYS", data / "keys")).resolve(),
        key_name=os.environ.get("FAIRCUT_KEY_NAME", "faircut.local/records"),
    )  # fmt: skip
    return settings, bots or bus, kept


def _ready(settings: Settings) -> None:
    try:
        make_ready(settings)
    except (psycopg.Error, Unavailable) as fault:
        raise Failed(f"the database cannot be made ready ({type(fault).__name__})") from None
    except (nats.errors.Error, TimeoutError) as fault:
        raise Failed(f"the bus cannot be reached ({type(fault).__name__})") from None
    except (ValueError, OSError, seal.KeyFault, notes.KeyFault) as fault:
        raise Failed(str(fault), 2) from None


def _children(data: Path, settings: Settings, bots: str, fd: int) -> list[Child]:
    """In the order in which they are ended, the other way round started.

    Each is told what it needs to know and nothing else.
    """
    logs = data / "logs"
    plain = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL", "TZ") if name in os.environ}
    plain |= {"PYTHONUNBUFFERED": "1"}
    house = plain | {
        "FAIRCUT_DATABASE_URL": settings.database_url,
        "FAIRCUT_NATS_URL": settings.nats_url,
        "FAIRCUT_KEYS": str(settings.keys),
        "FAIRCUT_KEY_NAME": settings.key_name,
    }
    return [
        Child("api", ["api", "--fd", str(fd)], house, logs / "api.log", [fd]),
        Child("bots", ["bots"], plain | {"FAIRCUT_NATS_BOT_URL": bots}, logs / "bots.log"),
        Child("engine", ["engine"], house, logs / "engine.log"),
    ]


class _Watch:
    """The house once everything has been started."""

    def __init__(
        self, children: Sequence[Child], servers: Sequence[Kept], address: str, data: Path, stop: _Stop
    ) -> None:
        self._children, self._servers, self._address = children, servers, address
        self._data, self._stop, self._ready = data, stop, False

    def run(self) -> None:
        """Say when the house is ready; start again what dies; return when asked to stop. Raises Failed."""
        deadline = time.monotonic() + READY_S
        while not self._stop.asked:
            for kept in self._servers:
                self._keep(kept)
            for child in self._children:
                if words := child.tend():
                    out.print(words)
                if not self._ready and child.deaths >= DEATHS:
                    raise Failed(f"{child.name} does not start\n{child.tail()}")
            if not self._ready and _green(self._address):
                self._ready = True
                for line in _welcome(self._address, self._data):
                    out.print(line)
            if not self._ready and time.monotonic() > deadline:
                raise Failed(f"the house is not ready after {READY_S:.0f} s; see {self._data / 'logs'}")
            time.sleep(0.1)  # between looks at the children, for as long as the house runs

    def _keep(self, kept: Kept) -> None:
        before = _address_of(kept)
        self._stop.gentle = kept.server.pid is not None  # else it may take long to start: a Ctrl-C breaks that off
        words = kept.tend()
        self._stop.gentle = True
        if words:
            out.print(words)
        if kept.deaths >= DEATHS:
            raise Failed(f"{kept.name} has died {kept.deaths} times in a row: see {kept.server.log}")
        if _address_of(kept) != before:
            for child in self._children:
                child.stop()  # it starts again, and reads the new address


def _address_of(kept: Kept) -> str:
    """Where a server is: NATS takes another port if somebody else has taken its own meanwhile."""
    return kept.server.url if isinstance(kept.server, local.Nats) else ""


def _green(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/healthz", timeout=2) as answer:  # noqa: S310  # our own address
            return all(json.load(answer).values())
    except (OSError, ValueError):
        return False


def _welcome(address: str, data: Path) -> Iterator[str]:
    yield f"[bold green]Faircut is ready:[/] [bold]{address}[/]"
    yield f"Play in a second terminal: {program()} play --url {address}"
    yield f"Ctrl-C stops it. Tables, keys and logs are in {data} and are found again next time."
