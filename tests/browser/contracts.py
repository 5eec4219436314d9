"""What the browser tests of Contract Rummy share: tables opened at a position, and presses on the page."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from domain.cards import Ms, Seat
from domain.contract_rummy import moves
from domain.contract_rummy.contracts import fresh_pack
from domain.contract_rummy.options import Options
from domain.contract_rummy.state import State, Window
from domain.game import Chance, Line, Step
from tests.api.house import Person, Served
from tests.browser.conftest import Visitor, against_bots
from tests.contract_rummy.tables import cards, table

GAME = "contract_rummy"
MELDS = [(1, "8S1 8H1 8D1"), (1, "5C1 6C1 *1 8C1"), (2, "KS1 KH1 KD1"), (2, "2H1 3H1 4H1 5H1"), (0, "QS1 QH1 QD1")]
READY = "8S2 8H2 8D2 KS2 KH2 *2 2S1 QC1 6D1 9S1 TS1"  # the two sets of the first hand are in it
MIDDLE = "7C1 6H1 9D2 2S1 6D1 9S1"
LAST = "4H1 5H1 6H1 7H1 8H1 4S1 5S1 6S1 7S1 4D1 5D1 6D1 7D1"  # three runs and nothing else


def opener(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Opens the tables of a test at a position: hands named from seat 0 on, the other ones dealt at random."""

    def put(*hands: str, size: int = 10, window: dict[str, Any] | None = None, **fields: Any) -> None:
        def new_game(options: Options, seats: int, now: Ms, chance: Chance) -> Step:
            s = position(options, seats, now, hands, size, window, fields)
            told = {"deal": s.deals, "dealer": s.dealer, "cards": size, "upcard": s.pile[-1]}
            return Step(s, (Line("dealt", None, told),))

        monkeypatch.setattr(moves, "new_game", new_game)

    return put


def position(
    options: Options, seats: int, now: Ms, hands: Sequence[str], size: int, window: dict[str, Any] | None,
    fields: dict[str, Any],
) -> State:  # fmt: skip
    pile = fields.get("pile", "2C1 3C1")
    named = [*hands, pile, *(text for _, text in fields.get("melds", ()))]
    used = {card for text in named for card in cards(text)}
    rest = [card for card in fresh_pack(seats) if card not in used and card[0] != "*"]
    random.Random(3).shuffle(rest)
    others = [" ".join(rest.pop() for _ in range(size)) for _ in range(seats - len(hands))]
    more: dict[str, Any] = {"stock": " ".join(rest), "pile": pile} | fields
    if window is not None:
        thrower = Seat((fields["turn"] - 1) % seats)
        usual = {"id": 1, "card": cards(pile)[-1], "thrower": thrower, "opened": now, "closes": Ms(now + 600_000)}
        more |= {"phase": "draw", "window": Window(**usual | window)}
    return table(*hands, *others, options=options, **more)


def card(page: Page, name: str) -> Locator:
    return page.locator(f'.hand [data-card="{name}"]')


def pick(page: Page, names: str) -> None:
    for name in names.split():
        card(page, name).click()


def press(page: Page, meld: int, end: str = "") -> Locator:
    return page.locator(f'[data-place="{meld}.{end}"]')


def status(page: Page) -> Locator:
    return page.locator(".dock .status")


def left(page: Page) -> Locator:
    return page.locator(".dock .left")


def right(page: Page) -> Locator:
    return page.locator(".dock .right")


def go(visit: Any, person: Person, id: str, size: str = "desk") -> tuple[Visitor, Page]:
    visitor = visit(size, person).quiet(GAME)
    visitor.context.add_init_script("localStorage.setItem('faircut.contract_rummy.ask', '\"ask\"')")
    page = visitor.go(f"/play/{id}")
    page.locator(".hand .card").first.wait_for()
    return visitor, page


def start(lounge: Served, visit: Any, seats: int = 4, size: str = "desk") -> tuple[Visitor, Page, Person, str]:
    person, id = against_bots(lounge, GAME, seats)
    return (*go(visit, person, id, size), person, id)


def view(person: Person, id: str) -> dict[str, Any]:
    found: dict[str, Any] = person.table(id)["view"]
    return found


def answer(person: Person, id: str, move: dict[str, Any]) -> None:
    """Answer the question that is put to a person."""
    person.move(id, (person.owes(person.table(id)) or {})["key"], move)


def surprising(visitor: Visitor) -> list[str]:
    """Refusals other than that a buying closed while the press was on its way."""
    late = ("BUYING_CLOSED", '"decline"')  # who declines when it has closed is asked something else by then
    return [said for said in visitor.refused if not any(sign in said for sign in late)]


# Presses something that the page does not say to be impossible: dialogs first, then the dock, cards, places, piles.
PRESS = """([group, at]) => {
  const seen = (node) => node.offsetParent !== null && node.getAttribute('aria-disabled') !== 'true';
  const all = (what) => [...document.querySelectorAll(what)].filter(seen);
  const dialog = all('dialog[open] .ends button.filled, dialog[open] .close');
  const groups = [all('.dock .big button, .dock .more button'), all('.hand button.card'),
    all('.press, .ghost.take, .tray button'), all('.mid button')];
  const from = dialog.length ? dialog.slice(0, 1) : groups[group].length ? groups[group] : groups[0];
  if (!from.length) return null;
  const node = from[Math.floor(at * from.length)];
  node.click();
  return node.innerText.trim() || node.getAttribute('aria-label');
}"""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
