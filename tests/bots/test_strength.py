"""The levels differ as much as they should: 150 games a pairing, heads-up, with 8 points of percentage to spare."""

import pytest

from bots.arena import Match, tournament
from bots.strength import summary


@pytest.mark.parametrize(("stronger", "weaker", "share"), [("medium", "easy", 0.91), ("hard", "medium", 0.60)])
def test_a_higher_level_is_stronger(stronger: str, weaker: str, share: float) -> None:
    match = Match(game="michigan_rummy", entries=(stronger, weaker), games=150, seed=2)  # type: ignore[arg-type]
    found = summary(match, list(tournament(match, 2)))
    assert found["results"][0]["win_share"] >= share - 0.08
    assert found["stalls"] <= 0.02 * found["hands_per_game"] * 150
