"""The table of Contract Rummy in a browser: places on the table, jokers won, and whole hands by buttons and by keys."""

import random
import re
import time
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from domain.cards import Seat
from tests.api.house import Served, seated, wait
from tests.browser.conftest import SIZES, Visitor, against_bots
from tests.browser.contracts import (
    GAME,
    MELDS,
    MIDDLE,
    PRESS,
    READY,
    SETTLED,
    answer,
    card,
    go,
    left,
    opener,
    pick,
    press,
    start,
    status,
    surprising,
    view,
)

BOXES = (".tile", ".mid", ".hand", ".dock", ".bar", ".chips")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Any:
    return opener(monkeypatch)


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
def test_nobody_is_shut_out(lounge: Served, opened: Any, visit: Any, size: str) -> None:
    """Axe finds nothing serious while places are lit, while a swap is begun, and with the tray open."""
    opened("6H1 7C1 *2 2S1 6D1 9S1", melds=MELDS, down=[0, 1, 2], size=7)
    visitor, page, _, _ = start(lounge, visit, 4, size)
    for name in ("6H1", "*2", "7C1"):
        pick(page, name)
        expect(page.locator(".ghost").first).to_be_visible()
        assert visitor.axe() == []
        page.keyboard.press("Escape")
    opened(READY)
    visitor, page, _, _ = start(lounge, visit, 6, size)
    left(page).click()
    expect(left(page)).to_contain_text("Confirm")
    assert visitor.axe() == []


@pytest.mark.parametrize(("size", "deals"), [("desk", 2), ("phone", 6)])
def test_no_press_is_refused_by_surprise(lounge: Served, opened: Any, visit: Any, size: str, deals: int) -> None:
    """At random from the middle of a hand to its end, and on into the next."""
    opened(MIDDLE, melds=MELDS, down=[0, 1, 2], size=1, deals=deals)
    visitor, page, person, id = start(lounge, visit, 3, size)
    rng, said, since, ended = random.Random(size), set(), 0, False
    until = time.monotonic() + 100
    while since < 60 and time.monotonic() < until:
        pressed = page.evaluate(PRESS, [rng.choices(range(4), [6, 5, 4, 2])[0], rng.random()])
        page.evaluate(SETTLED)
        said.add((pressed or "").split(" ")[0])
        ended = ended or len(view(person, id)["scores"]) > 0
        since += ended
    assert "Discard" in said
    assert "Next" in said or not ended
    assert surprising(visitor) == []


def test_a_hand_is_played_by_keys_alone(lounge: Served, opened: Any, visit: Any) -> None:
    opened(READY, melds=MELDS[:4], down=[1, 2], size=5)
    visitor, page, person, id = start(lounge, visit, 3)
    until, now = time.monotonic() + 200, view(person, id)
    while not now["scores"] and time.monotonic() < until:
        by_key(page, now)
        page.evaluate(SETTLED)
        now = view(person, id)
    assert now["scores"]
    assert now["down"][0]
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
