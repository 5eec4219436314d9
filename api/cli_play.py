"""`faircut play`: a table in the terminal, against bots or with friends, for any game there is."""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx
from rich.console import Console
from rich.markup import escape

from api.cli import program
from api.cli_play_words import in_order, meant, only, options_amiss, plain, seats_amiss, shown, spoken
from api.client import Client, Distrust, Refused
from api.given import Unusable, small
from api.saved import Saved, forget, load, save
from domain.events import LEVELS
from replay.notes import KeyFault, Keys

SHOWN = 30  # legal moves listed unless all are asked for
POLL_S = 0.3
HELP = "Type a move's number, s for the suggestion, all for every move, a move as JSON, or q to stop for now."
NOTHING = "Nothing is suggested here: choose a number."

out = Console(highlight=False, soft_wrap=True)


class Stop(Exception):
    """The player has had enough for now."""


class Unoffered(Exception):
    """The house does not have what was asked for; the message says what it has."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("game", nargs="?", default="michigan_rummy", help="name of a game (default: michigan_rummy)")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="address of the house (default: %(default)s)")
    parser.add_argument("--bots", default="medium", help=f"levels of the bots to play against, of {', '.join(LEVELS)}")
    parser.add_argument("--join", metavar="TABLE", help="sit down at this table instead of opening one")
    parser.add_argument("--resume", action="store_true", help="go on with the table you last left")
    parser.add_argument("--name", default="Guest", help="what you want to be called")
    parser.add_argument("--set", metavar="OPTION=VALUE", action="append", default=[], help="an option of the table")
    parser.add_argument("--key", metavar="FILE", help="file of keys that vouch for the house (default: its own)")
    parser.add_argument("--auto", action="store_true", help="let the hints play for you")
    parser.add_argument("--watch", action="store_true", help="seat bots alone and watch them")


def run(args: argparse.Namespace) -> int:
    """Play one table.

    Exit code 0; 1 if the house refused or cannot be trusted; 2 if it cannot be reached or an argument is unusable.
    """
    unknown = [level for level in args.bots.split(",") if level and level not in LEVELS]
    if unknown:
        print(f"There is no level {unknown[0]}: take {', '.join(LEVELS)}.", file=sys.stderr)
        return 2
    try:
        keys = _keys(args)
        saved = load(args.url) if args.resume else None
        if args.resume and saved is None:
            print(f"No table at {args.url} was left here.", file=sys.stderr)
            return 2
        with Client(args.url, keys, saved.token if saved else None) as client:
            table = _back(client, saved.table) if saved else _begin(client, args)
            return _play(client, table, args)
    except (Unusable, httpx.InvalidURL) as fault:
        print(f"{args.url}: {fault}." if isinstance(fault, httpx.InvalidURL) else f"{fault}.", file=sys.stderr)
        return 2
    except httpx.HTTPError as fault:
        print(f"{args.url} cannot be reached: {fault}. Is `make run` running?", file=sys.stderr)
        print(f"A table that you sit at waits for you: {program()} play --resume", file=sys.stderr)
        return 2
    except BrokenPipeError:  # of the terminal: the house's are HTTP errors
        raise
    except (Refused, Distrust, Unoffered, OSError, ValueError) as no:
        print(f"{no}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, EOFError, Stop):
        return _left(args)


def _left(args: argparse.Namespace) -> int:
    """Say how to come back, if there is a table to come back to."""
    with suppress(OSError, ValueError):
        if (args.join or not args.watch) and load(args.url):
            print(f"\nThe table waits for you: {program()} play --resume --url {args.url}", file=sys.stderr)
    return 0


def _keys(args: argparse.Namespace) -> Keys | None:
    """The keys that --key names. Raises Unusable for that and for arguments that are no text."""
    for name, value in vars(args).items():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text):
                raise Unusable(f"{name} is no text that can be sent")
    if args.key is None:
        return None
    try:
        return Keys.parse(small(args.key, "keys"))
    except KeyFault as fault:
        raise Unusable(f"the keys in {args.key} cannot be used: {fault}") from None


def _value(text: str) -> int | str:
    """An option's value as the house wants it: numbers as such."""
    try:
        return int(text) if text.isascii() and text.removeprefix("-").isdigit() else text
    except ValueError:  # of thousands of digits
        return text


def _begin(client: Client, args: argparse.Namespace) -> str:
    options = _options(args)
    if not args.join:
        _check(client, args, options)
    token = client.guest(args.name)
    if args.join:
        save(Saved(url=args.url, table=args.join, token=token))
        return _join(client, args.join)
    levels = _levels(args)
    table: str = client.open(args.game, len(levels) + (not args.watch), options)["id"]
    with _closed_unless_started(client, table):
        if not args.watch:
            client.sit(table, 0)
        for level in levels:
            client.bot(table, level)
        client.start(table)
    if not args.watch:
        save(Saved(url=args.url, table=table, token=token))
        client.cut(table)
        out.print(f"Table {table}: your cut is in the cards.")
    return table


def _levels(args: argparse.Namespace) -> list[str]:
    return [level for level in args.bots.split(",") if level]


def _options(args: argparse.Namespace) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for setting in args.set:
        name, _, value = setting.partition("=")
        options[name] = _value(value)
    return options


def _check(client: Client, args: argparse.Namespace, options: dict[str, Any]) -> None:
    """Raise Unoffered for what this house has not."""
    games = {game["name"]: game for game in client.call("GET", "/games")["games"]}
    if args.game not in games:
        raise Unoffered(f"There is no game {args.game} here: take {', '.join(games)}.")
    game = games[args.game]
    amiss = seats_amiss(game, _levels(args), 0 if args.watch else 1) or next(options_amiss(game, options), None)
    if amiss:
        raise Unoffered(amiss)


@contextmanager
def _closed_unless_started(client: Client, table: str) -> Iterator[None]:
    """Close a table whose start fails, whatever the reason: nobody would ever play there."""
    try:
        yield
    except BaseException:
        with suppress(httpx.HTTPError, Refused):
            client.call("POST", f"/tables/{table}/close", {})
        raise


def _join(client: Client, table: str) -> str:
    seats = client.table(table)["seats"]
    if None not in seats:
        raise Refused(409, "SEAT_TAKEN", "Every seat is taken.")
    client.sit(table, seats.index(None))
    out.print("You are seated. Waiting for the start …")
    while client.table(table)["phase"] == "open":
        time.sleep(POLL_S)  # between looks, for as long as the player cares to wait: Ctrl-C ends it
    client.cut(table)
    return table


def _back(client: Client, table: str) -> str:
    now = client.table(table)
    if now["covered"] is not None or (now["you"] is not None and now["seats"][now["you"]]["left"]):
        client.call("POST", f"/tables/{table}/return", {})
    return table


def _play(client: Client, table: str, args: argparse.Namespace) -> int:
    seen = 0
    while True:
        news = client.call("GET", f"/tables/{table}/lines?since={seen}")
        for line in news["lines"]:
            out.print(f"[dim]·[/] {escape(line['words'])}")
        seen = news["seen"]
        now = client.table(table)
        if now["phase"] in ("over", "voided", "closed"):
            forget(args.url)
            return _end(table, now, args.url)
        mine = next((d for d in now["deciding"] if d["key"]), None)  # keys are shown of one's own questions only
        if mine is None:
            time.sleep(POLL_S)  # it is others' turn, for as long as that takes: Ctrl-C ends it
            continue
        try:
            move = _hinted(client, table) if args.auto else _ask(client, table, now)
            client.move(table, mine["key"], move)
        except Refused as no:
            out.print(f"[bold]{escape(no.words)}[/]")


def _end(table: str, now: dict[str, Any], url: str) -> int:
    out.print(f"The table is {now['phase']}.")
    if now["outcome"]:
        standing = zip(now["outcome"]["places"], now["outcome"]["totals"], now["seats"], strict=True)
        for place, total, seat in sorted(standing, key=lambda row: row[0]):
            out.print(f"  {place}. {seat['name']} (seat {seat['seat']}): {total}")
    out.print(f"Check it: {program()} audit {url}/replays/{table}")
    return 0


def _hinted(client: Client, table: str) -> dict[str, Any]:
    """What the hints would do: the suggestion, else a move that needs no thought."""
    helps = client.helps(table)
    if helps.get("suggest"):
        return dict(helps["suggest"]["move"])
    order = ["draw", "ready", "take", "discard", "meld", "pass"]
    return min(
        in_order(client.legal(table)),
        key=lambda move: order.index(move["type"]) if move["type"] in order else len(order),
    )


def _ask(client: Client, table: str, now: dict[str, Any]) -> dict[str, Any]:
    view, moves, helps = now["view"], in_order(client.legal(table)), client.helps(table)
    _show(view, now["seats"], now["you"])
    for pick in helps.get("picks") or ():
        if pick.get("takeable") and pick.get("words"):
            out.print(f"   [dim]pile {pick['at']}: {escape(pick['words'])}[/]")
    best = (helps.get("suggest") or {}).get("move")
    many = SHOWN
    while True:
        for i, move in enumerate(moves[:many], 1):
            out.print(f"  {i:>2} {escape(spoken(move, view))}")
        if len(moves) > many:
            out.print(f"     … and {len(moves) - many} more: all")
        if best:
            out.print(f"   [bold]s[/] suggested: {escape(spoken(best, view))}")
        said = input("your move> ").strip()
        if said == "q":
            raise Stop
        if said == "s" and (answer := best or only(moves)):
            return dict(answer)
        if said.isdecimal() and 1 <= int(said) <= len(moves):
            return moves[int(said) - 1]
        if said.startswith("{"):
            try:
                return meant(said, view.get("hand") or ())
            except ValueError:
                out.print("That is no JSON.")
        many = len(moves) if said == "all" else many
        if said != "all":
            out.print(NOTHING if said == "s" else HELP)


def _show(view: dict[str, Any], seats: list[dict[str, Any]], you: int) -> None:
    """The table in a few lines: what all see, each seat, one's own hand in order."""
    for name in ("pile", "melds"):
        if view.get(name):
            out.print(f"[bold]{name:>7}[/] {escape(plain(view[name]))}")
    for seat in seats:
        i = seat["seat"]
        figures = [f"{name} {view[name][i]}" for name in ("counts", "melded", "totals") if view.get(name) is not None]
        out.print(f"[bold]{'you' if i == you else i:>7}[/] {escape(seat['name'])}: {', '.join(figures)}")
    if view.get("hand"):
        hand = sorted(view["hand"], key=lambda card: (card[1:2], "A23456789TJQK".find(card[0])))
        out.print(f"[bold]   hand[/] {escape(' '.join(map(shown, hand)))}")
