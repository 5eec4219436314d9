"""The `faircut` command. Each subcommand lives in its own module, `api/cli_<name>.py`, and is imported when called."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

COMMANDS = {
    "run": "start a whole house here: PostgreSQL, NATS, API, engine and bots",
    "play": "play a table in the terminal",
    "simulate": "let bots play whole games offline and measure their strength",
    "audit": "verify finished games from their records",
    "case": "run position and case files",
    "engine": "run projections, relay and timers against running servers",
    "bots": "run a bot worker against a running bus",
    "api": "serve the API against running servers",
    "migrate": "make the database and the streams ready (once, before the others)",
}


def program() -> str:
    """How this program was called, for commands that we suggest: `.venv/bin/faircut`, or by its bare name."""
    return sys.argv[0] if Path(sys.argv[0]).name == "faircut" else "faircut"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit code: each says its own; 2 for unusable arguments.

    Who reads what it prints may stop early (`| head`): then it ends without a word, as if by SIGPIPE.
    """
    try:
        try:
            return _command(argv)
        finally:
            if sys.stdout:
                sys.stdout.flush()  # here, not as Python ends, where nobody can catch what comes of it
    except BrokenPipeError:
        return _unread()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # what rich makes of it
            return _unread()
        raise


def _unread() -> int:
    """Throw away what is still to be printed; the exit code of a program that SIGPIPE ended."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    return 128 + signal.SIGPIPE


def _command(argv: Sequence[str] | None) -> int:
    argv = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(prog="faircut", description="Rummy tables that anyone can audit.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, about in COMMANDS.items():
        sub = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
        if argv[:1] == [name]:
            module = import_module(f"api.cli_{name}")
            module.arguments(sub)
            sub.set_defaults(run=module.run)
    args = parser.parse_args(argv)
    return int(args.run(args))


if __name__ == "__main__":
    sys.exit(main())
