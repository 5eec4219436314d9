"""The door to the bots: always an answer, never one that says what a seat holds."""

import logging
import random

import msgspec
import pytest

from bots import levels, michigan_rummy
from bots.levels import Ask, answer, own, think
from domain.registry import newest
from tests.bots.asks import MICHIGAN, ask, spread

OPTIONS = newest("michigan_rummy").Options()


def strange(**fields: object) -> Ask:
    """A question of a game that has no bot of its own."""
    given = {
        "game": "seventh_game", "rules": 1, "seat": 1, "seats": 3, "kind": "play", "key": "1:4", "level": "hard",
        "options": {}, "view": {"hand": ["AH1"]}, "lines": [], "legal": [{"type": "pass"}, {"type": "go"}],
        "fallback": {"type": "wait"},
    }  # fmt: skip
    return msgspec.convert(given | fields, Ask)


def test_a_game_without_a_bot_is_answered_from_its_legal_moves() -> None:
    assert not own("seventh_game")
    keys = [f"1:{k}" for k in range(40)]
    answers = [answer(strange(key=key)) for key in keys]
    assert {move["type"] for move in answers} == {"pass", "go"}
    assert answers == [answer(strange(key=key)) for key in keys]


def test_a_bot_does_not_give_a_game_up() -> None:
    legal = [{"type": "resign"}, {"type": "go"}, {"type": "resign"}]
    assert {answer(strange(key=str(k), legal=legal))["type"] for k in range(20)} == {"go"}
    assert answer(strange(legal=[{"type": "resign"}])) == {"type": "wait"}


def test_without_legal_moves_the_fallback_is_played() -> None:
    assert answer(strange(legal=[])) == {"type": "wait"}


@pytest.mark.parametrize("name", ["levels", "arena", "generic", "worker.x", "..", "no such", ""])
def test_only_a_games_own_file_is_taken_for_its_bot(name: str) -> None:
    assert answer(strange(game=name, legal=[{"type": "go"}])) == {"type": "go"}


def test_bots_are_ready_at_once() -> None:
    assert answer(strange(kind="ready", fallback={"type": "ready"})) == {"type": "ready"}


def test_a_failing_bot_plays_the_fallback_and_names_no_card(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Ask) -> dict[str, object]:
        raise ValueError("holds QH1")

    question = ask(MICHIGAN, spread(random.Random(1), 5), OPTIONS, 0, "hard")
    monkeypatch.setattr(michigan_rummy, "decide", fail)
    levels.brain.cache_clear()
    try:
        with caplog.at_level(logging.DEBUG):
            assert answer(question) == question.fallback
        assert "QH1" not in caplog.text
        assert "ValueError" in caplog.text
        with pytest.raises(ValueError, match="QH1"):
            think(question)
    finally:
        levels.brain.cache_clear()


def test_a_question_shows_no_hand() -> None:
    question = ask(MICHIGAN, spread(random.Random(1), 5), OPTIONS, 0, "hard")
    assert not any(card in repr(question) for card in question.view["hand"])
