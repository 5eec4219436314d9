"""The table of Thai Rummy in a browser: whole hands by its own buttons, and each of its special flows once."""

import random
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.api.house import Served, seated
from tests.browser.conftest import SIZES, against_bots
from tests.browser.rummies import SETTLED, Visit, by_keys, play_at_random, reach, turn_over

BOXES = (".tile", ".mid", ".hand", ".dock", ".bar")
GAME = "thai_rummy"


def deep(view: dict[str, Any], helps: dict[str, Any]) -> bool:
    """Whether a card below the top of the pile can be taken."""
    return any(pick["takeable"] and pick["at"] < len(view["pile"]) - 1 for pick in helps["picks"])


def test_no_press_is_refused_by_surprise(lounge: Served, visit: Visit) -> None:
    person, table = against_bots(lounge, GAME, 2)
    visitor = visit("desk", person).quiet(GAME)
    visitor.go(f"/play/{table}").wait_for_selector(".hand .card")
    said = play_at_random(visitor, table, 2, random.Random(1))
    assert visitor.refused == []
    assert {"Draw", "Discard"} <= said


def test_a_card_of_the_pile_is_chosen_and_taken_with_all_above(lounge: Served, visit: Visit) -> None:
    person, table, view = reach(lounge, GAME, 3, deep)
    pick = next(pick for pick in person.helps(table)["picks"] if pick["takeable"])
    page = visit("desk", person).quiet(GAME).go(f"/play/{table}")
    page.locator(f'.thai-pile [data-card="{pick["card"]}"].offer').click()
    count = len(view["pile"]) - pick["at"]
    page.locator(".dock .left").get_by_text(re.compile(f"^Take {count} and meld")).wait_for()
    assert page.locator(".thai-pile .up").count() == count
    way = pick["ways"][0]
    picked = page.locator(".hand .picked").evaluate_all("nodes => nodes.map((node) => node.dataset.card)")
    assert sorted(picked) == sorted(card for card in way["cards"] if card in view["hand"])
    page.keyboard.press("t")
    for card in way["cards"]:
        page.locator(f'.tile.mine [data-card="{card}"]').wait_for()
    after = person.table(table)["view"]
    assert after["pile"] == view["pile"][: pick["at"]]
    assert after["melded"][0] - view["melded"][0] == way["points"]


def test_a_card_that_cannot_be_taken_says_why(lounge: Served, visit: Visit) -> None:
    person, table, _ = reach(lounge, GAME, 2, lambda _, helps: any(not pick["takeable"] for pick in helps["picks"]))
    pick = next(pick for pick in person.helps(table)["picks"] if not pick["takeable"])
    page = visit("phone", person).quiet(GAME).go(f"/play/{table}")
    page.locator(f'.thai-pile [data-card="{pick["card"]}"].dim').click()
    assert page.locator(".dock .left").get_attribute("aria-disabled") == "true"
    page.locator(".dock .left").click(force=True)
    status = page.locator(".dock .status").inner_text()
    assert status.endswith(".")
    assert person.table(table)["view"]["phase"] == "draw"
    page.keyboard.press("Escape")
    expect(page.locator(".thai-pile .chosen")).to_have_count(0)


def test_an_extension_lies_in_front_of_who_laid_it(lounge: Served, visit: Visit) -> None:
    def others(view: dict[str, Any], helps: dict[str, Any]) -> bool:
        mine = {meld["id"] for meld in view["melds"] if meld["owner"] == 0}
        return any(place["meld"] not in mine for fit in helps["fits"] for place in fit["places"])

    person, table, view = reach(lounge, GAME, 2, others)
    mine = {meld["id"] for meld in view["melds"] if meld["owner"] == 0}
    fit, place = next(
        (fit, place) for fit in person.helps(table)["fits"] for place in fit["places"] if place["meld"] not in mine
    )
    page = visit("desk", person).quiet(GAME).go(f"/play/{table}")
    page.locator(f'.hand [data-card="{fit["card"]}"]').click()
    page.locator(f'[data-meld="{place["meld"]}"] .slot').first.click()
    page.locator(f'.tile.mine .meld.link [data-card="{fit["card"]}"]').wait_for()
    meld = page.locator(f'[data-meld="{place["meld"]}"]')
    assert meld.locator(".ghost").last.get_attribute("aria-label") is not None
    assert person.table(table)["view"]["melded"][0] == view["melded"][0] + place["points"]


def test_all_that_can_be_laid_goes_down_by_one_press(lounge: Served, visit: Visit) -> None:
    person, table, view = reach(lounge, GAME, 2, lambda _, helps: helps["plan"] and len(helps["plan"]["steps"]) > 1)
    plan = person.helps(table)["plan"]
    visitor = visit("tablet", person).quiet(GAME)
    page = visitor.go(f"/play/{table}")
    page.get_by_role("button", name=f"Meld all I can · {plan['points']}").click()
    for step in plan["steps"]:
        for card in step["move"].get("cards") or [step["move"]["card"]]:
            page.locator(f'.tile.mine [data-card="{card}"]').wait_for()
    assert person.table(table)["view"]["melded"][0] == view["melded"][0] + plan["points"]
    assert visitor.refused == []


def test_a_gift_is_warned_of_and_tallied(lounge: Served, visit: Visit) -> None:
    person, table, _ = reach(lounge, GAME, 2, lambda view, helps: helps["gifts"] and len(view["hand"]) > 3)
    card = person.helps(table)["gifts"][0]
    page = visit("desk", person).quiet(GAME).go(f"/play/{table}")
    page.locator(f'.hand [data-card="{card}"]').click()
    page.get_by_role("button", name=re.compile("^Discard ")).click()
    page.locator(".status").get_by_text(re.compile("could be laid on the table: −50")).wait_for()
    assert card in person.table(table)["view"]["hand"]
    page.get_by_role("button", name=re.compile("^Press again")).click()
    page.locator(".tile.mine").get_by_text("gifts −50").wait_for()


def test_without_the_helper_a_gift_is_not_asked_twice(lounge: Served, visit: Visit) -> None:
    def only_a_gift(view: dict[str, Any], helps: dict[str, Any]) -> bool:
        return set(helps["gifts"]) - set(helps["feeds"]) and len(view["hand"]) > 3

    person, table, _ = reach(lounge, GAME, 2, only_a_gift)
    helps = person.helps(table)
    card = next(card for card in helps["gifts"] if card not in helps["feeds"])
    visitor = visit("desk", person).quiet(GAME)
    visitor.context.add_init_script(f"localStorage.setItem('faircut.helpers.{GAME}', '{{\"gifts\": false}}')")
    page = visitor.go(f"/play/{table}")
    page.locator(f'.hand [data-card="{card}"]').click()
    page.get_by_role("button", name=re.compile("^Discard ")).click()
    page.locator(".tile.mine").get_by_text("gifts −50").wait_for()


def test_passing_and_the_sheet_of_a_hand_that_nobody_ended(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, game=GAME)
    while crowd[0].table(table)["view"]["stock"]:
        turn_over(table, crowd)
    one = next(person for person in crowd if person.owes(person.table(table)))
    visitor = visit("tablet", one).quiet(GAME)
    page = visitor.go(f"/play/{table}")
    page.locator(".dock .right").get_by_text("Pass").wait_for()
    page.keyboard.press("e")
    page.locator(".status").get_by_text(re.compile("^Waiting for ")).wait_for()
    turn_over(table, crowd)
    page.get_by_role("heading", name="Hand 1 is over").wait_for()
    assert page.get_by_text("Everyone has passed: nobody went out.").count() == 1
    view = one.table(table)["view"]
    scores = [text.replace("−", "-") for text in page.locator(".tally tfoot td").all_inner_texts()]
    assert list(map(int, scores)) == view["scores"][0]
    assert page.locator(".tally").get_by_text("×2").count() == 2
    assert page.locator(".thai-hands .bit").count() == sum(map(len, view["revealed"]))
    assert not visitor.axe()
    page.get_by_role("button", name="Next hand").last.click()
    page.get_by_text(re.compile("You are ready")).first.wait_for()


def test_what_each_shows_holds_and_may_double(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, game=GAME)
    page = visit("desk", crowd[0]).quiet(GAME).go(f"/play/{table}")
    view = crowd[0].table(table)["view"]
    mine = page.locator(".tile.mine .thai-facts")
    mine.get_by_text(f"held {view['held']}").wait_for()
    assert "×2 possible" in mine.inner_text()
    assert "held" not in page.locator(".tile:not(.mine) .thai-facts").inner_text()
    dear = [card for card in ("QS1", "2C1") if card in [*view["hand"], *view["pile"]]]
    assert page.locator(".fifty").count() == len(dear)


def test_a_hand_by_the_keyboard_alone(lounge: Served, visit: Visit) -> None:
    person, table = against_bots(lounge, GAME, 3)
    visitor = visit("desk", person).quiet(GAME)
    visitor.go(f"/play/{table}").wait_for_selector(".hand .card")
    by_keys(visitor, table)
    assert visitor.refused == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seats", [2, 4])
def test_nothing_moves_when_cards_go_down(lounge: Served, visit: Visit, size: str, seats: int) -> None:
    person, table, _ = reach(lounge, GAME, seats, lambda _, helps: helps["plan"])
    visitor = visit(size, person).quiet(GAME)
    page = visitor.go(f"/play/{table}")
    button = page.locator(".dock .auto:not(.cannot)")
    button.wait_for()
    before, cards = visitor.boxes(*BOXES), page.locator(".melds .card").count()
    button.click()
    page.wait_for_function("n => document.querySelectorAll('.melds .card').length > n", arg=cards)
    page.evaluate(SETTLED)
    assert visitor.boxes(*BOXES) == before
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert not visitor.axe()


def test_a_watcher_sees_the_table_and_no_hand(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, game=GAME)
    turn_over(table, crowd)
    visitor = visit("desk").quiet(GAME)
    page = visitor.go(f"/play/{table}")
    page.locator(".thai-pile .card").first.wait_for()
    assert page.locator(".tile").count() == 2
    assert page.locator(".hand").count() == 0
    assert "held" not in page.locator(".board").inner_text()
    assert not visitor.axe()
