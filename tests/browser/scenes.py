"""Pictures of what a table seldom comes to: long names, great and negative scores, full hands, a lost connection …

A view may be changed on its way to the page: for the eye alone, since the house knows nothing of it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute

from domain.registry import GAMES
from tests.api.house import Person, Served
from tests.browser.conftest import Visitor, against_bots
from tests.browser.contracts import MELDS, READY, opener
from tests.browser.rummies import reach

__all__ = ["scenes"]

Change = Callable[[dict[str, Any]], None]
Do = Callable[[Page], None]

NAMES = (
    "Maximiliane Featherstone", "WWWWWWWWWWWWWWWWWWWWWWWW", "Ölof Þorbjörnsdóttir-Åse", "Bo",
    "Christopher-Alexander M.", "陳大文" * 8, "Ada", "Mmmmmmmmmm Mmmmmmmmmmmmm",
)  # fmt: skip
TOTALS = (-1234, 4385, -145, 0, 1290, -15, 345, -2005)
SAID = ("Hello everyone", "What a hand!", "I had been waiting for that queen since the very first deal, and now this.")


def long(table: dict[str, Any]) -> None:
    """Names of 24 characters, some of them wide, and scores of four digits."""
    for seat, name in zip(table["seats"], NAMES, strict=False):
        seat["name"] = name
    table["view"]["totals"] = list(TOTALS[: len(table["seats"])])


def full(table: dict[str, Any]) -> None:
    """Twenty cards in the hand, and four long melds in front of every seat."""
    long(table)
    view, seats = table["view"], len(table["seats"])
    view["melds"] = [
        {"kind": "run", "id": 100 * k + owner, "owner": owner, "suit": "SHDC"[k], "lo": 3 + k,
         "cards": [f"{rank}{'SHDC'[k]}{owner + 1}" for rank in "3456789TJQ"[k : k + 4 + k]],
         "by": [(owner + i // 3) % seats for i in range(4 + k)]}
        for owner in range(seats) for k in range(4)
    ]  # fmt: skip
    view["hand"] = [f"{rank}{suit}9" for suit in "SHDC" for rank in "A579K"]
    view["counts"][0] = 20
    if "down" in view:
        view["down"] = [True] * seats


def ended(table: dict[str, Any]) -> None:
    """The end of a game of seven hands."""
    long(table)
    view, seats = table["view"], len(table["seats"])
    view["scores"] = [[(k * 37 + i * 61) % 160 - 45 for i in range(seats)] for k in range(7)]
    view["totals"] = totals = [sum(row[i] for row in view["scores"]) for i in range(seats)]
    places = [sorted(totals, reverse=True).index(total) + 1 for total in totals]
    table |= {"phase": "over", "how": None, "outcome": {"places": places, "totals": totals}}
    view["outs"] = [k % seats for k in range(7)]


class Album:
    """Takes pictures of a table in browsers of all sizes."""

    def __init__(self, browser: Browser, house: Served, out: Path, sizes: list[str]) -> None:
        self.browser, self.house, self.out, self.sizes = browser, house, out, sizes

    def take(
        self, name: str, person: Person, address: str, change: Change | None = None, do: Do | None = None,
        likes: dict[str, Any] | None = None, look: Any = "light",
    ) -> None:  # fmt: skip
        """One picture a size. `do` is done first, `likes` are settings of the page."""
        for size in self.sizes:
            visitor = Visitor(self.browser, self.house, size, person, color_scheme=look).quiet(*GAMES)
            liked = json.dumps({"motion": False, "sound": False, "intro": False} | (likes or {}))
            visitor.context.add_init_script(f"localStorage.setItem('faircut.settings', {json.dumps(liked)})")
            visitor.context.add_init_script("localStorage.setItem('faircut.contract_rummy.ask', '\"ask\"')")
            visitor.page.route_web_socket("**/feed*", lambda socket: _through(socket, change))
            page = visitor.go(address)
            page.wait_for_load_state("networkidle")
            if do:
                do(page)
            page.wait_for_timeout(300)
            page.screenshot(path=self.out / f"{name}-{size}.png")
            visitor.context.close()


def _through(socket: WebSocketRoute, change: Change | None) -> None:
    """Pass a feed on, its tables changed."""
    server = socket.connect_to_server()

    def heard(raw: str | bytes) -> None:
        frame = json.loads(raw)
        if frame["type"] == "state" and change and frame["table"]["view"]:
            change(frame["table"])
        socket.send(json.dumps(frame))

    server.on_message(heard)


def opens(tool: str) -> Do:
    """Open something of the bar."""

    def do(page: Page) -> None:
        more = page.get_by_role("button", name="More")
        if more.count():
            more.first.click()
        page.locator(".bar").get_by_role("button", name=tool).click()

    return do


def _chat(page: Page) -> None:
    opens("Chat")(page)
    for text in SAID:  # the house has heard enough after a few
        page.locator(".chat input").fill(text)
        page.locator(".chat input").press("Enter")
        page.locator(".chat .hint, .says li").first.wait_for()
    page.locator(".emotes button").nth(2).click()


def _checked(page: Page) -> None:
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("button", name="Check this game").click()
    page.locator(".verdict").wait_for()


def press(*selectors: str) -> Do:
    """Press one thing after another."""

    def do(page: Page) -> None:
        for selector in selectors:
            page.locator(selector).first.click()

    return do


def scenes(browser: Browser, house: Served, out: Path, sizes: list[str]) -> None:
    """Take them all."""
    album = Album(browser, house, out, sizes)
    for game, seats in (("michigan_rummy", 8), ("contract_rummy", 8), ("rummy", 4), ("thai_rummy", 4)):
        person, table = against_bots(house, game, seats)
        at = f"/play/{table}"
        album.take(f"{game}-long", person, at, long)
        album.take(f"{game}-full", person, at, full, likes={"deck": "four"})
        album.take(f"{game}-full-dark", person, at, full, likes={"deck": "safe"}, look="dark")
        album.take(f"{game}-over", person, at, ended, look="dark" if game == "rummy" else "light")
    album.take("chat", person, at, do=_chat)
    album.take("bubble", person, at, do=_say)
    _taking(album)
    _contract(album)
    person.call("POST", f"/tables/{table}/close", {})
    album.take("replay-check", person, f"/replays/{table}", do=_checked)
    lost(browser, house, out, sizes)
    album.take("no-replay", person, "/replays/zzzzzzzzzzzzzzzzzzzzzzzz")


def _say(page: Page) -> None:
    opens("Chat")(page)
    page.locator(".emotes button").first.click()
    page.locator(".says li").last.wait_for()
    page.keyboard.press("Escape")


def _taking(album: Album) -> None:
    """A card from deep in the pile: dug for, and taken into a meld."""

    def deep(view: dict[str, Any], helps: dict[str, Any]) -> bool:
        below = [pick for pick in helps.get("picks") or [] if pick["at"] < len(view["pile"]) - 1]
        return view["phase"] == "draw" and any(pick["takeable"] for pick in below)

    for game in ("michigan_rummy", "thai_rummy"):
        person, table, _ = reach(album.house, game, 3, deep)
        album.take(f"{game}-deep", person, f"/play/{table}", do=press("button.offer"))
    person, table, _ = reach(album.house, "rummy", 4, lambda view, helps: view["phase"] == "play" and helps["fits"])
    album.take("rummy-place", person, f"/play/{table}", do=press(".held .card:has(.can)"))


def _contract(album: Album) -> None:
    """The tray, places on the table, a joker to be won, and buying."""
    with pytest.MonkeyPatch.context() as patch:
        opened = opener(patch)
        opened(READY)
        for seats in (4, 8):
            person, table = against_bots(album.house, "contract_rummy", seats)
            album.take(f"contract_rummy-{seats}-tray", person, f"/play/{table}", do=press(".dock .left"))
        opened("6H1 7C1 *2 2S1 6D1 9S1", melds=MELDS, down=[0, 1, 2], size=7)
        for seats in (3, 6):
            person, table = against_bots(album.house, "contract_rummy", seats)
            for card in ("6H1", "7C1", "*2"):
                name = f"contract_rummy-{seats}-{'joker' if card == '*2' else card}"
                album.take(name, person, f"/play/{table}", do=press(f'.hand [data-card="{card}"]'))
        opened("2S1 5H1 6D1 9S1 KC1", turn=2, window={})
        person, table = against_bots(album.house, "contract_rummy", 6)
        album.take("contract_rummy-buying", person, f"/play/{table}")


def lost(browser: Browser, house: Served, out: Path, sizes: list[str]) -> None:
    """A table whose connection breaks and does not come back."""
    person, table = against_bots(house, "michigan_rummy", 4)
    for size in sizes:
        visitor = Visitor(browser, house, size, person).quiet("michigan_rummy")
        sockets: list[WebSocketRoute] = []

        def kept(socket: WebSocketRoute, sockets: list[WebSocketRoute] = sockets) -> None:
            socket.connect_to_server()
            sockets.append(socket)

        visitor.page.route_web_socket("**/feed*", kept)
        visitor.go(f"/play/{table}").wait_for_selector(".dock")
        visitor.page.route("**/tickets", lambda route: route.abort())
        for socket in sockets:
            socket.close()
        visitor.page.locator(".banner").wait_for()
        visitor.page.screenshot(path=out / f"lost-{size}.png")
        visitor.context.close()
