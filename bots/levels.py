"""How a bot is asked and how it answers: one question in, one move out.

A bot is told what its seat may know and nothing else (`Ask`), keeps nothing between questions, and gives the
same answer to the same question. A game has a bot of its own if there is a file `bots/<game>.py` with
`decide(ask)`; every other game is played by `bots/generic.py`.
"""

import logging
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from msgspec import Struct

from bots import generic

log = logging.getLogger(__name__)

Decide = Callable[["Ask"], dict[str, Any]]

LEGAL_MAX = 64  # legal moves that an Ask carries at most


class Ask(Struct, frozen=True, kw_only=True):
    """A question put to a seat: everything its bot may use.

    view: the seat's view, as the game's struct or in builtin form. lines: what the seat could read since the
    deal, oldest first, as {"kind", "seat", "data"}. legal: up to 64 legal moves in builtin form, for games
    without a bot of their own (others may leave it empty). fallback: a legal move. kind, key: of the decision
    that is asked.
    """

    game: str
    rules: int
    seat: int
    seats: int
    kind: str
    key: str
    level: str
    options: dict[str, Any]
    view: Any
    lines: list[dict[str, Any]]
    legal: list[dict[str, Any]]
    fallback: dict[str, Any]

    def __repr__(self) -> str:
        return f"<Ask {self.game} {self.kind}>"  # a view holds a hand: none of it in logs


def answer(ask: Ask) -> dict[str, Any]:
    """The move, in builtin form, that the seat's bot makes. Always gives one: the fallback if the bot itself fails."""
    try:
        return think(ask)
    except Exception as fault:  # a fault in a bot must not hold a table up; its message might name cards
        log.error("the bot of %s failed (%s): its seat plays the fallback", ask.game, type(fault).__name__)
        return ask.fallback


def think(ask: Ask) -> dict[str, Any]:
    """As `answer`, but lets a bot's own fault through: for tests and the arena."""
    if ask.kind == "ready":
        return ask.fallback
    return brain(ask.game)(ask)


def own(game: str) -> bool:
    """Whether the game has a bot of its own."""
    return brain(game) is not generic.decide


@cache
def brain(game: str) -> Decide:
    """The function that decides for a game: its own bot's, else the generic one."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", game) or find_spec(f"bots.{game}") is None:
        return generic.decide
    found: Decide = getattr(import_module(f"bots.{game}"), "decide", generic.decide)
    return found
