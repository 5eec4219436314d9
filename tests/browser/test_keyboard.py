"""Every game to its end by the keyboard alone: what is pressed follows from the buttons that the page shows."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.api.house import Served
from tests.browser.conftest import Visitor, against_bots
from tests.browser.contracts import surprising

GAMES = {"michigan_rummy": (2, {"target": 300}), "contract_rummy": (3, {}), "rummy": (3, {}), "thai_rummy": (2, {})}
# In one look: what is open over the table, the letters of the buttons that can do something, where the focus is.
LOOK = """() => ({
  over: Boolean(document.querySelector(".standings")),
  dialog: Boolean(document.querySelector("dialog[open]")),
  letters: [...document.querySelectorAll(".dock button")].filter((b) => b.getAttribute("aria-disabled") !== "true")
    .map((b) => b.querySelector("kbd")?.textContent ?? "").filter(Boolean),
  main: document.activeElement?.matches("dialog .filled") ?? false,
  hand: Boolean(document.activeElement?.closest(".hand")),
  picked: document.querySelectorAll('.hand [aria-pressed="true"]').length,
  cards: document.querySelectorAll(".hand .card").length,
  confirm: [...document.querySelectorAll(".tray button.filled, .sheet button.filled")].length,
})"""
FIRST = ("A", "R", "N", "D", "T", "E")  # of several buttons the one to press


def tab_to(page: Page, what: str) -> bool:
    """Press Tab until the focus is there; False if something else is open over the table by then."""
    for _ in range(120):
        seen = page.evaluate(LOOK)
        if seen["dialog"] != (what == "main") or (what == "hand" and not seen["cards"]):
            return False
        if seen[what]:
            return True
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach the {what}")


def shown(seen: dict[str, Any]) -> tuple[object, ...]:
    """What a press that did something would have changed."""
    return seen["cards"], tuple(seen["letters"]), seen["dialog"]


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_the_keyboard(game: str, lounge: Served, visit: Callable[..., Visitor]) -> None:
    seats, options = GAMES[game]
    person, table = against_bots(lounge, game, seats, options, level="hard")
    visitor = visit("desk", person).quiet(game)
    page = visitor.go(f"/play/{table}")
    page.wait_for_selector(".dock")
    turn = 0
    pressed: Counter[tuple[object, ...]] = Counter()  # by letter and what the page showed: some buttons only explain
    until = time.monotonic() + 240
    while time.monotonic() < until:
        seen = page.evaluate(LOOK)
        if seen["over"]:
            break
        if seen["dialog"]:
            if not seen["confirm"]:
                page.keyboard.press("Escape")
            elif tab_to(page, "main"):
                page.keyboard.press("Enter")
        elif page.locator(".tray").count():
            page.keyboard.press("m")
        elif letter := next((a for a in FIRST if a in seen["letters"] and pressed[a, *shown(seen)] < 2), None):
            pressed[letter, *shown(seen)] += 1
            page.keyboard.press(letter.lower())
        elif "X" in seen["letters"] and seen["picked"]:
            page.keyboard.press("x")
            pressed.clear()
        elif seen["cards"] and not seen["picked"] and page.locator(".tile.mine.turn").count():
            if tab_to(page, "hand"):
                for _ in range(turn % seen["cards"]):
                    page.keyboard.press("ArrowRight")
                page.keyboard.press("Enter")
                turn += 1
        elif seen["picked"]:
            page.keyboard.press("Escape")
        page.wait_for_timeout(25)
    assert page.locator(".standings li").count() == seats
    assert person.table(table)["phase"] == "over"
    assert surprising(visitor) == []
