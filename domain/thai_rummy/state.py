"""What a table of Thai Rummy is made of: its state, its moves, and what is told of them (RULES.md)."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from domain.cards import Card, Seat
from domain.game import Hidden, Outcome
from domain.melds import End, Run, Set
from domain.thai_rummy.options import Options

Phase: TypeAlias = Literal["draw", "play", "scored", "over"]
Row: TypeAlias = tuple[int, ...]  # one figure a seat
Cards: TypeAlias = Annotated[tuple[Card, ...], Meta(max_length=52)]  # of a move


class _Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    pass


class Draw(_Part, frozen=True, tag="draw", tag_field="type"):
    """Take the top card of the stock."""


class Take(_Part, frozen=True, tag="take", tag_field="type"):
    """Take the discard pile from index `at` (0 is the oldest card) up, and lay its lowest card in a new meld."""

    at: int
    meld: Cards


class Pass(_Part, frozen=True, tag="pass", tag_field="type"):
    """Let the turn go by: only once the stock is empty."""


class Lay(_Part, frozen=True, tag="meld", tag_field="type"):
    """Lay a new meld."""

    cards: Cards


class Extend(_Part, frozen=True, tag="extend", tag_field="type"):
    """Lay a card on anyone's meld, in front of oneself. `end`, of a run, need not be named; a wrong one is refused."""

    card: Card
    meld: int
    end: End | None = None


class Discard(_Part, frozen=True, tag="discard", tag_field="type"):
    """Put a card of the hand on the discard pile and end the turn; the last one goes face down and ends the hand."""

    card: Card


class Ready(_Part, frozen=True, tag="ready", tag_field="type"):
    """Ask for the next hand."""


Move: TypeAlias = Draw | Take | Pass | Lay | Extend | Discard | Ready


class State(Hidden, frozen=True, kw_only=True, gc=False):
    """A table, secrets included. Hands lie in the order in which cards came; the last of the stock is drawn next."""

    options: Options
    seats: int
    first_dealer: Seat
    deals: int = 0  # hands dealt so far, the present one included
    dealer: Seat
    hands: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...]
    pile: tuple[Card, ...]  # oldest first, the last is the top
    down: Card | None = None  # the last card of the seat that went out, laid face down
    melds: tuple[Set | Run, ...] = ()  # in order of their ids, which count from 0 each hand
    next_id: int = 0
    phase: Phase = "draw"
    turn: Seat
    took: tuple[Card, ...] = ()  # what was taken from the pile this turn
    known: tuple[tuple[Card, ...], ...]  # cards in each hand that everyone saw it take
    thrower: Seat | None = None  # who threw the top of the pile; None for the upcard, and after a take
    fed: Seat | None = None  # who threw the top card that alone began this turn, if that was another seat
    dark: tuple[bool, ...]  # whether each seat has laid nothing before the present turn
    gifts: Row  # penalised discards of each seat this hand
    passes: int = 0  # passes in a row
    moves: int = 0  # moves made this hand
    out: Seat | None = None  # who went out in the hand that has ended
    ready: tuple[bool, ...]
    scores: tuple[Row, ...] = ()  # one row for each hand that has ended
    totals: Row
    winners: tuple[Seat, ...] = ()


class Position(Hidden, frozen=True, kw_only=True):
    """The state in its named form, version 1: fields as in `State`, and as `outcome` the places once the game is over.

    Its field names and their meaning are frozen: state digests and case files speak it.
    """

    rules: Literal[1] = 1
    seats: int
    first_dealer: Seat
    deals: int
    dealer: Seat
    hands: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...]
    pile: tuple[Card, ...]
    down: Card | None
    melds: tuple[Set | Run, ...]
    next_id: int
    phase: Phase
    turn: Seat
    took: tuple[Card, ...]
    known: tuple[tuple[Card, ...], ...]
    thrower: Seat | None
    fed: Seat | None
    dark: tuple[bool, ...]
    gifts: Row
    passes: int
    moves: int
    out: Seat | None
    ready: tuple[bool, ...]
    scores: tuple[Row, ...]
    totals: Row
    outcome: Row | None
    winners: tuple[Seat, ...]


class Tally(Struct, frozen=True, kw_only=True):
    """How a seat's score of a hand comes about, in the order in which it is reckoned.

    shown: points in front of it. held: points left in its hand. out: 50 for the card laid face down. gifts, fed: what
    those cost, 0 or below. doubled: whether the score is doubled, as far as the option says.
    """

    shown: int
    held: int
    out: int
    gifts: int
    fed: int
    doubled: bool
    score: int


class View(Hidden, frozen=True, kw_only=True):
    """What a seat (or a watcher, `seat` null) may know: lists by seat start at seat 0, fields are those of `State`.

    A card of a meld lies in front of the seat that `by` names for it.
    """

    seat: Seat | None
    options: Options
    seats: int
    phase: Phase
    turn: Seat
    dealer: Seat
    deals: int
    hand: tuple[Card, ...] | None  # the viewer's own
    held: int | None  # points of the viewer's own hand
    counts: Row  # cards in each hand
    stock: int  # cards in the stock
    pile: tuple[Card, ...]
    melds: tuple[Set | Run, ...]
    melded: Row  # points in front of each seat
    took: tuple[Card, ...]
    known: tuple[tuple[Card, ...], ...]
    thrower: Seat | None
    fed: Seat | None
    dark: tuple[bool, ...]
    gifts: Row
    passes: int
    moves: int
    ready: tuple[bool, ...]
    scores: tuple[Row, ...]
    totals: Row
    revealed: tuple[tuple[Card, ...], ...] | None  # every hand, once it has been scored
    tallies: tuple[Tally, ...] | None  # of the hand, once it has been scored
    face_down: Card | None  # the card laid face down, for the seat that laid it alone
    hand_winners: tuple[Seat, ...]  # of the hand, once it has been scored
    out: Seat | None
    outcome: Outcome | None
    winners: tuple[Seat, ...]


class Way(Struct, frozen=True, kw_only=True):
    """A new meld and the points it shows; `move` is what to send."""

    cards: tuple[Card, ...]
    points: int
    move: Lay | Take


class Pick(Struct, frozen=True, kw_only=True):
    """Whether the pile may be taken from index `at` up, and every meld with which it may, the richest first."""

    at: int
    card: Card
    takeable: bool
    ways: tuple[Way, ...]
    words: str


class Place(Struct, frozen=True, kw_only=True):
    """Where a card fits: the meld's id, the end if it is a run, the points; `move` is what to send."""

    meld: int
    end: End | None
    points: int
    move: Extend


class Fit(Struct, frozen=True, kw_only=True):
    """A card of the hand that can be laid on the table, and where."""

    card: Card
    places: tuple[Place, ...]


class Suggestion(Struct, frozen=True, kw_only=True):
    """A move to be sent as it is, and the points it shows."""

    move: Lay | Extend
    points: int


class Plan(Struct, frozen=True, kw_only=True):
    """The richest that a hand can lay in one turn: the moves in their order, and the points they show together."""

    steps: tuple[Suggestion, ...]
    points: int


class Helps(Hidden, frozen=True, kw_only=True):
    """Hints for a seat from its own hand and the table.

    `picks` while drawing. While playing: `melds` that can be laid, `fits`, the `gifts` and the `feeds` among its
    possible discards (goes on the table; a rival who is near its end may be able to begin a last turn with it), the
    richest `plan` and its first move as `suggest`.
    """

    picks: tuple[Pick, ...] = ()
    melds: tuple[Way, ...] = ()
    fits: tuple[Fit, ...] = ()
    gifts: tuple[Card, ...] = ()
    feeds: tuple[Card, ...] = ()
    suggest: Suggestion | None = None
    plan: Plan | None = None
