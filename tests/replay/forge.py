"""What a cheating operator can do to a finished game: change its events at will, make the chain fit and sign it."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from domain import canon, events
from replay import notes, protocol, record
from replay.report import Check, Report
from tests.replay.play import SIGNER, House, seated, whole

KEYS = SIGNER.keys
Row = dict[str, Any]
Edit = Callable[[list[Row]], Any]


@cache
def finished(game: str = "whispers") -> House:
    """Two people who cut and a bot, and their game: to its end, or 80 moves of a long one."""
    return whole(game, 3, people=2, bots=1, life=False, moves=80)


@cache
def voided() -> House:
    """Two people, of whom seat 1 does not send its cut."""
    house = seated("whispers", 2, open_cuts=False)
    house.cut(0)
    house.void()
    return house


def found(report: Report, name: str) -> Check:
    """The check of that name."""
    return next(check for check in report.checks if check.name == name)


def failing(report: Report) -> set[str]:
    """Names of the checks that failed."""
    return {check.name for check in report.checks if check.ok is False}


def nth(rows: list[Row], kind: str, n: int = 0) -> Row:
    """The event of a type that comes after n others of it."""
    return [row for row in rows if row["type"] == kind][n]


def events_of(house: House) -> list[Row]:
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
