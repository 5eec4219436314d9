"""The levels differ as much as they should: 150 games a pairing, with 8 points of percentage to spare.

Michigan Rummy is measured heads-up. At a table of three one seat of the stronger level meets two of the weaker, and
what counts is how often it ends before each of them.
"""

import pytest

from bots.arena import Match, tournament
from bots.strength import summary


@pytest.mark.parametrize(("stronger", "weaker", "share"), [("medium", "easy", 0.91), ("hard", "medium", 0.60)])
def test_a_higher_level_is_stronger(stronger: str, weaker: str, share: float) -> None:
    match = Match(game="michigan_rummy", entries=(stronger, weaker), games=150, seed=2)  # type: ignore[arg-type]
    found = summary(match, list(tournament(match, 2)))
    assert found["results"][0]["win_share"] >= share - 0.08
    assert found["stalls"] <= 0.02 * found["hands_per_game"] * 150


@pytest.mark.timeout(900)  # long games: some hundred decisions a hand
@pytest.mark.parametrize(("stronger", "weaker", "share"), [("medium", "easy", 0.72), ("hard", "medium", 0.57)])
def test_a_higher_level_is_stronger_at_contract_rummy(stronger: str, weaker: str, share: float) -> None:
    match = Match(game="contract_rummy", entries=(stronger, weaker, weaker), games=150, seed=2)  # type: ignore[arg-type]
    found = summary(match, list(tournament(match, 2)))
    assert found["head_to_head"][0]["share"] >= share - 0.08
    assert found["stalls"] <= 0.002 * found["hands_per_game"] * 150
