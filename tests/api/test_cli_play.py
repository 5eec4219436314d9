"""`faircut play`: joining a table, choosing moves by hand, leaving it and coming back."""

import argparse
import builtins
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from api import cli_play, saved
from api.cli_play import NOTHING
from api.cli_play_words import ASIDES, meant, only
from api.client import Client, Distrust, Refused
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


@contextmanager
def hosted(house: Served, game: str, seats: int) -> Iterator[str]:
    """A table with one free seat, whose people start once it is taken and play on."""
    crowd, stop = [house.person(name) for name in ("Ada", "Cleo", "Dan")[: seats - 1]], threading.Event()
    table = crowd[0].open(game, seats)["id"]
    for seat, person in enumerate(crowd):
        person.sit(table, seat)

    def play() -> None:
        wait(lambda: None not in crowd[0].table(table)["seats"])
        crowd[0].start(table)
        for person in crowd:
            person.cut(table)
        while not stop.wait(0.02):
            for person in crowd:
                answer(person, table)

    player = threading.Thread(target=play, daemon=True)
    player.start()
    yield table
    stop.set()
    player.join(30)


@pytest.fixture
def table(house: Served) -> Iterator[str]:
    """Such a table of Michigan Rummy for two."""
    with hosted(house, "michigan_rummy", 2) as table:
        yield table


def answer(person: Person, table: str) -> None:
    """A move, if one is asked for."""
    asked = person.owes(person.table(table))
    if asked:
        answers = [move for move in person.legal(table) if move["type"] not in ASIDES]
        with suppress(Refused):  # of a question that somebody else has ended meanwhile
            person.move(table, asked["key"], answers[-1 if asked["kind"] == "buy" else 0])


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


@pytest.mark.parametrize(
    ("words", "works"),
    [
        (["rummy", "--bots", "easy"], "Rummy with bots needs 3 or 4 seats: --bots easy,hard"),
        (["rummy", "--watch", "--bots", "easy,hard"],
         "Rummy with bots needs 3 or 4 seats: --watch --bots easy,hard,hard"),
        (["rummy", "--bots", "easy,easy,easy,easy"], "Rummy with bots needs 3 or 4 seats: --bots easy,easy,easy"),
        (["contract_rummy", "--bots", "easy"], "Contract Rummy with bots needs 3 to 8 seats: --bots easy,hard"),
        (["michigan_rummy", "--bots", ""], "Michigan Rummy with bots needs 2 to 8 seats: --bots hard"),
    ],
)  # fmt: skip
def test_seats_at_which_bots_may_not_play_are_answered_with_what_works(
    house: Served, capsys: pytest.CaptureFixture[str], words: list[str], works: str
) -> None:
    before = house.watcher().call("GET", "/tables")
    assert called(house.url, *words) == 1
    assert capsys.readouterr().err.strip() == works
    assert house.watcher().call("GET", "/tables") == before


@pytest.mark.parametrize("fault", [Refused(503, "UNAVAILABLE", "Try again."), KeyboardInterrupt(), Distrust("odd")])
@pytest.mark.parametrize("step", ["sit", "bot", "start"])
def test_a_table_that_cannot_be_started_does_not_stay_in_the_lobby(
    house: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], step: str, fault: BaseException
) -> None:
    opened: list[str] = []
    really = Client.open

    def opening(*what: Any) -> dict[str, Any]:
        opened.append((table := really(*what))["id"])
        return table

    def failing(*_: Any) -> None:
        raise fault

    monkeypatch.setattr(Client, "open", opening)
    monkeypatch.setattr(Client, step, failing)
    assert called(house.url, "--bots", "easy") == (0 if isinstance(fault, KeyboardInterrupt) else 1)
    assert house.watcher().table(opened[0])["phase"] == "closed"
    assert saved.load(house.url) is None
    assert "waits for you" not in capsys.readouterr().err


@pytest.mark.parametrize(("game", "seats"), [("thai_rummy", 2), ("contract_rummy", 3), ("rummy", 2)])
def test_questions_at_the_terminal(
    house: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], game: str, seats: int
) -> None:
    """Cards are shown as people write them, answers before asides; `s` is played, or says that there is nothing."""
    heard: list[str] = []

    def says() -> str:
        before = heard[-1] if heard else ""
        heard.append(capsys.readouterr().out)
        if NOTHING not in heard[-1]:
            return "s"
        kinds = [move.startswith(("buy pref", "resign")) for move in listed(before)]
        assert kinds.count(False) != 1
        return "q" if any(move.startswith("discard") for move in listed(before)) else "1"

    typing(monkeypatch, says)
    with hosted(house, game, seats) as table:
        assert called(house.url, "--join", table) == 0
    for told in heard:
        kinds = [move.startswith(("buy pref", "resign")) for move in listed(told)]
        assert kinds == sorted(kinds)
        assert kinds[0] is False
        assert re.search(r"   hand ((10|[A2-9JQK])[♠♥♦♣]|joker)", told) or NOTHING in told
        assert not re.search(r"\b[A2-9TJQK][SHDC]\d\b|\*\d", told)
    assert re.search(r"\d discard ((10|[A2-9JQK])[♠♥♦♣]|joker)\n", heard[-1])


def listed(told: str) -> list[str]:
    """The moves that were listed."""
    return re.findall(r"^ +\d+ (.+)$", told, re.MULTILINE)


def test_s_without_a_suggestion_plays_the_only_answer_and_else_asks_for_a_number() -> None:
    draw, take, resign = {"type": "draw"}, {"type": "take"}, {"type": "resign"}
    assert only([resign, draw]) == draw
    assert only([draw, take, resign]) is None
    assert only([resign]) is None


def test_a_move_is_typed_with_cards_as_they_are_shown() -> None:
    hand = ["*1", "TD1", "TD2", "9C2"]
    assert meant('{"type":"meld","cards":["TD","10♦","joker","9C2"]}', hand) == {
        "type": "meld", "cards": ["TD1", "TD2", "*1", "9C2"],
    }  # fmt: skip
    assert meant('{"type":"lay_off","plays":[{"card":"9♣","meld":2,"end":"low"}]}', hand) == {
        "type": "lay_off", "plays": [{"card": "9C2", "meld": 2, "end": "low"}],
    }  # fmt: skip
