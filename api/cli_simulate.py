"""`faircut simulate`: bots play whole games offline, to measure strength and to make records that can be audited.

Exit codes: 0 done, 2 unusable arguments, 130 broken off.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bots.arena import Match, Played, tournament
from bots.strength import summary
from domain import registry
from domain.events import LEVELS
from domain.game import Illegal
from replay import notes, record

KEY_NAME = "faircut-simulate"  # name of the throw-away key that signs records


class Unusable(Exception):
    """Arguments that make no match; the message says why."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument("game", metavar="GAME", help="name of a game, such as michigan_rummy")
    parser.add_argument(
        "--seats", required=True, metavar="LEVELS", help="a level for each seat, such as hard,medium"
    )
    parser.add_argument("--games", type=int, default=100, metavar="N", help="games to play (100)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same games (1)")
    parser.add_argument(
        "--options", default="", metavar="K=V,…", help="options of the game, such as target=300"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="write DIR/*.faircut and DIR/keys")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--jobs", type=int, default=None, metavar="N", help="cores to use (all)")


def run(args: argparse.Namespace) -> int:
    """Play the games and print the figures."""
    try:
        match = _match(args)
        store = _Store(args.out) if args.out else None
    except (Unusable, Illegal) as fault:
        print(f"faircut simulate: {fault.words if isinstance(fault, Illegal) else fault}", file=sys.stderr)
        return 2
    try:
        played = list(_saved(_shown(tournament(match, _jobs(args)), match), store))
    except OSError as fault:
        print(f"faircut simulate: a record cannot be written: {fault.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("faircut simulate: broken off", file=sys.stderr)
        return 130
    figures = summary(match, played)
    if args.json:
        print(msgspec.json.format(msgspec.json.encode(figures)).decode())
    else:
        _print(figures, store)
    return 0


def _match(args: argparse.Namespace) -> Match:
    game = registry.newest(args.game)
    entries = tuple(part.strip() for part in args.seats.split(","))
    if unknown := [level for level in entries if level not in LEVELS]:
        raise Unusable(f"there is no level {unknown[0]!r}: seats are {', '.join(LEVELS)}, with commas between")
    if args.games < 1:
        raise Unusable("at least one game must be played")
    if args.jobs is not None and args.jobs < 1:
        raise Unusable("at least one core is needed")
    options = _options(args.options, game)
    game.check(options, len(entries))
    given: dict[str, Any] = msgspec.to_builtins(options)
    return Match(
        game=game.name, entries=entries, games=args.games, seed=args.seed, options=given, keep=bool(args.out)
    )


def _options(text: str, game: registry.AnyGame) -> Any:
    """Options from "k=v,k=v": whole numbers where v is written as one, else words."""
    given: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise Unusable(f"{part!r} is no option: write name=value, with commas between")
        if name in given:
            raise Unusable(f"the option {name} is given twice")
        given[name] = int(value) if value.removeprefix("-").isdecimal() and value.isascii() else value
    try:
        return msgspec.convert(given, game.Options)
    except msgspec.ValidationError as fault:
        raise Unusable(f"options of {game.title}: {fault}") from None


def _jobs(args: argparse.Namespace) -> int:
    return int(args.jobs or len(os.sched_getaffinity(0)))


class _Store:
    """The folder that records go to, and the key that signs them: made for this run, its secret half kept nowhere.

    A folder that has records keeps them: its `keys` lists the key of every run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.signer = notes.Signer.generate(KEY_NAME)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / "keys").open("a") as keys:
                keys.write(f"{self.signer.verifier}\n")
        except OSError as fault:
            raise Unusable(f"records cannot be written to {folder}: {fault.strerror}") from None

    def write(self, played: Played) -> None:
        path = self.folder / f"{played.table}.faircut"
        path.write_bytes(record.write(played.entries, self.signer))


def _saved(games: Iterable[Played], store: _Store | None) -> Iterator[Played]:
    """The games, each written to the store and then rid of its entries."""
    for played in games:
        if store:
            store.write(played)
        yield msgspec.structs.replace(played, entries=[])


def _shown(games: Iterable[Played], match: Match) -> Iterator[Played]:
    """The games, with a bar on stderr if that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield from bar.track(games, match.games, description=f"{match.game}: {', '.join(match.entries)}")


def _print(figures: dict[str, Any], store: _Store | None) -> None:
    console = Console()
    console.print(_strength(figures))
    if "head_to_head" in figures:
        console.print(_meetings(figures))
    console.print(_times(figures))
    console.print(
        f"{figures['games']} games, {figures['hands_per_game']:.2f} hands a game, {figures['stalls']} stalled. "
        "Elo: against the rest of the field; 95 % interval: Wilson's for the win share."
    )
    if store:
        console.print(f"Records and their key: {store.folder}", soft_wrap=True)


def _strength(figures: dict[str, Any]) -> Table:
    table = Table("seat", "level", title=figures["game"])
    for column in ("wins", "win share", "Elo", "95 %"):
        table.add_column(column, justify="right")
    for i, row in enumerate(figures["results"], 1):
        interval = f"{row['elo_low']:+.0f} … {row['elo_high']:+.0f}"
        share = f"{100 * row['win_share']:.1f} %"
        table.add_row(str(i), row["level"], f"{row['wins']:g}", share, f"{row['elo']:+.0f}", interval)
    return table


def _meetings(figures: dict[str, Any]) -> Table:
    table = Table("level", "against", title="ended before the other")
    for column in ("share", "Elo", "95 %"):
        table.add_column(column, justify="right")
    for row in figures["head_to_head"]:
        interval = f"{row['elo_low']:+.0f} … {row['elo_high']:+.0f}"
        table.add_row(row["level"], row["against"], f"{100 * row['share']:.1f} %", f"{row['elo']:+.0f}", interval)
    return table


def _times(figures: dict[str, Any]) -> Table:
    table = Table("level", title="decision time, ms")
    for column in ("mean", "p99", "max"):
        table.add_column(column, justify="right")
    for level, row in figures["decision_ms"].items():
        table.add_row(level, *(f"{row[column]:.2f}" for column in ("mean", "p99", "max")))
    return table
