"""Whatever is wrong with a request: a clear answer with a code, nothing from inside, nothing appended."""

import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.api.house import Person, Served, seated, turn, version

KEY = {"idempotency-key": "a-command-of-mine"}


@pytest.fixture(scope="module")
def table(house: Served) -> tuple[str, list[Person]]:
    """A game that has begun, and its two people."""
    return seated(house)


Bad = Callable[[Person, str, str], httpx.Response]  # the person to move, the table, the decision's key

DRAW = {"type": "draw"}


def moves(body: Any, **more: Any) -> Bad:
    """A POST to the table's moves with a JSON body; `decision` in it stands for the right key."""

    def send(person: Person, table: str, key: str) -> httpx.Response:
        filled = {k: key if v == "decision" else v for k, v in body.items()} if isinstance(body, dict) else body
        headers = KEY | more.get("headers", {})
        return person.http.post(f"/tables/{table}/moves", json=filled, headers=headers)

    return send


def raw(content: bytes, kind: str = "application/json") -> Bad:
    """A POST to the table's moves with these bytes."""

    def send(person: Person, table: str, key: str) -> httpx.Response:
        return person.http.post(f"/tables/{table}/moves", content=content, headers=KEY | {"content-type": kind})

    return send


def post(path: str, body: Any) -> Bad:
    return lambda person, table, key: person.http.post(f"/tables/{table}/{path}", json=body)


def get(path: str) -> Bad:
    return lambda person, table, key: person.http.get(path.replace("TABLE", table))


CASES: dict[str, tuple[Bad, int, str]] = {
    "garbage for a token": (moves({"move": DRAW}, headers={"authorization": "Bearer x"}), 401, "TOKEN"),
    "a token that is nobody's": (
        moves({"move": DRAW}, headers={"authorization": f"Bearer fc_{'0' * 16}_{'A' * 43}"}), 401, "TOKEN"),
    "another scheme": (moves({"move": DRAW}, headers={"authorization": "Basic QQ=="}), 401, "TOKEN"),
    "a stale key": (moves({"key": "d0m0", "move": DRAW}), 409, "STALE"),
    "no key": (moves({"move": DRAW}), 400, "BAD"),
    "a key that is a number": (moves({"key": 7, "move": DRAW}), 400, "BAD"),
    "a key far too long": (moves({"key": "x" * 300, "move": DRAW}), 400, "BAD"),
    "no command id": (moves({"key": "decision", "move": DRAW}, headers={"idempotency-key": ""}), 400, "BAD_KEY"),
    "a short command id": (moves({"key": "decision", "move": DRAW}, headers={"idempotency-key": "1234567"}), 400,
                           "BAD_KEY"),
    "a command id with a dot": (moves({"key": "decision", "move": DRAW}, headers={"idempotency-key": "1234.5678"}), 400,
                                "BAD_KEY"),
    "an unknown move": (moves({"key": "decision", "move": {"type": "peek"}}), 400, "BAD"),
    "a move with an unknown field": (moves({"key": "decision", "move": DRAW | {"card": "AH1"}}), 400, "BAD"),
    "a move without a type": (moves({"key": "decision", "move": {}}), 400, "BAD"),
    "a move that is a list": (moves({"key": "decision", "move": [DRAW]}), 400, "BAD"),
    "a body with an unknown field": (moves({"key": "decision", "move": DRAW, "seat": 1}), 400, "BAD"),
    "a body that is a list": (moves([1, 2]), 400, "BAD"),
    "a body of nothing": (raw(b""), 400, "BAD_JSON"),
    "bad JSON": (raw(b'{"key": "a", "move": {'), 400, "BAD_JSON"),
    "two bodies": (raw(b'{"move": {"type": "draw"}} {}'), 400, "BAD_JSON"),
    "bytes that are no text": (raw(b'{"key": "\xff\xfe"}'), 400, "BAD_JSON"),
    "a body that is deep": (raw(b'{"move": {"type": ' + b"[" * 30_000 + b"]" * 30_000 + b"}}"), 400, "BAD_JSON"),
    "a number that JSON readers disagree on": (
        moves({"key": "decision", "move": {"type": "take", "at": 2**53}}), 400, "BAD"),
    "a number that is none": (raw(b'{"key": "a", "move": {"type": "take", "at": 1.5}}'), 400, "BAD"),
    "text that no event may hold": (
        moves({"key": "decision", "move": {"type": "discard", "card": 'Q"1'}}), 400, "BAD"),
    "a form": (raw(b"key=1&move=draw", "application/x-www-form-urlencoded"), 415, "MEDIA_TYPE"),
    "no kind of content": (raw(b"{}", ""), 415, "MEDIA_TYPE"),
    "a megabyte": (raw(b'{"key": "' + b"a" * 1_000_000 + b'"}'), 413, "TOO_LARGE"),
    "a bot after the start": (post("bots", {"level": "easy"}), 409, "PHASE"),
    "a bot of no level": (post("bots", {"level": "expert"}), 400, "BAD"),
    "a seat after the start": (post("seats/0", {"promise": None}), 409, "PHASE"),
    "a seat that is none": (post("seats/none", {"promise": None}), 404, "NO_SUCH_SEAT"),
    "a promise of upper-case hex": (post("seats/0", {"promise": "AB" * 32}), 400, "BAD"),
    "a promise that is short": (post("seats/0", {"promise": "ab"}), 400, "BAD"),
    "a start after the start": (post("start", {}), 409, "PHASE"),
    "a cut that nobody asks for": (post("cut", {"cut": "00" * 32}), 409, "PHASE"),
    "a cover of nobody": (post("cover", {"seat": 9, "level": "easy"}), 404, "NO_SUCH_SEAT"),
    "a hurry in the middle": (post("hurry", {}), 403, "NOT_HOST"),
    "a return of who was never away": (post("return", {}), 409, "NOT_AWAY"),
    "something that is no note": (post("receipt", {"note": "faircut/1 receipt\n"}), 400, "BAD_NOTE"),
    "a method that is none": (lambda p, t, k: p.http.put(f"/tables/{t}/moves", json={}), 405, "METHOD"),
    "a path that is none": (get("/tables/TABLE/stock"), 404, "NOT_FOUND"),
    "a table that is none": (get("/tables/0123456789abcdefghij"), 404, "NO_SUCH_TABLE"),
    "a table id that is none": (get("/tables/..%2f..%2fetc"), 404, "NOT_FOUND"),
    "a game that is none": (get("/games/poker"), 404, "NO_SUCH_GAME"),
    "lines since what is no number": (get("/tables/TABLE/lines?since=-1"), 400, "BAD"),
    "a record that is not there yet": (get("/replays/TABLE"), 404, "NO_SUCH_RECORD"),
    "a page of the lobby that is none": (get("/tables?before=x"), 400, "BAD"),
    "a phase that is none": (get("/tables?phase=over"), 400, "BAD"),
}  # fmt: skip

@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_is_said_and_nothing_is_appended(
    name: str, house: Served, table: tuple[str, list[Person]]
) -> None:
    send, status, code = CASES[name]
    table_id, crowd = table
    seat, key = turn(table_id, crowd)
    by_host = any(word in name for word in ("cover", "bot", "start", "hurry"))
    before = version(house, table_id)

    answer = send(crowd[0 if by_host else seat], table_id, key)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told.keys() == {"type", "title", "status", "detail", "code"}
    assert told["status"] == answer.status_code
    assert told["detail"]
    assert "Traceback" not in answer.text
    assert ".py" not in answer.text
    assert version(house, table_id) == before


@pytest.mark.parametrize(
    ("path", "body"),
    [("moves", {"move": DRAW}), ("start", None), ("bots", {"level": "easy"}), ("close", None), ("leave", None),
     ("cut", {"cut": "00" * 32}), ("agree", None), ("hurry", None), ("return", None), ("seats/1", {"promise": None}),
     ("cover", {"seat": 1, "level": "easy"}), ("receipt", {"note": "x"})],
)  # fmt: skip
def test_without_a_token_nothing_is_done(
    path: str, body: Any, house: Served, table: tuple[str, list[Person]]
) -> None:
    before = version(house, table[0])
    answer = house.watcher().http.post(f"/tables/{table[0]}/{path}", json=body, headers=KEY)
    assert (answer.status_code, answer.json()["code"]) == (401, "TOKEN")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert version(house, table[0]) == before


def test_a_move_at_anothers_turn_or_from_no_seat_is_refused(
    house: Served, table: tuple[str, list[Person]]
) -> None:
    table_id, crowd = table
    seat, key = turn(table_id, crowd)
    before = version(house, table_id)
    stranger = house.person("Eve")
    for person, status, code in ((crowd[1 - seat], 409, "STALE"), (stranger, 403, "NOT_SEATED")):
        answer = moves({"key": "decision", "move": DRAW})(person, table_id, key)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    for path in ("helps", "legal"):
        answer = stranger.http.get(f"/tables/{table_id}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (403, "NOT_SEATED")
    assert version(house, table_id) == before


def test_only_the_host_opens_closes_and_covers(house: Served, table: tuple[str, list[Person]]) -> None:
    table_id, crowd = table
    before = version(house, table_id)
    easy = {"level": "easy"}
    for path, body in (("close", {}), ("cover", {"seat": 0, **easy}), ("start", {}), ("bots", easy)):
        answer = crowd[1].http.post(f"/tables/{table_id}/{path}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "NOT_HOST")
    assert version(house, table_id) == before


def test_a_card_that_is_not_yours_is_refused_alike_wherever_it_lies(house: Served) -> None:
    """In the stock, in another hand or nowhere: the same code, words and size."""
    table_id, crowd = seated(house)
    seat, key = turn(table_id, crowd)
    key = crowd[seat].move(table_id, key, DRAW)["table"]["deciding"][0]["key"]
    state = house.do(lambda services: services.tables.get(table_id)).table.state
    cards = [state.stock[0], state.hands[1 - seat][0], "KC9", "*9", "ZZ"]
    answers = {
        crowd[seat].http.post(
            f"/tables/{table_id}/moves", json={"key": key, "move": {"type": "discard", "card": card}}, headers=KEY
        ).content
        for card in cards
    }  # fmt: skip
    assert len(answers) == 1
    assert b"NOT_YOURS" in answers.pop()


@pytest.mark.parametrize("options", [{"target": 400}, {"target": "500"}, {"jokers": "on"}, {"discard_out": True}])
def test_options_that_are_none_open_no_table(house: Served, options: dict[str, Any]) -> None:
    answer = house.person().http.post("/tables", json={"game": "michigan_rummy", "seats": 2, "options": options})
    assert (answer.status_code, answer.json()["code"]) == (400, "OPTIONS")


@pytest.mark.parametrize("seats", [1, 9])
def test_seats_that_a_game_does_not_have_open_no_table(house: Served, seats: int) -> None:
    answer = house.person().http.post("/tables", json={"game": "michigan_rummy", "seats": seats})
    assert (answer.status_code, answer.json()["code"]) == (400, "OPTIONS")


@pytest.mark.parametrize("name", ["", " ", "x" * 25, " Ada", "A\nB", "a\u202eb", "<b>", "\u200b", "...", "a\x00b"])
def test_names_that_cannot_be_shown_are_refused(house: Served, name: str) -> None:
    answer = house.watcher().http.post("/guests", json={"name": name})
    assert answer.status_code == 400


@pytest.mark.parametrize("name", ["Ada", "Zoë O'Neil", "李小龙", "محمد", "J. R. R.", "x" * 24])
def test_names_of_all_alphabets_are_kept(house: Served, name: str) -> None:
    assert house.watcher().http.post("/guests", json={"name": name}).json()["name"] == name


STRANGE = ["%00", "0123456789abcde%00", "%F0%9F%98%80", "A" * 20, "0" * 33, "a" * 3000, "a%0Ab", "%ff%fe", "%25", "²",
           "-1", "1e9", "__proto__", "None", "%EF%BB%BF0123456789abcdef"]  # fmt: skip


@pytest.mark.parametrize("odd", STRANGE)
def test_no_name_in_a_path_is_too_strange_to_be_answered(house: Served, odd: str) -> None:
    """Of a table, seat, game, file: whatever stands there, it is somebody's mistake and not the house's."""
    person = house.person("Eve")
    found = person.call("GET", "/schema")["paths"]
    named = [(path, method) for path, methods in found.items() if "{" in path for method in methods]
    assert len(named) > 20
    for path, method in named:
        for end in ("", ".json", ".txt") if path.startswith("/replays/") else ("",):
            asked = re.sub(r"{[a-z_]+}", odd, path).removesuffix(".json") + end
            for headers in (KEY, KEY | {"accept": "text/html"}):
                body = {} if method in ("post", "put") else None
                answer = person.http.request(method, asked, json=body, headers=headers)
                assert answer.status_code < 500, (method, asked)
    for page in ("/play/", "/learn/", "/web/", "/web/vendor/"):
        assert person.http.get(page + odd).status_code in (200, 404)
