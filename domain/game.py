"""What a game is: one pure `play`, and everything else the house asks of it.

Live play, replay, audit, the bots' search and the client's hints all call the same functions. Rules read no clock and
no random generator: time arrives as `now` in whole ms of *table time* (wall clock less granted pauses), chance as
labelled streams. States are frozen; a refusal is `Illegal` and changes nothing; any other exception is a bug.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from domain import canon
from domain.cards import Card, Ms, Seat
from domain.chance import Chance
from domain.hidden import Hidden
from domain.offers import Offer, plain

__all__ = [
    "Card", "Chance", "Decision", "Due", "Game", "Hidden", "Illegal", "Line", "Ms", "Offer", "Outcome", "Seat",
    "Step", "reaches",
]  # fmt: skip


class Illegal(Exception):
    """A refusal: a stable code and words for the player. Nothing has changed."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(f"{code}: {words}")
        self.code, self.words = code, words


class Line(Struct, frozen=True):
    """One line of the log: what happened, as data that `Game.words` puts into a sentence.

    A game tells a line of kind `dealt` at each deal: a bot's memory reaches back to it.
    Without `to` a line reaches everyone if its game declares the kind public, else only the seat that made it.
    """

    kind: str
    seat: Seat | None = None
    data: dict[str, Any] = {}
    to: tuple[Seat, ...] | None = None


class Decision(Struct, frozen=True):
    """A question that the table asks a seat. `key` changes only when this seat's question does."""

    seat: Seat
    kind: str
    key: str
    waits: bool = True  # False: may act, but nobody waits for it
    named: bool = True  # False: true, but told to no other viewer


class Due(Struct, frozen=True):
    """The next point in table time at which time itself changes something (`tick`)."""

    key: str
    at: Ms
    seat: Seat | None = None  # whose time it is: it stands still while a bot plays the seat


class Outcome(Struct, frozen=True):
    """How a finished game stands: place (1 is best, ties share) and total of each seat."""

    places: tuple[int, ...]
    totals: tuple[int, ...]
    sides: tuple[int, ...] | None = None
    how: Literal["played", "resigned", "deadline"] = "played"


class Step(NamedTuple):
    """What a move leads to. `notice`: whose feed number rises, None for everyone's, watchers' included."""

    state: Any
    lines: tuple[Line, ...] = ()
    notice: tuple[Seat, ...] | None = None
    hand_ended: bool = False

    def __repr__(self) -> str:
        return "<Step>"  # lines may name cards that one seat alone has seen


O = TypeVar("O", bound=Struct)
S = TypeVar("S", bound=Struct)
M = TypeVar("M")
V = TypeVar("V", bound=Struct)


class Game(ABC, Generic[O, S, M, V]):
    """A game under one version of its rules. Stateless: one instance serves all tables."""

    name: ClassVar[str]
    title: ClassVar[str]
    teaser: ClassVar[str]
    rules: ClassVar[int] = 1  # version; a table is replayed for ever under the version it was opened with
    seats: ClassVar[range]
    Options: ClassVar[Any]  # closed struct: each field a Literal (or bounded int) with a default, described by Meta
    Move: ClassVar[Any]  # union of structs tagged by "type"
    View: ClassVar[Any]
    Helps: ClassVar[Any]
    Arranged: ClassVar[Any] = None  # what `arrange` answers, or None where it answers nothing
    Position: ClassVar[Any]  # named struct that state digests and case files speak; frozen by `rules`
    public: ClassVar[frozenset[str]] = frozenset()  # kinds of line that everyone may read
    keyless: ClassVar[frozenset[str]] = frozenset()  # types of move that answer no question and name no key

    def check(self, options: O, seats: int) -> None:
        """Raise Illegal("OPTIONS", …) for options or seats that do not go together."""
        if seats not in self.seats:
            raise Illegal("OPTIONS", f"seats: {self.title} is for {self.seats[0]} to {self.seats[-1]}.")

    def bots_at(self, seats: int) -> bool:
        """Whether bots may sit down or cover a seat at a table of people with so many seats."""
        return True

    def parse(self, raw: Mapping[str, Any]) -> M:
        """A move from its builtin form. Raises Illegal("BAD", …) if it is malformed."""
        if not isinstance(raw.get("type"), str):
            raise Illegal("BAD", "A move names its type.")
        try:
            return _converter(self.Move)(raw)  # type: ignore[no-any-return]
        except msgspec.ValidationError as fault:
            raise Illegal("BAD", f"That is no move of this game: {fault}.") from None

    @abstractmethod
    def start(self, options: O, seats: int, now: Ms, chance: Chance) -> Step:
        """The first deal."""

    @abstractmethod
    def play(self, s: S, seat: Seat, move: M, now: Ms, chance: Chance) -> Step:
        """The state after a seat's move. Raises Illegal; never compares `now` with a due time."""

    def tick(self, s: S, now: Ms, chance: Chance) -> Step:
        """The state after time has passed `due`. Called only then."""
        raise Illegal("NOT_DUE", "Nothing at this table runs on a clock.")

    def forfeit(self, s: S, seat: Seat, how: Literal["resigned", "deadline"]) -> Step:
        """The game ends against a seat. Raises Illegal if the game knows no such end."""
        raise Illegal("PHASE", "This game is not given up seat by seat.")

    def left(self, s: S, seat: Seat, now: Ms, chance: Chance) -> Step:
        """The seat's person has left the table, and nobody plays the seat yet."""
        return Step(s)

    def covered(self, s: S, seat: Seat, now: Ms, chance: Chance) -> Step:
        """A bot plays the seat from now on."""
        return Step(s)

    def returned(self, s: S, seat: Seat) -> Step:
        """The seat's person is back, and has taken it back from a bot if one played it."""
        return Step(s)

    def due(self, s: S) -> Due | None:
        """When time next changes something, or None."""
        return None

    def open_due(self, s: S) -> Due | None:
        """The same as far as every viewer may know it: of what time does in secret nothing is told."""
        return self.due(s)

    @abstractmethod
    def deciding(self, s: S) -> tuple[Decision, ...]:
        """Every question that the table asks, in seat order."""

    @abstractmethod
    def fallback(self, s: S, seat: Seat) -> M:
        """A move that is always legal for a deciding seat."""

    @abstractmethod
    def legal(self, s: S, seat: Seat) -> Iterable[M]:
        """All one-part moves the seat may make, and one compound way where no single part is legal."""

    def slow(self, s: S) -> tuple[Seat, ...]:
        """Seats that everyone knows to have kept the table waiting: the host may hand them to a bot, away or not."""
        return ()

    def late(self, s: S, move: Mapping[str, Any], key: str) -> Illegal:
        """What a move is told whose key is no longer its seat's: more than "look again" where the game can say more.

        It follows from what everyone may know, for the key may be another seat's or made up.
        """
        return Illegal("STALE", "The table has moved on: look again.")

    @abstractmethod
    def view(self, s: S, seat: Seat | None) -> V:
        """What a seat, or a watcher (None), may know: built up from nothing."""

    def offers(self, s: S, seat: Seat, picked: Sequence[Card]) -> tuple[Offer, ...]:
        """What a seat may do with the cards that it has picked from its hand (none: what it may do without any).

        Each offer's move is legal as it is; whatever a player would look for and cannot do is there with the reason.
        Cards that are not in its hand are no error: nothing can be done with them.
        """
        return plain(self.legal(s, seat), picked)

    def dated(self, view: V, due: int | None, granted: int) -> V:
        """The view as people are shown it: its points in time on the wall clock.

        due: the game's clock there, None while nothing runs; granted: ms that the table's own time is behind.
        """
        return view

    def helps(self, s: S, seat: Seat) -> Any:
        """Hints from the seat's own view, an instance of `Helps`. Dear, so apart from `view`."""
        return self.Helps()

    def arrange(self, s: S, seat: Seat, keep: Any = ()) -> Any:
        """A careful way to lay the hand, worked out on request: an instance of `Arranged`, or None if there is none.

        keep: what the player has built already, as builtins. Raises Illegal("BAD", …) if that is malformed.
        """
        raise Illegal("NO_SUCH_HELP", "Nothing is arranged in this game.")

    @abstractmethod
    def outcome(self, s: S) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @abstractmethod
    def position(self, s: S) -> Struct:
        """The state in its named, versioned form, an instance of `Position`."""

    @abstractmethod
    def place(self, options: O, position: Any) -> S:
        """The state that a position names: the inverse of `position`."""

    @abstractmethod
    def zones(self, s: S) -> dict[str, tuple[Card, ...]]:
        """Where every card lies, by name of place. All zones together are the pack."""

    @abstractmethod
    def redeal(self, s: S, seat: Seat | None, chance: Chance) -> S:
        """Another world that this viewer cannot tell from the present one: its hidden cards dealt anew."""

    def words(self, line: Line, name: Callable[[Seat], str]) -> str:
        """The line as a sentence for a player."""
        who = f"{name(line.seat)}: " if line.seat is not None else ""
        what = ", ".join(f"{k} {v}" for k, v in line.data.items())
        return f"{who}{line.kind}{' ' + what if what else ''}."


@cache
def _converter(move: Any) -> Callable[[Any], Any]:
    return canon.converter(move)


def reaches(line: Line, game: Game[Any, Any, Any, Any], viewer: Seat | None) -> bool:
    """Whether a viewer (a seat, or None for a watcher) may read the line. Not public unless declared so."""
    if line.to is not None:
        return viewer in line.to
    return line.kind in game.public or (viewer is not None and line.seat == viewer)
