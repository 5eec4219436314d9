"""Nothing leaks into a page: all that every seat's and a watcher's browser receives, through whole hands."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Error, Page, Route

from domain.game import Decision
from replay.live import Live
from tests.api.house import Person, Served, wait
from tests.browser.conftest import Visitor
from tests.test_secrets_at_rest import secrets_of
from tests.walk import CARD

GAMES = {"michigan_rummy": {"target": 300}, "contract_rummy": {}, "rummy": {}, "thai_rummy": {}}


class Heard:
    """Everything that a browser was sent since it was opened, as text."""

    def __init__(self, page: Page) -> None:
        self.texts: list[str] = []
        page.route(lambda url: "/web/" not in url, self._pass)
        page.on("websocket", lambda socket: socket.on("framereceived", lambda data: self.texts.append(str(data))))

    def _pass(self, route: Route) -> None:
        if route.request.resource_type == "document":  # a page that the browser did not load itself may open no socket
            return route.continue_()
        try:
            answer = route.fetch()
            self.texts.append(answer.text())
            route.fulfill(response=answer)
        except Error:
            return None  # the page has gone meanwhile
        return None

    def cards(self) -> set[str]:
        return {card for text in self.texts for card in CARD.findall(text)}


class Watched:
    """What lay open so far, and what lay in each hand, seen from inside the house."""

    def __init__(self, house: Served, table: str, seats: int) -> None:
        self.house, self.table = house, table
        self.open: set[str] = set()
        self.hands: list[set[str]] = [set() for _ in range(seats)]
        self.look()

    @property
    def live(self) -> Live:
        found = self.house.services.tables.peek(self.table)
        assert found
        return found

    def asked(self) -> tuple[Decision, ...]:
        return self.live.table.game.deciding(self.live.table.state)

    def look(self) -> None:
        """Take in this moment. A hand that has ended is shown, so the watch ends before that."""
        table = self.live.table
        view = table.game.view(table.state, None)
        self.open |= set(view.pile) | {card for meld in view.melds for card in meld.cards}
        for seat, hand in enumerate(table.state.hands):
            self.hands[seat] |= set(hand)
        for line, _ in self.live.told:
            if line.kind in table.game.public:
                self.open |= set(CARD.findall(str(line.data)))

    def secret(self, viewer: int | None) -> set[str]:
        """Cards that were in others' hands alone."""
        own = set() if viewer is None else self.hands[viewer]
        return set().union(*self.hands) - own - self.open


def people_at(house: Served, game: str, options: dict[str, Any]) -> tuple[list[Person], str]:
    """Three people at a running table."""
    people = [house.person(name) for name in ("Ada", "Ben", "Cleo")]
    table = people[0].open(game, 3, options)["id"]
    for seat, person in enumerate(people):
        person.sit(table, seat)
    people[0].start(table)
    for person in people:
        person.cut(table)
    return people, table


@pytest.mark.parametrize("game", GAMES)
def test_a_browser_gets_no_card_of_another_hand(game: str, lounge: Served, visit: Callable[..., Visitor]) -> None:
    rng = random.Random(3)
    people, table = people_at(lounge, game, GAMES[game])
    watched = Watched(lounge, table, 3)
    visitors = [visit("desk", person).quiet(game) for person in [*people, None]]
    heard = [Heard(visitor.page) for visitor in visitors]
    for visitor in visitors:
        visitor.go(f"/play/{table}").wait_for_selector(".dock")
    for _ in range(24):
        asked = wait(lambda: next(iter(sorted(watched.asked(), key=lambda d: not d.waits)), None))
        state = watched.live.table.state
        moves = [m for m in people[asked.seat].legal(table) if m["type"] in ("draw", "discard", "pass", "take", "meld")]
        move = rng.choice([m for m in moves if m["type"] != "take" or "meld" in m] or moves)
        if len(state.hands[asked.seat]) <= 2 and move["type"] == "discard":
            break  # the hand would end, and with it what is secret
        people[asked.seat].move(table, asked.key or None, move)
        watched.look()
    seen = people[0].table(table)["seen"]
    for _ in range(200):
        if any(f'"seen":{seen}' in text for text in heard[0].texts):
            break
        visitors[0].page.wait_for_timeout(50)
    for viewer, ears in enumerate(heard):
        seat = viewer if viewer < len(people) else None
        assert ears.texts, "nothing was heard"
        assert seat is None or watched.hands[seat] & ears.cards(), "the search does not see the own hand"
        assert watched.secret(seat), "nothing was secret"
        assert not watched.secret(seat) & ears.cards(), "a card of another hand came to this browser"
        everything = "\n".join(ears.texts)
        tokens = [person.http.headers["authorization"].split(" ")[-1] for person in people]
        assert not any(token in everything for token in tokens)
        secrets = secrets_of(watched.live)
        assert not [name for name in ("seed", "key") if secrets[name].hex() in everything]


def test_the_page_asks_no_other_host_and_runs_nothing_from_elsewhere(
    lounge: Served, visit: Callable[..., Visitor]
) -> None:
    visitor = visit("desk")
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    page = visitor.go("/")
    page.wait_for_load_state("networkidle")
    assert asked
    assert all(url.startswith((lounge.url, lounge.url.replace("http", "ws"), "blob:")) for url in asked)
    assert page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = 1";
            document.body.append(script);
            return window.ran === undefined;
        }"""
    ), "an inline script ran"
    visitor.faults.clear()  # the browser says aloud that it refused the script
