"""Sets and runs: making, arranging and extending them (RULES.md of each game, "Melds").

A run's `cards[i]` stands at position `lo + i`, so what an ace or a joker means is where it lies and nothing else.
Positions are 1 for an ace low, the rank up to 13 for a king, 14 for an ace high; a natural of rank r may stand at r and
at r + 13 as far as a game's `Style` reaches.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from domain.cards import POSITION, Card, Seat
from domain.game import Illegal

End: TypeAlias = Literal["low", "high"]
Kind: TypeAlias = Literal["set", "run"]

KINGS = 13  # positions from a rank to the same rank one round further up


class Style(Struct, frozen=True, eq=False):  # compared and hashed as the one object that a game has
    """What a game calls a meld: sizes in cards, places in runs as positions."""

    set_min: int = 3
    set_max: int = 99
    run_min: int = 3
    run_max: int = 14
    naturals: int = 2  # fewest naturals in a new meld
    low: int = 1  # lowest position: 2 where the ace is high only
    high: int = 14  # highest position: 13 where the ace is low only, 25 where runs go round the corner
    distinct: bool = False  # whether the suits in a set must differ


class Set(Struct, frozen=True, gc=False, tag="set", tag_field="kind"):
    """Cards of one rank, jokers among them. `by[i]` is the seat that laid `cards[i]`."""

    kind: ClassVar[Literal["set"]] = "set"
    id: int
    owner: Seat
    cards: tuple[Card, ...]
    by: tuple[Seat, ...]
    rank: str


class Run(Struct, frozen=True, gc=False, tag="run", tag_field="kind"):
    """Consecutive cards of one suit: `cards[i]` stands at position `lo + i`; `by[i]` is the seat that laid it."""

    kind: ClassVar[Literal["run"]] = "run"
    id: int
    owner: Seat
    cards: tuple[Card, ...]
    by: tuple[Seat, ...]
    suit: str
    lo: int

    @property
    def hi(self) -> int:
        """Position of the last card."""
        return self.lo + len(self.cards) - 1


Meld: TypeAlias = Set | Run


class Placing(NamedTuple):
    """A run's cards in order and the position of the first."""

    lo: int
    cards: tuple[Card, ...]


def positions(card: str, style: Style) -> tuple[int, ...]:
    """Where a natural may stand in runs.

    >>> positions("AH1", Style()), positions("9H1", Style()), positions("AH1", Style(low=2))
    ((1, 14), (9,), (14,))
    """
    rank = POSITION[card[0]]
    return tuple(p for p in (rank, rank + KINGS) if style.low <= p <= style.high)


def arrange(cards: Sequence[Card], style: Style, low_jokers: int = 0) -> Placing | None:
    """The run that cards of one suit and jokers make, or None.

    Jokers fill gaps first; of the spare ones `low_jokers` go below and the rest above, as far as there is room. Among
    the ways to read the aces the one that keeps closest to `low_jokers` is taken, ace low before ace high. Without
    naturals there is nothing to arrange: None.
    """
    jokers = sorted((c for c in cards if c[0] == "*"), key=_number)
    naturals = sorted((c for c in cards if c[0] != "*"), key=lambda c: (POSITION[c[0]], c))
    best: Placing | None = None
    least = 0
    for at in _readings(naturals, style):
        fitted = _fitted(at, len(jokers), style, low_jokers)
        if fitted is None:
            continue
        lo, below = fitted
        if best is None or abs(below - low_jokers) < least:
            least = abs(below - low_jokers)
            by_position = dict(zip(at, naturals, strict=True))
            wild = iter(jokers)
            best = Placing(lo, tuple(by_position.get(lo + i) or next(wild) for i in range(len(cards))))
    return best


def _number(joker: str) -> int:
    return int(joker[1:])


def _readings(naturals: Sequence[Card], style: Style) -> Iterator[tuple[int, ...]]:
    """Positions of the naturals (sorted by rank), for each way to place the low ranks above the king."""
    ranks = [POSITION[c[0]] for c in naturals]
    for raised in range(max(0, style.high - KINGS) + 1):
        if raised and raised not in ranks:
            continue
        at = [r + KINGS if r <= raised else r for r in ranks]
        if raised and ranks.count(raised) == 2:  # one copy at either end of the longest run
            at[ranks.index(raised)] = raised
        if at and min(at) >= style.low and max(at) <= style.high and len(set(at)) == len(at):
            yield tuple(at)


def _fitted(at: tuple[int, ...], jokers: int, style: Style, low_jokers: int) -> tuple[int, int] | None:
    """Lowest position of the whole run and how many jokers lie below its lowest natural; None if it has no room."""
    lo, hi = min(at), max(at)
    spare = jokers - (hi - lo + 1 - len(at))
    if spare < 0 or len(at) + jokers > style.run_max:
        return None
    below = min(low_jokers, lo - style.low, spare)
    below += max(0, hi + spare - below - style.high)
    return (lo - below, below) if lo - below >= style.low else None


def run_choices(cards: Sequence[Card], style: Style) -> list[Placing]:
    """The different runs that cards of one suit and jokers make for 0, 1, … jokers asked below, the default first.

    >>> [p.lo for p in run_choices(("QH1", "KH1", "*1"), Style())]
    [12, 11]
    """
    jokers = sum(c[0] == "*" for c in cards)
    found = (arrange(cards, style, low) for low in range(jokers + 1))
    return list(dict.fromkeys(p for p in found if p))


def make(
    cards: Sequence[Card],
    style: Style,
    *,
    id: int,
    owner: Seat,
    kind: Kind | None = None,
    low_jokers: int = 0,
) -> Meld:
    """A new meld of at least one natural; without `kind` a set if all naturals are of one rank, else a run.

    Raises Illegal: TOO_SHORT, NEED_TWO_NATURALS (or NEED_A_NATURAL), NOT_A_SET, MIXED_SUITS, NOT_A_RUN.
    """
    if len(cards) < min(style.set_min, style.run_min):
        raise Illegal("TOO_SHORT", "A meld has at least three cards.")
    naturals = [c for c in cards if c[0] != "*"]
    if len(naturals) < max(style.naturals, 1):
        if style.naturals == 2:
            raise Illegal("NEED_TWO_NATURALS", "A meld needs two cards that are no jokers.")
        raise Illegal("NEED_A_NATURAL", "A meld needs a card that is no joker.")
    one_rank = len({c[0] for c in naturals}) == 1
    by = (owner,) * len(cards)
    if kind == "set" or (kind is None and one_rank):
        _need_set(cards, naturals, one_rank, style)
        return Set(id, owner, tuple(cards), by, naturals[0][0])
    if any(c[1] != naturals[0][1] for c in naturals):
        raise Illegal("MIXED_SUITS", "The cards of a run are of one suit, those of a set of one rank.")
    if len(cards) < style.run_min:
        raise Illegal("TOO_SHORT", f"A run has at least {style.run_min} cards.")
    placing = arrange(cards, style, low_jokers)
    if placing is None:
        raise Illegal("NOT_A_RUN", "These cards do not follow one another.")
    return Run(id, owner, placing.cards, by, naturals[0][1], placing.lo)


def _need_set(cards: Sequence[Card], naturals: Sequence[Card], one_rank: bool, style: Style) -> None:
    if len(cards) < style.set_min:
        raise Illegal("TOO_SHORT", f"A set has at least {style.set_min} cards.")
    if not one_rank:
        raise Illegal("NOT_A_SET", "The cards of a set are all of one rank.")
    if len(cards) > style.set_max:
        raise Illegal("NOT_A_SET", f"A set has at most {style.set_max} cards.")
    if style.distinct and len({c[1] for c in naturals}) < len(naturals):
        raise Illegal("NOT_A_SET", "The suits in a set all differ.")


def fits(meld: Meld, card: str, style: Style) -> tuple[End | None, ...]:
    """Where a card goes on a meld: () nowhere, (None,) on a set, else the ends of the run that take it."""
    joker = card[0] == "*"
    if isinstance(meld, Set):
        if not (joker or card[0] == meld.rank) or len(meld.cards) >= style.set_max:
            return ()
        if style.distinct and not joker and any(c[1] == card[1] for c in meld.cards if c[0] != "*"):
            return ()
        return (None,)
    hi = meld.lo + len(meld.cards) - 1
    if hi - meld.lo + 1 >= style.run_max or (not joker and card[1] != meld.suit):
        return ()
    at = positions(card, style) if not joker else (meld.lo - 1, hi + 1)
    low, high = meld.lo - 1 in at and meld.lo > style.low, hi + 1 in at and hi < style.high
    return ("low", "high") if low and high else ("low",) if low else ("high",) if high else ()


def stands_in(meld: Meld, card: str, style: Style) -> bool:
    """Whether a joker of the run stands where this natural belongs."""
    if not isinstance(meld, Run) or card[0] == "*" or card[1] != meld.suit:
        return False
    inside = (p - meld.lo for p in positions(card, style))
    return any(0 <= i < len(meld.cards) and meld.cards[i][0] == "*" for i in inside)


def extend(meld: Meld, card: Card, seat: Seat, style: Style, end: str | None = None) -> Meld:
    """The meld with one more card on it. An `end` named on a set is ignored.

    Raises Illegal: DOES_NOT_FIT, STANDS_IN, AMBIGUOUS_END (a run takes it at both ends and none is named).
    """
    ends = fits(meld, card, style)
    if isinstance(meld, Set):
        if not ends:
            raise Illegal("DOES_NOT_FIT", "That card does not fit there.")
        return Set(meld.id, meld.owner, (*meld.cards, card), (*meld.by, seat), meld.rank)
    if not ends or (end is not None and end not in ends):
        if stands_in(meld, card, style):
            raise Illegal("STANDS_IN", "A joker stands in that card's place, and it stays there.")
        raise Illegal("DOES_NOT_FIT", "That card does not fit there.")
    if end is None and len(ends) == 2:
        raise Illegal("AMBIGUOUS_END", "That card fits both ends: say which.")
    if (end or ends[0]) == "low":
        return Run(meld.id, meld.owner, (card, *meld.cards), (seat, *meld.by), meld.suit, meld.lo - 1)
    return Run(meld.id, meld.owner, (*meld.cards, card), (*meld.by, seat), meld.suit, meld.lo)


_FIRST = Seat(0)


def laid(cards: Sequence[Card], style: Style, *, id: int = 0, owner: Seat = _FIRST) -> Meld:
    """The meld that lies on a table as these cards in this order, all laid by its owner: for positions set up by hand.

    Raises ValueError if they lie as no meld.

    >>> laid(("*1", "KH1", "AH1"), Style()).lo
    12
    """
    naturals = [(i, c) for i, c in enumerate(cards) if c[0] != "*"]
    by = (owner,) * len(cards)
    if naturals and len({c[0] for _, c in naturals}) == 1:
        return Set(id, owner, tuple(cards), by, naturals[0][1][0])
    if naturals and len({c[1] for _, c in naturals}) == 1:
        first, card = naturals[0]
        for lo in (p - first for p in positions(card, style)):
            inside = style.low <= lo and lo + len(cards) - 1 <= style.high
            if inside and all(lo + i in positions(c, style) for i, c in naturals):
                return Run(id, owner, tuple(cards), by, card[1], lo)
    raise ValueError("these cards lie as no meld: " + " ".join(cards))
