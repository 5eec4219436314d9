"""A seventh game without a table of its own: the page draws it from its view and from what the house offers."""

import random
import time
from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, expect

from api import catalogue
from deploy.local import Nats
from domain.game import Due, Ms
from domain.registry import GAMES
from replay.settings import Settings
from tests.api.house import Served
from tests.browser.conftest import Visitor, against_bots
from tests.browser.houses import at_work
from tests.toys import State, Whispers


class Quick(Whispers):
    """The toy game with rounds of two seconds."""

    def due(self, s: State) -> Due | None:
        due = super().due(s)
        return due and replace(due, at=Ms(due.at - (s.options.seconds - 2) * 1000))


@pytest.fixture
def toys(settings: Settings, own_nats: Nats, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A house with a seventh game: one entry in the registry and nothing else."""
    monkeypatch.setitem(GAMES, "whispers", {1: Quick()})
    with at_work(settings, own_nats.credentials("bot")) as house:
        yield house
    catalogue.card.cache_clear()


def test_a_seventh_game_is_played_to_its_end_on_the_page(toys: Served, browser: Browser) -> None:
    rng = random.Random(5)
    person, table = against_bots(toys, "whispers", 2)
    visitor = Visitor(browser, toys, "desk", person).quiet("whispers")
    page = visitor.go(f"/play/{table}")
    page.wait_for_selector(".dock")
    assert page.locator(".title").inner_text().startswith("Whispers")
    assert page.locator(".hand .card").count() == 3
    pressed: set[str] = set()
    until = time.monotonic() + 200
    while not page.locator(".standings").count() and time.monotonic() < until:
        words = visitor.press("dialog[open] button.filled, .dock .more button, .dock .right.filled", rng)
        if words:
            pressed.add(words)
        elif not page.locator("dialog[open]").count():
            visitor.press(".hand .card", rng)
        page.wait_for_timeout(50)
    assert page.locator(".standings li").count() == 2
    assert len(pressed) > 2
    assert person.table(table)["phase"] == "over"
    assert not visitor.refused
    assert not visitor.faults
    visitor.context.close()


def test_offers_of_any_game_are_buttons_with_words(toys: Served, browser: Browser) -> None:
    person, table = against_bots(toys, "whispers", 2, {"seconds": 20})
    visitor = Visitor(browser, toys, "phone", person).quiet("whispers")
    page = visitor.go(f"/play/{table}")
    page.get_by_role("button", name="Cheer").click()
    page.locator(".hand .card").first.click()
    expect(page.locator(".dock .more button").filter(has_text="Pick")).to_have_count(1)
    assert not visitor.axe()
    visitor.context.close()
