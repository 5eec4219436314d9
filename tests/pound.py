"""A process that appends as fast as it can and says what was acknowledged: `python -m tests.pound URL NAME TABLES`.

Prints `up`, then each command's id once its append has returned. It does as the server does when an append fails: it
reads the table, takes a command that lies there for done, and decides the others anew.
"""

import asyncio
import json
import sys

from replay.log import Conflict, Log, Timer, Unavailable

SHARED = 4  # tables that every such process wants


def raws(command: str, parts: int) -> list[bytes]:
    """The events of a command; what is decided anew has the same."""
    return [b'{"command":"%s","part":%d,"type":"moved"}' % (command.encode(), part) for part in range(parts)]


async def pound(log: Log, name: str, table: str) -> None:
    """Append to a table for ever."""
    number = 0
    version = len(await log.read(table))
    while True:
        number += 1
        command, parts = f"{name}-{table}-{number}", 1 + number % 3
        done = False
        while not done:
            last = version + parts
            try:
                await log.append(table, version + 1, raws(command, parts), Timer(f"after:{last}", last))
                version, done = last, True
            except (Conflict, Unavailable) as fault:
                known = await read(log, table)
                done = any(json.loads(raw)["command"] == command for raw in known)
                if done and isinstance(fault, Conflict):
                    print("a command that lies there was said to be a conflict", flush=True)
                version = len(known)
        print(command, flush=True)


async def read(log: Log, table: str) -> list[bytes]:
    while True:
        try:
            return [entry.raw for entry in await log.read(table)]
        except Unavailable:
            continue


async def main(url: str, name: str, tables: int) -> None:
    log = Log(url)
    print("up", flush=True)
    own = [f"table{name}{number:010}" for number in range(tables)]
    shared = [f"table{number:011}" for number in range(SHARED)]
    await asyncio.gather(*[pound(log, name, table) for table in own + shared])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
