"""The bus: how we reach NATS, and the streams that lie there.

The log is the truth and the bus only wakes. What is lost, late, doubled or out of order there costs time,
never a move.
"""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import nats.js.errors
from nats.aio.client import Client
from nats.errors import SlowConsumerError
from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)

from replay.access import Bus, bus

log = logging.getLogger(__name__)

DECIDE, TIMER, REPLAY = "DECIDE", "TIMER", "REPLAY"  # streams
BOTS, FIRE = "bots", "fire"  # their durable consumers: every bot worker shares one, every engine the other
COMMAND = "faircut.command.bot"  # request/reply: a bot's move
DECIDE_ALL = "faircut.decide.>"
DUE_ALL, AT_ALL = "faircut.timer.due.>", "faircut.timer.at.>"

DUPLICATES_S = 600.0  # a message id is known to the server for so long
ACK_S = 15.0  # a decision that its worker has not spoken of for so long is handed to another

# The client's own defaults give up after a while and notice a dead server after minutes. Seconds; bytes.
_ENDLESS: dict[str, Any] = {
    "allow_reconnect": True,
    "max_reconnect_attempts": -1,
    "reconnect_time_wait": 0.25,
    "ping_interval": 10,
    "max_outstanding_pings": 2,
    "connect_timeout": 2,
    "pending_size": 8 * 1024 * 1024,
}

Hook = Callable[[], Awaitable[None]]


def changed(table: str) -> str:
    """Subject on which it is said that a table has a new event."""
    return f"faircut.table.{table}.changed"


def aside(table: str) -> str:
    """Subject on which it is said that something has changed which goes with a table and is not of its game."""
    return f"faircut.table.{table}.aside"


def says(table: str) -> str:
    """Subject on which people talk at a table."""
    return f"faircut.table.{table}.says"


def renamed(person: str) -> str:
    """Subject on which it is said that a person is called otherwise now."""
    return f"faircut.person.{person}.renamed"


def decide(game: str, table: str, seat: int) -> str:
    """Subject of the question that a bot's seat is asked."""
    return f"faircut.decide.{game}.{table}.{seat}"


def alarm(table: str) -> str:
    """Subject of a table's alarm clock."""
    return f"faircut.timer.at.{table}.next"


def due(table: str) -> str:
    """Subject on which a table's alarm rings."""
    return f"faircut.timer.due.{table}.next"


def replay(game: str, table: str) -> str:
    """Subject of a finished table's record."""
    return f"faircut.replay.{game}.{table}"


async def connect(
    source: str | Path | Bus, name: str, *, again: Hook | None = None, patience: float = 10.0
) -> Client:
    """A connection that outlives any outage of the server. `again` is called whenever it has been made anew.

    Raises TimeoutError if nobody lets us in within `patience` seconds, ValueError or OSError for bad credentials.
    """
    found = source if isinstance(source, Bus) else bus(source)
    client = Client()

    async def fault(error: Exception) -> None:
        if isinstance(error, SlowConsumerError):
            log.warning("%s: messages were dropped: this process does not keep up", name)
        else:
            log.warning("%s: the bus: %s", name, type(error).__name__)

    options = found.options() | {"name": name, "error_cb": fault, "reconnected_cb": again} | _ENDLESS
    try:
        async with asyncio.timeout(patience):
            await client.connect(**options)
    except TimeoutError:
        await client.close()
        raise TimeoutError("the bus lets nobody in") from None
    return client


# Questions to bots hold what a seat sees: they lie in memory alone, and are asked again from the log.
_STREAMS = (
    StreamConfig(
        name=DECIDE, subjects=[DECIDE_ALL], retention=RetentionPolicy.WORK_QUEUE, discard=DiscardPolicy.OLD,
        max_msgs_per_subject=1, storage=StorageType.MEMORY,
    ),
    StreamConfig(
        name=TIMER, subjects=["faircut.timer.>"], retention=RetentionPolicy.LIMITS, discard=DiscardPolicy.OLD,
        max_msgs_per_subject=1, storage=StorageType.FILE, allow_msg_schedules=True, allow_msg_ttl=True,
    ),
    StreamConfig(
        name=REPLAY, subjects=["faircut.replay.>"], retention=RetentionPolicy.LIMITS, discard=DiscardPolicy.OLD,
        max_msgs_per_subject=1, storage=StorageType.FILE, duplicate_window=DUPLICATES_S,
    ),
)  # fmt: skip
_CONSUMERS = (
    (DECIDE, ConsumerConfig(
        durable_name=BOTS, ack_policy=AckPolicy.EXPLICIT, ack_wait=ACK_S, max_deliver=-1, max_ack_pending=20_000,
        filter_subject=DECIDE_ALL, mem_storage=True,
    )),
    (TIMER, ConsumerConfig(
        durable_name=FIRE, ack_policy=AckPolicy.EXPLICIT, ack_wait=ACK_S, max_deliver=5, max_ack_pending=20_000,
        filter_subject=DUE_ALL,
    )),
)  # fmt: skip


async def streams(js: JetStreamContext, replicas: int = 1) -> None:
    """Make the streams and consumers, or bring them up to date. Any process may do so at any time."""
    for stream in _STREAMS:
        await _stream(js, stream.evolve(num_replicas=replicas))
    for name, consumer in _CONSUMERS:
        await js.add_consumer(name, consumer)


async def _stream(js: JetStreamContext, config: StreamConfig) -> None:
    """Make a stream or bring it up to date.

    A stream that is made anew counts on from a number that none before it has reached: a late acknowledgement
    names its message by number, and must not hit another one.
    """
    assert config.name is not None
    try:
        known = await js.stream_info(config.name)
    except nats.js.errors.NotFoundError:
        try:
            await js.add_stream(config.evolve(first_seq=time.time_ns() // 1_000))
            return
        except nats.js.errors.BadRequestError:  # somebody else was faster
            known = await js.stream_info(config.name)
    await js.update_stream(config.evolve(first_seq=known.config.first_seq))


async def subjects(client: Client, stream: str, pattern: str) -> set[str]:
    """The subjects of a stream under which a message lies now."""
    found: set[str] = set()
    while True:
        ask = json.dumps({"subjects_filter": pattern, "offset": len(found)}).encode()
        answer = await client.request(f"$JS.API.STREAM.INFO.{stream}", ask, timeout=5)
        state = json.loads(answer.data)
        page = (state.get("state") or {}).get("subjects") or {}
        found |= page.keys()
        if not page or len(found) >= int(state.get("total") or 0):
            return found
