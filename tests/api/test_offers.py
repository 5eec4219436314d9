"""What picked cards can do, asked over the API: told to the seat that holds them, and of hidden cards nothing."""

from typing import Any

import pytest

from domain.registry import GAMES
from tests.api.house import Person, Refused, Served, seated, turn, version
from tests.walk import CARD


def offers(person: Person, table: str, *picked: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.call("POST", f"/tables/{table}/offers", {"picked": picked})["offers"]
    return found


def refused(person: Person, table: str, body: Any) -> tuple[int, str]:
    with pytest.raises(Refused) as no:
        person.call("POST", f"/tables/{table}/offers", body)
    return no.value.status, no.value.code


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_hidden_card_is_answered_alike_wherever_it_lies(house: Served, game: str) -> None:
    """In the stock, in any other hand or nowhere, alone or beside a card of one's own; whosever turn it is."""
    table, crowd = seated(house, 3, game=game)
    before = version(house, table)
    state = house.do(lambda services: services.tables.get(table)).table.state
    for seat, person in enumerate(crowd):
        hidden = [state.stock[0], state.stock[-1], *(hand[0] for i, hand in enumerate(state.hands) if i != seat)]
        for beside in ((), (state.hands[seat][0],)):
            answers = [offers(person, table, *beside, card) for card in (*hidden, "*77", "ZZ9", "", "*", "\x00")]
            assert all(answer == answers[0] for answer in answers)
    assert version(house, table) == before


@pytest.mark.parametrize("game", sorted(GAMES))
def test_offers_name_no_card_that_the_seat_does_not_see(house: Served, game: str) -> None:
    table, crowd = seated(house, 3, game=game)
    for _ in range(12):
        state = house.do(lambda services: services.tables.get(table)).table.state
        for seat, person in enumerate(crowd):
            seen = set(CARD.findall(str(person.call("GET", f"/tables/{table}/view")["view"])))
            for picked in ((), state.hands[seat][:1], state.hands[seat][:3]):
                assert set(CARD.findall(str(offers(person, table, *picked)))) <= seen
        seat, key = turn(table, crowd)
        moves = [move for move in crowd[seat].legal(table) if move["type"] != "resign"]
        crowd[seat].move(table, key, moves[0])


def test_only_who_plays_a_seat_is_offered_anything(house: Served) -> None:
    table, crowd = seated(house)
    assert refused(house.watcher(), table, {}) == (403, "NOT_SEATED")
    assert refused(house.person("Eve"), table, {}) == (403, "NOT_SEATED")
    crowd[1].call("POST", f"/tables/{table}/leave", {})
    crowd[0].call("POST", f"/tables/{table}/cover", {"seat": 1, "level": "easy"})
    assert refused(crowd[1], table, {}) == (403, "NOT_SEATED")
    for path in ("helps", "arrange", "legal"):
        with pytest.raises(Refused) as no:
            crowd[1].call("GET", f"/tables/{table}/{path}")
        assert (no.value.status, no.value.code) == (403, "NOT_SEATED")


def test_where_nothing_is_played_nothing_is_offered(house: Served) -> None:
    host = house.person()
    table = host.open("michigan_rummy", 2)["id"]
    host.sit(table, 0)
    assert refused(host, table, {}) == (409, "PHASE")
    ended, crowd = seated(house)
    crowd[0].call("POST", f"/tables/{ended}/close", {})
    assert refused(crowd[0], ended, {}) == (409, "PHASE")


@pytest.mark.parametrize(
    "body",
    [[], {"picked": {}}, {"picked": [1]}, {"picked": [None]}, {"picked": "QH1"}, {"picked": [["QH1"]]}, {"seat": 1},
     {"picked": ["QH1"] * 221}, {"picked": ["QH1QH"]}, {"hand": ["QH1"]}, 7],
)  # fmt: skip
def test_what_is_no_list_of_cards_is_refused(house: Served, body: Any) -> None:
    table, crowd = seated(house)
    answer = crowd[0].http.post(f"/tables/{table}/offers", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "BAD")


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_same_card_many_times_is_no_more_than_once_or_nothing(house: Served, game: str) -> None:
    table, crowd = seated(house, 3, game=game)
    for person in crowd:
        card = person.call("GET", f"/tables/{table}/view")["view"]["hand"][0]
        many, one = offers(person, table, *[card] * 220), offers(person, table, card)
        assert many == one or any(offer["why"] == "A card you picked is not in your hand." for offer in many)
