"""`faircut run`: a whole house from one command. PostgreSQL, NATS, API, engine and bots, with their data in a folder.

Servers that run already are used instead where FAIRCUT_DATABASE_URL or FAIRCUT_NATS_URL names them.
Exit codes: 0 stopped, 1 something did not start, 2 unusable settings, keys, folder or address.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import nats.errors
import psycopg
from rich.console import Console

from api.children import Child
from api.cli import program
from api.cli_migrate import make_ready
from api.listen import bind
from replay import notes, seal
from replay.log import Unavailable
from replay.settings import Settings

READY_S = 60.0  # a house that is not ready by then has failed to start
DEATHS = 5  # of a process in a row, before the house was ever ready: then it is given up

out = Console(highlight=False, soft_wrap=True)


class Failed(Exception):
    """The house did not start; the message says why. `code`: the exit code."""

    def __init__(self, words: str, code: int = 1) -> None:
        super().__init__(words)
        self.code = code


def arguments(parser: argparse.ArgumentParser) -> None:
    """Where to listen and where to keep things."""
    parser.add_argument("--data", type=Path, default=Path("data"), metavar="DIR", help="data folder (default: data)")
    parser.add_argument("--port", type=int, help="port to listen on (default: FAIRCUT_PORT, else 8000)")
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
    port = args.port if args.port is not None else int(os.environ.get("FAIRCUT_PORT", "8000"))
    try:
        listening = rooms.enter_context(bind(host, port))
    except OSError as fault:
        raise Failed(f"{fault}: choose another with --port", 2) from None
    port = listening.getsockname()[1]
    data: Path = args.data.resolve()
    settings, bots = _servers(data, host, port, rooms)
    _ready(settings)
    children = _children(data, settings, bots, listening.fileno())
    stop.gentle = True
    for child in reversed(children):
        rooms.callback(child.stop)
        child.start()
    _watch(children, f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{port}", data, stop)  # noqa: S104
    out.print("Stopping …")
    return 0


def _servers(data: Path, host: str, port: int, rooms: contextlib.ExitStack) -> tuple[Settings, str]:
    """Addresses of the servers, started here unless they are named, and of the bots' bus."""
    from deploy import local

    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    database, bus, bots = (os.environ.get(f"FAIRCUT_{name}_URL") for name in ("DATABASE", "NATS", "NATS_BOT"))
    try:
        if database is None:
            out.print(f"Starting PostgreSQL in {data} …")
            database = rooms.enter_context(local.postgres(data)).url
        if bus is None:
            out.print("Starting NATS …")
            server = rooms.enter_context(local.nats(data))
            bus, bots = str(server.credentials("server")), str(server.credentials("bot"))
    except local.Busy as fault:
        raise Failed(f"{fault}: is the house running already?", 2) from None
    except local.Failed as fault:
        raise Failed(str(fault)) from None
    settings = Settings(
        database_url=database, nats_url=bus, nats_bot_url=bots or bus, host=host, port=port,
        keys=Path(os.environ.get("FAIRCUT_KEYS", data / "keys")).resolve(),
        key_name=os.environ.get("FAIRCUT_KEY_NAME", "faircut.local/records"),
    )  # fmt: skip
    return settings, bots or bus


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
    logs.mkdir(exist_ok=True, mode=0o700)
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


def _watch(children: list[Child], address: str, data: Path, stop: _Stop) -> None:
    """Say when the house is ready; start again what dies; return when asked to stop. Raises Failed."""
    deadline, ready = time.monotonic() + READY_S, False
    while not stop.asked:
        for child in children:
            if words := child.tend():
                out.print(words)
            if not ready and child.deaths >= DEATHS:
                raise Failed(f"{child.name} does not start\n{child.tail()}")
        if not ready and _green(address):
            ready = True
            for line in _welcome(address, data):
                out.print(line)
        if not ready and time.monotonic() > deadline:
            raise Failed(f"the house is not ready after {READY_S:.0f} s; see {data / 'logs'}")
        time.sleep(0.1)


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
