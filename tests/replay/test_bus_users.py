"""Who may do what on the bus, and how one says who one is."""

import asyncio
import contextlib
import socket
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import nats.errors
import pytest
from nats.aio.client import Client
from nats.js.api import AckPolicy, ConsumerConfig, RetentionPolicy, StreamConfig

from deploy.local import USERS, Nats
from replay.access import Bus, bus


class Visitor(Client):
    """A client that notes when the server refuses what it asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.refused = asyncio.Event()

    async def heard(self, error: Exception) -> None:
        if "permissions violation" in str(error):
            self.refused.set()


@asynccontextmanager
async def on(there: Bus) -> AsyncIterator[Visitor]:
    client = Visitor()
    await client.connect(**there.options(), error_cb=client.heard)
    try:
        yield client
    finally:
        await client.close()


async def refused(client: Visitor) -> None:
    """Until the server has refused something."""
    await asyncio.wait_for(client.refused.wait(), 60)


async def decisions(server: Client) -> None:
    js = server.jetstream()
    await js.add_stream(
        StreamConfig(name="DECIDE", subjects=["faircut.decide.>"], retention=RetentionPolicy.WORK_QUEUE)
    )
    await js.add_consumer("DECIDE", ConsumerConfig(durable_name="bots", ack_policy=AckPolicy.EXPLICIT))


def test_streams_are_there_after_a_stop_and_after_a_crash(own_nats: Nats) -> None:
    async def make() -> None:
        async with on(own_nats.as_user("server")) as server:
            await decisions(server)
            await server.jetstream().publish("faircut.decide.g.t.1", b"view")

    async def look() -> None:
        async with on(own_nats.as_user("server")) as server:
            info = await server.jetstream().stream_info("DECIDE")
            assert info.state.messages == 1

    asyncio.run(make())
    address = own_nats.url
    own_nats.stop()
    own_nats.start()
    assert own_nats.url == address
    asyncio.run(look())
    own_nats.kill()
    own_nats.start()
    assert own_nats.url == address
    asyncio.run(look())


def test_a_taken_port_is_given_up(own_nats: Nats) -> None:
    own_nats.stop()
    port = int(own_nats.url.rpartition(":")[2])
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        own_nats.start()
        assert own_nats.url != f"nats://127.0.0.1:{port}"
        assert {own_nats.as_user(user).url for user in USERS} == {own_nats.url}


def test_passwords_are_made_once_and_shown_to_nobody(own_nats: Nats) -> None:
    known = {user: own_nats.as_user(user).password for user in USERS}
    assert len(set(known.values())) == len(USERS)
    own_nats.stop()
    own_nats.start()
    assert {user: own_nats.as_user(user).password for user in USERS} == known
    proc = Path(f"/proc/{own_nats.pid}")
    open_to_see = (proc / "cmdline").read_bytes() + (proc / "environ").read_bytes() + own_nats.log.read_bytes()
    for user in USERS:
        word = known[user]
        assert word is not None
        assert len(word) >= 43  # 32 random bytes
        assert word.encode() not in open_to_see
        assert word not in repr(own_nats) + repr(own_nats.as_user(user))
        assert stat.S_IMODE(own_nats.credentials(user).stat().st_mode) == 0o600
    assert stat.S_IMODE((own_nats.folder / "nats.conf").stat().st_mode) == 0o600


def test_strangers_are_not_let_in(nats_server: Nats) -> None:
    async def knock(there: Bus) -> None:
        client = Client()
        with pytest.raises((nats.errors.Error, OSError)):
            await client.connect(**there.options(), allow_reconnect=False, max_reconnect_attempts=0)
        with contextlib.suppress(Exception):
            await client.close()

    known = nats_server.as_user("server")
    asyncio.run(knock(Bus(url=known.url)))
    asyncio.run(knock(Bus(url=known.url, user="server", password="guess")))
    asyncio.run(knock(Bus(url=known.url, user="records", password=known.password)))


def test_a_bot_takes_decisions_and_sends_commands(own_nats: Nats) -> None:
    async def play() -> None:
        async with on(own_nats.as_user("server")) as server, on(own_nats.as_user("bot")) as bot:
            await decisions(server)
            await server.jetstream().publish("faircut.decide.g.t.1", b"view")

            async def answer(message: object) -> None:
                await message.respond(b"taken " + message.data)  # type: ignore[attr-defined]

            await server.subscribe("faircut.command.bot", "takers", answer)
            await server.flush()
            own = await bot.jetstream().pull_subscribe_bind("bots", "DECIDE")
            (message,) = await own.fetch(1, timeout=10)
            assert message.data == b"view"
            reply = await bot.request("faircut.command.bot", b"move", timeout=10)
            assert reply.data == b"taken move"
            await message.ack_sync(timeout=10)
            assert not bot.refused.is_set()
            info = await server.jetstream().stream_info("DECIDE")
            assert info.state.messages == 0

    asyncio.run(play())


@pytest.mark.parametrize(
    "subject",
    ["faircut.decide.>", "faircut.decide.g.t.1", "faircut.command.bot", "faircut.table.*.changed", "faircut.timer.>",
     "faircut.replay.>", ">", "_INBOX.>", "$JS.>", "$SYS.>"],
)  # fmt: skip
def test_a_bot_hears_nothing_else(nats_server: Nats, subject: str) -> None:
    async def listen() -> None:
        async with on(nats_server.as_user("bot")) as bot:
            await bot.subscribe(subject)
            await refused(bot)

    asyncio.run(listen())


@pytest.mark.parametrize(
    "subject",
    ["faircut.decide.g.t.1", "faircut.timer.due.t.turn", "faircut.timer.at.t.turn", "faircut.command.person",
     "faircut.table.t.changed", "faircut.replay.g.t", "$JS.API.STREAM.MSG.GET.DECIDE", "$JS.API.STREAM.PURGE.DECIDE",
     "$JS.API.STREAM.INFO.DECIDE", "$JS.API.CONSUMER.CREATE.DECIDE", "$JS.API.CONSUMER.MSG.NEXT.TIMERS.engine",
     "$JS.API.DIRECT.GET.DECIDE", "$JS.ACK.TIMERS.engine.1.1.1.1.1", "_INBOX.someone", "_INBOX_bot.other"],
)  # fmt: skip
def test_a_bot_says_nothing_else(nats_server: Nats, subject: str) -> None:
    async def say() -> None:
        async with on(nats_server.as_user("bot")) as bot:
            await bot.publish(subject, b"forged")
            await refused(bot)

    asyncio.run(say())


def test_who_reads_records_sees_records_only(nats_server: Nats) -> None:
    async def watch() -> None:
        async with on(nats_server.as_user("server")) as server, on(nats_server.as_user("records")) as reader:
            seen = await reader.subscribe(">")
            await reader.flush()
            hidden = ("faircut.decide.g.t.1", "faircut.table.t.changed")
            for subject in (*hidden, "faircut.replay.g.t", "faircut.replay.x"):
                await server.publish(subject, subject.encode())
            await server.flush()
            heard = [(await seen.next_msg(timeout=10)).subject for _ in range(2)]
            assert heard == ["faircut.replay.g.t", "faircut.replay.x"]
            await reader.flush()
            assert seen.pending_msgs == 0
            await reader.publish("faircut.replay.g.t", b"forged")
            await refused(reader)

    asyncio.run(watch())


def test_a_url_names_user_and_password() -> None:
    there = bus("nats://bot:p%40ss%3Aword@example.org:4222")
    assert there == Bus(url="nats://example.org:4222", user="bot", password="p@ss:word", inbox="_INBOX_bot")
    assert bus("tls://example.org") == Bus(url="tls://example.org")
    assert "word" not in repr(there)
    assert there.options() == {
        "servers": ["nats://example.org:4222"], "inbox_prefix": b"_INBOX_bot", "user": "bot", "password": "p@ss:word",
    }  # fmt: skip


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    file = tmp_path / "bus.json"
    Bus(url="nats://h:1", user="bot", password="word", inbox="_INBOX_bot").save(file)
    return file


def test_a_file_names_them_too(saved: Path) -> None:
    assert bus(saved) == bus(str(saved)) == Bus(url="nats://h:1", user="bot", password="word", inbox="_INBOX_bot")
    saved.chmod(0o604)
    with pytest.raises(ValueError, match="chmod 600"):
        bus(saved)


def test_a_bad_file_is_not_shown(saved: Path) -> None:
    saved.write_text('{"url": "nats://h:1", "user": "bot", "password": 5, "word": "hunter2"}')
    with pytest.raises(ValueError, match=r"does not hold") as caught:
        bus(saved)
    assert "hunter2" not in str(caught.value)
    with pytest.raises(FileNotFoundError):
        bus(saved.with_name("none.json"))
