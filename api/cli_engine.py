"""`faircut engine`: projections, relay and timers, against running servers."""

import argparse
import sys

import psycopg
from nats.errors import Error as BusError

from api.process import serve
from projections import engine
from replay.log import NotReady, Unavailable
from replay.notes import KeyFault as SigningKeyFault
from replay.seal import KeyFault as SealingKeyFault
from replay.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments: everything comes from the environment (README, "Settings")."""


def run(args: argparse.Namespace) -> int:
    """Work until SIGINT or SIGTERM. Exit code 0, or 1 if a server, a key or a setting is missing."""
    try:
        settings = Settings.from_environment()
        serve(lambda stop: engine.work(settings, stop))
    except KeyError as missing:
        return _say(f"{missing.args[0]} is not set")
    except (SealingKeyFault, SigningKeyFault, NotReady, ValueError) as fault:
        return _say(str(fault))
    except (OSError, BusError, Unavailable, psycopg.Error) as fault:
        return _say(f"a server cannot be reached ({type(fault).__name__})")
    return 0


def _say(words: str) -> int:
    print(f"faircut engine: {words}", file=sys.stderr)
    return 1
