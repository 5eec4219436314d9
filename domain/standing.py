"""How a table stands after its events: who sits where, what is asked, what is due. `domain.table` moves it on."""

from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from domain import events
from domain.game import Decision, Due, Game, Hidden, Ms, Outcome, Seat

CUT_MS = 20_000  # a promised cut that has not come by then voids the table
IDLE_MS = 24 * 3_600_000  # a table that has not started by then is closed
BOT_GRACE_MS = 30_000  # a bot that has not answered by then gets its seat's fallback played
BACK_MS = 60_000  # who takes a seat back from a bot has at least this long before its time is up, once for each clock

Phase = Literal["open", "cutting", "playing", "over", "voided", "closed"]


class Diverged(Exception):
    """A stored event does not follow from those before it."""


class Back(NamedTuple):
    """Key of a clock of the game, and the table time at which its seat's person was first back from a bot."""

    key: str
    at: Ms


class Chair(msgspec.Struct, frozen=True):
    """Who holds a seat. `cover`: level of the bot that plays it while its person is away."""

    kind: Literal["human", "bot"]
    who: str
    promise: str | None = None
    level: events.Level | None = None
    cover: events.Level | None = None
    left: bool = False
    handed_at: Ms = Ms(0)  # table time at which it last went from its person to a bot, or back
    back: Back | None = None  # when its person first took it back while its present clock ran

    @property
    def bot(self) -> events.Level | None:
        """Level of the bot that plays this seat now, or None for a person."""
        return self.cover or self.level


class Owed(NamedTuple):
    """A question and since when, in table time, it has been asked."""

    decision: Decision
    since: Ms


class Table(Hidden, frozen=True, kw_only=True):
    """A table after `version` events. It holds the game's state (secret) but neither seed nor key."""

    opened: events.Opened
    game: Game[Any, Any, Any, Any]
    options: Any
    version: int
    at: int
    digest: bytes
    granted: int = 0
    phase: Phase = "open"
    chairs: tuple[Chair | None, ...]
    d_1: bytes
    d_s: bytes | None = None
    cuts: tuple[bytes | None, ...] = ()
    cut_by: Ms | None = None
    keyed: bool = False
    state: Any = None
    spent: frozenset[str] = frozenset()
    owed: tuple[Owed, ...] = ()
    seen: tuple[int, ...]  # feed number of each seat, then of watchers
    outcome: Outcome | None = None
    how: str | None = None
    agreed: frozenset[int] = frozenset()
    revealed: bool = False

    @property
    def id(self) -> str:
        return self.opened.id

    @property
    def ended(self) -> bool:
        """Whether nothing but the seed is still to come."""
        return self.phase in ("over", "voided", "closed")

    @property
    def host(self) -> Seat | None:
        """The host's seat: that of whoever opened the table, None if they do not sit at it.

        Once they have left, it is the lowest seat whose person has not, for as long as there is one.
        """
        for i, chair in enumerate(self.chairs):
            if chair and chair.who == self.opened.host:
                return min(self.people(), default=Seat(i)) if chair.left else Seat(i)
        return None

    def hosted_by(self, who: str | None) -> bool:
        """Whether this is the host, seated or not."""
        host = self.host
        chair = None if host is None else self.chairs[host]
        return who is not None and who == (chair.who if chair else self.opened.host)

    def people(self) -> frozenset[Seat]:
        """The seats whose people have not left, whoever plays them just now."""
        return frozenset(
            Seat(i) for i, chair in enumerate(self.chairs) if chair and chair.kind == "human" and not chair.left
        )

    @property
    def unanimous(self) -> bool:
        """Whether all people who have not left agree to end the game early, and there is one."""
        people = self.people()
        return bool(people) and people <= self.agreed

    def now(self, at: int) -> Ms:
        """Table time at a wall-clock time."""
        return Ms(at - self.granted)

    def feed(self, viewer: Seat | None) -> int:
        """`seen`: the number of events that a viewer may know of."""
        return self.seen[-1 if viewer is None else viewer]

    def due(self) -> Due | None:
        """When time next changes something here (table time): no start, cuts, the game's own clock, a silent bot."""
        if self.phase == "open":
            return Due("idle", Ms(self.opened.at + IDLE_MS))
        if self.cut_by is not None:
            return Due("cut", self.cut_by)
        if self.phase != "playing":
            return None
        first: Due | None = None
        for owed in self.owed:
            at = self.bot_due(owed)
            if at is not None and (first is None or at < first.at):
                first = Due(f"bot:{owed.decision.seat}:{owed.decision.key}", at)
        own = self.clock()
        return own if own and (first is None or own.at < first.at) else first

    def clock(self) -> Due | None:
        """The game's own clock as it runs at this table."""
        return self.runs(self.game.due(self.state)) if self.phase == "playing" else None

    def runs(self, due: Due | None) -> Due | None:
        """A clock of the game. One seat's time does not run out while a bot plays it, whose fallback is played."""
        if due is None or due.seat is None or (chair := self.chairs[due.seat]) is None:
            return due
        if chair.bot:
            return None
        if chair.back is None or chair.back.key != due.key:
            return due
        return replace(due, at=max(due.at, Ms(chair.back.at + BACK_MS)))

    def back(self, seat: Seat, at: Ms) -> Back | None:
        """What is remembered of a person who takes a seat back from a bot: to go and come again gains no more time."""
        due, before = self.game.due(self.state), self.chairs[seat]
        if before is None or due is None or due.seat != seat:
            return None
        return before.back if before.back and before.back.key == due.key else Back(due.key, at)

    def bot_due(self, owed: Owed) -> Ms | None:
        """When a bot's seat gets its fallback played (table time), or None for a person's seat or an optional act."""
        chair = self.chairs[owed.decision.seat]
        if chair is None or chair.bot is None or not owed.decision.waits:
            return None
        return Ms(max(owed.since, chair.handed_at) + BOT_GRACE_MS)
