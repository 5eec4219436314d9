"""Tables of Contract Rummy set up by hand in a served house, and everything that viewers get of them, to compare."""

import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from api.services import Services
from domain.contract_rummy.state import State, Window
from domain.game import Ms
from domain.standing import Owed
from tests.api.house import Clock, Feed, Person, Served, seated
from tests.contract_rummy import tables

GAME = "contract_rummy"
SECONDS = 10  # in which a discard may be bought


class Still(Clock):
    """A wall clock that only a test moves, so that two tables can live in the same ms."""

    def __init__(self, start: int) -> None:
        super().__init__()
        self.start = start

    def __call__(self) -> int:
        return self.start + self.ahead


def begin(served: Served, people: int, *hands: str, **fields: Any) -> tuple[str, list[Person]]:
    """A table under way with these cards on it; as `tests.contract_rummy.tables.table` says."""
    table, crowd = seated(served, people, game=GAME, buy_seconds=SECONDS)
    options = served.do(lambda house: house.tables.get(table)).table.options
    place(served, table, tables.table(*hands, options=options, **fields))
    return table, crowd


def place(served: Served, table: str, state: State) -> None:
    """Let a table go on from a position. The log knows nothing of that, so it is for tables in memory."""

    async def put(house: Services) -> None:
        live = await house.tables.get(table)
        now = live.table.now(house.clock())
        if state.window is not None:
            window: Window = replace(state.window, opened=now)
            placed = replace(state, window=window)
        else:
            placed = state
        owed = tuple(Owed(decision, now) for decision in tables.GAME.deciding(placed))
        live.table = replace(live.table, state=placed, owed=owed)
        live.told.clear()  # of a deal that was another

    served.do(put)


def fire(served: Served, table: str) -> bool:
    """Let time do what is due at a table now, as the engine does."""

    async def do(house: Services) -> bool:
        due = (await house.tables.get(table)).table.due()
        return due is not None and await house.tables.fire(table, due.key)

    return served.do(do)


def next_due(served: Served, table: str) -> Ms | None:
    """When time next does something at a table, whether or not anyone may know."""
    due = served.do(lambda house: house.tables.get(table)).table.due()
    return due and due.at


class Watched:
    """A table's viewers, their feeds, and all that they can ask for; ids and digests of the table are blotted out."""

    def __init__(self, table: str, people: Sequence[Person]) -> None:
        self.table, self.people = table, people
        self.feeds: list[Feed] = [person.feed(table) for person in people]
        for feed in self.feeds:
            feed.next()
        told = people[0].table(table)
        own = [table, told["commit"], told["opened"], told["started"]]
        self._own = [json.dumps(text, ensure_ascii=False)[1:-1] for text in own if text]
        self._own.sort(key=len, reverse=True)

    def all_they_get(self) -> list[Any]:
        """Status, headers and body of everything that can be asked for, and of moves that are refused."""
        found = []
        for person in self.people:
            found += [person.http.get(f"/tables/{self.table}{part}") for part in _PARTS]
            for n, (key, move) in enumerate(_REFUSED):
                found.append(person.http.post(
                    f"/tables/{self.table}/moves", json={"key": key, "move": move},
                    headers={"idempotency-key": f"refused-{n}"},
                ))  # fmt: skip
        return [
            (answer.status_code, self.blot(answer.text), {k: v for k, v in answer.headers.items() if k != "date"})
            for answer in found
        ]

    def frames(self) -> list[str]:
        """Each feed's next frame."""
        for feed in self.feeds:
            feed.until(lambda _: True)
        return [self.blot(feed.frames[-1]) for feed in self.feeds]

    def blot(self, text: str) -> str:
        for own in self._own:
            text = text.replace(own, "." * len(own))
        return text

    def end(self) -> None:
        for feed in self.feeds:
            feed.__exit__()


_PARTS = ("", "/view", "/lines", "/legal", "/helps", "/arrange")
_REFUSED: list[tuple[str | None, dict[str, Any]]] = [
    ("w99", {"type": "pass"}), (None, {"type": "draw"}), ("d1", {"type": "draw"}),
    (None, {"type": "buy", "window": 99}), *((None, {"type": "pass_for", "seat": seat}) for seat in (2, 3)),
]  # fmt: skip
