"""A whole game of people over HTTP and WebSockets, to the record, which is then audited as a stranger would."""

from replay import audit
from replay.notes import Keys
from tests.api.house import Served, seated


def test_two_people_play_a_game_and_its_record_verifies(house: Served) -> None:
    table, crowd = seated(house, 2, target=300)
    feeds = [person.feed(table) for person in crowd]
    states = [feed.next()["table"] for feed in feeds]
    receipts = []
    while states[0]["phase"] == "playing":
        mover = next(i for i, person in enumerate(crowd) if person.owes(states[i]))
        question = crowd[mover].owes(states[mover])
        assert question
        suggest = crowd[mover].helps(table)["suggest"]
        done = crowd[mover].move(
            table, question["key"], suggest["move"] if suggest else crowd[mover].legal(table)[0]
        )
        receipts.append(done["receipt"]["note"])
        states = [feed.until(lambda frame, seen=done["seen"]: frame["seen"] >= seen)["table"] for feed in feeds]
        assert states[mover] == done["table"]
    for feed in feeds:
        feed.__exit__()
    assert states[0]["phase"] == "over"
    assert states[0]["outcome"] == states[1]["outcome"]
    text = house.watcher().call("GET", f"/replays/{table}").encode()
    keys = Keys.parse(house.watcher().http.get("/.well-known/faircut/keys").content)
    for note in (states[0]["opened"], states[1]["started"], states[0]["checkpoint"], receipts[0], receipts[-1]):
        report = audit.audit(text, keys, note=note.encode())
        assert report.exit == 0, report
    assert report.result is not None
    assert all(seat.cut for seat in report.seats)
