"""One table in memory: its present state, its lines, what was shown when."""

import asyncio
from collections import deque
from typing import NamedTuple

from domain import events
from domain.chance import Vault
from domain.game import Line, Seat, reaches
from domain.table import Next, Table


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


class Live:
    """One table in memory: its state, its lines, who has sent which command. It prints nothing of itself."""

    __slots__ = (
        "_past", "checkpoint", "commands", "hand_from", "listeners", "lock", "table", "told", "unsure", "vault",
    )  # fmt: skip

    def __init__(self, first: Next, vault: Vault) -> None:
        self.table, self.vault = first.table, vault
        self.told: list[Told] = []
        self.hand_from = 0  # index in `told` of the present hand's first line
        self.commands: dict[tuple[int, str], int] = {}
        self.checkpoint: bytes | None = None  # d_n as the last hand ended
        self.listeners = 0  # while above 0 the table stays in memory
        self.unsure = False
        self.lock = asyncio.Lock()
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
            self.commands[step.event.seat, step.event.command] = step.table.version
        if step.table.opened.watch_delay:
            self._remember()

    def _remember(self) -> None:
        self._past.append((self.table.at, Shown(self.table, len(self.told), self.checkpoint)))
        cut = self.table.at - self.table.opened.watch_delay
        while len(self._past) > 1 and self._past[1][0] <= cut:
            self._past.popleft()

    def shown(self, viewer: Seat | None, now: int) -> Shown:
        """The table as a viewer may see it at a wall-clock time: watchers may be late."""
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
        return next((at + delay for at, _ in self._past if at > now - delay), None)

    def lines(self, viewer: Seat | None, since: int, until: int, first: int = 0) -> list[Line]:
        """The lines a viewer may read of events after feed number `since`, among the first `until`."""
        at = -1 if viewer is None else viewer
        return [
            told.line
            for told in self.told[first:until]
            if told.seen[at] > since and reaches(told.line, self.table.game, viewer)
        ]
