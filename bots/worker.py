"""A bot worker: questions from the bus, moves back to it. Bus credentials are all that it has.

All workers share one queue. Answers are thought out in processes of their own (bots/thinker.py) and held back
for as long as the question says, so neither thinking nor waiting delays anybody else. A question is taken off
the queue only once its answer was taken or refused for good; until then the server hands it to another worker
when this one dies.
"""

import asyncio
import logging
import os
import sys
from collections import Counter
from contextlib import suppress
from typing import Any

import msgspec
import nats.errors
import nats.js.errors
from msgspec import Struct
from nats.aio.client import Client
from nats.aio.msg import Msg

from bots.thinker import frame
from replay import bus
from replay.access import Bus
from replay.access import bus as access
from replay.tasks import end, within

AT_ONCE = 1000  # questions in one worker's hands at the same time
FETCH = 32  # questions taken from the queue in one go at most
BEAT_S = bus.ACK_S / 3  # how often a worker says that it is still at a question
THINK_S = 10.0  # a bot that has not found its move by then is stopped
REPLY_S = 5.0  # a move that nobody has answered by then is sent again
HOLD_S = 60.0  # a move that nobody takes for so long goes back into the queue
DELIVERIES = 3  # a question at which thinkers have died so often is taken off the queue
AGAIN = ("BUSY", "UNAVAILABLE")  # refusals after which the same move may be sent again
INBOX = "_INBOX_bot"  # where a bot's user may listen

log = logging.getLogger(__name__)


class Envelope(Struct, frozen=True):
    """What the worker itself reads of a question. The rest is the thinker's."""

    table: str
    seat: int
    key: str
    token: str
    think_ms: int

    def __repr__(self) -> str:
        return f"<Envelope of table {self.table}>"


class Reply(Struct, frozen=True):
    """What became of a move."""

    ok: bool = False
    refused: str | None = None


_envelope = msgspec.json.Decoder(Envelope)
_reply = msgspec.json.Decoder(Reply)
_json = msgspec.json.Encoder()


class Unanswerable(Exception):
    """A question to which no thinker finds an answer."""


class ThinkerDied(Exception):
    """The thinker ended, or took too long and was ended, over a question."""


class Thinkers:
    """Processes that think, each about one question at a time. One that dies is replaced."""

    def __init__(self, count: int) -> None:
        self._free: asyncio.Queue[asyncio.subprocess.Process | None] = asyncio.Queue()
        for _ in range(count):
            self._free.put_nowait(None)
        self._all: set[asyncio.subprocess.Process] = set()

    async def think(self, question: bytes) -> Any:
        """The move. Raises Unanswerable, ThinkerDied."""
        thinker = await self._free.get()
        back: asyncio.subprocess.Process | None = None
        try:
            if thinker is None or thinker.returncode is not None:
                thinker = await self._start()
            async with asyncio.timeout(THINK_S):
                answer = await _ask(thinker, question)
            back = thinker
        except (TimeoutError, OSError, asyncio.IncompleteReadError) as fault:
            raise ThinkerDied(type(fault).__name__) from None
        finally:
            if back is None and thinker is not None:
                self._end(thinker)  # also when we are cancelled: its answer would be taken for the next one's
            self._free.put_nowait(back)
        if answer[:1] != b"=":
            raise Unanswerable(answer[1:].decode("ascii", "replace"))
        return msgspec.Raw(answer[1:])

    async def _start(self) -> asyncio.subprocess.Process:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FAIRCUT_")}
        thinker = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bots.thinker", env=environment, start_new_session=True,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        self._all.add(thinker)
        return thinker

    def _end(self, thinker: asyncio.subprocess.Process) -> None:
        self._all.discard(thinker)
        with suppress(ProcessLookupError):
            thinker.kill()

    async def close(self) -> None:
        """End them all."""
        ending = list(self._all)
        for thinker in ending:
            self._end(thinker)
        for thinker in ending:
            await thinker.wait()


async def _ask(thinker: asyncio.subprocess.Process, question: bytes) -> bytes:
    assert thinker.stdin is not None
    assert thinker.stdout is not None
    thinker.stdin.write(frame(question))
    await thinker.stdin.drain()
    head = await thinker.stdout.readexactly(4)
    return await thinker.stdout.readexactly(int.from_bytes(head, "big"))


class Worker:
    """One worker on the bus. `counts`: what became of its questions."""

    def __init__(self, client: Client, thinkers: Thinkers) -> None:
        self._client, self._thinkers = client, thinkers
        self._stopping = asyncio.Event()
        self._at_work: dict[str, asyncio.Task[None]] = {}  # by subject: a newer question ends it
        self._room = asyncio.Semaphore(AT_ONCE)
        self._deaf = ""  # why nothing comes from the bus, if so
        self.counts: Counter[str] = Counter()

    async def run(self, stop: asyncio.Event) -> None:
        """Answer until told to stop; questions whose moment has not come are then given back at once."""
        fetching = asyncio.create_task(self._fetch_all())
        try:
            await stop.wait()
        finally:
            await end(fetching)
            self._stopping.set()
            if self._at_work:
                await asyncio.wait(self._at_work.values(), timeout=2 * REPLY_S)
            with suppress(nats.errors.Error, TimeoutError):
                await self._client.flush(2)
            log.info("answered so far: %s", dict(self.counts))

    async def _fetch_all(self) -> None:
        while True:
            try:
                heard = await self._client.jetstream().pull_subscribe_bind(bus.BOTS, bus.DECIDE)
                try:
                    await self._fetch(heard)
                finally:
                    await heard.unsubscribe()
            except (nats.errors.Error, OSError) as fault:
                if self._deaf != (deaf := type(fault).__name__):
                    log.warning("no questions from the bus: %s", deaf)
                self._deaf = deaf
            await asyncio.sleep(0.25)

    async def _fetch(self, heard: Any) -> None:
        while True:
            async with self._room:
                pass  # somebody else's place has become free, and stays so until we take it
            try:
                messages = await heard.fetch(FETCH, timeout=1.0)
            except TimeoutError:
                messages = []
            self._deaf = ""
            for msg in messages:
                await self._begin(msg)

    async def _begin(self, msg: Msg) -> None:
        await self._room.acquire()
        old = self._at_work.get(msg.subject)
        if old is not None:
            old.cancel()  # the seat is asked something else by now
        task = asyncio.create_task(self._answer(msg))
        self._at_work[msg.subject] = task
        task.add_done_callback(lambda done: self._ended(msg.subject, done))

    def _ended(self, subject: str, task: asyncio.Task[None]) -> None:
        self._room.release()
        if self._at_work.get(subject) is task:
            del self._at_work[subject]
        if not task.cancelled() and (fault := task.exception()) is not None:
            self.counts["failed"] += 1
            log.error("a question was left to another worker: %s", type(fault).__name__)

    async def _answer(self, msg: Msg) -> None:
        """One question, to the end."""
        beating = asyncio.create_task(_beat(msg))
        try:
            became, settle = await self._became(msg)
            self.counts[became] += 1
            await settle
        finally:
            beating.cancel()

    async def _became(self, msg: Msg) -> tuple[str, Any]:
        """What came of a question, and what the queue is to be told."""
        asked = asyncio.get_running_loop().time()
        try:
            question = _envelope.decode(msg.data)
            move = await self._thinkers.think(msg.data)
        except (msgspec.DecodeError, UnicodeDecodeError, Unanswerable) as fault:
            log.error("a question that is none was taken off the queue: %s", type(fault).__name__)
            return "poisoned", msg.term()
        except ThinkerDied as fault:
            if msg.metadata.num_delivered < DELIVERIES:
                return "retried", msg.nak(delay=1)
            log.error("a question that no thinker survives was taken off the queue: %s", fault)
            return "poisoned", msg.term()
        left = asked + question.think_ms / 1000 - asyncio.get_running_loop().time()
        if left > 0 and await within(left, self._stopping.wait()):
            return "given back", msg.nak()
        return await self._send(msg, question, move)

    async def _send(self, msg: Msg, question: Envelope, move: Any) -> tuple[str, Any]:
        """Send the move until somebody has taken it or refused it for good."""
        names = {"table": question.table, "seat": question.seat, "key": question.key}
        body = _json.encode(names | {"token": question.token, "move": move})
        clock = asyncio.get_running_loop().time
        until, pause = clock() + HOLD_S, 0.1
        while clock() < until and not self._stopping.is_set():
            try:
                reply = _reply.decode((await self._client.request(bus.COMMAND, body, timeout=REPLY_S)).data)
            except (nats.errors.Error, msgspec.DecodeError, TimeoutError) as fault:
                log.warning("a move was not answered: %s", type(fault).__name__)
            else:
                if reply.ok:
                    return "taken", msg.ack()
                if reply.refused not in AGAIN:
                    return f"refused {reply.refused}", msg.ack()
            await within(pause, self._stopping.wait())
            pause = min(2 * pause, 2.0)
        return "given back", msg.nak(delay=1)


async def _beat(msg: Msg) -> None:
    """Say that somebody is at this question, as long as somebody is."""
    while True:
        await asyncio.sleep(BEAT_S)
        with suppress(nats.errors.Error):
            await msg.in_progress()


async def work(source: str, stop: asyncio.Event, thinkers: int = 1) -> None:
    """A worker on a bus named by a URL or a credentials file, until told to stop.

    Raises what `bus.connect` raises.
    """
    found = access(source)
    own = Bus(url=found.url, user=found.user, password=found.password, inbox=INBOX)
    client = await bus.connect(own, "bots")
    minds = Thinkers(thinkers)
    try:
        log.info("a bot worker is at work")
        await Worker(client, minds).run(stop)
    finally:
        await minds.close()
        await client.close()
