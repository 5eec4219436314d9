"""Servers of `faircut run` that die under it: started again, said, and given up only when that does not help."""

import logging
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from api.process import Seldom
from tests.api.house import Person, wait
from tests.api.test_run import address, attempt, play_until_moves, processes, start

pytestmark = pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes through /proc")
SERVERS = {"postgres": "PostgreSQL", "nats-server": "NATS"}


def pid(data: Path, program: str) -> int | None:
    """Process id of a server of the house: of the one that the others are children of."""
    found = [n for n in processes(data) if attempt_read(n, "comm") == program]
    parents = {n: int(attempt_read(n, "stat").rpartition(")")[2].split()[1]) for n in found if attempt_read(n, "stat")}
    return next((n for n in found if parents.get(n, n) not in found), None)


def attempt_read(number: int, name: str) -> str:
    try:
        return Path(f"/proc/{number}/{name}").read_text().strip()
    except OSError:
        return ""


def green(url: str) -> bool:
    return bool(attempt(lambda: httpx.get(f"{url}/healthz", timeout=10).status_code == 200))


def heard(house: "subprocess.Popen[str]") -> list[str]:
    """Lines that the house says from now on."""
    lines: list[str] = []
    assert house.stdout
    threading.Thread(target=lambda: lines.extend(iter(house.stdout.readline, "")), daemon=True).start()
    return lines


def test_a_server_that_dies_is_started_again_and_tables_go_on(tmp_path: Path) -> None:
    data = tmp_path / "data"
    house = start(data)
    url = address(house)
    said = heard(house)
    ada = Person(url)
    ada.guest("Ada")
    table = ada.open("michigan_rummy", 2)["id"]
    ada.sit(table, 0)
    ada.bot(table, "easy")
    ada.start(table)
    ada.cut(table)
    play_until_moves(ada, table, 2)
    for program, name in SERVERS.items():
        killed = pid(data, program)
        assert killed
        os.kill(killed, signal.SIGKILL)
        wait(lambda killed=killed, program=program: pid(data, program) not in (None, killed), 60)
        wait(lambda: green(url), 60)
        wait(lambda: moves(ada, table, 2), 60)
        told = [line for line in said if line.startswith(f"{name} ended")]
        assert len(told) == 1
        assert "signal 9" in told[0]
        assert "started again" in told[0]
    assert house.poll() is None
    house.send_signal(signal.SIGINT)
    house.wait(30)
    assert house.returncode == 0
    assert processes(data) == []


def moves(person: Person, table: str, count: int) -> bool:
    """Whether so many moves were made; False while the house cannot store any."""
    try:
        play_until_moves(person, table, count)
    except Exception as fault:
        if getattr(fault, "status", None) == 503:
            return False
        raise
    return True


def test_a_server_that_always_dies_is_given_up(tmp_path: Path) -> None:
    data = tmp_path / "data"
    house = start(data)
    address(house)
    said = heard(house)
    while house.poll() is None:
        if (found := pid(data, "nats-server")) is not None:
            os.kill(found, signal.SIGKILL)
        house_ends(house)
    assert house.returncode == 1
    wait(lambda: any("NATS has died" in line and "in a row" in line for line in said))
    assert not any("Traceback" in line for line in said)
    assert processes(data) == []


def house_ends(house: "subprocess.Popen[str]") -> None:
    try:
        house.wait(0.05)
    except subprocess.TimeoutExpired:
        return


def test_what_goes_wrong_over_and_over_is_logged_once_in_a_while() -> None:
    now = [0.0]
    seldom, said = Seldom(lambda: now[0]), []
    for tenth in range(300):
        now[0] = tenth / 10
        for words in (("the bus: %s", "ConnectionRefusedError"), ("the log's bell broke (%s)", "OperationalError")):
            record = logging.LogRecord("replay", logging.WARNING, "", 0, words[0], words[1:], None)
            if seldom.filter(record):
                said.append(record.getMessage())
    assert [words for words in said if "bell" not in words] == [
        "the bus: ConnectionRefusedError", *["the bus: ConnectionRefusedError (and 99 times more before)"] * 2,
    ]  # fmt: skip
    assert len(said) == 6


def test_an_outage_of_the_bus_does_not_fill_the_log_of_a_child() -> None:
    command = [sys.executable, "-m", "api.cli", "bots"]
    settings = os.environ | {"FAIRCUT_NATS_BOT_URL": "nats://127.0.0.1:9"}
    told = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=60, check=False)
    assert told.returncode == 1
    assert 1 <= told.stderr.count("the bus: ConnectionRefusedError") <= 2  # of the tries that ten seconds have room for


def test_a_second_house_in_the_same_folder_is_said_before_its_port(tmp_path: Path) -> None:
    data = tmp_path / "data"
    first = start(data)
    port = address(first).rpartition(":")[2]
    second = start(data, "--port", port)
    said, _ = second.communicate(timeout=30)
    assert second.returncode == 2
    assert said.strip() == f"faircut run: the house of {data} is running already"
    first.terminate()
    first.communicate(timeout=30)
