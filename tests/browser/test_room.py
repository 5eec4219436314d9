"""The waiting room in real browsers: inviting, sitting down as a newcomer, bots, the start, the cut, watching."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.api.house import Person, Served
from tests.browser.conftest import SIZES, Visitor

Visit = Callable[..., Visitor]

expect.set_options(timeout=15_000)

LONG = "Wolfeschlegelsteinhausen"  # as long as a name may be


def table_of(page: Page) -> dict[str, Any]:
    """What the house tells of the table in the address to somebody who sits nowhere."""
    found: dict[str, Any] = page.request.get(f"/tables/{page.url.rpartition('/')[2]}").json()["table"]
    return found


def opened(visitor: Visitor, game: str, seats: int, name: str) -> Page:
    """A table opened on the page for people."""
    page = visitor.quiet(game).go(f"/?new={game}")
    page.get_by_role("group", name="Players", exact=True).get_by_role("button", name=str(seats)).click()
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Invite people").click()
    page.wait_for_selector(".sitting")
    return page


def sitting(page: Page) -> Any:
    return page.locator(".sitting > li")


def test_two_people_meet_by_a_link_and_play(visit: Visit) -> None:
    host = opened(visit(), "rummy", 2, "Ada")
    expect(sitting(host).first).to_contain_text("Ada")
    expect(host.get_by_role("status").first).to_contain_text("Waiting for one more player")
    link = host.get_by_label("Link to this table").input_value()
    guest = visit("phone").quiet("rummy").go(link)  # nobody in particular so far
    expect(guest.locator(".state-words")).to_contain_text("One seat is free")
    guest.get_by_label("Your name").fill(LONG)
    guest.get_by_role("button", name="Take this seat: 2").click()
    expect(sitting(guest).nth(1)).to_contain_text("you")
    expect(sitting(host).nth(1)).to_contain_text(LONG)
    expect(guest.locator(".state-words")).to_contain_text("Waiting for Ada to start")
    expect(host.locator(".state-words")).to_contain_text("start when you like")
    host.get_by_role("button", name="Start the game").click()
    for page in (host, guest):
        page.wait_for_selector(".hand .card")
    seats = table_of(host)["seats"]
    assert [(seat["promised"], seat["cut"]) for seat in seats] == [(True, True)] * 2, "both browsers have cut"
    turn = table_of(host)["deciding"][0]["seat"]
    mine, other = (host, guest) if turn == 0 else (guest, host)
    counts = other.locator(f'[data-seat="{turn}"] .count, [data-chip="{turn}"] .count')
    expect(counts.first).to_contain_text("10")
    mine.get_by_role("button", name=re.compile("^Draw")).last.click()
    expect(counts.first).to_contain_text("11")
    expect(mine.locator(".hand .card")).to_have_count(11)


def test_a_newcomer_who_reloads_still_sits(visit: Visit, lounge: Served) -> None:
    host = lounge.person("Ada")
    table = host.open("thai_rummy", 3)["id"]
    host.sit(table, 0)
    page = visit().go(f"/play/{table}")
    page.get_by_role("button", name="Take this seat: 3").click()
    expect(sitting(page).nth(2)).to_contain_text("you")
    page.reload()
    expect(sitting(page).nth(2)).to_contain_text("you")
    assert table_of(page)["seats"][2]["name"] == "Guest"


def test_one_may_stand_up_and_sit_elsewhere(visit: Visit, lounge: Served) -> None:
    host = lounge.person("Ada")
    table = host.open("michigan_rummy", 4)["id"]
    host.sit(table, 0)
    page = visit(person=lounge.person("Cleo")).quiet("michigan_rummy").go(f"/play/{table}")
    page.get_by_role("button", name="Take this seat: 2").click()
    page.get_by_role("button", name="Stand up").click()
    page.get_by_role("button", name="Take this seat: 4").click()
    expect(sitting(page).nth(3)).to_contain_text("Cleo")
    for _ in range(2):
        host.bot(table, "easy")
    host.start(table)
    host.cut(table)
    page.wait_for_selector(".hand .card")  # the cut of the second seat was opened, not that of the first
    assert table_of(page)["seats"][3]["cut"]


def test_a_refused_second_seat_leaves_the_first_its_cut(visit: Visit, lounge: Served) -> None:
    host = lounge.person("Ada")
    table = host.open("michigan_rummy", 3)["id"]
    page = visit(person=lounge.person("Ben")).go(f"/play/{table}")
    page.get_by_role("button", name="Take this seat: 1").click()
    expect(sitting(page).first).to_contain_text("you")
    kept = f"localStorage.getItem('faircut.cut.{table}')"
    before = page.evaluate(kept)
    code = page.evaluate(
        f"import('/web/live.js').then((live) => live.takeSeat('{table}', 1)).then(() => null, (fault) => fault.code)"
    )
    assert code == "ONE_SEAT"
    assert page.evaluate(kept) == before


def test_the_host_adds_bots_sends_one_away_and_starts(visit: Visit) -> None:
    page = opened(visit(), "contract_rummy", 5, "Ada")
    page.get_by_role("button", name="Start the game").click(force=True)  # it cannot start, and says why
    expect(page.get_by_role("alert")).to_contain_text("Everyone has to sit")
    page.get_by_role("group", name="Level of the bots").get_by_role("button", name="Hard").click()
    page.get_by_role("button", name="Add a bot in seat 3").click()
    expect(sitting(page).nth(2)).to_contain_text("Hard bot")
    page.get_by_role("group", name="Level of the bots").get_by_role("button", name="Easy").click()
    page.get_by_role("button", name="Fill with bots").click()
    expect(page.locator(".sitting .free")).to_have_count(0)
    page.get_by_role("button", name=re.compile("Send away Hard bot")).click()
    expect(sitting(page).nth(2)).to_contain_text("Free seat")
    page.get_by_role("button", name="Add a bot in seat 3").click()
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_selector(".hand .card")
    assert [seat["level"] for seat in table_of(page)["seats"]] == [None, "easy", "easy", "easy", "easy"]


def test_at_a_table_for_people_no_bot_is_offered(visit: Visit) -> None:
    page = opened(visit(), "rummy", 2, "Ada")
    assert page.get_by_role("button", name=re.compile("bot")).count() == 0
    expect(page.locator(".hosting")).to_contain_text("for people only")


def test_what_was_chosen_is_shown_to_all(visit: Visit, lounge: Served) -> None:
    table = lounge.person("Ada").open("rummy", 3, {"deadline": 300})["id"]
    page = visit().go(f"/play/{table}")
    page.wait_for_selector(".chosen")
    rows = page.locator(".chosen > div").all_inner_texts()
    assert [row.split("\n") for row in rows] == [
        ["Players", "3"], ["Deadline", "5 min"], ["Pace of bots", "Brisk"],
    ]  # fmt: skip
    assert page.locator(".settings button, .settings input").count() == 0


def test_the_link_is_copied(visit: Visit) -> None:
    page = opened(visit(permissions=["clipboard-read", "clipboard-write"]), "rummy", 3, "Ada")
    page.get_by_role("button", name="Copy").click()
    expect(page.locator(".copied")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_full_and_a_running_table_are_watched(visit: Visit, lounge: Served) -> None:
    crowd = [lounge.person("Ada"), lounge.person(LONG)]
    table = crowd[0].open("michigan_rummy", 2)["id"]
    for seat, person in enumerate(crowd):
        person.sit(table, seat)
    page = visit().quiet("michigan_rummy").go(f"/play/{table}")
    expect(page.locator(".state-words")).to_contain_text("Waiting for Ada to start; you can stay and watch")
    assert page.get_by_role("button", name=re.compile("seat")).count() == 0
    crowd[0].start(table)
    expect(page.locator(".state-words")).to_contain_text(f"Waiting for the cut of Ada and {LONG}")
    crowd[0].cut(table)
    expect(sitting(page).first).to_contain_text("has cut")
    crowd[1].cut(table)
    expect(page.locator(".watching")).to_be_visible()
    assert page.locator(".hand").count() == 0
    expect(page.locator(".status")).to_contain_text("You are watching")


def test_a_table_is_closed_after_a_second_press_and_opened_again(visit: Visit) -> None:
    host = opened(visit(), "thai_rummy", 3, "Ada")
    guest = visit().quiet("thai_rummy").go(host.url)
    guest.get_by_role("button", name="Take this seat: 2").click()
    expect(sitting(host).nth(1)).to_contain_text("Guest")
    before = host.url
    host.get_by_role("button", name="Close the table").click()
    expect(host.get_by_role("alert")).to_contain_text("Press again")
    host.get_by_role("button", name="Press again to close it").click()
    for page in (host, guest):
        expect(page.locator(".state-words")).to_contain_text("Ended by the host")
    host.get_by_role("button", name="Open it again").click()
    host.wait_for_url(lambda url: url != before)
    expect(sitting(host)).to_have_count(3)
    guest.get_by_role("link", name="To the next table").click()
    expect(guest.get_by_label("Your name")).to_have_value("Guest")
    assert guest.url == host.url


def test_a_cut_that_does_not_come_voids_the_table(visit: Visit, lounge: Served) -> None:
    late = lounge.person("Late")
    table = late.open("michigan_rummy", 2)["id"]
    late.sit(table, 0)
    late.bot(table, "easy")
    visitor = visit("small")
    page = visitor.go(f"/play/{table}")
    expect(page.locator(".state-words")).to_contain_text("All seats are taken")
    late.start(table)
    expect(page.locator(".state-words")).to_contain_text("Waiting for the cut of Late")
    assert not visitor.axe()
    expect(page.locator(".afterwards")).to_contain_text("The cut of Late did not come", timeout=40_000)
    assert not visitor.axe()
    page.get_by_role("link", name="Open a new table").click()
    page.wait_for_selector(".option")


def test_a_table_that_is_not_there(visit: Visit) -> None:
    page = visit().go("/play/nothing0nothing0nothing")
    expect(page.get_by_role("heading", name="No such table")).to_be_visible()
    page.get_by_role("link").first.click()
    page.wait_for_selector(".gamecard")


def test_a_refused_name_is_said(visit: Visit, lounge: Served) -> None:
    table = lounge.person("Ada").open("thai_rummy", 2)["id"]
    page = visit().go(f"/play/{table}")
    page.get_by_label("Your name").fill("<i>")
    page.get_by_role("button", name="Take this seat: 1").click()
    expect(page.get_by_role("alert")).not_to_be_empty()
    assert table_of(page)["seats"] == [None, None]


def hosted(lounge: Served) -> tuple[Person, str]:
    """A table of eight with long names, two bots and free seats; its host."""
    host = lounge.person(LONG)
    table = host.open("michigan_rummy", 8)["id"]
    host.sit(table, 0)
    lounge.person("M" * 24).sit(table, 1)
    for level in ("easy", "hard"):
        host.bot(table, level)
    return host, table


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", sorted(SIZES))
def test_the_room_fits_and_axe_finds_nothing_serious(visit: Visit, lounge: Served, size: str, scheme: str) -> None:
    host, table = hosted(lounge)
    for person in (host, None):
        visitor = visit(size, person, color_scheme=scheme)
        page = visitor.go(f"/play/{table}")
        page.wait_for_selector(".sitting")
        wide = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide[0] <= wide[1], json.dumps(wide)
        assert not visitor.axe()


def test_a_table_is_taken_over_by_keyboard_alone(visit: Visit, lounge: Served) -> None:
    table = lounge.person("Ada").open("rummy", 2)["id"]
    page = visit().go(f"/play/{table}")
    page.wait_for_selector(".sitting")
    page.keyboard.press("Tab")
    for _ in range(20):
        if page.evaluate("document.activeElement.tagName") == "INPUT":
            break
        page.keyboard.press("Tab")
    page.keyboard.type("Keys")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(sitting(page).first).to_contain_text("Keys")
