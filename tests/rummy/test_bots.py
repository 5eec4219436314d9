"""The Rummy bots: legal everywhere, blind to what is hidden, and some plain good sense."""

import random
from typing import Any

import pytest

from bots.levels import think
from domain.cards import Card, Ms, Seat, pack
from domain.chance import Chance
from domain.events import LEVELS
from domain.melds import Meld
from domain.rummy.lay import meld as made
from domain.rummy.state import LayOff, Play, State
from tests.bots.asks import ask
from tests.house import bits
from tests.rummy.tables import DEFAULTS, GAME, NOW, chance, play, table, take
from tests.walk import walk


def asked(s: State, level: str, seat: int | None = None) -> dict[str, Any]:
    return think(ask(GAME, s, DEFAULTS, s.turn if seat is None else seat, level))


def faces(text: str) -> list[Card]:
    return [Card(f"{face}1") for face in text.split()]


def some_table(rng: random.Random, size: int) -> State:
    """Seat 0, to draw, holds so many cards: melds, pile and the rest at random, sometimes with nothing to draw."""
    deck = pack()
    rng.shuffle(deck)
    melds: list[Meld] = []
    for _ in range(60):
        three = [Card(c) for c in rng.sample(deck, 3)]
        if len(melds) < 2 and len({c[0] for c in three}) == 1:
            melds.append(made(three, len(melds), Seat(1)))
            deck = [c for c in deck if c not in three]
    seats = rng.choice([2, 2, 3, 4])
    hands = [" ".join(deck.pop()[:2] for _ in range(size if i == 0 else rng.randint(1, 8))) for i in range(seats)]
    pile = " ".join(deck.pop()[:2] for _ in range(rng.randint(1, min(6, len(deck)))))
    dry = rng.random() < 0.3
    stock = "" if dry else " ".join(c[:2] for c in deck)
    return table(*hands, stock=stock, pile=pile, phase="draw", reuses=2 if dry else rng.randint(0, 2),
                 melds=[(1, " ".join(c[:2] for c in m.cards)) for m in melds])  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", range(1, 21))
def test_a_turn_is_legal_at_every_size_of_hand(level: str, size: int) -> None:
    for case in range(6):
        s, source, moves = some_table(random.Random(f"{size} {case}"), size), chance(f"{size} {case}"), 0
        while s.turn == 0 and s.deals == 1 and s.phase != "over":
            s = GAME.play(s, Seat(0), GAME.parse(asked(s, level)), NOW, source).state
            moves += 1
            assert moves < 20, "a turn goes on and on"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_nothing_hidden_changes_a_move(level: str, seats: int) -> None:
    for n, moment in enumerate(walk(GAME, seats, DEFAULTS, seats)):
        s = moment.state
        if n % 5 == 0 and s.phase != "over":
            other = GAME.redeal(s, s.turn, Chance(bits("blind", n)))
            assert asked(s, level) == asked(other, level)


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_never_gives_up_and_goes_out_when_it_can(level: str) -> None:
    s = table("5H 6H 7H KS", "2C 9D 4D 8C TC QC JD 3D 2D", phase="play")
    s = GAME.play(s, Seat(0), GAME.parse(asked(s, level)), Ms(0), chance()).state
    assert s.hands[0] == ("KS1",)
    assert GAME.play(s, Seat(0), GAME.parse(asked(s, level)), Ms(0), chance()).hand_ended


@pytest.mark.parametrize("level", LEVELS)
def test_the_top_that_makes_a_meld_is_taken(level: str) -> None:
    s = table("KS KD 2H 6D 9D", "2C 9C 4D", pile="KC", phase="draw")
    assert asked(s, level) == {"type": "take"}


@pytest.mark.parametrize("level", LEVELS)
def test_the_card_taken_is_never_thrown_back(level: str) -> None:
    s = play(table("KS 2H 6D", "2C 9C 4D", pile="QD", phase="draw"), take())
    move = asked(s, level)
    assert move["type"] == "discard"
    assert move["card"] != "QD1"


def test_easy_lays_nothing_off_medium_does() -> None:
    s = table("8S KD 2H 6D", "2C 9C", melds=[(1, "5S 6S 7S")])
    assert asked(s, "easy")["type"] == "discard"
    assert GAME.parse(asked(s, "medium")) == LayOff((Play(Card("8S1"), 0),))


def test_hard_holds_its_melds_back_until_an_opponent_is_close() -> None:
    full = "2C 9C 4D TC 8D QC 2D 6S 6D AC"
    mine = "5H 6H 7H KS 2H 9S JD JS 3D 4S 8C"
    assert asked(table(mine, full, stock="3C 4C 5C 7C 3H 4H"), "hard")["type"] == "discard"
    assert asked(table(mine, full, stock="3C 4C 5C 7C 3H 4H"), "medium")["type"] == "meld"
    assert asked(table(mine, "2C 9C 4D", stock="3C 4C 5C 7C 3H 4H"), "hard")["type"] == "meld"
    kept = set(faces("5H 6H 7H"))
    move = asked(table(mine, full, stock="3C 4C 5C 7C 3H 4H"), "hard")
    assert move["card"] not in kept


@pytest.mark.parametrize("level", LEVELS)
def test_a_hand_that_cannot_be_drawn_to_is_ended_by_who_holds_least(level: str) -> None:
    s = table("AS 2H", "KC QC 9D TD KD", stock="", pile="JC 8H", reuses=2, phase="draw")
    assert asked(s, level) == {"type": "end_hand"}


