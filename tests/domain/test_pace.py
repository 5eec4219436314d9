"""The pace of bots."""

from types import SimpleNamespace

import pytest

from domain.pace import think_ms


@pytest.mark.parametrize(
    ("kind", "pace", "ms"),
    [
        ("draw", "brisk", 1000), ("play", "brisk", 1000), ("buy", "brisk", 800), ("ready", "brisk", 0),
        ("draw", "relaxed", 2000), ("play", "relaxed", 2000), ("buy", "relaxed", 1600), ("ready", "relaxed", 0),
    ],
)  # fmt: skip
def test_bots_take_their_time_for_people_to_follow(kind: str, pace: str, ms: int) -> None:
    assert think_ms(kind, SimpleNamespace(bot_pace=pace)) == ms


def test_a_game_without_a_choice_of_pace_is_brisk() -> None:
    assert think_ms("draw", SimpleNamespace()) == think_ms("draw") == 1000
