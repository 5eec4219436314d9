"""The bots' door: what a bot's credentials and a decision's token let in, and nothing else."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from nats.errors import NoRespondersError

from bots.levels import Ask
from bots.worker import Envelope
from deploy.local import Nats
from domain import events
from domain.game import Seat
from projections.decisions import Question, check_token, decision_token, load_key, sample
from replay import bus
from tests.projections.support import House, at_work, door, followed, house, questions, until

LONG = 600_000
KEY = bytes(range(32))


@pytest.fixture
def place(database: str, own_nats: Nats, tmp_path: Path) -> Any:
    return lambda: house(database, own_nats, tmp_path)


def test_a_token_is_of_one_decision_alone() -> None:
    token = decision_token(KEY, "t" * 20, 1, "draw:7")
    assert check_token(KEY, "t" * 20, 1, "draw:7", token)
    for table, seat, key in [("u" * 20, 1, "draw:7"), ("t" * 20, 2, "draw:7"), ("t" * 20, 1, "draw:8")]:
        assert not check_token(KEY, table, seat, key, token)
    assert not check_token(bytes(32), "t" * 20, 1, "draw:7", token)
    for bad in ("", token[:-1], token.upper(), "é" * 32):
        assert not check_token(KEY, "t" * 20, 1, "draw:7", bad)


def test_the_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "decide.key"
    with pytest.raises(OSError, match="No such file"):
        load_key(path)
    key = load_key(path, create=True)
    assert load_key(path, create=True) == load_key(path) == key
    assert len(key) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    with pytest.raises(ValueError, match="only its owner"):
        load_key(path)
    path.chmod(0o600)
    path.write_text("0011\n")
    with pytest.raises(ValueError, match="64 hex digits"):
        load_key(path)


def test_moves_are_sampled_evenly() -> None:
    assert sample(range(10)) == list(range(10))
    found = sample(range(640))
    assert (len(found), found[0], found[-1]) == (64, 0, 630)


def test_what_goes_out_is_what_a_bot_takes() -> None:
    """The worker and the bots name the fields they read; the house may not import them."""
    sent = set(Question.__struct_fields__)
    assert set(Ask.__struct_fields__) <= sent
    assert set(Envelope.__struct_fields__) <= sent


async def as_bot(home: House) -> Any:
    faults: list[Exception] = []
    client = await bus.connect(home.server.as_user("bot"), "bot")

    async def fault(error: Exception) -> None:
        faults.append(error)

    client._error_cb = fault
    return client, faults


async def send(client: Any, **command: Any) -> dict[str, Any]:
    msg = await client.request(bus.COMMAND, json.dumps(command).encode(), timeout=10)
    found: dict[str, Any] = json.loads(msg.data)
    return found


def test_a_bot_answers_what_it_was_asked_and_nothing_else(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home), door(home):
            live = await home.begin("ticking", ["easy", "easy", None], ms=LONG, rounds=9, asks="on")
            other = await home.begin("ticking", ["easy", "easy", None], ms=LONG, rounds=9, asks="on")
            await followed(home, "relay")
            asked = await questions(home)
            question = asked[bus.decide("ticking", live.table.id, 0)]
            good = {name: question[name] for name in ("table", "seat", "key", "token")}
            good["move"] = {"type": "note", "text": "mine"}
            client, _ = await as_bot(home)
            versions = [live.table.version, other.table.version]

            other_token = asked[bus.decide("ticking", live.table.id, 1)]["token"]
            refused = [
                good | {"token": other_token},
                good | {"token": "0" * 64},
                good | {"token": ""},
                good | {"seat": 1},
                good | {"seat": 2},
                good | {"key": "note:1"},
                good | {"table": other.table.id},
                good | {"table": "nosuchtable00000"},
            ]
            for command in refused:
                assert (await send(client, **command))["refused"] == "TOKEN"
            for command in ({}, good | {"seat": "0"}, good | {"by": "timer"}, good | {"at": 0}):
                assert (await send(client, **command))["refused"] == "BAD"
            assert [live.table.version, other.table.version] == versions

            assert (await send(client, **(good | {"move": {"type": "fly"}})))["refused"] == "BAD"
            assert await send(client, **good) == {"ok": True}
            assert await send(client, **good) == {"ok": True}  # again: the first answer, and nothing more happens
            assert live.table.version == versions[0] + 1
            own = (await home.stored(live.table.id))[-1]
            assert isinstance(own, events.Moved)
            assert (own.seat, own.by, own.move) == (0, "bot", {"type": "note", "text": "mine"})
            await client.close()

    asyncio.run(play())


def test_a_late_answer_for_a_seat_that_its_person_took_back(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home), door(home):
            live = await home.begin("ticking", [None, None], ms=LONG, asks="on")
            await home.act(live.table.id, events.Left, seat=1)
            await home.act(live.table.id, events.Covered, seat=1, level="easy")
            await followed(home, "relay")
            (question,) = (await questions(home)).values()
            await home.act(live.table.id, events.Returned, seat=1)
            version = live.table.version
            client, _ = await as_bot(home)
            command = {name: question[name] for name in ("table", "seat", "key", "token")}
            answer = await send(client, **command, move=question["fallback"])
            assert answer["refused"] == "NOT_A_BOT"
            assert live.table.version == version
            await client.close()

    asyncio.run(play())


def test_a_question_that_is_answered_already_is_stale(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home), door(home):
            live = await home.begin("ticking", ["easy"], ms=LONG, rounds=9, asks="on")
            await followed(home, "relay")
            (question,) = (await questions(home)).values()
            move = question["fallback"]
            await home.tables.move(live.table.id, Seat(0), move, key=question["key"], command="timer", by="bot")
            client, _ = await as_bot(home)
            command = {name: question[name] for name in ("table", "seat", "key", "token")}
            assert (await send(client, **command, move=move))["refused"] == "STALE"
            await client.close()

    asyncio.run(play())


def test_a_bots_credentials_reach_nothing_else(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home):
            live = await home.begin("ticking", ["easy", None], ms=LONG, asks="on")
            table = live.table.id
            client, faults = await as_bot(home)
            heard: list[Any] = []

            async def hear(msg: Any) -> None:
                heard.append(msg)

            listened = [
                "faircut.decide.>", bus.decide("ticking", table, 0), "faircut.table.*.changed", "faircut.timer.>",
                "faircut.replay.>", bus.COMMAND, ">", "$JS.API.>", "_INBOX.>", "_INBOX_bot", "$SYS.>",
            ]  # fmt: skip
            for subject in listened:
                before = len(faults)
                await client.subscribe(subject, cb=hear)
                await until("refused", lambda before=before: len(faults) > before)
                assert "permissions violation" in str(faults[-1]).lower()
            sent = [
                bus.alarm(table), bus.due(table), bus.changed(table), bus.decide("ticking", table, 1),
                bus.replay("ticking", table), "$JS.API.STREAM.INFO.DECIDE", "$JS.API.STREAM.PURGE.DECIDE",
                "$JS.API.STREAM.MSG.GET.DECIDE", "$JS.API.DIRECT.GET.DECIDE", "$JS.API.CONSUMER.CREATE.DECIDE",
                "$JS.API.CONSUMER.MSG.NEXT.TIMER.fire", "$JS.ACK.TIMER.fire.1.1.1.1.1", "faircut.command.timer",
            ]  # fmt: skip
            mine = await home.client.jetstream().stream_info(bus.TIMER)
            for subject in sent:
                before = len(faults)
                await client.publish(subject, b"{}")
                await client.flush()
                await until("refused", lambda before=before: len(faults) > before)
                assert "permissions violation" in str(faults[-1]).lower()
            assert (await home.client.jetstream().stream_info(bus.TIMER)).state.last_seq == mine.state.last_seq
            await home.begin("ticking", ["easy", None], ms=LONG, asks="on")
            await followed(home, "relay")
            assert heard == []
            with pytest.raises(NoRespondersError):  # the one door, and nobody behind it just now
                await client.request(bus.COMMAND, b"{}", timeout=5)
            await client.close()

    asyncio.run(play())


def test_no_one_comes_in_without_credentials(own_nats: Nats) -> None:
    async def play() -> None:
        with pytest.raises(TimeoutError):
            await bus.connect(own_nats.as_user("server").url, "stranger", patience=1)

    asyncio.run(play())
    assert os.stat(own_nats.credentials("bot")).st_mode & 0o077 == 0
