"""The public record of a finished game: a text file that a stranger can verify (replay/FORMAT.md).

One line an event, `<d_n> <bytes>`, then an empty line, then the signed note. Reading is strict to the byte:
what was read, written again, is the same file.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from domain import canon, events
from domain.events import Event
from replay import notes

MAX_BYTES = 64 * 1024 * 1024  # of a record
MAX_EVENTS = 1_000_000  # of a record

_LINE = re.compile(rb"([0-9a-f]{64}) (\{[^\n]*\})")


class Unreadable(Exception):
    """The bytes are not a record. `line`: of the file, from 1, or None for the file as a whole."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason if line is None else f"line {line}: {reason}")
        self.reason, self.line = reason, line


class Entry(NamedTuple):
    """One event as stored: its digest d_n, its canonical bytes and what they say."""

    digest: bytes
    raw: bytes
    event: Event


class Record(NamedTuple):
    """A record in its one spelling. Nothing of what it says has been checked."""

    opened: events.Opened
    entries: tuple[Entry, ...]
    signed: notes.Signed


def write(entries: Sequence[tuple[bytes, bytes]], signer: notes.Signer) -> bytes:
    """The signed record of a table's (digest, bytes) pairs. Raises ValueError if they cannot be a table's."""
    if not entries:
        raise ValueError("a record has at least one event")
    opened = events.decode(entries[0][1])
    if not isinstance(opened, events.Opened):
        raise ValueError("a record starts with the event that opened the table")
    return _body(entries) + b"\n" + signer.record(opened.id, len(entries), entries[-1][0])


def read(data: bytes) -> Record:
    """The record in these bytes. Raises Unreadable for whatever is not a record in its one spelling."""
    if len(data) > MAX_BYTES:
        raise Unreadable(f"more than {MAX_BYTES // 2**20} MiB is no record")
    body, gap, note = data.partition(b"\n\n")
    if not gap:
        raise Unreadable("an empty line must part the events from the note")
    lines = body.split(b"\n")
    if len(lines) > MAX_EVENTS:
        raise Unreadable(f"more than {MAX_EVENTS:,} events are no record")
    entries = tuple(_entry(line, number) for number, line in enumerate(lines, 1))
    opened = entries[0].event
    if not isinstance(opened, events.Opened):
        raise Unreadable("the first event must be the one that opened the table", 1)
    try:
        signed = notes.parse(note)
    except notes.NoteError as fault:
        raise Unreadable(f"the note: {fault}", len(lines) + 2) from None
    if _body([(e.digest, e.raw) for e in entries]) + b"\n" + note != data:
        raise Unreadable("not spelled as this record is")
    return Record(opened, entries, signed)


def decode(raw: bytes) -> Event:
    """An event from anyone's bytes. Raises canon.NotCanonical unless they are an event's canonical bytes."""
    try:
        event = events.decode(raw)
        again = events.encode(event)
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise canon.NotCanonical(f"no event: {fault}") from None
    if again != raw:
        raise canon.NotCanonical("an event's bytes in another spelling than the canonical one")
    # Types bound every field but these.
    if isinstance(event, events.Moved):
        canon.check(event.move)
    elif isinstance(event, events.Opened):
        canon.check(event.options)
        canon.check(event.rules)
    return event


def _entry(line: bytes, number: int) -> Entry:
    found = _LINE.fullmatch(line)
    if not found:
        raise Unreadable("not a digest of 64 lower-case hex digits, a space and an event", number)
    digest, raw = found.groups()
    try:
        return Entry(bytes.fromhex(digest.decode("ascii")), raw, decode(raw))
    except (ValueError, RecursionError) as fault:
        raise Unreadable(str(fault), number) from None


def _body(entries: Sequence[tuple[bytes, bytes]]) -> bytes:
    return b"".join(b"%b %b\n" % (digest.hex().encode("ascii"), raw) for digest, raw in entries)
