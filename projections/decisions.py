"""Who is owed what by a bot: the question that goes on the bus, the token that lets its answer in, and the
door for it.

A question holds what its seat may know and nothing else. The token binds an answer to one decision of one
seat of one table: a worker can answer what it was asked, and nothing that it was not.
"""

import asyncio
import hmac
import logging
import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as BusError

from domain import canon, events
from domain.chance import m, tag
from domain.game import Decision, Hidden, Illegal, Seat
from domain.pace import think_ms
from domain.table import Chair, Table
from projections.run import where
from replay.access import read_private, write_private
from replay.bus import COMMAND
from replay.live import Live
from replay.log import Unavailable
from replay.tables import Tables, command_for

LEGAL = 64  # legal moves that a question names at most
LOOK = 512  # legal moves that are looked at at most
QUEUE = "tables"  # whoever serves bots shares the work under this name
AGAIN = ("BUSY", "UNAVAILABLE")  # refusals after which the same command may be sent again

log = logging.getLogger(__name__)


class Question(Hidden, frozen=True, kw_only=True):
    """A decision as a bot worker is told of it.

    view: the seat's own, as the game's struct. lines: those the seat could read since the deal, oldest first.
    legal: up to 64 legal moves, evenly taken from all. think_ms: how long to wait before the answer is sent.
    token: goes back with it.
    """

    table: str
    game: str
    rules: int
    seat: int
    seats: int
    kind: str
    key: str
    level: str
    options: Any
    view: Any
    lines: list[dict[str, Any]]
    legal: list[Any]
    fallback: Any
    think_ms: int
    token: str


class Owing(Struct, frozen=True):
    """A bot's open decision. Equal ones are the same question: a seat that is covered anew is asked anew."""

    decision: Decision
    level: events.Level
    since: int


def owing(table: Table) -> dict[Seat, Owing]:
    """What each bot's seat owes, the question that the table waits for before one that it does not."""
    found: dict[Seat, Owing] = {}
    for owed in table.owed:
        seat, chair = owed.decision.seat, table.chairs[owed.decision.seat]
        if chair is None or chair.bot is None:
            continue
        if seat not in found or (owed.decision.waits and not found[seat].decision.waits):
            found[seat] = Owing(owed.decision, chair.bot, chair.handed_at)
    return found


def question(live: Live, owing: Owing, key: bytes) -> Question:
    """The question as it goes on the bus. `key`: the house's, for tokens."""
    table, decision = live.table, owing.decision
    game, seat = table.game, decision.seat
    lines = live.lines(seat, 0, len(live.told), live.hand_from)
    return Question(
        table=table.id, game=game.name, rules=game.rules, seat=seat, seats=len(table.chairs),
        kind=decision.kind, key=decision.key, level=owing.level, options=table.options,
        view=game.view(table.state, seat),
        lines=[{"kind": line.kind, "seat": line.seat, "data": line.data} for line in lines],
        legal=sample(islice(game.legal(table.state, seat), LOOK)), fallback=game.fallback(table.state, seat),
        think_ms=_wait_ms(table, decision.kind), token=decision_token(key, table.id, seat, decision.key),
    )  # fmt: skip


def sample(moves: Iterable[Any]) -> list[Any]:
    """At most LEGAL of the moves, evenly taken."""
    found = list(moves)
    if len(found) <= LEGAL:
        return found
    return [found[i * len(found) // LEGAL] for i in range(LEGAL)]


def _wait_ms(table: Table, kind: str) -> int:
    """How long a bot waits so that people can follow it, ms: not at all at a table of bots alone."""
    alone = all(chair is None or chair.kind == "bot" for chair in table.chairs)
    return 0 if alone else think_ms(kind, table.options)


# -- tokens
# -----------------------------------------------------------------------------------------------------------


def decision_token(key: bytes, table: str, seat: int, decision: str) -> str:
    """The token of one decision, hex. Whoever has it may answer that decision and nothing else."""
    return m(key, tag("decide") + f"{table}|{seat}|{decision}".encode()).hex()


def check_token(key: bytes, table: str, seat: int, decision: str, token: str) -> bool:
    """Whether it is that decision's token; takes as long whatever differs."""
    return hmac.compare_digest(decision_token(key, table, seat, decision).encode(), token.encode())


def load_key(path: Path, create: bool = False) -> bytes:
    """The house's key for tokens: a file of 64 hex digits, mode 0600. `create`: make it if it is missing.

    Raises OSError if it is missing, ValueError if it is malformed or others may read it. A new key only makes
    open questions stale, which are then asked again.
    """
    if create and not path.exists():
        write_private(path, os.urandom(32).hex().encode() + b"\n")
    try:
        key = bytes.fromhex(read_private(path).decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != 32:
        raise ValueError(f"{path} does not hold 64 hex digits that only its owner may read")
    return key


# -- the door
# ---------------------------------------------------------------------------------------------------------


class Command(Hidden, frozen=True, forbid_unknown_fields=True):
    """A bot's answer as it comes from the bus."""

    table: Annotated[str, Meta(max_length=32)]
    seat: events.Number
    key: Annotated[str, Meta(max_length=256)]
    token: Annotated[str, Meta(max_length=64)]
    move: dict[str, Any]


class Reply(Struct, frozen=True, omit_defaults=True):
    """What became of it:

    ok, or a refusal's code and words. Those in AGAIN may be tried again, others are final.
    """

    ok: bool = False
    refused: str | None = None
    words: str | None = None


_command = msgspec.json.Decoder(Command)
_reply = msgspec.json.Encoder()


async def serve_bots(client: Client, tables: Tables, key: bytes, *, at_once: int = 512) -> None:
    """Take bots' moves from the bus until cancelled. `key`: the house's, for tokens.

    A moment's work waits for the log in its own task, at most `at_once` of them. Nothing else comes in by
    this door.
    """
    room = asyncio.Semaphore(at_once)
    working: set[asyncio.Task[None]] = set()

    async def answer(msg: Msg) -> None:
        try:
            reply = await take(tables, key, msg.data)
            await msg.respond(_reply.encode(reply))
        except BusError as fault:
            log.warning("a bot's answer could not be answered: %s", type(fault).__name__)
        finally:
            room.release()

    async def hear(msg: Msg) -> None:
        await room.acquire()
        task = asyncio.create_task(answer(msg))
        working.add(task)
        task.add_done_callback(working.discard)

    heard = await client.subscribe(COMMAND, queue=QUEUE, cb=hear)
    try:
        await client.flush()
        await asyncio.Event().wait()
    finally:
        await asyncio.shield(_leave(heard, working))


async def _leave(heard: Any, working: set[asyncio.Task[None]]) -> None:
    """Take nothing more; what has been taken is answered."""
    try:
        await heard.unsubscribe()
    except BusError as fault:
        log.warning("the bus is gone: %s", type(fault).__name__)
    if working:
        await asyncio.wait(working, timeout=5)


async def take(tables: Tables, key: bytes, data: bytes) -> Reply:
    """What becomes of a bot's command.

    Whoever has no token of that decision learns nothing, not even of the table.
    """
    try:
        command = _command.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Reply(refused="BAD", words="This is no bot's command.")
    seat = Seat(command.seat)
    if not check_token(key, command.table, seat, command.key, command.token):
        return Reply(refused="TOKEN", words="This is not the token of that decision.")
    try:
        canon.check(command.move)
        live = await tables.get(command.table)
        if _bot(live.table, seat) is None:
            return Reply(refused="NOT_A_BOT", words="No bot plays this seat now.")
        own = command_for(f"{command.table}/{seat}/{command.key}")
        await tables.move(command.table, seat, command.move, key=command.key, command=own, by="bot")
    except canon.NotCanonical:
        return Reply(refused="BAD", words="A move is plain data.")
    except Illegal as refusal:
        return Reply(refused=refusal.code, words=refusal.words)
    except Unavailable:
        return Reply(refused="UNAVAILABLE", words="The log does not answer just now.")
    except Exception as fault:
        log.error("a bot's move at table %s failed\n%s", command.table, where(fault))
        return Reply(refused="FAULT", words="Something is wrong with this table.")
    return Reply(ok=True)


def _bot(table: Table, seat: Seat) -> events.Level | None:
    chair: Chair | None = table.chairs[seat] if seat < len(table.chairs) else None
    return chair.bot if chair else None
