"""Talking at tables: who may, what may be said, who hears it and when, and that it is kept nowhere."""

import logging
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from api import schemas
from api.cli_migrate import make_ready
from deploy.local import Nats
from replay.settings import Settings
from tests.api.house import Feed, Person, Refused, Served, play_on, seated, settings_for, version, wait

FIVE = range(5)  # things that may be said in ten seconds


@pytest.fixture
def other(settings: Settings, served: Served) -> Iterator[Served]:
    """A second API process of the house that `served` is one of."""
    with Served(settings, served.clock) as process:
        yield process


def say(person: Person, table: str, text: str | None = None, **more: Any) -> dict[str, Any]:
    body = more if text is None else {"text": text} | more
    frame: dict[str, Any] = person.call("POST", f"/tables/{table}/says", body)
    return frame


def refused(do: Callable[[], Any]) -> tuple[int, str]:
    with pytest.raises(Refused) as no:
        do()
    return no.value.status, no.value.code


def hears(feed: Feed) -> dict[str, Any]:
    """The next thing said."""
    while True:
        frame = feed.next()
        if frame["type"] == "says":
            return frame


def let_watchers(host: Person, table: str, allowed: bool = True) -> dict[str, Any]:
    told: dict[str, Any] = host.call("POST", f"/tables/{table}/says/watchers", {"allowed": allowed})
    return told


# -- who hears it -----------------------------------------------------------------------------------------------------


def test_everybody_at_the_table_hears_it(served: Served, other: Served) -> None:
    """At all processes, the speaker too; in the same words and once."""
    table, (ada, ben) = seated(served)
    elsewhere, crowd = seated(served)
    feeds = [ada.feed(table), ben.at(other.url).feed(table), other.watcher().feed(table)]
    with served.watcher().feed(elsewhere) as apart:
        for feed in (*feeds, apart):
            feed.next()
        told = say(ben, table, "  Well   done, Ada! \u2728 ")
        emote = say(ben.at(other.url), table, emote="nice")
        assert told.keys() == {"type", "id", "from", "who", "name", "text", "at"}
        assert emote.keys() == {"type", "id", "from", "who", "name", "emote", "at"}
        assert (told["type"], told["from"], told["name"]) == ("says", 1, "Ben")
        assert told["text"] == "Well   done, Ada! \u2728"
        assert emote["emote"] == "nice"
        assert emote["who"] == told["who"]
        assert emote["id"] != told["id"]
        for feed in feeds:
            assert [feed.next(), feed.next()] == [told, emote]
            assert {len(raw.encode()) % 256 for raw in feed.frames} == {0}
            msgspec.json.decode(feed.frames[-1], type=schemas.SaysFrame)
            feed.__exit__()
        own = say(crowd[0], elsewhere, "Here")
        assert apart.next() == own


def test_newcomers_hear_the_last_thirty_after_the_table(served: Served, other: Served) -> None:
    table, (ada, ben) = seated(served)
    said = []
    for number in range(32):
        said.append(say((ada, ben)[number % 2], table, f"number {number}"))
        served.clock.ahead += 2_000
    for process in (served, other):
        with ada.at(process.url).feed(table) as feed, process.watcher().feed(table) as watcher:
            for one in (feed, watcher):
                assert one.next()["type"] == "state"
                assert [one.next() for _ in range(30)] == said[2:]
    with ada.feed(table) as feed:
        for _ in range(31):
            feed.next()
        play_on(table, [ada, ben], 1)
        assert feed.next()["type"] == "state", "nothing comes twice on a socket"


def test_what_is_said_moves_no_feed_number(house: Served) -> None:
    table, (ada, ben) = seated(house)
    before = [person.http.get(f"/tables/{table}").content for person in (ada, ben)]
    tags = ada.http.get(f"/tables/{table}").headers["etag"]
    say(ada, table, "hello")
    assert [person.http.get(f"/tables/{table}").content for person in (ada, ben)] == before
    assert ada.http.get(f"/tables/{table}").headers["etag"] == tags


# -- who may say it ---------------------------------------------------------------------------------------------------


def test_a_seat_may_talk_whatever_has_become_of_it(house: Served) -> None:
    ada = house.person("Ada")
    table = ada.open("michigan_rummy", 2)["id"]
    assert say(ada, table, "The host, before sitting down")["from"] is None
    ada.sit(table, 0)
    assert say(ada, table, "Sitting")["from"] == 0
    ada.bot(table, "easy")
    ada.start(table)
    ada.cut(table)
    ada.call("POST", f"/tables/{table}/leave")
    assert say(ada, table, "Away")["from"] == 0
    ada.call("POST", f"/tables/{table}/return")
    ada.call("POST", f"/tables/{table}/close")
    assert say(ada, table, "The end")["from"] == 0


def test_watchers_may_if_the_host_lets_them(served: Served, other: Served) -> None:
    table, (ada, ben) = seated(served)
    eve = other.person("Eve")
    with eve.feed(table) as feed:
        assert feed.next()["watchers_say"] is False
        assert refused(lambda: say(eve, table, "May I?")) == (403, "WATCHERS_QUIET")
        assert refused(lambda: let_watchers(ben, table)) == (403, "NOT_HOST")
        assert refused(lambda: let_watchers(eve, table)) == (403, "NOT_HOST")
        told = let_watchers(ada, table)
        assert told["watchers_say"] is True
        assert told["table"]["id"] == table
        assert feed.next()["watchers_say"] is True
        assert say(eve, table, "Thank you")["from"] is None
        heard = hears(feed)
        assert (heard["from"], heard["name"], heard["text"]) == (None, "Eve", "Thank you")
        let_watchers(ada, table, False)
        assert feed.until(lambda frame: frame["watchers_say"] is False)["lines"] == []
        assert refused(lambda: say(eve, table, "And now?")) == (403, "WATCHERS_QUIET")
    assert refused(lambda: say(served.watcher(), table, "No token")) == (401, "TOKEN")
    assert refused(lambda: say(ada, "0" * 24, "Nowhere")) == (404, "NO_SUCH_TABLE")


def test_that_watchers_may_is_known_after_a_restart(settings: Settings) -> None:
    with Served(settings) as before:
        table, (ada, _) = seated(before)
        let_watchers(ada, table)
    with Served(settings) as after:
        assert after.watcher().call("GET", f"/tables/{table}")["watchers_say"] is True
        say(after.person("Eve"), table, "Hello")


def test_a_watcher_is_called_the_same_at_one_table_and_otherwise_at_another(house: Served) -> None:
    eve = house.person("Eve")
    tables = [seated(house) for _ in range(2)]
    for table, crowd in tables:
        let_watchers(crowd[0], table)
    whos = [[say(eve, table, "Hello")["who"] for _ in range(2)] for table, _ in tables]
    assert whos[0][0] == whos[0][1]
    assert whos[1][0] == whos[1][1]
    assert whos[0][0] != whos[1][0]
    person = eve.call("GET", "/me")["person"]
    assert person not in (whos[0][0], whos[1][0])


# -- what may be said -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["x", "x" * 140, " " * 40 + "x" * 140 + " ", "<b>not bold</b> & \"quoted\" \\", "Zoë 山田 नमस्ते سلام", "?!",
             "\U0001f469\u200d\U0001f4bb", "\u2764\ufe0f"]
)  # fmt: skip
def test_a_line_that_can_be_read_is_passed_on_as_it_is(house: Served, text: str) -> None:
    table, (ada, ben) = seated(house)
    with ben.feed(table) as feed:
        assert say(ada, table, text)["text"] == text.strip(" ")
        assert hears(feed)["text"] == text.strip(" ")


@pytest.mark.parametrize(
    "text", ["", "   ", "x" * 141, "two\nlines", "tab\tbed", "\x00", "bell\a", "\u202eright to left", "\u200b",
             "\u2800", "\ufffc", "\u3164", "\u00ad", "\u2028", "\ufeff", "\ue000", "\u0301", "Z" + "\u0301" * 9,
             "\u200d"]
)  # fmt: skip
def test_what_cannot_be_read_is_refused(house: Served, text: str) -> None:
    table, (ada, _) = seated(house)
    assert refused(lambda: say(ada, table, text)) == (400, "BAD_TEXT")


@pytest.mark.parametrize(
    "body", [{}, {"text": "both", "emote": "nice"}, {"emote": "rude"}, {"emote": ""}, {"text": 7}, {"text": ["x"]},
             {"text": "x", "from": 1}, {"text": "x", "name": "Ben"}, {"text": "x" * 1001}]
)  # fmt: skip
def test_a_malformed_saying_is_refused(house: Served, body: dict[str, Any]) -> None:
    table, (ada, _) = seated(house)
    assert refused(lambda: say(ada, table, **body)) == (400, "BAD")


@pytest.mark.parametrize("emote", ["hello", "thanks", "nice", "wow", "oops", "laugh"])
def test_there_are_six_emotes(house: Served, emote: str) -> None:
    table, (ada, ben) = seated(house)
    with ben.feed(table) as feed:
        say(ada, table, emote=emote)
        assert hears(feed)["emote"] == emote


# -- how often --------------------------------------------------------------------------------------------------------


def test_five_things_in_ten_seconds_and_no_more(served: Served) -> None:
    table, (ada, ben) = seated(served)
    for number in FIVE:
        say(ada, table, f"number {number}")
    answer = ada.http.post(f"/tables/{table}/says", json={"text": "one more"})
    assert (answer.status_code, answer.json()["code"]) == (429, "TOO_FAST")
    assert 1 <= int(answer.headers["retry-after"]) <= 10
    say(ben, table, "Others may.")
    mine = ada.open("michigan_rummy", 2)["id"]
    assert refused(lambda: say(ada, mine, "Nor elsewhere")) == (429, "TOO_FAST")
    served.clock.ahead += 10_000
    for number in FIVE:
        say(ada, table, f"number {number} again")
    assert refused(lambda: say(ada, table, "one more")) == (429, "TOO_FAST")


def test_another_process_counts_as_well(served: Served, other: Served) -> None:
    table, (ada, ben) = seated(served)
    with ben.at(other.url).feed(table) as feed:
        for number in FIVE:
            say(ada, table, f"number {number}")
        for _ in FIVE:
            hears(feed)
        assert refused(lambda: say(ada.at(other.url), table, "one more")) == (429, "TOO_FAST")


def test_what_is_refused_is_not_counted(served: Served) -> None:
    table, (ada, _) = seated(served)
    for _ in range(9):
        assert refused(lambda: say(ada, table, "two\nlines")) == (400, "BAD_TEXT")
    say(ada, table, "one line")


# -- late watchers ----------------------------------------------------------------------------------------------------


def test_watchers_who_see_late_hear_seats_late(served: Served) -> None:
    """What a seat says may tell of what they are not shown yet; what they say themselves does not."""
    table, (ada, ben) = seated(served, watch_delay=60_000)
    served.clock.ahead += 60_000
    let_watchers(ada, table)
    eve = served.person("Eve")
    with served.watcher().feed(table) as watcher, ben.feed(table) as seat:
        told = say(ada, table, "What luck")
        assert hears(seat) == told
        mine = say(eve, table, "So late")
        assert hears(seat) == mine
        assert hears(watcher) == mine
    served.clock.ahead += 40_000
    with served.watcher().feed(table) as watcher:
        assert hears(watcher) == mine
        later = say(eve, table, "Later")
        assert hears(watcher) == later, "the other one's time has not come"
    served.clock.ahead += 19_000
    with served.watcher().feed(table) as watcher:
        heard = []
        while told not in heard:  # nothing else wakes the feed
            heard.append(hears(watcher))
        assert [one["id"] for one in heard if one != told] == [mine["id"], later["id"]]


def test_before_the_start_and_after_the_end_watchers_hear_at_once(served: Served) -> None:
    ada, ben = served.person("Ada"), served.person("Ben")
    table = ada.call("POST", "/tables", {"game": "michigan_rummy", "seats": 2, "watch_delay": 60_000})["table"]["id"]
    for seat, person in enumerate((ada, ben)):
        person.sit(table, seat)
    with served.watcher().feed(table) as watcher:
        assert hears_after(watcher, lambda: say(ada, table, "Soon"))
        ada.start(table)
        for person in (ada, ben):
            person.cut(table)
        ada.call("POST", f"/tables/{table}/close")
        served.clock.ahead += 60_001
        assert hears_after(watcher, lambda: say(ada, table, "That was it"))


def hears_after(feed: Feed, do: Callable[[], dict[str, Any]]) -> bool:
    return do() == hears(feed)


# -- where it is kept, and when the bus is away -----------------------------------------------------------------------


def test_nothing_said_is_stored_or_logged(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    table, (ada, ben) = seated(served)
    count, word = version(served, table), secrets.token_hex(12)
    let_watchers(ada, table)
    with ben.feed(table) as feed:
        say(ada, table, f"the word is {word}")
        assert word in hears(feed)["text"]
    assert refused(lambda: say(ada, table, f"{word}\n{word}")) == (400, "BAD_TEXT")
    play_on(table, [ada, ben], 2)
    assert version(served, table) == count + 2
    ada.call("POST", f"/tables/{table}/close")
    assert word not in ada.http.get(f"/replays/{table}.txt").text
    assert word not in ada.http.get(f"/tables/{table}/lines").text
    assert word not in caplog.text
    said = served.services.hub.talk.of(table)
    assert word not in repr(said)
    with psycopg.connect(served.settings.database_url) as connection:
        tables = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables"
            " WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        for schema, name in tables:
            rows = connection.execute(f'SELECT t::text FROM "{schema}"."{name}" t').fetchall()  # type: ignore[arg-type]
            assert not [row for row in rows if word in row[0] or word.encode().hex() in row[0]], name


def test_while_the_bus_is_away_the_speaker_is_told(database: str, own_nats: Nats, tmp_path: Path) -> None:
    settings = settings_for(database, own_nats.credentials("server"), tmp_path / "keys")
    make_ready(settings)
    with Served(settings) as served:
        table, (ada, ben) = seated(served)
        wait(lambda: served.services.link.up)
        say(ada, table, "Before")
        own_nats.kill()
        answer = ada.http.post(f"/tables/{table}/says", json={"text": "Meanwhile"})
        assert (answer.status_code, answer.json()["code"]) == (503, "BUS_AWAY")
        assert "retry-after" in answer.headers
        play_on(table, [ada, ben], 2)
        assert let_watchers(ada, table)["watchers_say"] is True, "what is not talk goes on"
        own_nats.start()
        wait(lambda: served.services.link.up)
        told = wait(lambda: attempt(lambda: say(ben, table, "After")))
        with ada.feed(table) as feed:
            heard = [hears(feed)["text"]]
            while heard[-1] != told["text"]:
                heard.append(hears(feed)["text"])
        assert heard[0] == "Before"


def attempt(do: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
    try:
        return do()
    except Refused:
        return None


def test_what_changes_while_the_bus_is_away_is_found_out(database: str, own_nats: Nats, tmp_path: Path) -> None:
    """By the other process and its feeds, though nobody can tell it."""
    settings = settings_for(database, own_nats.credentials("server"), tmp_path / "keys")
    make_ready(settings)
    with Served(settings) as served, Served(settings, served.clock) as other:
        table, (ada, _) = seated(served)
        for process in (served, other):
            wait(lambda process=process: process.services.link.up)  # type: ignore[misc]
        with other.watcher().feed(table) as feed:
            assert feed.next()["watchers_say"] is False
            own_nats.kill()
            wait(lambda: not other.services.link.up)
            let_watchers(ada, table)
            assert feed.until(lambda frame: frame["watchers_say"])["lines"] == []
