"""A whole house with bots, and a real browser at its page. Without a Chromium tests are skipped, in CI they fail."""

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Browser, Page, Response, sync_playwright

from api.cli_migrate import make_ready
from deploy.local import Nats, Postgres
from replay.settings import Settings
from tests.api.house import Person, Served, settings_for
from tests.browser.houses import at_work

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run", "--disable-features=PreloadTopChromeWebUI",
]  # fmt: skip
SIZES = {"desk": (1440, 900), "tablet": (1180, 820), "phone": (390, 844), "small": (320, 700)}
AXE = Path(__file__).parent / "axe.min.js"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser on a busy machine answers when it can: tests of the page have more time, and a second try."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(300, method="signal"))
            item.add_marker(pytest.mark.flaky(reruns=1))


def chromium() -> str | None:
    """The browser to test with: FAIRCUT_CHROMIUM, or what the machine has."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("FAIRCUT_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="module")
def browsers() -> Iterator[Callable[[], Browser]]:
    """Gives a Chromium without a window, the same one as long as it lives.

    While it may be asked, this thread counts as inside an event loop: what runs one of its own does so in another.
    """
    path = chromium()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium on this machine: install Debian's package chromium")
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        made: list[Browser] = []

        def browser() -> Browser:
            if not made or not made[-1].is_connected():
                made.append(playwright.chromium.launch(executable_path=path, args=FLAGS))
            return made[-1]

        yield browser
        for one in made:
            one.close()


@pytest.fixture
def browser(browsers: Callable[[], Browser]) -> Iterator[Browser]:
    """A Chromium that keeps nothing from one test to the next."""
    found = browsers()
    yield found
    for context in found.contexts:
        context.close()


def apart(do: Callable[[Settings], None], settings: Settings) -> None:
    """Do something in a thread of its own."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(do, settings).result()


@pytest.fixture(scope="session")
def lounge(postgres: Postgres, work_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A whole house that a worker's tests share: API, engine and a bot worker whose bots hardly think."""
    with psycopg.connect(postgres.to("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE lounge TEMPLATE ready")
    keys = tmp_path_factory.mktemp("lounge") / "keys"
    with Nats(work_folder / "lounge") as nats:
        nats.start()
        settings = settings_for(postgres.to("lounge"), nats.credentials("server"), keys)
        apart(make_ready, settings)
        with at_work(settings, nats.credentials("bot")) as house:
            yield house


@pytest.fixture
def settings(database: str, own_nats: Nats, tmp_path: Path) -> Settings:
    """A database, a bus and keys that are ready, for a test alone."""
    found = settings_for(database, own_nats.credentials("server"), tmp_path / "keys")
    apart(make_ready, found)
    return found


class Visitor:
    """A browser of its own at the house's page: `page`, and what went wrong in it."""

    def __init__(self, browser: Browser, house: Served, size: str, person: Person | None, **context: Any) -> None:
        width, height = SIZES[size]
        self.house, self.person = house, person
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, base_url=house.url, has_touch=width < 640, **context
        )
        self.context.set_default_timeout(15_000)
        if person is not None:
            token = person.http.headers["authorization"].split(" ")[-1]
            me = json.dumps({"person": "", "name": "", "token": token} | person.call("GET", "/me"))
            self.context.add_init_script(f"localStorage.setItem('faircut.me', {json.dumps(me)})")
        self.page: Page = self.context.new_page()
        self.faults: list[str] = []
        self.refused: list[str] = []  # moves that the house refused
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.on("console", lambda said: said.type == "error" and self._said(said.text))
        self.page.on("response", self._answered)

    def _said(self, text: str) -> None:
        if "Failed to load resource" not in text:  # refusals have a list of their own
            self.faults.append(text)

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.url.endswith("/moves"):
            self.refused.append(f"{response.status} {response.request.post_data} {response.text()}")

    def quiet(self, *games: str) -> "Visitor":
        """What opens by itself the first time is taken for seen, and nothing moves."""
        once = json.dumps({f"how.{name}": True for name in games} | {f"move.{name}": True for name in games})
        settings = json.dumps({"motion": False, "sound": False, "intro": False})
        self.context.add_init_script(
            f"localStorage.setItem('faircut.once', {json.dumps(once)});"
            f"localStorage.setItem('faircut.settings', {json.dumps(settings)})"
        )
        return self

    def go(self, path: str) -> Page:
        """Open an address of the house."""
        self.page.goto(path)
        return self.page

    def press(self, selector: str, rng: random.Random) -> str | None:
        """Press one of the buttons of a selector that can do something, at random; its words, None if there is none.

        Looking and pressing are one step, so that nothing is redrawn between them.
        """
        words: str | None = self.page.evaluate(
            """([selector, chance]) => {
                const can = (node) => node.getClientRects().length && node.getAttribute("aria-disabled") !== "true"
                    && node.getAttribute("aria-pressed") !== "true";
                const found = [...document.querySelectorAll(selector)].filter(can);
                const node = found[Math.floor(chance * found.length)];
                node?.click();
                return node ? node.getAttribute("aria-label") || node.textContent.trim() : null;
            }""",
            [selector, rng.random()],
        )
        return words

    def axe(self) -> list[str]:
        """What axe finds that is serious or critical."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{v['id']}: {v['nodes'][0]['target']} {v['nodes'][0]['failureSummary']}"
            for v in found["violations"]
            if v["impact"] in ("serious", "critical")
        ]

    def boxes(self, *selectors: str) -> dict[str, tuple[float, ...]]:
        """Where elements lie now, by selector and number, in whole px."""
        found = {}
        for selector in selectors:
            for i, node in enumerate(self.page.locator(selector).all()):
                box = node.bounding_box()
                if box:
                    found[f"{selector} {i}"] = tuple(round(box[side]) for side in ("x", "y", "width", "height"))
        return found


@pytest.fixture
def visit(browser: Browser, lounge: Served) -> Iterator[Callable[..., Visitor]]:
    """Open a browser of its own: visit("phone", person). At the end nothing may have gone wrong in any of them."""
    visitors: list[Visitor] = []

    def made(size: str = "desk", person: Person | None = None, **context: Any) -> Visitor:
        visitors.append(Visitor(browser, lounge, size, person, **context))
        return visitors[-1]

    yield made
    for visitor in visitors:
        visitor.context.close()
    for visitor in visitors:
        assert not visitor.faults


def against_bots(
    house: Served, game: str, seats: int, options: dict[str, Any] | None = None, name: str = "Ada", level: str = "easy"
) -> tuple[Person, str]:
    """A person at seat 0 of a running table with bots on all other seats; the table's id."""
    person = house.person(name)
    table = person.open(game, seats, options)["id"]
    person.sit(table, 0)
    for _ in range(seats - 1):
        person.bot(table, level)
    person.start(table)
    person.cut(table)
    return person, table
