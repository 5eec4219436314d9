"""How a long-running process runs and ends: asked by SIGINT or SIGTERM, it finishes what it has begun."""

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable

import uvloop

Work = Callable[[asyncio.Event], Awaitable[None]]


def serve(work: Work) -> None:
    """Run `work` until it ends; the event that it is given is set by SIGINT or SIGTERM. Raises what `work` raises."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_until_told(work))


async def _until_told(work: Work) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await work(stop)
