"""`faircut bots`: a bot worker on a running bus. It reads one setting, FAIRCUT_NATS_BOT_URL, and no other."""

import argparse
import os
import sys

from nats.errors import Error as BusError

from api.process import serve
from bots import worker


def arguments(parser: argparse.ArgumentParser) -> None:
    """--workers: processes that think at the same time."""
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes that think (1)")


def run(args: argparse.Namespace) -> int:
    """Work until SIGINT or SIGTERM.

    Exit code 0, 1 if the bus or the setting is missing, 2 for unusable arguments.
    """
    source = os.environ.get("FAIRCUT_NATS_BOT_URL")
    if args.workers < 1:
        return _say("--workers is 1 or more", 2)
    if not source:
        return _say("FAIRCUT_NATS_BOT_URL is not set")
    try:
        serve(lambda stop: worker.work(source, stop, args.workers))
    except ValueError as fault:
        return _say(str(fault))
    except (OSError, BusError) as fault:
        return _say(f"the bus cannot be reached ({type(fault).__name__})")
    return 0


def _say(words: str, code: int = 1) -> int:
    print(f"faircut bots: {words}", file=sys.stderr)
    return code
