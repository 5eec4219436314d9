"""What a table is and how one event leads to the next: its life from opened to revealed.

`follow` is the one transition. Live play builds an event and follows it; replay and audit follow the stored ones and
find the same digests, or raise Diverged. Every rule of a table's life is a refusal here, so an audit checks them all.
Times in events are wall clock; the game is told table time, which stands still while time is given back.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from domain import canon, chance, events
from domain.chance import Vault
from domain.events import Event
from domain.game import Game, Illegal, Line, Ms, Seat, Step
from domain.standing import (
    BOT_GRACE_MS,
    CUT_MS,
    IDLE_MS,
    Chair,
    Diverged,
    Owed,
    Phase,
    Table,
)

__all__ = [
    "BOT_GRACE_MS", "CUT_MS", "IDLE_MS", "Chair", "Diverged", "Next", "Owed", "Phase", "Table", "follow",
    "open_table", "owing",
]  # fmt: skip


class Next(NamedTuple):
    """An event that has been followed: as stored, with its leaf, the table after it and the lines it makes.

    It prints nothing of what it holds.
    """

    event: Event
    raw: bytes
    blind: bytes
    leaf: bytes
    table: Table
    lines: tuple[Line, ...]
    hand_ended: bool

    def __repr__(self) -> str:
        return f"<Next {self.table.version}>"


class _Change(NamedTuple):
    fields: dict[str, Any]
    step: Step | None = None  # set if the game's state may have changed
    spent: frozenset[str] | None = None
    event: Event | None = None  # in the one form in which it is stored, if it came in another


def open_table(event: events.Opened, game: Game[Any, Any, Any, Any], vault: Vault) -> Next:
    """The first event. Raises Illegal("OPTIONS", …), Diverged for a commitment that is not the seed's."""
    if event.game != game.name or event.rules != game.rules:
        raise Diverged("the event names another game or version of its rules")
    try:
        options = msgspec.convert(event.options, game.Options)
    except msgspec.ValidationError as fault:
        raise Illegal("OPTIONS", f"options: {fault}.") from None
    game.check(options, event.seats)
    if vault.commitment(event.id).hex() != event.commit:
        raise Diverged("the seed does not open the commitment")
    raw = events.encode(event)
    leaf = chance.leaf(chance.ZERO, raw)
    d_1 = chance.node(chance.first_digest(event.id), leaf)
    table = Table(
        opened=event, game=game, options=options, version=1, at=event.at, digest=d_1, d_1=d_1,
        chairs=(None,) * event.seats, seen=(1,) * (event.seats + 1),
    )  # fmt: skip
    return Next(event, raw, chance.ZERO, leaf, table, (), False)


def follow(table: Table, event: Event, vault: Vault) -> Next:
    """The table after one more event. An empty `state` is filled in; any other must be the one that follows.

    Raises Illegal where the life of the table or the rules of its game refuse the event, Diverged where its digest or
    its seed is not the one that follows.
    """
    if event.at < table.at:
        raise Illegal("TIME", "Time does not go back.")
    if table.revealed or (table.ended and not isinstance(event, events.Revealed)):
        raise Illegal("OVER", "This table has ended.")
    handle = _HANDLERS.get(type(event))
    if handle is None:
        raise Diverged("a table is opened once")
    if not table.keyed and isinstance(event, events.Stated) and event.state:
        raise Diverged("there is no digest of the position before the last cut")
    change = handle(table, event, vault)
    event = change.event or event
    n = table.version + 1
    fields = change.fields
    step = change.step
    if step is not None:
        fields["state"] = step.state
        outcome = table.game.outcome(step.state)
        if outcome is not None:
            fields |= {"outcome": outcome, "phase": "over", "how": outcome.how, "owed": ()}
        else:
            now = Ms(event.at - fields.get("granted", table.granted))
            fields["owed"] = _owed(table, step.state, now)
    if table.keyed and isinstance(event, events.Stated):
        event = _stated(event, n, table.game, fields.get("state", table.state), vault)
    raw = events.encode(event)
    blind = vault.blind(n) if table.keyed else chance.ZERO
    leaf = chance.leaf(blind, raw)
    after = replace(
        table,
        version=n,
        at=event.at,
        digest=chance.node(table.digest, leaf),
        seen=_seen(table.seen, step.notice if step else None),
        spent=change.spent if change.spent is not None else table.spent,
        **fields,
    )
    lines = step.lines if step else ()
    if isinstance(event, events.Started):
        after, lines = _close_seats(after, vault)
    return Next(event, raw, blind, leaf, after, lines, bool(step and step.hand_ended))


def _stated(event: Any, n: int, game: Game[Any, Any, Any, Any], state: Any, vault: Vault) -> Any:
    digest = vault.state(n, canon.encode(game.position(state))).hex()
    if event.state == "":
        return replace(event, state=digest)
    if event.state != digest:
        raise Diverged("the table after this event is not the one that was recorded")
    return event


def _seen(seen: tuple[int, ...], notice: tuple[Seat, ...] | None) -> tuple[int, ...]:
    if notice is None:
        return tuple([k + 1 for k in seen])
    return tuple([k + (i in notice) for i, k in enumerate(seen)])


def _owed(table: Table, state: Any, now: Ms) -> tuple[Owed, ...]:
    asked = table.game.deciding(state)
    before = {(d.seat, d.key): since for d, since in table.owed}
    return tuple([Owed(d, before.get((d.seat, d.key), now)) for d in asked])


def _begin(table: Table, at: int, d_s: bytes, vault: Vault) -> _Change:
    """All cuts are there: make the key and deal."""
    vault.turn(d_s, [(i, cut) for i, cut in enumerate(table.cuts) if cut is not None])
    source = vault.chance(frozenset())
    step = table.game.start(table.options, table.opened.seats, table.now(at), source)
    return _Change({"phase": "playing", "cut_by": None, "keyed": True, "d_s": d_s}, step, source.spent)


def _close_seats(table: Table, vault: Vault) -> tuple[Table, tuple[Line, ...]]:
    """After `started`, whose digest is d_s: wait for the cuts, or deal at once if none was promised."""
    if any(chair and chair.promise for chair in table.chairs):
        due = Ms(table.now(table.at) + CUT_MS)
        return replace(table, d_s=table.digest, phase="cutting", cut_by=due), ()
    change = _begin(table, table.at, table.digest, vault)
    assert change.step is not None
    state = change.step.state
    owed = _owed(table, state, table.now(table.at))
    after = replace(table, **change.fields, state=state, owed=owed, spent=change.spent or frozenset())
    return after, change.step.lines


def _chair(table: Table, seat: int) -> Chair:
    if seat >= len(table.chairs) or (chair := table.chairs[seat]) is None:
        raise Illegal("NO_SUCH_SEAT", "Nobody sits there.")
    return chair


def _put(table: Table, seat: int, chair: Chair | None) -> dict[str, Any]:
    return {"chairs": (*table.chairs[:seat], chair, *table.chairs[seat + 1 :])}


def _need(table: Table, phase: Phase, words: str) -> None:
    if table.phase != phase:
        raise Illegal("PHASE", words)


def _sat(table: Table, event: events.Sat, _: Vault) -> _Change:
    _need(table, "open", "The seats are closed.")
    if event.seat >= table.opened.seats:
        raise Illegal("NO_SUCH_SEAT", "This table has no such seat.")
    if table.chairs[event.seat] is not None:
        raise Illegal("SEAT_TAKEN", "Somebody sits there already.")
    if any(chair and chair.who == event.who for chair in table.chairs):
        raise Illegal("ONE_SEAT", "You sit at this table already: stand up first.")
    if (event.kind == "bot") != (event.level is not None) or (event.kind == "bot" and event.cut):
        raise Illegal("BAD", "A bot has a level and no cut; a person has no level.")
    chair = Chair(event.kind, event.who, event.cut, event.level)
    return _Change(_put(table, event.seat, chair))


def _stood(table: Table, event: events.Stood, _: Vault) -> _Change:
    _need(table, "open", "The seats are closed.")
    _chair(table, event.seat)
    return _Change(_put(table, event.seat, None))


def _started(table: Table, event: events.Started, _: Vault) -> _Change:
    _need(table, "open", "The game has started.")
    if None in table.chairs:
        raise Illegal("SEATS_EMPTY", "Every seat must be taken before the start.")
    chairs = [chair for chair in table.chairs if chair]
    if event.kinds != tuple(c.kind for c in chairs) or event.cuts != tuple(c.promise for c in chairs):
        raise Illegal("BAD", "The start must list the seats as they are.")
    return _Change({"cuts": (None,) * len(chairs)})


def _cut(table: Table, event: events.Cut, vault: Vault) -> _Change:
    _need(table, "cutting", "No cut is asked for now.")
    promised = _chair(table, event.seat).promise
    if promised is None:
        raise Illegal("NO_PROMISE", "This seat has promised no cut.")
    if table.cuts[event.seat] is not None:
        raise Illegal("CUT_TWICE", "This seat has cut.")
    cut = bytes.fromhex(event.cut)
    if chance.promise(table.d_1, event.seat, cut).hex() != promised:
        raise Illegal("CUT_BROKEN", "This is not the cut that was promised.")
    cuts = (*table.cuts[: event.seat], cut, *table.cuts[event.seat + 1 :])
    if any(c is None and chair and chair.promise for c, chair in zip(cuts, table.chairs, strict=True)):
        return _Change({"cuts": cuts})
    assert table.d_s is not None
    change = _begin(replace(table, cuts=cuts), event.at, table.d_s, vault)
    return change._replace(fields=change.fields | {"cuts": cuts})


def _voided(table: Table, event: events.Voided, _: Vault) -> _Change:
    _need(table, "cutting", "No cut is owed.")
    missing = owing(table)
    if table.cut_by is None or table.now(event.at) < table.cut_by:
        raise Illegal("NOT_DUE", "There is still time to cut.")
    if event.seats != missing:
        raise Illegal("BAD", "These are not the seats that owe a cut.")
    return _Change({"phase": "voided", "how": "voided", "cut_by": None})


def owing(table: Table) -> tuple[int, ...]:
    """The seats whose promised cut has not come."""
    return tuple(
        i
        for i, (chair, cut) in enumerate(zip(table.chairs, table.cuts, strict=False))
        if chair and chair.promise and cut is None
    )


def _moved(table: Table, event: events.Moved, vault: Vault) -> _Change:
    _need(table, "playing", "The game is not being played now.")
    chair = _chair(table, event.seat)
    seat = Seat(event.seat)
    move = table.game.parse(event.move)
    if event.by == "person" and chair.bot:
        raise Illegal("COVERED", "A bot plays this seat now: take it back first.")
    if event.by != "person" and not chair.bot:
        raise Illegal("NOT_COVERED", "A person plays this seat.")
    if event.by == "timer":
        dues = [at for o in table.owed if o.decision.seat == seat and (at := table.bot_due(o)) is not None]
        if not dues or table.now(event.at) < min(dues):
            raise Illegal("NOT_DUE", "This seat still has time.")
        if move != table.game.fallback(table.state, seat):
            raise Illegal("BAD", "A timer plays the fallback only.")
    source = vault.chance(table.spent)
    step = table.game.play(table.state, seat, move, table.now(event.at), source)
    return _Change({}, step, source.spent, replace(event, move=msgspec.to_builtins(move)))


def _ticked(table: Table, event: events.Ticked, vault: Vault) -> _Change:
    _need(table, "playing", "Nothing is due.")
    due = table.clock()
    if due is None or table.now(event.at) < due.at:
        raise Illegal("NOT_DUE", "Nothing is due.")
    source = vault.chance(table.spent)
    step = table.game.tick(table.state, table.now(event.at), source)
    return _Change({}, step, source.spent)


def _hurried(table: Table, event: events.Hurried, vault: Vault) -> _Change:
    _need(table, "playing", "The game is not being played now.")
    ready = [o.decision.seat for o in table.owed if o.decision.kind == "ready"]
    if event.seat != table.host or event.seat in ready or not ready:
        raise Illegal("NOT_HOST", "Only a host who is ready may start without waiting for the others.")
    source = vault.chance(table.spent)
    state = table.state
    lines: tuple[Line, ...] = ()
    for seat in ready:
        move = table.game.fallback(state, seat)
        step = table.game.play(state, seat, move, table.now(event.at), source)
        state, lines = step.state, lines + step.lines
    return _Change({}, Step(state, lines), source.spent)


def _granted(table: Table, event: events.Granted, _: Vault) -> _Change:
    if table.phase == "open" or table.due() is None:
        raise Illegal("NOT_DUE", "Nothing that was given back would be missed here.")
    if event.since < table.at or event.ms > event.at - event.since:
        raise Illegal("BAD", "More time cannot be given back than has passed since the last event.")
    return _Change({"granted": table.granted + event.ms})


def _left(table: Table, event: events.Left, vault: Vault) -> _Change:
    _need(table, "playing", "The game is not being played now.")
    chair = _chair(table, event.seat)
    if chair.kind == "bot" or chair.left:
        raise Illegal("NOT_SEATED", "No person to leave sits there.")
    fields = _put(table, event.seat, replace(chair, left=True))
    return _Change(fields) if chair.bot else _attended(table, event, fields, table.game.left, vault)


def _attended(
    table: Table, event: events.Left | events.Covered, fields: dict[str, Any], hook: Callable[..., Step], vault: Vault
) -> _Change:  # fmt: skip
    """Nobody plays the seat now, or a bot: the game is told, for it may act for an empty one."""
    source = vault.chance(table.spent)
    step = hook(table.state, Seat(event.seat), table.now(event.at), source)
    return _Change(fields, step, source.spent)


def _covered(table: Table, event: events.Covered, vault: Vault) -> _Change:
    _need(table, "playing", "The game is not being played now.")
    chair = _chair(table, event.seat)
    if chair.bot:
        raise Illegal("COVERED", "A bot plays this seat already.")
    fields = _put(table, event.seat, replace(chair, cover=event.level, handed_at=table.now(event.at)))
    return _attended(table, event, fields, table.game.covered, vault)


def _returned(table: Table, event: events.Returned, _: Vault) -> _Change:
    _need(table, "playing", "The game is not being played now.")
    chair = _chair(table, event.seat)
    if chair.kind == "bot" or not (chair.left or chair.cover):
        raise Illegal("NOT_AWAY", "This seat's person has not been away.")
    after = replace(chair, cover=None, left=False)
    if chair.cover:
        now = table.now(event.at)
        after = replace(after, handed_at=now, back=table.back(Seat(event.seat), now))
    fields = _put(table, event.seat, after)
    return _Change(fields, table.game.returned(table.state, Seat(event.seat)))


def _agreed(table: Table, event: events.Agreed, _: Vault) -> _Change:
    _need(table, "playing", "The game is not being played now.")
    if _chair(table, event.seat).kind == "bot":
        raise Illegal("NOT_SEATED", "No person sits there.")
    return _Change({"agreed": table.agreed | {event.seat}})


def _closed(table: Table, event: events.Closed, _: Vault) -> _Change:
    if event.how == "agreed" and not table.unanimous:
        raise Illegal("NOT_AGREED", "Not everyone at the table has agreed.")
    if event.how == "idle" and (table.phase != "open" or table.now(event.at) < table.opened.at + IDLE_MS):
        raise Illegal("NOT_DUE", "This table may still start.")
    return _Change({"phase": "closed", "how": event.how, "cut_by": None, "owed": ()})


def _revealed(table: Table, event: events.Revealed, _: Vault) -> _Change:
    if not table.ended:
        raise Illegal("PHASE", "The seed is secret while the table may go on.")
    if chance.commitment(bytes.fromhex(event.seed), table.id).hex() != table.opened.commit:
        raise Diverged("the revealed seed does not open the commitment")
    return _Change({"revealed": True})


_HANDLERS: dict[type[Any], Callable[[Table, Any, Vault], _Change]] = {
    events.Sat: _sat, events.Stood: _stood, events.Started: _started, events.Cut: _cut, events.Voided: _voided,
    events.Moved: _moved, events.Ticked: _ticked, events.Hurried: _hurried, events.Granted: _granted,
    events.Left: _left, events.Covered: _covered, events.Returned: _returned, events.Agreed: _agreed,
    events.Closed: _closed, events.Revealed: _revealed,
}  # fmt: skip
