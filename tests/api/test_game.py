"""A whole game over HTTP and WebSockets, to the record, which is then audited as a stranger would."""

from replay import audit
from replay.notes import Keys
from tests.api.house import Served, seated


def test_two_people_play_a_game_and_its_record_verifies(served: Served) -> None:
    table, crowd = seated(served, 2, target=300)
    feeds = [person.feed(table) for person in crowd]
    states = [feed.next()["table"] for feed in feeds]
    moves = 0
    while states[0]["phase"] == "playing":
        for i, person in enumerate(crowd):
            question = person.owes(states[i])
            if question is None:
                continue
            helps = person.helps(table)
            legal = person.legal(table)
            pick = helps["suggest"]["move"] if helps.get("suggest") else legal[0]
            done = person.move(table, question["key"], pick)
            moves += 1
            for j in range(2):
                states[j] = feeds[j].until(lambda frame: frame["seen"] >= done["seen"])["table"]
            break
    assert states[0]["outcome"] == states[1]["outcome"]
    text = crowd[0].call("GET", f"/replays/{table}")
    keys = Keys.parse(served.watcher().http.get("/.well-known/faircut/keys").content)
    report = audit.audit(text.encode(), keys)
    print(moves, report)
