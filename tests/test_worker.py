"""The bot worker, a process with bus credentials and nothing else: whole games through it, over kills of everything."""

import asyncio
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from api import cli
from bots import worker
from bots.levels import Ask
from bots.thinker import frame, read, think
from bots.worker import Thinkers, Unanswerable, Worker
from deploy.local import Nats
from domain import events
from projections.results import record_of
from replay import bus
from replay.audit import audit
from tests.projections.support import House, at_work, door, house, listen, until

LONG = 600_000


@pytest.fixture
def place(database: str, own_nats: Nats, tmp_path: Path) -> Any:
    return lambda: house(database, own_nats, tmp_path)


async def ended(home: House, table: str) -> bool:
    live = await home.tables.get(table)
    return (await home.tables.refresh(table, live.table.version + 1)).table.ended


async def check(home: House, table: str, seats: int) -> Counter[str]:
    """The game ran to its end and its record says so; who made its moves, how often."""
    stored = await home.stored(table)
    assert isinstance(stored[-1], events.Revealed)
    moves = [event for event in stored if isinstance(event, events.Moved)]
    commands = [(move.seat, move.command) for move in moves]
    assert len(set(commands)) == len(commands)

    async def record() -> bytes | None:
        async with await psycopg.AsyncConnection.connect(home.database) as connection:
            return await record_of(connection, table, 2**50)

    text = await until("the record is there", record)
    report = audit(text, home.signer.keys)
    assert report.exit == 0, report
    assert {move.seat for move in moves} == set(range(seats))
    return Counter(move.by for move in moves)


def test_bots_play_a_whole_game_through_the_bus(place: Any) -> None:
    async def play() -> None:
        async with place() as home, at_work(home), door(home):
            said = await listen(home.client, "faircut.replay.michigan_rummy.*")
            with home.worker() as bots:
                live = await home.begin("michigan_rummy", ["easy", "medium", "hard"], target=300)
                table = live.table.id
                await until("the game is over", lambda: ended(home, table), 150)
                by = await check(home, table, 3)
                assert by.keys() == {"bot"}
                await until("its record is on the bus", lambda: said)
                assert said[0].subject == bus.replay("michigan_rummy", table)
                assert bots.stop() == 0
            js = home.client.jetstream()
            await until("no question is left", lambda: _empty(js, bus.DECIDE))
            assert home.ask("SELECT count(*) FROM timers") == [(0,)]

    asyncio.run(play())


async def _empty(js: Any, stream: str) -> bool:
    return bool((await js.stream_info(stream)).state.messages == 0)


def test_a_game_survives_the_death_of_its_worker_the_bus_and_the_engine(place: Any, own_nats: Nats) -> None:
    async def play() -> None:
        async with place() as home, door(home):
            live = await home.begin("michigan_rummy", ["easy", "easy"], target=500)
            table = live.table.id

            async def moved(count: int) -> None:
                goal = live.table.version + count
                await until("the game goes on", lambda: live.table.version >= goal or live.table.ended, 100)
                assert not live.table.ended

            with home.engine() as engine, home.worker() as bots:
                await moved(25)
                bots.kill()
                with home.worker() as bots:
                    await moved(25)
                    own_nats.kill()
                    own_nats.start()
                    await moved(25)
                    engine.kill()
                    with home.engine() as engine:
                        await moved(25)
                        own_nats.kill()
                        engine.kill()
                        bots.kill()
                        own_nats.start()
                        with home.engine() as engine, home.worker() as bots:
                            await until("the game is over", lambda: ended(home, table), 120)
                            by = await check(home, table, 2)
                            assert by["bot"] > 100
                            assert bots.stop() == 0
                            assert engine.stop() == 0

    asyncio.run(play())


# -- one worker, in this process --------------------------------------------------------------------------------------


class Desk:
    """A worker in this process, with questions put into its queue by hand and whoever answers its commands."""

    def __init__(self, home: House, minds: Thinkers, made: Worker) -> None:
        self.home, self.minds, self.worker = home, minds, made
        self.taken: list[dict[str, Any]] = []

    async def ask(self, table: str, seat: int = 0, think_ms: int = 0, **fields: Any) -> None:
        question = {
            "table": table, "game": "ticking", "rules": 1, "seat": seat, "seats": 1, "kind": "note", "key": "k",
            "level": "easy", "options": {}, "view": {}, "lines": [], "legal": [], "think_ms": think_ms,
            "fallback": {"type": "note"}, "token": "t",
        }  # fmt: skip
        body = json.dumps(question | fields).encode()
        await self.home.client.jetstream().publish(bus.decide("ticking", table, seat), body)

    async def answer(self, reply: bytes = b'{"ok":true}') -> Any:
        """Take commands from now on."""

        async def hear(msg: Any) -> None:
            self.taken.append(json.loads(msg.data))
            await msg.respond(reply)

        return await self.home.client.subscribe(bus.COMMAND, cb=hear)


class desk:  # noqa: N801
    """A Desk while its worker is at work; it is told to stop at the end."""

    def __init__(self, home: House) -> None:
        self._home = home

    async def __aenter__(self) -> Desk:
        self._client = await bus.connect(self._home.server.as_user("bot"), "bots")
        self._minds = Thinkers(2)
        made = Worker(self._client, self._minds)
        self.stop = asyncio.Event()
        self._task = asyncio.create_task(made.run(self.stop))
        return Desk(self._home, self._minds, made)

    async def __aexit__(self, *_: object) -> None:
        self.stop.set()
        await self._task
        await self._minds.close()
        await self._client.close()


async def _done(home: House) -> bool:
    return await _empty(home.client.jetstream(), bus.DECIDE)


def name(n: int) -> str:
    return f"table{n:015d}"


def test_waiting_holds_up_nobody(place: Any) -> None:
    """Hundreds wait for their moment; one that comes last and waits for nothing is answered first."""

    async def play() -> None:
        async with place() as home, desk(home) as at:
            await at.answer()
            for n in range(300):
                await at.ask(name(n), think_ms=6000)
            await until("all are taken in hand", lambda: len(at.worker._at_work) == 300)
            await at.ask(name(999))
            await until("it is answered", lambda: at.taken)
            assert [command["table"] for command in at.taken] == [name(999)]
            await until("the others too", lambda: len(at.taken) == 301)
            assert at.taken[7].keys() == {"table", "seat", "key", "token", "move"}
            await until("nothing is left", lambda: _done(home))
            assert at.worker.counts == {"taken": 301}

    asyncio.run(play())


def test_poison_is_taken_off_the_queue_and_counted(place: Any) -> None:
    async def play() -> None:
        async with place() as home, desk(home) as at:
            await at.answer()
            js = home.client.jetstream()
            for n, body in enumerate([b"", b"\xff\x00", b"[]", b'{"table":"t"}', b"[" * 100_000]):
                await js.publish(bus.decide("ticking", name(n), 0), body)
            await at.ask(name(10), legal="none")  # an envelope, but no question
            await at.ask(name(11))
            await until("the good one is answered", lambda: at.taken)
            await until("nothing is left", lambda: _done(home))
            assert at.worker.counts == {"poisoned": 6, "taken": 1}

    asyncio.run(play())


def test_a_thinker_that_hangs_is_replaced_and_its_question_given_up_in_the_end(
    place: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "THINK_S", 1.5)
    asking = worker._ask

    async def hang(thinker: Any, question: bytes) -> bytes:
        if b'"hang"' in question:
            thinker.send_signal(19)  # SIGSTOP: it never answers
        return await asking(thinker, question)

    monkeypatch.setattr(worker, "_ask", hang)

    async def play() -> None:
        async with place() as home, desk(home) as at:
            await at.answer()
            await at.ask(name(0), kind="hang")
            await at.ask(name(1), kind="hang")
            await until("they are at work", lambda: len(at.worker._at_work) == 2)
            for n in range(5):
                await at.ask(name(10 + n))
            await until("others are answered", lambda: len(at.taken) == 5)
            await until("nothing is left", lambda: _done(home))
            assert at.worker.counts == {"taken": 5, "retried": 4, "poisoned": 2}

    asyncio.run(play())


def test_a_move_waits_for_somebody_to_take_it(place: Any) -> None:
    async def play() -> None:
        async with place() as home, desk(home) as at:
            await at.ask(name(0))
            await until("it is in hand", lambda: at.worker._at_work)
            busy = await at.answer(b'{"refused":"BUSY","words":"Later."}')
            await until("it was tried", lambda: len(at.taken) >= 2)
            await busy.unsubscribe()
            await at.answer(b'{"refused":"STALE","words":"Too late."}')
            await until("nothing is left", lambda: _done(home))
            assert at.worker.counts == {"refused STALE": 1}

    asyncio.run(play())


def test_a_worker_that_stops_gives_back_what_it_has_not_answered(place: Any) -> None:
    async def play() -> None:
        async with place() as home:
            first = desk(home)
            async with first as at:
                await at.answer()
                await at.ask(name(0), think_ms=LONG)
                await until("it is in hand", lambda: at.worker._at_work)
            assert at.worker.counts == {"given back": 1}
            async with desk(home) as other:  # long before the server takes it back by itself
                await until("another has it", lambda: other.worker._at_work, bus.ACK_S / 2)
            assert at.taken == []

    asyncio.run(play())


def test_a_newer_question_takes_the_place_of_the_last(place: Any) -> None:
    async def play() -> None:
        async with place() as home, desk(home) as at:
            await at.answer()
            await at.ask(name(0), think_ms=LONG, key="old")
            await until("it is in hand", lambda: at.worker._at_work)
            await at.ask(name(0), key="new")
            await until("it is answered", lambda: at.taken)
            assert [command["key"] for command in at.taken] == ["new"]
            await until("nothing is left", lambda: _done(home))
            await until("nothing is in hand", lambda: not at.worker._at_work)

    asyncio.run(play())


def test_a_worker_outlives_the_bus(place: Any, own_nats: Nats) -> None:
    async def play() -> None:
        async with place() as home, at_work(home), door(home), desk(home):
            live = await home.begin("ticking", ["easy"], ms=LONG, rounds=2, asks="on")
            await until("it moved", lambda: live.table.version == 4)
            own_nats.kill()
            fresh = await home.begin("ticking", ["easy"], ms=LONG, rounds=2, asks="on")
            own_nats.start()
            await until("it moved", lambda: fresh.table.version == 4)

    asyncio.run(play())


# -- thinkers ---------------------------------------------------------------------------------------------------------


def test_a_thinker_knows_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRCUT_NATS_BOT_URL", "nats://bot:secret@127.0.0.1:1")

    async def play() -> None:
        minds = Thinkers(1)
        with pytest.raises(Unanswerable):
            await minds.think(b"{}")
        (thinker,) = minds._all
        environment = await asyncio.to_thread(Path(f"/proc/{thinker.pid}/environ").read_bytes)
        assert b"FAIRCUT" not in environment
        assert b"secret" not in environment
        await minds.close()
        assert thinker.returncode is not None

    if os.path.exists("/proc"):
        asyncio.run(play())


def test_a_thinker_answers_what_it_is_asked() -> None:
    ask = Ask(
        game="ticking", rules=1, seat=0, seats=1, kind="note", key="k", level="easy", options={}, view={}, lines=[],
        legal=[{"type": "note", "text": "only"}], fallback={"type": "note"},
    )  # fmt: skip
    assert think(msgspec.json.encode(ask)) == b'={"type":"note","text":"only"}'
    assert think(b"{}")[:1] == think(b"")[:1] == think(b"\xff")[:1] == b"!"


def test_frames_go_through_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    path.write_bytes(frame(b"one") + frame(b"") + frame(b"x" * 70_000) + b"\0\0")
    with path.open("rb") as source:
        assert [read(source), read(source), read(source), read(source)] == [b"one", b"", b"x" * 70_000, None]


def test_the_commands_say_what_they_lack(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in ("FAIRCUT_NATS_BOT_URL", "FAIRCUT_DATABASE_URL"):
        monkeypatch.delenv(setting, raising=False)
    assert cli.main(["bots"]) == 1
    assert "FAIRCUT_NATS_BOT_URL is not set" in capfd.readouterr().err
    assert cli.main(["bots", "--workers", "0"]) == 2
    assert cli.main(["engine"]) == 1
    assert "FAIRCUT_DATABASE_URL is not set" in capfd.readouterr().err
    monkeypatch.setenv("FAIRCUT_NATS_BOT_URL", "/no/such/file")
    assert cli.main(["bots"]) == 1
