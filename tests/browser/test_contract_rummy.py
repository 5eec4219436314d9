"""The table of Contract Rummy in a browser: buying, building a contract, places, jokers won, the last hand."""

import random
import re
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from domain.cards import Ms, Seat
from domain.contract_rummy import moves
from domain.contract_rummy.contracts import fresh_pack
from domain.contract_rummy.options import Options
from domain.contract_rummy.state import State, Window
from domain.game import Chance, Line, Step
from tests.api.house import Person, Served, seated, wait
from tests.browser.conftest import SIZES, Visitor, against_bots
from tests.contract_rummy.tables import cards, table

GAME = "contract_rummy"
BOXES = (".tile", ".mid", ".hand", ".dock", ".bar", ".chips")
MELDS = [(1, "8S1 8H1 8D1"), (1, "5C1 6C1 *1 8C1"), (2, "KS1 KH1 KD1"), (2, "2H1 3H1 4H1 5H1"), (0, "QS1 QH1 QD1")]
READY = "8S2 8H2 8D2 KS2 KH2 *2 2S1 QC1 6D1 9S1 TS1"  # the two sets of the first hand are in it
LAST = "4H1 5H1 6H1 7H1 8H1 4S1 5S1 6S1 7S1 4D1 5D1 6D1 7D1"  # three runs and nothing else


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Open the tables of this test at a position: hands named from seat 0 on, the other ones dealt at random."""

    def put(*hands: str, size: int = 10, window: dict[str, Any] | None = None, **fields: Any) -> None:
        def new_game(options: Options, seats: int, now: Ms, chance: Chance) -> Step:
            s = position(options, seats, now, hands, size, window, fields)
            told = {"deal": s.deals, "dealer": s.dealer, "cards": size, "upcard": s.pile[-1]}
            return Step(s, (Line("dealt", None, told),))

        monkeypatch.setattr(moves, "new_game", new_game)

    return put


def position(
    options: Options, seats: int, now: Ms, hands: Sequence[str], size: int, window: dict[str, Any] | None,
    fields: dict[str, Any],
) -> State:  # fmt: skip
    pile = fields.get("pile", "2C1 3C1")
    named = [*hands, pile, *(text for _, text in fields.get("melds", ()))]
    used = {card for text in named for card in cards(text)}
    rest = [card for card in fresh_pack(seats) if card not in used and card[0] != "*"]
    random.Random(3).shuffle(rest)
    others = [" ".join(rest.pop() for _ in range(size)) for _ in range(seats - len(hands))]
    more: dict[str, Any] = {"stock": " ".join(rest), "pile": pile} | fields
    if window is not None:
        thrower = Seat((fields["turn"] - 1) % seats)
        usual = {"id": 1, "card": cards(pile)[-1], "thrower": thrower, "opened": now, "closes": Ms(now + 600_000)}
        more |= {"phase": "draw", "window": Window(**usual | window)}
    return table(*hands, *others, options=options, **more)


def card(page: Page, name: str) -> Locator:
    return page.locator(f'.hand [data-card="{name}"]')


def pick(page: Page, names: str) -> None:
    for name in names.split():
        card(page, name).click()


def press(page: Page, meld: int, end: str = "") -> Locator:
    return page.locator(f'[data-place="{meld}.{end}"]')


def status(page: Page) -> Locator:
    return page.locator(".dock .status")


def left(page: Page) -> Locator:
    return page.locator(".dock .left")


def right(page: Page) -> Locator:
    return page.locator(".dock .right")


def go(visit: Any, person: Person, id: str, size: str = "desk") -> tuple[Visitor, Page]:
    visitor = visit(size, person).quiet(GAME)
    visitor.context.add_init_script("localStorage.setItem('faircut.contract_rummy.ask', '\"ask\"')")
    page = visitor.go(f"/play/{id}")
    page.locator(".hand .card").first.wait_for()
    return visitor, page


def start(lounge: Served, visit: Any, seats: int = 4, size: str = "desk") -> tuple[Visitor, Page, Person, str]:
    person, id = against_bots(lounge, GAME, seats)
    return (*go(visit, person, id, size), person, id)


def view(person: Person, id: str) -> dict[str, Any]:
    found: dict[str, Any] = person.table(id)["view"]
    return found


def answer(person: Person, id: str, move: dict[str, Any]) -> None:
    """Answer the question that is put to a person."""
    person.move(id, (person.owes(person.table(id)) or {})["key"], move)


# Buying


def test_the_discard_is_bought_and_the_price_paid(lounge: Served, opened: Any, visit: Any) -> None:
    opened(window={}, turn=Seat(2), pile="2C1 8C1")
    id, crowd = seated(lounge, 4, game=GAME)
    visitor, page = go(visit, crowd[0], id)
    expect(left(page)).to_contain_text("Buy it")
    expect(right(page)).to_contain_text("No thanks")
    expect(status(page)).to_contain_text("You are 2nd in line")
    expect(page.locator(".clock")).to_contain_text(re.compile("Buying [0-9]+ s"))
    expect(page.locator('[data-seat="3"] .badge')).to_have_text("deciding")
    expect(page.locator('[data-seat="1"] .badge')).to_have_count(0)
    page.keyboard.press("b")
    expect(page.locator('[data-seat="0"] .badge')).to_have_text("buying")
    left(page).click(force=True)
    expect(status(page)).to_contain_text("your claim stands")
    answer(crowd[3], id, {"type": "pass"})
    expect(page.locator(".clock")).to_contain_text("Stock open")
    expect(page.locator('[data-seat="3"] .badge')).to_have_count(0)
    answer(crowd[2], id, {"type": "draw"})
    expect(page.locator(".hand .card")).to_have_count(12)
    expect(page.locator('[data-seat="0"] .badge')).to_have_text("bought")
    assert "8C1" in view(crowd[0], id)["hand"]
    assert not visitor.refused


def test_after_no_thanks_the_card_may_be_bought_until_buying_closes(lounge: Served, opened: Any, visit: Any) -> None:
    opened(window={}, turn=Seat(2), pile="2C1 8C1")
    id, crowd = seated(lounge, 4, game=GAME)
    visitor, page = go(visit, crowd[0], id)
    right(page).click()
    expect(status(page)).to_contain_text("You passed")
    expect(page.locator('[data-seat="0"] .badge')).to_have_text("passed")
    right(page).click(force=True)
    expect(status(page)).to_contain_text("You have passed")
    left(page).click()
    expect(status(page)).to_contain_text("You asked for 8♣")
    assert view(crowd[1], id)["window"]["claims"] == [0]
    assert not visitor.refused


def test_a_press_after_closing_says_so(lounge: Served, opened: Any, visit: Any) -> None:
    opened(window={"shut": True}, turn=Seat(2), pile="2C1 8C1")
    id, crowd = seated(lounge, 4, game=GAME)
    visitor, page = go(visit, crowd[0], id)
    for button in (left(page), right(page)):
        button.click(force=True)
        expect(status(page)).to_contain_text("Buying has closed")
    assert not visitor.refused


def test_who_is_ahead_is_told_to_those_who_hoped(lounge: Served, opened: Any, visit: Any) -> None:
    opened(window={}, turn=Seat(2), pile="2C1 8C1")
    id, crowd = seated(lounge, 4, game=GAME)
    _, page = go(visit, crowd[0], id)
    left(page).click()
    expect(page.locator('[data-seat="0"] .badge')).to_have_text("buying")
    crowd[3].move(id, None, {"type": "buy"})
    expect(page.locator(".toast")).to_contain_text("Dan is ahead of you and buys 8♣")


def test_who_still_thinks_is_told_that_the_next_player_took_it(lounge: Served, opened: Any, visit: Any) -> None:
    opened(window={}, turn=Seat(2), pile="2C1 8C1")
    id, crowd = seated(lounge, 4, game=GAME)
    _, page = go(visit, crowd[0], id)
    expect(left(page)).to_contain_text("Buy it")
    crowd[2].move(id, None, {"type": "take"})
    expect(page.locator(".toast")).to_contain_text("Cleo took 8♣")


def test_a_draw_waits_for_the_stock_and_is_made_once(lounge: Served, opened: Any, visit: Any) -> None:
    """The lock outlives frames and a reload; pressed again it lets go."""
    opened(window={}, turn=Seat(0), pile="2C1 8C1")
    id, crowd = seated(lounge, 4, game=GAME)
    visitor, page = go(visit, crowd[0], id)
    expect(right(page)).to_contain_text("Draw")
    page.keyboard.press("d")
    expect(right(page)).to_contain_text("Drawing next")
    expect(page.locator(".piles")).to_contain_text("Drawing next")
    expect(status(page)).to_contain_text("waiting for the others")
    right(page).click()
    expect(right(page)).not_to_contain_text("Drawing next")
    right(page).click()
    crowd[2].move(id, None, {"type": "buy"})
    expect(page.locator('[data-seat="2"] .badge')).to_have_text("buying")
    expect(right(page)).to_contain_text("Drawing next")
    assert view(crowd[0], id)["phase"] == "draw"
    answer(crowd[1], id, {"type": "pass"})
    expect(page.locator(".hand .card")).to_have_count(11)
    assert view(crowd[0], id)["phase"] == "play"
    assert len(view(crowd[2], id)["hand"]) == 12
    assert not visitor.refused


def test_the_lock_is_kept_over_a_reload_and_taking_drops_it(lounge: Served, opened: Any, visit: Any) -> None:
    opened(window={}, turn=Seat(0), pile="2C1 8C1")
    id, crowd = seated(lounge, 4, game=GAME)
    visitor, page = go(visit, crowd[0], id)
    right(page).click()
    expect(right(page)).to_contain_text("Drawing next")
    page.reload()
    expect(right(page)).to_contain_text("Drawing next")
    page.keyboard.press("t")
    expect(page.locator(".hand .card")).to_have_count(11)
    assert "8C1" in view(crowd[0], id)["hand"]
    expect(left(page)).not_to_contain_text("Take")
    assert not visitor.refused


def test_a_draw_that_ends_the_hand_is_asked_twice(lounge: Served, opened: Any, visit: Any) -> None:
    opened(window={"shut": True}, turn=Seat(0), pile="8C1", stock="")
    _, page, person, id = start(lounge, visit)
    expect(right(page)).to_contain_text("End the hand")
    right(page).click()
    expect(status(page)).to_contain_text("drawing ends the hand")
    assert view(person, id)["phase"] == "draw"
    right(page).click()
    page.get_by_role("heading", name="Hand 1 is over").wait_for()


def test_a_wish_not_to_be_asked_is_told_to_the_house(lounge: Served, opened: Any, visit: Any) -> None:
    opened(window={}, turn=Seat(2), pile="2C1 8C1")
    id, crowd = seated(lounge, 4, game=GAME)
    visitor, page = go(visit, crowd[0], id)
    page.get_by_role("button", name="Options").click()
    page.get_by_role("button", name="Never", exact=True).click()
    wait(lambda: view(crowd[0], id)["pref"] == "never")
    page.get_by_role("button", name="Close").click()
    expect(status(page)).to_contain_text("You passed")
    assert not visitor.refused


# Going down


def test_the_house_lays_out_the_contract_and_the_player_confirms(lounge: Served, opened: Any, visit: Any) -> None:
    opened(READY)
    visitor, page, person, id = start(lounge, visit)
    page.keyboard.press("m")
    expect(page.locator(".panel")).to_have_count(2)
    expect(page.locator(".panel .ok")).to_have_count(2)
    expect(status(page)).to_contain_text("confirm")
    expect(card(page, "8S2")).to_be_hidden()
    assert view(person, id)["melds"] == []
    page.keyboard.press("Escape")
    expect(page.locator(".tray")).to_have_count(0)
    expect(card(page, "8S2")).to_be_visible()
    left(page).click()
    expect(left(page)).to_contain_text("Confirm")
    left(page).click()
    expect(page.locator(".tile.mine .meld")).to_have_count(2)
    assert view(person, id)["down"][0]
    expect(status(page)).to_contain_text("Discard a card")
    assert not visitor.refused


def test_a_contract_is_built_by_hand_and_finished_by_the_house(lounge: Served, opened: Any, visit: Any) -> None:
    opened(READY)
    visitor, page, person, id = start(lounge, visit)
    pick(page, "8S2 8H2")
    left(page).click(force=True)
    expect(status(page)).to_contain_text("at least three")
    pick(page, "*2")
    expect(left(page)).to_contain_text("Make a set of 8s")
    left(page).click()
    expect(page.locator(".panel .ok")).to_have_count(1)
    expect(page.locator(".panel.lacking")).to_have_count(1)
    expect(status(page)).to_contain_text("Still to build: a set")
    left(page).click()
    expect(status(page)).to_contain_text("not there")
    page.get_by_role("button", name="Undo set 1").click()
    expect(page.locator(".tray")).to_have_count(0)
    pick(page, "8S2 8H2 8D2")
    left(page).click()
    left(page).click()
    expect(page.locator(".panel .ok")).to_have_count(2)
    expect(left(page)).to_contain_text("Confirm")
    left(page).click()
    expect(page.locator(".tile.mine .meld")).to_have_count(2)
    laid = [set(meld["cards"]) for meld in view(person, id)["melds"]]
    assert {"8S2", "8H2", "8D2"} in laid
    assert not visitor.refused


def test_a_spare_joker_goes_to_the_end_one_wants(lounge: Served, opened: Any, visit: Any) -> None:
    opened("4H1 5H1 6H1 *1 8S2 8H2 8D2 2S1 QC1 9S1 TS1", deals=2)
    _, page, person, id = start(lounge, visit)
    pick(page, "4H1 5H1 6H1 *1")
    left(page).click()
    panel = page.locator(".panel").first
    expect(panel).to_have_attribute("aria-label", re.compile("4♥.*Joker$"))
    page.get_by_role("button", name="Move joker").click()
    expect(panel).to_have_attribute("aria-label", re.compile(": Joker 4♥"))
    left(page).click()
    expect(left(page)).to_contain_text("Confirm")
    left(page).click()
    expect(page.locator(".tile.mine .meld")).to_have_count(2)
    run = next(meld for meld in view(person, id)["melds"] if meld["kind"] == "run")
    assert (run["lo"], run["cards"][0]) == (3, "*1")


def test_jokers_alone_are_asked_what_they_stand_for(lounge: Served, opened: Any, visit: Any) -> None:
    opened("*1 *2 *3 8S2 8H2 8D2 2S1 QC1 6D1 9S1 TS1")
    _, page, person, id = start(lounge, visit)
    pick(page, "*1 *2 *3")
    left(page).click()
    page.get_by_label("The jokers stand for").select_option(label="set of 9s")
    page.get_by_role("button", name="Make it").click()
    left(page).click()
    expect(left(page)).to_contain_text("Confirm")
    left(page).click()
    expect(page.locator(".tile.mine .meld")).to_have_count(2)
    assert {meld["rank"] for meld in view(person, id)["melds"]} == {"9", "8"}


def test_a_joker_of_the_table_is_won_for_the_contract(lounge: Served, opened: Any, visit: Any) -> None:
    opened("7C1 8S2 8H2 KS2 KH2 KD2 2S1 QC1 6D1 9S1 TS1", melds=MELDS[:2], down=[1])
    visitor, page, person, id = start(lounge, visit)
    expect(card(page, "7C1")).to_have_attribute("aria-label", re.compile("wins a joker"))
    pick(page, "7C1")
    page.get_by_role("button", name=re.compile("^Take the joker")).click()
    expect(status(page)).to_contain_text("wins the joker")
    expect(card(page, "7C1")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(card(page, "7C1")).to_be_visible()
    pick(page, "7C1")
    page.get_by_role("button", name=re.compile("^Take the joker")).click()
    pick(page, "8S2 8H2")
    page.get_by_role("button", name="Joker won with 7♣").click()
    left(page).click()
    left(page).click()
    expect(left(page)).to_contain_text("Confirm")
    left(page).click()
    expect(page.locator(".tile.mine .meld")).to_have_count(2)
    melds = view(person, id)["melds"]
    assert melds[1]["cards"] == ["5C1", "6C1", "7C1", "8C1"]
    assert any("*1" in meld["cards"] for meld in melds if meld["owner"] == 0)
    assert not visitor.refused


def test_in_the_last_hand_all_cards_go_at_once(lounge: Served, opened: Any, visit: Any) -> None:
    opened(LAST, deals=7, size=12)
    visitor, page, person, id = start(lounge, visit, 5)
    expect(page.locator('[data-seat="1"] .backs .card')).to_have_count(12)
    pick(page, "4H1 5H1 6H1 7H1 8H1")
    left(page).click()
    expect(page.locator(".panel.lacking")).to_have_count(2)
    expect(left(page)).to_contain_text("Go out")
    left(page).click()
    expect(left(page)).to_contain_text("Confirm")
    left(page).click()
    page.get_by_role("heading", name=re.compile("You win")).wait_for()
    assert person.table(id)["outcome"]["places"][0] == 1
    assert not visitor.refused
    assert not visitor.axe()


# Once down


def test_places_are_drawn_and_one_press_lays_the_card(lounge: Served, opened: Any, visit: Any) -> None:
    opened("6H1 8C2 *2 2S1 6D1 9S1", melds=MELDS, down=[0, 1, 2], size=7)
    visitor, page, person, id = start(lounge, visit)
    expect(card(page, "6H1")).to_have_attribute("aria-label", re.compile("can be played"))
    pick(page, "2S1")
    expect(page.locator(".press")).to_have_count(0)
    expect(left(page)).to_have_attribute("aria-disabled", "true")
    left(page).click(force=True)
    expect(status(page)).to_contain_text("goes on no meld")
    page.keyboard.press("Escape")
    before = page.locator('[data-meld="4"]').bounding_box()
    pick(page, "6H1")
    expect(press(page, 4, "high")).to_have_count(1)
    expect(page.locator('[data-meld="4"] .ghost')).to_contain_text("6♥")
    assert page.locator('[data-meld="4"]').bounding_box() == before, "the meld keeps its width"
    press(page, 4, "high").click()
    expect(page.locator('[data-meld="4"] [data-card="6H1"]')).to_have_count(1)
    expect(page.locator('[data-meld="4"] .new')).to_have_count(1)
    assert view(person, id)["melds"][3]["cards"][-1] == "6H1"
    assert not visitor.refused


def test_a_joker_goes_to_the_end_nearer_the_tap(lounge: Served, opened: Any, visit: Any) -> None:
    opened("*2 2S1 6D1 9S1", melds=MELDS, down=[0, 1, 2], size=7)
    visitor, page, person, id = start(lounge, visit, size="phone")
    pick(page, "*2")
    expect(press(page, 4, "low")).to_have_count(1)
    box = page.locator('[data-meld="4"]').bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.2, box["y"] + box["height"] / 2)
    wait(lambda: "*2" not in view(person, id)["hand"])
    assert view(person, id)["melds"][3]["cards"][0] == "*2"
    assert not visitor.refused


def test_two_taps_win_a_joker_and_lay_it(lounge: Served, opened: Any, visit: Any) -> None:
    opened("7C1 2S1 6D1 9S1", melds=MELDS, down=[0, 1, 2], size=7)
    visitor, page, person, id = start(lounge, visit)
    expect(card(page, "7C1")).to_have_attribute("aria-label", re.compile("wins a joker"))
    pick(page, "7C1")
    expect(page.locator('[data-meld="2"] .instead')).to_contain_text("★ out")
    expect(page.locator(".press")).to_have_count(4 + 2 * 2 - 1)
    press(page, 5).click()
    expect(page.locator('[data-meld="2"] [data-card="7C1"]')).to_have_count(1)
    assert "*1" in view(person, id)["melds"][4]["cards"]
    assert not visitor.refused


def test_of_several_jokers_one_is_taken_first(lounge: Served, opened: Any, visit: Any) -> None:
    melds = [(1, "8S1 8H1 8D1"), (1, "5C1 6C1 *1 8C1"), (2, "4C1 5C2 6C2 *2")]
    opened("7C1 2S1 6D1 9S1", melds=melds, down=[0, 1, 2], size=7)
    visitor, page, person, id = start(lounge, visit)
    pick(page, "7C1")
    expect(page.locator(".ghost.take")).to_have_count(2)
    expect(page.locator(".press")).to_have_count(0)
    page.locator('[data-meld="3"] .ghost.take').click()
    expect(status(page)).to_contain_text("Joker taken")
    page.keyboard.press("Escape")
    expect(page.locator(".ghost")).to_have_count(0)
    assert "7C1" in view(person, id)["hand"]
    pick(page, "7C1")
    page.locator('[data-meld="3"] .ghost.take').click()
    press(page, 1).click()
    wait(lambda: "7C1" not in view(person, id)["hand"])
    assert view(person, id)["melds"][0]["cards"][-1] == "*2"
    assert not visitor.refused


def test_all_that_has_one_place_is_played_and_the_rest_is_left_picked(lounge: Served, opened: Any, visit: Any) -> None:
    melds = [*MELDS[2:4], (1, "9H1 9D1 9C1"), (0, "5S1 6S1 7S1 8S1")]
    opened("6H1 KC1 9S1 2C2 3D1", melds=melds, down=[0, 1, 2], size=7)
    visitor, page, person, id = start(lounge, visit)
    page.keyboard.press("a")
    expect(card(page, "9S1")).to_have_attribute("aria-pressed", "true")
    assert set(view(person, id)["hand"]) == {"9S1", "2C2", "3D1"}
    expect(page.locator(".press")).to_have_count(2)
    assert not visitor.refused


def test_a_discard_that_could_be_played_is_asked_twice(lounge: Served, opened: Any, visit: Any) -> None:
    opened("6H1 2S1 6D1", melds=MELDS, down=[0, 1, 2], size=7)
    visitor, page, person, id = start(lounge, visit)
    pick(page, "6H1")
    page.keyboard.press("x")
    expect(status(page)).to_contain_text("can still be played")
    page.keyboard.press("x")
    wait(lambda: "6H1" in view(person, id)["pile"])
    assert not visitor.refused


def test_without_the_helpers_the_same_can_be_done(lounge: Served, opened: Any, visit: Any) -> None:
    opened("6H1 9D1 7C1 2S1 6D1", melds=[*MELDS, (2, "9S1 9H1 9C1"), (1, "TD1 JD1 QD2 KD2")], down=[0, 1, 2], size=7)
    visitor, page, person, id = start(lounge, visit)
    page.evaluate(f"localStorage.setItem('faircut.helpers.{GAME}', JSON.stringify({{slots: false, stars: false}}))")
    page.reload()
    expect(card(page, "7C1")).to_have_attribute("aria-label", "7 of clubs")
    pick(page, "9D1")
    expect(page.locator(".press")).to_have_count(0)
    page.get_by_role("button", name=re.compile("Play 9♦ on the set of 9s")).click()
    wait(lambda: "9D1" not in view(person, id)["hand"])
    pick(page, "7C1")
    press(page, 1).click()
    wait(lambda: "7C1" not in view(person, id)["hand"])
    assert not visitor.refused


def test_what_others_play_on_ones_melds_leads_the_status(lounge: Served, opened: Any, visit: Any) -> None:
    hands = ("2S1 6D1 7D1", "QC1 3D1 4S1 7H1", "2D1 3S1", "2D2 3S2")
    opened(*hands, melds=[*MELDS, (3, "JS1 JH1 JD1")], down=[0, 1, 2, 3], turn=Seat(1))
    id, crowd = seated(lounge, 4, game=GAME)
    _, page = go(visit, crowd[0], id)
    answer(crowd[1], id, {"type": "lay_off", "plays": [{"card": "QC1", "meld": 5}]})
    expect(page.locator('[data-meld="5"] .by')).to_have_count(1)
    answer(crowd[1], id, {"type": "discard", "card": "3D1"})
    expect(status(page)).to_contain_text(re.compile("^Ben played Q♣.? on your set."))


# The whole


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7, 8])
def test_nothing_moves_when_a_seat_melds(lounge: Served, opened: Any, visit: Any, seats: int) -> None:
    opened(READY)
    visitor, page, _, _ = start(lounge, visit, seats)
    expect(left(page)).to_contain_text("Go down")
    before = {size: measured(visitor, size) for size in SIZES}
    left(page).click()
    expect(left(page)).to_contain_text("Confirm")
    left(page).click()
    expect(page.locator(".tile.mine .meld")).to_have_count(2)
    expect(left(page)).to_contain_text("Play")
    assert {size: measured(visitor, size) for size in SIZES} == before


def measured(visitor: Visitor, size: str) -> dict[str, tuple[float, ...]]:
    """The boxes of the table in a window of this size, in which nothing is cut off at the side."""
    page, (width, height) = visitor.page, SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(SETTLED)
    page.evaluate(SETTLED)
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    return visitor.boxes(*(BOXES if width > 640 else (".mid", ".hand", ".dock", ".bar", ".chips", ".tile.mine")))


def test_a_watcher_sees_the_table_and_no_hand(lounge: Served, opened: Any, visit: Any) -> None:
    opened(READY, melds=MELDS[:2], down=[1])
    _, id = against_bots(lounge, GAME, 5)
    visitor = visit("desk").quiet(GAME)
    page = visitor.go(f"/play/{id}")
    expect(page.locator(".tile")).to_have_count(5)
    expect(page.locator(".meld")).to_have_count(2)
    assert page.locator(".hand").count() == 0
    assert not visitor.axe()


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_no_press_is_refused_by_surprise(lounge: Served, visit: Any, size: str) -> None:
    person, id = against_bots(lounge, GAME, 3, {"buy_seconds": 10})
    visitor, page = go(visit, person, id, size)
    rng, said = random.Random(size), set()
    for i in range(6_000):
        pressed = page.evaluate(PRESS, [rng.choices(range(4), [6, 5, 4, 2])[0], rng.random()])
        page.evaluate(SETTLED)
        said.add((pressed or "").split(" ")[0])
        if i % 20 == 0 and len(view(person, id)["scores"]) >= 2:
            break
    assert len(view(person, id)["scores"]) >= 2
    assert {"Draw", "Discard"} <= said
    assert surprising(visitor) == []


def surprising(visitor: Visitor) -> list[str]:
    """Refusals other than that a buying closed while the press was on its way."""
    return [said for said in visitor.refused if "BUYING_CLOSED" not in said and "STALE" not in said]


def test_a_hand_is_played_by_keys_alone(lounge: Served, visit: Any) -> None:
    person, id = against_bots(lounge, GAME, 3, {"buy_seconds": 10})
    visitor, page = go(visit, person, id)
    for _ in range(2_000):
        now = view(person, id)
        if now["scores"]:
            break
        by_key(page, now)
        page.evaluate(SETTLED)
    assert view(person, id)["scores"]
    assert surprising(visitor) == []


def classes(node: Locator) -> str:
    return (node.get_attribute("class") if node.count() else None) or ""


def by_key(page: Page, now: dict[str, Any]) -> None:
    """One press of a key that brings the hand on."""
    if page.locator("dialog[open]").count():
        page.keyboard.press("Escape")
    elif now["phase"] == "draw":
        page.keyboard.press("d" if now["turn"] == 0 else "n")
    elif now["turn"] == 0 and re.match("Go down|Confirm", left(page).inner_text()) and "filled" in classes(left(page)):
        page.keyboard.press("m")
    elif now["turn"] == 0 and "filled" in classes(page.locator(".dock .auto")):
        page.keyboard.press("a")
    elif now["turn"] == 0:
        page.keyboard.press("Escape")
        for _ in range(60):
            if page.evaluate("() => Boolean(document.activeElement?.closest('.hand'))"):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.evaluate(SETTLED)
        for _ in range(2):
            page.keyboard.press("x")
            page.evaluate(SETTLED)


# Presses something that the page does not say to be impossible: dialogs first, then the dock, cards, places, piles.
PRESS = """([group, at]) => {
  const seen = (node) => node.offsetParent !== null && node.getAttribute('aria-disabled') !== 'true';
  const all = (what) => [...document.querySelectorAll(what)].filter(seen);
  const dialog = all('dialog[open] .ends button.filled, dialog[open] .close');
  const groups = [all('.dock .big button, .dock .more button'), all('.hand button.card'),
    all('.press, .ghost.take, .tray button'), all('.mid button')];
  const from = dialog.length ? dialog.slice(0, 1) : groups[group].length ? groups[group] : groups[0];
  if (!from.length) return null;
  const node = from[Math.floor(at * from.length)];
  node.click();
  return node.innerText.trim() || node.getAttribute('aria-label');
}"""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
