"""`faircut run`: one command, a whole house; stopped, killed, started again."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from tests.api.house import Feed, Person, play_on, wait

T = TypeVar("T")
COMMAND = [sys.executable, "-m", "api.cli", "run", "--data"]


def start(data: Path, *more: str) -> subprocess.Popen[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FAIRCUT_")}
    return subprocess.Popen(
        [*COMMAND, str(data), *(more or ("--port", "0"))], env=environment, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip


def address(house: subprocess.Popen[str]) -> str:
    """Where the house listens, once it says that it is ready."""
    said = ""
    assert house.stdout
    for line in house.stdout:
        said += line
        if found := re.search(r"ready: (http://\S+)", line):
            return found[1]
    raise AssertionError(f"it ended: {said}")


def processes(data: Path) -> list[int]:
    """Everything that runs for a house: by its folder or keys in command line, environment or working folder."""
    found, mark = [], str(data).encode()
    for proc in Path("/proc").iterdir():
        try:
            if proc.name.isdigit() and int(proc.name) != os.getpid():
                told = (proc / "cmdline").read_bytes() + (proc / "environ").read_bytes()
                if mark in told + os.fsencode(os.readlink(proc / "cwd")):
                    found.append(int(proc.name))
        except OSError:
            continue
    return found


def child(data: Path, name: str) -> int:
    """Process id of the house's child of that name."""
    for pid in processes(data):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if words[1:4] == [b"-m", b"api.cli", name.encode()]:
            return pid
    raise AssertionError(f"no {name} runs")


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes through /proc")
def test_a_house_is_stopped_and_killed_and_goes_on(tmp_path: Path) -> None:
    data = tmp_path / "data"
    house = start(data)
    url = address(house)
    ada = Person(url)
    ada.guest("Ada")
    table = ada.open("michigan_rummy", 2)["id"]
    ada.sit(table, 0)
    ada.bot(table, "easy")
    ada.start(table)
    ada.cut(table)
    play_until_moves(ada, table, 3)

    assert all((file.stat().st_mode & 0o077) == 0 for file in (data / "keys").iterdir())
    bots = Path(f"/proc/{child(data, 'bots')}/environ").read_bytes()
    assert b"DATABASE" not in bots
    assert b"FAIRCUT_KEYS" not in bots

    ticket = ada.call("POST", f"/tables/{table}/tickets")["ticket"]
    with Feed(ada.feed_url(table, ticket)) as feed:
        feed.next()
    logs = b"".join(log.read_bytes() for log in (data / "logs").iterdir())
    for secret in (ticket, ada.http.headers["authorization"].partition(" ")[2]):
        assert secret.encode() not in logs

    os.kill(child(data, "api"), signal.SIGKILL)  # somebody else takes its place
    play_until_moves(ada, table, 2)
    before = quiet(ada, table)

    house.send_signal(signal.SIGINT)
    house.communicate(timeout=30)
    assert house.returncode == 0
    assert processes(data) == []

    house = start(data)
    again = ada.at(address(house))
    assert again.keys.parse(again.http.get("/.well-known/faircut/keys").content)
    assert quiet(again, table)["seen"] >= before["seen"]
    play_until_moves(again, table, 2)
    house.kill()
    house.communicate()
    wait(lambda: processes(data) == [])

    (data / "keys" / "seal.key").rename(tmp_path / "put-away")
    house = start(data)
    said, _ = house.communicate(timeout=60)
    assert house.returncode == 2
    assert "seal.key is missing" in said
    assert not (data / "keys" / "seal.key").exists()
    assert processes(data) == []


def play_until_moves(person: Person, table: str, moves: int) -> None:
    """Make so many moves of one's own against a bot that takes its time, over whatever ends meanwhile."""
    for _ in range(moves):
        wait(lambda: attempt(lambda: person.owes(person.table(table))), 30)
        wait(lambda: attempt(lambda: play_on(table, [person], 1) is None), 30)


def attempt(call: Callable[[], T]) -> T | None:
    """What a call gives; None while the house is away."""
    try:
        return call()
    except httpx.TransportError:
        return None


def quiet(person: Person, table: str) -> dict[str, Any]:
    """The table once it waits for its person."""
    return wait(lambda: (state := person.table(table)) and person.owes(state) and state, 30)


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        house = start(tmp_path / "data", "--port", port)
        said, _ = house.communicate(timeout=30)
    assert house.returncode == 2
    assert f"something listens on 127.0.0.1:{port}" in said
    assert "Traceback" not in said


def test_a_folder_whose_house_runs_already_is_said(tmp_path: Path) -> None:
    data = tmp_path / "data"
    first = start(data)
    address(first)
    second = start(data)
    said, _ = second.communicate(timeout=30)
    assert second.returncode == 2
    assert "running already" in said
    first.terminate()
    first.communicate(timeout=30)
    assert first.returncode == 0
