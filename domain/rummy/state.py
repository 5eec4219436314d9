"""What a table of Rummy is made of: its state, its moves, and what is told of them (RULES.md)."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from domain.cards import Card, Ms, Seat
from domain.game import Hidden, Outcome
from domain.melds import End, Run, Set
from domain.rummy.options import Options

Phase: TypeAlias = Literal["draw", "play", "over"]
How: TypeAlias = Literal["played", "resigned", "deadline"]
Row: TypeAlias = tuple[int, ...]  # one figure a seat
Hands: TypeAlias = tuple[tuple[Card, ...], ...]

MANY = 60  # no list in a move is longer


class _Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    pass


class Draw(_Part, frozen=True, tag="draw", tag_field="type"):
    """Take the top card of the stock."""


class Take(_Part, frozen=True, tag="take", tag_field="type"):
    """Take the top card of the discard pile."""


class NewMeld(_Part, frozen=True, tag="meld", tag_field="type"):
    """Lay a new set or run."""

    cards: Annotated[tuple[Card, ...], Meta(max_length=MANY)]


class Play(_Part, frozen=True):
    """A card to lay on the meld with this id."""

    card: Card
    meld: int


class LayOff(_Part, frozen=True, tag="lay_off", tag_field="type"):
    """Lay cards on melds of the table, in order: all of them or none."""

    plays: Annotated[tuple[Play, ...], Meta(min_length=1, max_length=MANY)]


class Discard(_Part, frozen=True, tag="discard", tag_field="type"):
    """Put a card of the hand on the discard pile and end the turn."""

    card: Card


class EndHand(_Part, frozen=True, tag="end_hand", tag_field="type"):
    """End the hand where no card can be drawn any more."""


class Resign(_Part, frozen=True, tag="resign", tag_field="type"):
    """Give up the whole game. It answers no question and may be sent at any time."""


Move: TypeAlias = Draw | Take | NewMeld | LayOff | Discard | EndHand | Resign


class Before(Struct, frozen=True):
    """The table as the hand before left it: the next deal clears it away at once."""

    pile: tuple[Card, ...]
    melds: tuple[Set | Run, ...]


class Position(Hidden, frozen=True, kw_only=True):
    """The state in its named form, version 1; state digests and case files speak it, so its fields are frozen.

    Hands lie in the order in which cards came; the last of the stock is drawn next; the last of the pile is its top.
    Lists by seat start at seat 0; `scores`, `held` and `outs` have an entry for each hand that has ended.
    """

    rules: Literal[1] = 1
    seats: int
    first_dealer: Seat
    deals: int  # hands dealt so far, the present one included
    dealer: Seat
    hands: Hands
    stock: tuple[Card, ...]
    pile: tuple[Card, ...]
    melds: tuple[Set | Run, ...]  # in order of their ids, which count from 0 each hand
    next_id: int
    phase: Phase
    turn: Seat
    taken: Card | None  # what the seat on turn took from the pile
    known: Hands  # cards in each hand that everyone saw it take
    turns: int  # turns ended this hand
    moves: int  # moves made this hand
    circling: int  # turns in a row that were ended without a draw from the stock
    reuses: int  # stocks remade of the pile this hand
    remade: Hands  # for each remade stock its cards, less those that a later one took
    before: Before | None  # null in the first hand
    due: Ms | None  # when the turn must have ended, in table time; null once the game is over
    scores: tuple[Row, ...]
    held: tuple[Row, ...]  # points left in each hand
    outs: tuple[Seat | None, ...]  # who went out, null for a blocked hand
    totals: Row
    lost: Seat | None  # who resigned or let the deadline pass
    how: How | None  # how the game ended
    winners: tuple[Seat, ...]


class State(Position, frozen=True, kw_only=True, gc=False):
    """A table, secrets included."""

    options: Options


class View(Hidden, frozen=True, kw_only=True):
    """What a seat (or a watcher, `seat` null) may know: lists by seat start at seat 0, fields are those of `Position`.

    No hand but the viewer's own is ever in it: of a hand that has ended everyone is told the points alone.
    """

    seat: Seat | None
    options: Options
    seats: int
    phase: Phase
    turn: Seat
    dealer: Seat
    deals: int
    hand: tuple[Card, ...] | None  # the viewer's own
    counts: Row  # cards in each hand
    stock: int  # cards in the stock
    dry: bool  # no card can be drawn: the seat on turn takes the top of the pile or ends the hand
    pile: tuple[Card, ...]
    melds: tuple[Set | Run, ...]
    taken: Card | None
    known: Hands
    turns: int
    moves: int
    circling: int
    circle_at: int  # turns in a row without a draw from the stock that end the hand
    reuses: int
    reuse_at: int  # as often as this the pile may become the stock
    remade: Hands
    before: Before | None
    due: Ms | None  # at a table on the wall clock; null also while a bot plays the seat on turn
    scores: tuple[Row, ...]
    held: tuple[Row, ...]
    outs: tuple[Seat | None, ...]
    totals: Row
    lost: Seat | None
    how: How | None
    outcome: Outcome | None
    winners: tuple[Seat, ...]


class Pick(Struct, frozen=True, kw_only=True):
    """The top card of the pile and how it could be melded this turn. `how` is null if it could not be.

    `how`: "onto" a meld, "after" cards that go there first, in a "new" meld. `uses` are the other cards that it takes,
    `owner` is whose meld it goes on, `move` is what to send once it has been taken.
    """

    card: Card
    how: Literal["onto", "after", "new"] | None
    uses: tuple[Card, ...]
    owner: Seat | None
    move: NewMeld | LayOff | None
    words: str


class Suggestion(Struct, frozen=True, kw_only=True):
    """A move to be sent as it is, and the points that it takes out of the hand."""

    move: NewMeld | LayOff
    points: int


class Place(Struct, frozen=True, kw_only=True):
    """Where a card fits: the meld's id, and the end if it is a run."""

    meld: int
    end: End | None


class Fit(Struct, frozen=True, kw_only=True):
    """A card of the hand that goes on the table, and where."""

    card: Card
    places: tuple[Place, ...]


class Helps(Hidden, frozen=True, kw_only=True):
    """Hints for the seat on turn, from its own hand and the table.

    pick: while drawing. plan: while playing, the moves that lay all that is best laid, one after another, `points` in
    all; suggest: the first of them. out: nothing is then left, or only a card to discard. fits: cards that go on the
    table. keep: the card that may not be discarded, as it was taken from the pile this turn.
    """

    pick: Pick | None = None
    suggest: Suggestion | None = None
    plan: tuple[Suggestion, ...] = ()
    points: int = 0
    out: bool = False
    fits: tuple[Fit, ...] = ()
    keep: Card | None = None
