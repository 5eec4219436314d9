"""Moves made durable through `replay/tables.py`, beside pgbench's raw one-row INSERT and COMMIT on the same server."""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import msgspec
import uvloop

from api.app import seldom_collected
from deploy.local import Postgres, postgres_programs
from domain import events
from domain.game import Seat
from domain.table import Table
from replay.log import Log
from replay.schema import migrate
from replay.seal import Sealer
from replay.tables import Tables
from replay.writer import SWITCH_S
from tests.bench import Row

TABLES = 64
SECONDS = 8


def rows() -> list[Row]:
    """Accepted moves a second in one process, and pgbench with 16 clients before and after."""
    with tempfile.TemporaryDirectory(prefix="faircut-") as name, Postgres(Path(name)) as server:
        server.start()
        migrate(server.url)
        before = pgbench(server)
        sys.setswitchinterval(SWITCH_S)  # loop, interval and collection are those of the API's process
        with seldom_collected():
            ours = uvloop.run(_moves(server.url, Path(name)))
        after = pgbench(server)
        server.stop(now=True)
    return [
        Row(
            f"durable moves, {TABLES} tables, one process", ours, "moves/s", "pgbench INSERT+COMMIT, 16 clients",
            (before + after) / 2, least=0.5,
        )
    ]  # fmt: skip


def pgbench(server: Postgres, clients: int = 16) -> float:
    """Transactions a second of one-row INSERT and COMMIT of an event's size."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "insert.sql")
        script.write_text("INSERT INTO bench_rows (body) VALUES (decode(repeat('61', 300), 'hex'));\n")
        psql = [str(postgres_programs() / "psql"), server.url, "-qXc"]
        table = "CREATE TABLE IF NOT EXISTS bench_rows (id bigserial PRIMARY KEY, body bytea)"
        subprocess.run([*psql, table], check=True)
        done = subprocess.run(
            [str(postgres_programs() / "pgbench"), "-n", "-M", "prepared", "-f", str(script), "-c", str(clients),
             "-j", "2", "-T", "5", server.url],
            check=True, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"},
        )  # fmt: skip
        subprocess.run([*psql, "TRUNCATE bench_rows"], check=True)
    found = re.search(r"tps = ([0-9.]+)", done.stdout)
    assert found
    return float(found[1])


async def _moves(url: str, folder: Path) -> float:
    log = Log(url)
    tables = Tables(log, Sealer.load(folder / "seal.key", create=True))
    ids = [await _table(tables) for _ in range(TABLES)]
    stop = time.perf_counter() + 1 + SECONDS
    counts = await asyncio.gather(*(_play(tables, table, stop) for table in ids))
    await log.close()
    return sum(counts) / SECONDS


async def _table(tables: Tables) -> str:
    """A heads-up table of people who let the house cut."""
    table = (await tables.open("michigan_rummy", 2, {"target": 500})).table.id
    for seat in (0, 1):
        await tables.act(table, partial(_sat, seat))
    await tables.act(table, lambda _, at: events.Started(at=at, kinds=("human", "human"), cuts=(None, None)))
    return table


def _sat(seat: int, _: Table, at: int) -> events.Event:
    return events.Sat(at=at, seat=seat, who=f"person{seat}", kind="human", cut=None)


async def _play(tables: Tables, table: str, stop: float) -> int:
    """Fallback moves (draw, discard, ready) one after another; those of the first second are warm-up."""
    counted = number = 0
    while (now := time.perf_counter()) < stop:
        at = (await tables.get(table)).table
        if at.ended:
            table = await _table(tables)
            continue
        asked = at.owed[0].decision
        move = at.game.fallback(at.state, asked.seat)
        number += 1
        plain = msgspec.to_builtins(move)
        await tables.move(table, Seat(asked.seat), plain, key=asked.key, command=f"bench-{number:08}")
        counted += now >= stop - SECONDS
    return counted
