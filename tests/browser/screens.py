"""`python -m tests.browser.screens [--only desk,phone]`: pictures of every screen at every size, in `screens/`."""

import argparse
import contextlib
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from domain.registry import GAMES
from tests.api.house import Person, Refused, Served
from tests.browser.conftest import FLAGS, SIZES, Visitor, against_bots, chromium
from tests.browser.houses import lively
from tests.browser.scenes import scenes

SEATS = {"rummy": 4, "thai_rummy": 4}  # others: 2, 4 and 8
OVERLAYS = ("Log", "How to play", "Options", "Chat", "Table")


def main() -> int:
    parser = argparse.ArgumentParser(prog="screens")
    parser.add_argument("--only", default=",".join(SIZES), help=f"some of {', '.join(SIZES)}")
    parser.add_argument("--scenes", action="store_true", help="only what a table seldom comes to")
    parser.add_argument("--out", type=Path, default=Path("screens"))
    args = parser.parse_args()
    path = chromium()
    if path is None:
        print("no Chromium on this machine", file=sys.stderr)
        return 1
    args.out.mkdir(exist_ok=True)
    with lively() as house, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        scenes(browser, house, args.out, args.only.split(","))
        if args.scenes:
            return 0
        for look in ("light", "dark"):
            _pages(browser, house, args.out, args.only.split(","), look)
        for game in GAMES:
            for seats in {2, 3, SEATS.get(game, 8)} & set(GAMES[game][max(GAMES[game])].seats):
                _table(browser, house, args.out, args.only.split(","), game, seats)
        browser.close()
    return 0


def _pages(browser: Browser, house: Served, out: Path, sizes: list[str], look: Any) -> None:
    """The front door, the settings of each game, a waiting room, the rules, and addresses with nothing behind them."""
    host = house.person("Maximiliane Featherstone")
    waiting = host.open("michigan_rummy", 4)["id"]
    host.sit(waiting, 0)
    host.bot(waiting, "hard")
    addresses = {"front": "/", "room": f"/play/{waiting}", "no-table": "/play/zzzzzzzzzzzzzzzzzzzz"}
    for game in GAMES:
        addresses |= {f"new-{game}": f"/?new={game}", f"learn-{game}": f"/learn/{game}"}
    for size in sizes:
        visitor = Visitor(browser, house, size, host, color_scheme=look)
        for name, address in addresses.items():
            visitor.go(address).wait_for_load_state("networkidle")
            visitor.page.screenshot(path=out / f"{name}-{size}-{look}.png", full_page=True)
        visitor.context.close()


def _table(browser: Browser, house: Served, out: Path, sizes: list[str], game: str, seats: int) -> None:
    """A table as it is dealt, in the middle of a hand with what opens over it, as the hand ends; then its replay."""
    bots = GAMES[game][max(GAMES[game])].bots_at(seats)
    if not bots:
        return
    person, table = against_bots(house, game, seats)
    looks = {size: Visitor(browser, house, size, person).quiet(game) for size in sizes}

    def shoot(name: str) -> None:
        for size, visitor in looks.items():
            visitor.page.wait_for_timeout(400)
            visitor.page.screenshot(path=out / f"{game}-{seats}-{name}-{size}.png")

    for visitor in looks.values():
        visitor.go(f"/play/{table}").wait_for_selector(".dock")
    shoot("dealt")
    _play(person, table, 12)
    shoot("middle")
    for overlay in OVERLAYS if seats == 3 or seats == 2 else ():
        for size, visitor in looks.items():
            more = visitor.page.get_by_role("button", name="More")
            if more.count():
                more.first.click()
            visitor.page.locator(".bar").get_by_role("button", name=overlay, exact=True).click()
            visitor.page.screenshot(path=out / f"{game}-{seats}-{overlay.split()[0].lower()}-{size}.png")
            visitor.page.keyboard.press("Escape")
    _play(person, table, 400)
    shoot("scored")
    if person.table(table)["phase"] == "playing":
        person.call("POST", f"/tables/{table}/close", {})
    shoot("closed")
    for size, visitor in looks.items():
        visitor.go(f"/replays/{table}").wait_for_load_state("networkidle")
        visitor.page.screenshot(path=out / f"{game}-{seats}-replay-{size}.png")
        visitor.context.close()


def _play(person: Person, table: str, moves: int) -> None:
    """So many moves as the hints say, at most to the end of the hand."""
    for _ in range(moves):
        seen = person.table(table)
        if seen["phase"] != "playing" or seen["view"]["phase"] == "scored":
            return
        asked = person.owes(seen)
        if asked is None:
            time.sleep(0.05)  # the bots' turn: between looks, counted among the moves
            continue
        suggest = person.helps(table).get("suggest")
        legal = [m for m in person.legal(table) if m["type"] not in ("resign", "buy_pref")]
        move = suggest["move"] if suggest else next((m for m in legal if m["type"] == "pass"), legal[0])
        with contextlib.suppress(Refused):  # a buying closed meanwhile
            person.move(table, asked["key"], move)


if __name__ == "__main__":
    sys.exit(main())
