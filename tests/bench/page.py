"""The page in a Chromium: bytes of the first load, a view of eight seats to pixels, a hundred updates a second."""

import json
import time
from typing import Any

from playwright.sync_api import Browser, WebSocketRoute, sync_playwright

from tests.api.house import Person, Served
from tests.bench import Row, percentile
from tests.browser.conftest import FLAGS, Visitor, against_bots, chromium
from tests.browser.houses import lively

VIEWS = 60  # drawn one after another
STORM = 300  # updates, a hundred a second
KB = 1000

# For each frame of the feed: milliseconds from its arrival to the end of the drawing that shows it.
DRAWN = """
window.drawn = [];
const Plain = WebSocket;
window.WebSocket = class extends Plain {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", () => {
      const came = performance.now();
      requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.onmessage = () => window.drawn.push(performance.now() - came);
        after.port2.postMessage(0);
      });
    });
  }
};
window.gaps = [];
let last = 0;
const tick = (now) => { if (last) window.gaps.push(now - last); last = now; requestAnimationFrame(tick); };
requestAnimationFrame(tick);
"""


def rows() -> list[Row]:
    """What the page costs. Raises RuntimeError where there is no Chromium."""
    path = chromium()
    if path is None:
        raise RuntimeError("no Chromium on this machine")
    with lively() as house, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            return [*_loads(browser, house), *_draws(browser, house)]
        finally:
            browser.close()


def _loads(browser: Browser, house: Served) -> list[Row]:
    """Everything that a first visit to the front door, and to a table, brings over the wire."""
    person, table = _rich(house)
    found = []
    for name, address in (("the front door", "/"), ("a table of eight", f"/play/{table}")):
        visitor = Visitor(browser, house, "desk", person)
        wire = visitor.context.new_cdp_session(visitor.page)
        sizes: list[float] = []
        wire.on("Network.loadingFinished", lambda told, sizes=sizes: sizes.append(told["encodedDataLength"]))
        wire.send("Network.enable")
        visitor.go(address).wait_for_load_state("networkidle")
        found.append(Row(f"first load of {name}", sum(sizes) / KB, "KB", most=250))
        visitor.context.close()
    return found


def _rich(house: Served) -> tuple[Person, str]:
    """A table of eight with many melds."""
    person, table = against_bots(house, "michigan_rummy", 8)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        seen = person.table(table)
        if len(seen["view"]["melds"]) >= 14 or (seen["view"]["phase"] != "play" and seen["view"]["phase"] != "draw"):
            break
        asked = person.owes(seen)
        if asked:
            suggest = person.helps(table)["suggest"]
            person.move(table, asked["key"], suggest["move"] if suggest else person.legal(table)[0])
        time.sleep(0.02)
    return person, table


def _draws(browser: Browser, house: Served) -> list[Row]:
    person, table = _rich(house)
    visitor = Visitor(browser, house, "desk", person).quiet("michigan_rummy")
    visitor.context.add_init_script(DRAWN)
    feeds: list[tuple[WebSocketRoute, dict[str, Any]]] = []

    def pass_on(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def heard(text: Any) -> None:
            frame = json.loads(text)
            if frame["type"] == "state":
                feeds.append((socket, frame))
            socket.send(text)

        server.on_message(heard)

    visitor.page.route_web_socket("**/feed*", pass_on)
    page = visitor.go(f"/play/{table}")
    page.wait_for_selector(".dock")
    page.wait_for_timeout(1000)
    socket, frame = feeds[-1]
    page.evaluate("() => { window.drawn = []; }")
    for number in range(VIEWS):
        socket.send(_later(frame, number + 1))
        while page.evaluate("() => window.drawn.length") <= number:
            page.wait_for_timeout(2)
    drawn = page.evaluate("() => window.drawn")
    page.evaluate("() => { window.gaps = []; }")
    start = time.monotonic()
    for number in range(STORM):
        socket.send(_later(frame, VIEWS + number + 1))
        ahead = start + number / 100 - time.monotonic()
        if ahead > 0:
            page.wait_for_timeout(ahead * 1000)
    gaps = page.evaluate("() => window.gaps")
    visitor.context.close()
    return [
        Row("a view of eight seats to pixels, p50", percentile(drawn, 50), "ms", most=50),
        Row("a view of eight seats to pixels, p95", percentile(drawn, 95), "ms", most=50),
        Row("a hundred updates a second: time between frames, p95", percentile(gaps, 95), "ms", most=34),
    ]


def _later(frame: dict[str, Any], number: int) -> str:
    """The same table a little later: another seat's turn, cards moved between stock and pile."""
    view = dict(frame["table"]["view"])
    view["turn"], view["stock"] = number % 8, max(0, view["stock"] - number % 5)
    view["melds"] = view["melds"][: len(view["melds"]) - number % 4]
    view["totals"] = [total + number for total in view["totals"]]
    table = {**frame["table"], "view": view, "seen": frame["seen"] + number}
    return json.dumps({**frame, "table": table, "seen": frame["seen"] + number, "lines": []})


