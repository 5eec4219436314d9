"""Whole tables played offline by bots, to measure how strong they are and to make records.

Every game is a real table: the same events as live play, followed by `domain.table`, with seeds made from
one number. The clock stands still except where a game waits for time, and bots say all that they may before it
does: whom the table does not wait for is asked too, once. The same number gives the same games on any number of
cores; only the decision times come from the machine.
"""

import gc
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from hashlib import sha256
from itertools import islice
from multiprocessing import get_context
from time import thread_time_ns
from typing import Any, Literal

import msgspec
from msgspec import Struct

from bots.levels import LEGAL_MAX, Ask, own, think
from domain import events, registry
from domain.chance import Vault
from domain.events import Event, Level
from domain.game import Decision, Line, Seat, reaches
from domain.pace import think_ms
from domain.table import Next, Table, follow, open_table

KINDS: tuple[Literal["bot"], ...] = ("bot",) * 64  # who sits at a table of any size
START_MS = 0  # wall clock of every event, until a game waits for time
PENDING = 8  # games handed out ahead for each core


class Match(Struct, frozen=True, kw_only=True):
    """What is played: a game, its options, and a level for each entry.

    Game i seats entry e at seat (e + i) mod seats. `keep`: results carry the tables' entries, for records.
    """

    game: str
    entries: tuple[Level, ...]
    games: int
    seed: int
    options: dict[str, Any] = {}
    keep: bool = False


class Played(Struct, frozen=True, kw_only=True):
    """One finished game. wins, places, totals: by entry; a shared win counts in equal parts.

    times: CPU time of each decision in ns, by level. entries: digest and bytes of each event, empty unless kept.
    """

    number: int
    table: str
    wins: tuple[float, ...]
    places: tuple[int, ...]
    totals: tuple[int, ...]
    hands: int
    stalls: int
    times: dict[str, list[int]]
    entries: list[tuple[bytes, bytes]] = []


def seed(match: Match, number: int) -> bytes:
    """The seed of a game: SHA-256 over the match and the game's number, so no two tables share one."""
    return sha256(b"faircut arena seed " + _named(match, number)).digest()


def table_id(match: Match, number: int) -> str:
    """The id of a game's table: another one whenever anything about the match differs."""
    return sha256(b"faircut arena table " + _named(match, number)).hexdigest()[:24]


def _named(match: Match, number: int) -> bytes:
    what = [match.game, match.entries, match.options, match.seed, number]
    return msgspec.json.encode(what, order="sorted")


def seating(match: Match, number: int) -> tuple[int, ...]:
    """The entry at each seat: moved on by one seat every game."""
    n = len(match.entries)
    return tuple((seat - number) % n for seat in range(n))


def play(match: Match, number: int) -> Played:
    """Play one game of a match to its end. Lets Illegal and every other fault of a bot through."""
    collecting = gc.isenabled()
    gc.disable()  # a pause of the collector is no bot's thinking time
    try:
        return _Run(match, number).play()
    finally:
        if collecting:
            gc.enable()


def tournament(match: Match, jobs: int) -> Iterator[Played]:
    """All games of a match in order, played on so many cores."""
    if jobs <= 1 or match.games <= 1:
        yield from (play(match, i) for i in range(match.games))
        return
    pool = ProcessPoolExecutor(min(jobs, match.games), get_context("spawn"))
    try:
        numbers = iter(range(match.games))
        waiting: list[Future[Played]] = [pool.submit(play, match, i) for i in islice(numbers, jobs * PENDING)]
        while waiting:
            done = waiting.pop(0).result()
            waiting += [pool.submit(play, match, i) for i in islice(numbers, 1)]
            yield done
    finally:
        pool.shutdown(cancel_futures=True)


class _Run:
    """A table in play: what every seat has read since the deal, and the figures so far."""

    def __init__(self, match: Match, number: int) -> None:
        self.match, self.number = match, number
        self.game = registry.newest(match.game)
        self.levels = tuple(match.entries[e] for e in seating(match, number))
        self.own = own(match.game)
        self.lines: list[list[dict[str, Any]]] = [[] for _ in match.entries]
        self.entries: list[tuple[bytes, bytes]] = []
        self.times: dict[str, list[int]] = {level: [] for level in match.entries}
        self.hands = self.stalls = 0
        self.asked: set[tuple[Seat, str]] = set()  # what was asked that the table does not wait for

    def play(self) -> Played:
        table = self._opened()
        while not table.ended:
            table = self._next(table)
        self._follow(table, events.Revealed(at=table.at, seed=self.vault.reveal()))
        assert table.outcome is not None
        return self._result(table)

    def _opened(self) -> Table:
        """The table with its bots sat down and the first hand dealt."""
        table, n = table_id(self.match, self.number), len(self.levels)
        self.vault = Vault(seed(self.match, self.number))
        opened = events.Opened(
            at=START_MS, id=table, commit=self.vault.commitment(table).hex(), game=self.game.name,
            rules=self.game.rules, protocol=1, seats=n, options=self.match.options,
        )  # fmt: skip
        now = self._keep(open_table(opened, self.game, self.vault))
        for seat, level in enumerate(self.levels):
            sat = events.Sat(at=START_MS, seat=seat, who=f"bot{seat}", kind="bot", cut=None, level=level)
            now = self._follow(now, sat)
        self.options = msgspec.to_builtins(now.options)
        return self._follow(now, events.Started(at=START_MS, kinds=KINDS[:n], cuts=(None,) * n))

    def _next(self, table: Table) -> Table:
        """The table after the next question to a bot, or else after the next point in time."""
        asked = self._question(table)
        if asked is None:
            due = self.game.due(table.state)
            if due is None:
                raise RuntimeError(f"table {table.id} waits for nobody and for no time")
            return self._follow(table, events.Ticked(at=max(table.at, due.at + table.granted)))
        if not asked.waits:
            self.asked.add((asked.seat, asked.key))
        move = self._decide(table, asked)
        command = f"arena-{table.version + 1}"
        return self._follow(
            table, events.Moved(at=table.at, seat=asked.seat, move=move, by="bot", command=command)
        )

    def _question(self, table: Table) -> Decision | None:
        """The question that would be answered first by bots at their pace, seat by seat; None if all are."""
        new = (
            d for d, _ in table.owed if d.waits or (self.own and (d.seat, d.key) not in self.asked)
        )
        return min(new, key=lambda d: think_ms(d.kind), default=None)

    def _decide(self, table: Table, asked: Decision) -> dict[str, Any]:
        seat, state = asked.seat, table.state
        legal = [] if self.own else [*islice(self.game.legal(state, seat), LEGAL_MAX)]
        ask = Ask(
            game=self.game.name, rules=self.game.rules, seat=seat, seats=len(self.levels), kind=asked.kind,
            key=asked.key, level=self.levels[seat], options=self.options, view=self.game.view(state, seat),
            lines=self.lines[seat], legal=msgspec.to_builtins(legal),
            fallback=msgspec.to_builtins(self.game.fallback(state, seat)),
        )  # fmt: skip
        start = thread_time_ns()
        move = think(ask)
        if ask.kind != "ready":
            self.times[ask.level].append(thread_time_ns() - start)
        return move

    def _follow(self, table: Table, event: Event) -> Table:
        return self._keep(follow(table, event, self.vault))

    def _keep(self, step: Next) -> Table:
        self.hands += step.hand_ended
        self.stalls += sum(line.kind == "stalled" for line in step.lines)
        for line in step.lines:
            self._tell(line)
        if self.match.keep:
            self.entries.append((step.table.digest, step.raw))
        return step.table

    def _tell(self, line: Line) -> None:
        """Note a line for the seats that may read it. A deal begins a new memory."""
        if line.kind == "dealt":
            self.lines = [[] for _ in self.lines]
        told = {"kind": line.kind, "seat": line.seat, "data": line.data}
        for seat, memory in enumerate(self.lines):
            if reaches(line, self.game, Seat(seat)):
                memory.append(told)

    def _result(self, table: Table) -> Played:
        assert table.outcome is not None
        places, totals = table.outcome.places, table.outcome.totals
        first = places.count(1)
        at = seating(self.match, self.number)
        seat_of = [at.index(entry) for entry in range(len(at))]
        return Played(
            number=self.number, table=table.id, wins=tuple((places[s] == 1) / first for s in seat_of),
            places=tuple(places[s] for s in seat_of), totals=tuple(totals[s] for s in seat_of), hands=self.hands,
            stalls=self.stalls, times=self.times, entries=self.entries,
        )  # fmt: skip
