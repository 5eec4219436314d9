"""The games there are: what each is, its options, its schemas and rules."""

from functools import cache
from importlib.resources import files
from typing import Any, get_args, get_type_hints

import msgspec
from litestar import get

from api.schemas import GameCard, Games, Option
from api.wire import Asked, Refused, Reply, doc, reply
from domain.registry import GAMES, AnyGame, newest


def parts(game: AnyGame) -> dict[str, Any]:
    """A game's types by name: those that every game has, and what it arranges if it arranges anything."""
    found = {"move": game.Move, "view": game.View, "helps": game.Helps, "options": game.Options}
    return found if game.Arranged is None else found | {"arranged": game.Arranged}


@cache
def card(name: str) -> GameCard:
    """What the catalogue says of a game. Raises Illegal."""
    game = newest(name)
    return GameCard(
        name=game.name, title=game.title, teaser=game.teaser, rules=game.rules, seats=tuple(game.seats),
        bots=tuple(n for n in game.seats if game.bots_at(n)), keyless=tuple(sorted(game.keyless)),
        options=options(game), schemas={name: msgspec.json.schema(kind) for name, kind in parts(game).items()},
    )  # fmt: skip


def options(game: AnyGame) -> tuple[Option, ...]:
    """The choices of a table, as its options struct describes them."""
    schema = msgspec.json.schema(game.Options)
    fields = schema["$defs"][schema["$ref"].rpartition("/")[2]]["properties"]
    declared = get_type_hints(game.Options)  # schemas sort the values
    return tuple(
        Option(
            name=name, title=field.get("title", name), description=field.get("description", ""),
            values=get_args(declared[name]), minimum=field.get("minimum"), maximum=field.get("maximum"),
            default=field["default"],
        )
        for name, field in fields.items()
    )  # fmt: skip


@get("/games", opt=doc(Games, auth="none"))
async def games(request: Asked) -> Reply:
    """All games."""
    return reply(Games(games=tuple(card(name) for name in GAMES)))


@get("/games/{name:str}", opt=doc(GameCard, auth="none", refuses=(404,)))
async def game(request: Asked) -> Reply:
    """One game."""
    return reply(card(request.path_params["name"]))


@get("/games/{name:str}/rules", opt=doc(kind="text/markdown", auth="none", refuses=(404,)))
async def rules(request: Asked) -> Reply:
    """The rules of a game as text."""
    found = rules_text(newest(request.path_params["name"]).name)
    if found is None:
        raise Refused(404, "NOT_FOUND", "The rules of this game are not written down here.")
    return Reply(200, found, b"text/markdown; charset=utf-8")


@cache
def rules_text(name: str) -> bytes | None:
    """The RULES.md beside a game's code."""
    file = files(f"domain.{name}") / "RULES.md"
    return file.read_bytes() if file.is_file() else None


HANDLERS = [games, game, rules]
