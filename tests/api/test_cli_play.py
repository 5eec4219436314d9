"""`faircut play`: joining a table, choosing moves by hand, leaving it and coming back."""

import argparse
import builtins
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api import cli_play, saved
from tests.api.house import Person, Served, wait


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def called(url: str, *arguments: str) -> int:
    parser = argparse.ArgumentParser()
    cli_play.arguments(parser)
    return cli_play.run(parser.parse_args(["--url", url, *arguments]))


def typing(monkeypatch: pytest.MonkeyPatch, says: Callable[[], str]) -> None:
    monkeypatch.setattr(builtins, "input", lambda _: says())


@pytest.fixture
def table(house: Served) -> Iterator[str]:
    """A table of two with a free seat, whose host starts once it is taken and plays on."""
    host, stop = house.person("Ada"), threading.Event()
    table = host.open("michigan_rummy", 2)["id"]
    host.sit(table, 0)

    def play() -> None:
        wait(lambda: None not in host.table(table)["seats"])
        host.start(table)
        host.cut(table)
        while not stop.wait(0.02):
            answer(host, table)

    player = threading.Thread(target=play, daemon=True)
    player.start()
    yield table
    stop.set()
    player.join(30)


def answer(person: Person, table: str) -> None:
    """A move, if one is asked for."""
    asked = person.owes(person.table(table))
    if asked:
        person.move(table, asked["key"], person.legal(table)[0])


def test_a_table_is_left_and_come_back_to(
    house: Served, table: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = iter(["?", "{no", "nothing", "q"])
    typing(monkeypatch, lambda: next(said))
    assert called(house.url, "--join", table, "--name", "Bob") == 0
    told = capsys.readouterr()
    assert "play --resume" in told.err
    assert told.out.count("Type a move's number") == 3
    kept = saved.load(house.url)
    assert kept
    assert kept.table == table
    assert oct(next(Path(saved._file(house.url)).parent.iterdir()).stat().st_mode)[-3:] == "600"
    again = iter([json.dumps({"type": "draw"}), "1", "q"])
    typing(monkeypatch, lambda: next(again))
    assert called(house.url, "--resume") == 0
    told = capsys.readouterr()
    assert "Bob drew a card." in told.out
    assert next(again, None) is None


def test_what_does_not_exist_is_named_before_anything_is_opened(
    house: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    watcher = house.watcher()
    before = watcher.call("GET", "/tables")
    assert called(house.url, "michgan_rummy") == 1
    assert "michigan_rummy" in capsys.readouterr().err
    assert called(house.url, "--bots", "easy,brutal") == 2
    assert "medium" in capsys.readouterr().err
    assert called(house.url, "--resume") == 2
    assert called("http://127.0.0.1:9") == 2
    assert watcher.call("GET", "/tables") == before
