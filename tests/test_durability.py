"""What was acknowledged stays, once, whoever is killed while it goes on: PostgreSQL or the process that writes."""

import itertools
import json
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path

import psycopg

from deploy.local import Postgres

TABLES = 12  # of each process, beside those that all want


class Pounder:
    """A writing process, and what it has said to be stored."""

    def __init__(self, url: str, name: str) -> None:
        self.acknowledged: list[str] = []
        self._more = threading.Condition()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.pound", url, name, str(TABLES)], cwd=Path(__file__).parents[1], text=True,
            stdout=subprocess.PIPE,
        )  # fmt: skip
        assert self._process.stdout is not None
        self._lines = self._process.stdout
        assert self._lines.readline() == "up\n"
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self._lines:
            with self._more:
                if line.endswith("\n"):
                    self.acknowledged.append(line.strip())
                self._more.notify_all()

    def goes_on(self, more: int) -> None:
        """Until so many more appends have been acknowledged."""
        with self._more:
            goal = len(self.acknowledged) + more
            assert self._more.wait_for(lambda: len(self.acknowledged) >= goal, 120), "no more came"

    def kill(self) -> None:
        """SIGKILL, in the middle of whatever it does."""
        self._process.kill()
        self._process.wait()
        self._reader.join()


def check(url: str, acknowledged: list[str]) -> None:
    """Every acknowledged command is in the log, each command once and whole, timers as of their last events."""
    parts: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    last: dict[str, int] = {}
    with psycopg.connect(url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ  # the last save may still go on
        stored = connection.execute(
            "SELECT originator_id, originator_version, state FROM faircut_events ORDER BY notification_id"
        ).fetchall()
        timers: dict[str, int] = dict(connection.execute("SELECT table_id, due_at FROM timers").fetchall())
    for table, version, state in stored:
        event = json.loads(state)
        assert version == last.get(table, 0) + 1
        last[table] = version
        parts[event["command"]].append((table, version, event["part"]))
    assert len(acknowledged) == len(set(acknowledged))
    assert set(acknowledged) - parts.keys() == set(), "acknowledged, and lost"
    for command, places in parts.items():
        table, first, _ = places[0]
        number = int(command.rpartition("-")[2])
        assert places == [(table, first + part, part) for part in range(1 + number % 3)], "doubled or torn"
    assert timers == last


def test_no_acknowledged_append_is_lost_when_postgres_is_killed(own_postgres: Postgres) -> None:
    url = own_postgres.to("ready")
    pounders = [Pounder(url, name) for name in ("a", "b")]  # they want the same versions of the same tables
    try:
        for _ in range(3):
            for pounder in pounders:
                pounder.goes_on(150)
            own_postgres.kill()
            own_postgres.start()
        for pounder in pounders:
            pounder.goes_on(150)
    finally:
        for pounder in pounders:
            pounder.kill()
    check(url, [*pounders[0].acknowledged, *pounders[1].acknowledged])


def test_no_acknowledged_append_is_lost_when_the_writer_is_killed(database: str) -> None:
    acknowledged: list[str] = []
    for number in itertools.count():
        pounder = Pounder(database, f"p{number}")
        try:
            pounder.goes_on(200)
        finally:
            pounder.kill()
        acknowledged += pounder.acknowledged
        check(database, acknowledged)
        if number == 3:
            break
