"""What the browser tests of Rummy and Thai Rummy share: positions reached over the API, and presses on the page."""

import random
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

from tests.api.house import Person, Served, wait
from tests.browser.conftest import Visitor, against_bots

Visit = Callable[..., Visitor]
Wanted = Callable[[dict[str, Any], dict[str, Any]], Any]

# Presses what a player may press now: dialogs first, then something of the dock, the hand, the places or the piles.
_PRESS = """async (throws) => {
  const seen = (node) => node.offsetParent !== null && node.getAttribute('aria-disabled') !== 'true';
  const all = (what) => [...document.querySelectorAll(what)].filter(seen);
  const pressed = [];
  for (const [group, at] of throws) {
    const dialog = all('dialog[open] .ends button.filled, dialog[open] .close');
    const what = ['.dock .big button, .dock .more button, .dock .reset', '.hand button.card', '.slot', '.mid button'];
    const from = dialog.length ? dialog.slice(0, 1) : [all(what[group]), all(what[0])].find((nodes) => nodes.length);
    const node = from?.[Math.floor(at * from.length)];
    if (node) pressed.push((node.getAttribute('aria-label') || node.innerText).split(/\\s/)[0]);
    node?.click();
    await new Promise((done) => requestAnimationFrame(done));
  }
  return pressed;
}"""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
BATCH = 20  # presses before it is looked how the game stands


def play_at_random(visitor: Visitor, table: str, hands: int, rng: random.Random, presses: int = 8000) -> set[str]:
    """Press what the page does not say to be impossible, at random, until so many hands have ended, or the game has.

    Returns the first words of all that was pressed.
    """
    page, person, said = visitor.page, visitor.person, set[str]()
    assert person is not None
    for _ in range(presses // BATCH):
        now = person.table(table)
        if now["phase"] == "over" or len(now["view"]["scores"]) >= hands:
            return said
        throws = [[rng.choices(range(4), [6, 5, 3, 2])[0], rng.random()] for _ in range(BATCH)]
        said.update(page.evaluate(_PRESS, throws))
    raise AssertionError(f"after {presses} presses no {hands} hands have ended")


def until(person: Person, table: str, wanted: Wanted, turns: int = 200) -> dict[str, Any] | None:
    """Play the seat over the API, sensibly, until its view and hints are wanted; None if the game ends before."""
    for _ in range(turns * 5):
        now = wait(lambda: _mine(person, table))
        if now["phase"] == "over":
            return None
        view: dict[str, Any] = now["view"]
        if wanted(view, person.helps(table)):
            return view
        answer = person.call("POST", f"/tables/{table}/offers", {"picked": []})
        person.move(table, answer["key"], _sensible(view, answer["offers"]))
    return None


def _mine(person: Person, table: str) -> dict[str, Any] | None:
    """The table, once this person is asked something or the game is over."""
    now = person.table(table)
    return now if now["phase"] == "over" or person.owes(now) else None


def _sensible(view: dict[str, Any], offers: list[dict[str, Any]]) -> dict[str, Any]:
    can = {offer["kind"]: offer["move"] for offer in reversed(offers) if offer["move"]}
    for kind in ("ready", "draw", "pass", "end_hand", "meld", "lay_off", "extend"):
        if kind in can:
            found: dict[str, Any] = can[kind]
            return found
    taken = view.get("taken")
    return {"type": "discard", "card": next(c for c in view["hand"] if c != taken or len(view["hand"]) == 1)}


def reach(house: Served, game: str, seats: int, wanted: Wanted, **options: Any) -> tuple[Person, str, dict[str, Any]]:
    """A person against bots in a position with such a view and such hints: new tables are opened until one has it."""
    for _ in range(20):
        person, table = against_bots(house, game, seats, options)
        view = until(person, table, wanted)
        if view is not None:
            return person, table, view
    raise AssertionError("no game comes to such a position")


def turn_over(table: str, crowd: list[Person], take: bool = False) -> None:
    """A whole turn of whoever is to draw: a card drawn or taken, another discarded, nothing laid."""
    for person in crowd:
        question = person.owes(person.table(table))
        if not question:
            continue
        moves = person.legal(table)
        kinds = ["take"] if take else ["draw", "pass", "end_hand"]
        first = next(m for m in moves if m["type"] in kinds)
        done = person.move(table, question["key"], first)
        question = person.owes(done["table"])
        if question and question["kind"] == "play":
            card = next(m for m in person.legal(table) if m["type"] == "discard")
            person.move(table, question["key"], card)
        return
    raise AssertionError("nobody is asked anything")


def by_keys(visitor: Visitor, table: str, hands: int = 1, presses: int = 3000) -> None:
    """Play by the keyboard alone until so many hands have ended: draw, lay all that can be laid, discard.

    A press that comes while the page still waits for the house does nothing, so what is asked is looked at each time.
    """
    page, person = visitor.page, visitor.person
    assert person is not None
    for _ in range(presses):
        now = wait(lambda: _mine(person, table))
        view = now["view"]
        if now["phase"] == "over" or len(view["scores"]) >= hands:
            return
        if page.locator("dialog[open]").count():
            page.keyboard.press("Escape")
        elif view["phase"] == "draw":
            page.keyboard.press(page.evaluate("() => document.querySelector('.dock .right kbd')?.innerText ?? 'D'"))
        elif person.helps(table)["plan"]:
            page.keyboard.press("a")
        else:
            discard_by_keys(page)
        page.evaluate(SETTLED)
    raise AssertionError(f"no {hands} hands have ended after {presses} presses")


def discard_by_keys(page: Page) -> None:
    """Go to a card of the hand, pick it, and discard it, twice if the page asks again; if it may not go, the next."""
    right = page.locator(".dock .right")
    page.keyboard.press("Escape")
    for _ in range(100):
        if page.evaluate("() => Boolean(document.activeElement?.closest('.hand'))"):
            break
        page.keyboard.press("Tab")
    for _ in range(2):
        page.keyboard.press("Enter")
        page.evaluate(SETTLED)
        words = right.inner_text()
        if right.get_attribute("aria-disabled") != "true" and ("Discard " in words or "face down" in words):
            page.keyboard.press("x")
            page.evaluate(SETTLED)
            if "again" in right.inner_text():
                page.keyboard.press("x")
            return
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowRight")
