"""The richest mix of melds and lay-offs that a hand can put on a table, within a budget.

Each suit is laid out by itself (new runs, cards brought onto runs of the table); a mix takes one layout a suit and
makes sets of what is left. A suit's cards are a 13-bit mask of ranks, bit 0 the ace, with a second mask for second
copies; equal faces are interchangeable, and so are jokers.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple, TypeAlias

from domain.cards import RANKS, SUITS
from domain.melds import End, Meld, Run, Set, Style, fits

Worth: TypeAlias = Callable[[str, int], int]
"""Points of a face ("AH", "*") at a position of a run, or in a set for position 0."""

MIXES = 3000  # mixes looked at before the richest so far is taken
PIECES = 1000  # runs of one suit that are looked at
LAYOUTS = 1000  # ways to combine one suit's runs that are looked at
OPTIONS = 200  # the most promising of them that go into mixes

HALF = 13  # ranks
_FIELD = 16  # bits a rank in packed tallies: four for a count, the rest for points


class Piece(NamedTuple):
    """Cards of one suit for positions `lo`..`hi`: a new run, or what goes on one end of a run of the table.

    `ranks` is the mask of the naturals; the other places are for `jokers`. A new run shorter than its game allows takes
    more jokers than it has gaps.
    """

    points: int  # of the naturals
    ranks: int
    jokers: int
    lo: int
    hi: int
    on: int = -1  # index among the table's runs of the suit
    end: End | None = None


class Layout(NamedTuple):
    """Some pieces of one suit and what they leave of it."""

    points: int
    once: int  # ranks left
    twice: int  # ranks of which a second copy is left
    jokers: int  # used
    pieces: tuple[Piece, ...]


class Mix(NamedTuple):
    """New runs and plays on runs by suit, and new sets as (rank, jokers); the rest goes where it fits."""

    points: int
    pieces: tuple[tuple[str, Piece], ...]
    sets: tuple[tuple[str, int], ...]


@lru_cache(maxsize=1 << 11)
def layouts(
    suit: str, once: int, twice: int, wanted: int, jokers: int, runs: tuple[tuple[int, int], ...], wild: bool,
    style: Style, worth: Worth,
) -> tuple[Layout, ...]:  # fmt: skip
    """Every way to use some of a suit's cards in runs, the best for each remainder; the empty one is among them.

    `wanted` are the ranks that might serve elsewhere, `runs` the (lowest, highest position) of the table's runs of the
    suit; `wild`: whether jokers may go on those.
    """
    found: dict[Piece, None] = {}
    for spared in (0, wanted) if wanted else (0,):
        new = _new_runs(suit, once, spared, jokers, style, worth)
        onto = (
            _onto(suit, once, spared, jokers if wild else 0, i, lo, hi, style, worth)
            for i, (lo, hi) in enumerate(runs)
        )
        found |= dict.fromkeys(islice(chain(new, *onto), PIECES))
    pieces = sorted(found, key=lambda piece: (-piece.points, piece.jokers))
    best: dict[tuple[int, int, int], Layout] = {}
    budget = [LAYOUTS]

    def grow(layout: Layout, more: list[Piece]) -> None:
        budget[0] -= 1
        key = (layout.once, layout.twice, layout.jokers)
        if key not in best or best[key].points < layout.points:
            best[key] = layout
        left = jokers - layout.jokers
        more = [p for p in more if not p.ranks & ~layout.once and p.jokers <= left and _free(p, layout)]
        for i, piece in enumerate(more):
            if budget[0] > 0:
                grow(_with(piece, layout), more[i:])

    grow(Layout(0, once, twice, 0, ()), pieces)
    return tuple(best.values())


def _free(piece: Piece, layout: Layout) -> bool:
    """Whether nothing else goes on the same end of the same run."""
    return piece.on < 0 or all(other[5:] != piece[5:] for other in layout.pieces)


def _with(piece: Piece, layout: Layout) -> Layout:
    twice = layout.twice
    return Layout(
        layout.points + piece.points,
        layout.once & ~(piece.ranks & ~twice),
        twice & ~piece.ranks,
        layout.jokers + piece.jokers,
        (*layout.pieces, piece),
    )


def _bit(position: int) -> int:
    return 1 << (position - 1) % HALF


def _new_runs(suit: str, have: int, wanted: int, jokers: int, style: Style, worth: Worth) -> Iterator[Piece]:
    """New runs with a natural at either end, gaps filled with jokers; short ones are filled up with more jokers.

    A joker may also take the place of a natural of the mask `wanted`, which then serves elsewhere.
    """

    def grow(lo: int, hi: int, ranks: int, points: int, gaps: int) -> Iterator[Piece]:
        length = hi - lo + 1
        wild = gaps + max(0, style.run_min - length)
        if wild <= jokers and length - gaps >= style.naturals:
            yield Piece(points, ranks, wild, lo, hi)
        for at in range(hi + 1, min(hi + 1 + jokers - gaps, style.high, lo + min(style.run_max, HALF) - 1) + 1):
            bit = _bit(at)
            if have & bit & ~ranks:
                yield from grow(lo, at, ranks | bit, points + worth(_face(at, suit), at), gaps + at - hi - 1)
                if not wanted & bit:
                    break

    for lo in range(style.low, style.high + 1):
        if have & _bit(lo):
            yield from grow(lo, lo, _bit(lo), worth(_face(lo, suit), lo), 0)


def _onto(
    suit: str, have: int, wanted: int, jokers: int, on: int, lo: int, hi: int, style: Style, worth: Worth
) -> Iterator[Piece]:
    """What can go on a run of the table at either end, each ending with a natural."""
    room = style.run_max - (hi - lo + 1)
    ends: tuple[tuple[End, range], ...] = (
        ("high", range(hi + 1, style.high + 1)[:room]),
        ("low", range(lo - 1, style.low - 1, -1)[:room]),
    )

    def grow(end: End, places: range, done: int, ranks: int, points: int, gaps: int) -> Iterator[Piece]:
        for i in range(done, min(done + jokers - gaps + 1, len(places))):
            at, bit = places[i], _bit(places[i])
            if have & bit & ~ranks:
                more, wild = points + worth(_face(at, suit), at), gaps + i - done
                yield Piece(more, ranks | bit, wild, min(places[0], at), max(places[0], at), on, end)
                yield from grow(end, places, i + 1, ranks | bit, more, wild)
                if not wanted & bit:
                    break

    for end, places in ends:
        yield from grow(end, places, 0, 0, 0, 0)


def _face(position: int, suit: str) -> str:
    return RANKS[(position - 1) % HALF] + suit


class _Option(NamedTuple):
    """A layout as it counts in a mix: its points, what it may still bring, and the tally of what is left for sets."""

    bound: int
    points: int
    tally: int
    second: int  # second copies, apart where the suits of a set must differ
    jokers: int
    made: bool  # whether it has a new run
    satisfied: bool  # whether the card that must be used is, as far as this suit goes
    suit: str
    layout: Layout


class _Search:
    """One search for the richest mix."""

    def __init__(
        self, cards: Sequence[str], melds: Sequence[Meld], style: Style, worth: Worth, must: str | None,
        jokers_on_table: bool, budget: int,
    ) -> None:  # fmt: skip
        self.style, self.worth, self.must, self.wild, self.budget = style, worth, must, jokers_on_table, budget
        self.jokers = sum(c[0] == "*" for c in cards)
        self.wild_points = self.jokers * worth("*", 0) if self.jokers else 0
        self.room = sum(_room(meld, style) for meld in melds) if jokers_on_table else 0
        self.runs = [m for m in melds if isinstance(m, Run)]
        self.sets = [m for m in melds if isinstance(m, Set)]
        self.ranks = self._settable(cards)
        self.fields = [(rank, i * _FIELD) for i, rank in enumerate(RANKS) if self.ranks >> i & 1]
        self.best: Mix | None = None
        self.top = 0
        suits = sorted({c[1] for c in cards if c[0] != "*"}, key=lambda s: (s != (must or "*")[1:2], SUITS.index(s)))
        self.suits = [self._options(suit, [c for c in cards if c[0] != "*" and c[1] == suit]) for suit in suits]
        self.rest = [sum(options[0].bound for options in self.suits[i:]) for i in range(len(suits) + 1)]

    def _settable(self, cards: Sequence[str]) -> int:
        """Ranks that might make a new set."""
        counts = [sum(c[0] == rank for c in cards) for rank in RANKS]
        need = max(self.style.naturals, self.style.set_min - self.jokers, 1)
        return sum(1 << i for i, count in enumerate(counts) if count >= need)

    def _options(self, suit: str, cards: Sequence[str]) -> list[_Option]:
        """What a suit may bring to a mix, the most promising first."""
        once = twice = 0
        for card in cards:
            bit = 1 << RANKS.index(card[0])
            once, twice = once | bit, twice | once & bit
        runs = tuple((m.lo, m.hi) for m in self.runs if m.suit == suit)
        on_set = sum(1 << i for i, r in enumerate(RANKS) if any(fits(m, r + suit, self.style) for m in self.sets))
        wanted = 0 if not self.jokers else once if twice or runs else once & self.ranks & ~on_set
        found: dict[tuple[int, int, int, bool, bool], _Option] = {}
        for layout in layouts(suit, once, twice, wanted, self.jokers, runs, self.wild, self.style, self.worth):
            option = self._option(suit, layout, on_set)
            key = option[2:7]
            if key not in found or found[key].points < option.points:
                found[key] = option
        return sorted(found.values(), key=lambda option: -option.bound)[:OPTIONS]

    def _option(self, suit: str, layout: Layout, on_set: int) -> _Option:
        """A layout with the points of what it leaves for sets of the table, and the tally of what new sets may use."""
        points = layout.points + _points(self._tally(suit, layout.once & on_set))
        first = self._tally(suit, layout.once & self.ranks & ~on_set)
        second = self._tally(suit, layout.twice & self.ranks & ~on_set)
        if not self.style.distinct:
            points += _points(self._tally(suit, layout.twice & on_set))
            first, second = first + second, 0
        bound = points + _points(first) + _points(second)
        made = any(piece.on < 0 for piece in layout.pieces)
        satisfied = self._satisfied(suit, layout, on_set)
        return _Option(bound, points, first, second, layout.jokers, made, satisfied, suit, layout)

    def _satisfied(self, suit: str, layout: Layout, on_set: int) -> bool:
        if self.must is None or self.must[1] != suit:
            return True
        bit = 1 << RANKS.index(self.must[0])
        return bool(bit & on_set) or any(piece.ranks & bit for piece in layout.pieces)

    def _tally(self, suit: str, ranks: int) -> int:
        return sum(
            (1 + (self.worth(r + suit, 0) << 4)) << _FIELD * i for i, r in enumerate(RANKS) if ranks >> i & 1
        )

    def go(self, chosen: tuple[_Option, ...], bound: int, points: int, tally: int, second: int, jokers: int) -> None:
        """Try every choice of options for the suits that have none yet; the sums are those of the chosen ones."""
        depth = len(chosen)
        if depth == len(self.suits):
            self.budget -= 1
            self._weigh(chosen, points, tally, second, jokers)
            return
        rest = bound + self.rest[depth + 1] + self.wild_points
        for option in self.suits[depth]:
            if rest + option.bound <= self.top or self.budget <= 0:
                return
            left = jokers - option.jokers
            if left >= 0:
                self.go(
                    (*chosen, option), bound + option.bound, points + option.points, tally + option.tally,
                    second + option.second, left,
                )  # fmt: skip

    def _weigh(self, chosen: tuple[_Option, ...], points: int, tally: int, second: int, jokers: int) -> None:
        """Make the sets of one mix and keep it if it is the richest so far."""
        owed = "" if self.must is None or all(o.satisfied for o in chosen) else self.must[0]
        sets: list[tuple[str, int]] = []
        for cards in (tally, second) if second else (tally,):
            jokers, gained = self._make_sets(cards, jokers, owed, sets)
            points += gained
        if owed and all(rank != owed for rank, _ in sets):
            return
        if jokers and not sets and not any(o.made for o in chosen):
            done = sum(piece.hi - piece.lo + 1 for o in chosen for piece in o.layout.pieces)
            jokers = max(0, jokers - max(0, self.room - done))
        else:
            jokers = 0
        if jokers == self.jokers and self.must is not None and self.must[0] == "*":
            return
        points += self.wild_points - jokers * self.worth("*", 0)
        if points > self.top:
            self.top = points
            pieces = tuple((o.suit, piece) for o in chosen for piece in o.layout.pieces)
            self.best = Mix(points, pieces, tuple(sets))

    def _make_sets(self, tally: int, jokers: int, owed: str, sets: list[tuple[str, int]]) -> tuple[int, int]:
        """Make all sets that need no joker, then those that do, the dearest first: jokers left and points gained."""
        gained, least, size = 0, max(self.style.naturals, 1), self.style.set_min
        short: list[tuple[bool, int, int, str]] = []
        for rank, at in self.fields:
            field = tally >> at & 0xFFFF
            count = field & 15
            if count >= size:
                gained += field >> 4
                sets.append((rank, 0))
            elif count >= least and size - count <= jokers:
                short.append((rank == owed, field >> 4, size - count, rank))
        if short:
            for _, points, need, rank in sorted(short, reverse=True):
                if need <= jokers:
                    jokers, gained = jokers - need, gained + points
                    sets.append((rank, need))
        return jokers, gained


def _room(meld: Meld, style: Style) -> int:
    """Jokers that the meld would take."""
    most = style.set_max if isinstance(meld, Set) else min(style.run_max, style.high - style.low + 1)
    return most - len(meld.cards)


def _points(tally: int) -> int:
    total = 0
    while tally:
        total, tally = total + (tally >> 4 & 0xFFF), tally >> _FIELD
    return total


def richest(
    cards: Sequence[str], melds: Sequence[Meld], style: Style, worth: Worth, *, must: str | None = None,
    jokers_on_table: bool = True, budget: int = MIXES,
) -> Mix | None:  # fmt: skip
    """The richest mix found within the budget (mixes looked at), or None if nothing can be laid.

    `must` is a card that has to be used. Points are an estimate for the caller to confirm by laying the mix.
    """
    search = _Search(cards, melds, style, worth, must, jokers_on_table, budget)
    search.go((), 0, 0, 0, 0, search.jokers)
    return search.best
