"""The `faircut` command. Each subcommand lives in its own module, `api/cli_<name>.py`, and is imported when called."""

import argparse
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
    """Run a subcommand and return its exit code (each says its own; 2 for unusable arguments)."""
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
