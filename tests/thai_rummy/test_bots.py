"""The Thai Rummy bots: legal everywhere, blind to what is hidden, and some plain good sense."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from bots.arena import Match, tournament
from bots.levels import own, think
from domain.cards import Seat
from domain.chance import Chance, h
from domain.events import LEVELS, Level
from domain.registry import GAMES
from domain.thai_rummy.options import Options
from domain.thai_rummy.state import State
from tests.bots.asks import ask
from tests.golden import last_choices
from tests.thai_rummy.tables import DEFAULTS, GAME, NOW, chance, spread, table

OTHER = last_choices(GAME)


def answer(s: State, level: str, seat: int | None = None) -> dict[str, Any]:
    """The move of the seat on turn, its view in builtin form as it comes over a bus."""
    return think(ask(GAME, s, s.options, s.turn if seat is None else seat, level))


def turn(s: State, level: str) -> list[dict[str, Any]]:
    """Play one turn of the seat on turn; every move has to be accepted."""
    moves: list[dict[str, Any]] = []
    seat, source = s.turn, chance("turn")
    while s.turn == seat and s.phase in ("draw", "play"):
        moves.append(answer(s, level))
        assert len(moves) < 40, "a turn goes on and on"
        before = s
        s = GAME.play(s, seat, GAME.parse(moves[-1]), NOW, source).state
        if before.phase == "draw" and s.phase == "draw":
            break
    return moves


def test_the_game_has_a_bot_of_its_own() -> None:
    assert own(GAME.name)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", range(1, 21))
def test_a_turn_is_legal_at_every_size_of_hand(level: str, size: int) -> None:
    for case, seats in enumerate((2, 2, 3, 4)):
        for phase in ("draw", "play"):
            rng, options = random.Random(f"{size} {case}"), (DEFAULTS, OTHER)[case % 2]
            moves = turn(spread(rng, size, seats=seats, phase=phase, options=options), level)
            assert moves[-1]["type"] in ("discard", "pass")
            if phase == "draw":
                assert moves[0]["type"] in ("draw", "take", "pass")


def hand(level: str, name: str, seats: int, options: Options = DEFAULTS) -> Iterator[State]:
    """The states of a first hand in which every seat is of a level."""
    key, spent = h(name.encode()), frozenset[str]()
    source = Chance(key, spent)
    s: State = GAME.start(options, seats, NOW, source).state
    while s.phase in ("draw", "play"):
        yield s
        source = Chance(key, source.spent)
        s = GAME.play(s, s.turn, GAME.parse(answer(s, level)), NOW, source).state


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seats", [2, 4])
def test_hidden_cards_change_no_move(level: str, seats: int) -> None:
    for number, s in enumerate(hand(level, "hidden", seats)):
        other = GAME.redeal(s, s.turn, chance(f"redeal {number}"))
        assert GAME.view(other, s.turn) == GAME.view(s, s.turn)
        assert answer(other, level) == answer(s, level)


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_question_has_one_answer(level: str) -> None:
    for s in hand(level, "same", 2):
        question = ask(GAME, s, DEFAULTS, s.turn, level)
        as_struct = msgspec.structs.replace(question, view=GAME.view(s, s.turn))
        assert think(question) == think(question) == think(as_struct)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("level", LEVELS)
def test_a_hand_of_bots_comes_to_an_end(level: str, seats: int) -> None:
    for name in ("a", "b"):
        assert 0 < sum(1 for _ in hand(level, name, seats, (DEFAULTS, OTHER)[name == "b"])) < 500


@pytest.mark.parametrize("level", LEVELS)
def test_who_can_go_out_does(level: str) -> None:
    """Take the seven, lay both melds and the extension, and one card is left to lay face down."""
    melds = [(1, "TH1 JH1 QH1")]
    s = table("7S1 7D1 KC1 KD1 KH1 9H1 3S1", "QS1 AD1", pile="7H1", phase="draw", melds=melds)
    moves = turn(s, level)
    assert sorted(m["type"] for m in moves) == ["discard", "extend", "meld", "take"]
    assert moves[-1]["card"] == "3S1"


@pytest.mark.parametrize("level", LEVELS)
def test_without_a_stock_and_a_take_the_turn_is_passed(level: str) -> None:
    s = table("7S1 KD1 2H1", "QS1 AD1", pile="9H1", stock="", phase="draw")
    assert answer(s, level) == {"type": "pass"}


@pytest.mark.parametrize("level", ["medium", "hard"])
def test_gifts_are_avoided(level: str) -> None:
    """Nothing laid yet counts double for the one who goes out at once, so hard may keep a card that fits."""
    s = table("8H1 KD1", "QD1 AD1 3S1", melds=[(1, "5H1 6H1 7H1")])
    assert answer(s, level)["type"] == "extend"
    for card in ("8H1 KD1 2S1 9S1", "2S1 8H1 KD1"):
        s = table(card, "QD1 AD1 3S1 3D1 6C1 TC1", melds=[(1, "5H1 6H1 7H1")], dark=(True, False))
        while True:
            move = answer(s, level)
            if move["type"] == "discard":
                break
            s = GAME.play(s, Seat(0), GAME.parse(move), NOW, chance()).state
        assert move["card"] != "8H1"


def test_easy_takes_only_what_makes_its_hand_cheaper() -> None:
    for pile, kind in (("7H1 KC1 AH1", "draw"), ("KC1 7H1", "take"), ("7H1 KC1", "draw")):
        s = table("7S1 7D1 2H1 9C1", "QD1 AD1", pile=pile, phase="draw")
        assert answer(s, "easy")["type"] == kind


def test_hard_does_not_throw_what_a_rival_was_seen_to_wait_for() -> None:
    """The ace completes king and queen, with which its rival goes out at once."""
    pile = "KS1 KD1 KH1 AH1 AS1 AD1"
    fields: dict[str, Any] = {"pile": pile, "stock": "3C1 4C1 6H1 8D1 TD1 JD1"}
    s = table("AC1 5S1 9H1", "QC1 KC1 4D1", known=((), ("QC1", "KC1", "4D1")), **fields)
    assert answer(s, "hard")["card"] != "AC1"
    assert answer(s, "medium")["card"] == "AC1"


def test_hard_hurries_when_the_game_may_end_with_this_hand() -> None:
    """A deep take brings points and more cards; one short of the target, fewer cards are worth more."""
    fields: dict[str, Any] = {"pile": "7H1 KC1 AH1 TS1 5D1 QH1", "stock": "3C1 4C1 6H1 8D1 TD1 JD1", "phase": "draw"}
    hand = "7S1 7D1 9C1 KD1"
    assert answer(table(hand, "QD1 AD1 3S1 8S1 9S1", **fields), "hard")["type"] == "take"
    late = table(hand, "QD1 AD1 3S1 8S1 9S1", totals=(480, 470), **fields)
    assert answer(late, "hard")["type"] == "draw"


@pytest.mark.parametrize("level", ["medium", "hard"])
def test_the_dear_cards_are_fetched(level: str) -> None:
    s = table("QD1 QH1 2H1 9C1 6S1", "AD1 AC1 3D1 4D1 8H1", pile="QS1 5H1", phase="draw")
    move = answer(s, level)
    assert (move["type"], move["at"]) == ("take", 0)


HOLDING = "KS1 KD1 KH1 5C1 6C1 7C1 9S1 9D1 9H1 3H1 8D1"


def held_back(**fields: Any) -> str:
    """What hard does with three melds in hand and nothing laid, the others far from out."""
    given: dict[str, Any] = {"dark": (True, True), "stock": "3S1 4S1 5S1 TD1 JD1 6H1", "pile": "2D1"}
    s = table(HOLDING, "AD1 AC1 3D1 4D1 8H1 QC1 TC1", **given | fields)
    return str(answer(s, "hard")["type"])


def test_hard_stays_dark_when_it_is_nearly_out() -> None:
    assert held_back() == "discard"
    assert held_back(options=Options(doubling="off")) == "meld"
    assert held_back(stock="3S1 4S1") == "meld"
    assert held_back(totals=(-300, 0)) == "meld"
    s = table(HOLDING, "AD1 AC1 3D1", dark=(True, True), stock="3S1 4S1 5S1 TD1 JD1 6H1")
    assert answer(s, "hard")["type"] == "meld"
    for level in ("easy", "medium"):
        s = table(HOLDING, "AD1 AC1 3D1 4D1 8H1 QC1 TC1", dark=(True, True), stock="3S1 4S1 5S1 TD1 JD1 6H1")
        assert answer(s, level)["type"] == "meld"


@pytest.mark.parametrize(("better", "worse"), [("medium", "easy"), ("hard", "medium")])
def test_each_level_beats_the_one_below(monkeypatch: pytest.MonkeyPatch, better: Level, worse: Level) -> None:
    """Forty games, the same on every machine; of three hundred either wins about four in five."""
    monkeypatch.setitem(GAMES, GAME.name, {GAME.rules: GAME})
    match = Match(game=GAME.name, entries=(better, worse), games=40, seed=1)
    assert sum(played.wins[0] for played in tournament(match, jobs=1)) >= 24
