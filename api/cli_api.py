"""`faircut api`: the API against running servers (settings from the environment: README, "Settings").

Exit codes: 0 stopped, 1 it did not start, 2 unusable settings, keys or address.
"""

import argparse
import asyncio
import socket
import sys

import psycopg

from api.given import port_number
from api.listen import bind
from api.process import speak
from api.server import server
from projections.decisions import load_key
from replay import notes, seal
from replay.log import Log, NotReady, Unavailable
from replay.settings import Settings
from replay.writer import SWITCH_S


def arguments(parser: argparse.ArgumentParser) -> None:
    """Where to listen."""
    parser.add_argument("--host", help="address to listen on (default: FAIRCUT_HOST, else 127.0.0.1)")
    parser.add_argument("--port", type=port_number, help="port to listen on (default: FAIRCUT_PORT, else 8000)")
    parser.add_argument("--fd", type=int, help="a socket that listens already, as `faircut run` hands it over")


def run(args: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM. Exit code as above."""
    speak("api: %(levelname)s %(message)s")
    try:
        settings = Settings.from_environment()
        check_keys(settings)
        listening = _listening(args, settings)
    except KeyError as fault:
        print(f"faircut api: {fault.args[0]} is not set", file=sys.stderr)
        return 2
    except (ValueError, OSError, seal.KeyFault) as fault:
        print(f"faircut api: {fault}", file=sys.stderr)
        return 2
    try:
        asyncio.run(_reach(settings))
    except NotReady as fault:
        print(f"faircut api: {fault}", file=sys.stderr)
        return 1
    except (Unavailable, psycopg.Error) as fault:  # whose words may quote the address
        print(f"faircut api: the database does not answer ({type(fault).__name__})", file=sys.stderr)
        return 1
    sys.setswitchinterval(SWITCH_S)
    running = server(settings)
    running.run(sockets=[listening])
    return 0 if running.started else 1


def _listening(args: argparse.Namespace, settings: Settings) -> socket.socket:
    if args.fd is not None:
        return socket.socket(fileno=args.fd)
    return bind(args.host or settings.host, settings.port if args.port is None else args.port)


async def _reach(settings: Settings) -> None:
    """Raise what is wrong with the database before anything is served."""
    await Log(settings.database_url).close()


def check_keys(settings: Settings) -> None:
    """Raise notes.KeyFault, seal.KeyFault, OSError or ValueError if a key is missing or unfit."""
    seal.Sealer.load(settings.keys / "seal.key", create=False)
    notes.Signer.load(settings.keys / "sign.key", settings.key_name)
    load_key(settings.keys / "decide.key")
