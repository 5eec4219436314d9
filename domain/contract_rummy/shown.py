"""What is shown of a table of Contract Rummy: views and hints (RULES.md, "What everyone sees" and "Hints")."""

from typing import TypeAlias

from msgspec import UNSET, Struct, UnsetType

from domain.cards import Card, Ms, Seat
from domain.contract_rummy.contracts import Contract
from domain.contract_rummy.options import Options
from domain.contract_rummy.state import Exchange, GoDown, GoOut, Laid, NewMeld, NewRun, Phase, Play, Pref, Row
from domain.game import Hidden, Outcome
from domain.melds import End, Kind, Run, Set


class Buying(Hidden, frozen=True, kw_only=True, rename={"thrower": "from"}):
    """The buying of the discard as a viewer may know it.

    order: who may buy, the first served before the others. priority: the viewer's place in it, from 1. passed: whether
    the viewer has passed; of others that is never told. only_you: by the claims alone, nobody else is waited for.
    """

    id: int
    card: Card
    thrower: Seat | None
    order: tuple[Seat, ...]
    claims: tuple[Seat, ...]
    passed: bool
    only_you: bool
    priority: int | None
    declined: bool
    shut: bool
    closes: Ms | None
    untimed: bool
    slow: tuple[Seat, ...]


class Group(Struct, frozen=True, kw_only=True):
    """A meld that a hand came close to: its cards by place, null where one is missing."""

    kind: Kind
    rank: str | None = None
    suit: str | None = None
    lo: int | None = None
    cards: tuple[Card | None, ...]


class Leftover(Struct, frozen=True, kw_only=True):
    """How close a seat came: the cards left to one that is down, else the nearest melds and what they miss."""

    down: bool
    missing: int
    cards: tuple[Card, ...]
    groups: tuple[Group, ...]


class View(Hidden, frozen=True, kw_only=True):
    """What a seat (or a watcher, `seat` null) may know: lists by seat start at seat 0, fields are those of `Position`.

    ends_hand: drawing now would end the hand, because the stock and what could remake it are out.
    """

    seat: Seat | None
    options: Options
    seats: int
    phase: Phase
    turn: Seat
    dealer: Seat
    deals: int
    contract: Contract
    hand: tuple[Card, ...] | None  # the viewer's own
    counts: Row  # cards in each hand
    stock: int  # cards in the stock
    pile: tuple[Card, ...]
    melds: tuple[Set | Run, ...]
    window: Buying | None
    ends_hand: bool
    pref: Pref | None  # the viewer's own
    known: tuple[tuple[Card, ...], ...]
    remade: tuple[tuple[Card, ...], ...]
    down: tuple[bool, ...]
    down_at: tuple[int | None, ...]
    went_down: bool
    laid: tuple[Laid, ...]
    turns: int
    moves: int
    reshuffles: int
    ready: tuple[bool, ...]
    scores: tuple[Row, ...]
    totals: Row
    revealed: tuple[tuple[Card, ...], ...] | None  # every hand, once it has been scored
    held: Row | None  # points left in each hand, once it has been scored
    leftovers: tuple[Leftover, ...] | None  # once the hand has been scored
    out: Seat | None
    outcome: Outcome | None
    winners: tuple[Seat, ...]


class Suggestion(Struct, frozen=True):
    """A way to lay the contract, or in the last hand the whole hand, to be sent as it is."""

    move: GoDown | GoOut


class Spot(Struct, frozen=True, kw_only=True):
    """A place on the table: a meld's id, and the end if it is a run."""

    meld: int
    end: End | None


class Choice(Struct, frozen=True, kw_only=True):
    """A card that goes equally well to several places, so that the player must choose."""

    card: Card
    spots: tuple[Spot, ...]


class Helps(Hidden, frozen=True, kw_only=True):
    """Hints for a seat from its own hand and the table.

    missing: cards still wanted for the contract, null once down. suggest: while playing, if the contract is there.
    plays: while playing once down, to be sent as one lay-off; choose: cards that are not among them because they
    have several places, which are free once the plays lie. useful_swaps: before going down, jokers of the table
    that bring the contract closer. could_help: while the discard may be had, whether the contract could use it.
    """

    missing: int | None = None
    suggest: Suggestion | None = None
    plays: tuple[Play, ...] = ()
    choose: tuple[Choice, ...] = ()
    useful_swaps: tuple[Exchange, ...] = ()
    could_help: bool | None = None


class Arranged(Hidden, frozen=True, kw_only=True):
    """A careful way to go down, or in the last hand to go out: what is to be laid besides what was kept.

    It has `melds` and `swaps` (those of the kept melds too), in the last hand only `runs`.
    """

    melds: tuple[NewMeld, ...] | UnsetType = UNSET
    swaps: tuple[Exchange, ...] | UnsetType = UNSET
    runs: tuple[NewRun, ...] | UnsetType = UNSET


Arrangement: TypeAlias = Arranged | None
