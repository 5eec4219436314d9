"""The Michigan Rummy bots: legal everywhere, blind to what is hidden, and some plain good sense."""

import random
from typing import Any

import msgspec
import pytest

from bots.arena import Match, seed
from bots.levels import think
from domain.cards import Ms, Seat
from domain.chance import Chance
from domain.events import LEVELS
from domain.michigan_rummy.state import State
from domain.positions import set_up
from tests.bots.asks import MICHIGAN, NOW, ask, chance, spread


def options(**given: Any) -> Any:
    return msgspec.convert(given, MICHIGAN.Options)


def turn(state: State, level: str, source: Chance, settings: Any) -> list[dict[str, Any]]:
    """Play one turn of seat 0, and check what every turn owes: legal moves, one meld a move, jokers kept."""
    moves: list[dict[str, Any]] = []
    while state.turn == 0 and state.phase in ("draw", "play"):
        raw = think(ask(MICHIGAN, state, settings, 0, level))
        moves.append(raw)
        assert len(moves) < 40, "a turn goes on and on"
        if raw["type"] == "discard" and raw["card"][0] == "*":
            assert all(card[0] == "*" for card in state.hands[0]), "a joker went while another card was held"
        if raw["type"] == "meld":
            assert len(raw.get("melds", ())) <= 1
            assert len({play["meld"] for play in raw.get("plays", ())}) <= 1
        before = state
        state = MICHIGAN.play(state, Seat(0), MICHIGAN.parse(raw), NOW, source).state
        if state.deals > before.deals:
            break
    return moves


@pytest.mark.parametrize("discard_out", ["off", "on"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", range(1, 21))
def test_a_turn_is_legal_at_every_size_of_hand(level: str, size: int, discard_out: str) -> None:
    for case, seats in enumerate((2, 2, 3, 4, 5, 8)):
        rng = random.Random(f"{size} {case}")
        state = spread(rng, size, seats=seats, options={"discard_out": discard_out})
        moves = turn(state, level, chance(size, case), options(discard_out=discard_out))
        assert moves[0]["type"] in ("draw", "take")


@pytest.mark.parametrize("level", LEVELS)
def test_a_rich_hand_is_played_to_the_end_of_the_turn(level: str) -> None:
    """All eight jokers of the largest pack in one long hand."""
    for case in range(3):
        rng = random.Random(case)
        naturals = [f"{r}{s}{d}" for d in (1, 2) for s in "SHDC" for r in "A23456789TJQK"]
        rng.shuffle(naturals)
        jokers = [f"*{i}" for i in range(1, 5)]
        hands = [[*jokers, *naturals[:24]], *[naturals[24 + i : 25 + i] for i in range(7)]]
        named = {"seats": 8, "turn": 0, "hands": hands, "pile": naturals[40:60], "stock": naturals[60:]}
        state = set_up(MICHIGAN, {}, named)
        assert turn(state, level, chance("rich", case), options())


def played(level: str, number: int, seats: int = 2, discard_out: str = "off") -> Any:
    """The states of a first hand in which every seat is of a level, each with who is to move."""
    key = seed(Match(game="michigan_rummy", entries=("easy",) * seats, games=1, seed=5), number)
    settings, spent = options(discard_out=discard_out), frozenset[str]()
    source = Chance(key, spent)
    state = MICHIGAN.start(settings, seats, Ms(0), source).state
    while state.phase in ("draw", "play"):
        yield state, state.turn, settings
        raw = think(ask(MICHIGAN, state, settings, state.turn, level))
        source = Chance(key, source.spent)
        state = MICHIGAN.play(state, state.turn, MICHIGAN.parse(raw), NOW, source).state


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seats", [2, 4])
def test_hidden_cards_change_no_move(level: str, seats: int) -> None:
    for number, (state, seat, settings) in enumerate(played(level, 1, seats)):
        told = ask(MICHIGAN, state, settings, seat, level)
        other = MICHIGAN.redeal(state, seat, chance("redeal", level, seats, number))
        again = ask(MICHIGAN, other, settings, seat, level)
        assert again.view == told.view
        assert think(again) == think(told)


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_question_has_one_answer(level: str) -> None:
    for state, seat, settings in played(level, 2):
        question = ask(MICHIGAN, state, settings, seat, level)
        as_struct = msgspec.structs.replace(question, view=MICHIGAN.view(state, seat))
        assert think(question) == think(question) == think(as_struct)


@pytest.mark.parametrize("seats", range(2, 9))
def test_a_hand_of_bots_comes_to_an_end(seats: int) -> None:
    for level, discard_out in (("easy", "on"), ("hard", "off"), ("medium", "on")):
        moves = sum(1 for _ in played(level, seats, seats, discard_out))
        assert 0 < moves < 2_000


def answers(level: str, **named: Any) -> dict[str, Any]:
    state = set_up(MICHIGAN, {}, {"seats": 2, "turn": 0, **named})
    return think(ask(MICHIGAN, state, options(), 0, level))


@pytest.mark.parametrize("level", LEVELS)
def test_a_joker_on_top_of_the_pile_is_taken(level: str) -> None:
    named = {"hands": ["2C1 9H1 KS1", "3D1 4D1"], "stock": "8H1 9D1 TC1"}
    assert answers(level, **named, pile="5C1 *1") == {"type": "take", "at": 1}
    assert answers(level, **named, pile="*1") == {"type": "take", "at": 0}


@pytest.mark.parametrize("level", LEVELS)
def test_an_empty_stock_leaves_the_last_pile_card_to_take(level: str) -> None:
    assert answers(level, hands=["2C1 9H1", "3D1"], pile="5C1", stock="") == {"type": "take", "at": 0}


@pytest.mark.parametrize("level", ["medium", "hard"])
def test_a_rich_dig_is_made_and_its_card_melded_first(level: str) -> None:
    named = {"hands": ["KS1 KD1 4C1", "3D1 4D1"], "stock": "8H1 9D1 TC1", "melds": []}
    assert answers(level, **named, pile="2H1 KH1 KC1 7D1") == {"type": "take", "at": 1}
    move = answers(
        level, phase="play", hands=["KS1 KD1 4C1 KH1 KC1 7D1", "3D1 4D1"], pile="2H1", must="KH1",
        took="KH1 KC1 7D1", known=["KH1 KC1 7D1", ""], stock="8H1 9D1 TC1",
    )  # fmt: skip
    assert move["type"] == "meld"
    assert "KH1" in move["melds"][0]["cards"]


@pytest.mark.parametrize("level", LEVELS)
def test_a_meld_that_ends_the_hand_is_laid(level: str) -> None:
    move = answers(level, phase="play", hands=["KS1 KD1 KC1", "3D1 4D1"], pile="2H1", stock="8H1 9D1")
    assert move["type"] == "meld"


def test_medium_keeps_its_joker_off_melds_that_lie_already_and_the_others_do_not() -> None:
    named = {
        "phase": "play", "hands": ["*1 2C1 9D1 TS1", "3D1 4D1"], "pile": "2H1", "stock": "8H1 9C1",
        "melds": [{"owner": 1, "cards": "QS1 QH1 QD1"}],
    }  # fmt: skip
    assert answers("medium", **named)["type"] == "discard"
    for level in ("easy", "hard"):
        assert answers(level, **named) == {"type": "meld", "plays": ({"card": "*1", "meld": 0},)}


@pytest.mark.parametrize(("mate", "end"), [("2H1", "low"), ("TH1", "high")])
def test_a_spare_joker_goes_to_the_end_that_the_hand_is_nearer_to(mate: str, end: str) -> None:
    named = {
        "phase": "play", "hands": [f"*1 {mate} JC1 7S1", "3D1 4D1"], "pile": "2D1", "stock": "8S1 9C1",
        "melds": [{"owner": 1, "cards": "5H1 6H1 7H1"}],
    }  # fmt: skip
    move = answers("hard", **named)
    assert move == {"type": "meld", "plays": ({"card": "*1", "meld": 0, "end": end},)}


@pytest.mark.parametrize(("taken", "kept"), [("9D1 9S1", "9H1"), ("3C1 4C1", "2C1")])
def test_hard_does_not_throw_what_goes_with_cards_that_were_seen_taken(taken: str, kept: str) -> None:
    named = {
        "phase": "play", "hands": ["9H1 2C1 6S1", f"{taken} KH1"], "known": ["", taken], "pile": "2H1",
        "stock": "8C1 JC1 KC1",
    }  # fmt: skip
    move = answers("hard", **named)
    assert move["type"] == "discard"
    assert move["card"] != kept
