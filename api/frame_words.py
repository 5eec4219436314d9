"""What happens at a table rather than in its game, in sentences: the part of a replay's log that no game tells."""

from collections.abc import Callable, Mapping
from typing import Any

from domain import events
from domain.table import Table
from projections.views import name_at

Name = Callable[[int], str]


def told(
    event: events.Event, before: Table | None, after: Table, names: Mapping[str, str], *, alone: bool,
    seated: Table | None = None,
) -> str:  # fmt: skip
    """The event as a sentence; "" for one that its game's lines tell. `alone`: the game has told none.

    `names`: of people by their `who`. Whoever stands up is named as the table was before. `seated`: the table as it
    was played: a bot that stays has from the beginning the number that it has there.
    """
    table = before if before is not None and isinstance(event, events.Stood) else after

    def called(seat: int) -> str:
        sitter, stays = table.chairs[seat], seated.chairs[seat] if seated else None
        same = seated is not None and sitter is not None and stays is not None and sitter.who == stays.who
        return name_at(seated if seated is not None and same else table, seat, names)

    if isinstance(event, events.Moved | events.Ticked | events.Hurried) and not alone:
        return ""
    return _SAID[type(event)](event, called)


def _sat(event: events.Sat, name: Name) -> str:
    who = name(event.seat)
    if event.kind == "bot":
        return f"{who} sat down."
    return f"{who} sat down and promised a cut." if event.cut else f"{who} sat down and lets the house cut."


def _started(event: events.Started, name: Name) -> str:
    cutting = [name(seat) for seat, cut in enumerate(event.cuts) if cut]
    return f"The seats were closed. Cuts are promised by {_row(cutting)}." if cutting else "The seats were closed."


def _voided(event: events.Voided, name: Name) -> str:
    return f"The table was voided: no cut came from {_row([name(seat) for seat in event.seats])}."


def _granted(event: events.Granted, _: Name) -> str:
    seconds = -(-event.ms // 1000)
    return f"{seconds} {'second' if seconds == 1 else 'seconds'} were given back after an outage."


def _closed(event: events.Closed, _: Name) -> str:
    return _CLOSED.get(event.how, f"The table was closed: {event.how.replace('_', ' ')}.")


def _moved(event: events.Moved, name: Name) -> str:
    """A move that its game tells nobody of."""
    who, kind = name(event.seat), str(event.move["type"])
    return f"{who} {_UNTOLD[kind]}." if kind in _UNTOLD else f"{who}: {kind.replace('_', ' ')}."


def _row(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


_UNTOLD = {"pass": "passed", "buy_pref": "chose when to be asked about buying"}
_CLOSED = {
    "host": "The host ended the game early.",
    "agreed": "Everyone agreed to end the game early.",
    "idle": "The table was closed: its game had not started in a day.",
    "restored": "The table was closed: the house had to go back to an older copy of its log.",
}

_SAID: dict[type[Any], Callable[[Any, Name], str]] = {
    events.Opened: lambda e, _: f"The table was opened for {e.seats} and its seed committed to.",
    events.Sat: _sat,
    events.Stood: lambda e, name: f"{name(e.seat)} stood up.",
    events.Started: _started,
    events.Cut: lambda e, name: f"{name(e.seat)} cut the cards.",
    events.Voided: _voided,
    events.Moved: _moved,
    events.Ticked: lambda _, __: "Time was up.",
    events.Hurried: lambda e, name: f"{name(e.seat)} went on without waiting.",
    events.Granted: _granted,
    events.Left: lambda e, name: f"{name(e.seat)} left the table.",
    events.Covered: lambda e, name: f"A bot ({e.level}) plays for {name(e.seat)} from here.",
    events.Returned: lambda e, name: f"{name(e.seat)} is back.",
    events.Agreed: lambda e, name: f"{name(e.seat)} agrees to end the game.",
    events.Closed: _closed,
    events.Revealed: lambda _, __: "The seed is out: anyone can check this game.",
}
