"""Thai Rummy live: what nobody but its player may see before the record, and what everyone may."""

from typing import Any

import msgspec

from domain.words import show
from tests.api.house import Person, Served, seated, turn


def best_move(table: str, person: Person) -> dict[str, Any]:
    """What a player does who takes what can be taken and lays what can be laid."""
    helps = person.helps(table)
    if helps["suggest"]:
        return dict(helps["suggest"]["move"])
    legal = person.legal(table)
    return next((move for move in legal if move["type"] == "take"), legal[-1 if legal[0]["type"] == "discard" else 0])


def play_out(table: str, crowd: list[Person]) -> tuple[int, dict[str, Any], list[str]]:
    """Play a hand to its end: who made its last move, that move, and the cards that everyone knew in that hand."""
    while True:
        seat, key = turn(table, crowd)
        known = crowd[seat].table(table)["view"]["known"][seat]
        move = best_move(table, crowd[seat])
        if crowd[seat].move(table, key, move)["table"]["view"]["phase"] in ("scored", "over"):
            return seat, move, known


def everything(table: str, viewer: Person) -> str:
    """All that somebody who was not there before gets to see of a table as it stands; of the log the last few lines."""
    shown = [viewer.call("GET", f"/tables/{table}"), viewer.call("GET", f"/tables/{table}/view")]
    lines = viewer.call("GET", f"/tables/{table}/lines")["lines"]
    with viewer.feed(table) as feed:
        state = feed.until(lambda _: True)
    return msgspec.json.encode([shown, lines[-4:], state["table"], state["lines"][-4:]]).decode()


def names(card: str) -> tuple[str, str]:
    """A card as data and in words."""
    return f'"{card}"', show(card)


def test_the_card_laid_face_down_is_told_to_nobody_else(served: Served) -> None:
    """No test where everyone can tell which it is: the stock is out, or they saw it taken."""
    table, crowd = seated(served, game="thai_rummy")
    watcher = served.watcher()
    found = 0
    while not found and crowd[0].table(table)["phase"] == "playing":
        out, last, known = play_out(table, crowd)
        state = crowd[out].table(table)["view"]
        if state["out"] is not None and state["stock"] and last["card"] not in known:
            found += 1
            assert state["face_down"] == last["card"]
            assert state["revealed"][out] == []
            assert names(last["card"])[0] in everything(table, crowd[out])
            for viewer in (crowd[1 - out], watcher):
                told = everything(table, viewer)
                assert not [name for name in names(last["card"]) if name in told]
        elif crowd[0].table(table)["phase"] == "playing":
            for person in crowd:
                question = person.owes(person.table(table))
                assert question
                person.move(table, question["key"], {"type": "ready"})
    assert found
