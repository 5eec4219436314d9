"""Tables of Contract Rummy set up by hand, and moves in short."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from domain.cards import Card, Ms, Seat
from domain.chance import Chance, h
from domain.contract_rummy.contracts import STYLE
from domain.contract_rummy.options import Options
from domain.contract_rummy.rules import ContractRummy
from domain.contract_rummy.shown import View
from domain.contract_rummy.state import Position, State, Window
from domain.game import Illegal, Step
from domain.melds import Meld, Run, Set, laid

GAME = ContractRummy()
DEFAULTS = Options()
NOW = Ms(1_000)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def chance(name: str = "") -> Chance:
    """Chance under a key of its own for each name."""
    return Chance(h(name.encode()))


def lying(id: int, owner: int, text: str) -> Meld:
    """A meld on the table; "S3" or "9" before a colon say what jokers alone stand for."""
    said, _, rest = text.rpartition(":")
    by = (Seat(owner),) * len(cards(rest))
    if len(said) == 1:
        return Set(id, Seat(owner), cards(rest), by, said)
    if said:
        return Run(id, Seat(owner), cards(rest), by, said[0], int(said[1:]))
    return laid(cards(rest), STYLE, id=id, owner=Seat(owner))


def table(
    *hands: str, stock: str = "3C1 4C1", pile: str = "", melds: Sequence[tuple[int, str]] = (), phase: str = "play",
    options: Options = DEFAULTS, window: Window | None = None, down: Sequence[int] = (), **fields: Any,
) -> State:  # fmt: skip
    """A table with these hands, seat 0 to play. `melds`: owner and cards, ids from 1; `down`: seats that are."""
    n = len(hands)
    on_table = tuple(lying(i, owner, text) for i, (owner, text) in enumerate(melds, 1))
    position = Position(
        **{
            "seats": n, "first_dealer": Seat(n - 1), "deals": 1, "dealer": Seat(n - 1),
            "hands": tuple(map(cards, hands)), "stock": cards(stock), "pile": cards(pile), "melds": on_table,
            "next_id": len(on_table) + 1, "phase": phase, "turn": Seat(0), "turns": 1, "moves": 0, "window": window,
            "windows": window.id if window else 1, "prefs": ("ask",) * n, "away": (False,) * n,
            "known": ((),) * n, "down": tuple(i in down for i in range(n)), "down_at": (None,) * n,
            "went_down": False, "laid": (), "reshuffles": 0, "remade": (), "out": None, "ready": (False,) * n,
            "scores": (), "totals": (0,) * n, "winners": (),
        } | fields
    )  # fmt: skip
    return GAME.place(options, position)


def step(s: State, move: Mapping[str, Any], seat: int | None = None, now: int = NOW, source: Any = None) -> Step:
    """What a move leads to, made by the seat on turn unless another is named."""
    who = s.turn if seat is None else Seat(seat)
    return GAME.play(s, who, GAME.parse(move), Ms(now), source or chance())


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


def view(s: State, seat: int | None) -> View:
    return GAME.view(s, None if seat is None else Seat(seat))


def lines(done: Step) -> list[str]:
    return [line.kind for line in done.lines]


def go_down(*melds: str | Mapping[str, Any], swaps: Sequence[tuple[str, int]] = ()) -> dict[str, Any]:
    """A go_down: melds as "set …" or "run …", or with more fields."""
    new = [{"kind": m.split()[0], "cards": m.split()[1:]} if isinstance(m, str) else dict(m) for m in melds]
    return {"type": "go_down", "melds": new, "swaps": [{"card": c, "meld": m} for c, m in swaps]}


def go_out(*runs: str | Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "go_out", "runs": [{"cards": r.split()} if isinstance(r, str) else dict(r) for r in runs]}


def lay_off(*plays: tuple[Any, ...]) -> dict[str, Any]:
    """Plays as (card, meld) or (card, meld, end)."""
    return {"type": "lay_off", "plays": [dict(zip(("card", "meld", "end"), play, strict=False)) for play in plays]}


def swap(card: str, meld: int, to: int, end: str | None = None) -> dict[str, Any]:
    return {"type": "swap", "card": card, "meld": meld, "to": to, "end": end}


def discard(card: str) -> dict[str, Any]:
    return {"type": "discard", "card": card}


DRAW, TAKE, DECLINE, BUY, PASS = ({"type": name} for name in ("draw", "take", "decline", "buy", "pass"))
READY = {"type": "ready"}
