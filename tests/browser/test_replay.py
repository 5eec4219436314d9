"""The replay page: a finished game stepped through with all hands open, and its record checked in the browser."""

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.api.house import Person, Served, seated, wait
from tests.browser.conftest import SIZES, Visitor

Visit = Callable[..., Visitor]


@pytest.fixture(scope="session")
def ended(lounge: Served) -> str:
    """A table of Michigan Rummy that its host ended in the second hand."""
    return finished(lounge, "michigan_rummy", 3)


def finished(house: Served, game: str, seats: int) -> str:
    """A table at which people play what is suggested to them, until the second hand goes on."""
    table, crowd = seated(house, seats, game=game)
    rng = random.Random(game)
    seen = crowd[0].table(table)
    while seen["view"]["deals"] < 2 or seen["view"]["moves"] < 12:
        for person in crowd:
            play(person, table, rng)
        seen = crowd[0].table(table)
    crowd[0].call("POST", f"/tables/{table}/close")
    return table


def play(person: Person, table: str, rng: random.Random) -> None:
    """One move of a person, if they are asked for one."""
    question = person.owes(person.table(table))
    if question is None:
        return
    suggested = person.helps(table).get("suggest")
    moves = [move for move in person.legal(table) if move["type"] not in ("resign", "take")]
    person.move(table, question["key"], suggested["move"] if suggested else rng.choice(moves))


def frames(house: Served, table: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the house tells of a replay: how it ended, and the whole open table after each event (from index 1)."""
    tables: list[dict[str, Any]] = [{}]
    told = house.watcher().call("GET", f"/replays/{table}.json")
    while True:
        for event in told["events"]:
            changed = event.get("table", {})
            view = (tables[-1].get("view") or {}) | (changed.get("view") or {})
            tables.append(tables[-1] | changed | {"view": view or None, "lines": event.get("lines", [])})
        if len(tables) > told["replay"]["events"]:
            return told, tables
        told = house.watcher().call("GET", f"/replays/{table}.json?from={len(tables)}")


def opened(visitor: Visitor, table: str, n: int | None = None) -> Page:
    page = visitor.quiet().go(f"/replays/{table}" + (f"#{n}" if n else ""))
    page.wait_for_selector(".replay")
    return page


def shown(page: Page) -> int:
    return int(page.locator(".scrub output").inner_text().split(" / ")[0])


def cards(page: Page, selector: str) -> list[str]:
    found: list[str] = page.eval_on_selector_all(f"{selector} [data-card]", "all => all.map((one) => one.dataset.card)")
    return sorted(found)


def at(page: Page, n: int) -> None:
    """Wait until the page shows an event and says so in its address."""
    expect(page.locator(".scrub output")).to_have_text(re.compile(rf"^{n} / "))
    page.wait_for_function("(n) => location.hash === `#${n}`", arg=n)


def test_steps_jumps_and_the_address(visit: Visit, lounge: Served, ended: str) -> None:
    told, _ = frames(lounge, ended)
    total = told["replay"]["events"]
    deals = [mark["n"] for mark in told["marks"] if mark["kind"] == "deal"]
    page = opened(visit("desk"), ended)
    assert shown(page) == deals[0]
    press = lambda name: page.get_by_role("button", name=name, exact=True).click()  # noqa: E731
    press("Forward")
    at(page, deals[0] + 1)
    press("Back")
    at(page, deals[0])
    press("To the last event")
    at(page, total)
    page.get_by_role("button", name="Forward", exact=True).click(force=True)
    expect(page.locator(".now")).to_have_text("This is the last event.")
    assert shown(page) == total
    press("To the first event")
    at(page, 1)
    page.get_by_label("Hand", exact=True).select_option("Hand 2")
    at(page, deals[1])
    page.get_by_label("Event", exact=True).fill(str(total - 3))
    at(page, total - 3)
    assert page.url.endswith(f"/replays/{ended}#{total - 3}")


def test_keys_alone_are_enough(visit: Visit, lounge: Served, ended: str) -> None:
    told, _ = frames(lounge, ended)
    deals = [mark["n"] for mark in told["marks"] if mark["kind"] == "deal"]
    page = opened(visit("desk"), ended, 20)
    for key, n in (("ArrowRight", 21), ("ArrowLeft", 20), ("Home", 1), ("PageDown", deals[0]), ("PageDown", deals[1]),
                   ("PageUp", deals[0]), ("End", told["replay"]["events"])):  # fmt: skip
        page.keyboard.press(key)
        at(page, n)
    page.keyboard.press("Home")
    page.get_by_label("Speed", exact=True).select_option("Very fast")
    page.get_by_label("Event", exact=True).focus()
    page.keyboard.press("Space")
    wait(lambda: shown(page) > 6)
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    stopped = shown(page)
    page.keyboard.press("ArrowRight")
    at(page, stopped + 1)


def test_playing_goes_on_to_the_end_and_stops(visit: Visit, lounge: Served, ended: str) -> None:
    total = frames(lounge, ended)[0]["replay"]["events"]
    page = opened(visit("phone"), ended, total - 5)
    page.get_by_label("Speed", exact=True).select_option("Very fast")
    page.get_by_role("button", name="Play", exact=True).tap()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    at(page, total)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_deep_link_opens_its_event_and_log_lines_are_such_links(visit: Visit, lounge: Served, ended: str) -> None:
    _, tables = frames(lounge, ended)
    page = opened(visit("desk"), ended, 30)
    assert shown(page) == 30
    log = page.locator(".log a")
    expect(log).to_have_count(len(tables) - 1)
    expect(page.locator(".log [aria-current=step]")).to_have_count(1)
    assert page.locator(".log [aria-current=step]").get_attribute("href") == "#30"
    assert page.locator(".log [aria-current=step]").inner_text() == page.locator(".now").inner_text()
    page.locator('.log a[href="#35"]').click()
    at(page, 35)
    assert page.locator(".log [aria-current=step]").get_attribute("href") == "#35"
    assert page.locator(".tile").count() == 3
    page.goto(f"{lounge.url}/replays/{ended}#999999")
    page.reload()
    at_end = page.locator(".scrub output")
    expect(at_end).to_have_text(re.compile(rf"^{len(tables) - 1} / "))


def test_every_hand_lies_open(visit: Visit, lounge: Served, ended: str) -> None:
    told, tables = frames(lounge, ended)
    deals = [mark["n"] for mark in told["marks"] if mark["kind"] == "deal"]
    page = opened(visit("desk"), ended)
    for n in (1, deals[0], deals[0] + 7, deals[1] - 1, deals[1], len(tables) - 1):
        page.get_by_label("Event", exact=True).fill(str(n))
        at(page, n)
        view, hands = tables[n]["view"], tables[n]["hands"]
        if not view:
            assert not cards(page, ".board")
            continue
        for seat, hand in enumerate(hands):
            tile = f'.tile[data-seat="{seat}"]'
            assert cards(page, f"{tile} .open") == sorted(hand)
            laid = [card for meld in view["melds"] if meld["owner"] == seat for card in meld["cards"]]
            assert cards(page, f"{tile} .melds") == sorted(laid)
            assert page.locator(f"{tile} .count").inner_text().endswith(str(len(hand)))
        assert cards(page, ".pile") == sorted(view["pile"])
        assert page.locator("[data-stock] .many").inner_text() == str(view["stock"])


def test_the_chart_and_its_figures(visit: Visit, lounge: Served, ended: str) -> None:
    told, _ = frames(lounge, ended)
    page = opened(visit("desk"), ended)
    page.get_by_role("button", name="Chart").click()
    expect(page.locator(".chart svg")).to_be_visible()
    (end,) = [mark for mark in told["marks"] if mark["kind"] == "end"]
    assert page.locator(".side tbody td").all_inner_texts() == [str(total).replace("-", "−") for total in end["totals"]]
    page.get_by_role("button", name="Hand 1").click()
    at(page, end["n"])


NAMES = ["form", "signature", "seed", "cuts", "chain", "deals", "shown", "table", "commands", "times", "end", "rules"]


def check(page: Page) -> dict[str, str]:
    """Press the button; each check's outcome."""
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("button", name="Check this game").click()
    page.wait_for_selector(".found li, .verdict")
    found: list[tuple[str, str]] = page.eval_on_selector_all(
        ".found li", "all => all.map((one) => [one.dataset.check, one.querySelector('.sign').ariaLabel])"
    )
    return dict(found)


@pytest.mark.parametrize("game", ["michigan_rummy", "rummy", "thai_rummy", "contract_rummy"])
def test_a_game_is_checked_in_the_page(visit: Visit, lounge: Served, ended: str, game: str) -> None:
    table = ended if game == "michigan_rummy" else brief(lounge, game)
    page = opened(visit("desk"), table)
    found = check(page)
    assert list(found) == NAMES
    assert {name for name, outcome in found.items() if outcome != "holds"} == {"rules"}
    expect(page.locator(".verdict")).to_have_text("Everything that was checked holds.")
    assert "follow from the key" in page.locator("[data-check=deals]").inner_text()


def brief(house: Served, game: str) -> str:
    """A table that is ended after a few moves."""
    table, crowd = seated(house, 3, game=game)
    rng = random.Random(1)
    for _ in range(4):
        for person in crowd:
            play(person, table, rng)
    crowd[0].call("POST", f"/tables/{table}/close")
    return table


def instead(page: Page, pattern: str, change: Callable[[bytes], bytes]) -> None:
    """From now on this page gets something else under an address than the house sends."""

    def answer(route: Route) -> None:
        real = route.fetch()
        route.fulfill(response=real, body=change(real.body()))

    page.route(pattern, answer)


def line_with(text: bytes, part: bytes) -> int:
    return next(i for i, line in enumerate(text.split(b"\n"), 1) if part in line)


def test_a_changed_record_fails_for_everyone_to_see(visit: Visit, lounge: Served, ended: str) -> None:
    http = lounge.watcher().http
    text = http.get(f"/replays/{ended}.txt").content
    n = line_with(text, b'"type":"draw"')
    lines = text.split(b"\n")
    changed = lines[n - 1].replace(b'"seat":0', b'"seat":9').replace(b'"seat":1', b'"seat":9').replace(
        b'"seat":2', b'"seat":9')  # fmt: skip
    assert changed != lines[n - 1]
    page = opened(visit("phone"), ended)
    instead(page, "**/replays/*.txt", lambda body: body.replace(lines[n - 1], changed))
    found = check(page)
    assert {"chain", "table", "shown"} <= {name for name, outcome in found.items() if outcome == "fails"}
    assert found["seed"] == "holds"
    verdict = page.locator(".verdict.bad")
    expect(verdict).to_contain_text(f"event {n}")
    expect(verdict).to_be_visible()
    page.locator(".verdict a").click()
    at(page, n)


def test_bytes_that_are_no_record_fail(visit: Visit, ended: str) -> None:
    page = opened(visit("desk"), ended)
    instead(page, "**/replays/*.txt", lambda body: body.replace(b'"by":"person"', b'"by":"persom"', 1))
    found = check(page)
    assert (found["form"], len(found)) == ("fails", 2)
    expect(page.locator(".verdict.bad a")).to_be_visible()


def test_the_record_of_another_table_fails(visit: Visit, lounge: Served, ended: str) -> None:
    other = lounge.watcher().http.get(f"/replays/{brief(lounge, 'rummy')}.txt").content
    page = opened(visit("desk"), ended)
    instead(page, "**/replays/*.txt", lambda _: other)
    assert check(page)["form"] == "fails"
    expect(page.locator("[data-check=form]")).to_contain_text("another table")


def test_cards_that_were_not_dealt_fail(visit: Visit, lounge: Served, ended: str) -> None:
    _, tables = frames(lounge, ended)
    n = next(i for i, table in enumerate(tables) if any(line["kind"] == "dealt" for line in table.get("lines", [])))
    one, other = tables[n]["hands"][0][0], tables[n]["hands"][1][0]
    visitor = visit("desk")

    def swap(body: bytes) -> bytes:
        return body.replace(one.encode(), b"@").replace(other.encode(), one.encode()).replace(b"@", other.encode())

    instead(visitor.page, "**/replays/*.json*", swap)
    page = opened(visitor, ended)
    found = check(page)
    assert {name for name, outcome in found.items() if outcome == "fails"} == {"deals"}
    expect(page.locator(".verdict.bad")).to_contain_text(f"event {n}")


def test_a_key_that_nobody_vouches_for_fails(visit: Visit, ended: str) -> None:
    page = opened(visit("desk"), ended)
    instead(page, "**/.well-known/faircut/keys", lambda _: b"")
    assert check(page)["signature"] == "fails"
    expect(page.locator(".verdict.bad")).to_be_visible()


def test_a_key_of_ones_own_may_be_given(visit: Visit, lounge: Served, ended: str) -> None:
    page = opened(visit("desk"), ended)
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_text("Keys you got another way").click()
    page.locator("#own-keys").fill("nonsense")
    assert check(page) == {}
    expect(page.locator(".verdict.bad")).to_contain_text("no key")
    page.locator("#own-keys").fill(lounge.watcher().http.get("/.well-known/faircut/keys").text)
    assert check(page)["signature"] == "holds"


def test_a_game_that_goes_on_is_not_replayed(visit: Visit, lounge: Served) -> None:
    table, _ = seated(lounge)
    visitor = visit("desk")
    page = visitor.go(f"/replays/{table}")
    expect(page.get_by_role("heading", name="Not over yet")).to_be_visible()
    assert page.get_by_role("link", name="To the table").get_attribute("href") == f"/play/{table}"
    page.goto(f"{lounge.url}/replays/aaaaaaaaaaaaaaaaaaaa")
    expect(page.get_by_role("heading", name="No replay")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_it_fits_and_nothing_moves(visit: Visit, lounge: Served, ended: str, size: str) -> None:
    told, _ = frames(lounge, ended)
    deals = [mark["n"] for mark in told["marks"] if mark["kind"] == "deal"]
    visitor = visit(size)
    page = opened(visitor, ended, deals[0])
    width, height = SIZES[size]
    parts = (".bar", ".tabs", ".player", ".steps button", ".scrub input", ".mid", "[data-stock]", ".tile", ".now")
    top = "document.querySelector('.board').scrollTop = 0"
    page.evaluate(top)
    before = visitor.boxes(*parts)
    assert len(before) >= 12
    for n in (deals[0] + 9, deals[1] - 1):
        page.get_by_label("Event", exact=True).fill(str(n))
        at(page, n)
        page.evaluate(top)
        assert visitor.boxes(*parts) == before
    for name, (x, y, w, h) in before.items():
        assert x >= 0, name
        assert x + w <= width, name
        if not name.startswith(".tile"):
            assert y >= 0, name
            assert y + h <= height, name
    for box in visitor.boxes(".steps button").values():
        assert min(box[2:]) >= 44
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for panel in ("Log", "Chart", "Check"):
        page.get_by_role("button", name=panel, exact=True).click()
        assert page.eval_on_selector(".side", "side => side.scrollWidth <= side.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desk", "small"])
def test_axe_finds_nothing_serious(visit: Visit, ended: str, size: str, scheme: str) -> None:
    visitor = visit(size, color_scheme=scheme)
    page = opened(visitor, ended, 40)
    assert visitor.axe() == []
    page.get_by_role("button", name="Log", exact=True).click()
    expect(page.locator(".log a").first).to_be_visible()
    assert visitor.axe() == []
    page.get_by_role("button", name="Chart", exact=True).click()
    expect(page.locator(".chart svg")).to_be_visible()
    assert visitor.axe() == []
    check(page)
    assert visitor.axe() == []


def test_nothing_is_asked_of_anybody_else(visit: Visit, lounge: Served, ended: str) -> None:
    visitor = visit("desk")
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    check(opened(visitor, ended))
    assert all(url.startswith(f"{lounge.url}/") for url in asked)
    assert any(url.endswith("/web/verify.js") for url in asked)
