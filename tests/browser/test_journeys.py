"""Whole journeys at a table: reload, lost connection, two browsers, play again, what a host does, talk."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from api.people import QUIET_MS
from replay.settings import Settings
from tests.api.house import Served, seated
from tests.browser.conftest import Visitor, against_bots

GAME = "michigan_rummy"


def together(house: Served, visit: Callable[..., Visitor], seats: int = 2) -> tuple[list[Visitor], str]:
    """Two people (and bots) at a running table, each in a browser of their own."""
    people = [house.person("Ada"), house.person("Ben")]
    table = people[0].open(GAME, seats)["id"]
    for seat, person in enumerate(people):
        person.sit(table, seat)
    for _ in range(seats - 2):
        people[0].bot(table, "easy")
    people[0].start(table)
    for person in people:
        person.cut(table)
    visitors = [visit("desk", person).quiet(GAME) for person in people]
    for visitor in visitors:
        visitor.go(f"/play/{table}").wait_for_selector(".dock")
    return visitors, table


def mover(visitors: list[Visitor]) -> tuple[Page, Page]:
    """The page of whoever is on turn, and the other."""
    first, second = (visitor.page for visitor in visitors)
    expect(first.locator(".tile.turn")).to_have_count(1)
    return (first, second) if first.locator(".tile.mine.turn").count() else (second, first)


def hand(page: Page) -> list[str]:
    found: list[str] = page.eval_on_selector_all(".hand .card", "nodes => nodes.map((node) => node.dataset.card)")
    return found


def test_a_turn_shows_at_once_in_another_browser(lounge: Served, visit: Callable[..., Visitor]) -> None:
    visitors, _ = together(lounge, visit)
    page, other = mover(visitors)
    page.keyboard.press("d")
    expect(page.locator(".hand .card")).to_have_count(14)
    expect(other.locator(".tile:not(.mine) .count")).to_contain_text("14")
    page.locator(".hand .card").first.click()
    page.keyboard.press("x")
    expect(other.locator(".tile.mine.turn")).to_have_count(1)
    assert other.title().startswith("●")
    assert not page.title().startswith("●")


def test_a_reload_keeps_hand_order_and_turn(lounge: Served, visit: Callable[..., Visitor]) -> None:
    visitors, _ = together(lounge, visit)
    page, _other = mover(visitors)
    page.keyboard.press("o")
    page.keyboard.press("o")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    moved = hand(page)[3]
    page.locator(".hand .card").nth(3).click()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".hand .card").nth(4)).to_have_attribute("data-card", moved)
    before = hand(page)
    page.reload()
    page.wait_for_selector(".dock")
    assert hand(page) == before
    expect(page.locator(".tile.mine.turn")).to_have_count(1)


def test_a_lost_connection_is_said_and_comes_back(lounge: Served, visit: Callable[..., Visitor]) -> None:
    sockets: list[WebSocketRoute] = []
    gone = False

    def pass_on(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.close() if gone else socket.connect_to_server()

    visitors, _ = together(lounge, visit)
    page, other = mover(visitors)
    other.route_web_socket("**/feed*", pass_on)
    other.reload()
    other.wait_for_selector(".dock")
    gone = True
    sockets[-1].close()
    expect(other.locator(".banner")).to_contain_text("Connection lost")
    page.keyboard.press("d")
    expect(page.locator(".hand .card")).to_have_count(14)
    assert "14" not in other.locator(".tile:not(.mine) .count").inner_text()
    gone = False
    expect(other.locator(".banner")).to_have_count(0)
    expect(other.locator(".tile:not(.mine) .count")).to_contain_text("14")


def test_a_second_press_sends_no_second_command(lounge: Served, visit: Callable[..., Visitor]) -> None:
    visitors, _ = together(lounge, visit)
    page, _other = mover(visitors)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/moves") else None)
    draw = page.locator(".dock .right")
    draw.evaluate("node => { node.click(); node.click(); node.click(); }")
    expect(page.locator(".hand .card")).to_have_count(14)
    assert len(sent) == 1
    assert not [visitor.refused for visitor in visitors if visitor.refused]


def test_an_away_seat_is_covered_and_taken_back(lounge: Served, visit: Callable[..., Visitor]) -> None:
    visitors, _ = together(lounge, visit)
    host, guest = (visitor.page for visitor in visitors)
    guest.get_by_role("button", name="Table", exact=True).click()
    guest.get_by_role("button", name="Leave the table").click()
    host.get_by_role("button", name="Let a bot play").click()
    expect(host.locator(".tile:not(.mine) .badge")).to_contain_text("bot plays")
    guest.get_by_role("button", name="Take my seat back").click()
    expect(guest.locator(".hand .card").first).to_be_visible()
    expect(host.locator(".tile:not(.mine) .badge")).to_have_count(0)
    assert QUIET_MS == 60_000


def test_the_host_ends_a_game_and_all_play_again(lounge: Served, visit: Callable[..., Visitor]) -> None:
    visitors, table = together(lounge, visit, 3)
    host, guest = (visitor.page for visitor in visitors)
    host.get_by_role("button", name="Table", exact=True).click()
    host.get_by_role("button", name="End the game now").click()
    host.get_by_role("button", name="Press again to end it for all").click()
    expect(host.get_by_role("heading", name="The table is closed")).to_be_visible()
    host.get_by_role("button", name="Play again").click()
    host.wait_for_url(lambda url: table not in url and "/play/" in url)
    guest.get_by_role("link", name="To the next game").click()
    guest.wait_for_url(host.url)
    expect(guest.get_by_text("Easy bot").first).to_be_visible()


def test_against_bots_play_again_deals_at_once(lounge: Served, visit: Callable[..., Visitor]) -> None:
    person, table = against_bots(lounge, GAME, 3)
    page = visit("desk", person).quiet(GAME).go(f"/play/{table}")
    page.get_by_role("button", name="Table", exact=True).click()
    page.get_by_role("button", name="End the game now").click()
    page.get_by_role("button", name="Press again to end it for all").click()
    expect(page.get_by_role("link", name="Check this game")).to_have_attribute("href", f"/replays/{table}?check")
    page.get_by_role("button", name="Play again").click()
    page.wait_for_url(lambda url: table not in url and "/play/" in url)
    expect(page.locator(".hand .card")).to_have_count(7)


def test_check_this_game_checks_it_at_once(lounge: Served, visit: Callable[..., Visitor]) -> None:
    person, table = against_bots(lounge, GAME, 2)
    person.call("POST", f"/tables/{table}/close", {})
    page = visit("desk").go(f"/replays/{table}?check")
    expect(page.get_by_text("Everything that was checked holds.")).to_be_visible()


def test_a_watcher_leaves_by_one_press(lounge: Served, visit: Callable[..., Visitor]) -> None:
    _, table = against_bots(lounge, GAME, 2)
    page = visit("phone").quiet(GAME).go(f"/play/{table}")
    page.get_by_role("button", name="More").click()
    expect(page.get_by_role("button", name="Leave")).to_be_visible()
    page.mouse.click(200, 500)
    expect(page.get_by_role("button", name="Leave")).to_have_count(0)
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_role("heading", name="Games", exact=True)).to_be_visible()


def test_a_watcher_sees_the_table_without_hands(lounge: Served, visit: Callable[..., Visitor]) -> None:
    _, table = against_bots(lounge, GAME, 3)
    page = visit("desk").quiet(GAME).go(f"/play/{table}")
    page.wait_for_selector(".watching")
    assert page.locator(".tile").count() == 3
    assert page.locator(".hand").count() == 0
    assert page.locator(".tile .count").first.inner_text()


def test_options_change_looks_and_are_kept(lounge: Served, visit: Callable[..., Visitor]) -> None:
    person, table = against_bots(lounge, GAME, 2)
    page = visit("desk", person).go(f"/play/{table}")
    page.get_by_role("heading", name="How to play").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Options").click()
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("button", name="Four colours").click()
    assert page.evaluate("() => [document.documentElement.dataset.theme, document.documentElement.dataset.deck]") == [
        "dark", "four",
    ]  # fmt: skip
    page.reload()
    page.wait_for_selector(".dock")
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
    assert page.get_by_role("heading", name="How to play").count() == 0  # it opens by itself once


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_axe_finds_nothing_serious_at_a_table_and_in_its_dialogs(
    size: str, lounge: Served, visit: Callable[..., Visitor]
) -> None:
    person, table = against_bots(lounge, GAME, 4)
    visitor = visit(size, person).quiet(GAME)
    page = visitor.go(f"/play/{table}")
    page.wait_for_selector(".dock")
    assert visitor.axe() == []
    for name in ("Log", "How to play", "Options", "Chat", "Table"):
        if size == "phone":
            page.get_by_role("button", name="More").click()
        page.locator(".bar").get_by_role("button", name=name, exact=True).click()
        page.locator("dialog[open]").wait_for()
        assert visitor.axe() == [], name
        page.keyboard.press("Escape")


def test_people_talk_and_mute(lounge: Served, visit: Callable[..., Visitor]) -> None:
    visitors, _ = together(lounge, visit)
    first, second = (visitor.page for visitor in visitors)
    for page in (first, second):
        page.get_by_role("button", name="Chat").click()
    first.get_by_label("Say something").fill("Well played <b>Ben</b>")
    first.get_by_role("button", name="Send").click()
    expect(second.locator(".says li")).to_contain_text("Well played <b>Ben</b>")
    second.get_by_role("button", name="Mute").click()
    first.get_by_role("button", name="Nice one").click()
    expect(first.locator(".says li")).to_have_count(2)
    expect(second.locator(".says li")).to_have_count(0)


def test_a_server_that_starts_anew_loses_nothing(settings: Settings, browser: Browser) -> None:
    with Served(settings) as house:
        port = house.port
        table, people = seated(house, game=GAME)
        visitors = [Visitor(browser, house, "desk", person).quiet(GAME) for person in people]
        for visitor in visitors:
            visitor.go(f"/play/{table}").wait_for_selector(".dock")
        page, other = mover(visitors)
        page.keyboard.press("d")
        expect(page.locator(".hand .card")).to_have_count(14)
        before = hand(page)
    expect(page.locator(".banner")).to_contain_text("Connection lost")
    page.locator(".hand .card").first.click()
    with Served(settings, port=port):
        expect(page.locator(".banner")).to_have_count(0, timeout=20_000)
        assert hand(page) == before
        page.get_by_role("button", name="Put the picked cards back").click()
        page.locator(".hand .card").first.click()
        page.keyboard.press("x")
        page.keyboard.press("x")
        expect(page.locator(".hand .card")).to_have_count(13)
        expect(other.locator(".tile.mine.turn")).to_have_count(1)
        assert not [visitor.refused for visitor in visitors if visitor.refused]
        for visitor in visitors:
            visitor.context.close()
