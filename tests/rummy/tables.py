"""Tables of Rummy in any state, and moves made at them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from domain.cards import Card, Ms, Seat
from domain.chance import Chance, h
from domain.game import Illegal, Step
from domain.melds import laid
from domain.rummy.options import Options
from domain.rummy.points import STYLE
from domain.rummy.rules import Rummy
from domain.rummy.state import Helps, Position, State, View

GAME = Rummy()
DEFAULTS = Options()
NOW = Ms(1_000)
DUE = Ms(50_000)


def cards(text: str) -> tuple[Card, ...]:
    """Cards of the one deck there is, by their faces."""
    return tuple(Card(f"{name}1") for name in text.split())


def chance(name: str = "") -> Chance:
    """Chance under a key of its own for each name."""
    return Chance(h(name.encode()))


def table(
    *hands: str, stock: str = "3C 4C", pile: str = "JC", melds: Sequence[tuple[int, str]] = (), phase: str = "play",
    options: Options = DEFAULTS, **fields: Any,
) -> State:  # fmt: skip
    """A table with these hands, seat 0 to play. `melds`: owner and cards, ids from 0."""
    n = len(hands)
    lying = tuple(laid(cards(text), STYLE, id=i, owner=Seat(owner)) for i, (owner, text) in enumerate(melds))
    whole: dict[str, Any] = {
        "seats": n, "first_dealer": Seat(n - 1), "deals": 1, "dealer": Seat(n - 1), "hands": tuple(map(cards, hands)),
        "stock": cards(stock), "pile": cards(pile), "melds": lying, "next_id": len(lying), "phase": phase,
        "turn": Seat(0), "taken": None, "known": ((),) * n, "turns": 0, "moves": 0, "circling": 0, "reuses": 0,
        "remade": (), "before": None, "due": DUE, "scores": (), "held": (), "outs": (), "totals": (0,) * n,
        "lost": None, "how": None, "winners": (),
    }  # fmt: skip
    return GAME.place(options, Position(**whole | fields))


def step(
    s: State, move: Mapping[str, Any], seat: int | None = None, source: Chance | None = None, now: int = NOW
) -> Step:
    """What a move leads to, made by the seat on turn unless another is named."""
    who = s.turn if seat is None else Seat(seat)
    return GAME.play(s, who, GAME.parse(move), Ms(now), source or chance())


def play(s: State, *moves: Mapping[str, Any]) -> State:
    """The table after these moves, each by the seat on turn."""
    source = chance()
    for move in moves:
        s = step(s, move, source=source).state
    return s


def refused(s: State, move: Mapping[str, Any], seat: int | None = None) -> str:
    """The code with which a move is refused."""
    with pytest.raises(Illegal) as refusal:
        step(s, move, seat)
    assert refusal.value.words.endswith(".")
    return refusal.value.code


def draw() -> dict[str, Any]:
    return {"type": "draw"}


def take() -> dict[str, Any]:
    return {"type": "take"}


def meld(text: str) -> dict[str, Any]:
    return {"type": "meld", "cards": list(cards(text))}


def lay_off(*plays: tuple[str, int]) -> dict[str, Any]:
    return {"type": "lay_off", "plays": [{"card": f"{face}1", "meld": meld} for face, meld in plays]}


def discard(face: str) -> dict[str, Any]:
    return {"type": "discard", "card": f"{face}1"}


def end_hand() -> dict[str, Any]:
    return {"type": "end_hand"}


def resign() -> dict[str, Any]:
    return {"type": "resign"}


def view(s: State, seat: int | None) -> View:
    return GAME.view(s, None if seat is None else Seat(seat))


def hints(s: State, seat: int | None = None) -> Helps:
    found: Helps = GAME.helps(s, s.turn if seat is None else Seat(seat))
    return found
