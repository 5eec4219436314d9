"""`faircut simulate` from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from api.cli import main

ARGS = ["simulate", "michigan_rummy", "--seats", "medium,easy", "--options", "target=300"]


def figures(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    assert main([*ARGS, "--json", *more]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_json_has_the_promised_shape(capsys: pytest.CaptureFixture[str]) -> None:
    found = figures(capsys, "--games", "2", "--seed", "7", "--jobs", "1")
    assert list(found) == ["game", "games", "seats", "results", "hands_per_game", "stalls", "decision_ms"]
    assert (found["game"], found["games"], found["seats"]) == ("michigan_rummy", 2, 2)
    assert [row["level"] for row in found["results"]] == ["medium", "easy"]
    for row in found["results"]:
        assert list(row) == ["level", "wins", "win_share", "elo", "elo_low", "elo_high"]
        assert row["elo_low"] <= row["elo"] <= row["elo_high"]
    assert sum(row["wins"] for row in found["results"]) == 2
    assert list(found["decision_ms"]) == ["medium", "easy"]
    for times in found["decision_ms"].values():
        assert list(times) == ["mean", "p99", "max"]
        assert 0 < times["mean"] <= times["max"]


def test_two_entries_of_one_level_are_both_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARGS[:3], "easy,easy", "--games", "1", "--jobs", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["level"] for row in found["results"]] == ["easy", "easy"]
    assert sorted(row["wins"] for row in found["results"]) == [0, 1]


def test_the_same_seed_gives_the_same_figures_on_one_core_and_on_two(capsys: pytest.CaptureFixture[str]) -> None:
    ways = (("7", "1"), ("7", "2"), ("9", "1"))
    one, two, other = (figures(capsys, "--games", "4", "--seed", seed, "--jobs", jobs) for seed, jobs in ways)
    for found in (one, two, other):
        del found["decision_ms"]
    assert one == two
    assert other != one


def test_the_table_names_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARGS, "--games", "1", "--jobs", "1"]) == 0
    out, err = capsys.readouterr()
    assert err == ""  # no bar where there is no terminal
    for words in ("medium", "easy", "win share", "Elo", "95 %", "hands a game", "stalled", "mean", "p99", "max"):
        assert words in out


def test_records_can_be_audited_with_the_key_beside_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "some" / "where"
    figures(capsys, "--games", "2", "--out", str(folder), "--jobs", "1")
    more = [*ARGS, "--seats", "easy,hard", "--options", "discard_out=on,target=300", "--games", "1", "--jobs", "1"]
    assert main([*more, "--out", str(folder)]) == 0
    records = sorted(map(str, folder.glob("*.faircut")))
    assert len(records) == 3
    assert len((folder / "keys").read_text().splitlines()) == 2
    assert main(["audit", *records, "--key", str(folder / "keys")]) == 0

    spoilt = Path(records[0])
    spoilt.write_bytes(spoilt.read_bytes().replace(b'"level":"easy"', b'"level":"hard"', 1))
    assert main(["audit", str(spoilt), "--key", str(folder / "keys")]) == 1
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no_game", "--seats", "easy,easy"], "no game of that name"),
        (["michigan_rummy", "--seats", "easy"], "2 to 8"),
        (["michigan_rummy", "--seats", ",".join(["easy"] * 9)], "2 to 8"),
        (["michigan_rummy", "--seats", "easy,genius"], "genius"),
        (["michigan_rummy", "--seats", "easy,"], "no level"),
        (["michigan_rummy", "--seats", "easy,easy", "--games", "0"], "at least one game"),
        (["michigan_rummy", "--seats", "easy,easy", "--jobs", "0"], "at least one core"),
        (["michigan_rummy", "--seats", "easy,easy", "--options", "target=400"], "target"),
        (["michigan_rummy", "--seats", "easy,easy", "--options", "speed=9"], "speed"),
        (["michigan_rummy", "--seats", "easy,easy", "--options", "target"], "name=value"),
        (["michigan_rummy", "--seats", "easy,easy", "--options", "target=300,target=500"], "twice"),
    ],
)
def test_unusable_arguments_are_refused_in_words(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["simulate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert len(err.splitlines()) == 1


def test_a_folder_that_cannot_be_written_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert main([*ARGS, "--out", str(tmp_path / "file")]) == 2
    assert "cannot be written" in capsys.readouterr().err
