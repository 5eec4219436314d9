"""Every game under every version of its rules keeps the contract; spoilt toys are caught by it."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.registry import GAMES
from tests import toys
from tests.contract import CHECKS, check_ends
from tests.walk import AnyGame

REAL = [game for versions in GAMES.values() for game in versions.values()]


def tables() -> list[Any]:
    """Games with numbers of seats: the fewest, one more, the most."""
    found = []
    for game in [*REAL, toys.Whispers()]:
        for seats in sorted({game.seats[0], game.seats[0] + 1, game.seats[-1]} & set(game.seats)):
            found.append(pytest.param(game, seats, id=f"{game.name}-v{game.rules}-{seats}"))
    return found


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__[6:])
@pytest.mark.parametrize(("game", "seats"), tables())
def test_game(game: AnyGame, seats: int, check: Callable[..., None]) -> None:
    check(game, seats, game.Options(), seed=seats)


def caught(toy: type[toys.Whispers]) -> set[str]:
    """Names of the checks that a toy fails."""
    found = set()
    for check in CHECKS:
        try:
            if check is check_ends:
                check_ends(toy(), 3, toys.Options(), seed=1, bound=2_000)
            else:
                check(toy(), 3, toys.Options(), seed=1)
        except AssertionError:
            found.add(check.__name__[6:])
        except Exception:
            if toy is not toys.Breaks:
                raise
            found.add("raised")
    return found
