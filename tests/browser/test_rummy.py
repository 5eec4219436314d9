"""The table of Rummy in a browser: whole hands by its own buttons, and each of its special flows once."""

import random
import re

import pytest

from tests.api.house import Person, Served, seated
from tests.browser.conftest import SIZES, against_bots
from tests.browser.rummies import SETTLED, Visit, by_keys, play_at_random, reach, turn_over

BOXES = (".tile", ".mid", ".hand", ".dock", ".bar")


def test_no_press_is_refused_by_surprise(lounge: Served, visit: Visit) -> None:
    person, table = against_bots(lounge, "rummy", 3)
    visitor = visit("desk", person).quiet("rummy")
    visitor.go(f"/play/{table}").wait_for_selector(".hand .card")
    said = play_at_random(visitor, table, 2, random.Random(1))
    assert visitor.refused == []
    assert {"Draw", "Take", "Discard"} <= said


def test_what_was_taken_may_not_be_thrown_back(lounge: Served, visit: Visit) -> None:
    person, table, view = reach(lounge, "rummy", 3, lambda view, _: view["phase"] == "draw")
    page = visit("desk", person).quiet("rummy").go(f"/play/{table}")
    top = view["pile"][-1]
    page.get_by_role("button", name=re.compile("^Take ")).click()
    taken = page.locator(f'.hand [data-card="{top}"].taken')
    taken.wait_for()
    assert "taken from the pile this turn" in (taken.get_attribute("aria-label") or "")
    taken.click()
    page.locator(".dock .right[title^=\"You took\"]").click(force=True)
    page.get_by_text("You took that card from the pile this turn: discard another one.").wait_for()
    assert person.table(table)["view"]["pile"] == view["pile"][:-1]


def test_a_card_is_laid_off_where_one_presses(lounge: Served, visit: Visit) -> None:
    person, table, _ = reach(lounge, "rummy", 4, lambda view, helps: helps["fits"] and len(view["hand"]) > 2)
    visitor = visit("phone", person).quiet("rummy")
    page = visitor.go(f"/play/{table}")
    fit = person.helps(table)["fits"][0]
    card = page.locator(f'.hand [data-card="{fit["card"]}"]')
    card.wait_for()
    assert "can" in (card.get_attribute("aria-label") or "")
    card.click()
    meld = page.locator(f'[data-meld="{fit["places"][0]["meld"]}"]')
    meld.locator(".slot").first.click()
    meld.locator(f'[data-card="{fit["card"]}"]').wait_for()
    assert fit["card"] not in person.table(table)["view"]["hand"]


def test_all_that_can_be_laid_goes_down_by_one_press(lounge: Served, visit: Visit) -> None:
    person, table, view = reach(lounge, "rummy", 4, lambda _, helps: helps["plan"] and not helps["out"], deadline=300)
    helps = person.helps(table)
    moves = [step["move"] for step in helps["plan"]]
    laid = [card for move in moves for card in move.get("cards") or [play["card"] for play in move["plays"]]]
    page = visit("desk", person).quiet("rummy").go(f"/play/{table}")
    page.get_by_role("button", name="Meld all I can", exact=True).click()
    for card in laid:
        page.locator(f'.melds [data-card="{card}"]').wait_for()
    assert sorted(person.table(table)["view"]["hand"]) == sorted(set(view["hand"]) - set(laid))


def test_a_dry_hand_is_ended_and_scored_at_once(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, game="rummy")
    while not crowd[0].table(table)["view"]["dry"]:
        turn_over(table, crowd)
    one = next(person for person in crowd if person.owes(person.table(table)))
    visitor = visit("tablet", one).quiet("rummy")
    page = visitor.go(f"/play/{table}")
    page.locator(".facts").get_by_text("2 of 2").wait_for()
    assert page.locator(".stock .many").inner_text() == "0"
    page.get_by_text("There is nothing left to draw").wait_for()
    end = page.get_by_role("button", name=re.compile("^End the hand"))
    end.last.click()
    page.get_by_text("Nobody goes out then: the fewest points in hand score.").wait_for()
    page.get_by_role("button", name=re.compile("^Press again")).click()
    page.get_by_role("heading", name="Hand 1 is over").wait_for()
    assert page.get_by_text("The hand was blocked").count() == 1
    assert page.locator("dialog .card").count() == 0
    assert not visitor.axe()
    page.get_by_role("button", name="Go on to hand 2").click()
    assert "Hand 2" in page.locator(".hand-title").inner_text()


def test_a_remade_stock_says_so(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, game="rummy")
    while crowd[0].table(table)["view"]["stock"]:
        turn_over(table, crowd)
    one = next(person for person in crowd if person.owes(person.table(table)))
    page = visit("desk", one).quiet("rummy").go(f"/play/{table}")
    page.get_by_role("button", name=re.compile("^Reshuffle and draw")).last.click()
    page.get_by_text("Reshuffled").wait_for()
    page.locator(".facts").get_by_text("1 of 2").wait_for()
    page.get_by_text("Reshuffled").wait_for(state="detached")


def test_turns_without_a_draw_are_counted_and_warned_of(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, game="rummy")
    page = visit("desk", crowd[0]).quiet("rummy").go(f"/play/{table}")
    page.locator(".facts").get_by_text("0 of 4").wait_for()
    turn_over(table, crowd, take=True)
    page.locator(".facts").get_by_text("1 of 4").wait_for()
    assert page.locator(".facts .warn").count() == 0
    turn_over(table, crowd, take=True)
    page.locator(".facts .warn").get_by_text("2 of 4").wait_for()


def test_the_deadline_counts_down_for_all(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, game="rummy", deadline=259_200)
    for viewer in (crowd[0], crowd[1], lounge.watcher()):
        page = visit("desk", viewer if viewer in crowd else None).quiet("rummy").go(f"/play/{table}")
        page.locator(".clock").get_by_text(re.compile("^2 days 23 h left$")).wait_for()


def test_resigning_is_asked_twice_and_ends_the_game(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, 3, game="rummy")
    visitor = visit("desk", crowd[1]).quiet("rummy")
    page = visitor.go(f"/play/{table}")
    page.get_by_role("button", name="Table", exact=True).click()
    page.get_by_role("button", name="Resign").click()
    assert page.get_by_text("The game ends at once for everyone, and you come last of 3.").count() >= 1
    assert crowd[0].table(table)["phase"] == "playing"
    page.get_by_role("button", name="Press again to resign").click()
    page.locator(".standings").wait_for()
    assert page.locator(".standings li").last.inner_text().startswith("3.")
    assert "Ben" in page.locator(".standings li").last.inner_text()
    assert crowd[0].table(table)["outcome"]["how"] == "resigned"


def test_a_hand_by_the_keyboard_alone(lounge: Served, visit: Visit) -> None:
    person, table = against_bots(lounge, "rummy", 3)
    visitor = visit("desk", person).quiet("rummy")
    visitor.go(f"/play/{table}").wait_for_selector(".hand .card")
    by_keys(visitor, table)
    assert visitor.refused == []


@pytest.mark.parametrize("size", ["phone", "small"])
def test_what_stands_beside_the_pile_fits_whoever_is_on_turn(lounge: Served, visit: Visit, size: str) -> None:
    table, crowd = seated(lounge, game="rummy")
    for person in crowd:
        person.call("POST", "/me", {"name": "W" * 24})
    waits = next(person for person in crowd if not person.owes(person.table(table)))
    page = visit(size, waits).quiet("rummy").go(f"/play/{table}")
    page.locator(".facts dd").first.wait_for()
    for figure in page.locator(".facts dd").all():
        box = figure.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= SIZES[size][0]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_nothing_moves_when_cards_go_down(lounge: Served, visit: Visit, size: str, seats: int) -> None:
    if seats == 2:
        person, table = of_two(lounge)
    else:
        person, table, _ = reach(lounge, "rummy", seats, lambda view, helps: helps["plan"] and not helps["out"])
    visitor = visit(size, person).quiet("rummy")
    page = visitor.go(f"/play/{table}")
    button = page.locator(".dock .auto:not(.cannot)")
    button.wait_for()
    before, melds = visitor.boxes(*BOXES), page.locator(".meld").count()
    cards = page.locator(".melds .card").count()
    button.click()
    page.wait_for_function("n => document.querySelectorAll('.melds .card').length > n", arg=cards)
    page.evaluate(SETTLED)
    assert page.locator(".meld").count() >= melds
    assert visitor.boxes(*BOXES) == before
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert not visitor.axe()


def of_two(house: Served) -> tuple[Person, str]:
    """The first of two people, who has drawn and can lay some cards but not all; there are no bots at such tables."""
    for _ in range(20):
        table, (first, second) = seated(house, game="rummy")
        while first.table(table)["phase"] != "over":
            if not (question := first.owes(first.table(table))):
                turn_over(table, [second])
            elif question["kind"] == "draw":
                draw = next(move for move in first.legal(table) if move["type"] in ("draw", "end_hand"))
                first.move(table, question["key"], draw)
            elif (helps := first.helps(table))["plan"] and not helps["out"]:
                return first, table
            else:
                throw = next(move for move in first.legal(table) if move["type"] == "discard")
                first.move(table, question["key"], throw)
    raise AssertionError("no game comes to such a position")


def test_a_watcher_sees_the_table_and_no_hand(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, game="rummy")
    turn_over(table, crowd)
    visitor = visit("desk").quiet("rummy")
    page = visitor.go(f"/play/{table}")
    page.locator(".rummy-pile .card").first.wait_for()
    assert page.locator(".tile").count() == 2
    assert page.locator(".hand").count() == 0
    assert not visitor.axe()
