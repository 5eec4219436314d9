"""Whole tables played by bots: fair seats, the same games again, every game, and records that hold."""

from typing import Any

import msgspec
import pytest

from bots.arena import Match, Played, play, seating, tournament
from bots.strength import elo, summary, wilson
from domain import registry
from tests.toys import Whispers


def match(**fields: Any) -> Match:
    given = {"game": "michigan_rummy", "entries": ("medium", "easy"), "games": 3, "seed": 7, "options": {"target": 300}}
    return msgspec.convert(given | fields, Match)


def timeless(played: Played) -> Played:
    return msgspec.structs.replace(played, times={})


def test_the_first_seat_goes_round() -> None:
    assert [seating(match(), i) for i in range(4)] == [(0, 1), (1, 0), (0, 1), (1, 0)]
    three = match(entries=("hard", "medium", "easy"))
    rows = [seating(three, i) for i in range(3)]
    assert [sorted(row) for row in rows] == [[0, 1, 2]] * 3
    assert [sorted(column) for column in zip(*rows, strict=True)] == [[0, 1, 2]] * 3


def test_the_same_seed_gives_the_same_games_on_any_number_of_cores() -> None:
    played = match(entries=("medium", "easy", "hard"), games=5, keep=True)
    alone = [timeless(game) for game in tournament(played, 1)]
    assert [game.number for game in alone] == list(range(5))
    assert [timeless(game) for game in tournament(played, 2)] == alone
    other = match(entries=("medium", "easy", "hard"), games=1, seed=8, keep=True)
    assert timeless(play(other, 0)) != alone[0]


def test_no_two_tables_share_an_id_or_a_seed() -> None:
    tables = [play(m, i) for m in (match(keep=True), match(keep=True, entries=("easy", "medium"))) for i in (0, 1)]
    revealed = [msgspec.json.decode(game.entries[-1][1])["seed"] for game in tables]
    assert len({game.table for game in tables}) == len(set(revealed)) == 4


def test_time_stands_still_and_wins_are_shared_out() -> None:
    game = play(match(keep=True), 0)
    assert {msgspec.json.decode(raw)["at"] for _, raw in game.entries} == {0}
    assert sum(game.wins) == 1
    assert game.hands >= 1
    assert all(min(times) > 0 for times in game.times.values())


@pytest.mark.parametrize("seats", [2, 4])
def test_a_game_without_a_bot_of_its_own_is_played_to_its_end(monkeypatch: pytest.MonkeyPatch, seats: int) -> None:
    toy = Whispers()
    monkeypatch.setitem(registry.GAMES, toy.name, {toy.rules: toy})
    levels = ("easy", "medium", "hard", "easy")[:seats]
    games = list(tournament(match(game=toy.name, entries=levels, options={}), 1))
    assert len(games) == 3
    assert all(sum(game.wins) == pytest.approx(1) for game in games)
    assert games[0].hands == 2


def test_elo_follows_from_the_odds() -> None:
    assert elo(0.5) == 0
    assert elo(0.25, 4) == pytest.approx(0)
    assert elo(0.917) == pytest.approx(417, abs=1)
    assert elo(0.6) == pytest.approx(70, abs=1)
    assert elo(0.6) == pytest.approx(-elo(0.4))
    assert (elo(1.0), elo(0.0), elo(1 - 1e-9)) == (1200, -1200, 1200)


def test_the_interval_is_wilsons() -> None:
    low, high = wilson(0.6, 300)  # by hand: centre 0.5987, half width 0.0551
    assert (low, high) == (pytest.approx(0.5437, abs=2e-4), pytest.approx(0.6538, abs=2e-4))
    assert wilson(1.0, 10)[1] == pytest.approx(1)
    assert 0 < wilson(1.0, 10)[0] < 1


def figures(*games: tuple[float, ...]) -> dict[str, Any]:
    entries = ("hard", "hard", "easy")[: len(games[0])]
    played = [
        Played(
            number=i, table="t", wins=wins, places=tuple(1 if won else 2 for won in wins), totals=(0,) * len(wins),
            hands=4 + i, stalls=i, times={"hard": [1_000_000, 3_000_000], "easy": []},
        )
        for i, wins in enumerate(games)
    ]  # fmt: skip
    return summary(match(entries=entries), played)


def test_figures_list_every_entry_in_its_order_and_share_shared_wins() -> None:
    found = figures((1.0, 0.0, 0.0), (0.5, 0.5, 0.0))
    assert [row["level"] for row in found["results"]] == ["hard", "hard", "easy"]
    assert [row["wins"] for row in found["results"]] == [1.5, 0.5, 0]
    assert [row["win_share"] for row in found["results"]] == [0.75, 0.25, 0]
    assert (found["games"], found["seats"], found["hands_per_game"], found["stalls"]) == (2, 3, 4.5, 1)
    assert found["decision_ms"] == {
        "hard": {"mean": 2.0, "p99": 3.0, "max": 3.0}, "easy": {"mean": 0.0, "p99": 0.0, "max": 0.0},
    }  # fmt: skip
    for row in found["results"]:
        assert -1200 <= row["elo_low"] <= row["elo"] <= row["elo_high"] <= 1200


def test_levels_are_also_compared_seat_by_seat_where_more_than_two_sit() -> None:
    found = figures((1.0, 0.0, 0.0), (0.5, 0.5, 0.0))["head_to_head"]
    assert [(row["level"], row["against"]) for row in found] == [("hard", "easy")]
    assert found[0]["share"] == 0.875  # four pairs of seats: ahead, level, ahead, ahead
    assert found[0]["elo_low"] < found[0]["elo"] < found[0]["elo_high"]
    assert "head_to_head" not in figures((1.0, 0.0))


def test_bots_are_asked_for_what_nobody_waits_for_before_time_runs() -> None:
    """In a timed buying bots claim and pass, so that it closes before its time and the clock never moves."""
    played = play(match(game="contract_rummy", entries=("medium",) * 3, options={}, keep=True), 0)
    kept = [msgspec.json.decode(raw) for _, raw in played.entries]
    moves = {event["move"]["type"] for event in kept if event["type"] == "moved"}
    assert {"buy", "pass", "take", "draw"} <= moves
    assert {event["at"] for event in kept} == {0}
