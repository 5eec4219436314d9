"""Fewer, larger writes: what a connection is given to send in one turn of the event loop leaves in one piece.

uvicorn writes an answer's head and body one after the other, and each write wakes the reader: two system calls
and two switches of process for what fits in one packet.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class Gathering:
    """A transport that sends at the end of the loop's turn; in all else it is the one that it stands for."""

    __slots__ = ("_loop", "_to", "_waiting")

    def __init__(self, to: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._to, self._loop = to, loop
        self._waiting: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._to, name)

    def write(self, data: bytes) -> None:
        """Send in a moment, after what was written before."""
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting.append(data)

    def close(self) -> None:
        """Send what waits, then close."""
        self._flush()
        self._to.close()

    def _flush(self) -> None:
        if self._waiting:
            data, self._waiting = b"".join(self._waiting), []
            self._to.write(data)


class Protocol(HttpToolsProtocol):
    """uvicorn's HTTP over a gathering transport."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(Gathering(transport, self.loop))  # type: ignore[arg-type]
