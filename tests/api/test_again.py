"""Playing again: who may, what the next table is like, and who hears of it."""

from collections.abc import Iterator
from typing import Any

import pytest

from domain.game import Illegal
from replay.settings import Settings
from tests.api.house import Person, Refused, Served, seated, version


@pytest.fixture
def other(settings: Settings, served: Served) -> Iterator[Served]:
    """A second API process of the house that `served` is one of."""
    with Served(settings, served.clock) as process:
        yield process


def ended(house: Served, people: int = 2, **how: Any) -> tuple[str, list[Person]]:
    """A table that has been played at and closed by its host."""
    table, crowd = seated(house, people, **how)
    crowd[0].call("POST", f"/tables/{table}/close")
    return table, crowd


def again(person: Person, table: str) -> dict[str, Any]:
    found: dict[str, Any] = person.call("POST", f"/tables/{table}/again")["table"]
    return found


def refused(person: Person, table: str) -> tuple[int, str]:
    with pytest.raises(Refused) as no:
        again(person, table)
    return no.value.status, no.value.code


def test_the_next_table_is_like_the_one_before(house: Served) -> None:
    """The same game, options, delay and host; the same bots on the same seats; people's seats are free."""
    ada, ben = house.person("Ada"), house.person("Ben")
    body = {"game": "michigan_rummy", "seats": 4, "options": {"target": 300}, "watch_delay": 5000}
    old = ada.call("POST", "/tables", body)["table"]["id"]
    ada.call("POST", f"/tables/{old}/bots", {"level": "hard", "seat": 0})
    ada.sit(old, 1)
    ada.call("POST", f"/tables/{old}/bots", {"level": "easy", "seat": 2})
    ben.sit(old, 3)
    ada.start(old)
    for person in (ada, ben):
        person.cut(old)
    ada.call("POST", f"/tables/{old}/close")

    answer = ada.http.post(f"/tables/{old}/again")
    new = answer.json()["table"]
    assert (answer.status_code, answer.headers["location"]) == (201, f"/tables/{new['id']}")
    assert new["id"] != old
    before = ada.table(old)
    for field in ("game", "rules", "options", "watch_delay"):
        assert new[field] == before[field]
    assert (new["phase"], new["hosting"], new["you"]) == ("open", True, None)
    assert [seat and (seat["kind"], seat["level"]) for seat in new["seats"]] == [
        ("bot", "hard"), None, ("bot", "easy"), None,
    ]  # fmt: skip
    assert not ben.table(new["id"])["hosting"]
    ada.sit(new["id"], 1)
    ben.sit(new["id"], 3)
    ada.start(new["id"])
    for person in (ada, ben):
        person.cut(new["id"])
    assert ben.table(new["id"])["phase"] == "playing"
    assert new["commit"] != before["commit"]


def test_a_second_call_answers_the_same_table(house: Served) -> None:
    old, (ada, *_) = ended(house)
    new = again(ada, old)
    ada.sit(new["id"], 0)
    ada.bot(new["id"], "easy")
    ada.call("DELETE", f"/tables/{new['id']}/bots/1")
    count = version(house, new["id"])
    assert again(ada, old)["id"] == new["id"]
    assert version(house, new["id"]) == count, "nothing has been done there"
    assert version(house, old) == version(house, old)


def test_nothing_of_it_is_in_the_log_of_the_table_before(house: Served) -> None:
    old, (ada, *_) = ended(house)
    count, record = version(house, old), ada.http.get(f"/replays/{old}.txt").content
    again(ada, old)
    assert version(house, old) == count
    assert ada.http.get(f"/replays/{old}.txt").content == record


def test_only_the_host_of_a_table_that_has_ended_may(house: Served) -> None:
    table, (ada, ben) = seated(house)
    assert refused(ada, table) == (409, "NOT_ENDED")
    ada.call("POST", f"/tables/{table}/close")
    assert refused(ben, table) == (403, "NOT_HOST")
    assert refused(house.person("Eve"), table) == (403, "NOT_HOST")
    assert refused(house.watcher(), table) == (401, "TOKEN")
    assert refused(ada, "0" * 24) == (404, "NO_SUCH_TABLE")
    assert ada.call("GET", f"/tables/{table}")["next"] is None
    again(ada, table)


def test_whoever_has_become_the_host_may(house: Served) -> None:
    """The one who opened the table has left it before its end."""
    table, (ada, ben, cleo) = seated(house, 3)
    ada.call("POST", f"/tables/{table}/leave")
    ben.call("POST", f"/tables/{table}/close")
    assert refused(ada, table) == (403, "NOT_HOST")
    assert refused(cleo, table) == (403, "NOT_HOST")
    new = again(ben, table)["id"]
    assert ben.table(new)["hosting"]
    assert not ada.table(new)["hosting"]


def test_everyone_at_the_table_hears_of_the_next(served: Served, other: Served) -> None:
    """Seats and watchers, at both processes, at once; and whoever asks or comes later."""
    old, crowd = ended(served)
    ada, ben = crowd
    there = ben.at(other.url)
    with ada.feed(old) as host, there.feed(old) as guest, other.watcher().feed(old) as watcher:
        feeds = [host, guest, watcher]
        for feed in feeds:
            assert feed.next()["next"] is None
        assert there.call("GET", f"/tables/{old}")["next"] is None
        known = there.http.get(f"/tables/{old}").headers["etag"]
        new = again(ada, old)["id"]
        for feed in feeds:
            frame = feed.until(lambda frame: frame["next"] is not None)
            assert (frame["next"], frame["lines"]) == (new, [])
    for person in (ada, there, other.watcher()):
        with person.feed(old) as feed:
            assert feed.next()["next"] == new
    answer = there.http.get(f"/tables/{old}", headers={"if-none-match": known})
    assert (answer.status_code, answer.json()["next"]) == (200, new)
    assert again(ada.at(other.url), old)["id"] == new
    there.sit(new, 1)
    assert [seat and seat["name"] for seat in there.table(new)["seats"]] == [None, "Ben"]


def test_a_watcher_who_sees_late_learns_of_the_end_from_the_table(served: Served) -> None:
    table, (ada, ben) = seated(served, watch_delay=60_000)
    watcher = served.watcher()
    ada.call("POST", f"/tables/{table}/close")
    new = again(ada, table)["id"]
    assert ben.call("GET", f"/tables/{table}")["next"] == new
    told = watcher.call("GET", f"/tables/{table}")
    assert (told["table"]["phase"] != "closed", told["next"]) == (True, None)
    with watcher.feed(table) as feed:
        assert feed.next()["next"] is None
    served.clock.ahead += 60_001
    told = watcher.call("GET", f"/tables/{table}")
    assert (told["table"]["phase"], told["next"]) == ("closed", new)


def test_a_try_that_was_cut_off_is_gone_on_with(served: Served) -> None:
    """It is opened and one bot sits, the other does not yet: nobody hears of it before it is whole."""
    ada = served.person("Ada")
    old = ada.open("michigan_rummy", 3)["id"]
    ada.sit(old, 0)
    for _ in range(2):
        ada.bot(old, "easy")
    ada.start(old)
    ada.cut(old)
    ada.call("POST", f"/tables/{old}/close")
    act, acted = served.services.tables.act, []

    async def break_off(table: str, *what: Any) -> Any:
        acted.append(table)
        if len(acted) == 2:
            raise ConnectionError
        return await act(table, *what)

    served.services.tables.act = break_off  # type: ignore[method-assign]
    assert ada.http.post(f"/tables/{old}/again").status_code == 500
    assert ada.call("GET", f"/tables/{old}")["next"] is None
    served.services.tables.act = act  # type: ignore[method-assign]
    new = again(ada, old)
    assert {new["id"]} == set(acted)
    assert [seat and seat["kind"] for seat in new["seats"]] == [None, "bot", "bot"]
    assert ada.call("GET", f"/tables/{old}")["next"] == new["id"]


def test_it_is_known_after_a_restart(settings: Settings) -> None:
    with Served(settings) as before:
        old, (ada, ben) = ended(before)
        new = again(ada, old)["id"]
    with Served(settings) as after:
        assert ben.at(after.url).call("GET", f"/tables/{old}")["next"] == new
        assert again(ada.at(after.url), old)["id"] == new


def test_options_that_are_none_any_more_are_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules may have changed since; then nothing has been done."""
    from api import again as room

    old, (ada, ben) = ended(served)

    def no(*_: object) -> None:
        raise Illegal("OPTIONS", "That can no longer be chosen.")

    with monkeypatch.context() as patched:
        patched.setattr(room, "check_options", no)
        assert refused(ada, old) == (400, "OPTIONS")
    assert ben.call("GET", f"/tables/{old}")["next"] is None
    again(ada, old)
