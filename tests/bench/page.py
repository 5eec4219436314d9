"""The page in a Chromium: bytes of the first load, a view of eight seats to pixels, a hundred updates a second."""

import time

from playwright.sync_api import Browser, sync_playwright

from tests.api.house import Person, Served
from tests.bench import Row, percentile
from tests.browser.conftest import FLAGS, Visitor, against_bots, chromium
from tests.browser.houses import lively

VIEWS = 60  # drawn one after another
STORM = 300  # updates, a hundred a second
KB = 1000

# The page's own socket, so that frames can be put into it; for each frame the milliseconds from its arrival to the end
# of the drawing that shows it; the time between any two drawings.
EARS = """
window.drawn = [];
window.gaps = [];
const Plain = WebSocket;
window.WebSocket = class extends Plain {
  constructor(...given) {
    super(...given);
    window.feed = this;
    this.addEventListener("message", (event) => {
      if (JSON.parse(event.data).type === "state") window.frame = event.data;
      const came = performance.now();
      requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.onmessage = () => window.drawn.push(performance.now() - came);
        after.port2.postMessage(0);
      });
    });
  }
};
let last = 0;
const tick = (now) => { if (last) window.gaps.push(now - last); last = now; requestAnimationFrame(tick); };
requestAnimationFrame(tick);
"""
# The same table a little later: another seat's turn, cards moved between stock and pile, melds come and gone.
LATER = """
window.later = (number) => {
  window.first ??= JSON.parse(window.frame);
  const { table, seen } = window.first, { view } = table;
  const changed = { ...view, turn: number % 8, stock: Math.max(0, view.stock - (number % 5)),
    melds: view.melds.slice(0, view.melds.length - (number % 4)), totals: view.totals.map((total) => total + number) };
  const frame = { ...window.first, seen: seen + number, lines: [] };
  frame.table = { ...table, seen: seen + number, view: changed };
  window.feed.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }));
};
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
        time.sleep(0.02)  # between looks, half a minute at most: the bots move meanwhile
    return person, table


def _draws(browser: Browser, house: Served) -> list[Row]:
    person, table = _rich(house)
    visitor = Visitor(browser, house, "desk", person).quiet("michigan_rummy")
    visitor.context.add_init_script(EARS + LATER)
    page = visitor.go(f"/play/{table}")
    page.wait_for_selector(".dock")
    page.wait_for_timeout(1000)
    drawn = page.evaluate(
        """async (views) => {
            window.drawn = [];
            for (let number = 1; number <= views; number += 1) {
              window.later(number);
              while (window.drawn.length < number) await new Promise((done) => setTimeout(done, 5));
            }
            return window.drawn;
        }""",
        VIEWS,
    )
    gaps = page.evaluate(
        """async ([views, storm]) => {
            window.gaps = [];
            const start = performance.now();
            for (let number = 1; number <= storm; number += 1) {
              window.later(views + number);
              const ahead = start + number * 10 - performance.now();
              if (ahead > 0) await new Promise((done) => setTimeout(done, ahead));
            }
            return window.gaps;
        }""",
        [VIEWS, STORM],
    )
    visitor.context.close()
    return [
        Row("a view of eight seats to pixels, p50", percentile(drawn, 0.5), "ms", most=50),
        Row("a view of eight seats to pixels, p95", percentile(drawn, 0.95), "ms", most=50),
        Row("a hundred updates a second: time between frames, p95", percentile(gaps, 0.95), "ms", most=34),
    ]
