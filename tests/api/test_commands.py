"""Commands that come twice, over restarts too, and what comes back with one."""

import secrets

import psycopg
from httpx import Response

from domain import chance
from replay.notes import verify
from replay.settings import Settings
from tests.api.house import Person, Served, play_on, seated, to_draw, turn, version

DRAW = {"type": "draw"}


def move(person: Person, table: str, key: str | None, command: str, move: object = DRAW) -> Response:
    return person.http.post(
        f"/tables/{table}/moves", json={"key": key, "move": move}, headers={"idempotency-key": command}
    )


def test_a_repeated_command_gets_the_first_answer_byte_for_byte(house: Served) -> None:
    table, crowd = seated(house)
    seat, key = turn(table, crowd)
    first = move(crowd[seat], table, key, "the-first-one")
    stored = version(house, table)
    assert first.status_code == 200
    for body in (DRAW, {"type": "take", "at": 0}):  # whatever else it says: the id is what counts
        again = move(crowd[seat], table, key, "the-first-one", body)
        assert (again.status_code, again.content) == (200, first.content)
    play_on(table, crowd, 5)
    assert move(crowd[seat], table, None, "the-first-one").content == first.content
    assert version(house, table) == stored + 5


def test_anothers_command_id_is_just_an_id(house: Served) -> None:
    """It is never answered with the other's answer, and never swallows the other's move."""
    table, crowd = seated(house)
    answers = []
    while len(answers) < 2:
        seat, key = to_draw(table, crowd)
        if any(seat == other for other, _ in answers):
            play_on(table, crowd, 1)
            continue
        answer = move(crowd[seat], table, key, "one-id-for-both")
        assert answer.status_code == 200
        answers.append((seat, answer.json()))
    for seat, told in answers:
        assert f'"seat":{seat}' in told["receipt"]["event"]
    other, crowd_there = seated(house)
    seat, key = turn(other, crowd_there)
    assert move(crowd_there[seat], other, key, "one-id-for-both").json()["table"]["id"] == other


def test_a_receipt_is_of_the_movers_own_event_and_is_signed(house: Served) -> None:
    table, crowd = seated(house)
    seat, key = turn(table, crowd)
    done = move(crowd[seat], table, key, "my-own-command").json()
    receipt = done["receipt"]
    leaf = chance.leaf(bytes.fromhex(receipt["blind"]), receipt["event"].encode())
    note = verify(receipt["note"].encode(), crowd[seat].keys, "receipt")
    assert (leaf.hex(), note.id, note.digest) == (receipt["leaf"], table, leaf)
    assert '"command":"my-own-command"' in receipt["event"]
    assert [line["kind"] for line in done["lines"]] == ["draw", "drew"]
    assert done["table"]["view"]["hand"][-1] == done["lines"][1]["data"]["card"]


def test_the_first_answer_comes_again_after_a_restart(settings: Settings) -> None:
    with Served(settings) as before:
        table, crowd = seated(before)
        play_on(table, crowd, 7)
        seat, key = to_draw(table, crowd)
        command = secrets.token_hex(16)
        first = move(crowd[seat], table, key, command)
        play_on(table, crowd, 3)
        seen = [person.table(table) for person in crowd]
    with Served(settings) as after:
        again = [person.at(after.url) for person in crowd]
        assert [person.table(table) for person in again] == seen
        assert (first.status_code, move(again[seat], table, key, command).content) == (200, first.content)
        play_on(table, again, 3)


def test_a_table_opened_twice_is_one_table(house: Served) -> None:
    person, other = house.person(), house.person()
    body = {"game": "michigan_rummy", "seats": 3}
    first = person.http.post("/tables", json=body, headers={"idempotency-key": "my-new-table"})
    assert first.status_code == 201
    table = first.json()["table"]
    assert first.headers["location"] == f"/tables/{table['id']}"
    assert table["hosting"]
    assert person.http.post("/tables", json=body, headers={"idempotency-key": "my-new-table"}).json() == first.json()
    for someone, key in ((person, "another-table"), (other, "my-new-table")):
        answer = someone.http.post("/tables", json=body, headers={"idempotency-key": key}).json()
        assert answer["table"]["id"] != table["id"]


def test_an_opening_that_was_cut_off_is_gone_on_with(served: Served) -> None:
    """The seed was sealed and the event not stored: the same key opens that table, under that seed."""
    person = served.person()
    body, key = {"game": "michigan_rummy", "seats": 2}, {"idempotency-key": "cut-off-halfway"}
    append, lost = served.services.log.append, []

    async def fail(table: str, *_: object, **__: object) -> None:
        lost.append(table)
        raise ConnectionError

    served.services.log.append = fail  # type: ignore[method-assign]
    assert person.http.post("/tables", json=body, headers=key).status_code == 500
    served.services.log.append = append  # type: ignore[method-assign]
    opened = person.http.post("/tables", json=body, headers=key).json()["table"]
    assert [opened["id"]] == lost
    assert opened["hosting"]
    with psycopg.connect(served.settings.database_url) as connection:
        kept = connection.execute("SELECT commit FROM sealed WHERE table_id = %s", lost).fetchall()
    assert kept == [(opened["commit"],)]


def test_a_note_that_the_log_lacks_closes_the_table(house: Served) -> None:
    """The log is an older copy, and what is still to come has been seen."""
    table, crowd = seated(house)
    seat, key = turn(table, crowd)
    note = move(crowd[seat], table, key, "the-only-move").json()["receipt"]["note"]
    assert crowd[0].call("POST", f"/tables/{table}/receipt", {"note": note}) == {"known": True}
    assert crowd[0].call("POST", f"/tables/{table}/receipt", {"note": crowd[0].table(table)["started"]})["known"]

    elsewhere = house.services.signer.receipt(table, bytes(32)).decode()
    assert crowd[1].call("POST", f"/tables/{table}/receipt", {"note": elsewhere}) == {"known": False}
    closed = crowd[0].table(table)
    assert (closed["phase"], closed["how"]) == ("closed", "restored")
    answer = move(crowd[seat], table, None, "one-move-more")
    assert (answer.status_code, answer.json()["code"]) == (409, "OVER")


def test_a_note_of_another_house_or_table_closes_nothing(house: Served) -> None:
    table, crowd = seated(house)
    other, _ = seated(house)
    from replay.notes import Signer

    foreign = Signer.generate("faircut.test/records").receipt(table, bytes(32)).decode()
    for note in (foreign, house.services.signer.receipt(other, bytes(32)).decode()):
        answer = crowd[0].http.post(f"/tables/{table}/receipt", json={"note": note})
        assert (answer.status_code, answer.json()["code"]) == (400, "BAD_NOTE")
    assert crowd[0].table(table)["phase"] == "playing"
