"""A process that thinks: questions in on standard input, moves out on standard output, and nothing else in
the world.

It holds no credentials and knows no server. A frame is its length in four bytes, big-endian, and so many
bytes. A question is `Ask` as JSON, whatever else stands in it; an answer is `=` and the move as JSON, or `!`
and a word for a question that is none. It ends with its standard input.
"""

import signal
import sys
from typing import BinaryIO

import msgspec

from bots.levels import Ask, answer

_ask = msgspec.json.Decoder(Ask)


def think(data: bytes) -> bytes:
    """The answer to a question, both as in frames."""
    try:
        ask = _ask.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        return b"!" + type(fault).__name__.encode()
    return b"=" + msgspec.json.encode(answer(ask))


def frame(data: bytes) -> bytes:
    """The bytes as a frame."""
    return len(data).to_bytes(4, "big") + data


def read(source: BinaryIO) -> bytes | None:
    """The next frame's bytes, or None at the end."""
    head = source.read(4)
    if len(head) < 4:
        return None
    size = int.from_bytes(head, "big")
    data = source.read(size)
    return data if len(data) == size else None


def main() -> None:
    """Think until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while (data := read(sys.stdin.buffer)) is not None:
        sys.stdout.buffer.write(frame(think(data)))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
