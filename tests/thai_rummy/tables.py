"""Tables of Thai Rummy in any state, and moves made at them."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from domain.cards import Card, Ms, Seat, pack
from domain.chance import Chance, h
from domain.game import Illegal, Step
from domain.melds import laid
from domain.thai_rummy.options import Options
from domain.thai_rummy.points import STYLE
from domain.thai_rummy.rules import ThaiRummy
from domain.thai_rummy.state import Position, State, View

GAME = ThaiRummy()
DEFAULTS = Options()
NOW = Ms(0)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def chance(name: str = "") -> Chance:
    """Chance under a key of its own for each name."""
    return Chance(h(name.encode()))


def table(
    *hands: str, stock: str = "3C1 4C1", pile: str = "JC1", melds: Sequence[tuple[int, str]] = (), phase: str = "play",
    options: Options = DEFAULTS, **fields: Any,
) -> State:  # fmt: skip
    """A table with these hands, seat 0 to play. `melds`: owner and cards, ids from 0."""
    n = len(hands)
    lying = tuple(laid(cards(text), STYLE, id=i, owner=Seat(owner)) for i, (owner, text) in enumerate(melds))
    whole: dict[str, Any] = {
        "seats": n, "first_dealer": Seat(n - 1), "deals": 1, "dealer": Seat(n - 1), "hands": tuple(map(cards, hands)),
        "stock": cards(stock), "pile": cards(pile), "down": None, "melds": lying, "next_id": len(lying), "phase": phase,
        "turn": Seat(0), "took": (), "known": ((),) * n, "thrower": None, "fed": None, "dark": (False,) * n,
        "gifts": (0,) * n, "passes": 0, "moves": 0, "out": None, "ready": (False,) * n, "scores": (),
        "totals": (0,) * n, "outcome": None, "winners": (),
    }  # fmt: skip
    return GAME.place(options, Position(**whole | fields))


def spread(rng: random.Random, size: int, *, seats: int = 2, phase: str = "draw", options: Options = DEFAULTS) -> State:
    """A table at random on which seat 0, to move, holds so many cards: melds of three, a pile, other hands."""
    deck: list[Card] = pack()
    rng.shuffle(deck)
    hands = [[deck.pop() for _ in range(size if seat == 0 else rng.randint(1, 6))] for seat in range(seats)]
    melds = []
    for _ in range(rng.randint(0, 3)):
        if meld := _meld(rng, deck):
            melds.append((rng.randrange(seats), " ".join(meld)))
            deck = [card for card in deck if card not in meld]
    pile = [deck.pop() for _ in range(rng.randint(1, min(10, len(deck))))]
    stock = deck if rng.random() < 0.8 else []
    return table(
        *map(" ".join, hands), stock=" ".join(stock), pile=" ".join(pile), melds=melds, phase=phase, options=options,
        dark=tuple(not any(owner == seat for owner, _ in melds) for seat in range(seats)),
    )  # fmt: skip


def _meld(rng: random.Random, deck: Sequence[Card]) -> list[Card]:
    """Three cards of the deck that make a meld, or none."""
    for _ in range(30):
        first = rng.choice(deck)
        at = "23456789TJQKA".index(first[0])
        suit = {f"{rank}{first[1]}1" for rank in "23456789TJQKA"[at : at + 3]}
        rank = {card for card in deck if card[0] == first[0]}
        for wanted in (sorted(suit, key=lambda c: "23456789TJQKA".index(c[0])), sorted(rank)[:3]):
            if len(wanted) == 3 and set(wanted) <= set(deck):
                return [Card(card) for card in wanted]
    return []


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


def take(at: int, meld: str) -> dict[str, Any]:
    return {"type": "take", "at": at, "meld": meld.split()}


def meld(text: str) -> dict[str, Any]:
    return {"type": "meld", "cards": text.split()}


def extend(card: str, key: int) -> dict[str, Any]:
    return {"type": "extend", "card": card, "meld": key}


def discard(card: str) -> dict[str, Any]:
    return {"type": "discard", "card": card}


DRAW, PASS, READY = {"type": "draw"}, {"type": "pass"}, {"type": "ready"}


def view(s: State, seat: int | None) -> View:
    return GAME.view(s, None if seat is None else Seat(seat))
