"""Live feeds: who may open one, what it says, and what it does not say."""

import asyncio
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from api import feed as feeds
from api.live import NO_TALK, NO_TICKET
from api.services import Services
from domain import registry
from replay.notes import verify
from replay.settings import Settings
from tests.api.house import Feed, Person, Served, play_on, seated, turn, wait
from tests.toys import Whispers


def close_code(feed: Feed) -> int:
    with suppress(ConnectionClosed):
        while True:
            feed.next()
    code = feed.socket.close_code
    assert code is not None
    return code


# -- opening one ------------------------------------------------------------------------------------------------------


def test_a_ticket_serves_once_on_its_own_table_and_not_for_long(served: Served) -> None:
    table, crowd = seated(served)
    other, _ = seated(served)
    ada = crowd[0]

    def ticket() -> str:
        told = ada.call("POST", f"/tables/{table}/tickets")
        assert told["expires_in"] == 30
        return str(told["ticket"])

    used = ticket()
    with Feed(ada.feed_url(table, used)) as feed:
        assert feed.next()["table"]["you"] == 0
        with Feed(ada.feed_url(table, used)) as again:
            assert close_code(again) == NO_TICKET
    with Feed(ada.feed_url(other, ticket())) as elsewhere:
        assert close_code(elsewhere) == NO_TICKET
    late = ticket()
    served.clock.ahead += 30_001
    with Feed(ada.feed_url(table, late)) as feed:
        assert close_code(feed) == NO_TICKET


@pytest.mark.parametrize("ticket", ["", "x", "0" * 43])
def test_without_a_ticket_there_is_no_feed(house: Served, ticket: str) -> None:
    table, crowd = seated(house)
    token = crowd[0].http.headers["authorization"].partition(" ")[2]
    for sent in (ticket, token):  # a token in the URL is none
        with Feed(crowd[0].feed_url(table, sent)) as feed:
            assert close_code(feed) == NO_TICKET


def test_a_page_from_elsewhere_opens_no_feed(house: Served) -> None:
    table, crowd = seated(house)
    for origin in ("https://elsewhere.example", "null", f"http://127.0.0.1:{house.port + 1}", "http://127.0.0.1"):
        ticket = crowd[0].call("POST", f"/tables/{table}/tickets")["ticket"]
        with pytest.raises(InvalidStatus) as refused:
            Feed(crowd[0].feed_url(table, ticket), origin=origin)
        assert refused.value.response.status_code == 403
        with Feed(crowd[0].feed_url(table, ticket), origin=house.url) as feed:  # the ticket is not used up
            assert feed.next()["type"] == "state"


def test_whoever_talks_on_a_feed_loses_it(house: Served) -> None:
    table, crowd = seated(house)
    with crowd[0].feed(table) as feed:
        feed.next()
        feed.socket.send('{"type": "draw"}')
        assert close_code(feed) == NO_TALK


def test_a_token_or_ticket_is_kept_only_as_a_digest(house: Served) -> None:
    person = house.person("Grace")
    table = person.open("michigan_rummy", 2)["id"]
    ticket = person.call("POST", f"/tables/{table}/tickets")["ticket"]
    token = person.http.headers["authorization"].partition(" ")[2]

    async def dump(services: Services) -> str:
        names = await services.pool.rows(
            "SELECT table_schema, table_name FROM information_schema.tables"
            " WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
        )
        found = ""
        for schema, name in names:
            rows = await services.pool.rows(f'SELECT t::text FROM "{schema}"."{name}" t')
            found += "".join(row[0] for row in rows)
        return found

    everything = house.do(dump)
    assert "Grace" in everything
    for secret in (ticket, token, token.split("_", 2)[2]):
        assert secret not in everything
        assert secret.encode().hex() not in everything


# -- what it says -----------------------------------------------------------------------------------------------------


def test_frames_are_padded_and_not_compressed(house: Served) -> None:
    table, crowd = seated(house)
    with crowd[0].feed(table) as feed, house.watcher().feed(table) as watcher:
        play_on(table, crowd, 6)
        seen = crowd[0].table(table)["seen"]
        for one in (feed, watcher):
            assert one.socket.protocol.extensions == []
            one.until(lambda frame: frame["seen"] == seen)
            assert {len(raw.encode()) % 256 for raw in one.frames} == {0}


def test_a_feed_goes_on_where_it_was_broken_off(house: Served) -> None:
    """All lines that were missed come, and none twice."""
    table, crowd = seated(house)
    ada = crowd[0]
    with ada.feed(table, seen=0) as feed:
        first = feed.next()
        lines = first["lines"]
    play_on(table, crowd, 9)
    with ada.feed(table, seen=first["seen"]) as feed:
        after = feed.next()
        lines += after["lines"]
        play_on(table, crowd, 4)
        while after["seen"] < ada.table(table)["seen"]:
            after = feed.next()
            lines += after["lines"]
    assert lines == ada.call("GET", f"/tables/{table}/lines")["lines"]
    since = first["seen"]
    later = ada.call("GET", f"/tables/{table}/lines?since={since}")["lines"]
    assert later == [line for line in lines if line["seen"] > since]
    with ada.feed(table, seen=after["seen"]) as feed:
        assert feed.next()["lines"] == []


def test_a_line_of_ones_own_reaches_nobody_else(house: Served) -> None:
    table, crowd = seated(house)
    play_on(table, crowd, 12)
    everyone = [*crowd, house.watcher()]
    drew = [
        [line["seat"] for line in person.call("GET", f"/tables/{table}/lines")["lines"] if line["kind"] == "drew"]
        for person in everyone
    ]
    assert [set(seats) for seats in drew] == [{0}, {1}, set()]


def test_a_watcher_sees_no_hand(house: Served) -> None:
    table, crowd = seated(house)
    with house.watcher().feed(table) as feed:
        frame = feed.next()
        assert (frame["table"]["you"], frame["table"]["view"]["hand"]) == (None, None)
        assert all(asked["key"] is None for asked in frame["table"]["deciding"])
        for person in crowd:
            hand = person.table(table)["view"]["hand"]
            assert len(hand) >= 13
            assert not any(f'"{card}"' in feed.frames[-1] for card in hand)


def test_a_checkpoint_is_signed_as_a_hand_ends(house: Served) -> None:
    table, crowd = seated(house)
    assert crowd[0].table(table)["checkpoint"] is None
    while (state := crowd[0].table(table))["view"]["phase"] != "scored":
        assert state["checkpoint"] is None
        seat, key = turn(table, crowd)
        suggest = crowd[seat].helps(table)["suggest"]
        crowd[seat].move(table, key, suggest["move"] if suggest else crowd[seat].legal(table)[0])
    shown = {person.table(table)["checkpoint"] for person in [*crowd, house.watcher()]}
    note = verify(shown.pop().encode(), crowd[0].keys, "checkpoint")
    digest = house.do(lambda services: services.tables.get(table)).table.digest
    assert not shown
    assert (note.id, note.digest) == (table, digest)


def test_a_beat_comes_when_nothing_happens(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "BEAT_S", 0.05)
    with Served(settings) as served:
        table, crowd = seated(served)
        with crowd[0].feed(table) as feed:
            assert feed.next()["type"] == "state"
            assert feed.next() == {"type": "beat", "quiet": []}
            assert len(feed.frames[-1]) == 256
            served.clock.ahead += 61_000  # Ben has not been seen since
            while not (frame := feed.next())["quiet"]:
                assert frame["type"] == "beat"
            assert frame["quiet"] == [1]


# -- what it does not say ---------------------------------------------------------------------------------------------


@pytest.fixture
def whispers(monkeypatch: pytest.MonkeyPatch) -> str:
    """A toy game whose seats answer in secret."""
    game = Whispers()
    monkeypatch.setitem(registry.GAMES, game.name, {game.rules: game})
    return game.name


def test_a_secret_answer_shows_nowhere_else(served: Served, whispers: str) -> None:
    """No frame, no other feed number, ETag, line, question or place in the lobby for anyone but its maker."""
    table, crowd = seated(served, 3, game=whispers)
    others: list[Person] = [crowd[0], crowd[2], served.watcher()]

    def all_they_get() -> list[Any]:
        paths = ["/tables", *(f"/tables/{table}{part}" for part in ("", "/view", "/lines", "/opening"))]
        found: list[Any] = [person.http.get(path) for person in others for path in paths]
        found += [person.http.get(f"/tables/{table}/{path}") for person in others[:2] for path in ("legal", "helps")]
        return [
            (answer.status_code, answer.content, {k: v for k, v in answer.headers.items() if k != "date"})
            for answer in found
        ]

    live = [person.feed(table) for person in others]
    for feed in live:
        feed.next()
    before = all_they_get()
    picks = [crowd[1].owes(crowd[1].table(table))]
    for card in crowd[1].table(table)["view"]["hand"][:2]:
        assert picks[-1] is not None
        done = crowd[1].move(table, picks[-1]["key"], {"type": "pick", "card": card})
        picks.append(crowd[1].owes(done["table"]))
    assert all_they_get() == before

    assert picks[0] is not None
    stale = [p.http.post(f"/tables/{table}/moves", json={"key": "nothing", "move": {"type": "pick", "card": "AS1"}},
                         headers={"idempotency-key": "stale-command"}) for p in others[:2]]  # fmt: skip
    assert [answer.json()["code"] for answer in stale] == ["STALE", "STALE"]

    cheered = crowd[1].move(table, None, {"type": "cheer"})
    assert cheered["seen"] > 0
    for feed in live:  # the next thing they hear is what all may hear
        frame = feed.next()
        assert [line["kind"] for line in frame["lines"]] == ["cheer"]
        feed.__exit__()


def test_of_two_worlds_that_differ_in_a_secret_a_viewer_gets_the_same(served: Served, whispers: str) -> None:
    """With and without a secret event before it, a receipt's form and the feed number are the same."""
    told = []
    for secret in (True, False):
        table, crowd = seated(served, 2, game=whispers)
        if secret:
            question = crowd[1].owes(crowd[1].table(table))
            assert question
            crowd[1].move(table, question["key"], {"type": "pick", "card": crowd[1].table(table)["view"]["hand"][0]})
        done = crowd[0].move(table, None, {"type": "cheer"}, "the-same-command")
        told.append((done["seen"], len(msgspec.json.encode(done["receipt"])), [line["seen"] for line in done["lines"]],
                     [asked["key"] for asked in done["table"]["deciding"]]))  # fmt: skip
    assert told[0] == told[1]


# -- slow readers -----------------------------------------------------------------------------------------------------


def test_a_slow_reader_skips_states_but_no_lines(house: Served) -> None:
    table, crowd = seated(house)
    gate, frames, beginning = asyncio.Event(), list[dict[str, Any]](), list[asyncio.Task[None]]()

    async def send(frame: str) -> None:
        await gate.wait()
        frames.append(msgspec.json.decode(frame))

    async def begin(services: Services) -> feeds.Feed:
        live = await services.tables.get(table)
        feed = feeds.Feed(services.hub, live, None, send)
        services.hub.add(feed)
        beginning.append(asyncio.create_task(feed.begin(0)))
        return feed

    async def open_gate(services: Services) -> None:
        gate.set()

    feed = house.do(begin)
    play_on(table, crowd, 12)
    house.do(open_gate)
    last = house.watcher().table(table)["seen"]
    wait(lambda: frames and frames[-1]["seen"] == last)
    assert len(frames) == 2
    lines = [line for frame in frames for line in frame["lines"]]
    assert lines == house.watcher().call("GET", f"/tables/{table}/lines")["lines"]

    async def end(services: Services) -> None:
        services.hub.remove(feed)

    house.do(end)
