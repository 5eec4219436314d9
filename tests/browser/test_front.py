"""The front door in a real browser: games, settings, starting, what is on, what was played, how to play."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from domain.registry import GAMES
from tests.api.house import Served, wait
from tests.browser.conftest import SIZES, Visitor

Visit = Callable[..., Visitor]

expect.set_options(timeout=15_000)

LONG = "Wolfeschlegelsteinhausen"  # as long as a name may be


def shown(page: Page) -> Any:
    """What the house tells of the table in the address to somebody who sits nowhere."""
    return page.request.get(f"/tables/{page.url.rpartition('/')[2]}").json()["table"]


def link(page: Page, name: str | re.Pattern[str]) -> Any:
    return page.get_by_role("link", name=name, exact=isinstance(name, str))


def narrow_enough(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


@pytest.mark.parametrize("game", sorted(GAMES))
def test_two_presses_from_the_address_to_a_game_against_bots(visit: Visit, game: str) -> None:
    page = visit().quiet(game).go("/")
    title = page.request.get(f"/games/{game}").json()["title"]
    link(page, f"Play {title}").click()
    page.get_by_role("button", name="Play against bots").click()
    page.wait_for_selector(".hand .card")
    assert re.search(r"/play/[0-9a-z]{16,}$", page.url)
    table = shown(page)
    assert [seat["kind"] for seat in table["seats"]] == ["human", *["bot"] * (len(table["seats"]) - 1)]
    assert table["seats"][0]["name"] == "Guest"
    assert table["seats"][0]["promised"], "the guest's own browser cuts"
    assert table["seats"][0]["cut"]
    options = page.request.get(f"/games/{game}").json()["options"]
    assert table["options"] == {option["name"]: option["default"] for option in options}


def test_what_is_chosen_is_what_is_played(visit: Visit) -> None:
    page = visit().quiet("rummy").go("/?new=rummy")
    for row, value in (("Players", "4"), ("Bots", "Hard"), ("Deadline", "15 min"), ("Pace of bots", "Relaxed")):
        page.get_by_role("group", name=row, exact=True).get_by_role("button", name=value).click()
    page.get_by_label("Your name").fill("Ágnes")
    page.get_by_role("button", name="Play against bots").click()
    page.wait_for_selector(".hand .card")
    table = shown(page)
    assert table["options"] == {"deadline": 900, "bot_pace": "relaxed"}
    assert table["seats"][0]["name"] == "Ágnes"
    assert [seat["level"] for seat in table["seats"]] == [None, "hard", "hard", "hard"]
    page.goto("/?new=rummy")  # it is remembered, and so is the name
    assert page.get_by_label("Your name").input_value() == "Ágnes"
    pressed = page.locator('.option [aria-pressed="true"] span').all_inner_texts()
    assert pressed == ["4", "Hard", "15 min", "Relaxed"]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_each_row_marks_the_default_of_the_catalogue(visit: Visit, game: str) -> None:
    page = visit().go(f"/?new={game}")
    page.wait_for_selector(".option")
    for option in page.request.get(f"/games/{game}").json()["options"]:
        row = page.get_by_role("group", name=option["title"], exact=True)
        assert row.locator("small").all_inner_texts() == ["default"]
        assert row.locator('[aria-pressed="true"] small').count() == 1
        values = row.get_by_role("button").count()
        assert values == len(option["values"]) if option["values"] else values > 4
    rows = page.locator(".option")
    assert rows.count() == len(page.locator(".option .hint").all())


def test_the_time_for_a_turn_is_shown_in_words(visit: Visit) -> None:
    page = visit().go("/?new=rummy")
    row = page.get_by_role("group", name="Deadline", exact=True)
    row.wait_for()
    words = row.locator("button span").all_inner_texts()
    assert words[0] == "1 min"
    assert words[-1] == "1 week"
    assert row.locator('[aria-pressed="true"] span').inner_text() == "1 day"


def test_where_no_bots_may_play_it_says_so(visit: Visit) -> None:
    page = visit().go("/?new=rummy")
    players = page.get_by_role("group", name="Players", exact=True)
    against = page.get_by_role("button", name="Play against bots")
    expect(against).to_be_visible()
    players.get_by_role("button", name="2").click()
    expect(against).to_have_count(0)
    expect(page.locator(".begin .why")).to_contain_text("people only")
    page.get_by_role("group", name="Bots", exact=True).get_by_role("button", name="Hard").click(force=True)
    expect(page.locator(".begin .said")).to_contain_text("3 or 4")
    players.get_by_role("button", name="3").click()
    expect(against).to_be_visible()


def test_open_running_and_finished_tables_are_listed(visit: Visit, lounge: Served) -> None:
    host, other = lounge.person(LONG), lounge.person("Ben of the list")
    waits = host.open("thai_rummy", 3)["id"]
    host.sit(waits, 0)
    runs = other.open("rummy", 2)["id"]
    other.sit(runs, 0)
    host.sit(runs, 1)
    other.start(runs)
    for person in (host, other):
        person.cut(runs)
    ended = other.open("rummy", 2)["id"]
    other.sit(ended, 0)
    host.sit(ended, 1)
    other.start(ended)
    for person in (host, other):
        person.cut(ended)
    other.move(ended, None, {"type": "resign"})
    page = visit().go("/")
    lines = page.locator(".lines > li")
    open_line = lines.filter(has=page.locator(f'a[href="/play/{waits}"]'))
    expect(open_line).to_contain_text("2 of 3 seats free")
    expect(open_line).to_contain_text(LONG)
    expect(open_line.get_by_role("link")).to_have_text("Join")
    running = lines.filter(has=page.locator(f'a[href="/play/{runs}"]'))
    expect(running.get_by_role("link")).to_have_text("Watch")
    finished = lines.filter(has=page.locator(f'a[href="/replays/{ended}"]'))
    expect(finished.locator(".places li").first).to_contain_text(f"1. {LONG}")
    expect(finished.locator(".places li").nth(1)).to_contain_text("2. Ben of the list")
    expect(finished).to_contain_text("resigned")
    host.call("POST", f"/tables/{waits}/close", {})
    expect(open_line).to_have_count(0)  # the list is kept fresh
    finished.get_by_role("link").click()
    page.wait_for_url(f"**/replays/{ended}")


def test_one_comes_back_to_ones_own_tables(visit: Visit) -> None:
    page = visit().quiet("thai_rummy").go("/?new=thai_rummy")
    page.get_by_role("button", name="Play against bots").click()
    page.wait_for_selector(".hand .card")
    address = page.url
    page.goto("/")
    own = page.get_by_role("region", name="Your tables")
    line = own.locator("li")
    expect(line).to_have_count(1)
    expect(line).to_contain_text("Thai Rummy")
    expect(line).to_contain_text("with 2 medium bots")
    others = page.get_by_role("region", name="Tables", exact=True)
    assert others.locator(f'a[href="{address[len(page.url) - 1 :]}"]').count() == 0
    line.get_by_role("link").click()
    page.wait_for_selector(".hand .card")
    assert page.url == address
    page.evaluate("id => import('/web/house.js').then(({ ask }) => ask(`/tables/${id}/close`, { body: {} }))",
                  address.rpartition("/")[2])  # fmt: skip
    page.goto("/")
    page.wait_for_selector("#finished ~ .lines")
    assert own.count() == 0, "a table that has ended is gone from the list"


def test_a_house_that_does_not_answer_is_said_and_asked_again(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    page.route("**/games", lambda route: route.abort())
    page.goto("/")
    expect(page.get_by_role("heading", name="Nobody answers")).to_be_visible(timeout=20_000)
    assert not visitor.axe()
    page.unroute("**/games")
    page.get_by_role("button", name="Try again").click()
    expect(link(page, "Play Rummy")).to_be_visible()


def test_lists_that_cannot_be_had_leave_the_rest_usable(visit: Visit) -> None:
    page = visit().page
    page.route(re.compile(r"/tables\?"), lambda route: route.fulfill(status=503, json={"detail": "Away."}))
    page.goto("/")
    expect(page.get_by_role("status").filter(has_text="cannot be reached")).to_be_visible()
    expect(link(page, "Play Rummy")).to_be_visible()
    page.unroute(re.compile(r"/tables\?"))
    expect(page.get_by_role("status").filter(has_text="cannot be reached")).to_have_count(0)


def test_a_refused_name_is_said_and_nothing_is_opened(visit: Visit) -> None:
    page = visit().go("/?new=rummy")
    page.get_by_label("Your name").fill("<b>")
    page.get_by_role("button", name="Play against bots").click()
    expect(page.get_by_role("alert")).not_to_be_empty()
    assert page.url.endswith("/?new=rummy")
    page.get_by_label("Your name").fill("Bo")
    page.get_by_role("button", name="Play against bots").click()
    page.wait_for_url("**/play/*")


def test_who_is_no_longer_known_here_plays_as_somebody_new(visit: Visit) -> None:
    page = visit().go("/")
    page.wait_for_selector(".gamecard")
    known = json.dumps(json.dumps({"person": "p", "name": "Old", "token": "fc_x_y"}))
    page.evaluate(f"localStorage.setItem('faircut.me', {known})")
    page.goto("/?new=rummy")
    page.get_by_role("button", name="Invite people").click()
    expect(page.locator(".sitting > li").first).to_contain_text("Old")


def test_pressed_twice_one_table_is_opened(visit: Visit, lounge: Served) -> None:
    page = visit().go("/?new=michigan_rummy")
    page.get_by_label("Your name").fill("Twice pressed")
    page.get_by_role("button", name="Invite people").evaluate("node => { node.click(); node.click(); }")
    page.wait_for_url("**/play/*")
    page.wait_for_selector(".sitting")
    tables = lounge.watcher().call("GET", "/tables?game=michigan_rummy&limit=100")["tables"]
    assert [table["host"] for table in tables].count("Twice pressed") == 1


@pytest.mark.parametrize("path", ["/?new=nothing", "/learn/nothing"])
def test_a_game_that_is_not_there(visit: Visit, path: str) -> None:
    page = visit().go(path)
    expect(page.get_by_role("heading", name="No such game")).to_be_visible()
    page.locator("main").get_by_role("link", name="All games").click()
    expect(page.get_by_role("heading", name="Games", exact=True)).to_be_visible()


def test_a_phone_is_told_once_that_a_computer_shows_more(visit: Visit) -> None:
    page = visit("phone").go("/")
    hint = page.get_by_role("note")
    expect(hint).to_contain_text("computer")
    hint.get_by_role("button").click()
    expect(hint).to_have_count(0)
    page.reload()
    page.wait_for_selector(".gamecard")
    assert hint.count() == 0
    desk = visit("desk").go("/")
    desk.wait_for_selector(".gamecard")
    assert desk.get_by_role("note").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", sorted(SIZES))
@pytest.mark.parametrize("path", ["/", "/?new=thai_rummy", "/learn/contract_rummy", "/web/api.html"])
def test_every_page_fits_and_axe_finds_nothing_serious(visit: Visit, path: str, size: str, scheme: str) -> None:
    visitor = visit(size, color_scheme=scheme)
    page = visitor.go(path)
    ready = {"/": "#finished ~ *", "/?new=thai_rummy": ".option", "/web/api.html": "pre"}
    page.wait_for_selector(ready.get(path, ".rules"))
    page.wait_for_load_state("networkidle")
    assert narrow_enough(page)
    assert not visitor.axe()


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_rules_are_there_in_short_and_in_full(visit: Visit, game: str) -> None:
    page = visit().go("/")
    card = page.request.get(f"/games/{game}").json()
    link(page, f"How to play {card['title']}").click()
    page.wait_for_selector(".rules")
    page.wait_for_selector(".in-short")
    rules = page.request.get(f"/games/{game}/rules").text()
    parts = re.findall(r"^## (.+)$", rules, re.MULTILINE)
    assert page.locator(".rules h3").all_inner_texts() == parts
    assert page.locator(".parts a").all_inner_texts() == parts
    assert page.locator(".rules table tbody tr").count() == len(re.findall(r"^\s*\|", rules, re.MULTILINE)) - 2 * len(
        re.findall(r"^\s*\|[-| ]+\|$", rules, re.MULTILINE)
    )
    first = page.locator(".rules ol").first.locator("li").first.inner_text()
    assert first.split(".")[0] in re.sub(r"[*`]|\n\s+", lambda found: " " if "\n" in found[0] else "", rules)
    link(page, parts[-1]).click()
    expect(page.locator(".rules h3").last).to_be_in_viewport()
    link(page, "Play").click()
    expect(page.get_by_role("heading", name=card["title"], exact=True)).to_be_visible()
    page.wait_for_selector(".option")


def test_rules_are_never_read_as_html(visit: Visit) -> None:
    page = visit().page
    lines = ("# Rummy", "", "## Cards <b>and</b>", "", "1. <img src=x onerror='document.title=1'> **<i>bold</i>**", "",
             "| a<hr> | b |", "|---|---|", "| <script>1</script> | `<u>` |")  # fmt: skip
    text = "\n".join(lines)
    page.route("**/rules", lambda route: route.fulfill(body=text, content_type="text/markdown"))
    page.goto("/learn/rummy")
    rules = page.locator(".rules")
    expect(rules).to_contain_text("<img src=x onerror='document.title=1'>")
    expect(rules.locator("strong")).to_have_text("<i>bold</i>")
    assert rules.locator("img, script, i, hr, u, b").count() == 0


def test_by_keyboard_alone(visit: Visit) -> None:
    page = visit().quiet("michigan_rummy").go("/")
    page.wait_for_selector(".gamecard")
    on = "document.activeElement.getAttribute('aria-label') || document.activeElement.innerText"

    def tab_to(words: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate(on) == words:
                return
        raise AssertionError(f"{words} is not reached")

    tab_to("Play Michigan Rummy")
    page.keyboard.press("Enter")
    page.wait_for_selector(".option")
    tab_to("Play against bots")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hand .card")


def test_the_look_is_kept(visit: Visit) -> None:
    page = visit().go("/")
    page.wait_for_selector(".gamecard")
    before = page.evaluate("getComputedStyle(document.body.querySelector('.front')).backgroundColor")
    page.get_by_role("button", name="Dark", exact=True).click()
    dark = page.evaluate("getComputedStyle(document.body.querySelector('.front')).backgroundColor")
    assert dark != before
    page.reload()
    page.wait_for_selector(".gamecard")
    assert page.evaluate("getComputedStyle(document.body.querySelector('.front')).backgroundColor") == dark


def test_further_finished_games_are_shown_on_request(visit: Visit, lounge: Served) -> None:
    person = lounge.person("Closer")
    for _ in range(13):
        table = person.open("michigan_rummy", 2)["id"]
        person.sit(table, 0)
        person.call("POST", f"/tables/{table}/close", {})
    wait(lambda: len(person.call("GET", "/replays?limit=50")["replays"]) >= 13)
    page = visit().go("/")
    links = page.locator('a[href^="/replays/"]')
    expect(links).to_have_count(12)
    page.get_by_role("button", name="Show more").click()
    expect(links.nth(12)).to_be_visible()
    addresses = links.evaluate_all("nodes => nodes.map((node) => node.getAttribute('href'))")
    assert len(set(addresses)) == len(addresses) > 12
