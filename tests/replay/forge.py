"""What a cheating operator can do to a finished game: change its events at will, make the chain fit and sign it."""

import json
from collections.abc import Callable
from typing import Any

from domain import canon, events
from replay import notes, protocol, record
from tests.replay.play import SIGNER, House

Edit = Callable[[list[dict[str, Any]]], Any]


def events_of(house: House) -> list[dict[str, Any]]:
    """A table's events as builtin values, to be changed."""
    return [json.loads(raw) for _, raw in house.entries]


def chained(raws: list[bytes], seed: bytes) -> list[tuple[bytes, bytes]]:
    """Entries whose digests follow from these bytes and a seed, as an operator computes them."""
    opened = events.decode(raws[0])
    assert isinstance(opened, events.Opened)
    entries = tuple(record.Entry(bytes(32), raw, events.decode(raw)) for raw in raws)
    signed = notes.parse(SIGNER.record(opened.id, len(raws), bytes(32)))
    digests = protocol.walk(record.Record(opened, entries, signed), seed).digests
    assert len(digests) == len(raws)
    return list(zip(digests, raws, strict=True))


def edited(house: House, edit: Edit, seed: bytes = b"", signer: notes.Signer = SIGNER) -> bytes:
    """The record with its events changed by `edit` (in place or by what it returns), chained and signed anew."""
    rows = events_of(house)
    changed = edit(rows)
    rows = changed if isinstance(changed, list) else rows
    return record.write(chained([canon.encode(row) for row in rows], seed or house.seed), signer)
