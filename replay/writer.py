"""Group commit: appends that wait together are stored in one transaction, and answered once it is durable.

One thread owns one connection. It takes what has come meanwhile, up to GROUP appends, and saves it as one.
If a version is taken, the appends are saved one by one, so that only the loser fails. If the connection
breaks, nobody knows whether the save was stored: it is tried again, for up to `connections.PATIENCE_S`;
one's own bytes found in the place say that it was.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Any, Literal, NamedTuple, TypeAlias

import psycopg

from replay import connections
from replay.connections import Connection, Unavailable
from replay.recorder import GAP, Recorder, Rows, Timer, topic

GROUP = 64  # appends in one transaction
QUEUE = 8192  # appends that may wait; the next is refused at once
SWITCH_S = 0.001  # for sys.setswitchinterval where moves are decided: the thread need not wait 5 ms for its turn

TimerChange: TypeAlias = Timer | Literal["same"] | None

_logger = logging.getLogger(__name__)


class Conflict(Exception):
    """Another writer was first, or the version before is not there: read the table again."""


class Job(NamedTuple):
    """An append that waits. `done` is set in its event loop."""

    table: str
    version: int
    raws: Sequence[bytes]
    topics: Sequence[str]
    timer: TimerChange
    done: "asyncio.Future[None]"


Outcome: TypeAlias = BaseException | None


class Writer:
    """The one writer of a process. Appends come from one event loop at a time."""

    def __init__(self, recorder: Recorder, connect: Callable[[], Connection]) -> None:
        self._recorder, self._connect = recorder, connect
        self._connection: Connection | None = None
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._waiting = 0  # appends that the thread has not settled, whether or not anybody waits for them still
        self._thread: threading.Thread | None = None
        self._closed = False

    async def append(self, table: str, version: int, raws: Sequence[bytes], timer: TimerChange) -> None:
        """As `Log.append`. Raises Conflict, Unavailable, ValueError."""
        if version < 1 or not raws:
            raise ValueError("an append is of one event or more, from version 1")
        if self._closed:
            raise Unavailable("the log is closed")
        if self._waiting >= QUEUE:
            raise Unavailable("too many appends are waiting")
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="log writer", daemon=True)
            self._thread.start()
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        self._waiting += 1
        self._queue.put(Job(table, version, raws, [topic(raw) for raw in raws], timer, done))
        late = loop.call_later(connections.WAIT_S, _give_up, done)  # half of what asyncio.timeout costs a move
        try:
            await done
        finally:
            late.cancel()

    async def close(self) -> None:
        """Store what has been taken, then end."""
        self._closed = True
        if self._thread is not None:
            self._queue.put(None)
            await asyncio.to_thread(self._thread.join)

    def _work(self) -> None:
        try:
            while (jobs := self._take()) is not None:
                self._settle(jobs, self._save(jobs))
        finally:
            self._drop()

    def _take(self) -> list[Job] | None:
        """The next appends to save, or None at the end."""
        job = self._queue.get()
        if job is None:
            return None
        jobs = [job]
        while len(jobs) < GROUP and (job := self._next()) is not None:
            jobs.append(job)
        return jobs

    def _next(self) -> Job | None:
        """An append that waits already, if one does."""
        try:
            job = self._queue.get_nowait()
        except Empty:
            return None
        if job is None:
            self._queue.put(None)  # the end, which `_take` is to see
        return job

    def _save(self, jobs: list[Job]) -> list[Outcome]:
        """What became of each append."""
        deadline = time.monotonic() + connections.PATIENCE_S
        outcome = self._attempt(jobs, deadline)
        if outcome is None:
            return [None] * len(jobs)
        outcomes: list[Outcome] = []
        for job in jobs:
            if not isinstance(outcome, Unavailable):
                outcome = self._save_one(job, deadline)
            outcomes.append(outcome)
        if isinstance(outcome, Unavailable):
            while (job_too := self._next()) is not None:  # these have waited as well; the next save starts afresh
                jobs.append(job_too)
                outcomes.append(outcome)
        return outcomes

    def _save_one(self, job: Job, deadline: float) -> Outcome:
        outcome = self._attempt([job], deadline)
        if isinstance(outcome, psycopg.errors.UniqueViolation):
            return self._compare(job, deadline)
        if isinstance(outcome, psycopg.DatabaseError) and outcome.sqlstate == GAP:
            return Conflict("the event before this one is not in the log")
        return outcome

    def _attempt(self, jobs: list[Job], deadline: float) -> Outcome:
        """None once stored, Unavailable, the database's refusal, or that it cannot be put into its form."""
        rows = _rows(jobs)
        try:
            self._persist(lambda connection: self._recorder.append(connection, rows), deadline)
        except Exception as fault:
            return fault
        return None

    def _compare(self, job: Job, deadline: float) -> Outcome:
        """A version is taken: by this very append, whose acknowledgement was lost, or by another writer."""
        last = job.version - 1 + len(job.raws)
        query = (self._recorder.select_statement, (job.table, job.version - 1, last))
        try:
            rows = self._persist(lambda connection: connection.execute(*query).fetchall(), deadline)
        except (Unavailable, psycopg.DatabaseError) as fault:
            return fault
        stored = [state for _, state in rows[: len(job.raws)]]
        return None if stored == list(job.raws) else Conflict("this version is taken")

    def _persist(self, call: Callable[[Connection], Any], deadline: float) -> Any:
        """The call's answer, however often the connection breaks until the deadline. Raises Unavailable."""
        pause, quiet = 0.02, False
        while True:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                    self._recorder.prepare(self._connection)
                return call(self._connection)
            except psycopg.OperationalError as fault:
                self._drop()
                if not quiet:
                    _logger.warning("the log's connection broke: %s", type(fault).__name__)
                if time.monotonic() + pause > deadline:
                    raise Unavailable("the database does not answer") from None
                time.sleep(pause)  # between tries, until the deadline
                pause, quiet = min(2 * pause, 0.5), True

    def _settle(self, jobs: list[Job], outcomes: list[Outcome]) -> None:
        """Answer all appends of a save with one call into their event loop."""

        def settle() -> None:
            self._waiting -= len(jobs)
            for job, outcome in zip(jobs, outcomes, strict=True):
                if job.done.done():
                    continue  # whoever waited has gone
                if outcome is None:
                    job.done.set_result(None)
                elif isinstance(outcome, Unavailable):
                    job.done.set_exception(Unavailable(*outcome.args))  # one each: each will have its own traceback
                else:
                    job.done.set_exception(outcome)

        try:
            jobs[0].done.get_loop().call_soon_threadsafe(settle)
        except RuntimeError:
            self._waiting -= len(jobs)
            _logger.warning("the event loop ended before its appends were answered")

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _give_up(done: "asyncio.Future[None]") -> None:
    """Nobody waits any longer. It may still be stored: the writer has it, and cannot take it back."""
    if not done.done():
        done.set_exception(Unavailable("the database does not answer in time"))


def _rows(jobs: list[Job]) -> Rows:
    rows = Rows()
    for table, version, raws, topics, timer, _ in jobs:
        rows.ids += [table] * len(raws)
        rows.versions += range(version, version + len(raws))
        rows.topics += topics
        rows.states += raws
        if timer != "same":
            rows.timers[table] = timer
    return rows
