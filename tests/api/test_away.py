"""Coming and going: leaving, covering, taking the seat back, ending early; watchers who see late."""

import pytest

from replay import audit
from tests.api.house import Person, Refused, Served, play_on, seated, to_draw, turn


def code(person: Person, path: str, body: object = None) -> str:
    """The code with which a command is refused; "" if it is taken."""
    try:
        person.call("POST", path, body)
    except Refused as no:
        return no.code
    return ""


def cover(table: str, seat: int) -> tuple[str, dict[str, object]]:
    return f"/tables/{table}/cover", {"seat": seat, "level": "easy"}


# -- covers -----------------------------------------------------------------------------------------------------------


def test_a_covered_seat_is_the_bots_until_its_person_is_back(house: Served) -> None:
    table, crowd = seated(house)
    ada, ben = crowd
    with ben.feed(table) as feed:
        assert feed.next()["table"]["view"]["hand"]
        ben.call("POST", f"/tables/{table}/leave")
        assert feed.next()["table"]["seats"][1]["left"]
        assert code(ada, *cover(table, 1)) == ""

        frame = feed.next()  # the same socket, now a watcher's
        assert (frame["table"]["you"], frame["table"]["covered"], frame["table"]["view"]["hand"]) == (None, 1, None)
        assert frame["table"]["seats"][1]["cover"] == "easy"
        assert frame["seen"] == house.watcher().table(table)["seen"]
        for refused in (
            lambda: ben.move(table, "any", {"type": "draw"}),
            lambda: ben.helps(table),
            lambda: ben.legal(table),
        ):
            with pytest.raises(Refused) as no:
                refused()
            assert (no.value.status, no.value.code) == (403, "NOT_SEATED")

        ben.call("POST", f"/tables/{table}/return")
        frame = feed.next()
        assert (frame["table"]["you"], frame["table"]["covered"]) == (1, None)
        assert frame["table"]["view"]["hand"]
        assert frame["table"]["seats"][1]["cover"] is None


def test_a_seat_is_covered_only_when_its_person_has_left_or_is_quiet(served: Served) -> None:
    table, crowd = seated(served)
    ada, ben = crowd
    ben.table(table)
    served.clock.ahead += 59_000
    assert code(ada, *cover(table, 1)) == "NOT_AWAY"
    ben.table(table)  # looks again
    served.clock.ahead += 59_000
    assert code(ada, *cover(table, 1)) == "NOT_AWAY"
    assert ada.call("GET", f"/tables/{table}")["quiet"] == []
    served.clock.ahead += 2_000
    assert ada.call("GET", f"/tables/{table}")["quiet"] == [1]
    assert code(ada, *cover(table, 1)) == ""
    assert code(ada, *cover(table, 1)) == "COVERED"


def test_whoever_left_comes_back_before_moving(house: Served) -> None:
    table, crowd = seated(house)
    seat, key = to_draw(table, crowd)
    crowd[seat].call("POST", f"/tables/{table}/leave")
    with pytest.raises(Refused) as no:
        crowd[seat].move(table, key, {"type": "draw"})
    assert (no.value.status, no.value.code) == (409, "LEFT")
    crowd[seat].call("POST", f"/tables/{table}/return")
    crowd[seat].move(table, key, {"type": "draw"})


# -- ends -------------------------------------------------------------------------------------------------------------


def test_a_host_ends_a_game_alone_or_with_everyones_consent(house: Served) -> None:
    for agreeing, how in ((0, "host"), (1, "host"), (2, "agreed")):
        table, crowd = seated(house)
        play_on(table, crowd, 3)
        for person in crowd[:agreeing]:
            person.call("POST", f"/tables/{table}/agree")
        assert crowd[1].table(table)["agreed"] == list(range(agreeing))
        crowd[0].call("POST", f"/tables/{table}/close")
        table_seen = crowd[1].table(table)
        assert (table_seen["phase"], table_seen["how"]) == ("closed", how)
        report = audit.audit(crowd[1].call("GET", f"/replays/{table}").encode(), crowd[1].keys)
        assert report.exit == 0


def test_a_table_without_its_cuts_is_voided_and_published(served: Served) -> None:
    ada, ben = served.person("Ada"), served.person("Ben")
    table = ada.open("michigan_rummy", 2)["id"]
    ada.sit(table, 0)
    ben.sit(table, 1)
    ada.start(table)
    state = ada.cut(table)
    assert (state["phase"], state["view"]) == ("cutting", None)
    assert [(asked["seat"], asked["kind"]) for asked in state["deciding"]] == [(1, "cut")]
    assert 0 < state["due"] - served.clock() <= 20_000
    served.clock.ahead += 20_001
    served.do(lambda services: services.tables.fire(table, "cut"))
    assert (ben.table(table)["phase"], ben.table(table)["how"]) == ("voided", "voided")
    report = audit.audit(ben.call("GET", f"/replays/{table}").encode(), ben.keys)
    assert report.exit == 0
    assert not report.dealt


def test_a_host_who_is_ready_need_not_wait_for_the_others(house: Served) -> None:
    table, crowd = seated(house)
    while crowd[0].table(table)["view"]["phase"] != "scored":
        seat, key = turn(table, crowd)
        suggest = crowd[seat].helps(table)["suggest"]
        crowd[seat].move(table, key, suggest["move"] if suggest else crowd[seat].legal(table)[0])
    assert code(crowd[0], f"/tables/{table}/hurry") == "NOT_HOST"  # not ready
    question = crowd[0].owes(crowd[0].table(table))
    assert question
    crowd[0].move(table, question["key"], {"type": "ready"})
    assert code(crowd[1], f"/tables/{table}/hurry") == "NOT_HOST"  # not the host
    assert crowd[0].table(table)["view"]["deals"] == 1
    assert code(crowd[0], f"/tables/{table}/hurry") == ""
    assert crowd[1].table(table)["view"]["deals"] == 2


# -- a host who is gone ----------------------------------------------------------------------------------------------


def hosting(table: str, crowd: list[Person]) -> tuple[int, list[int]]:
    """The host's seat, and the seats of those who are told that they are the host."""
    seen = [person.table(table) for person in crowd]
    (host,) = {state["host"] for state in seen}
    return host, [seat for seat, state in enumerate(seen) if state["hosting"]]


def test_a_host_who_leaves_leaves_a_host_behind(house: Served) -> None:
    table, crowd = seated(house, 3)
    ada, ben, cleo = crowd
    assert hosting(table, crowd) == (0, [0])
    for person in (ben, cleo):
        assert code(person, f"/tables/{table}/close") == "NOT_HOST"
    ada.call("POST", f"/tables/{table}/leave")
    assert hosting(table, crowd) == (1, [1])
    for person in (ada, cleo, house.person("Eve")):
        assert code(person, *cover(table, 0)) == "NOT_HOST"
        assert code(person, f"/tables/{table}/close") == "NOT_HOST"
    assert code(ben, *cover(table, 0)) == ""
    assert code(ben, *cover(table, 2)) == "NOT_AWAY"
    ada.call("POST", f"/tables/{table}/return")
    assert hosting(table, crowd) == (0, [0])
    assert code(ben, f"/tables/{table}/close") == "NOT_HOST"
    for person in (ada, ben):
        person.call("POST", f"/tables/{table}/leave")
    assert hosting(table, crowd) == (2, [2])
    cleo.call("POST", f"/tables/{table}/close")
    assert cleo.table(table)["how"] == "host"
    assert audit.audit(cleo.call("GET", f"/replays/{table}").encode(), cleo.keys).exit == 0


def test_when_everyone_has_left_whoever_opened_the_table_may_close_it(house: Served) -> None:
    table, crowd = seated(house)
    for person in crowd:
        person.call("POST", f"/tables/{table}/leave")
    assert hosting(table, crowd) == (0, [0])
    assert code(crowd[1], f"/tables/{table}/close") == "NOT_HOST"
    assert code(crowd[0], f"/tables/{table}/close") == ""


@pytest.mark.parametrize("sits", [True, False])
def test_a_host_who_is_lost_stops_no_game(served: Served, sits: bool) -> None:
    """Without its token or without a seat, its host never comes back: the others have bots play for whoever is gone."""
    host = served.person("Ada")
    table = host.open("michigan_rummy", 3)["id"]
    crowd = [host if sits else served.person("Dan"), served.person("Ben"), served.person("Cleo")]
    for seat in range(3):
        crowd[seat].call("POST", f"/tables/{table}/seats/{seat}", {"promise": None})
    host.call("POST", f"/tables/{table}/start")
    gone, ben, cleo = crowd
    served.clock.ahead += 50_000
    gone.table(table)
    host.table(table)
    ben.call("POST", f"/tables/{table}/leave")
    assert code(cleo, *cover(table, 1)) == "NOT_HOST"
    served.clock.ahead += 61_000
    assert code(ben, *cover(table, 0)) == "NOT_HOST"  # has left
    assert code(served.person("Eve"), *cover(table, 0)) == "NOT_HOST"
    cleo.table(table)
    assert code(cleo, *cover(table, 2)) == "NOT_AWAY"
    assert code(cleo, *cover(table, 0)) == ""
    assert code(cleo, *cover(table, 1)) == ""
    assert code(cleo, f"/tables/{table}/close") == "NOT_HOST"  # not alone
    host.table(table)  # is there after all
    served.clock.ahead += 2_000
    gone.call("POST", f"/tables/{table}/return")
    assert code(cleo, *cover(table, 0)) in ("NOT_HOST", "NOT_AWAY")


def test_all_who_are_still_there_may_end_a_game_together(house: Served) -> None:
    table, crowd = seated(house, 3)
    ada, ben, cleo = crowd
    ada.call("POST", f"/tables/{table}/leave")
    cleo.call("POST", f"/tables/{table}/agree")
    assert code(cleo, f"/tables/{table}/close") == "NOT_HOST"
    ben.call("POST", f"/tables/{table}/agree")
    assert code(house.person("Eve"), f"/tables/{table}/close") == "NOT_HOST"
    assert code(cleo, f"/tables/{table}/close") == ""
    assert cleo.table(table)["how"] == "agreed"
    assert audit.audit(cleo.call("GET", f"/replays/{table}").encode(), cleo.keys).exit == 0


# -- before the start -------------------------------------------------------------------------------------------------


def test_seats_are_taken_and_left_before_the_start(house: Served) -> None:
    ada, ben = house.person("Ada"), house.person("Ben")
    table = ada.open("michigan_rummy", 3)["id"]
    ada.sit(table, 2)
    seen = ben.sit(table, 0)
    assert [seat and seat["name"] for seat in seen["seats"]] == ["Ben", None, "Ada"]
    assert (seen["you"], seen["host"], seen["hosting"]) == (0, 2, False)
    assert code(ben, f"/tables/{table}/seats/1", {"promise": None}) == "ONE_SEAT"
    assert code(ada, f"/tables/{table}/start") == "SEATS_EMPTY"
    assert code(ben, f"/tables/{table}/start") == "NOT_HOST"
    with pytest.raises(Refused) as no:
        ben.call("DELETE", f"/tables/{table}/seats/2")
    assert no.value.code == "NOT_SEATED"
    ben.call("DELETE", f"/tables/{table}/seats/0")
    ben.sit(table, 1)
    seen = ada.bot(table, "hard")
    assert [seat["name"] for seat in seen["seats"]] == ["Hard bot", "Ben", "Ada"]
    assert code(ada, f"/tables/{table}/bots", {"level": "easy"}) == "SEAT_TAKEN"
    for seat in (1, 2):
        with pytest.raises(Refused) as no:
            ada.call("DELETE", f"/tables/{table}/bots/{seat}")
        assert no.value.code == "NO_SUCH_SEAT"
    seen = ada.call("DELETE", f"/tables/{table}/bots/0")["table"]
    assert seen["seats"][0] is None


def test_a_promise_made_for_another_seat_or_table_does_not_open(house: Served) -> None:
    """Copied from another seat, or made for another table: refused when opened, and nothing is dealt."""
    ada, ben = house.person("Ada"), house.person("Ben")
    table, other = (ada.open("michigan_rummy", 2)["id"] for _ in range(2))
    ada.sit(table, 0)
    _, cut, promise = ada._cuts[table]
    ben.call("POST", f"/tables/{table}/seats/1", {"promise": promise})
    ada.call("POST", f"/tables/{other}/seats/0", {"promise": promise})
    ben.call("POST", f"/tables/{other}/seats/1", {"promise": None})
    ada.start(table)
    ada.call("POST", f"/tables/{other}/start")
    assert code(ben, f"/tables/{table}/cut", {"cut": cut.hex()}) == "CUT_BROKEN"
    assert code(ada, f"/tables/{other}/cut", {"cut": cut.hex()}) == "CUT_BROKEN"
    assert code(ada, f"/tables/{table}/cut", {"cut": "00" * 32}) == "CUT_BROKEN"
    ada.cut(table)
    assert code(ada, f"/tables/{table}/cut", {"cut": cut.hex()}) == "CUT_TWICE"
    assert ada.table(table)["view"] is None


def test_a_person_has_another_name_in_the_log_at_each_table(house: Served) -> None:
    ada = house.person("Ada Lovelace")
    whos = set()
    for _ in range(3):
        table = ada.open("michigan_rummy", 2)["id"]
        ada.sit(table, 0)
        opening = ada.call("GET", f"/tables/{table}/opening")
        assert "Ada" not in str(opening)
        assert ada.call("GET", "/me")["person"] not in str(opening)
        live = house.do(lambda services, table=table: services.tables.get(table))
        whos.add(live.table.chairs[0].who)
        assert live.table.chairs[0].who == live.table.opened.host
    assert len(whos) == 3


# -- late watchers ----------------------------------------------------------------------------------------------------

DELAY = 30_000


def test_watchers_see_late_and_hear_of_it_in_time(served: Served) -> None:
    table, crowd = seated(served, watch_delay=DELAY)
    watcher = served.watcher()
    assert watcher.table(table)["phase"] == "open"
    served.clock.ahead += DELAY
    with watcher.feed(table) as feed:
        start = feed.next()["table"]
        assert start["phase"] == "playing"
        play_on(table, crowd, 4)
        assert watcher.table(table) == start
        assert watcher.call("GET", f"/tables/{table}/opening")["started"]
        seat, _ = turn(table, crowd)
        crowd[seat].call("POST", f"/tables/{table}/leave")
        assert watcher.table(table) == start
        served.clock.ahead += DELAY
        served.do(lambda services: _wake(services.hub))
        latest = feed.until(lambda frame: frame["table"]["seats"][seat]["left"])
        assert latest["table"]["view"]["moves"] == 4


def test_before_the_start_watchers_see_at_once(house: Served) -> None:
    ada, ben, watcher = house.person("Ada"), house.person("Ben"), house.watcher()
    table = ada.call("POST", "/tables", {"game": "michigan_rummy", "seats": 2, "watch_delay": 3_600_000})["table"]["id"]
    with watcher.feed(table) as feed:
        feed.next()
        seen = ada.sit(table, 1)
        assert [seat and seat["name"] for seat in seen["seats"]] == [None, "Ada"]
        for seats in ([None, "Ada"], ["Ben", "Ada"], [None, "Ada"]):
            told = feed.next()["table"]
            assert [seat and seat["name"] for seat in told["seats"]] == seats
            assert told == watcher.table(table)
            assert len(watcher.call("GET", f"/tables/{table}/opening")["events"]) == told["seen"]
            if seats == ["Ben", "Ada"]:
                ben.call("DELETE", f"/tables/{table}/seats/0")
            elif told["seen"] == 2:
                ben.sit(table, 0)
        ben.sit(table, 0)
        before = feed.next()["table"]
        ada.start(table)
        assert watcher.table(table) == before
        assert watcher.call("GET", f"/tables/{table}/opening")["started"] is None
    other = ada.call("POST", "/tables", {"game": "michigan_rummy", "seats": 2, "watch_delay": 3_600_000})["table"]["id"]
    ada.call("POST", f"/tables/{other}/close")
    assert watcher.table(other)["phase"] == "closed"
    assert audit.audit(watcher.call("GET", f"/replays/{other}").encode(), ada.keys).exit == 0


async def _wake(hub: object) -> None:
    """The test moved the clock by hand: let the feeds look at it."""
    for feeds in hub._feeds.values():
        for feed in feeds:
            hub.start(feed)


def test_a_short_delay_passes_by_itself(house: Served) -> None:
    table, crowd = seated(house, watch_delay=300)
    with house.watcher().feed(table) as feed:
        seat, _ = to_draw(table, crowd)
        play_on(table, crowd, 1)
        frame = feed.until(lambda frame: frame["table"]["view"] and frame["table"]["view"]["phase"] == "play")
        assert frame["table"]["view"]["turn"] == seat


def test_the_record_and_the_end_are_as_late_as_the_watchers(served: Served) -> None:
    """Also for whoever plays there and looks a second time without a token."""
    table, crowd = seated(served, watch_delay=DELAY)
    served.clock.ahead += DELAY
    crowd[0].call("POST", f"/tables/{table}/close")
    assert crowd[1].table(table)["phase"] == "closed"
    assert served.watcher().table(table)["phase"] == "playing"
    for person in (crowd[0], served.watcher()):
        with pytest.raises(Refused) as no:
            person.call("GET", f"/replays/{table}")
        assert no.value.code == "NO_SUCH_RECORD"
    served.clock.ahead += DELAY
    assert served.watcher().table(table)["phase"] == "closed"
    assert "revealed" in served.watcher().call("GET", f"/replays/{table}")
