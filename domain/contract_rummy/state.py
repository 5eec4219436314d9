"""What a table of Contract Rummy is made of: its moves and its state (RULES.md)."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from domain.cards import Card, Ms, Seat
from domain.contract_rummy.options import Options
from domain.game import Hidden
from domain.melds import End, Kind, Run, Set

Phase: TypeAlias = Literal["draw", "play", "scored", "over"]
Pref: TypeAlias = Literal["ask", "helps", "never"]
Row: TypeAlias = tuple[int, ...]  # one figure a seat
Rank: TypeAlias = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"]
Suit: TypeAlias = Literal["S", "H", "D", "C"]

MANY = 220  # no list in a move is longer: the largest pack has fewer cards


class _Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    pass


class Take(_Part, frozen=True, tag="take", tag_field="type"):
    """Take the discard."""


class Draw(_Part, frozen=True, tag="draw", tag_field="type"):
    """Take the top card of the stock, once buying has closed."""


class Decline(_Part, frozen=True, tag="decline", tag_field="type"):
    """Say that the discard is not wanted, and wait for the stock. The discard may still be taken."""


class Buy(_Part, frozen=True, tag="buy", tag_field="type"):
    """Claim the discard. `window`: id of the buying that is meant; any other that is open then is not bought from."""

    window: int | None = None


class Pass(_Part, frozen=True, tag="pass", tag_field="type"):
    """Say, unseen by others, that the discard is not wanted."""


class PassFor(_Part, frozen=True, tag="pass_for", tag_field="type"):
    """Pass for a seat that has held up the buying of the first upcard for a minute."""

    seat: int


class BuyPref(_Part, frozen=True, tag="buy_pref", tag_field="type"):
    """Which discards to be asked about: every one, those that could help until down, none."""

    pref: Pref


class NewRun(_Part, frozen=True):
    """A run to lay: `low_jokers` spare jokers go below; `suit` and `lo` say what a run of jokers alone stands for."""

    cards: Annotated[tuple[Card, ...], Meta(max_length=MANY)]
    low_jokers: int = 0
    suit: Suit | None = None
    lo: int | None = None


class NewMeld(_Part, frozen=True):
    """A meld to lay; `rank` says what a set of jokers alone stands for, the rest is as for a run."""

    kind: Kind
    cards: Annotated[tuple[Card, ...], Meta(max_length=MANY)]
    low_jokers: int = 0
    suit: Suit | None = None
    lo: int | None = None
    rank: Rank | None = None


class Exchange(_Part, frozen=True):
    """A natural that goes into a run of the table where a joker stands for it; the joker comes to the hand."""

    card: Card
    meld: int


class GoDown(_Part, frozen=True, tag="go_down", tag_field="type"):
    """Lay the contract, with jokers won from the table if `swaps` name any: all of it or nothing."""

    melds: Annotated[tuple[NewMeld, ...], Meta(max_length=MANY)]
    swaps: Annotated[tuple[Exchange, ...], Meta(max_length=MANY)] = ()


class Play(_Part, frozen=True):
    """A card to lay on a meld of the table; `end` is needed where the card fits both ends of a run."""

    card: Card
    meld: int
    end: End | None = None


class LayOff(_Part, frozen=True, tag="lay_off", tag_field="type"):
    """Lay cards on melds of the table, in order: all of them or none."""

    plays: Annotated[tuple[Play, ...], Meta(min_length=1, max_length=MANY)]


class Swap(_Part, frozen=True, tag="swap", tag_field="type"):
    """Put a natural in a joker's place in a run, and the joker on the meld `to`."""

    card: Card
    meld: int
    to: int
    end: End | None = None


class GoOut(_Part, frozen=True, tag="go_out", tag_field="type"):
    """In the last hand: lay the whole hand as three runs."""

    runs: Annotated[tuple[NewRun, ...], Meta(max_length=MANY)]


class Discard(_Part, frozen=True, tag="discard", tag_field="type"):
    """Put a card of the hand on the discard pile and end the turn."""

    card: Card


class Ready(_Part, frozen=True, tag="ready", tag_field="type"):
    """Ask for the next hand."""


Move: TypeAlias = (
    Take | Draw | Decline | Buy | Pass | PassFor | BuyPref | GoDown | LayOff | Swap | GoOut | Discard | Ready
)  # fmt: skip


class Timed(Hidden, frozen=True):
    """A pass that comes by itself: `delay` ms after it was set going, so at `at` (null: it was called off)."""

    seat: Seat
    delay: Ms
    at: Ms | None


class Window(Hidden, frozen=True, kw_only=True, rename={"thrower": "from"}):
    """A buying of the discard. Who has passed, and who will, is secret; all else is public."""

    id: int  # counts through the whole game
    card: Card
    thrower: Seat | None  # null for the upcard of a deal
    opened: Ms = Ms(0)
    closes: Ms | None  # null for the upcard, which runs on no clock
    claims: tuple[Seat, ...] = ()  # in the order in which they came
    passed: tuple[Seat, ...] = ()
    timed: tuple[Timed, ...] = ()  # one for each seat whose moment has been drawn
    declined: bool = False
    lapses: int = 0  # times that a decline was taken back
    slow: tuple[Seat, ...] = ()  # who held the upcard up for a minute and still does
    shut: bool = False


class Laid(Struct, frozen=True):
    """Cards that a seat has laid in a turn."""

    seat: Seat
    turn: int
    cards: tuple[Card, ...]


class Position(Hidden, frozen=True, kw_only=True):
    """The state in its named form, version 1; state digests and case files speak it, so its fields are frozen.

    Hands lie in the order in which cards came; the last of the stock is drawn next; the last of the pile is its top.
    """

    rules: Literal[1] = 1
    seats: int
    first_dealer: Seat
    deals: int  # hands dealt so far, the present one included
    dealer: Seat
    hands: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...]
    pile: tuple[Card, ...]
    melds: tuple[Set | Run, ...]  # in order of their ids, which count from 1 each hand
    next_id: int
    phase: Phase
    turn: Seat
    turns: int  # counts through the whole game: one more at each deal and at the end of each turn
    moves: int  # moves of this turn since the card was drawn
    window: Window | None
    windows: int  # id of the last window
    prefs: tuple[Pref, ...]
    away: tuple[bool, ...]  # whose person has left and whom no bot plays
    known: tuple[tuple[Card, ...], ...]  # cards in each hand that everyone saw come into it
    down: tuple[bool, ...]
    down_at: tuple[int | None, ...]  # `turns` as a seat went down, until its next turn has ended
    went_down: bool  # in this turn
    laid: tuple[Laid, ...]  # what each seat laid in this or its last turn
    reshuffles: int  # stocks remade this hand
    remade: tuple[tuple[Card, ...], ...]  # for each remade stock its cards, less those that a later one took
    out: Seat | None  # who went out in the hand that has ended
    ready: tuple[bool, ...]
    scores: tuple[Row, ...]  # one row for each hand that has ended
    totals: Row
    winners: tuple[Seat, ...]


class State(Position, frozen=True, kw_only=True):
    """A table, secrets included."""

    options: Options
