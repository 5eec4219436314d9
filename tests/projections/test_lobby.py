"""The lobby: who may see what of a table from outside, and when."""

import asyncio
from pathlib import Path
from typing import Any

import psycopg
import pytest

from deploy.local import Nats
from domain import chance, events
from projections import lobby
from projections.lobby import Listing, listed, listing
from projections.run import rebuild
from tests.projections.support import House, at_work, followed, house

LATER = 2**50  # long after all delays


async def tables(home: House, now: int = LATER, **ask: Any) -> list[Listing]:
    async with await psycopg.AsyncConnection.connect(home.database) as connection:
        return await listed(connection, now, **ask)


async def one(home: House, table: str, now: int = LATER) -> Listing | None:
    async with await psycopg.AsyncConnection.connect(home.database) as connection:
        return await listing(connection, table, now)


def rows(home: House) -> list[Any]:
    return home.ask("SELECT * FROM lobby.tables ORDER BY id, shown_from")


@pytest.fixture
def place(database: str, own_nats: Nats, tmp_path: Path) -> Any:
    return lambda: house(database, own_nats, tmp_path)


def test_the_life_of_a_table(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.tables.open("ticking", 3, {"ms": 600_000}, host="person1")
            table = live.table.id
            await followed(home, "lobby")
            (found,) = await tables(home)
            assert (found.id, found.game, found.phase) == (table, "ticking", "open")
            assert (found.chairs, found.host) == ((None,) * 3, "person1")
            assert found.options["ms"] == 600_000

            await home.sit(table, 0, "hard")
            cut = bytes(range(32))
            await home.sit(table, 1, cut=chance.promise(live.table.d_1, 1, cut).hex())
            await home.sit(table, 2)
            await home.act(table, events.Stood, seat=2)
            await followed(home, "lobby")
            (found,) = await tables(home)
            bot, person, nobody = found.chairs
            assert bot == lobby.Chair(kind="bot", who="bot0", level="hard")
            assert person == lobby.Chair(kind="human", who="person1", promised=True)
            assert nobody is None

            await home.sit(table, 2)
            await home.start(table)
            await followed(home, "lobby")
            assert [found.phase for found in await tables(home)] == ["cutting"]
            await home.act(table, events.Cut, seat=1, cut=cut.hex())
            await home.act(table, events.Left, seat=2)
            await home.act(table, events.Covered, seat=2, level="easy")
            await followed(home, "lobby")
            (found,) = await tables(home)
            assert found.phase == "playing"
            assert found.chairs[2] == lobby.Chair(kind="human", who="person2", cover="easy", left=True)
            await home.act(table, events.Returned, seat=2)
            await followed(home, "lobby")
            assert (await tables(home))[0].chairs[2] == lobby.Chair(kind="human", who="person2")

            await home.close(table)
            await followed(home, "lobby")
            assert await tables(home) == []
            assert rows(home) == []

    asyncio.run(play())


def test_newest_first_by_pages_and_by_game(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            opened = [(await home.tables.open("ticking", 1, {})).table for _ in range(5)]
            await home.sit(opened[0].id, 0)  # moves it nowhere
            await home.begin("ticking", [None], ms=600_000)
            await followed(home, "lobby")
            found = [t.id for t in await tables(home, phases=["open"])]
            wanted = sorted(opened, key=lambda t: (t.opened.at, t.id), reverse=True)
            assert found == [t.id for t in wanted]
            pages: list[str] = []
            before = None
            while page := await tables(home, phases=["open"], before=before, limit=2):
                assert len(page) <= 2
                pages += [t.id for t in page]
                before = (page[-1].opened_at, page[-1].id)
            assert pages == found
            assert len(await tables(home)) == 6
            assert await tables(home, game="michigan_rummy") == []

    asyncio.run(play())


def test_what_happens_in_a_hand_changes_nothing(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.begin("ticking", [None, None], ms=600_000)
            await home.tables.open("ticking", 2, {})
            await followed(home, "lobby")
            before, raw = await tables(home), rows(home)
            for seat in (0, 1):
                note = {"type": "note", "text": "a secret"}
                await home.tables.move(live.table.id, seat, note, key=None, command=f"command{seat}")
            await followed(home, "lobby")
            assert (await home.tables.get(live.table.id)).table.version > 4
            assert (await tables(home), rows(home)) == (before, raw)

    asyncio.run(play())


def test_a_delayed_table_shows_late(place: Any) -> None:
    async def play() -> None:
        delay = 60_000
        async with place() as home, at_work(home):
            live = await home.tables.open("ticking", 1, {"ms": 600_000}, watch_delay=delay)
            table, opened = live.table.id, live.table.at
            home.tables.clock = lambda: opened + 1000
            await home.sit(table, 0)
            home.tables.clock = lambda: opened + 2000
            await home.start(table)
            home.tables.clock = lambda: opened + 3000
            await home.close(table)
            await followed(home, "lobby")

            async def at(now: int) -> tuple[str, bool] | None:
                found = await one(home, table, now)
                assert [t.id for t in await tables(home, now)] == ([table] if found else [])
                return (found.phase, found.chairs[0] is not None) if found else None

            assert await at(opened - 1) is None
            assert await at(opened + 1000) == ("open", True)
            assert await at(opened + 3000) == ("open", True)
            assert await at(opened + delay + 1999) == ("open", True)
            assert await at(opened + delay + 2000) == ("playing", True)
            assert await at(opened + delay + 2999) == ("playing", True)
            assert await at(opened + delay + 3000) is None

            # Its rows go once nobody is shown them any more.
            home.tables.clock = lambda: opened + delay + 3000
            await home.tables.open("ticking", 1, {})
            await followed(home, "lobby")
            assert [row for row in rows(home) if row[0] == table] == []

    asyncio.run(play())


def test_seats_show_at_once_before_the_start_whatever_the_delay(place: Any) -> None:
    """There is nothing to hide yet: whoever looks for a free seat sees which are free, and which tables are gone."""

    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.tables.open("ticking", 2, {}, watch_delay=3_600_000)
            table = live.table.id

            async def taken() -> list[bool] | None:
                await followed(home, "lobby")
                found = await one(home, table, home.tables.clock())
                return [chair is not None for chair in found.chairs] if found else None

            assert await taken() == [False, False]
            await home.sit(table, 1)
            assert await taken() == [False, True]
            await home.sit(table, 0, "easy")
            assert await taken() == [True, True]
            await home.act(table, events.Stood, seat=1)
            assert await taken() == [True, False]
            assert len(rows(home)) == 1
            await home.close(table)
            assert await taken() is None

    asyncio.run(play())


def test_a_rebuild_is_the_same_view(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            for n, delay in enumerate([0, 0, 50_000, 50_000]):
                live = await home.begin("ticking", ["easy", None], watch_delay=delay, ms=600_000)
                await home.act(live.table.id, events.Left, seat=1)
                if n % 2:
                    await home.close(live.table.id)
            await home.tables.open("ticking", 2, {}, watch_delay=50_000)
            await followed(home, "lobby")
            before = rows(home)
            moments = [0, *sorted({row[1] for row in before}), LATER]
            shown = [await tables(home, now) for now in moments]
            await asyncio.to_thread(rebuild, home.log, lobby.Lobby(), 3)
            assert rows(home) == before
            assert [await tables(home, now) for now in moments] == shown

    asyncio.run(play())
