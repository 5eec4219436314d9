"""Nothing leaks into a page: all that every seat's and a watcher's browser receives, through whole hands."""

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Error, Page, Route

from domain.game import Decision
from replay.live import Live
from tests.api.house import Person, Served, wait
from tests.browser.conftest import Visitor
from tests.test_secrets_at_rest import secrets_of
from tests.walk import CARD

MOVES = 150  # of a table: several hands, whole games where they are short
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


class Watched:
    """What lay open in this hand so far, and what lay in each player's, seen from inside the house."""

    def __init__(self, house: Served, table: str, seats: int) -> None:
        self.house, self.table, self.seats = house, table, seats
        self.anew()

    def anew(self) -> None:
        """Another hand has been dealt."""
        self.deals = self.live.table.state.deals
        self.open: set[str] = set()
        self.hands: list[set[str]] = [set() for _ in range(self.seats)]
        self.look()

    @property
    def live(self) -> Live:
        found = self.house.services.tables.peek(self.table)
        assert found
        return found

    @property
    def playing(self) -> bool:
        """Whether the hand goes on: as it ends, most games show what was held."""
        table = self.live.table
        return table.phase == "playing" and table.state.phase != "scored" and table.state.deals == self.deals

    def asked(self) -> Decision:
        """Whom the table waits for, else who may act."""
        live = self.live
        found = wait(lambda: live.table.game.deciding(live.table.state))
        return min(found, key=lambda decision: not decision.waits)

    def look(self) -> None:
        """Take in this moment."""
        table = self.live.table
        view = table.game.view(table.state, None)
        self.open |= set(view.pile) | {card for meld in view.melds for card in meld.cards}
        self.open |= set(CARD.findall(str(msgspec.to_builtins(getattr(view, "before", None)))))  # of the last hand
        for seat, hand in enumerate(table.state.hands):
            self.hands[seat] |= set(hand)
        for line, _ in self.live.told[self.live.hand_from :]:
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


def next_move(person: Person, table: str, rng: random.Random) -> dict[str, Any]:
    """What the hints say, else any move."""
    suggest = person.helps(table).get("suggest")
    if suggest:
        return dict(suggest["move"])
    moves = [m for m in person.legal(table) if m["type"] not in ("resign", "buy_pref", "end_hand")]
    return rng.choice([m for m in moves if m["type"] in ("draw", "pass", "ready")] or moves or person.legal(table))


def settle(page: Page, heard: list[Heard]) -> None:
    """Wait until nothing more comes to any browser."""
    count = -1
    while (now := sum(len(ears.texts) for ears in heard)) != count:
        count = now
        page.wait_for_timeout(400)


@pytest.mark.parametrize("game", GAMES)
def test_a_browser_gets_no_card_of_another_hand(game: str, lounge: Served, visit: Callable[..., Visitor]) -> None:
    rng = random.Random(3)
    people, table = people_at(lounge, game, GAMES[game])
    watched = Watched(lounge, table, 3)
    visitors = [visit("desk", person).quiet(game) for person in [*people, None]]
    heard = [Heard(visitor.page) for visitor in visitors]
    page = visitors[0].page
    for visitor in visitors:
        visitor.go(f"/play/{table}").wait_for_selector(".dock")
    settle(page, heard)
    checked, marks, own = 0, [0] * len(heard), [0] * len(people)
    for _ in range(MOVES):
        if watched.live.table.phase != "playing":
            break
        asked = watched.asked()
        people[asked.seat].move(table, asked.key or None, next_move(people[asked.seat], table, rng))
        page.wait_for_timeout(20)
        if not watched.playing:
            settle(page, heard)
            marks = [len(ears.texts) for ears in heard]
            if watched.live.table.state.phase != "scored":
                watched.anew()
            continue
        watched.look()
        for viewer, ears in enumerate(heard):
            new = ears.texts[marks[viewer] :]
            seat = viewer if viewer < len(people) else None
            found = {card for text in new for card in CARD.findall(text)}
            assert not watched.secret(seat) & found, "a card of another hand came to this browser"
            checked += len(new)
            if seat is not None:
                own[seat] += len(found & watched.hands[seat])
            marks[viewer] += len(new)
    settle(page, heard)
    assert checked > MOVES
    assert all(own), "the search does not see the own hand"
    everything = "\n".join(text for ears in heard for text in ears.texts)
    assert not any(person.http.headers["authorization"].split(" ")[-1] in everything for person in people)
    secrets = secrets_of(watched.live)
    if watched.live.table.phase == "playing":
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
    refused: str = page.evaluate(
        """() => new Promise((done) => {
            addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective));
            try { new WebSocket("ws://127.0.0.2:1/"); } catch { }
        })"""
    )
    assert refused == "connect-src"
    visitor.faults.clear()  # the browser says aloud that it refused the script
