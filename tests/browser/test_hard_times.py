"""A page in hard times: storage that forgets or refuses, two tabs at once, a house that is away for a moment."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from api import frames
from tests.api.house import Person, Served
from tests.browser.conftest import Visitor, against_bots
from tests.browser.test_journeys import mover, together
from tests.browser.test_replay import brief

Visit = Callable[..., Visitor]
GAME = "michigan_rummy"

REFUSES = """for (const name of ["getItem", "setItem", "removeItem"]) {
    Storage.prototype[name] = () => { throw new DOMException("denied", "SecurityError"); };
}"""


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


def wait_until(page: Page, holds: Callable[[], Any]) -> None:
    """Wait for something that is not of the page, while its events go on being told."""
    for _ in range(500):
        if holds():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come to hold in time")


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


def test_a_page_loaded_anew_in_the_middle_of_a_cut_sends_it(visit: Visit, lounge: Served) -> None:
    host, table = waiting(lounge)
    page = visit(person=lounge.person("Ben")).quiet(GAME).go(f"/play/{table}")
    page.get_by_role("button", name="Take this seat: 2").click()
    expect(page.locator(".sitting")).to_contain_text("Ben")
    page.route("**/tables/*/cut", lambda route: None)  # never answered
    with page.expect_request("**/tables/*/cut"):
        host.start(table)
    page.unroute("**/tables/*/cut")
    page.reload()
    host.cut(table)
    page.wait_for_selector(".hand .card")


def test_two_tabs_of_one_seat_move_once(visit: Visit, lounge: Served) -> None:
    visitors, table = together(lounge, visit)
    page, _other = mover(visitors)
    visitor = next(visitor for visitor in visitors if visitor.page is page)
    second = visitor.context.new_page()
    second.goto(f"/play/{table}")
    tabs = (page, second)
    for tab in tabs:
        expect(tab.locator(".dock .right")).not_to_have_attribute("aria-disabled", "true")
    go = "() => setTimeout(() => document.querySelector('.dock .right').click(), 50)"  # no tab waits for the other
    for tab in tabs:
        tab.evaluate(go)
    for tab in tabs:
        expect(tab.locator(".hand .card")).to_have_count(14)
    drawn = visitor.person.call("GET", f"/tables/{table}/view")["view"]["hand"] if visitor.person else []
    for tab in tabs:
        shown = tab.eval_on_selector_all(".hand .card", "nodes => nodes.map((node) => node.dataset.card)")
        assert sorted(shown) == sorted(drawn)


def test_two_tabs_of_somebody_new_are_one_guest(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/web/api.html")
    other = visitor.context.new_page()
    other.goto("/web/api.html")
    guest = "async () => (await (await import('/web/house.js')).guest()).token"
    later = f"() => setTimeout(async () => {{ window.token = await ({guest})(); }}, 50)"  # no tab waits for the other
    for tab in (page, other):
        tab.evaluate(later)
    for tab in (page, other):
        tab.wait_for_function("() => window.token")
    assert page.evaluate("window.token") == other.evaluate("window.token")


def test_nothing_is_kept_of_a_game_that_is_over(visit: Visit, lounge: Served) -> None:
    host, other = lounge.person("Ada"), lounge.person("Ben")
    table = host.open(GAME, 2)["id"]
    other.sit(table, 1)
    page = visit("desk", host).quiet(GAME).go(f"/play/{table}")
    kept = "() => Object.keys(localStorage).filter((key) => key.endsWith('.' + location.pathname.split('/').pop()))"
    page.get_by_role("button", name="Take this seat: 1").click()
    page.wait_for_function(f"() => ({kept})().length")
    host.start(table)
    other.cut(table)
    page.locator(".hand .card").first.wait_for()
    page.keyboard.press("o")
    host.call("POST", f"/tables/{table}/close", {})
    page.wait_for_function(f"() => ({kept})().length === 0")


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


def test_a_part_of_a_replay_that_cannot_be_had_is_said_and_asked_for_again(
    visit: Visit, lounge: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "BLOCK", 4)  # events that come at once
    table = brief(lounge, GAME)
    page = visit().go("/web/api.html")
    page.route(lambda url: ".json?from=" in url and not url.endswith("from=1"), away)
    page.goto(f"/replays/{table}#1")
    said = page.locator(".now")
    expect(said).to_contain_text("cannot answer")
    page.keyboard.press("End")
    expect(said).to_contain_text("cannot answer")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("cannot answer")
    page.wait_for_url("**#4")
    page.unroute_all()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**#5")
    expect(said).not_to_contain_text("cannot answer")


STRANGE = ["/learn/rummy#%", "/learn/rummy#%E0%A4%A", "/replays/x#%", "/?new=%00", "/?new=__proto__",
           "/learn/__proto__", "/play/0", "/replays/constructor", "/play/%3Cscript%3E", "/learn/%00"]  # fmt: skip


@pytest.mark.parametrize("path", STRANGE)
def test_no_address_is_too_strange_to_be_shown(path: str, visit: Visit) -> None:
    page = visit().go(path)
    page.wait_for_selector("h1")
    assert page.locator("h1").first.inner_text()
