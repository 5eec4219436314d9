"""How a long-running process ends: asked by SIGINT or SIGTERM, it finishes what it has begun."""

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable


async def serve(work: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Run `work` until it ends; the event that it is given is set by SIGINT or SIGTERM."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await work(stop)
