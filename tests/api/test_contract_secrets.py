"""Contract Rummy, "Buying" and "What everyone sees": in worlds that differ in passes and wishes others get the same.

Each world is a table of its own in a house of its own whose clock stands where the others' stood. What is compared is
every byte that others than the seat with the secret get: answers with their headers, refusals, frames in their order.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from domain.cards import Seat
from domain.contract_rummy.state import Window
from domain.contract_rummy.window import SLOW_MS, SOONEST_MS, SPREAD_MS
from replay.settings import Settings
from replay.tables import wall_ms
from tests.api.house import Person, Served
from tests.api.two_worlds import SECONDS, Still, Watched, begin, fire, next_due
from tests.contract_rummy.tables import BUY, DECLINE, DRAW, PASS, discard

START = wall_ms()
HANDS = ("8H1 3S1", "4S1 5S1", "6S1 7S1", "8S1 9S1")
CAN_HELP = ("8H1 3S1", "4S1 5S1", "6S1 8C1", "8S1 9S1")
UPCARD = Window(id=1, card="8H2", thrower=None, closes=None)  # type: ignore[arg-type]


class World(NamedTuple):
    """What the others cannot know of seats 2 and 3: cards, wishes, and what is said in secret."""

    hands: tuple[str, ...] = HANDS
    wishes: tuple[str, ...] = ("ask",) * 4
    says: tuple[tuple[int, dict[str, Any]], ...] = ()
    passed: tuple[int, ...] = ()  # who has passed three seconds later


def wish(pref: str) -> dict[str, Any]:
    return {"type": "buy_pref", "pref": pref}


NOTHING = World()
DISCARD = {
    "never": World(wishes=("ask", "ask", "never", "ask"), passed=(2,)),
    "helps, and it cannot": World(wishes=("ask", "ask", "helps", "ask"), passed=(2,)),
    "helps, and it can": World(CAN_HELP, wishes=("ask", "ask", "helps", "ask")),
    "passes": World(says=((2, PASS),), passed=(2,)),
    "other cards": World(CAN_HELP),
    "wishes never now": World(says=((2, wish("never")),), passed=(2,)),
    "wishes never and ask": World(says=((2, wish("never")), (2, wish("ask")))),
}
FIRST = {
    "passes": World(says=((2, PASS),), passed=(2,)),
    "both pass": World(says=((3, PASS), (2, PASS)), passed=(2, 3)),
    "wishes never": World(says=((2, wish("never")),), passed=(2,)),
    "other cards": World(CAN_HELP, says=((2, wish("helps")),)),
}


@contextmanager
def at(settings: Settings, world: World, **fields: Any) -> Iterator[tuple[Served, str, list[Person], Watched]]:
    """A table of a world, with those watched who are not to know of it: all but seats 2 and 3."""
    with Served(settings, Still(START)) as served:
        table, crowd = begin(served, 4, *world.hands, pile=fields.pop("pile"), stock="TC1 JC1 QC1 KC1",
                             prefs=world.wishes, **fields)  # fmt: skip
        watched = Watched(table, [crowd[0], crowd[1], served.watcher()])
        yield served, table, crowd, watched
        watched.end()


def say(table: str, person: Person, move: dict[str, Any]) -> dict[str, Any]:
    """Make a move, with the key of whatever is asked."""
    question = person.owes(person.table(table))
    return person.move(table, question["key"] if question else None, move, "-".join(["the-same", *move.values()]))


def told(watched: Watched, done: dict[str, Any]) -> list[Any]:
    """What the answer to a move tells, blinds and digests apart."""
    receipt = {name: len(value) for name, value in done["receipt"].items() if name != "event"}
    return [done["seen"], receipt, done["lines"], watched.blot(str(done["table"]["deciding"])), done["table"]["due"]]


def passed(served: Served, table: str) -> tuple[Seat, ...]:
    window = served.do(lambda house: house.tables.get(table)).table.state.window
    return tuple(window.passed)


def a_discard(settings: Settings, world: World) -> list[Any]:
    """What the others get from a discard until it cannot be bought any more, and of the draw after that."""
    with at(settings, world, pile="2D1 3D1") as (served, table, crowd, watched):
        got: list[Any] = [told(watched, say(table, crowd[0], discard("8H1"))), watched.frames()]
        for seat, move in world.says:
            say(table, crowd[seat], move)
        got.append(watched.all_they_get())
        served.clock.ahead += 3_000
        while (due := next_due(served, table)) is not None and due <= served.clock():
            assert fire(served, table)
        assert passed(served, table) == world.passed
        got.append(watched.all_they_get())
        got += [told(watched, say(table, crowd[1], DECLINE)), watched.frames()]
        served.clock.ahead += SECONDS * 1000 - 3_000
        assert fire(served, table)
        got += [watched.frames(), watched.all_they_get()]
        got += [told(watched, say(table, crowd[1], DRAW)), watched.frames()]
        return got


def the_upcard(settings: Settings, world: World) -> list[Any]:
    """What the others get in the first minute of a hand, with a claim in it."""
    with at(settings, world, pile="2D1 3D1 8H2", phase="draw", turn=Seat(1), window=UPCARD) as (
        served, table, crowd, watched,
    ):  # fmt: skip
        for seat, move in world.says:
            say(table, crowd[seat], move)
        got: list[Any] = [watched.all_they_get()]
        served.clock.ahead += 3_000
        while (due := next_due(served, table)) is not None and due <= served.clock():
            assert fire(served, table)
        assert passed(served, table) == world.passed
        got.append(watched.all_they_get())
        say(table, crowd[3], BUY)
        got += [watched.frames(), watched.all_they_get()]
        assert not any(person.table(table)["view"]["window"]["only_you"] for person in crowd)
        served.clock.ahead += SLOW_MS - 3_001
        assert not fire(served, table)
        got.append(watched.all_they_get())
        served.clock.ahead += 1
        assert fire(served, table)  # from now on everyone knows
        assert crowd[1].table(table)["view"]["window"]["slow"] == sorted({0, 2} - {*world.passed})
        return got


def first_difference(here: Any, there: Any) -> str:
    for one, other in zip(here, there, strict=True):
        if one != other and isinstance(one, list | tuple):
            return first_difference(one, other)
        if one != other:
            return f"{one}\n{other}"
    return ""


@pytest.fixture(scope="module")
def nothing() -> dict[str, list[Any]]:
    """What is got of the worlds without a secret, by name of the play."""
    return {}


@pytest.mark.parametrize(("play", "secret"), [(a_discard, name) for name in DISCARD] + [(the_upcard, n) for n in FIRST],
                         ids=lambda x: x if isinstance(x, str) else x.__name__)  # fmt: skip
def test_nobody_else_can_tell(
    settings: Settings, nothing: dict[str, list[Any]], play: Callable[[Settings, World], list[Any]], secret: str
) -> None:
    if play.__name__ not in nothing:
        nothing[play.__name__] = play(settings, NOTHING)
    worlds = DISCARD if play is a_discard else FIRST
    got = play(settings, worlds[secret])
    assert not first_difference(got, nothing[play.__name__])
    assert got == nothing[play.__name__]


def test_the_only_one_who_could_buy_does_not_pass_at_once(settings: Settings) -> None:
    """Whatever its cards and its wish, buying closes at the moment that was drawn for it, not before."""
    for wishes in (("ask", "ask", "helps"), ("ask", "ask", "never")):
        with Served(settings, Still(START)) as served:
            table, crowd = begin(served, 3, *HANDS[:3], pile="2D1", stock="TC1 JC1", prefs=wishes)
            done = say(table, crowd[0], discard("8H1"))
            assert not done["table"]["view"]["window"]["shut"]
            assert done["table"]["due"] == START + SECONDS * 1000  # and no sooner, as far as anyone is told
            due = next_due(served, table)
            assert due is not None
            assert START + SOONEST_MS <= due < START + SOONEST_MS + SPREAD_MS
            served.clock.ahead += due - START - 1
            assert not fire(served, table)
            served.clock.ahead += 1
            assert fire(served, table)
            assert crowd[1].table(table)["view"]["window"]["shut"]
            assert not crowd[1].table(table)["view"]["window"]["passed"]
