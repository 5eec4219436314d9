"""`faircut play`: a table in the terminal, against bots or with friends, for any game there is."""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from api.client import Client, Distrust, Refused
from domain.events import LEVELS
from replay.notes import Keys

SHOWN = 40  # legal moves listed at most; the others can be typed
POLL_S = 0.3

out = Console(highlight=False)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("game", nargs="?", default="michigan_rummy", help="name of a game (default: michigan_rummy)")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="address of the house (default: %(default)s)")
    parser.add_argument("--bots", default="medium", help=f"levels of the bots to play against, of {', '.join(LEVELS)}")
    parser.add_argument("--join", metavar="TABLE", help="sit down at this table instead of opening one")
    parser.add_argument("--name", default="Guest", help="what you want to be called")
    parser.add_argument("--set", metavar="OPTION=VALUE", action="append", default=[], help="an option of the table")
    parser.add_argument("--key", type=Path, help="file of keys that vouch for the house (default: its own)")
    parser.add_argument("--auto", action="store_true", help="let the hints play for you")
    parser.add_argument("--watch", action="store_true", help="seat bots alone and watch them")


def run(args: argparse.Namespace) -> int:
    """Play one table. Exit code 0; 1 if the house refused or cannot be trusted; 2 if it cannot be reached."""
    try:
        keys = Keys.parse(args.key.read_bytes()) if args.key else None
        with Client(args.url, keys) as client:
            client.guest(args.name)
            table = _join(client, args) if args.join else _open(client, args)
            return _play(client, table, args)
    except (httpx.HTTPError, OSError) as fault:
        print(f"{args.url} cannot be reached: {fault}. Is `make run` running?", file=sys.stderr)
        return 2
    except (Refused, Distrust) as no:
        print(f"{no}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, EOFError):
        print("\nThe table waits for you; its seat can be handed to a bot by the host.", file=sys.stderr)
        return 0


def _open(client: Client, args: argparse.Namespace) -> str:
    levels = [level for level in args.bots.split(",") if level]
    options: dict[str, Any] = {}
    for setting in args.set:
        name, _, value = setting.partition("=")
        options[name] = int(value) if value.lstrip("-").isdigit() else value
    table: str = client.open(args.game, len(levels) + (not args.watch), options)["id"]
    if not args.watch:
        client.sit(table, 0)
    for level in levels:
        client.bot(table, level)
    client.start(table)
    if not args.watch:
        client.cut(table)
        out.print(f"Table {table}: your cut is in the cards.")
    return table


def _join(client: Client, args: argparse.Namespace) -> str:
    seats = client.table(args.join)["seats"]
    if None not in seats:
        raise Refused(409, "SEAT_TAKEN", "Every seat is taken.")
    client.sit(args.join, seats.index(None))
    out.print("You are seated. Waiting for the start …")
    while client.table(args.join)["phase"] == "open":
        time.sleep(POLL_S)
    client.cut(args.join)
    return str(args.join)


def _play(client: Client, table: str, args: argparse.Namespace) -> int:
    seen = 0
    while True:
        news = client.call("GET", f"/tables/{table}/lines?since={seen}")
        for line in news["lines"]:
            out.print(f"[dim]·[/] {line['words']}", markup=True)
        seen = news["seen"]
        now = client.table(table)
        if now["phase"] in ("over", "voided", "closed"):
            return _end(table, now, args.url)
        mine = next((d for d in now["deciding"] if d["key"]), None)  # keys are shown of one's own questions only
        if mine is None:
            time.sleep(POLL_S)
            continue
        try:
            move = _hinted(client, table) if args.auto else _ask(client, table, now["view"])
            client.move(table, mine["key"], move)
        except Refused as no:
            out.print(f"[bold]{no.words}[/]")


def _end(table: str, now: dict[str, Any], url: str) -> int:
    out.print(f"The table is {now['phase']}.")
    if now["outcome"]:
        for seat, place in zip(now["seats"], now["outcome"]["places"], strict=True):
            out.print(f"  {place}. {seat['name']}: {now['outcome']['totals'][seat['seat']]}")
    out.print(f"Check it: faircut audit {url}/replays/{table}")
    return 0


def _hinted(client: Client, table: str) -> dict[str, Any]:
    """What the hints would do: the suggestion, else a move that needs no thought."""
    helps = client.helps(table)
    if helps.get("suggest"):
        return dict(helps["suggest"]["move"])
    moves = client.legal(table)
    order = ["draw", "ready", "take", "discard", "meld"]
    return min(moves, key=lambda move: order.index(move["type"]) if move["type"] in order else len(order))


def _ask(client: Client, table: str, view: dict[str, Any]) -> dict[str, Any]:
    for name in ("pile", "melds", "counts", "melded", "totals", "hand"):
        if view.get(name) is not None:
            out.print(f"[bold]{name:>7}[/] {_plain(view[name])}")
    moves, helps = client.legal(table), client.helps(table)
    for i, move in enumerate(moves[:SHOWN], 1):
        out.print(f"  {i:>2} {_words(move)}")
    best = helps.get("suggest")
    if best:
        out.print(f"   [bold]s[/] suggested: {_words(best['move'])} for {best['points']} points")
    while True:
        said = input("your move> ").strip()
        if said == "s" and best:
            return dict(best["move"])
        if said.isdigit() and 1 <= int(said) <= min(SHOWN, len(moves)):
            return moves[int(said) - 1]
        out.print("Type the number of a move" + (", or s." if best else "."))


def _words(move: dict[str, Any]) -> str:
    parts = [f"{name} {_plain(value)}" for name, value in move.items() if name != "type"]
    return f"{move['type']} {'; '.join(parts)}"


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        if "cards" in value:
            mark = f"[{value['id']}] " if "id" in value else ""
            return mark.replace("[", "\\[") + " ".join(value["cards"])
        return " ".join(f"{name}={_plain(part)}" for name, part in value.items())
    if isinstance(value, list):
        joint = "  " if any(isinstance(part, dict | list) for part in value) else " "
        return joint.join(_plain(part) for part in value) or "–"
    return str(value)
