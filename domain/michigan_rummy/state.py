"""What a table of Michigan Rummy is made of: its state, its moves, and what is told of them (RULES.md)."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from domain.cards import Card, Seat
from domain.game import Hidden, Outcome
from domain.melds import End, Kind, Run, Set
from domain.michigan_rummy.options import Options

Phase: TypeAlias = Literal["draw", "play", "scored", "over"]
Row: TypeAlias = tuple[int, ...]  # one figure a seat

MANY = 200  # no list in a move is longer


class _Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    pass


class Draw(_Part, frozen=True, tag="draw", tag_field="type"):
    """Take the top card of the stock."""


class Take(_Part, frozen=True, tag="take", tag_field="type"):
    """Take the discard pile from index `at` (0 is the oldest card) up to its top."""

    at: int


class NewMeld(_Part, frozen=True):
    """A meld to lay. Without `kind` it is what its cards make; `low_jokers` spare jokers go below a run."""

    cards: Annotated[tuple[Card, ...], Meta(max_length=MANY)]
    kind: Kind | None = None
    low_jokers: int = 0


class Play(_Part, frozen=True):
    """A card to lay on a meld: the id of one on the table, or "n0", "n1", … for those new in the same move.

    `end` is needed where the card fits both ends of a run. "neither" is what any other word is read as: it fits no end.
    """

    card: Card
    meld: int | str
    end: End | Literal["neither"] | None = None


class Lay(_Part, frozen=True, tag="meld", tag_field="type"):
    """Lay new melds, then play cards on melds, in order: all of it or nothing."""

    melds: Annotated[tuple[NewMeld, ...], Meta(max_length=MANY)] = ()
    plays: Annotated[tuple[Play, ...], Meta(max_length=MANY)] = ()


class Discard(_Part, frozen=True, tag="discard", tag_field="type"):
    """Put a card of the hand on the discard pile and end the turn."""

    card: Card


class Ready(_Part, frozen=True, tag="ready", tag_field="type"):
    """Ask for the next hand."""


Move: TypeAlias = Draw | Take | Lay | Discard | Ready


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
    melds: tuple[Set | Run, ...] = ()  # in order of their ids, which count from 0 each hand
    next_id: int = 0
    phase: Phase = "draw"
    turn: Seat
    must: Card | None = None  # the card taken from the pile that has to be melded before the discard
    took: tuple[Card, ...] = ()  # what was taken from the pile this turn
    known: tuple[tuple[Card, ...], ...]  # cards in each hand that everyone saw it take
    melded: Row  # points laid by each seat this hand
    turns: int = 0  # turns ended this hand
    moves: int = 0  # moves made this hand
    reshuffles: int = 0  # stocks remade this hand
    remade: tuple[tuple[Card, ...], ...] = ()  # for each remade stock its cards, less those that a later one took
    stalled: int = 0  # turns in a row without a meld
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
    melds: tuple[Set | Run, ...]
    next_id: int
    phase: Phase
    turn: Seat
    must: Card | None
    took: tuple[Card, ...]
    known: tuple[tuple[Card, ...], ...]
    melded: Row
    turns: int
    moves: int
    reshuffles: int
    remade: tuple[tuple[Card, ...], ...]
    stalled: int
    out: Seat | None
    ready: tuple[bool, ...]
    scores: tuple[Row, ...]
    totals: Row
    outcome: Row | None
    winners: tuple[Seat, ...]


class View(Hidden, frozen=True, kw_only=True):
    """What a seat (or a watcher, `seat` null) may know: lists by seat start at seat 0, fields are those of `State`."""

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
    pile: tuple[Card, ...]
    melds: tuple[Set | Run, ...]
    melded: Row
    must: Card | None
    took: tuple[Card, ...]
    known: tuple[tuple[Card, ...], ...]
    remade: tuple[tuple[Card, ...], ...]
    turns: int
    moves: int
    reshuffles: int
    stalled: int
    stall_at: int  # turns in a row without a meld that end the hand
    ready: tuple[bool, ...]
    scores: tuple[Row, ...]
    totals: Row
    revealed: tuple[tuple[Card, ...], ...] | None  # every hand, once it has been scored
    held: Row | None  # points left in each hand, once it has been scored
    out: Seat | None
    outcome: Outcome | None
    winners: tuple[Seat, ...]


class Way(Struct, frozen=True, kw_only=True):
    """How a card can be melded. `how`: "onto" a meld, "after" cards that go there first, in a "new" meld.

    `uses` are the other cards it takes; `owner` is whose meld it goes on; `move` is what to send.
    """

    how: Literal["onto", "after", "new"]
    uses: tuple[Card, ...]
    owner: Seat | None
    move: Lay


class Pick(Struct, frozen=True, kw_only=True):
    """Whether the pile may be taken from index `at` up, and how its lowest card would then be melded.

    The top card needs no way: `way` is null for it.
    """

    at: int
    card: Card
    takeable: bool
    way: Way | None
    words: str


class Suggestion(Struct, frozen=True, kw_only=True):
    """The richest single meld move, to be sent as it is, and its points."""

    move: Lay
    points: int


class Place(Struct, frozen=True, kw_only=True):
    """Where a card fits: the meld's id, the end if it is a run, the points there."""

    meld: int
    end: End | None
    points: int


class Fit(Struct, frozen=True, kw_only=True):
    """A card of the hand that can be played on the table, and where."""

    card: Card
    places: tuple[Place, ...]


class Helps(Hidden, frozen=True, kw_only=True):
    """Hints for a seat from its own hand and the table: `picks` while drawing, `suggest` and `fits` while playing."""

    picks: tuple[Pick, ...] = ()
    suggest: Suggestion | None = None
    fits: tuple[Fit, ...] = ()
