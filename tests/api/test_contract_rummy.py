"""Contract Rummy over HTTP: wishes, declines, seats that are away or slow, the last press, arranging."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from domain.cards import Seat
from domain.contract_rummy.rules import ContractRummy
from domain.contract_rummy.state import Window
from domain.contract_rummy.window import SLOW_MS, SOONEST_MS, SPREAD_MS
from domain.standing import BOT_GRACE_MS
from replay.settings import Settings
from replay.tables import command_for, wall_ms
from tests.api.house import Person, Refused, Served, play_on, seated
from tests.api.two_worlds import SECONDS, Still, begin, fire
from tests.contract_rummy.tables import BUY, DECLINE, DRAW, PASS, TAKE, discard

HANDS = ("8H1 3S1", "4S1 5S1", "6S1 7S1", "8S1 9S1")
RICH = "8S1 8H1 8D1 KS1 KH1 KD1 2C1"


@pytest.fixture
def still(settings: Settings) -> Iterator[Served]:
    """A house whose clock a test moves."""
    with Served(settings, Still(wall_ms())) as served:
        yield served


def thrown(served: Served, people: int = 4, **fields: Any) -> tuple[str, list[Person]]:
    """Seat 0 has thrown 8H; seat 1 plays next."""
    given = {"pile": "2D1 3D1", "stock": "TC1 JC1 QC1 KC1"} | fields
    table, crowd = begin(served, people, *HANDS[:people], **given)
    crowd[0].move(table, "p1:0", discard("8H1"))
    return table, crowd


def say(table: str, person: Person, move: dict[str, Any]) -> dict[str, Any]:
    """Make a move in answer to what is asked; the table after it."""
    question = person.owes(person.table(table))
    done: dict[str, Any] = person.move(table, question["key"] if question else None, move)["table"]
    return done


def window(table: str, person: Person) -> dict[str, Any]:
    found: dict[str, Any] = person.table(table)["view"]["window"]
    return found


def refusal(table: str, person: Person, move: dict[str, Any], key: str | None = None) -> str:
    with pytest.raises(Refused) as no:
        person.move(table, key, move)
    return no.value.code


# -- wishes -----------------------------------------------------------------------------------------------------------


def test_a_wish_is_ones_own(house: Served) -> None:
    table, crowd = seated(house, 3, game="contract_rummy")
    assert [person.table(table)["view"]["pref"] for person in crowd] == ["ask"] * 3
    seen = [person.table(table)["seen"] for person in (crowd[0], crowd[2], house.watcher())]
    done = say(table, crowd[1], {"type": "buy_pref", "pref": "never"})
    assert done["view"]["pref"] == "never"
    others = [person.table(table) for person in (crowd[0], crowd[2], house.watcher())]
    assert [shown["view"]["pref"] for shown in others] == ["ask", "ask", None]
    assert [shown["seen"] for shown in others] == seen
    assert refusal(table, crowd[1], {"type": "buy_pref", "pref": "sometimes"}) == "BAD"


def test_a_wish_lasts_and_is_followed_at_the_next_discard(still: Served) -> None:
    table, crowd = begin(still, 3, *HANDS[:3], pile="2D1", stock="TC1 JC1 QC1")
    say(table, crowd[2], {"type": "buy_pref", "pref": "helps"})  # 8H cannot help it
    crowd[0].move(table, "p1:0", discard("8H1"))
    assert not window(table, crowd[2])["passed"]
    still.clock.ahead += SOONEST_MS + SPREAD_MS
    assert fire(still, table)
    assert (window(table, crowd[2])["passed"], window(table, crowd[1])["shut"]) == (True, True)
    say(table, crowd[1], DRAW)
    assert crowd[2].table(table)["view"]["counts"] == [1, 3, 2]


# -- declining --------------------------------------------------------------------------------------------------------


def test_a_bots_decline_lapses_when_its_person_is_back(still: Served) -> None:
    table, crowd = thrown(still)
    crowd[1].call("POST", f"/tables/{table}/leave")
    crowd[0].call("POST", f"/tables/{table}/cover", {"seat": 1, "level": "easy"})
    key = "d2w"
    still.do(lambda house: house.tables.move(
        table, Seat(1), DECLINE, key=key, command=command_for(f"{table}/1/{key}"), by="bot"
    ))  # fmt: skip
    assert window(table, crowd[0])["declined"]
    crowd[1].call("POST", f"/tables/{table}/return")
    assert not window(table, crowd[0])["declined"]
    question = crowd[1].owes(crowd[1].table(table))
    assert question is not None
    assert (question["kind"], question["waits"]) == ("draw", False)
    assert say(table, crowd[1], TAKE)["view"]["phase"] == "play"


def test_a_decline_holds_nobody_up_and_binds_nobody(still: Served) -> None:
    table, crowd = thrown(still)
    shown = say(table, crowd[1], DECLINE)
    assert shown["deciding"] == []
    assert refusal(table, crowd[1], DRAW) == "STOCK_SHUT"
    assert window(table, crowd[3])["declined"]
    assert say(table, crowd[1], TAKE)["view"]["window"] is None
    assert refusal(table, crowd[2], BUY) == "BUYING_CLOSED"


# -- too late ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closing", ["time", "take", "draw", "next"])
def test_whoever_is_late_is_told_that_buying_has_closed(still: Served, closing: str) -> None:
    """Whichever way it closed and whatever has happened since, with the key that was theirs and without one."""
    table, crowd = thrown(still)
    key = crowd[2].owes(crowd[2].table(table))["key"]  # type: ignore[index]
    assert key == "w2"
    if closing in ("take", "next"):
        say(table, crowd[1], TAKE)
    else:
        still.clock.ahead += SECONDS * 1000
        assert fire(still, table)
    if closing == "draw":
        say(table, crowd[1], DRAW)
    if closing == "next":
        say(table, crowd[1], discard("5S1"))  # which seat 2 is to take, and seat 3 may buy
    for move in (BUY, PASS):
        assert refusal(table, crowd[2], move, key) == "BUYING_CLOSED"
        assert refusal(table, crowd[3], move, key) == "BUYING_CLOSED"
    assert refusal(table, crowd[3], BUY | {"window": 2}) == "BUYING_CLOSED"


def test_a_key_is_still_needed_and_still_goes_out_of_date(still: Served) -> None:
    """An open buying, one that never was and a move of another kind say nothing about closing."""
    table, crowd = thrown(still)
    say(table, crowd[2], PASS)
    assert refusal(table, crowd[2], PASS, "w2") == "STALE"
    assert refusal(table, crowd[3], PASS) == "BAD"
    for key in ("w3", "w0", "w-1", "w02x", "w\u0662", "w99999999999999999999", "d2w", ""):
        assert refusal(table, crowd[3], PASS, key) in ("STALE", "BAD")
    still.clock.ahead += SECONDS * 1000
    assert fire(still, table)
    assert refusal(table, crowd[2], DRAW, "w2") == "STALE"
    assert refusal(table, crowd[1], DRAW, "d2w") == "STALE"


# -- away and slow ----------------------------------------------------------------------------------------------------


def test_an_away_seat_is_passed_for_until_somebody_plays_it(still: Served) -> None:
    table, crowd = thrown(still, 3)
    crowd[2].call("POST", f"/tables/{table}/leave")
    crowd[2].call("POST", f"/tables/{table}/return")
    still.clock.ahead += SOONEST_MS + SPREAD_MS
    assert not fire(still, table)  # it is back, so it is asked
    crowd[2].call("POST", f"/tables/{table}/leave")
    assert not window(table, crowd[1])["shut"]
    still.clock.ahead += SOONEST_MS + SPREAD_MS
    assert fire(still, table)
    assert window(table, crowd[1])["shut"]


def test_nobody_passes_once_the_time_is_over(still: Served) -> None:
    """Whoever leaves in the last half second is not passed for: buying closes by time, once."""
    table, crowd = thrown(still)
    still.clock.ahead += SECONDS * 1000 - 100
    crowd[2].call("POST", f"/tables/{table}/leave")
    still.clock.ahead += 5_000
    assert fire(still, table)
    assert not fire(still, table)
    assert [line["kind"] for line in crowd[0].call("GET", f"/tables/{table}/lines")["lines"]] == ["discard", "closed"]


def test_on_the_upcard_a_slow_seat_is_named_and_passed_for(still: Served) -> None:
    upcard = Window(id=1, card="8H2", thrower=None, closes=None)  # type: ignore[arg-type]
    table, crowd = begin(still, 4, *HANDS, pile="3D1 8H2", stock="TC1 JC1", phase="draw", turn=Seat(1), window=upcard)
    assert crowd[0].table(table)["due"] == still.clock() + SLOW_MS
    for seat in (2, 0):
        say(table, crowd[seat], PASS)
    named = lambda person: [(d["seat"], d["kind"]) for d in person.table(table)["deciding"]]  # noqa: E731
    assert (named(crowd[1]), named(still.watcher())) == ([(1, "draw")], [(1, "draw")])
    assert named(crowd[3]) == [(1, "draw"), (3, "buy")]
    for seat in (0, 2, 3):
        assert refusal(table, crowd[1], {"type": "pass_for", "seat": seat}, "d1w") == "NOT_SLOW"
    still.clock.ahead += SLOW_MS
    assert fire(still, table)
    assert named(crowd[1]) == named(still.watcher()) == [(1, "draw"), (3, "buy")]
    assert window(table, crowd[0])["slow"] == [3]
    crowd[0].move(table, None, {"type": "pass_for", "seat": 3})
    assert window(table, crowd[1])["shut"]
    words = crowd[3].call("GET", f"/tables/{table}/lines")["lines"][-2]
    assert (words["kind"], words["seat"], words["data"]) == ("passed_for", 0, {"seat": 3})


def test_a_slow_seat_may_be_handed_to_a_bot_though_its_person_looks_on(still: Served) -> None:
    """By the host alone, and only once it is named: before, the answer is the same for a seat that has passed."""
    upcard = Window(id=1, card="8H2", thrower=None, closes=None)  # type: ignore[arg-type]
    table, crowd = begin(still, 4, *HANDS, pile="3D1 8H2", stock="TC1 JC1", phase="draw", turn=Seat(1), window=upcard)
    say(table, crowd[2], PASS)

    def cover(person: Person, seat: int) -> str:
        for there in (0, 2, 3):  # all the time
            crowd[there].table(table)
        try:
            person.call("POST", f"/tables/{table}/cover", {"seat": seat, "level": "easy"})
        except Refused as no:
            return no.code
        return ""

    assert [cover(crowd[0], seat) for seat in (2, 3)] == ["NOT_AWAY"] * 2
    for _ in range(2):
        still.clock.ahead += SLOW_MS // 2
        assert [cover(crowd[0], seat) for seat in (2, 3)] == ["NOT_AWAY"] * 2
    assert fire(still, table)
    assert window(table, crowd[1])["slow"] == [0, 3]
    assert [cover(crowd[1], 3), cover(crowd[0], 2)] == ["NOT_HOST", "NOT_AWAY"]
    assert cover(crowd[0], 3) == ""
    assert refusal(table, crowd[3], PASS, "w1") == "NOT_SEATED"  # for now
    crowd[3].call("POST", f"/tables/{table}/return")
    say(table, crowd[3], PASS)
    assert window(table, crowd[1])["slow"] == [0]
    assert cover(crowd[0], 3) == "NOT_AWAY"


def test_a_bot_that_is_silent_gets_the_simplest_move(still: Served) -> None:
    """On the upcard, where the table waits for it: it passes, and once the stock is open it draws and discards."""
    table, crowd = seated(still, 3, game="contract_rummy")
    turn = crowd[0].table(table)["view"]["turn"]
    if turn == 0:
        say(table, crowd[0], TAKE)
        say(table, crowd[0], discard(crowd[0].table(table)["view"]["hand"][0]))
        turn = 1
    first = crowd[turn]
    first.call("POST", f"/tables/{table}/leave")
    crowd[0].call("POST", f"/tables/{table}/cover", {"seat": turn, "level": "easy"})
    for seat in {0, 1, 2} - {turn}:
        if any(d["kind"] == "buy" for d in crowd[seat].table(table)["deciding"] if d["seat"] == seat):
            say(table, crowd[seat], PASS)
    for _ in range(2):
        still.clock.ahead += BOT_GRACE_MS
        assert fire(still, table)
    kinds = [line["kind"] for line in crowd[0].call("GET", f"/tables/{table}/lines")["lines"]]
    assert kinds[-2:] == ["draw", "discard"]


# -- the last press ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stock", "pile", "ends"), [("", "8H2", True), ("TC1", "8H2", False), ("", "3D1 8H2", False)])
def test_a_draw_that_ends_the_hand_is_marked(house: Served, stock: str, pile: str, ends: bool) -> None:
    shut = Window(id=1, card="8H2", thrower=Seat(0), closes=None, shut=True)  # type: ignore[arg-type]
    table, crowd = begin(house, 3, *HANDS[:3], pile=pile, stock=stock, phase="draw", turn=Seat(1), window=shut)
    for person in (*crowd, house.watcher()):
        assert person.table(table)["view"]["ends_hand"] is ends
    shown = say(table, crowd[1], DRAW)
    assert (shown["view"]["phase"] == "scored") is ends


# -- arranging --------------------------------------------------------------------------------------------------------


def arranged(table: str, person: Person, keep: str | None = None) -> Any:
    """What is told, and that it bears the asker's feed number."""
    query = {} if keep is None else {"keep": keep}
    answer = person.http.get(f"/tables/{table}/arrange", params=query)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["seen"] == person.table(table)["seen"]
    return told["arranged"]


def test_an_arrangement_is_laid_as_it_is(house: Served) -> None:
    table, crowd = begin(house, 3, RICH, "2D1", "3D1", stock="9C1", pile="2S1")
    found = arranged(table, crowd[0])
    assert set(found) == {"melds", "swaps"}
    shown = crowd[0].move(table, "p1:0", {"type": "go_down", **found})["table"]
    assert shown["view"]["down"] == [True, False, False]
    assert arranged(table, crowd[0]) is None  # down
    assert arranged(table, crowd[1]) is None  # no contract in the hand


def test_an_arrangement_goes_on_from_what_is_kept(house: Served) -> None:
    table, crowd = begin(house, 3, RICH, "2D1", "3D1", stock="9C1", pile="2S1")
    kept = '[{"kind":"set","cards":["8S1","8H1","8D1"]}]'
    assert [meld["cards"] for meld in arranged(table, crowd[0], kept)["melds"]] == [["KS1", "KH1", "KD1"]]
    assert arranged(table, crowd[0], '[{"kind":"set","cards":["8S1","8H1","KS1"]}]') is None
    assert arranged(table, crowd[1], kept) is None  # cards of another hand are as cards of none


def test_a_joker_of_the_table_is_won_for_it(house: Served) -> None:
    table, crowd = begin(house, 3, "8S1 8H1 6H1 KS1 KH1 KD1 2C1", "2D1", "3D1", stock="9C1", pile="2S1",
                         melds=[(1, "4H1 5H1 *1 7H1")], down=[1])  # fmt: skip
    found = arranged(table, crowd[0])
    assert found["swaps"] == [{"card": "6H1", "meld": 1}]
    assert crowd[0].move(table, "p1:0", {"type": "go_down", **found})["table"]["view"]["down"][0]


def test_the_last_hand_is_arranged_in_runs(house: Served) -> None:
    text = "3C1 4C1 5C1 6C1 7D1 8D1 9D1 TD1 JD1 JS1 QS1 KS1 AS1"
    table, crowd = begin(house, 3, text, "2D1", "3D1", stock="9C1", pile="2S1", deals=7)
    found = arranged(table, crowd[0])
    assert set(found) == {"runs"}
    kept = '[{"cards":["JS1","QS1","KS1","AS1"]}]'
    assert len(arranged(table, crowd[0], kept)["runs"]) == 2
    assert crowd[0].move(table, "p1:0", {"type": "go_out", **found})["table"]["view"]["out"] == 0


@pytest.mark.parametrize(
    ("keep", "code"),
    [("[", "BAD_JSON"), ("[" * 4000, "BAD_JSON"),
     ('["\\ud800"]', "BAD_JSON"), ("null", "BAD"), ("{}", "BAD"), ("[1]", "BAD"),
     ('[{"kind":"set"}]', "BAD"), ("[" + " " * 4100 + "]", "BAD"), ('[{"cards":["8S1"]}]', "BAD")],
)  # fmt: skip
def test_what_is_no_keep_is_refused(house: Served, keep: str, code: str) -> None:
    table, crowd = begin(house, 3, RICH, "2D1", "3D1", stock="9C1", pile="2S1")
    answer = crowd[0].http.get(f"/tables/{table}/arrange", params={"keep": keep})
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert "8S1" not in answer.text


def test_only_a_seat_is_told_and_only_where_there_is_something_to_arrange(house: Served) -> None:
    table, crowd = begin(house, 3, RICH, "2D1", "3D1", stock="9C1", pile="2S1")
    told = [person.http.get(f"/tables/{table}/arrange") for person in (house.watcher(), house.person("Zoe"))]
    assert [(answer.status_code, answer.json()["code"]) for answer in told] == [(403, "NOT_SEATED")] * 2
    other, crowd = seated(house)
    answer = crowd[0].http.get(f"/tables/{other}/arrange")
    assert (answer.status_code, answer.json()["code"]) == (404, "NO_SUCH_HELP")
    crowd[0].call("POST", f"/tables/{other}/close")
    assert crowd[0].http.get(f"/tables/{other}/arrange").json()["code"] == "PHASE"


def test_a_hand_that_takes_long_holds_up_nobody(house: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one is being arranged, other tables are played on."""
    table, crowd = begin(house, 3, RICH, "2D1", "3D1", stock="9C1", pile="2S1")
    begun, go_on = threading.Event(), threading.Event()
    real = ContractRummy.arrange

    def slow(*given: Any) -> Any:
        begun.set()
        assert go_on.wait(30)
        return real(*given)

    monkeypatch.setattr(ContractRummy, "arrange", slow)
    found: list[Any] = []
    asking = threading.Thread(target=lambda: found.append(arranged(table, crowd[0])))
    asking.start()
    assert begun.wait(10)
    other, people = seated(house)
    play_on(other, people, 3)
    assert not found
    go_on.set()
    asking.join(30)
    assert len(found[0]["melds"]) == 2


def test_the_document_says_what_is_arranged(house: Served) -> None:
    found = house.watcher().call("GET", "/schema")
    answer = found["components"]["schemas"]["ArrangedAnswer"]["properties"]["arranged"]
    assert {"$ref": "#/components/schemas/contract_rummy.Arranged"} in answer["anyOf"]
    assert {"type": "null"} in answer["anyOf"]
    assert set(found["components"]["schemas"]["contract_rummy.Arranged"]["properties"]) == {"melds", "swaps", "runs"}
    assert "michigan_rummy.Arranged" not in found["components"]["schemas"]
    cards = {game["name"]: set(game["schemas"]) for game in house.watcher().call("GET", "/games")["games"]}
    assert cards["contract_rummy"] - cards["michigan_rummy"] == {"arranged"}
