"""Questions to bots, put together from a state as the house would."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from bots.levels import Ask
from domain.cards import Ms, Seat, pack
from domain.chance import Chance
from domain.game import Game
from domain.positions import set_up
from domain.registry import newest
from tests.house import bits

AnyGame = Game[Any, Any, Any, Any]
MICHIGAN = newest("michigan_rummy")


def ask(game: AnyGame, state: Any, options: Any, seat: int, level: str) -> Ask:
    """The question that a state puts to a seat, with the view in builtin form, as it comes over a bus."""
    asked = next(d for d in game.deciding(state) if d.seat == seat)
    raw = msgspec.json.decode(msgspec.json.encode(game.view(state, Seat(seat))))
    legal = list(islice(game.legal(state, Seat(seat)), 64))
    return Ask(
        game=game.name, rules=game.rules, seat=seat, seats=len(game.position(state).hands),
        kind=asked.kind, key=asked.key, level=level, options=msgspec.to_builtins(options), view=raw, lines=[],
        legal=msgspec.to_builtins(legal), fallback=msgspec.to_builtins(game.fallback(state, Seat(seat))),
    )  # fmt: skip


def spread(rng: random.Random, size: int, *, seats: int = 2, phase: str = "draw", options: Any = None) -> Any:
    """A Michigan Rummy table on which seat 0, to move, holds so many cards: melds, pile and the rest at random."""
    cards = pack(1 if seats <= 4 else 2, 2 if seats <= 4 else 4)
    rng.shuffle(cards)
    hands = [[cards.pop() for _ in range(size if seat == 0 else rng.randint(1, 9))] for seat in range(seats)]
    melds = list(islice(_melds(rng, cards), rng.randint(0, 3)))
    pile = [cards.pop() for _ in range(rng.randint(1, min(12, len(cards))))]
    named = {
        "seats": seats, "turn": 0, "phase": phase, "hands": hands, "pile": pile, "stock": cards,
        "melds": [{"owner": rng.randrange(seats), "cards": meld} for meld in melds],
    }  # fmt: skip
    return set_up(MICHIGAN, options or {}, named)


def _melds(rng: random.Random, cards: list[str]) -> Iterator[list[str]]:
    """Sets and runs of three, taken out of the cards."""
    for _ in range(30):
        naturals = [c for c in cards if c[0] != "*"]
        if not naturals:
            return
        first = rng.choice(naturals)
        if rng.random() < 0.5:
            near = [c for c in cards if c[0] == first[0] and c != first][:2]
        else:
            at = "A23456789TJQK".index(first[0])
            faces = [rank + first[1] for rank in "A23456789TJQK"[at + 1 : at + 3]]
            near = [next(c for c in cards if c[:2] == f) for f in faces if any(c[:2] == f for c in cards)]
        if len(near) == 2:
            meld = [first, *near]
            for card in meld:
                cards.remove(card)
            yield meld


def chance(*parts: object) -> Chance:
    """Chance that follows from the arguments."""
    return Chance(bits("bots", *parts))


NOW = Ms(0)
