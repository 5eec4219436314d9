"""How near a hand is to its contract and which cards would bring it nearer, for the bots of Contract Rummy.

Faces are numbered as in the planner and are bits of a whole number here. A joker is as good in one place as in
another, so what counts is how many naturals the melds of a contract can hold at most; the cards that would raise
that number are those missing in any of the ways that reach it.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from domain.cards import ACE_HIGH, POSITION, RANKS, SUITS, Seat
from domain.contract_rummy.contracts import LAST, RUN_SIZE, SET_SIZE, contract, fresh_pack
from domain.contract_rummy.faces import NUMBER, Counts, at
from domain.contract_rummy.shown import View
from domain.melds import Meld, Set

LEAVES = 1_500  # ways that are looked at for one hand


class Wants(NamedTuple):
    """What is to be made: so many sets of three, and runs of these lengths, long ones first."""

    sets: int
    runs: tuple[int, ...]

    @property
    def size(self) -> int:
        return SET_SIZE * self.sets + sum(self.runs)


class Reach(NamedTuple):
    """The most naturals that the wanted melds can hold, and the faces (bits) any of which would make it one more."""

    held: int
    outs: int


def wants(deal: int, cards: int) -> tuple[Wants, ...]:
    """What a hand is to make: its contract; in the last hand three runs out of all its cards and the next one."""
    asked = contract(deal)
    if deal < LAST:
        return (Wants(asked.sets, (RUN_SIZE,) * asked.runs),)
    longest = ACE_HIGH - 1
    total = min(max(asked.size, cards + 1), longest * asked.runs)
    return tuple(Wants(0, lengths) for lengths in _lengths(total, asked.runs, longest))


@lru_cache(maxsize=1 << 8)
def _lengths(total: int, runs: int, most: int) -> tuple[tuple[int, ...], ...]:
    """Ways to share out cards among runs of four or more, long runs first; the most even ways only."""
    if runs == 1:
        return ((total,),) if RUN_SIZE <= total <= most else ()
    found: list[tuple[int, ...]] = []
    for first in range(min(most, total - RUN_SIZE * (runs - 1)), RUN_SIZE - 1, -1):
        found += [(first, *rest) for rest in _lengths(total - first, runs - 1, first)]
    return tuple(sorted(found, key=max)[:3])


@lru_cache(maxsize=1 << 6)
def _windows(length: int) -> tuple[int, ...]:
    """The faces of each run of a length."""
    return tuple(
        sum(1 << at(suit, p) for p in range(lo, lo + length))
        for suit in range(4)
        for lo in range(1, ACE_HIGH - length + 2)
    )


_SUITS_OF = tuple(sum(1 << s * 13 + r for s in range(4)) for r in range(13))  # by rank: its four faces


@lru_cache(maxsize=1 << 15)
def reach(counts: Counts, wanted: Wants) -> Reach:
    """How far the naturals of a hand reach.

    >>> from domain.contract_rummy.faces import FACES, shape
    >>> found = reach(shape("4H 5H 7H KS KD 2C".split()).counts, Wants(1, (4,)))
    >>> found.held, sorted(FACES[f] for f in range(52) if found.outs >> f & 1)
    (5, ['6H', 'KC', 'KD', 'KH', 'KS'])
    """
    return _Reach(counts, wanted).found()


class _Reach:
    """The faces held at least once, twice and thrice are bits too, and so are those that windows ask for so often."""

    def __init__(self, counts: Counts, wanted: Wants) -> None:
        self.sets, self.lengths = wanted.sets, wanted.runs
        self.have = tuple(sum(1 << f for f, n in enumerate(counts) if n >= k) for k in (1, 2, 3))
        self.ranks = tuple(sum(counts[r::13]) for r in range(13))
        self.best, self.outs, self.leaves = 0, 0, LEAVES
        self.rows = {n: _held(n, self.have[0]) for n in set(wanted.runs)}
        self.set_bound = _of_sets(self.ranks, self.sets)[0]

    def found(self) -> Reach:
        self._run(0, 0, (0, 0, 0), 0)
        return Reach(self.best, self.outs)

    def _run(self, k: int, start: int, need: tuple[int, int, int], held: int) -> None:
        if k == len(self.lengths):
            self._leaf(need, held)
            return
        length, more = self.lengths[k], len(self.lengths) - k - 1
        row, (once, twice, thrice), (a, b, c) = self.rows[length], self.have, need
        bound = self.set_bound + sum(self.rows[n][0][0] for n in self.lengths[k + 1 :])
        alike = more > 0 and self.lengths[k + 1] == length
        for i in range(start, len(row)):
            most, bits = row[i]
            if alike:  # what comes after it in its own row is no better than itself
                bound = self.set_bound + most * more
            if held + most + bound < self.best or self.leaves < 0:
                return
            then = (a | bits, b | a & bits, c | b & bits)
            now = (then[0] & once).bit_count()
            if then[1]:
                now += (then[1] & twice).bit_count() + (then[2] & thrice).bit_count()
            if now + bound >= self.best:
                self._run(k + 1, i if alike else 0, then, now)

    def _leaf(self, need: tuple[int, int, int], held: int) -> None:
        self.leaves -= 1
        (a, b, c), (once, twice, thrice) = need, self.have
        outs = a & ~once | b & ~twice | c & ~thrice
        if self.sets:
            ranks = list(self.ranks)
            for used in (a & once, b & twice, c & thrice):
                while used:
                    bit = used & -used
                    ranks[(bit.bit_length() - 1) % 13] -= 1
                    used ^= bit
            more, lacks = _of_sets(tuple(ranks), self.sets)
            held, outs = held + more, outs | lacks
        if held > self.best:
            self.best, self.outs = held, outs
        elif held == self.best:
            self.outs |= outs


@lru_cache(maxsize=1 << 14)
def _of_sets(ranks: tuple[int, ...], sets: int) -> tuple[int, int]:
    """Naturals that the best sets hold, and the faces that would make it more. `ranks`: how many of each are held."""
    if not sets:
        return 0, 0
    sizes = sorted(_sizes(ranks), reverse=True)[:sets]
    least = sizes[-1] if len(sizes) == sets else 0
    lacks = 0
    for r, n in enumerate(ranks):
        if n % SET_SIZE and n % SET_SIZE >= least:
            lacks |= _SUITS_OF[r]
    return sum(sizes), lacks


def _sizes(ranks: Sequence[int]) -> Iterator[int]:
    for n in ranks:
        while n > 0:
            yield min(n, SET_SIZE)
            n -= SET_SIZE


def _held(length: int, mine: int) -> list[tuple[int, int]]:
    """The windows of a length with how many of their faces are held, most first; at the end one of jokers alone."""
    row = [(held, bits) for bits in _windows(length) if (held := (bits & mine).bit_count())]
    row.sort(key=lambda pair: -pair[0])
    return [*row, (0, 0)]


def nearest(counts: Counts, jokers: int, ways: Sequence[Wants]) -> tuple[int, int]:
    """Cards missing from the nearest of some ways, jokers counted, and the faces (bits) that would lower that."""
    found: tuple[int, int] | None = None
    for wanted in ways:
        reached = reach(counts, wanted)
        missing = max(0, wanted.size - jokers - reached.held)
        if found is None or missing < found[0]:
            found = (missing, reached.outs)
        elif missing == found[0]:
            found = (missing, found[1] | reached.outs)
    assert found is not None
    return found


class Odds:
    """What one seat reckons about the cards it does not see and about what the others want."""

    def __init__(self, view: View, seat: Seat, lines: Sequence[dict[str, Any]]) -> None:
        self.view, self.seat = view, seat
        assert view.hand is not None
        shown = {*view.hand, *view.pile}.union(*(meld.cards for meld in view.melds), *view.known)
        hidden = [c for c in (view.remade[-1] if view.remade else fresh_pack(view.seats)) if c not in shown]
        self.unseen = [0] * 52  # what the stock may hold: a remade one holds only what it was remade of
        for card in hidden:
            if card[0] != "*":
                self.unseen[NUMBER[card[:2]]] += 1
        self.total = max(1, len(hidden))
        self.jokers = len(hidden) - sum(self.unseen)
        self.open = open_faces(view.melds)
        self.history = _History(view, lines)

    def share(self, outs: int) -> float:
        """Chance that an unseen card is a joker or one of some faces (bits)."""
        found = self.jokers
        f = 0
        while outs:
            if outs & 1:
                found += self.unseen[f]
            outs >>= 1
            f += 1
        return found / self.total

    def gift(self, card: str, feed: float, known: float, unwanted: float, down: float, last: float) -> float:
        """What it costs to throw a card that the next may take: all figures in points."""
        view, face = self.view, card[:2]
        nxt = (self.seat + 1) % view.seats
        if view.down[nxt]:
            if not self.open >> NUMBER[face] & 1:
                return 0.0
            return down + (last if view.counts[nxt] <= 2 else 0.0)
        asked = view.contract
        likes = sum(near(face, c, asked.sets, asked.runs) for c in view.known[nxt] if c[0] != "*")
        spurned = sum(near(face, c, asked.sets, asked.runs) for c in self.history.spurned[nxt])
        return (feed + known * min(likes, 3)) * unwanted ** min(spurned, 2)


def near(face: str, other: str, sets: int, runs: int) -> float:
    """How far two faces go together in a contract: 1 if they could stand in one meld."""
    if sets and face[0] == other[0]:
        return 1.0
    if runs and face[1] == other[1]:
        a, b = POSITION[face[0]], POSITION[other[0]]
        gap = min(abs(x - y) for x in {a, a + 13 if a == 1 else a} for y in {b, b + 13 if b == 1 else b})
        return 1.0 if gap <= 2 else 0.5 if gap == 3 else 0.0
    return 0.0


class _History:
    """What each seat has let go by since the deal: faces that it threw or left to be drawn past."""

    def __init__(self, view: View, lines: Sequence[dict[str, Any]]) -> None:
        self.spurned: list[list[str]] = [[] for _ in range(view.seats)]
        top: str | None = None
        for line in lines:
            kind, seat, data = line["kind"], line["seat"], line["data"]
            if kind == "dealt":
                top = data["upcard"]
            elif kind == "discard":
                top = data["card"]
                if top and top[0] != "*":
                    self.spurned[seat].append(top[:2])
            elif kind == "draw" and top and top[0] != "*":
                self.spurned[seat].append(top[:2])


def open_faces(melds: Sequence[Meld]) -> int:
    """The faces (bits) that go straight onto melds of the table."""
    found = 0
    for meld in melds:
        if isinstance(meld, Set):
            found |= _SUITS_OF[RANKS.index(meld.rank)]
            continue
        suit = SUITS.index(meld.suit)
        if meld.lo > 1:
            found |= 1 << at(suit, meld.lo - 1)
        if meld.hi < ACE_HIGH:
            found |= 1 << at(suit, meld.hi + 1)
    return found
