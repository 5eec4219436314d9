"""`faircut audit`: verify finished games from their records, and say what was found in words.

Exit code 0: everything verified; 1: something diverged, or nobody vouched for the key; 2: unreadable, or
played by rules that this build does not have. Of several records the worst counts.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import msgspec

from api.given import Unusable, small
from replay import audit, notes, record
from replay.report import UNREADABLE, VERIFIED, Check, Many, Report, Shown

KEYS_AT = "/.well-known/faircut/keys"  # where a server publishes the keys that it signs with
TIMEOUT = 20  # seconds that a server may take to answer
MARKS = {True: "✓", False: "✗", None: "–"}
PLAIN = str.maketrans("✓✗–·", "+x--")  # for terminals that cannot show them
CLOSED = {
    "host": "The host ended the game early.",
    "agreed": "Everybody at the table agreed to end the game early.",
    "idle": "Nobody played on, so the table was closed.",
    "restored": "The table was closed because the house's log had been put back to an older copy.",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    about = "a record, a folder of records, or the address of a table's record"
    parser.add_argument("records", nargs="+", metavar="FILE|URL", help=about)
    about = "keys you trust, one a line; without it an address is held against its own server's keys"
    parser.add_argument("--key", metavar="FILE", help=about)
    parser.add_argument("--note", metavar="FILE", help="a signed note you kept: it must fit the record")
    parser.add_argument("--at", type=int, metavar="N", help="show the table after event N")
    parser.add_argument("--json", action="store_true", help="print the whole report as JSON")


def run(args: argparse.Namespace) -> int:
    """Audit what was named, print the report, return the exit code."""
    try:
        keys = _keys(args.key) if args.key is not None else None
        note = small(args.note, "note") if args.note is not None else None
        sources = _Sources(keys).named(args.records)
        if args.at is not None:
            sources = iter(_single([*sources]))
        found = audit.audit_many(sources, note=note, at=args.at)
        if args.at is not None:
            _in_range(found.records[0], args.at)
    except Unusable as fault:
        _say(str(fault))
        return UNREADABLE
    if args.json:
        print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    else:
        _print(_many(found, args.at))
    return found.exit


class _Sources:
    """Where records and the keys to hold them against come from."""

    def __init__(self, keys: notes.Keys | None) -> None:
        self.keys = keys
        self.servers: dict[str, notes.Keys] = {}

    def named(self, names: Iterable[str]) -> Iterator[audit.Source]:
        """The records that the arguments name: files, folders of them, addresses."""
        for name in names:
            if name.startswith(("http://", "https://")):
                yield self._fetched(name)
            elif Path(name).is_dir():
                paths = sorted(Path(name).glob("*.faircut"))
                yield from (self._read(path) for path in paths)
                if not paths:
                    yield audit.Source(name, "a folder without any *.faircut file", notes.Keys())
            else:
                yield self._read(Path(name))

    def _read(self, path: Path) -> audit.Source:
        try:
            with path.open("rb") as file:
                data: bytes | str = file.read(record.MAX_BYTES + 1)
        except (OSError, ValueError) as fault:
            data = f"it cannot be read ({fault})"
        return audit.Source(str(path), data, self.keys or notes.Keys())

    def _fetched(self, url: str) -> audit.Source:
        try:
            return audit.Source(url, _get(url, record.MAX_BYTES), self.keys or self._server(url))
        except Unusable as fault:
            return audit.Source(url, str(fault), notes.Keys())

    def _server(self, url: str) -> notes.Keys:
        """The keys that the server itself vouches for; none of them comes from the record."""
        parts = urlsplit(url)
        address = f"{parts.scheme}://{parts.netloc}{KEYS_AT}"
        if address not in self.servers:
            try:
                self.servers[address] = notes.Keys.parse(_get(address, 2**16))
            except (Unusable, notes.KeyFault) as fault:
                _say(f"no keys of that server: {fault}")
                self.servers[address] = notes.Keys()
        return self.servers[address]


def _get(url: str, limit: int) -> bytes:
    try:
        # The scheme is http or https: `named` sends nothing else here, and no redirect leads to files.
        ask = Request(url, headers={"Accept": "text/plain, */*;q=0.5"})  # noqa: S310
        with urlopen(ask, timeout=TIMEOUT) as answer:  # noqa: S310
            return bytes(answer.read(limit + 1))
    except (URLError, HTTPException, OSError, ValueError) as fault:
        raise Unusable(f"{url} cannot be fetched ({fault})") from None


def _keys(path: str) -> notes.Keys:
    try:
        return notes.Keys.parse(small(path, "keys"))
    except notes.KeyFault as fault:
        raise Unusable(f"the keys in {path} cannot be used: {fault}") from None


def _single(sources: list[audit.Source]) -> list[audit.Source]:
    if len(sources) != 1:
        raise Unusable("--at shows the table of one record: name one")
    return sources


def _in_range(report: Report, at: int) -> None:
    if report.events and not 1 <= at <= report.events:
        raise Unusable(f"--at {at}: this record has events 1 to {report.events}")


def _many(found: Many, at: int | None) -> Iterator[str]:
    """The report in words: every check of a single record, of several only those that need a look."""
    alone = len(found.records) == 1
    for report in found.records:
        if alone or report.exit != VERIFIED:
            yield from (*_record(report, at), "")
        else:
            yield f"{MARKS[True]} {report.file}: verified, table {report.id}, {report.events:,} events"
    yield from map(_check, found.across)
    if not alone:
        fine = sum(report.exit == VERIFIED for report in found.records)
        yield f"{len(found.records)} records, {fine} of them verified."


def _record(report: Report, at: int | None) -> Iterator[str]:
    yield f"{report.file}"
    if report.id is not None:
        yield f"Table {report.id} · {report.game}, rules {report.rules} · {report.events:,} events"
    yield ""
    yield from map(_check, report.checks)
    yield ""
    yield from _ended(report)
    yield from _seats(report)
    if report.shown:
        yield from ("", *_shown(report.shown), "")
    elif at is not None and report.events:
        yield f"The table at event {at} cannot be shown: the record cannot be followed so far."
    yield _verdict(report)


def _check(check: Check) -> str:
    return f"  {MARKS[check.ok]} {check.words}"


def _ended(report: Report) -> Iterator[str]:
    """How the game ended."""
    result = report.result
    if result is None:
        return
    if result.places is not None and result.totals is not None:
        order = sorted(zip(result.places, result.totals, range(len(result.places)), strict=True))
        rows = ", ".join(f"{place}. seat {seat} with {total}" for place, total, seat in order)
        hands = f"{report.hands} hand{'s' * (report.hands != 1)}"
        yield f"Result after {hands}: {rows}{f' ({result.how})' * (result.how != 'played')}."
    elif result.how == "voided":
        for seat in result.owing:
            yield f"Nothing was dealt: seat {seat} did not send the cut it had promised."
    else:
        yield CLOSED.get(result.how, f"The table was closed early ({result.how}).")


def _seats(report: Report) -> Iterator[str]:
    """The seats that the cuts do not protect, and those in which a bot has played."""
    for seat in report.seats:
        if report.dealt and not seat.cut:
            if seat.kind == "bot":
                yield f"seat {seat.seat} did not cut: it is a bot of the house."
            else:
                yield f"seat {seat.seat} did not cut: it let the house cut and takes the deals on trust."
        if seat.covered:
            yield f"seat {seat.seat} was covered by a bot for a while."


def _shown(shown: Shown) -> Iterator[str]:
    """The table after an event, all cards open."""
    at = datetime.fromtimestamp(shown.at / 1000, UTC) if shown.at < 2**47 else None
    when = f" at {at.isoformat(timespec='milliseconds')}" if at else ""
    yield f"After event {shown.n} ({shown.event['type']}{when}) the table is: {shown.phase}"
    if shown.scores is not None:
        yield f"  scores: {_value(shown.scores)}"
    for name, value in (shown.position or {}).items():
        yield f"  {name}: {_value(value)}"
    yield "So far:" if shown.lines else "Nothing has happened in the game yet."
    yield from (f"  {line}" for line in shown.lines)


def _value(value: Any) -> str:
    """A field of a position on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        if any(isinstance(part, list | tuple) for part in value):
            return " | ".join(f"{i}: {_value(part)}" for i, part in enumerate(value))
        return " ".join(map(_value, value)) or "-"
    return "-" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _verdict(report: Report) -> str:
    if report.exit == VERIFIED:
        return "VERIFIED: every move was allowed, and every card follows from the seed and the cuts."
    if report.exit == UNREADABLE:
        return "NOT VERIFIED: this cannot be checked here."
    failed = [check for check in report.checks if check.ok is False]
    if [check.name for check in failed] == ["signature"]:
        return "NOT VERIFIED: the game adds up, but nobody you trust stands behind this record."
    return "NOT VERIFIED: this record is not what it should be."


def _say(fault: str) -> None:
    print(f"faircut audit: {_clean(fault)}", file=sys.stderr)


def _print(lines: Iterable[str]) -> None:
    """Print what a stranger's file made us say: nothing that steers a terminal, nothing it cannot show."""
    text = "\n".join(_clean(line) for line in lines)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = text.translate(PLAIN).encode("ascii", "replace").decode("ascii")
    print(text)


def _clean(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
