"""One table in memory: its present state, its lines, what was shown when."""

import asyncio
from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import Literal, NamedTuple

from domain import events
from domain.chance import Vault
from domain.game import Line, Seat, reaches
from domain.table import Next, Table
from replay import connections
from replay.connections import Unavailable


class Told(NamedTuple):
    """A line and the feed numbers (each seat's, then watchers') after the event that made it."""

    line: Line
    seen: tuple[int, ...]


class Answer(NamedTuple):
    """What came of a command: its own event, the table after the whole commit, how many lines there were then.

    `checkpoint`: d_n as the last hand ended by then.
    """

    next: Next
    table: Table
    told: int
    checkpoint: bytes | None


class Shown(NamedTuple):
    """A table as a viewer may see it: lines up to index `told`; `checkpoint`: d_n as the last hand ended by then."""

    table: Table
    told: int
    checkpoint: bytes | None


class Lock(asyncio.Lock):
    """A lock for which nobody waits long: whoever holds it may wait for a database that hangs."""

    async def acquire(self) -> Literal[True]:
        """Raises Unavailable; then nothing has been done."""
        if not self.locked():
            return await super().acquire()
        try:
            async with asyncio.timeout(connections.WAIT_S):
                return await super().acquire()
        except TimeoutError:
            raise Unavailable("the table waits for the database") from None


class Live:
    """One table in memory: its state, its lines, who has sent which command. It prints nothing of itself."""

    __slots__ = (
        "_past", "checkpoint", "commands", "hand_from", "listeners", "lock", "table", "told", "unsure", "vault",
    )  # fmt: skip

    def __init__(self, first: Next, vault: Vault) -> None:
        self.table, self.vault = first.table, vault
        self.told: list[Told] = []
        self.hand_from = 0  # index in `told` of the present hand's first line
        self.commands: dict[tuple[int, str, str], int] = {}  # seat, by, command: the event's number
        self.checkpoint: bytes | None = None  # d_n as the last hand ended
        self.listeners = 0  # while above 0 the table stays in memory
        self.unsure = False
        self.lock = Lock()
        self._past: deque[tuple[int, Shown]] = deque()
        self.absorb(first)

    def __repr__(self) -> str:
        return "<Live>"

    def absorb(self, step: Next) -> None:
        """Take in an event that is in the log."""
        before, self.table = self.table, step.table
        if step.lines:
            if any(line.kind == "dealt" for line in step.lines):
                self.hand_from = len(self.told)
            self.told.extend(Told(line, step.table.seen) for line in step.lines)
        if step.hand_ended or (before.keyed and step.table.ended):
            self.checkpoint = step.table.digest
        if isinstance(step.event, events.Moved):
            self.commands[step.event.seat, step.event.by, step.event.command] = step.table.version
        if step.table.opened.watch_delay:
            self._remember()

    def _remember(self) -> None:
        if self.table.d_s is None:
            self._past.clear()  # nothing is secret before the start: watchers see the latest at once
        self._past.append((self.table.at, Shown(self.table, len(self.told), self.checkpoint)))
        cut = self.table.at - self.table.opened.watch_delay
        while len(self._past) > 1 and self._past[1][0] <= cut:
            self._past.popleft()

    def shown(self, viewer: Seat | None, now: int) -> Shown:
        """The table as a viewer may see it at a wall-clock time: watchers may be late, from the start on."""
        delay = self.table.opened.watch_delay
        if viewer is not None or not delay:
            return Shown(self.table, len(self.told), self.checkpoint)
        shown = self._past[0][1]
        for at, past in self._past:
            if at <= now - delay:
                shown = past
        return shown

    def more_at(self, now: int) -> int | None:
        """The wall-clock time at which watchers who see late will see more than now; None if there is no more."""
        delay = self.table.opened.watch_delay
        later = islice(self._past, 1, None)  # the first is shown already
        return next((at + delay for at, _ in later if at > now - delay), None)

    def lines(self, viewer: Seat | None, since: int, until: int, first: int = 0) -> list[Line]:
        """The lines a viewer may read of events after feed number `since`, among the first `until`."""
        at = -1 if viewer is None else viewer
        return [
            told.line
            for told in self.told[first:until]
            if told.seen[at] > since and reaches(told.line, self.table.game, viewer)
        ]


def answer(steps: Iterable[Next], number: int) -> Answer:
    """The answer to the command that is event `number`. The end and its seed, if that was it, were one commit.

    Raises ValueError if there is no such event.
    """
    live: Live | None = None
    own: Next | None = None
    for step in steps:
        if live is None:
            live = Live(step, Vault(bytes(32)))
        elif step.table.version <= number or isinstance(step.event, events.Revealed):
            live.absorb(step)
        if step.table.version == number:
            own = step
        if step.table.version > number:
            break
    if live is None or own is None:
        raise ValueError(f"there is no event {number}")
    return Answer(own, live.table, len(live.told), live.checkpoint)
