"""A page on devices as they are: without sockets, with a wrong clock, out of sight, small; and talk that is long."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocket, expect

from api.services import Services
from api.talk import LAST, Said
from tests.api.house import Served, seated, turn
from tests.browser.conftest import Visitor, against_bots
from tests.browser.test_hard_times import away, wait_until, waiting
from tests.browser.test_journeys import mover, together

Visit = Callable[..., Visitor]
GAME = "michigan_rummy"

UNSEEN = """Object.defineProperty(document, "hidden", { get: () => true });
window.requestAnimationFrame = () => 0;"""


def clock_off(ms: int) -> str:
    """A device whose clock is wrong by so much."""
    return f"{{ const right = Date.now; Date.now = () => right() + {ms}; }}"


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
    wait_until(page, lambda: len(sockets.open) == 1 and len(feeds.get(table, ())) == 1)
    page.locator(".bar .home").click()
    wait_until(page, lambda: not sockets.open and not feeds.get(table))


def test_where_no_socket_opens_the_table_is_played_all_the_same(visit: Visit, lounge: Served) -> None:
    table, people = seated(lounge, game=GAME)
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
    _page, other = mover(visitors)
    other.context.add_init_script(UNSEEN)
    other.reload()
    other.wait_for_selector(".dock")
    assert not other.title().startswith("●")
    people = [visitor.person for visitor in visitors if visitor.person]
    for _ in range(2):
        seat, key = turn(table, people)
        people[seat].move(table, key, next(m for m in people[seat].legal(table) if m["type"] in ("draw", "discard")))
    wait_until(other, lambda: other.title().startswith("●"))


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


# -- what others are called and say -----------------------------------------------------------------------------------

LONG = ("W" * 24, "漢" * 24, "אבגדהוזחטיכלמנסעפצקרשת", "i\u0301\u0302\u0303" * 6)
OVER = """() => {
    const box = document.querySelector("dialog[open]")?.getBoundingClientRect() ?? { left: 0, right: innerWidth };
    const out = (node) => { const own = node.getBoundingClientRect(); return own.width && (own.right > box.right + 1 || own.left < box.left - 1); };
    const found = [...document.querySelectorAll("dialog[open] *")].filter((node) => out(node) && !node.closest("svg, .scroll"));
    const page = document.documentElement.scrollWidth > innerWidth ? [`the page: ${document.documentElement.scrollWidth}`] : [];
    return [...page, ...found.map((node) => `${node.tagName} ${node.className} ${node.textContent.slice(0, 40)}`)];
}"""  # noqa: E501


def test_the_longest_names_and_texts_fit_the_smallest_page(visit: Visit, lounge: Served) -> None:
    people = [lounge.person(name) for name in LONG]
    table = people[0].open(GAME, len(people))["id"]
    for seat, person in enumerate(people):
        person.sit(table, seat)
    page = visit("small", people[0]).quiet(GAME).go(f"/play/{table}")
    page.wait_for_selector(".sitting")
    assert page.evaluate(OVER) == []
    people[0].start(table)
    for person in people:
        person.cut(table)
    page.wait_for_selector(".hand .card")
    for text in ("x" * 140, "<img src=x onerror=alert(1)>", "אבג 12 " * 20, "ﷺ" * 140):
        people[1].call("POST", f"/tables/{table}/says", {"text": text.strip()})
    seat, key = turn(table, people)
    people[seat].move(table, key, {"type": "draw"})
    expect(page.locator(".bubble")).to_have_count(1)
    assert page.evaluate(OVER) == []
    for name, what in (("Chat", ".says li"), ("Log", ".log li"), ("Table", ".deed")):
        page.get_by_role("button", name="More").click()
        page.locator(".folded").get_by_role("button", name=name).click()
        page.locator(f"dialog[open] {what}").first.wait_for()
        assert page.evaluate(OVER) == [], name
        page.keyboard.press("Escape")
    people[0].call("POST", f"/tables/{table}/close", {})
    page.get_by_role("heading", name="The table is closed").wait_for()
    assert page.evaluate(OVER) == []
    for path, what in ((f"/replays/{table}", ".replay"), ("/", ".lines"), (f"/?new={GAME}", ".setup")):
        page.goto(path)
        page.locator(what).first.wait_for()
        assert page.evaluate(OVER) == [], path
