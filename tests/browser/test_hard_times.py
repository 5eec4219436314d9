"""A page in hard times: storage that forgets or refuses, a house that is away for a moment, no sockets, a wrong clock,
a page that nobody looks at, two tabs at once."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, WebSocket, expect

from api.services import Services
from api.talk import LAST, Said
from tests.api.house import Person, Served, turn
from tests.browser.conftest import Visitor, against_bots
from tests.browser.test_journeys import mover, together

Visit = Callable[..., Visitor]
GAME = "michigan_rummy"

REFUSES = """for (const name of ["getItem", "setItem", "removeItem"]) {
    Storage.prototype[name] = () => { throw new DOMException("denied", "SecurityError"); };
}"""
UNSEEN = """Object.defineProperty(document, "hidden", { get: () => true });
window.requestAnimationFrame = () => 0;"""


def clock_off(ms: int) -> str:
    """A device whose clock is wrong by so much."""
    return f"{{ const right = Date.now; Date.now = () => right() + {ms}; }}"


def away(route: Route) -> None:
    """As a house answers whose database is away."""
    body = {"title": "Service Unavailable", "status": 503, "detail": "The house cannot answer.", "code": "AWAY"}
    route.fulfill(status=503, content_type="application/problem+json", body=json.dumps(body))


def waiting(house: Served, seats: int = 2) -> tuple[Person, str]:
    """A table that its host has opened and sits at."""
    host = house.person("Ada")
    table = host.open(GAME, seats)["id"]
    host.sit(table, 0)
    return host, table


# -- storage ----------------------------------------------------------------------------------------------------------


def test_a_browser_that_keeps_nothing_plays_all_the_same(visit: Visit) -> None:
    visitor = visit()
    visitor.context.add_init_script(REFUSES)
    page = visitor.go(f"/?new={GAME}")
    page.get_by_role("button", name="Play against bots").click()
    page.wait_for_selector(".hand .card")  # its cut was opened


@pytest.mark.parametrize("seats", [(0, 0), (0, 1)], ids=["one seat twice", "two seats"])
def test_seats_taken_at_the_same_time_leave_the_cut_that_counts(
    seats: tuple[int, int], visit: Visit, lounge: Served
) -> None:
    table = lounge.person("Eve").open(GAME, 3)["id"]
    host = lounge.person("Ada")
    page = visit(person=host).quiet(GAME).go("/web/api.html")
    took: list[bool] = page.evaluate(
        """async ([table, seats]) => {
            const { takeSeat } = await import("/web/live.js");
            const takes = seats.map((seat) => takeSeat(table, seat).then(() => true, () => false));
            return Promise.all(takes);
        }""",
        [table, seats],
    )
    assert took.count(True) == 1
    kept = json.loads(page.evaluate(f"localStorage.getItem('faircut.cut.{table}')"))
    assert [cut["seat"] for cut in kept] == [seats[took.index(True)]]
    opening = host.call("GET", f"/tables/{table}/opening")
    sat = [json.loads(event) for event in opening["events"] if '"sat"' in event]
    assert [event["cut"] for event in sat if event["kind"] == "human"] == [kept[0]["promised"]]


def test_a_cut_that_this_browser_has_lost_is_said(visit: Visit, lounge: Served) -> None:
    host, table = waiting(lounge)
    visitor = visit(person=lounge.person("Ben"))
    page = visitor.go(f"/play/{table}")
    page.get_by_role("button", name="Take this seat: 2").click()
    expect(page.locator(".sitting")).to_contain_text("Ben")
    page.evaluate(f"localStorage.removeItem('faircut.cut.{table}')")
    host.start(table)
    expect(page.get_by_role("alert")).to_contain_text("does not have the cut")


def test_a_token_that_is_nobodys_is_dropped_and_the_next_press_sits(visit: Visit, lounge: Served) -> None:
    _, table = waiting(lounge)
    visitor = visit()
    visitor.context.add_init_script(
        "if (!localStorage.getItem('faircut.me')) localStorage.setItem('faircut.me',"
        f" JSON.stringify({{person: 'x', name: 'Old', token: 'fc_{'0' * 16}_{'A' * 43}'}}))"
    )
    page = visitor.go(f"/play/{table}")
    page.get_by_label("Your name").fill("New")
    page.get_by_role("button", name="Take this seat: 2").click()
    expect(page.locator(".sitting .mine")).to_contain_text("New")


def test_a_refused_token_never_takes_a_newer_one_with_it(visit: Visit, lounge: Served) -> None:
    """Another tab has become somebody new while an answer was on its way."""
    page = visit(person=lounge.person("Ada")).go("/web/api.html")
    mine = page.evaluate("JSON.parse(localStorage.getItem('faircut.me'))")
    page.evaluate(
        """async (mine) => {
            const { ask, keep } = await import("/web/house.js");
            keep("faircut.me", { ...mine, token: "fc_" + "0".repeat(16) + "_" + "A".repeat(43) });
            const asked = ask("/me").catch(() => null);
            keep("faircut.me", mine);
            await asked;
        }""",
        mine,
    )
    assert page.evaluate("JSON.parse(localStorage.getItem('faircut.me'))") == mine


# -- a house that is away for a moment --------------------------------------------------------------------------------


def test_what_can_be_done_is_asked_for_again(visit: Visit, lounge: Served) -> None:
    """No newer state comes meanwhile that would make the page ask."""
    visitors, _ = together(lounge, visit)
    page, _other = mover(visitors)
    draw = page.locator(".dock .right")
    expect(draw).not_to_have_attribute("aria-disabled", "true")
    page.route("**/offers", away)
    page.locator(".hand .card").first.click()
    expect(page.locator(".dock .status")).to_contain_text("cannot answer")
    page.unroute("**/offers")
    expect(draw).not_to_have_attribute("aria-disabled", "true")
    draw.click()
    expect(page.locator(".hand .card")).to_have_count(14)


@pytest.mark.parametrize("path", ["opening", "cut"])
def test_a_cut_is_sent_again_until_it_is_there(path: str, visit: Visit, lounge: Served) -> None:
    host, table = waiting(lounge)
    visitor = visit(person=lounge.person("Ben")).quiet(GAME)
    page = visitor.go(f"/play/{table}")
    page.get_by_role("button", name="Take this seat: 2").click()
    expect(page.locator(".sitting")).to_contain_text("Ben")
    page.route(f"**/tables/*/{path}", away)
    host.start(table)
    host.cut(table)
    expect(page.get_by_role("alert")).to_contain_text("cannot answer")
    page.unroute(f"**/tables/*/{path}")
    page.wait_for_selector(".hand .card")


def test_a_catalogue_that_cannot_be_had_is_asked_for_now_and_then(visit: Visit, lounge: Served) -> None:
    person, table = against_bots(lounge, GAME, 2)
    page = visit("desk", person).quiet(GAME).go("/web/api.html")
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        away(route)

    page.route("**/games", refuse)
    page.goto(f"/play/{table}")
    page.wait_for_function("() => document.querySelector('.loading')?.textContent.includes('Opening the table')")
    wait_until(page, lambda: asked)
    page.evaluate(  # it is drawn again and again meanwhile
        """async () => {
            for (let n = 0; n < 40; n += 1) {
                dispatchEvent(new Event("resize"));
                await new Promise(requestAnimationFrame);
            }
        }"""
    )
    assert len(asked) < 10
    page.unroute("**/games")
    page.wait_for_selector(".dock")


def test_a_part_of_the_page_that_cannot_be_loaded_is_said(visit: Visit, lounge: Served) -> None:
    person, table = against_bots(lounge, GAME, 2)
    page = visit("desk", person).quiet(GAME).go("/")
    page.route("**/web/play.js", lambda route: route.abort())
    page.locator(f"a[href='/play/{table}']").first.click()
    expect(page.get_by_role("heading", name="Nobody answers")).to_be_visible()
    page.unroute("**/web/play.js")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".dock")


# -- sockets ----------------------------------------------------------------------------------------------------------


class Sockets:
    """How many feeds of a context's pages are open."""

    def __init__(self, context: BrowserContext) -> None:
        self.open: set[WebSocket] = set()
        context.on("page", self._page)

    def _page(self, page: Page) -> None:
        page.on("websocket", self._made)

    def _made(self, socket: WebSocket) -> None:
        self.open.add(socket)
        socket.on("close", lambda _: self.open.discard(socket))


def test_one_page_holds_one_feed_and_none_when_it_is_left(visit: Visit, lounge: Served) -> None:
    person, table = against_bots(lounge, GAME, 2)
    visitor = visit("desk", person).quiet(GAME)
    sockets = Sockets(visitor.context)
    page = visitor.context.new_page()
    page.add_init_script(  # word that the device is online again comes just while a socket is being opened
        "const Made = WebSocket; window.WebSocket = class extends Made { constructor(...all) { super(...all);"
        " const often = (window.often ?? 0) + 1; window.often = often;"
        " if (often < 4) setTimeout(() => dispatchEvent(new Event('online'))); } };"
    )
    page.goto(f"/play/{table}")
    page.wait_for_selector(".dock")
    page.wait_for_function("() => window.often >= 1")
    for _ in range(3):
        page.locator(".bar .home").click()
        page.wait_for_selector(".gamecards")
        page.go_back()
        page.wait_for_selector(".dock")
    feeds = lounge.services.hub._feeds
    page.wait_for_timeout(0)
    wait_until(page, lambda: len(sockets.open) == 1 and len(feeds.get(table, ())) == 1)
    page.locator(".bar .home").click()
    wait_until(page, lambda: not sockets.open and not feeds.get(table))


def wait_until(page: Page, holds: Callable[[], Any]) -> None:
    """Wait for something that is not of the page, while its events go on being told."""
    for _ in range(500):
        if holds():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come to hold in time")


def test_where_no_socket_opens_the_table_is_played_all_the_same(visit: Visit, lounge: Served) -> None:
    people = [lounge.person("Ada"), lounge.person("Ben")]
    table = people[0].open(GAME, 2)["id"]
    for seat, person in enumerate(people):
        person.sit(table, seat)
    people[0].start(table)
    for person in people:
        person.cut(table)
    seat, key = turn(table, people)
    visitor = visit("desk", people[1 - seat]).quiet(GAME)
    visitor.page.route_web_socket("**/feed*", lambda socket: socket.close())
    page = visitor.go(f"/play/{table}")
    page.wait_for_selector(".hand .card")
    people[seat].move(table, key, {"type": "draw"})
    expect(page.locator(".tile:not(.mine) .count")).to_contain_text("14")
    expect(page.locator(".banner")).to_contain_text("Connection lost")


def test_a_covered_seat_is_told_so_though_watchers_see_late(visit: Visit, lounge: Served) -> None:
    """Its person is shown what watchers see: an older table than the one they saw last."""
    people = [lounge.person("Ada"), lounge.person("Ben")]
    opened = people[0].call("POST", "/tables", {"game": GAME, "seats": 2, "watch_delay": 600_000})
    table: str = opened["table"]["id"]
    for seat, person in enumerate(people):
        person.sit(table, seat)
    people[0].start(table)
    for person in people:
        person.cut(table)
    page = visit("desk", people[1]).quiet(GAME).go(f"/play/{table}")
    page.wait_for_selector(".hand .card")
    people[1].call("POST", f"/tables/{table}/leave", {})
    people[0].call("POST", f"/tables/{table}/cover", {"seat": 1, "level": "easy"})
    expect(page.locator(".hand .card")).to_have_count(0)
    people[1].call("POST", f"/tables/{table}/return", {})
    page.wait_for_selector(".hand .card")


# -- a device and its user --------------------------------------------------------------------------------------------


def test_a_page_that_nobody_sees_calls_its_player(visit: Visit, lounge: Served) -> None:
    visitors, table = together(lounge, visit)
    page, other = mover(visitors)
    other.context.add_init_script(UNSEEN)
    other.reload()
    other.wait_for_selector(".dock")
    assert not other.title().startswith("●")
    page.keyboard.press("d")
    expect(page.locator(".hand .card")).to_have_count(14)
    page.locator(".hand .card").first.click()
    page.keyboard.press("x")
    page.keyboard.press("x")
    other.wait_for_function("() => document.title.startsWith('●')")


def test_a_page_that_goes_out_of_sight_between_two_frames_is_drawn(visit: Visit, lounge: Served) -> None:
    visitors, _ = together(lounge, visit)
    page, other = mover(visitors)
    other.evaluate("window.requestAnimationFrame = () => 0")  # asked for while seen, and never given
    page.keyboard.press("d")
    expect(other.locator(".tile:not(.mine) .count")).to_contain_text("14")


@pytest.mark.parametrize("ms", [-7_200_000, 7_200_000])
def test_a_device_with_a_wrong_clock_shows_what_is_said(ms: int, visit: Visit, lounge: Served) -> None:
    people = [lounge.person("Ada"), lounge.person("Ben")]
    table = people[0].open(GAME, 2)["id"]
    for seat, person in enumerate(people):
        person.sit(table, seat)
    people[0].start(table)
    for person in people:
        person.cut(table)
    visitor = visit("desk", people[0]).quiet(GAME)
    visitor.context.add_init_script(clock_off(ms))
    page = visitor.go(f"/play/{table}")
    page.wait_for_selector(".dock")
    people[1].call("POST", f"/tables/{table}/says", {"text": "Good luck"})
    expect(page.locator(".bubble")).to_contain_text("Good luck")
    expect(page.locator(".bubble")).to_have_count(0, timeout=20_000)


@pytest.mark.parametrize("ms", [-7_200_000, 7_200_000])
def test_a_device_with_a_wrong_clock_counts_the_seconds_that_there_are(ms: int, visit: Visit, lounge: Served) -> None:
    host, table = waiting(lounge)
    other = lounge.person("Ben")
    other.sit(table, 1)
    visitor = visit()
    visitor.context.add_init_script(clock_off(ms))
    page = visitor.go(f"/play/{table}")
    page.wait_for_selector(".sitting")
    host.start(table)
    left = page.locator(".state-words span")
    expect(left).to_contain_text("s left")
    assert 0 < int("".join(filter(str.isdigit, left.inner_text()))) < 60


# -- talk -------------------------------------------------------------------------------------------------------------


def test_what_is_new_in_a_long_talk_is_marked(visit: Visit, lounge: Served) -> None:
    """Of more things said than a page keeps; what one says oneself is no news."""
    visitors, table = together(lounge, visit)
    page = visitors[0].page

    def say(n: int, seat: int = 1) -> None:
        async def hear(house: Services) -> None:
            now = house.clock()
            house.hub.said(table, Said(id=f"said{n}", who="ben", seat=seat, name="Ben", text=f"Line {n}", emote=None,
                                       at=now, watch_at=now))  # fmt: skip

        lounge.do(hear)

    for n in range(200):
        say(n)
    page.get_by_role("button", name="Chat").click()
    expect(page.locator(".says li")).to_have_count(LAST)
    expect(page.locator(".says li").last).to_contain_text("Line 199")
    page.keyboard.press("Escape")
    expect(page.locator(".unread")).to_have_count(0)
    say(200, seat=0)
    say(201)
    expect(page.locator(".unread")).to_have_count(1)
    page.get_by_role("button", name="Chat").click()
    expect(page.locator(".says li").last).to_contain_text("Line 201")
    say(202)
    expect(page.locator(".says li").last).to_contain_text("Line 202")  # read as it came
    page.keyboard.press("Escape")
    expect(page.locator(".unread")).to_have_count(0)


def test_a_text_that_is_refused_is_not_lost(visit: Visit, lounge: Served) -> None:
    visitors, _ = together(lounge, visit)
    page = visitors[0].page
    page.get_by_role("button", name="Chat").click()
    page.route("**/says", away)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/says") else None)
    page.get_by_label("Say something").fill("Good luck")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("dialog .hint")).to_contain_text("cannot answer")
    expect(page.get_by_label("Say something")).to_have_value("Good luck")
    assert len(sent) == 1  # nobody hears it twice
