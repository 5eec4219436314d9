"""The table of Contract Rummy in a browser: buying against the clock, and building a contract."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from domain.cards import Seat
from tests.api.house import Served, seated, wait
from tests.browser.conftest import SIZES
from tests.browser.contracts import (
    GAME,
    LAST,
    MELDS,
    READY,
    SETTLED,
    answer,
    card,
    go,
    left,
    opener,
    pick,
    right,
    start,
    status,
    view,
)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Any:
    return opener(monkeypatch)


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
    expect(left(page)).to_have_class(re.compile("cannot"))
    left(page).click(force=True)
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


LONG = "W" * 24


def test_nothing_moves_when_others_ask_for_a_card(lounge: Served, opened: Any, visit: Any) -> None:
    """However many there are, and whatever they are called."""
    opened("2S1 5H1 6D1 9S1 KC1", turn=Seat(7), window={})
    id, crowd = seated(lounge, 8, game=GAME, names=[LONG] * 8)
    visitor, page = go(visit, crowd[0], id)
    where = (".mid", ".piles", ".piles .place", ".clock", ".chips", ".chip", ".dock")

    def boxes() -> list[Any]:
        found = []
        for width, height in SIZES.values():
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(SETTLED)
            page.evaluate(SETTLED)
            found.append(visitor.boxes(*where))
        return found

    before = boxes()
    for n, person in enumerate(crowd[1:6], 1):
        answer(person, id, {"type": "buy", "window": 1})
        expect(page.locator(".clock small")).to_contain_text(re.compile("wants? it" if n == 1 else "want it"))
        if n in (1, 2, 5):
            assert boxes() == before, n


def test_a_phone_turned_sideways_shows_who_is_who(lounge: Served, opened: Any, visit: Any) -> None:
    opened("2S1 5H1 6D1 9S1 KC1", turn=Seat(2), window={})
    _, page, *_ = start(lounge, visit, 8, "phone")
    page.set_viewport_size({"width": 844, "height": 390})
    page.evaluate(SETTLED)
    page.evaluate(SETTLED)
    for chip in page.locator(".chip").all():
        name, figures = chip.locator(".who b").bounding_box(), chip.locator(".figures").bounding_box()
        assert name is not None
        assert figures is not None
        assert name["width"] > 20
        assert name["x"] + name["width"] <= figures["x"]
        assert abs(name["y"] + name["height"] / 2 - figures["y"] - figures["height"] / 2) < 3
    tile, pile = page.locator(".tile.mine").bounding_box(), page.locator(".piles").bounding_box()
    assert tile is not None
    assert pile is not None
    assert tile["x"] >= pile["x"] + pile["width"] - 1, "the seats stand beside the piles"


def test_the_tray_goes_when_another_tab_has_laid_it(lounge: Served, opened: Any, visit: Any) -> None:
    opened(READY)
    visitor, page, person, id = start(lounge, visit)
    left(page).click()
    expect(page.locator(".tray")).to_be_visible()
    answer(person, id, person.helps(id)["suggest"]["move"])
    expect(page.locator(".tray")).to_have_count(0)
    expect(page.locator(".tile.mine .meld")).to_have_count(2)
    assert not visitor.refused
