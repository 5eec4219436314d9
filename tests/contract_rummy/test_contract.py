"""The game keeps what every game must keep, deals and passes again tell no viewer anything, and every hand ends."""

from collections.abc import Callable

import pytest

from tests.contract import CHECKS
from tests.contract_rummy.tables import GAME
from tests.golden import last_choices
from tests.walk import walk


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__[6:])
@pytest.mark.parametrize(("seats", "last"), [(3, False), (4, True), (8, False)])
def test_game(seats: int, last: bool, check: Callable[..., None]) -> None:
    check(GAME, seats, last_choices(GAME) if last else GAME.Options(), seed=7)


def test_random_games_come_to_everything() -> None:
    told: set[str] = set()
    for seats in (3, 5):
        for moment in walk(GAME, seats, GAME.Options(), seed=seats):
            told |= {line.kind for line in moment.step.lines}
    assert told >= GAME.public - {"go_out", "stalled"}
