"""The code in the docs is run: the README's tour against a house, the guides' examples against the contract."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import types
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from domain import events
from domain.game import Seat
from projections.run import Runner, caught_up, ddl, rebuild
from replay.log import Log
from replay.schema import migrate
from replay.seal import Sealer
from replay.tables import Tables
from tests.contract import CHECKS
from tests.projections.test_run import running

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent


def blocks(file: str, language: str) -> list[str]:
    """The code blocks of a language, without those marked `skip`."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / file).read_text(), re.MULTILINE | re.DOTALL)


def module(code: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A block of Python as a module."""
    made = types.ModuleType("from_the_docs")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    exec(compile(code, "docs", "exec"), made.__dict__)
    return made


def test_the_guides_game_keeps_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = blocks("domain/ADD_A_GAME.md", "python")
    game = module(code, monkeypatch).HighCard()
    for check in CHECKS:
        for seats in (2, 4):
            check(game, seats, game.Options(), seed=1)


def test_the_guides_game_is_typed(tmp_path: Path) -> None:
    (code,) = blocks("domain/ADD_A_GAME.md", "python")
    (tmp_path / "high_card.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(tmp_path / "high_card.py")], cwd=ROOT, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


async def play_some(source: Log, keys: Path, moves: int) -> None:
    """A table of two people who make this many moves."""
    tables = Tables(source, Sealer.load(keys / "seal.key", create=True))
    table = (await tables.open("michigan_rummy", 2, {})).table.id
    for seat in (0, 1):
        sat = partial(events.Sat, seat=seat, who=f"person{seat}", kind="human", cut=None)
        await tables.act(table, lambda _, at, sat=sat: sat(at=at))  # type: ignore[misc]
    await tables.act(table, lambda _, at: events.Started(at=at, kinds=("human", "human"), cuts=(None, None)))
    for number in range(moves):
        now = (await tables.get(table)).table
        asked = now.owed[0].decision
        move = msgspec.to_builtins(now.game.fallback(now.state, asked.seat))
        await tables.move(table, Seat(asked.seat), move, key=asked.key, command=f"docs-{number:08}")


def test_the_guides_projection_counts_moves(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = blocks("projections/ADD_A_PROJECTION.md", "python")
    projection = module(code, monkeypatch).MovesADay()
    migrate(database, ddl([(projection.name, projection.ddl)]))
    source = Log(database)

    def counted() -> list[Any]:
        with psycopg.connect(database) as connection:
            return connection.execute("SELECT game, sum(moves) FROM moves_a_day.days GROUP BY game").fetchall()

    asyncio.run(play_some(source, tmp_path, 12))
    runner = Runner(source, projection)
    with running(source, runner):
        asyncio.run(play_some(source, tmp_path, 5))
        assert caught_up(source, [runner])
    assert counted() == [("michigan_rummy", 17)]
    rebuild(source, projection)
    assert counted() == [("michigan_rummy", 17)]
    asyncio.run(source.close())


def test_the_tour_of_the_readme(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FAIRCUT_")}
    house = subprocess.Popen(
        [sys.executable, "-m", "api.cli", "run", "--data", str(tmp_path / "data"), "--port", port],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        assert house.stdout
        assert any("ready" in line for line in house.stdout), "the house did not start"
        script = "\n".join(blocks("README.md", "sh"))
        script = script.replace("127.0.0.1:8000", f"127.0.0.1:{port}").replace("data/games", f"{tmp_path}/games")
        script = script.replace(".venv/bin/faircut play", f".venv/bin/faircut play --url http://127.0.0.1:{port}")
        script = script.replace(".venv/bin", str(BIN))
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        assert done.stdout.count("\nVERIFIED") >= 2
        assert "drew" in done.stdout
    finally:
        house.send_signal(signal.SIGINT)
        assert house.wait(30) == 0
