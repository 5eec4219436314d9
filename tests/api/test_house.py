"""The whole house: API, engine, bot worker, bus. Games with bots, several API processes, a bus that goes away."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from api import link
from api.cli_migrate import make_ready
from bots import worker
from deploy.local import Nats
from domain import pace
from projections import engine
from replay import audit
from replay.settings import Settings
from tests.api.house import Person, Served, Working, play_on, seated, settings_for, turn, wait


@pytest.fixture
def own(database: str, own_nats: Nats, tmp_path: Path) -> Settings:
    """A database and a bus for a test alone."""
    found = settings_for(database, own_nats.credentials("server"), tmp_path / "keys")
    make_ready(found)
    return found


@pytest.fixture
def engine_at_work(own: Settings) -> Iterator[None]:
    with Working(lambda stop: engine.work(own, stop)):
        yield


def play_to_the_end(person: Person, table: str) -> dict[str, object]:
    """Answer every question of a person's seat, by what the feed tells, until the table ends."""
    with person.feed(table) as feed:
        state = feed.next()["table"]
        while state["phase"] == "playing":
            question = person.owes(state)
            if question is None:
                seen = state["seen"]
                state = feed.until(lambda frame, seen=seen: frame["seen"] > seen, timeout=30)["table"]
                continue
            suggest = person.helps(table)["suggest"]
            move = suggest["move"] if suggest else person.legal(table)[0]
            state = person.move(table, question["key"], move)["table"]
        return dict(state)


def test_a_game_against_bots_ends_in_a_record_that_verifies(
    own: Settings, own_nats: Nats, engine_at_work: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "USUAL_MS", 0)
    source = own_nats.credentials("bot")
    with Served(own) as house, Working(lambda stop: worker.work(source, stop, 1)):
        ada = house.person("Ada")
        table = ada.open("michigan_rummy", 3, {"target": 300})["id"]
        ada.sit(table, 1)
        for level in ("easy", "medium"):
            ada.bot(table, level)
        ada.start(table)
        ada.cut(table)
        listed = wait(lambda: house.watcher().call("GET", "/tables?phase=playing")["tables"])
        assert [(t["id"], [s["name"] for s in t["seats"]]) for t in listed] == [
            (table, ["Easy bot", "Ada", "Medium bot"])
        ]
        ended = play_to_the_end(ada, table)
        assert ended["phase"] == "over"

        replays = wait(lambda: house.watcher().call("GET", "/replays")["replays"])
        assert [(r["id"], r["how"], r["places"]) for r in replays] == [
            (table, "played", ended["outcome"]["places"])  # type: ignore[index]
        ]
        assert [seat["name"] for seat in replays[0]["seats"]] == ["Easy bot", "Ada", "Medium bot"]
        assert house.watcher().call("GET", "/tables")["tables"] == []
        record = ada.call("GET", f"/replays/{table}").encode()
        report = audit.audit(record, ada.keys, note=str(ended["started"]).encode())
        assert report.exit == 0
        assert report.dealt


def test_a_move_at_one_process_shows_at_another(own: Settings, engine_at_work: None) -> None:
    with Served(own) as here, Served(own) as there:
        table, crowd = seated(here)
        far = [person.at(there.url) for person in crowd]
        with far[0].feed(table) as feed:
            feed.next()
            for mover in (crowd, far, crowd, far):  # whoever was first, the other follows and decides anew
                play_on(table, mover, 2)
                now = mover[0].table(table)["seen"]
                assert feed.until(lambda frame, now=now: frame["seen"] == now)["table"]["you"] == 0
        wait(lambda: crowd[0].table(table) == far[0].table(table))
        assert crowd[0].call("GET", f"/tables/{table}/lines") == far[0].call("GET", f"/tables/{table}/lines")


def test_a_command_repeated_at_another_process_is_one_command(own: Settings, engine_at_work: None) -> None:
    with Served(own) as here, Served(own) as there:
        table, crowd = seated(here)
        seat, key = turn(table, crowd)
        move = crowd[seat].legal(table)[0]
        first = crowd[seat].move(table, key, move, "once-and-for-all")
        assert crowd[seat].at(there.url).move(table, key, move, "once-and-for-all") == first


def test_moves_are_taken_and_shown_while_the_bus_is_away(
    own: Settings, own_nats: Nats, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once in the process that took them, at the next look at the log in another."""
    monkeypatch.setattr(link, "POLL_S", 0.05)
    with Served(own) as here, Served(own) as there:
        table, crowd = seated(here)
        wait(lambda: all(here.watcher().call("GET", "/healthz").values()))
        with crowd[0].feed(table) as near, crowd[1].at(there.url).feed(table) as far:
            own_nats.stop()
            wait(lambda: here.watcher().http.get("/healthz").status_code == 503)
            assert here.watcher().http.get("/healthz").json() == {"database": True, "bus": False}
            wait(lambda: not there.services.link.up)
            play_on(table, crowd, 3)
            now = crowd[0].table(table)["seen"]
            for feed in (near, far):
                feed.until(lambda frame: frame["seen"] == now)
            assert crowd[0].at(there.url).table(table) == crowd[0].table(table)
            own_nats.start()
            wait(lambda: here.services.link.up and there.services.link.up)


def test_a_house_starts_without_its_bus(own: Settings, own_nats: Nats) -> None:
    own_nats.stop()
    with Served(own) as house:
        table, crowd = seated(house)
        play_on(table, crowd, 2)
        assert house.watcher().http.get("/healthz").status_code == 503
        own_nats.start()
        wait(lambda: house.watcher().http.get("/healthz").status_code == 200)


def test_a_process_ends_though_the_bus_is_away(own: Settings, own_nats: Nats) -> None:
    with Served(own) as house:
        wait(lambda: house.services.link.up)
        own_nats.kill()
        wait(lambda: not house.services.link.up)
