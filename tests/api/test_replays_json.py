"""A finished table on the web: page or record as the browser wants it, and every event with all hands open."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest

from api import frames
from api.replays import prefers_page
from domain import events
from domain.registry import GAMES, newest
from tests import golden
from tests.api.house import Clock, Person, Served, play_on, seated
from tests.house import AnyGame, House
from tests.walk import CARD

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
RECORDS = sorted(golden.FOLDER.rglob("*.events"))


def finished(house: Served, moves: int = 40) -> tuple[str, list[Person]]:
    """A table that its host ended early."""
    table, crowd = seated(house)
    play_on(table, crowd, moves)
    crowd[0].call("POST", f"/tables/{table}/close")
    return table, crowd


@pytest.mark.parametrize(
    ("accept", "page"),
    [
        (BROWSER, True), ("text/html", True), ("text/html, */*", True), ("TEXT/HTML;Q=0.5, text/*;q=0.1", True),
        (None, False), ("*/*", False), ("text/plain", False), ("application/json", False), ("", False),
        ("text/html;q=0", False), ("text/html;q=0.3, text/plain", False), ("text/html, text/plain", False),
        ("text/*", False), ("text/html;q=no, */*", False), (";;,,q", False),
    ],
)  # fmt: skip
def test_who_would_rather_have_a_page(accept: str | None, page: bool) -> None:
    assert prefers_page(accept) is page


def test_page_and_record_have_one_address(house: Served) -> None:
    table, crowd = finished(house)
    http = house.watcher().http
    page = http.get(f"/replays/{table}", headers={"accept": BROWSER})
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "script-src 'self'" in page.headers["content-security-policy"]
    plain = http.get(f"/replays/{table}")
    assert plain.headers["content-type"] == "text/plain; charset=utf-8"
    for answer in (page, plain):
        assert "accept" in answer.headers["vary"].replace(" ", "").split(",")
    always = http.get(f"/replays/{table}.txt", headers={"accept": BROWSER})
    assert (always.headers["content-type"], always.content) == (plain.headers["content-type"], plain.content)
    assert plain.text == crowd[0].call("GET", f"/replays/{table}")


def test_a_replay_tells_every_event_of_the_record(house: Served) -> None:
    table, _ = finished(house)
    http = house.watcher().http
    lines = http.get(f"/replays/{table}.txt").text.partition("\n\n")[0].split("\n")
    answer = http.get(f"/replays/{table}.json")
    assert answer.headers["content-type"] == "application/json"
    told = msgspec.json.decode(answer.content, type=frames.ReplayFrames)
    assert (told.first, told.replay.id, told.replay.events) == (1, table, len(lines))
    assert [event.n for event in told.events] == [*range(1, len(lines) + 1)]
    for event, line in zip(told.events, lines, strict=True):
        stored = msgspec.json.decode(line[65:])
        assert (event.type, event.at, event.seat) == (stored["type"], stored["at"], stored.get("seat"))
        assert event.words or event.lines
    assert told.events[-1].type == "revealed"
    assert any("Ada" in (event.words or event.lines[0].words) for event in told.events)


@pytest.mark.parametrize("ending", ["", ".txt", ".json"])
def test_nothing_is_told_of_a_table_that_goes_on(house: Served, ending: str) -> None:
    table, crowd = seated(house)
    play_on(table, crowd, 4)
    for person in (house.watcher(), *crowd):
        answer = person.http.get(f"/replays/{table}{ending}")
        assert (answer.status_code, answer.json()["code"]) == (404, "NO_SUCH_RECORD")
        assert not CARD.search(answer.text)


@pytest.mark.parametrize("ending", ["", ".txt", ".json"])
def test_watchers_wait_for_the_end_as_they_wait_for_every_move(served: Served, clock: Clock, ending: str) -> None:
    table, crowd = seated(served, watch_delay=60_000)
    play_on(table, crowd, 4)
    crowd[0].call("POST", f"/tables/{table}/close")
    http = served.watcher().http
    assert http.get(f"/replays/{table}{ending}").status_code == 404
    clock.ahead += 59_000
    assert http.get(f"/replays/{table}{ending}").status_code == 404
    clock.ahead += 2_000
    assert http.get(f"/replays/{table}{ending}").status_code == 200


@pytest.fixture
def clock(served: Served) -> Clock:
    """The clock of the house that a test has for itself."""
    return served.clock


@pytest.mark.parametrize("path", ["none.json", "aaaaaaaaaaaaaaaa.json", "TABLE.xml", "TABLE.", "TABLE.json.json"])
def test_there_is_no_replay_of_what_is_no_table(house: Served, path: str) -> None:
    table, _ = finished(house, 0)
    assert house.watcher().http.get(f"/replays/{path.replace('TABLE', table)}").status_code == 404


@pytest.mark.parametrize("sent", ["-1", "x", "1000001", "1.5", ""])
def test_where_to_begin_is_a_number(house: Served, sent: str) -> None:
    table, _ = finished(house, 0)
    answer = house.watcher().http.get(f"/replays/{table}.json", params={"from": sent})
    assert (answer.status_code, answer.json()["code"]) == (400, "BAD")


def test_a_replay_that_is_known_already_is_not_sent_again(house: Served) -> None:
    table, crowd = finished(house)
    http = house.watcher().http
    first = http.get(f"/replays/{table}.json")
    known = {"if-none-match": first.headers["etag"]}
    again = http.get(f"/replays/{table}.json", headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert http.get(f"/replays/{table}.json", headers={"if-none-match": '"other"'}).content == first.content
    crowd[0].call("POST", "/me", {"name": "Countess"})
    renamed = http.get(f"/replays/{table}.json", headers=known)
    assert renamed.status_code == 200
    assert "Countess" in renamed.text
    assert "Ada" not in renamed.text


def test_the_document_describes_replays(house: Served) -> None:
    paths = house.watcher().call("GET", "/schema")["paths"]
    found = paths["/replays/{table_id}.json"]["get"]["responses"]["200"]["content"]
    assert found == {"application/json": {"schema": {"$ref": "#/components/schemas/ReplayFrames"}}}
    assert "text/plain" in paths["/replays/{table_id}"]["get"]["responses"]["200"]["content"]


# -- what the frames hold --------------------------------------------------------------------------------------------


def merged(blocks: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The whole open table after each event, put together as a page does it."""
    tables = []
    for block in blocks:
        table: dict[str, Any] = {}
        for event in block:
            changed = event.get("table", {})
            view = changed.get("view", table.get("view"))
            if view is not None and table.get("view") is not None:
                view = table["view"] | view
            table = table | changed | {"view": view}
            tables.append(table)
    return tables


def made(steps: list[Any]) -> frames.Frames:
    text = b"".join(step.table.digest.hex().encode() + b" " + step.raw + b"\n" for step in steps)
    return frames.frames(text + b"\nnote\n", {})


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: str(path.relative_to(golden.FOLDER)))
def test_tables_put_together_are_those_of_the_game(path: Any) -> None:
    steps = list(golden.replay(path.read_bytes()))
    blocks = [msgspec.json.decode(block) for block in made(steps).blocks]
    assert all(len(block) <= frames.BLOCK for block in blocks)
    tables = merged(blocks)
    assert len(tables) == len(steps)
    for table, step in zip(tables, steps, strict=True):
        state, game = step.table.state, step.table.game
        assert table["phase"] == step.table.phase
        if state is None:
            assert (table["view"], table["hands"]) == (None, None)
        else:
            view = game.dated(game.view(state, None), table["due"], step.table.granted)
            assert table["view"] == msgspec.json.decode(msgspec.json.encode(view))
            assert table["view"]["hand"] is None
            assert table["hands"] == msgspec.json.decode(msgspec.json.encode(game.position(state).hands))


@pytest.mark.parametrize("game", [newest(name) for name in GAMES], ids=list(GAMES))
def test_marks_are_where_hands_are_dealt_and_end(game: AnyGame) -> None:
    for path in golden.files(game):
        steps = list(golden.replay(path.read_bytes()))
        told = made(steps)
        ends = [n for n, step in enumerate(steps, 1) if step.hand_ended]
        deals = [n for n, step in enumerate(steps, 1) if any(line.kind == "dealt" for line in step.lines)]
        assert [mark.n for mark in told.marks if mark.kind == "end"] == ends
        assert [mark.n for mark in told.marks if mark.kind == "deal"] == deals
        labels = [label for label in labels_of(told) if label.count(":") == 1 and label.startswith("deal:")]
        assert labels == [f"deal:{i}" for i in range(1, len(deals) + 1)]


def labels_of(told: frames.Frames) -> list[str]:
    events = [event for block in told.blocks for event in msgspec.json.decode(block)]
    return [label for event in events for label in event.get("labels", [])]


def test_a_block_is_found_by_any_event_in_it() -> None:
    path = max(RECORDS, key=lambda path: path.stat().st_size)
    told = made(list(golden.replay(path.read_bytes())))
    assert told.result.events > 2 * frames.BLOCK
    assert [told.block(n)[0] for n in (0, 1, frames.BLOCK, frames.BLOCK + 1)] == [1, 1, 1, frames.BLOCK + 1]
    last, rows = told.block(10**6)
    assert last + len(msgspec.json.decode(rows)) - 1 == told.result.events
    firsts = [msgspec.json.decode(block)[0] for block in told.blocks]
    assert all(first["table"].keys() == firsts[0]["table"].keys() for first in firsts)
    for one, other in pairwise(firsts):
        assert other["n"] == one["n"] + frames.BLOCK


def test_what_happens_to_the_table_is_told_in_words() -> None:
    game = newest("michigan_rummy")
    house = House(game, 3)
    house.start(people=(0, 1), cuts=(0,))
    names = {"person0": "Ada", "person1": "Ben"}
    text = b"".join(step.table.digest.hex().encode() + b" " + step.raw + b"\n" for step in ended(house).steps)
    told = [msgspec.json.decode(block) for block in frames.frames(text + b"\nnote\n", names).blocks]
    words = [event.get("words", "") for block in told for event in block]
    assert words[1:6] == [
        "Ada sat down and promised a cut.", "Ben sat down and lets the house cut.", "Easy bot sat down.",
        "The seats were closed. Cuts are promised by Ada.", "Ada cut the cards.",
    ]  # fmt: skip
    assert words[-2:] == ["The host ended the game early.", "The seed is out: anyone can check this game."]


def test_bots_of_a_level_have_their_numbers_from_the_beginning() -> None:
    house = House(newest("michigan_rummy"), 4)
    house.start(people=(0,))
    told = [msgspec.json.decode(block) for block in made(ended(house).steps).blocks]
    words = [event.get("words", "") for block in told for event in block]
    assert words[2:5] == [f"Easy bot {n} sat down." for n in (1, 2, 3)]


def ended(house: House) -> House:
    """The table, closed by its host."""
    house.do(events.Closed, how="host")
    house.reveal()
    return house
