"""Verify finished games offline, from their records alone (replay/FORMAT.md).

An audit trusts nothing that a record says: keys come from elsewhere, the seed must open the commitment, every
digest is computed anew, every event is followed by the very rules that live play runs. It never raises for
what a record holds.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from domain import chance, events, registry
from domain.chance import Vault
from domain.events import Event
from domain.game import Illegal, Line, Seat
from domain.registry import AnyGame
from domain.table import Diverged, Next, Table, follow, open_table, owing
from replay import notes, protocol, record
from replay.protocol import Fault, Walk
from replay.record import Record
from replay.report import (
    DIVERGED,
    UNREADABLE,
    VERIFIED,
    Check,
    Many,
    Report,
    Result,
    SeatReport,
    Shown,
    worst,
)


class Source(NamedTuple):
    """A record to audit: what to call it, its bytes (or why there are none) and the keys vouched for."""

    name: str
    data: bytes | str
    keys: notes.Keys


class _Play(NamedTuple):
    """How far a record could be followed, with digest and leaf of each event. `unsupported`: rules are lacking."""

    table: Table | None = None
    digests: Sequence[bytes] = ()
    leaves: Sequence[bytes] = ()
    hands: int = 0
    fault: Fault | None = None
    unsupported: bool = False
    shown: Shown | None = None


def audit(data: bytes, keys: notes.Keys, *, note: bytes | None = None, at: int | None = None) -> Report:
    """Verify one record against keys that come from elsewhere.

    `note` is a signed note that a player held on to: what it vouches for must be in the record. `at` asks for
    the table after that event.
    """
    try:
        read = record.read(data)
    except record.Unreadable as fault:
        return unreadable(str(fault))
    return _audit(read, keys, _held(note), at)


def unreadable(reason: str, name: str | None = None) -> Report:
    """The report on something that is no record."""
    return Report(file=name, exit=UNREADABLE, checks=(Check("form", False, f"Not a record: {reason}."),))


def audit_many(sources: Iterable[Source], *, note: bytes | None = None, at: int | None = None) -> Many:
    """Verify several records and lay them side by side. A note is held against records of its own table."""
    held = _held(note)
    matched, reports = False, list[Report]()
    for name, data, keys in sources:
        try:
            if isinstance(data, str):
                raise record.Unreadable(data)
            read = record.read(data)
        except record.Unreadable as fault:
            reports.append(unreadable(str(fault), name))
            continue
        fits = isinstance(held, notes.Signed) and held.note.id == read.opened.id
        matched |= fits
        report = _audit(read, keys, held if fits else None, at)
        reports.append(msgspec.structs.replace(report, file=name))
    across = [*_copies(reports), *_seeds(reports)]
    if isinstance(held, Check):
        across.append(held)
    elif held and not matched:
        across.append(Check("note", False, f"Your note is about table {held.note.id}: it has no record here."))
    codes = [report.exit for report in reports] + [DIVERGED] * bool(across)
    return Many(worst(*codes, UNREADABLE if isinstance(held, Check) else VERIFIED), tuple(reports), tuple(across))


def _audit(read: Record, keys: notes.Keys, held: notes.Signed | Check | None, at: int | None) -> Report:
    last = read.entries[-1].event
    seed = bytes.fromhex(last.seed) if isinstance(last, events.Revealed) else None
    play = _play(read, seed, at)
    walk = _walk(read, seed, play)
    signature = _signature(read, keys)
    checks = [
        Check("form", True, f"Readable: {len(read.entries):,} events, every byte in its canonical form."),
        signature, _seed(seed, walk), _cuts(seed, walk), _chain(read, walk), *_played(play), _commands(read),
        _times(read), _end(read),
    ]  # fmt: skip
    if held is not None:
        signed = signature.ok is True
        checks.append(held if isinstance(held, Check) else _note(held, keys, read, walk, signed))
    code = VERIFIED if all(check.ok for check in checks) else DIVERGED
    if play.unsupported or isinstance(held, Check):
        code = UNREADABLE
    opened, said = read.opened, read.signed
    return Report(
        exit=code, id=opened.id, game=opened.game, rules=opened.rules, options=opened.options,
        events=len(read.entries), dealt=walk.d_s is not None and not walk.owing, hands=play.hands,
        digest=read.entries[-1].digest.hex(),
        signed=signature.ok is True, key=f"{said.note.key_name}+{said.key_hash.hex()}",
        seed_mark=chance.h(seed).hex() if seed else None, checks=tuple(checks), seats=_seats(read),
        result=_result(play, walk), shown=play.shown,
    )  # fmt: skip


def _signature(read: Record, keys: notes.Keys) -> Check:
    """Whether a key that somebody vouched for signed this record, and as what it is."""
    said = read.signed.note
    if not keys:
        words = f"Signed as {said.key_name}, but nobody vouched for that key: give a file of keys you trust."
        return Check("signature", False, words)
    try:
        notes.check(read.signed, keys, "record")
    except notes.NoteError as fault:
        return Check("signature", False, f"Not signed by a key that was vouched for: {fault}.")
    if said.id != read.opened.id:
        return Check("signature", False, f"What was signed is the record of another table, {said.id}.")
    if said.n != len(read.entries):
        words = f"What was signed has {said.n} events, but here are {len(read.entries)}."
        return Check("signature", False, words)
    if said.digest != read.entries[-1].digest:
        return Check("signature", False, "What was signed ends in another digest.", said.n)
    return Check("signature", True, f"Signed by {said.key_name}, a key that was vouched for.")


def _seed(seed: bytes | None, walk: Walk) -> Check:
    if seed is None:
        return Check("seed", False, "The record does not end with the seed: its chance cannot be checked.")
    if not walk.commitment:
        return Check("seed", False, "The seed is not the one that was committed to as the table opened.", 1)
    return Check("seed", True, "The seed is the one that was committed to before anybody sat down.")


def _cuts(seed: bytes | None, walk: Walk) -> Check:
    if walk.cuts:
        return Check("cuts", False, f"At event {walk.cuts.at}: {walk.cuts.words}.", walk.cuts.at)
    if walk.d_s is None:
        return Check("cuts", True, "The game never started: no cut was asked for and nothing was dealt.")
    if walk.owing:
        late = ", ".join(_name(Seat(seat)) for seat in walk.owing)
        return Check("cuts", True, f"Not every promised cut came ({late}), so nothing was dealt.")
    if seed is None:
        return Check("cuts", None, "Every promised cut came, but without the seed there is no key.")
    words = "Every promised cut came and opens its promise. With the seed they make the key of all chance."
    return Check("cuts", True, words if walk.promised else "Nobody promised a cut: the seed alone makes the key.")


def _chain(read: Record, walk: Walk) -> Check:
    if walk.chain:
        return Check("chain", False, f"At event {walk.chain.at}: {walk.chain.words}.", walk.chain.at)
    if (reached := len(walk.digests)) < len(read.entries):
        return Check("chain", None, f"Without the seed the chain can be checked to event {reached} only.")
    return Check("chain", True, "Every event has the digest that follows from all before it.")


def _play(read: Record, seed: bytes | None, at: int | None) -> _Play:
    """Follow the record by the rules as far as they go."""
    try:
        game = registry.version(read.opened.game, read.opened.rules)
    except Illegal as refusal:
        return _Play(fault=Fault(1, refusal.words), unsupported=True)
    if seed is None:
        return _Play()
    vault, lines = Vault(seed), list[Line]()
    digests, leaves = list[bytes](), list[bytes]()
    table: Table | None = None
    hands, shown, fault = 0, None, None
    for n, entry in enumerate(read.entries, 1):
        step = _step(table, entry.event, entry.raw, game, vault)
        if isinstance(step, str):
            fault = Fault(n, step.rstrip("."))
            break
        table = step.table
        digests.append(table.digest)
        leaves.append(step.leaf)
        hands += step.hand_ended
        if at is not None and n <= at:
            lines += step.lines
            shown = _shown(step, lines) if n == at else None
    return _Play(table, digests, leaves, hands, fault, shown=shown)


def _walk(read: Record, seed: bytes | None, play: _Play) -> Walk:
    """What follows from the bytes alone. A game that was followed to its end has computed all of it already."""
    table = play.table
    if table is None or play.fault:
        return protocol.walk(read, seed)
    promised = tuple(i for i, chair in enumerate(table.chairs) if table.d_s and chair and chair.promise)
    rows = enumerate(zip(play.digests, read.entries, strict=True), 1)
    wrong = next((n for n, (digest, entry) in rows if digest != entry.digest), None)
    chain = None if wrong is None else Fault(wrong, protocol.UNCHAINED)
    return Walk(play.digests, play.leaves, table.d_s, promised, owing(table), True, None, chain)


def _step(table: Table | None, event: Event, raw: bytes, game: AnyGame, vault: Vault) -> Next | str:
    """The event followed, or why it does not follow."""
    try:
        if isinstance(event, events.Opened):
            if table is not None:
                return "a table is opened once"
            step = open_table(event, game, vault)
        elif table is None:
            return "no table has been opened"
        elif not table.keyed and isinstance(event, events.Stated) and event.state:
            return "no digest of the table can be made before the last cut"
        else:
            step = follow(table, event, vault)
    except Illegal as refusal:
        return f"{refusal.words.rstrip('.')} ({refusal.code})"
    except Diverged as fault:
        return str(fault)
    except Exception as fault:
        # Rules that stumble over an event did not allow it, and no file of a stranger may end in a traceback.
        return f"the rules cannot make sense of it ({type(fault).__name__})"
    return step if step.raw == raw else "the digest of the table after it is missing"


def _shown(step: Next, lines: list[Line]) -> Shown:
    table = step.table
    position = None if table.state is None else _plain(table.game.position(table.state))
    words = tuple(table.game.words(line, _name) for line in lines)
    scores = None if position is None else position.get("totals", position.get("scores"))
    return Shown(table.version, table.at, table.phase, msgspec.json.decode(step.raw), position, scores, words)


def _plain(value: Any) -> Any:
    """A struct as JSON has it: objects and lists."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _played(play: _Play) -> tuple[Check, ...]:
    if play.unsupported and play.fault:
        return Check("rules", False, play.fault.words), Check("play", None, "So its play cannot be followed.")
    rules = Check("rules", True, "Played by rules that this build has.")
    if play.fault:
        return rules, Check("play", False, f"At event {play.fault.at}: {play.fault.words}.", play.fault.at)
    if play.table is None:
        return rules, Check("play", None, "Without the seed the play cannot be followed.")
    words = "Every move was allowed. Every deal and every state of the table follows from seed, cuts and moves."
    return rules, Check("play", True, words if play.table.keyed else "Every event was allowed.")


def _commands(read: Record) -> Check:
    taken: set[tuple[int, str, str]] = set()
    for n, entry in enumerate(read.entries, 1):
        if isinstance(entry.event, events.Moved):
            command = entry.event.seat, entry.event.by, entry.event.command
            if command in taken:
                words = f"At event {n}: this command of seat {command[0]} by its {command[1]} had been taken before."
                return Check("commands", False, words, n)
            taken.add(command)
    return Check("commands", True, "No command was taken twice.")


def _times(read: Record) -> Check:
    before = 0
    for n, entry in enumerate(read.entries, 1):
        if entry.event.at < before:
            return Check("times", False, f"At event {n}: time goes back.", n)
        before = entry.event.at
    return Check("times", True, "Time never goes back.")


def _end(read: Record) -> Check:
    count = len(read.entries)
    for n, entry in enumerate(read.entries, 1):
        if isinstance(entry.event, events.Revealed) and n < count:
            return Check("end", False, f"At event {n}: the seed is revealed, and yet events follow.", n)
    if not isinstance(read.entries[-1].event, events.Revealed):
        return Check("end", False, "The last event does not reveal the seed: the record is not whole.", count)
    return Check("end", True, "The seed is revealed in the last event and only there.")


def _held(note: bytes | None) -> notes.Signed | Check | None:
    """A player's note, read but not yet believed, or the check that says it is none."""
    try:
        return None if note is None else notes.parse(note)
    except notes.NoteError as fault:
        return Check("note", False, f"Your note is no signed note: {fault}.")


def _note(held: notes.Signed, keys: notes.Keys, read: Record, walk: Walk, signed: bool) -> Check:
    """Hold a player's note against the record: what was signed to one must be what was published to all."""
    said = held.note
    try:
        notes.check(held, keys)
    except notes.NoteError as fault:
        return Check("note", False, f"Your note proves nothing: {fault}.")
    if said.id != read.opened.id:
        return Check("note", False, f"Your note is about another table, {said.id}.")
    where = _where(said, walk)
    if where is not None:
        return Check("note", True, f"Your {said.kind} note is signed and fits this record at event {where}.", where)
    words = f"{said.key_name} signed your {said.kind} note, and what it vouches for is not in this record"
    if signed:
        return Check("note", False, f"{words}, which is signed too: this convicts the operator.")
    return Check("note", False, f"{words}: this is not the game that was played.")


def _where(said: notes.Note, walk: Walk) -> int | None:
    """The event (from 1) that a note speaks of, or None if the record has none such."""
    row = walk.leaves if said.kind == "receipt" else walk.digests
    at = row.index(said.digest) + 1 if said.digest in row else None
    if said.kind == "opened":
        return at if at == 1 else None
    if said.kind == "started":
        return at if said.digest == walk.d_s else None
    if said.kind == "record":
        return at if at == said.n == len(walk.digests) else None
    return at


def _seats(read: Record) -> tuple[SeatReport, ...]:
    """The seats as the game began, or as they were when the table ended before that."""
    sat: dict[int, events.Sat] = {}
    cut, covered = set[int](), set[int]()
    for entry in read.entries:
        match entry.event:
            case events.Moved():
                continue
            case events.Sat(seat=seat):
                sat[seat] = entry.event
            case events.Stood(seat=seat):
                sat.pop(seat, None)
            case events.Cut(seat=seat):
                cut.add(seat)
            case events.Covered(seat=seat):
                covered.add(seat)
    return tuple(SeatReport(k, s.kind, s.level, k in cut, k in covered) for k, s in sorted(sat.items()))


def _result(play: _Play, walk: Walk) -> Result | None:
    table = play.table
    if table is None or play.fault or table.how is None:
        return None
    if table.outcome:
        return Result(table.how, table.outcome.places, table.outcome.totals)
    return Result(table.how, owing=walk.owing if table.how == "voided" else ())


def _copies(reports: list[Report]) -> list[Check]:
    """Two different records of one table: the house has told two stories."""
    tables: dict[str, dict[str, Report]] = {}
    for report in reports:
        if report.id and report.digest:
            told = tables.setdefault(report.id, {})
            if report.digest not in told or report.signed:
                told[report.digest] = report
    found = []
    for table_id, told in tables.items():
        signed = [r for r in told.values() if r.signed]
        if len(signed) > 1:
            words = f"Equivocation: {len(signed)} different records of table {table_id} are signed"
        elif len(told) > 1:
            words = f"There are {len(told)} different records of table {table_id}, not all of them signed"
        else:
            continue
        found.append(Check("copies", False, f"{words}: {_files(signed or told.values())}."))
    return found


def _seeds(reports: list[Report]) -> list[Check]:
    """A seed that served two tables was public before the last of them was over."""
    tables: dict[str, dict[str, Report]] = {}
    for report in reports:
        if report.seed_mark and report.id:
            tables.setdefault(report.seed_mark, {}).setdefault(report.id, report)
    return [
        Check("seeds", False, f"One seed served {len(same)} tables: {_files(same.values())}.")
        for same in tables.values()
        if len(same) > 1
    ]


def _files(reports: Iterable[Report]) -> str:
    return ", ".join(report.file or f"table {report.id}" for report in reports)


def _name(seat: Seat) -> str:
    return f"seat {seat}"
