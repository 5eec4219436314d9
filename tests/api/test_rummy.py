"""Rummy live: who may sit, move deadlines on a clock that the test turns, resignation."""

import re
from typing import Any

import msgspec
import psycopg
import pytest

from replay.audit import audit
from replay.record import write
from tests.api.house import Person, Refused, Served, play_on, seated, turn

WEEK = 604_800  # seconds


def code(person: Person, *call: Any) -> str:
    with pytest.raises(Refused) as no:
        person.call("POST", *call)
    return no.value.code


def fire(served: Served, table: str) -> bool:
    """Let the timer go off, as the engine does when the row is due."""
    live = served.do(lambda house: house.tables.get(table))
    due = live.table.due()
    assert due
    return served.do(lambda house: house.tables.fire(table, due.key))


def due_at(served: Served, table: str) -> int:
    """The timer row: wall clock, ms."""
    with psycopg.connect(served.settings.database_url) as connection:
        row = connection.execute("SELECT due_at FROM timers WHERE table_id = %s", (table,)).fetchone()
    assert row
    return int(row[0])


def verified(served: Served, table: str) -> bool:
    entries = served.do(lambda house: house.tables.entries(table))
    signer = served.services.signer
    return audit(write(entries, signer), signer.keys).exit == 0


def test_a_table_of_two_is_for_people_and_a_larger_one_takes_bots(house: Served) -> None:
    ada = house.person("Ada")
    two, three = (ada.open("rummy", seats)["id"] for seats in (2, 3))
    assert code(ada, f"/tables/{two}/bots", {"level": "easy"}) == "PEOPLE_ONLY"
    assert ada.bot(three, "easy")["seats"][0]["level"] == "easy"


def test_no_bot_takes_over_at_a_table_of_two(served: Served) -> None:
    table, crowd = seated(served, game="rummy")
    crowd[1].call("POST", f"/tables/{table}/leave")
    served.clock.ahead += 120_000
    for person in crowd:
        assert code(person, f"/tables/{table}/cover", {"seat": 1, "level": "easy"}) == "PEOPLE_ONLY"


def shown(table: str, crowd: list[Person]) -> set[tuple[int | None, int | None]]:
    """The deadline in all that the table is seen by: beside the game's view and in it."""
    found = {(None, person.call("GET", f"/tables/{table}/view")["view"]["due"]) for person in crowd}
    for person in crowd:
        state = person.table(table)
        found.add((state["due"], state["view"]["due"]))
        with person.feed(table) as feed:
            state = feed.until(lambda _: True)["table"]
            found.add((state["due"], state["view"]["due"]))
    return found


def test_the_deadline_is_the_same_point_in_time_wherever_it_is_shown(served: Served) -> None:
    """After time was given back too, and for watchers; none is shown once nobody's time runs."""
    table, crowd = seated(served, 3, game="rummy", deadline=600)
    everyone = [*crowd, served.watcher()]
    due = due_at(served, table)
    assert shown(table, everyone) == {(due, due), (None, due)}
    away = served.clock()
    served.clock.ahead += 700_000
    back = served.clock()
    assert served.do(lambda house: house.tables.grant(table, away, back))
    due = due_at(served, table)
    assert shown(table, everyone) == {(due, due), (None, due)}
    play_on(table, crowd, 4)
    due = due_at(served, table)
    assert shown(table, everyone) == {(due, due), (None, due)}
    there, _ = turn(table, crowd)
    host = next(seat for seat in range(3) if seat != there) if there == 0 else 0
    crowd[there].call("POST", f"/tables/{table}/leave")
    crowd[host].call("POST", f"/tables/{table}/cover", {"seat": there, "level": "easy"})
    assert shown(table, everyone) == {(None, None)}


@pytest.mark.parametrize("deadline", [60, WEEK])
def test_a_missed_deadline_ends_the_game_against_its_seat(served: Served, deadline: int) -> None:
    table, crowd = seated(served, game="rummy", deadline=deadline)
    play_on(table, crowd, 3)
    slow, _ = turn(table, crowd)
    shown = crowd[1 - slow].table(table)["due"]
    assert shown == due_at(served, table)
    served.clock.ahead += shown - served.clock() - 1000
    assert not fire(served, table)
    assert crowd[slow].table(table)["phase"] == "playing"
    served.clock.ahead += 1000
    assert fire(served, table)
    ended = crowd[0].table(table)
    assert (ended["phase"], ended["how"]) == ("over", "deadline")
    assert ended["outcome"]["places"][slow] == 2
    assert not served.do(lambda house: house.tables.fire(table, "anything"))
    assert verified(served, table)


def test_a_deadline_that_was_met_is_nothing(served: Served) -> None:
    table, crowd = seated(served, game="rummy", deadline=60)
    stale = served.do(lambda house: house.tables.get(table)).table.due()
    assert stale
    first, _ = turn(table, crowd)
    while turn(table, crowd)[0] == first:
        play_on(table, crowd, 1)
    served.clock.ahead += 61_000
    assert not served.do(lambda house: house.tables.fire(table, stale.key))
    assert crowd[0].table(table)["phase"] == "playing"


def test_a_week_survives_a_restart_and_an_outage_is_given_back(served: Served) -> None:
    table, crowd = seated(served, game="rummy", deadline=WEEK)
    before = due_at(served, table)
    served.clock.ahead += 3 * 86_400_000
    away = served.clock()
    served.clock.ahead += 4 * 86_400_000 + 60_000  # the house was away past the deadline
    with Served(served.settings, served.clock) as again:
        back = again.clock()
        assert again.do(lambda house: house.tables.grant(table, away, back))
        assert due_at(again, table) == before + back - away
        assert not fire(again, table)
        seen = [person.at(again.url).table(table) for person in crowd]
        assert {state["phase"] for state in seen} == {"playing"}
        assert {state["due"] for state in seen} == {due_at(again, table)}


def test_who_resigns_is_last(served: Served) -> None:
    table, crowd = seated(served, 3, game="rummy")
    play_on(table, crowd, 4)
    there, _ = turn(table, crowd)
    quitter = (there + 1) % 3
    done = crowd[quitter].move(table, None, {"type": "resign"})["table"]
    assert (done["phase"], done["how"]) == ("over", "resigned")
    assert done["outcome"]["places"][quitter] == 3
    assert verified(served, table)


def best_move(table: str, person: Person) -> dict[str, Any]:
    """What a player does who lays what can be laid."""
    helps = person.helps(table)
    if helps["suggest"]:
        return dict(helps["suggest"]["move"])
    legal = [move for move in person.legal(table) if move["type"] != "resign"]
    return next((move for move in legal if move["type"] in ("draw", "discard")), legal[0])


def test_of_a_hand_that_has_ended_only_points_are_told(served: Served) -> None:
    """No frame, answer or line names a card that was left in a hand, unless everyone saw it there before."""
    table, crowd = seated(served, 3, game="rummy")
    watcher = served.watcher()
    held: dict[int, set[str]] = {}
    while True:
        before = [person.table(table) for person in crowd]
        held = {seat: set(state["view"]["hand"]) for seat, state in enumerate(before)}
        seat, key = turn(table, crowd)
        answer = crowd[seat].move(table, key, best_move(table, crowd[seat]))
        view = answer["table"]["view"]
        if view["held"]:
            break
    assert view["deals"] == (1 if answer["table"]["phase"] == "over" else 2)
    known = {card for cards in before[0]["view"]["known"] for card in cards}
    for at, viewer in [(0, crowd[0]), (1, crowd[1]), (2, crowd[2]), (None, watcher)]:
        left = set().union(*(held[other] for other in range(3) if other not in (at, seat))) - known
        state = viewer.table(table)
        lines = viewer.call("GET", f"/tables/{table}/lines?since={state['seen'] - 1}")["lines"]
        told = [{**state["view"], "hand": None, "pile": None}, [line for line in lines if line["kind"] != "dealt"]]
        assert lines
        shown = set(re.findall(r"[A2-9TJQK][SHDC]1", msgspec.json.encode(told).decode()))
        assert not left & shown
        assert state["view"]["held"] == view["held"]
