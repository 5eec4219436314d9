"""Every table, loaded by replay: the one way in for every move, whoever makes it.

A command takes its table's lock, is decided against the present state and appended; it counts from then on. If another
process was first, the newcomer's events are followed and the command is decided anew, never appended again as it was.
"""

import asyncio
import hashlib
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import msgspec

from domain import events
from domain.chance import TABLE_ID, Vault
from domain.game import Decision, Illegal, Seat
from domain.registry import AnyGame, newest, version
from domain.table import Diverged, Next, Table, follow, open_table, owing
from replay import connections
from replay.connections import in_time
from replay.live import Answer, Live, answer
from replay.log import LAST, Conflict, Log, Timer, TimerChange, Unavailable
from replay.seal import Sealer

_ID = "0123456789abcdefghijklmnopqrstuvwxyz"
_PAGE = 64  # events read at once of an opening
_REPLAYING = ThreadPoolExecutor(2, "replaying")  # of its own: who asks for old answers waits behind others who do
_TRIES = 20  # rounds of re-deciding before a command gives up; each round lost means another command won

T = TypeVar("T")
Make = Callable[[Table, int], events.Event]


class NoSuchTable(Illegal):
    """There is no table of that id."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_TABLE", "There is no such table.")


def wall_ms() -> int:
    """The wall clock in whole ms since 1970."""
    return time.time_ns() // 1_000_000


def new_id() -> str:
    """A fresh table id: 24 characters, about 124 bits."""
    return "".join(secrets.choice(_ID) for _ in range(24))


class Tables:
    """The tables of one log. One event loop uses it; several processes may work on the same log."""

    def __init__(
        self,
        log: Log,
        sealer: Sealer,
        *,
        clock: Callable[[], int] = wall_ms,
        capacity: int = 2048,
        new_id: Callable[[], str] = new_id,
        new_seed: Callable[[], bytes] = lambda: os.urandom(32),
    ) -> None:
        self._log, self._sealer, self.clock, self._capacity = log, sealer, clock, capacity
        self._new_id, self._new_seed = new_id, new_seed
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._loading: dict[str, asyncio.Future[Live]] = {}
        self._heard: list[Callable[[Live], None]] = []
        self.ready: Callable[[], Awaitable[None]] = _at_once  # waited for before each event gets its time

    def on_change(self, hear: Callable[[Live], None]) -> None:
        """Call `hear` after each event that this process sees appended."""
        self._heard.append(hear)

    # -- reading ------------------------------------------------------------------------------------------------------

    async def get(self, table_id: str) -> Live:
        """The table, replayed if it is not in memory. Raises NoSuchTable."""
        live = self._live.get(table_id)
        if live is not None:
            self._live.move_to_end(table_id)
            return live
        if not TABLE_ID.fullmatch(table_id):
            raise NoSuchTable
        loading = self._loading.get(table_id)
        if loading is None:
            loading = asyncio.ensure_future(self._load(table_id))
            self._loading[table_id] = loading
            loading.add_done_callback(lambda _: self._loading.pop(table_id, None))
        return await asyncio.shield(loading)

    def peek(self, table_id: str) -> Live | None:
        """The table if it is in memory."""
        return self._live.get(table_id)

    async def refresh(self, table_id: str, version: int) -> Live:
        """The table, at least as far as a version that somebody said is in the log."""
        live = await self.get(table_id)
        if live.table.version < version:
            async with live.lock:
                await self._catch_up(live)
        return live

    async def heard(self, table_id: str, news: Sequence[tuple[int, bytes]]) -> Live:
        """The table with events that somebody read in the log: their versions and bytes, in order."""
        live = await self.get(table_id)
        if live.table.version < news[-1][0]:
            async with live.lock:
                if live.unsure or news[0][0] > live.table.version + 1:
                    await self._catch_up(live)
                else:
                    self._take_in(live, [raw for version, raw in news if version > live.table.version])
        return live

    def _take_in(self, live: Live, raws: Sequence[bytes]) -> None:
        for raw in raws:
            live.absorb(_again(live.table, raw, live.vault))
        if raws:
            self._tell(live)

    async def entries(self, table_id: str) -> list[tuple[bytes, bytes]]:
        """All (digest, bytes) of a table, as its record lists them. Raises NoSuchTable."""
        return await self._replay(table_id, lambda steps: [(step.table.digest, step.raw) for step in steps])

    async def opening(self, table_id: str) -> list[bytes]:
        """The events up to `started`, which are everyone's to check: none is blinded. Raises NoSuchTable."""
        found: list[bytes] = []
        while True:
            page = await self._log.read(table_id, len(found), len(found) + _PAGE)
            for entry in page:
                found.append(entry.raw)
                if isinstance(events.decode(entry.raw), events.Started):
                    return found
            if not found:
                raise NoSuchTable
            if len(page) < _PAGE:
                return found

    async def has(self, table_id: str, kind: str, digest: bytes) -> bool:
        """Whether the log has what a note vouches for: a leaf, or the digest after an event. Raises NoSuchTable."""

        def found(steps: Iterable[Next]) -> bool:
            return any(digest == (step.leaf if kind == "receipt" else step.table.digest) for step in steps)

        return await self._replay(table_id, found)

    async def as_of(self, table_id: str, number: int) -> Answer:
        """The answer that the command stored as event `number` was given when it was new."""
        return await self._replay(table_id, lambda steps: answer(steps, number), until=number + 1)

    async def _replay(self, table_id: str, make: Callable[[Iterable[Next]], T], until: int = LAST) -> T:
        """What a pure function makes of a table's events, in a thread: long games hold up nobody else's moves."""
        stored = await self._log.read(table_id, until=until)
        if not stored:
            raise NoSuchTable
        vault = await self._vault(table_id)
        work = lambda: make(replayed((entry.raw for entry in stored), vault))  # noqa: E731
        return await asyncio.get_running_loop().run_in_executor(_REPLAYING, work)

    async def _vault(self, table_id: str) -> Vault:
        opening = asyncio.to_thread(self._sealer.vault, self._log, table_id)
        return await in_time(opening, connections.WAIT_S)

    async def _load(self, table_id: str) -> Live:
        stored = await self._log.read(table_id)
        if not stored:
            raise NoSuchTable
        vault = await self._vault(table_id)
        live: Live | None = None
        for step in replayed((entry.raw for entry in stored), vault):
            if live is None:
                live = Live(step, vault)
            else:
                live.absorb(step)
        assert live is not None
        self._keep(live)
        return live

    def _keep(self, live: Live) -> None:
        self._live[live.table.id] = live
        spare = len(self._live) - self._capacity
        for table_id, old in list(self._live.items())[: max(0, spare) * 2]:
            if spare > 0 and old is not live and not old.listeners and not old.lock.locked():
                del self._live[table_id]
                spare -= 1

    async def _catch_up(self, live: Live) -> None:
        stored = await self._log.read(live.table.id, after=live.table.version)
        live.unsure = False
        self._take_in(live, [entry.raw for entry in stored])

    def _tell(self, live: Live) -> None:
        for hear in self._heard:
            hear(live)

    # -- commands -----------------------------------------------------------------------------------------------------

    async def open(
        self, game: str, seats: int, options: Mapping[str, Any], *, host: str | None = None, watch_delay: int = 0,
        table_id: str | None = None,
    ) -> Live:  # fmt: skip
        """Open a table with a fresh sealed seed. Raises Illegal("OPTIONS", …) or Illegal("NO_SUCH_GAME", …).

        `table_id`: a fresh one by `new_id`, for who must know it before; opened again, the first table is the answer.
        """
        rules = newest(game)
        chosen = check_options(rules, options)
        rules.check(chosen, seats)
        table_id = table_id or self._new_id()
        vault = await self._fresh_vault(table_id)
        commit = vault.commitment(table_id).hex()
        event = events.Opened(
            at=self.clock(), id=table_id, commit=commit, game=game, rules=rules.rules, protocol=1, seats=seats,
            options=msgspec.to_builtins(chosen), host=host, watch_delay=watch_delay,
        )  # fmt: skip
        first = open_table(event, rules, vault)
        try:
            await self._log.append(table_id, 1, [first.raw], _timer(None, first.table))
        except Conflict:
            return await self.get(table_id)
        live = Live(first, vault)
        self._keep(live)
        self._tell(live)
        return live

    async def _fresh_vault(self, table_id: str) -> Vault:
        """A new seed, sealed and kept; or the one kept by an opening under this id that was cut off."""
        seed = self._new_seed()
        vault = Vault(seed)
        commit = vault.commitment(table_id).hex()
        try:
            keeping = asyncio.to_thread(self._sealer.keep, self._log, table_id, commit, seed)
            await in_time(keeping, connections.WAIT_S)
        except ValueError:
            return await self._vault(table_id)
        return vault

    async def act(self, table_id: str, make: Make) -> Answer:
        """Decide an event against the present table and append it. Raises Illegal, Unavailable."""
        live = await self.get(table_id)
        async with live.lock:
            return await self._decide(live, make)

    async def move(
        self,
        table_id: str,
        seat: Seat,
        move: Mapping[str, Any],
        *,
        key: str | None,
        command: str,
        by: str = "person",
    ) -> Answer:
        """A seat's move. A command id that `by` has used for this seat gets the first answer again and appends nothing.

        Raises Illegal: the game's refusals, STALE (or what the game says instead) for a key that is no longer the
        seat's, BAD for a missing one.
        """
        live = await self.get(table_id)

        def make(table: Table, at: int) -> events.Event:
            if (number := live.commands.get((seat, by, command))) is not None:
                raise _Repeated(number)
            if table.phase == "playing":
                _answers(table, seat, move, key)
            return events.Moved(at=at, seat=seat, move=dict(move), by=by, command=command)  # type: ignore[arg-type]

        try:
            async with live.lock:
                return await self._decide(live, make)
        except _Repeated as again:
            return await self.as_of(table_id, again.number)

    async def fire(self, table_id: str, key: str, may: Callable[[], bool] = lambda: True) -> bool:
        """Let time do what is due: the timer's key must still be the table's. True if something was appended.

        `may` is asked as the event gets its time, however long the table or the log made us wait until then.
        """

        def make(table: Table, at: int) -> events.Event:
            due = table.due()
            if not may() or due is None or due.key != key or table.now(at) < due.at:
                raise Illegal("NOT_DUE", "Nothing is due.")
            if table.phase == "open":
                return events.Closed(at=at, how="idle")
            if table.cut_by is not None:
                return events.Voided(at=at, seats=owing(table))
            late = [o for o in table.owed if (d := table.bot_due(o)) is not None and d <= due.at]
            if not due.key.startswith("bot:") or not late:
                return events.Ticked(at=at)
            seat = late[0].decision.seat
            move = msgspec.to_builtins(table.game.fallback(table.state, seat))
            return events.Moved(at=at, seat=seat, move=move, by="timer", command=command_for(due.key))

        try:
            await self.act(table_id, make)
        except Illegal as refusal:
            if refusal.code in ("NOT_DUE", "OVER"):
                return False
            raise
        return True

    async def grant(self, table_id: str, since: int, until: int) -> bool:
        """Give back an outage (wall clock, ms) to a table on which something is due. True if something was appended."""

        def make(table: Table, at: int) -> events.Event:
            start = max(since, table.at)
            if table.phase == "open" or table.due() is None or min(until, at) <= start:
                raise Illegal("NOT_DUE", "Nothing to give back.")
            return events.Granted(at=at, ms=min(until, at) - start, since=start)

        live = await self.get(table_id)
        live.unsure = True  # what was stored just before the outage may not have been heard of here
        try:
            await self.act(table_id, make)
        except Illegal as refusal:
            if refusal.code in ("NOT_DUE", "OVER"):
                return False
            raise
        return True

    async def _decide(self, live: Live, make: Make) -> Answer:
        for _ in range(_TRIES):
            await self.ready()
            if live.unsure:
                await self._catch_up(live)
            at = max(self.clock(), live.table.at)
            first = follow(live.table, make(live.table, at), live.vault)
            steps = [first]
            if first.table.ended:
                seed = events.Revealed(at=at, seed=live.vault.reveal())
                steps.append(follow(first.table, seed, live.vault))
            after = steps[-1].table
            raws, timer = [step.raw for step in steps], _timer(live.table, after)
            try:
                await self._log.append(live.table.id, first.table.version, raws, timer)
            except Conflict:
                await self._catch_up(live)
                continue
            except (Unavailable, asyncio.CancelledError):
                live.unsure = True  # stored or not, nobody knows: the next command reads the log first
                raise
            for step in steps:
                live.absorb(step)
            self._tell(live)
            return Answer(first, after, len(live.told), live.checkpoint)
        raise Illegal("BUSY", "The table is too busy just now: try again.")


async def _at_once() -> None:
    """Nothing to wait for."""


class _Repeated(Exception):
    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def check_options(game: AnyGame, options: Mapping[str, Any]) -> Any:
    """The game's options as its struct. Raises Illegal("OPTIONS", …) naming what is wrong."""
    try:
        return msgspec.convert(dict(options), game.Options)
    except msgspec.ValidationError as fault:
        raise Illegal("OPTIONS", f"options: {fault}.") from None


def command_for(key: str) -> str:
    """The command id of a move that answers a decision or a due time by machine."""
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def replayed(raws: Iterable[bytes], vault: Vault) -> Iterable[Next]:
    """Each stored event followed in order. Raises Diverged if one does not follow."""
    table: Table | None = None
    for raw in raws:
        step = _first(raw, vault) if table is None else _again(table, raw, vault)
        table = step.table
        yield step


def _first(raw: bytes, vault: Vault) -> Next:
    event = events.decode(raw)
    if not isinstance(event, events.Opened):
        raise Diverged("the first event of a table is opened")
    return open_table(event, version(event.game, event.rules), vault)


def _again(table: Table, raw: bytes, vault: Vault) -> Next:
    step = follow(table, events.decode(raw), vault)
    if step.raw != raw:
        raise Diverged(f"event {step.table.version} is not what was stored")
    return step


def _answers(table: Table, seat: Seat, move: Mapping[str, Any], key: str | None) -> None:
    """A move names the key of the decision that it answers, unless it is of a kind that answers none."""
    asked = [o.decision.key for o in table.owed if o.decision.seat == seat]
    if key is None:
        if asked and move.get("type") not in table.game.keyless:
            raise Illegal("BAD", "Name the key of the decision that this move answers.")
    elif key not in asked:
        raise table.game.late(table.state, move, key)


def _timer(before: Table | None, after: Table) -> TimerChange:
    """What the append does to the table's timer row: a Timer, None to delete it, or "same"."""
    new = after.due()
    if before and before.due() == new and before.granted == after.granted:
        return "same"
    return Timer(new.key, new.at + after.granted) if new else None


def decisions_for(table: Table, viewer: Seat | None) -> Sequence[Decision]:
    """The decisions that a viewer may know of: its own with their keys, others' only if they are named, without key."""
    return [
        o.decision if o.decision.seat == viewer else msgspec.structs.replace(o.decision, key="")
        for o in table.owed
        if o.decision.seat == viewer or o.decision.named
    ]
