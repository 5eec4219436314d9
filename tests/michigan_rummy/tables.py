"""Tables of Michigan Rummy in any state, and moves made at them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from domain.cards import Card, Ms, Seat
from domain.chance import Chance, h
from domain.game import Illegal, Step
from domain.melds import laid
from domain.michigan_rummy.options import Options
from domain.michigan_rummy.points import STYLE
from domain.michigan_rummy.rules import MichiganRummy
from domain.michigan_rummy.state import Position, State, View

GAME = MichiganRummy()
DEFAULTS = Options()
NOW = Ms(0)
OUT = Options(discard_out="on")


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def chance(name: str = "") -> Chance:
    """Chance under a key of its own for each name."""
    return Chance(h(name.encode()))


def table(
    *hands: str, stock: str = "3C1 4C1", pile: str = "", melds: Sequence[tuple[int, str]] = (), phase: str = "play",
    options: Options = DEFAULTS, **fields: Any,
) -> State:  # fmt: skip
    """A table with these hands, seat 0 to play. `melds`: owner and cards, ids from 0."""
    n = len(hands)
    lying = tuple(laid(cards(text), STYLE, id=i, owner=Seat(owner)) for i, (owner, text) in enumerate(melds))
    whole: dict[str, Any] = {
        "seats": n, "first_dealer": Seat(n - 1), "deals": 1, "dealer": Seat(n - 1), "hands": tuple(map(cards, hands)),
        "stock": cards(stock), "pile": cards(pile), "melds": lying, "next_id": len(lying), "phase": phase,
        "turn": Seat(0), "must": None, "took": (), "known": ((),) * n, "melded": (0,) * n, "turns": 0, "moves": 0,
        "reshuffles": 0, "remade": (), "stalled": 0, "out": None, "ready": (False,) * n, "scores": (),
        "totals": (0,) * n, "outcome": None, "winners": (),
    }  # fmt: skip
    position = Position(**whole | fields)
    return GAME.place(options, position)


def step(s: State, move: Mapping[str, Any], seat: int | None = None, source: Chance | None = None) -> Step:
    """What a move leads to, made by the seat on turn unless another is named."""
    who = s.turn if seat is None else Seat(seat)
    return GAME.play(s, who, GAME.parse(move), NOW, source or chance())


def play(s: State, *moves: Mapping[str, Any]) -> State:
    """The table after these moves, each by the seat on turn."""
    for move in moves:
        s = step(s, move).state
    return s


def refused(s: State, move: Mapping[str, Any], seat: int | None = None) -> str:
    """The code with which a move is refused."""
    with pytest.raises(Illegal) as refusal:
        step(s, move, seat)
    assert refusal.value.words.endswith(".")
    return refusal.value.code


def draw() -> dict[str, Any]:
    return {"type": "draw"}


def take(at: Any) -> dict[str, Any]:
    return {"type": "take", "at": at}


def discard(card: str) -> dict[str, Any]:
    return {"type": "discard", "card": card}


def ready() -> dict[str, Any]:
    return {"type": "ready"}


def meld(*melds: str | Mapping[str, Any], plays: Sequence[str | tuple[Any, ...]] = ()) -> dict[str, Any]:
    """A meld move. Melds as text or with more fields; plays as (card, meld) or (card, meld, end)."""
    new = [{"cards": text.split()} if isinstance(text, str) else dict(text) for text in melds]
    named = [dict(zip(("card", "meld", "end"), play, strict=False)) for play in plays]
    return {"type": "meld", "melds": new, "plays": named}


def view(s: State, seat: int | None) -> View:
    return GAME.view(s, None if seat is None else Seat(seat))


def scored(s: State, seat: int = 0) -> int:
    """Points a seat has melded this hand."""
    return s.melded[seat]
