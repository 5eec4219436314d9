"""How a long-running process speaks, runs and ends: asked by SIGINT or SIGTERM, it finishes what it has begun."""

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable

import uvloop

Work = Callable[[asyncio.Event], Awaitable[None]]

SAY_S = 10.0  # the same words are logged once in so long, however often there is reason for them
KINDS = 1000  # of words that are remembered


class Seldom(logging.Filter):
    """Lets the same words through once in a while: whoever tries again several times a second would fill the disk."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._said: dict[str, tuple[float, int]] = {}  # when last, and how often it was kept back since

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether it is said; then with how often it was not."""
        words, now = f"{record.name} {record.getMessage()}", self._clock()
        last, kept_back = self._said.get(words, (now - SAY_S, 0))
        if now - last < SAY_S:
            self._said[words] = last, kept_back + 1
            return False
        if len(self._said) >= KINDS:
            self._said.clear()
        self._said[words] = now, 0
        if kept_back:
            record.msg, record.args = f"{record.getMessage()} (and {kept_back} times more before)", ()
        return True


def speak(form: str) -> None:
    """Log to standard error, in a form of `logging`, nothing over and over."""
    logging.basicConfig(level=logging.INFO, format=form)
    for handler in logging.getLogger().handlers:
        handler.addFilter(Seldom())


def serve(work: Work) -> None:
    """Run `work` until it ends; the event that it is given is set by SIGINT or SIGTERM. Raises what `work` raises."""
    speak("%(asctime)s %(levelname)s %(name)s: %(message)s")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_until_told(work))


async def _until_told(work: Work) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await work(stop)
