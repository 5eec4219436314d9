"""Commands that come twice, over restarts too, and what comes back with one."""

import json
import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from httpx import Response

from domain import chance, events
from domain.game import Seat
from domain.table import BOT_GRACE_MS, Next
from projections.decisions import Reply, decision_token, take
from replay import tables
from replay.audit import audit
from replay.notes import verify
from replay.seal import Sealer
from replay.settings import Settings
from replay.tables import command_for
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


def test_nobody_uses_up_what_the_house_calls_its_own_moves(served: Served) -> None:
    """Names of the bot's and the timer's next moves can be worked out: a person who has used them hinders neither."""
    table, crowd = seated(served)
    seat, key = to_draw(table, crowd)
    ben, ada = crowd[seat], crowd[1 - seat]
    deal, _, moves = key.partition(":")
    drawing, discarding = f"{deal}:{int(moves) + 4}", f"{deal}:{int(moves) + 5}"
    burned = [command_for(f"{table}/{seat}/{drawing}"), command_for(f"bot:{seat}:{discarding}")]
    for person, names in ((ben, burned), (ada, ["a-draw-of-her-own", "a-discard-of-her-own"])):
        for name, kind in zip(names, ("draw", "discard"), strict=True):
            _, asked = turn(table, [person])
            card = person.table(table)["view"]["hand"][0]
            choice = {"type": "draw"} if kind == "draw" else {"type": "discard", "card": card}
            assert move(person, table, asked, name, choice).status_code == 200
    assert turn(table, [ben]) == (0, drawing)
    ben.call("POST", f"/tables/{table}/leave")
    served.clock.ahead += 61_000
    ada.call("POST", f"/tables/{table}/cover", {"seat": seat, "level": "easy"})

    secret = bytes(32)
    token = decision_token(secret, table, Seat(seat), drawing)
    answer = {"table": table, "seat": seat, "key": drawing, "token": token, "move": DRAW}
    stored = version(served, table)
    for _ in range(2):  # a repetition of the bot's own is one
        assert served.do(lambda house: take(house.tables, secret, json.dumps(answer).encode())) == Reply(ok=True)
        assert version(served, table) == stored + 1
    served.clock.ahead += BOT_GRACE_MS
    assert served.do(lambda house: house.tables.fire(table, f"bot:{seat}:{discarding}"))
    raws = [entry.raw for entry in served.do(lambda house: house.log.read(table))]
    last = [event for event in map(events.decode, raws) if isinstance(event, events.Moved)][-2:]
    assert [(event.seat, event.by, event.command) for event in last] == [
        (seat, "bot", burned[0]), (seat, "timer", burned[1]),
    ]  # fmt: skip
    ada.call("POST", f"/tables/{table}/agree")  # alone, for Ben has left
    ada.call("POST", f"/tables/{table}/close")
    report = audit(ada.call("GET", f"/replays/{table}").encode(), ada.keys)
    assert (report.exit, [check.name for check in report.checks if not check.ok]) == (0, [])


def test_old_answers_are_worked_out_while_the_table_plays_on(house: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeated commands and receipts replay the game: neither the table nor anybody else waits for that."""
    table, crowd = seated(house)
    seat, key = turn(table, crowd)
    first = move(crowd[seat], table, key, "the-first-one")
    note = {"note": first.json()["receipt"]["note"]}
    asks: list[tuple[Callable[[], object], object]] = [
        (lambda: move(crowd[seat], table, key, "the-first-one").content, first.content),
        (lambda: crowd[seat].call("POST", f"/tables/{table}/receipt", note), {"known": True}),
    ]
    true = tables.replayed
    for ask, answer in asks:
        began, go_on = threading.Event(), threading.Event()

        def slow(*what: Any, began: threading.Event = began, go_on: threading.Event = go_on) -> Iterator[Next]:
            began.set()
            assert go_on.wait(20)
            yield from true(*what)

        monkeypatch.setattr(tables, "replayed", slow)
        with ThreadPoolExecutor(1) as apart:
            asked = apart.submit(ask)
            assert began.wait(10)
            play_on(table, [person.at(house.url) for person in crowd], 2)
            assert not asked.done()
            go_on.set()
            assert asked.result(10) == answer


def test_an_opening_needs_neither_the_game_nor_its_seed(house: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    table, crowd = seated(house)
    shown = crowd[0].call("GET", f"/tables/{table}/opening")
    assert [events.decode(text.encode()).__class__ for text in shown["events"]] == [
        events.Opened, events.Sat, events.Sat, events.Started,
    ]  # fmt: skip
    play_on(table, crowd, 5)

    def never(*_: object) -> Iterator[Next]:
        raise AssertionError

    monkeypatch.setattr(tables, "replayed", never)
    monkeypatch.setattr(Sealer, "vault", never)
    assert house.watcher().call("GET", f"/tables/{table}/opening") == shown
    long = crowd[0].open("michigan_rummy", 2)["id"]
    for _ in range(70):
        crowd[0].call("POST", f"/tables/{long}/seats/0", {"promise": None})
        crowd[0].call("DELETE", f"/tables/{long}/seats/0")
    assert len(house.watcher().call("GET", f"/tables/{long}/opening")["events"]) == 141


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
