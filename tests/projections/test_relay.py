"""The relay: what lies on the bus is what the tables say, whatever happened to the bus."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from nats.errors import TimeoutError as BusTimeout

from deploy.local import Nats
from domain import events
from domain.game import Seat
from projections import decisions
from projections.bus import Relay
from replay import bus
from replay.log import Log
from replay.tables import Tables
from tests.projections.support import House, at_work, followed, house, listen, plain, questions, until

LONG = 600_000


@pytest.fixture
def place(database: str, own_nats: Nats, tmp_path: Path) -> Any:
    return lambda: house(database, own_nats, tmp_path)


def test_a_change_is_told_without_a_word_of_what_changed(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            said = await listen(home.client, "faircut.table.*.changed")
            live = await home.begin("ticking", [None, None], ms=LONG, asks="on")
            table = live.table.id
            note = {"type": "note", "text": "my_secret"}
            await home.tables.move(table, Seat(0), note, key="note:0", command="command0")
            newest = live.table.version
            await until("told", lambda: said and json.loads(said[-1].data)["version"] == newest)
            versions = [json.loads(msg.data)["version"] for msg in said]
            assert versions == sorted(versions)  # a thing may be said twice, never after what came later
            for msg in said:
                assert msg.subject == bus.changed(table)
                assert json.loads(msg.data).keys() == {"table", "version"}

    asyncio.run(play())


def test_a_bot_is_asked_with_what_its_seat_may_know(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.begin("ticking", ["hard", None, "easy"], ms=LONG, rounds=9, asks="on")
            table = live.table.id
            theirs = {"type": "note", "text": "of_the_person"}
            await home.tables.move(table, Seat(1), theirs, key="note:0", command="command0")
            await followed(home, "relay")
            asked = await questions(home)
            assert asked.keys() == {bus.decide("ticking", table, seat) for seat in (0, 2)}
            first = asked[bus.decide("ticking", table, 0)]
            assert len(first.pop("legal")) == 64
            assert first == {
                "table": table, "game": "ticking", "rules": 1, "seat": 0, "seats": 3, "kind": "note", "key": "note:0",
                "level": "hard", "options": plain(live.table.options), "view": {"round": 1, "notes": []},
                "lines": [{"kind": "dealt", "seat": None, "data": {}}], "fallback": {"type": "note", "text": "nothing"},
                "think_ms": 1000, "token": decisions.decision_token(home.key, table, 0, "note:0"),
            }  # fmt: skip
            assert all("of_the_person" not in json.dumps(question) for question in asked.values())

    asyncio.run(play())


def test_an_answered_question_goes_and_the_next_takes_its_place(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.begin("ticking", ["easy", "easy"], ms=1500, rounds=2, asks="on")
            table = live.table.id
            await followed(home, "relay")
            js = home.client.jetstream()
            before = (await js.stream_info(bus.DECIDE)).state.messages
            assert before == 2
            move = {"type": "note", "text": "x"}
            await home.tables.move(table, Seat(0), move, key="note:0", command="command0", by="bot")
            await until("gone", lambda: _subjects(home, {bus.decide("ticking", table, 1)}))
            await until("round two", lambda: _refresh(home, table))
            await until("asked again", lambda: _subjects(home, {bus.decide("ticking", table, s) for s in (0, 1)}))
            asked = await questions(home)
            assert asked[bus.decide("ticking", table, 0)]["key"] == "note:1"
            assert asked[bus.decide("ticking", table, 0)]["view"] == {"round": 2, "notes": ["x"]}
            assert asked[bus.decide("ticking", table, 1)]["key"] == "note:0"

    asyncio.run(play())


async def _subjects(home: House, wanted: set[str]) -> bool:
    return await bus.subjects(home.client, bus.DECIDE, bus.DECIDE_ALL) == wanted


async def _refresh(home: House, table: str) -> bool:
    live = await home.tables.get(table)
    live = await home.tables.refresh(table, live.table.version + 1)
    return bool(live.table.state.round == 2)


def test_a_seat_is_asked_while_a_bot_plays_it_and_anew_each_time(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.begin("ticking", [None, None], ms=LONG, asks="on")
            table = live.table.id
            subject = bus.decide("ticking", table, 1)
            await home.act(table, events.Left, seat=1)
            for level in ("easy", "hard", "easy"):
                await home.act(table, events.Covered, seat=1, level=level)
                await until("asked", lambda: _subjects(home, {subject}))
                assert (await questions(home))[subject]["level"] == level
                await home.act(table, events.Returned, seat=1)
                await until("taken back", lambda: _subjects(home, set()))
                await home.act(table, events.Left, seat=1)

    asyncio.run(play())


def test_nothing_is_left_of_an_ended_table(place: Any, own_nats: Nats) -> None:
    """Its worker never came: no view of it stays, in the stream or on the disk."""

    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.begin("michigan_rummy", ["easy", "hard"])
            ticking = await home.begin("ticking", ["easy", None], ms=LONG)
            await followed(home, "relay")
            (subject,) = (await questions(home)).keys()
            question = (await questions(home))[subject]
            assert live.table.id in subject
            hand = question["view"]["hand"]
            assert hand
            alarm = bus.alarm(ticking.table.id)
            assert await bus.subjects(home.client, bus.TIMER, bus.AT_ALL) == {alarm}
            await home.close(live.table.id)
            await home.close(ticking.table.id)
            await until("taken back", lambda: _subjects(home, set()))
            await until("unset", lambda: _no_alarms(home))
            js = home.client.jetstream()
            assert (await js.stream_info(bus.DECIDE)).state.messages == 0
            held = b"".join(file.read_bytes() for file in own_nats.folder.rglob("*") if file.is_file())
            assert question["token"].encode() not in held
            assert json.dumps(hand, separators=(",", ":")).encode() not in held

    asyncio.run(play())


async def _no_alarms(home: House) -> bool:
    return not await bus.subjects(home.client, bus.TIMER, bus.AT_ALL)


def test_a_lost_bus_is_laid_out_again(place: Any, own_nats: Nats) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.begin("ticking", ["easy", None], ms=LONG, asks="on")
            late = await home.begin("ticking", ["easy"], ms=LONG, asks="on")
            people = await home.begin("ticking", [None], ms=LONG)
            await followed(home, "relay")
            subjects = {bus.decide("ticking", t.table.id, 0) for t in (live, late)}
            assert await _subjects(home, subjects)
            own_nats.kill()  # questions lie in memory alone
            await home.close(late.table.id)
            fresh = await home.begin("ticking", ["easy"], ms=LONG, asks="on")
            own_nats.start()
            wanted = {bus.decide("ticking", t.table.id, 0) for t in (live, fresh)}
            await until("laid out again", lambda: _quietly(_subjects(home, wanted)))
            alarms = {bus.alarm(people.table.id)}  # a bot's silence needs none
            await until("alarms too", lambda: _quietly(_alarms_are(home, alarms)))

    asyncio.run(play())


async def _alarms_are(home: House, wanted: set[str]) -> bool:
    return await bus.subjects(home.client, bus.TIMER, bus.AT_ALL) == wanted


async def _quietly(asking: Any) -> bool:
    """The bus is not quite there yet: no."""
    try:
        return bool(await asking)
    except (BusTimeout, OSError, KeyError):
        return False
    except Exception as fault:
        if type(fault).__module__.startswith("nats"):
            return False
        raise


def test_a_relay_that_comes_back_says_what_is_missing_and_takes_what_is_stale(place: Any) -> None:
    async def play() -> None:
        async with place() as home:
            async with at_work(home):
                live = await home.begin("ticking", ["easy"], ms=LONG, asks="on")
                gone = await home.begin("ticking", ["easy"], ms=LONG, asks="on")
                await followed(home, "relay")
            await home.close(gone.table.id)
            fresh = await home.begin("ticking", ["easy"], ms=LONG, asks="on")
            await home.client.jetstream().purge_stream(bus.DECIDE, subject=bus.decide("ticking", live.table.id, 0))
            await home.client.jetstream().publish(bus.decide("ticking", "strangertable001", 3), b"{}")
            assert await _subjects(
                home, {bus.decide("ticking", gone.table.id, 0), bus.decide("ticking", "strangertable001", 3)}
            )
            async with at_work(home):
                wanted = {bus.decide("ticking", t.table.id, 0) for t in (live, fresh)}
                await until("set right", lambda: _subjects(home, wanted))

    asyncio.run(play())


def test_the_alarm_is_the_newest_one(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.begin("ticking", [None], ms=LONG)
            await followed(home, "relay")
            first = await _alarm(home, live.table.id)
            assert first["key"] == "round:1"
            assert first["at"] == live.table.state.closes
            at = live.table.at + 5000
            home.tables.clock = lambda: at
            await home.act(live.table.id, events.Granted, ms=4000, since=live.table.at + 500)
            await until("moved", lambda: _alarm_at(home, live.table.id, first["at"] + 4000))

    asyncio.run(play())


async def _alarm(home: House, table: str) -> dict[str, Any]:
    msg = await home.client.jetstream().get_last_msg(bus.TIMER, bus.alarm(table))
    found: dict[str, Any] = json.loads(msg.data or b"{}")
    return found


async def _alarm_at(home: House, table: str, at: int) -> bool:
    return bool((await _alarm(home, table))["at"] == at)


def test_a_table_that_cannot_be_followed_holds_up_no_other(place: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        async with place() as home:
            broken = await home.begin("ticking", ["easy"], ms=LONG, asks="on")
            # A move that no rule allows, put into the log past all checks.
            version = broken.table.version + 1
            move = events.Moved(at=broken.table.at, seat=0, move={"type": "nonsense"}, by="bot", command="c")
            await home.log.append(broken.table.id, version, [events.encode(move)])
            async with at_work(home):
                live = await home.begin("ticking", ["easy"], ms=LONG, asks="on")
                await until("asked", lambda: _subjects(home, {bus.decide("ticking", live.table.id, 0)}))
            assert broken.table.id in caplog.text
            assert "nonsense" not in caplog.text

    asyncio.run(play())


def test_two_relays_take_turns(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home) as first:
            await home.begin("ticking", ["easy"], ms=LONG, asks="on")
            await followed(home, "relay")
            source = Log(home.database)
            second = Relay(source, Tables(source, home.sealer), home.client, home.key, first.bell)
            task = asyncio.create_task(second.run())
            await home.begin("ticking", ["easy"], ms=LONG, asks="on")
            await followed(home, "relay")
            assert second.position == 0
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await source.close()

    asyncio.run(play())
