"""Work side by side in one event loop, and its end.

A cancellation can be lost: until Python 3.12 `asyncio.wait_for`, which libraries use, drops one that comes as
it returns. So `asyncio.timeout` is used here, and what is to end is told so until it has.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")

AGAIN_S = 0.5  # between two times that something is told to end


async def all_of(do: Callable[[T], Awaitable[None]], items: Iterable[T], at_once: int = 32) -> None:
    """Do it for all items, some at the same time. Raises the first fault once none is at work any more."""
    waiting = iter(items)

    async def work() -> None:
        for item in waiting:
            await do(item)

    for outcome in await asyncio.gather(*(work() for _ in range(at_once)), return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome


async def together(*parts: Coroutine[Any, Any, None]) -> None:
    """Run parts side by side until the first of them ends or fails, then end the others. Raises its fault."""
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        await end(*tasks)


async def end(*tasks: "asyncio.Task[Any]") -> None:
    """Cancel tasks and wait until they have ended. What they raise is dropped."""
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        done, running = await asyncio.wait(running, timeout=AGAIN_S)
        for task in done:
            if not task.cancelled():
                task.exception()


async def within(seconds: float, waiting: Awaitable[Any]) -> bool:
    """Whether something came in time. What did not is cancelled."""
    try:
        async with asyncio.timeout(seconds):
            await waiting
    except TimeoutError:
        return False
    return True
