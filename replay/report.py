"""What an audit found, as data: what `faircut audit --json` prints, field by field."""

from typing import Any, Literal, TypeAlias

from msgspec import Struct

from domain.events import Level

Code: TypeAlias = Literal[0, 1, 2]
VERIFIED: Code = 0
DIVERGED: Code = 1  # also: signed by no key that was vouched for
UNREADABLE: Code = 2  # also: played by rules that this build does not have
CheckName = Literal[
    "form", "signature", "seed", "cuts", "chain", "rules", "play", "commands", "times", "end",
    "note", "copies", "seeds",
]  # fmt: skip


class Check(Struct, frozen=True):
    """One thing that was looked at.

    `ok` is None if another fault kept it from being looked at; `event` counts from 1.
    """

    name: CheckName
    ok: bool | None
    words: str
    event: int | None = None


class SeatReport(Struct, frozen=True):
    """A seat as the game began.

    `cut`: whether a cut of its own is in the key; `covered`: whether a bot ever stood in for its person.
    """

    seat: int
    kind: Literal["human", "bot"]
    level: Level | None
    cut: bool
    covered: bool


class Result(Struct, frozen=True):
    """How the table ended: places (1 is best, ties share) and totals only if the game was finished.

    `how`: played, or how a game ended early, or voided; `owing`: the seats whose promised cut never came.
    """

    how: str
    places: tuple[int, ...] | None = None
    totals: tuple[int, ...] | None = None
    owing: tuple[int, ...] = ()


class Shown(Struct, frozen=True):
    """The table after event n with every card in the open, as only a finished game may be shown.

    `at`: ms since 1970; `scores`: totals if the game's position names them; `lines`: all so far, in words.
    """

    n: int
    at: int
    phase: str
    event: dict[str, Any]
    position: dict[str, Any] | None
    scores: Any
    lines: tuple[str, ...]


class Report(Struct, frozen=True, kw_only=True):
    """All that an audit found about one record.

    `digest`: its last d_n; `key`: name and hash of the key that its note names; `signed`: whether that key
    was vouched for and did sign it; `dealt`: whether the game got as far as a deal; `seed_mark`: SHA-256 of the
    seed, equal at two tables only if their seed is.
    """

    file: str | None = None
    exit: Code
    id: str | None = None
    game: str | None = None
    rules: int | None = None
    options: dict[str, Any] = {}
    events: int = 0
    dealt: bool = False
    hands: int = 0
    digest: str | None = None
    signed: bool = False
    key: str | None = None
    seed_mark: str | None = None
    checks: tuple[Check, ...]
    seats: tuple[SeatReport, ...] = ()
    result: Result | None = None
    shown: Shown | None = None


class Many(Struct, frozen=True):
    """Several records audited side by side. `across`: what only shows when they are laid together."""

    exit: Code
    records: tuple[Report, ...]
    across: tuple[Check, ...]


def worst(*codes: Code) -> Code:
    """The exit code that several make together."""
    return max(codes, default=VERIFIED)
