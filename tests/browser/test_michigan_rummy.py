"""The table of Michigan Rummy in a browser: whole hands by its own buttons, and each of its special flows once."""

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from domain.cards import RANKS
from tests.api.house import Person, Served, seated, wait
from tests.browser.conftest import SIZES, Visitor, against_bots
from tests.browser.rummies import SETTLED, play_at_random, reach, turn_over, until

GAME = "michigan_rummy"
EDGE = {"x": 6.0, "y": 24.0}  # the part of a card that others leave in sight
HELPERS = ("pile", "cannot", "pick", "dots", "ask")
BOXES = (".tile", ".mid", ".stock", ".pilebox", ".hand", ".dock", ".dock .big button", ".bar")

Visit = Callable[..., Visitor]
View = dict[str, Any]


def opened(visit: Visit, size: str, person: Person, table: str, off: tuple[str, ...] = ()) -> Visitor:
    """The table in a browser of this person, with some helpers switched off."""
    visitor = visit(size, person).quiet(GAME)
    switched = json.dumps(dict.fromkeys(off, False))
    visitor.context.add_init_script(f"localStorage.setItem('faircut.helpers.{GAME}', {json.dumps(switched)})")
    visitor.go(f"/play/{table}").wait_for_selector(".hand .card")
    return visitor


def deep(view: View, helps: View) -> dict[str, Any] | None:
    """A card below the top of the pile that can be melded."""
    return next((pick for pick in helps.get("picks", []) if pick["takeable"] and pick["way"]), None)


def dead(view: View, helps: View) -> dict[str, Any] | None:
    """A card of the pile that cannot be melded."""
    return next((pick for pick in helps.get("picks", []) if not pick["takeable"]), None)


def on_pile(page: Page, at: int) -> Locator:
    return page.locator(f'.pile [data-at="{at}"]')


def pick(page: Page, *cards: str) -> None:
    for card in cards:
        page.locator(f'.hand [data-card="{card}"]').click(position=EDGE)
        page.locator(f'.hand [data-card="{card}"][aria-pressed="true"]').wait_for()


def says(page: Page, words: str | re.Pattern[str]) -> None:
    page.locator(".status").get_by_text(words).wait_for()


def mine(person: Person, table: str) -> View:
    view: View = person.table(table)["view"]
    return view


@pytest.mark.parametrize(("seats", "size"), [(2, "desk"), (5, "phone")])
def test_no_press_is_refused_by_surprise(lounge: Served, visit: Visit, seats: int, size: str) -> None:
    person, table = against_bots(lounge, GAME, seats)
    visitor = opened(visit, size, person, table)
    said = play_at_random(visitor, table, 2, random.Random(seats))
    assert visitor.refused == []
    assert {"Draw", "Take", "Discard"} <= said


def test_digging(lounge: Served, visit: Visit) -> None:
    """Pointing tells what a card brings, a press chooses, a second takes; what melds it is picked, and goes first."""
    person, table, view = reach(lounge, GAME, 3, deep)
    chosen = deep(view, person.helps(table))
    assert chosen
    visitor = opened(visit, "desk", person, table)
    page, at, card = visitor.page, chosen["at"], chosen["card"]
    size, uses = len(view["pile"]), chosen["way"]["uses"]
    assert page.locator(".pile .offer").count() >= 1
    on_pile(page, at).hover(position=EDGE)
    page.locator(".brings").get_by_text(re.compile("(goes on|melds with)")).wait_for()
    assert page.locator(".pile .up").count() == size - at
    in_hand = [c for c in uses if c in view["hand"]]
    assert page.locator(".hand .uses").count() == len(in_hand)
    on_pile(page, at).click(position=EDGE)
    expect(page.locator(".dock .left")).to_contain_text(f"Take {size - at} cards")
    assert len(mine(person, table)["pile"]) == size
    on_pile(page, at).click(position=EDGE)
    page.locator(f'.hand [data-card="{card}"].must').wait_for()
    for other in (card, *uses):
        page.locator(f'.hand [data-card="{other}"][aria-pressed="true"]').wait_for()
    assert page.locator(".tile.mine .badge").inner_text() == f"took {size - at}"
    page.locator(".dock .right").click(force=True)
    says(page, "Meld the card you took from the pile first.")
    wait(lambda: _melded(page, person, table, card))
    assert visitor.refused == []
    assert not visitor.axe()


def _melded(page: Page, person: Person, table: str, card: str) -> bool:
    """Press the left button; whether the dug card lies on the table. A press just after the take counts as its echo."""
    page.locator(".dock .left").click(force=True)
    page.evaluate(SETTLED)
    return any(card in meld["cards"] for meld in mine(person, table)["melds"])


def test_a_double_press_takes_and_does_nothing_else(lounge: Served, visit: Visit) -> None:
    person, table, view = reach(lounge, GAME, 3, deep)
    chosen = deep(view, person.helps(table))
    assert chosen
    visitor = opened(visit, "desk", person, table)
    page, sent = visitor.page, []
    page.on("request", lambda request: request.url.endswith("/moves") and sent.append(request.post_data_json))
    on_pile(page, chosen["at"]).click(position=EDGE)
    page.locator(".dock .left").dblclick()
    page.locator(".hand .must").wait_for()
    page.evaluate(SETTLED)
    assert [command["move"]["type"] for command in sent] == ["take"]
    assert mine(person, table)["must"] == chosen["card"]


def test_a_card_that_cannot_be_melded_says_so(lounge: Served, visit: Visit) -> None:
    person, table, view = reach(lounge, GAME, 3, dead)
    chosen = dead(view, person.helps(table))
    assert chosen
    visitor = opened(visit, "desk", person, table)
    page = visitor.page
    assert "dim" in (on_pile(page, chosen["at"]).get_attribute("class") or "")
    on_pile(page, chosen["at"]).click(position=EDGE)
    says(page, "The lowest card you take must be melded this turn, and it cannot be.")
    assert page.locator(".dock .left").get_attribute("aria-disabled") == "true"
    page.keyboard.press("Escape")
    assert page.locator(".dock .left").inner_text().startswith("Take ")
    assert page.locator(".dock .left").get_attribute("aria-disabled") is None
    assert mine(person, table)["pile"] == view["pile"]


def test_helpers_change_what_is_drawn_and_nothing_else(lounge: Served, visit: Visit) -> None:
    person, table, view = reach(lounge, GAME, 3, lambda view, helps: deep(view, helps) and dead(view, helps))
    helps = person.helps(table)
    good, bad = deep(view, helps), dead(view, helps)
    assert good
    assert bad
    visitor = opened(visit, "tablet", person, table, off=HELPERS)
    page = visitor.page
    page.locator(".dock .left:not(.cannot)").wait_for()
    assert page.locator(".pile .offer, .pile .dim").count() == 0
    on_pile(page, bad["at"]).click(position=EDGE)
    assert page.get_by_text("and it cannot be.").count() == 0
    page.locator(".dock .left").click(force=True)
    says(page, "The lowest card you take must be melded this turn, and it cannot be.")
    on_pile(page, good["at"]).click(position=EDGE)
    page.locator(".dock .left").click()
    page.locator(".hand .must").wait_for()
    page.locator(".dock .left.filled").wait_for()
    assert page.locator('.hand [aria-pressed="true"]').count() == 0
    assert page.locator(".hand .can").count() == 0
    wait(lambda: _melded(page, person, table, good["card"]))
    assert visitor.refused == []


def test_a_card_goes_where_one_presses(lounge: Served, visit: Visit) -> None:
    """Several places: each is a button, and the left button says that one has to be pressed."""

    def several(view: View, helps: View) -> Any:
        return view["phase"] == "play" and next((fit for fit in helps["fits"] if len(fit["places"]) > 1), None)

    person, table, view = reach(lounge, GAME, 4, several)
    fit = several(view, person.helps(table))
    visitor = opened(visit, "phone", person, table)
    page = visitor.page
    assert "can be melded" in (page.locator(f'.hand [data-card="{fit["card"]}"]').get_attribute("aria-label") or "")
    pick(page, fit["card"])
    says(page, "It goes in more than one place: press the one you mean.")
    assert page.locator(".slot").count() == len(fit["places"])
    place = fit["places"][-1]
    slots = page.locator(f'[data-meld="{place["meld"]}"] .slot')
    slots.last.click()
    page.locator(f'.melds [data-card="{fit["card"]}"]').wait_for()
    after = mine(person, table)
    meld = next(m for m in after["melds"] if m["id"] == place["meld"])
    assert meld["cards"][0 if place["end"] == "low" else -1] == fit["card"]
    assert after["melded"][0] - view["melded"][0] == place["points"]
    assert visitor.refused == []


def test_a_press_where_cards_do_not_go_says_why(lounge: Served, visit: Visit) -> None:
    person, table, view = reach(
        lounge, GAME, 4, lambda view, helps: view["phase"] == "play" and view["melds"] and _stranger(view, helps)
    )
    visitor = opened(visit, "desk", person, table)
    pick(visitor.page, _stranger(view, person.helps(table)))
    says(visitor.page, "A meld has at least three cards.")
    visitor.page.locator(".meld").first.click()
    says(visitor.page, re.compile("That card does not fit there|A joker stands in that card's place"))


def _stranger(view: View, helps: View) -> str:
    """A card of the hand that goes nowhere, or ""."""
    fitting = {fit["card"] for fit in helps["fits"]}
    return next((card for card in view["hand"] if card not in fitting), "")


def spare(view: View, _: View) -> list[str]:
    """Two neighbours of one suit and a joker in hand, which may stand at either end of them."""
    hand = view["hand"] if view["phase"] == "play" and not view["must"] else []
    joker = next((card for card in hand if card[0] == "*"), None)
    for low in hand:
        for high in hand:
            if joker and low[1] == high[1] and low[0] in RANKS[1:11] and high[0] == RANKS[RANKS.index(low[0]) + 1]:
                return [low, high, joker]
    return []


@pytest.mark.parametrize("size", ["desk", "small"])
def test_a_spare_joker_goes_to_the_end_that_one_says(lounge: Served, visit: Visit, size: str) -> None:
    person, table, view = reach(lounge, GAME, 2, spare)
    low, high, joker = spare(view, {})
    visitor = opened(visit, size, person, table)
    page = visitor.page
    pick(page, low, high, joker)
    flips = page.locator(".flips button")
    flips.first.wait_for()
    assert [words.rsplit(", ")[-1] for words in flips.all_inner_texts()] == ["joker high", "joker low"]
    assert "joker high" in page.locator(".dock .left").inner_text()
    flips.last.click()
    page.locator(".dock .left").get_by_text("joker low").wait_for()
    assert not visitor.axe()
    page.locator(".dock .left").click()
    page.locator(f'.tile.mine [data-card="{joker}"]').wait_for()
    assert mine(person, table)["melds"][-1]["cards"] == [joker, low, high]
    assert visitor.refused == []


def _playable(view: View, helps: View) -> str:
    """A card that could be played on the table and may be discarded, or ""."""
    free = view["phase"] == "play" and not view["must"] and len(view["hand"]) > 1
    return helps["fits"][0]["card"] if free and helps["fits"] else ""


@pytest.mark.parametrize("off", [(), ("ask",)], ids=["asked", "not asked"])
def test_a_discard_that_could_be_played_is_asked_for_twice(lounge: Served, visit: Visit, off: tuple[str, ...]) -> None:
    person, table, view = reach(lounge, GAME, 4, _playable)
    card = _playable(view, person.helps(table))
    visitor = opened(visit, "tablet", person, table, off)
    page = visitor.page
    pick(page, card)
    page.locator(".dock .right:not(.cannot)").click()
    if not off:
        says(page, re.compile("can be played on"))
        assert card in mine(person, table)["hand"]
        page.get_by_role("button", name="Press again to confirm").click()
    page.locator(f'.hand [data-card="{card}"]').wait_for(state="detached")
    assert visitor.refused == []


def test_all_that_can_be_melded_goes_down_by_one_press(lounge: Served, visit: Visit) -> None:
    def rich(view: View, helps: View) -> Any:
        return helps.get("suggest") and len(view["hand"]) > 8

    person, table, view = reach(lounge, GAME, 2, rich)
    points = person.helps(table)["suggest"]["points"]
    page = opened(visit, "desk", person, table).page
    page.get_by_role("button", name=f"Meld all I can · {points}").click()
    says(page, re.compile(f"^You laid {points}."))
    assert mine(person, table)["melded"][0] - view["melded"][0] == points


def test_the_stock_is_remade(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, game=GAME)
    while mine(crowd[0], table)["stock"]:
        turn_over(table, crowd)
    one = next(person for person in crowd if person.owes(person.table(table)))
    visitor = opened(visit, "small", one, table)
    page, size = visitor.page, len(mine(one, table)["pile"])
    box = page.locator(".pilebox")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth && box.scrollLeft > 0"), "the newest card is in sight"
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Reshuffle and draw").click()
    page.get_by_text("Reshuffled").wait_for()
    assert (mine(one, table)["stock"], size) == (size - 2, size)
    page.get_by_text("Reshuffled").wait_for(state="detached")


def test_out_of_turn_every_press_says_what_is_waited_for(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, game=GAME)
    other = next(person for person in crowd if not person.owes(person.table(table)))
    visitor = opened(visit, "desk", other, table)
    page = visitor.page
    for press in (".dock .left", ".dock .right", ".dock .auto", ".stock", ".pile button"):
        page.locator(press).click(force=True)
        says(page, re.compile("^Waiting for "))
    assert visitor.refused == []


def test_the_score_of_a_hand(lounge: Served, visit: Visit) -> None:
    person, table, view = reach(lounge, GAME, 3, lambda view, _: view["phase"] == "scored")
    for size in SIZES:
        visitor = visit(size, person).quiet(GAME)
        page = visitor.go(f"/play/{table}")
        page.get_by_role("heading", name="Hand 1 is over").wait_for()
        rows = page.locator(".hand-result tbody tr").all_inner_texts()
        for row, score, held in zip(rows, view["scores"][0], view["held"], strict=True):
            assert row.split()[-1] == str(score).replace("-", "−")
            assert f"−{held}" in row if held else "Went out" in row
        assert not visitor.axe()
    page.locator("dialog").get_by_role("button", name="Next hand").click()
    wait(lambda: mine(person, table)["deals"] == 2)


def test_a_hand_by_the_keyboard_alone(lounge: Served, visit: Visit) -> None:
    person, table = against_bots(lounge, GAME, 3)
    visitor = opened(visit, "desk", person, table)
    page = visitor.page
    for _ in range(3000):
        now = wait(lambda: _asked(person, table))
        if now["view"]["phase"] in ("scored", "over"):
            break
        key = "d" if now["view"]["phase"] == "draw" else "a" if person.helps(table)["suggest"] else "x"
        if key == "x":
            _pick_by_keys(page)
        page.keyboard.press(key)
        page.evaluate(SETTLED)
    page.get_by_role("heading", name="Hand 1 is over").wait_for()
    assert visitor.refused == []


def _asked(person: Person, table: str) -> dict[str, Any] | None:
    now = person.table(table)
    return now if person.owes(now) or now["view"]["phase"] in ("scored", "over") else None


def _pick_by_keys(page: Page) -> None:
    """Go to the hand and pick its first card, unless one is picked."""
    if page.locator('.hand [aria-pressed="true"]').count():
        return
    for _ in range(100):
        if page.evaluate("() => Boolean(document.activeElement?.closest('.hand'))"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.evaluate(SETTLED)


def test_the_pile_is_one_stop_for_the_keyboard(lounge: Served, visit: Visit) -> None:
    person, table, view = reach(lounge, GAME, 3, lambda view, _: view["phase"] == "draw" and len(view["pile"]) > 3)
    page = opened(visit, "desk", person, table).page
    assert page.locator('.pile button[tabindex="0"]').count() == 1
    last = len(view["pile"]) - 1
    on_pile(page, last).focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("() => document.activeElement.dataset.at") == str(last - 2)
    page.keyboard.press("Enter")
    on_pile(page, last - 2).and_(page.locator('[aria-pressed="true"]')).wait_for()
    assert page.locator(".dock .left").inner_text().startswith("Take 3 cards")


@pytest.mark.parametrize("seats", range(2, 9))
def test_nothing_moves_when_a_seat_melds(lounge: Served, visit: Visit, seats: int) -> None:
    def ready(view: View, helps: View) -> Any:
        return helps.get("suggest") and len(view["hand"]) > 5

    person, table, _ = reach(lounge, GAME, seats, ready)
    for size in SIZES:
        if until(person, table, ready) is None:
            person, table, _ = reach(lounge, GAME, seats, ready)
        visitor = opened(visit, size, person, table)
        page = visitor.page
        button = page.locator(".dock .auto:not(.cannot)")
        button.wait_for()
        page.evaluate(SETTLED)
        before, cards = visitor.boxes(*BOXES), page.locator(".melds .card").count()
        button.click()
        page.wait_for_function("n => document.querySelectorAll('.melds .card').length > n", arg=cards)
        page.evaluate(SETTLED)
        assert visitor.boxes(*BOXES) == before, size
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), size
        assert not visitor.axe(), size
        visitor.context.close()


def test_a_watcher_sees_the_table_and_no_hand(lounge: Served, visit: Visit) -> None:
    table, crowd = seated(lounge, game=GAME)
    turn_over(table, crowd)
    visitor = visit("desk").quiet(GAME)
    page = visitor.go(f"/play/{table}")
    page.locator(".pile .card").first.wait_for()
    assert page.locator(".tile").count() == 2
    assert page.locator(".hand").count() == page.locator(".pile button").count() == 0
    assert not visitor.axe()
