"""What one viewer sees of a table: its life and seats around the game's own view. Built from nothing, never stripped.

A view is a function of the table as it is shown to that viewer, so two viewers' views tell each no more
than its `seen`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, Protocol

from msgspec import Meta, Struct

from domain.events import Level
from domain.game import Hidden, Line, Outcome, Seat, reaches
from domain.registry import GAMES
from domain.table import Phase, Table, owing
from replay.live import Told
from replay.tables import decisions_for

BOT_NAMES: dict[Level, str] = {"easy": "Easy bot", "medium": "Medium bot", "hard": "Hard bot"}
NOBODY = "Somebody"  # shown for a person whose name is no longer kept

_ANY_VIEW = {"anyOf": [{"$ref": f"#/components/schemas/{name}.View"} for name in sorted(GAMES)] + [{"type": "null"}]}
_ANY_OPTIONS = {"anyOf": [{"$ref": f"#/components/schemas/{name}.Options"} for name in sorted(GAMES)]}


class SeatView(Struct, frozen=True, kw_only=True):
    """A seat that is taken. `level`: of the bot that sits there; `cover`: of the bot that plays for a person.

    `promised`: whether its person promised a cut; `cut`: whether that cut has come. `left`: its person
    has left.
    """

    seat: int
    kind: Literal["human", "bot"]
    name: str
    level: Level | None
    cover: Level | None
    promised: bool
    cut: bool
    left: bool


class Asked(Struct, frozen=True, kw_only=True):
    """A question that the table asks a seat. `key` stands in the viewer's own only: a move names it.

    `since_ms`: wall-clock ms since 1970. `waits`: whether the table waits for the answer.
    """

    seat: int
    kind: str
    key: str | None
    waits: bool


class TableView(Hidden, frozen=True, kw_only=True):
    """A table as one viewer sees it.

    `you`: the seat whose cards you see and play, null for a watcher. `covered`: your seat while a bot
    plays it. `host`: the seat of whoever opened the table, or once they have left the lowest seat whose
    person has not; `hosting`: whether you are the host, seated or not. `seen`: your feed number, the events
    you may know of. `due`: when time itself changes something that everyone may know (wall-clock ms since
    1970). `view`: the game's own, null before the deal. `how`: how the table ended. `opened`, `started`,
    `checkpoint`: signed notes of its digests.
    """

    id: str
    game: str
    rules: int
    options: Annotated[Any, Meta(extra_json_schema=_ANY_OPTIONS)]
    commit: str
    watch_delay: int
    phase: Phase
    seats: tuple[SeatView | None, ...]
    you: int | None
    covered: int | None
    host: int | None
    hosting: bool
    seen: int
    deciding: tuple[Asked, ...]
    due: int | None
    view: Annotated[Any, Meta(extra_json_schema=_ANY_VIEW)]
    outcome: Outcome | None
    how: str | None
    agreed: tuple[int, ...]
    opened: str
    started: str | None
    checkpoint: str | None


class LineView(Struct, frozen=True, kw_only=True):
    """A line of the log: what happened, as data and in words. `seen`: the feed number with which it came."""

    seen: int
    kind: str
    seat: int | None
    data: dict[str, Any]
    words: str


class Notes(Protocol):
    """Whoever signs what a view shows of a table's digests."""

    def note(self, kind: Literal["opened", "started", "checkpoint"], table_id: str, digest: bytes) -> str:
        """The note's text."""


def seat_of(table: Table, who: str | None) -> Seat | None:
    """The seat that a person holds at a table, whoever plays it just now."""
    if who is None:
        return None
    for i, chair in enumerate(table.chairs):
        if chair and chair.who == who:
            return Seat(i)
    return None


def viewer_of(table: Table, who: str | None) -> Seat | None:
    """The seat through whose eyes a person sees the table: none while a bot plays it."""
    seat = seat_of(table, who)
    chair = table.chairs[seat] if seat is not None else None
    return seat if chair and chair.bot is None else None


def table_view(
    table: Table,
    viewer: Seat | None,
    notes: Notes,
    names: Mapping[str, str],
    *,
    who: str | None = None,
    covered: Seat | None = None,
    checkpoint: bytes | None = None,
) -> TableView:
    """The table through a viewer's eyes.

    `names`: of people by their `who`; `checkpoint`: digest of the last hand's end.
    """
    opened, chairs = table.opened, table.chairs
    due = _due(table)
    return TableView(
        id=opened.id, game=opened.game, rules=opened.rules, options=table.options, commit=opened.commit,
        watch_delay=opened.watch_delay, phase=table.phase,
        seats=tuple([_seat(table, i, names) for i in range(len(chairs))]),
        you=viewer, covered=covered, host=table.host, hosting=table.hosted_by(who),
        seen=table.feed(viewer), deciding=_asked(table, viewer), due=due,
        view=_view(table, viewer, due),
        outcome=table.outcome, how=table.how, agreed=tuple(sorted(table.agreed)),
        opened=notes.note("opened", opened.id, table.d_1),
        started=notes.note("started", opened.id, table.d_s) if table.d_s else None,
        checkpoint=notes.note("checkpoint", opened.id, checkpoint) if checkpoint else None,
    )  # fmt: skip


def name_at(table: Table, seat: int, names: Mapping[str, str]) -> str:
    """What the person or bot in a seat is called. Bots of one level are numbered where there are several."""
    chair = table.chairs[seat]
    if chair is None:
        return NOBODY
    if not chair.level:
        return names.get(chair.who, NOBODY)
    alike = [i for i, other in enumerate(table.chairs) if other and other.level == chair.level]
    return BOT_NAMES[chair.level] + (f" {alike.index(seat) + 1}" if len(alike) > 1 else "")


def _seat(table: Table, seat: int, names: Mapping[str, str]) -> SeatView | None:
    chair = table.chairs[seat]
    if chair is None:
        return None
    return SeatView(
        seat=seat, kind=chair.kind, name=name_at(table, seat, names), level=chair.level, cover=chair.cover,
        promised=chair.promise is not None, cut=bool(table.cuts) and table.cuts[seat] is not None, left=chair.left,
    )  # fmt: skip


def _asked(table: Table, viewer: Seat | None) -> tuple[Asked, ...]:
    if table.phase == "cutting":
        return tuple([Asked(seat=seat, kind="cut", key=None, waits=True) for seat in owing(table)])
    return tuple(
        [Asked(seat=d.seat, kind=d.kind, key=d.key or None, waits=d.waits) for d in decisions_for(table, viewer)]
    )


def _view(table: Table, viewer: Seat | None, due: int | None) -> Any:
    """The game's own view, with the times that a clock on the wall shows."""
    if table.state is None:
        return None
    return table.game.dated(table.game.view(table.state, viewer), due, table.granted)


def _due(table: Table) -> int | None:
    """Of a bot's silence nothing is told: its clock starts with a question that may be secret."""
    if table.cut_by is not None:
        return table.cut_by + table.granted
    own = table.runs(table.game.open_due(table.state)) if table.phase == "playing" else None
    return own.at + table.granted if own else None


def lines_view(
    table: Table, told: Sequence[Told], viewer: Seat | None, names: Mapping[str, str]
) -> list[LineView]:
    """The lines among these that a viewer may read."""
    at = -1 if viewer is None else viewer
    called: Callable[[Seat], str] = lambda seat: name_at(table, seat, names)  # noqa: E731
    return [
        line_view(line, number[at], table.game.words(line, called))
        for line, number in told
        if reaches(line, table.game, viewer)
    ]


def line_view(line: Line, seen: int, words: str) -> LineView:
    """One line as it is sent."""
    return LineView(seen=seen, kind=line.kind, seat=line.seat, data=line.data, words=words)
