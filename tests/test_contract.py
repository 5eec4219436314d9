"""Every game under every version of its rules keeps the contract; spoilt toys are caught by it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from domain.registry import GAMES
from tests import toys
from tests.contract import CHECKS, check_ends, check_refusals
from tests.golden import last_choices
from tests.walk import AnyGame

SEEDS = 2  # random games for each check and table
REAL = [game for versions in GAMES.values() for game in versions.values()]


def tables() -> list[Any]:
    """Games with their options: default ones for the fewest and the most seats, each last choice for one seat more."""
    found = []
    for game in [*REAL, toys.Whispers()]:
        few, most = game.seats[0], game.seats[-1]
        for seats, options in ((few, game.Options()), (min(few + 1, most), last_choices(game)), (most, game.Options())):
            found.append(pytest.param(game, seats, options, id=f"{game.name}-v{game.rules}-{seats}"))
    return found


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__[6:])
@pytest.mark.parametrize(("game", "seats", "options"), tables())
def test_game(game: AnyGame, seats: int, options: Any, check: Callable[..., None]) -> None:
    for seed in range(1 if check is check_ends else SEEDS):
        check(game, seats, options, seed=seed)


@pytest.mark.parametrize("toy", toys.SPOILT, ids=lambda toy: toy.__name__)
def test_a_spoilt_toy_is_caught(toy: type[toys.Whispers]) -> None:
    check = next(check for check in CHECKS if check.__name__ == f"check_{toys.SPOILT[toy]}")
    if check is check_ends:
        check = partial(check_ends, bound=2_000)
    with pytest.raises(AssertionError):
        check(toy(), 3, toys.Options(), seed=1)


def test_a_bug_in_the_rules_is_no_refusal() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        check_refusals(toys.Breaks(), 3, toys.Options(), seed=1)
