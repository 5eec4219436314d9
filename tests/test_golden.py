"""Golden records: what was played once replays to the same bytes for ever."""

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from domain import events
from domain.game import Illegal
from domain.registry import GAMES, version
from domain.table import Diverged
from tests import golden
from tests.house import AnyGame

REAL = [game for versions in GAMES.values() for game in versions.values()]
RECORDS = sorted(golden.FOLDER.rglob("*.events"))


def name(path: Path) -> str:
    return str(path.relative_to(golden.FOLDER))


@pytest.mark.parametrize("path", RECORDS, ids=name)
def test_a_record_replays_to_the_same_bytes(path: Path) -> None:
    steps = list(golden.replay(path.read_bytes()))
    opened = steps[0].table.opened
    assert (opened.game, f"v{opened.rules}") == (path.parent.parent.name, path.parent.name)
    assert steps[-1].table.revealed


@pytest.mark.parametrize("game", REAL, ids=lambda game: f"{game.name}-v{game.rules}")
def test_every_version_of_every_game_has_records_of_whole_games(game: AnyGame) -> None:
    """Enough of them that most of its moves are among what they hold, and tables that end as tables can.

    Moves that random play seldom comes to are the case files' business.
    """
    paths = golden.files(game)
    assert paths, f"no golden record of {game.name} v{game.rules}: python -m tests.golden {game.name}"
    steps = [step for path in paths for step in golden.replay(path.read_bytes())]
    assert any(step.table.phase == "over" and step.table.revealed for step in steps)
    missing = {events.Cut, events.Voided, events.Moved} - {type(step.event) for step in steps}
    assert not missing, f"no record of {game.name} has {missing}"
    played = {step.event.move["type"] for step in steps if isinstance(step.event, events.Moved)}
    moves = {struct.__struct_config__.tag for struct in get_args(game.Move) or (game.Move,)}
    assert len(moves - played) <= len(moves) // 3, f"no record of {game.name} has {sorted(moves - played)}"


def test_all_that_can_happen_at_a_table_is_in_some_record() -> None:
    steps = [step for path in RECORDS for step in golden.replay(path.read_bytes())]
    happened = {type(step.event) for step in steps}
    assert happened >= {events.Granted, events.Left, events.Covered, events.Returned, events.Agreed, events.Closed}
    assert {step.event.by for step in steps if isinstance(step.event, events.Moved)} == {"person", "bot", "timer"}


def test_records_are_only_of_games_and_versions_that_can_be_replayed() -> None:
    for path in RECORDS:
        assert version(path.parent.parent.name, int(path.parent.name[1:]))


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda lines: [*lines[:40], *lines[41:]], (golden.Differs, Diverged, Illegal)),
        (lambda lines: [*lines[:40], lines[41], lines[40], *lines[42:]], (golden.Differs, Diverged, Illegal)),
        (lambda lines: [*lines[:40], b"0" * 64 + lines[40][64:], *lines[41:]], golden.Differs),
    ],
    ids=["dropped", "swapped", "digest"],
)
def test_a_record_that_was_changed_is_found(
    spoil: Callable[[list[bytes]], list[bytes]], fault: type[BaseException]
) -> None:
    lines = golden.files(REAL[0])[0].read_bytes().splitlines()
    with pytest.raises(fault):
        list(golden.replay(b"\n".join(spoil(lines))))


def test_a_record_is_never_written_over() -> None:
    game = REAL[0]
    before = {path: path.read_bytes() for path in golden.files(game)}
    assert len(before) >= len(golden.plans(game))
    assert golden.make(game.name) == []
    assert {path: path.read_bytes() for path in golden.files(game)} == before
