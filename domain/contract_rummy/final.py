"""The last hand: whether all cards make three runs, and how far a hand is from that (RULES.md, "Hints"). Pure.

Whether they do is exact. A suit's cards are counts of its thirteen ranks; each suit is worked out by itself and
remembered.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import NamedTuple, TypeAlias

from domain.cards import ACE_HIGH, RANKS, SUITS
from domain.contract_rummy.contracts import CONTRACTS, POINTS, RUN_SIZE, STYLE
from domain.contract_rummy.faces import FACES, Part, Shape, at, shape

RUNS = CONTRACTS[-1].runs
MISSING = 10  # points that a missing card counts as
SPANS = 24  # the most promising spans of a suit that are put together

Suit: TypeAlias = tuple[int, ...]  # how many of each rank
Places: TypeAlias = tuple[int, ...]  # positions of a run's naturals, rising


def go_out_runs(hand: Iterable[str], runs: int = RUNS) -> tuple[Part, ...] | None:
    """All cards as exactly so many runs of at least four, or None if they cannot be. `hand` in cards or faces.

    >>> [p.lo for p in go_out_runs("3C 4C 5C 6C 7D 8D 9D TD JD JS QS KS AS".split())]
    [11, 7, 3]
    """
    return _out(shape(hand), runs)


@lru_cache(maxsize=1 << 14)
def _out(hand: Shape, runs: int) -> tuple[Part, ...] | None:
    suits = [hand.counts[s * 13 : s * 13 + 13] for s in range(4)]
    held = [s for s in range(4) if any(suits[s])]
    best: tuple[int, list[tuple[int, Places]]] | None = None
    if len(held) > runs or sum(hand.counts) + hand.jokers > runs * STYLE.run_max:
        return None
    for shares in _shares(len(held), runs):
        need, found = (runs - sum(shares)) * RUN_SIZE, list[tuple[int, Places]]()
        for s, k in zip(held, shares, strict=True):
            split = _split(suits[s], k)
            if split is None:
                break
            need += split.need
            found += [(s, places) for places in split.runs]
        else:
            if need <= hand.jokers and (best is None or need < best[0]):
                best = (need, found + [(0, ())] * (runs - sum(shares)))
    return None if best is None else tuple(_filled(best[1], hand.jokers - best[0]))


def _shares(suits: int, runs: int) -> list[tuple[int, ...]]:
    """How many runs each suit may make, at least one each; what is left over is of jokers alone."""
    if not suits:
        return [()]
    return [(k, *rest) for k in range(1, runs - suits + 2) for rest in _shares(suits - 1, runs - k)]


class _Split(NamedTuple):
    """A suit's cards in runs, and how few jokers they need in gaps and to be long enough."""

    need: int
    runs: tuple[Places, ...]


@lru_cache(maxsize=1 << 15)
def _split(suit: Suit, k: int) -> _Split | None:
    """All cards of a suit in exactly `k` runs with the fewest jokers, or None."""
    aces = suit[0]
    found = [s for low in range(aces + 1) if (s := _partition((low, *suit[1:], aces - low), k)) is not None]
    return min(found, key=lambda s: s.need, default=None)


def _partition(counts: tuple[int, ...], k: int) -> _Split | None:
    """The same with the cards by position (1 at index 0), so that each ace has its place."""
    states: dict[tuple[tuple[int, int], ...], _Split] = {((0, 0),) * k: _Split(0, ((),) * k)}
    for p, n in enumerate(counts, 1):
        if n > k:
            return None
        if not n:
            continue
        after: dict[tuple[tuple[int, int], ...], _Split] = {}
        for ends, so_far in states.items():
            for chosen in range(1 << k):
                if chosen.bit_count() != n:
                    continue
                need, places, now = so_far.need, list(so_far.runs), list(ends)
                for i in range(k):
                    if chosen >> i & 1:
                        last, length = ends[i]
                        gap = p - last - 1 if last else 0
                        need += gap
                        now[i] = (p, min(RUN_SIZE, length + gap + 1))
                        places[i] = (*places[i], p)
                order = sorted(range(k), key=now.__getitem__)
                key = tuple(now[i] for i in order)
                if key not in after or need < after[key].need:
                    after[key] = _Split(need, tuple(places[i] for i in order))
        states = after
    ended = [
        split._replace(need=split.need + sum(RUN_SIZE - length for _, length in ends))
        for ends, split in states.items()
        if all(length for _, length in ends)
    ]
    return min(ended, key=lambda s: s.need, default=None)


def _filled(runs: list[tuple[int, Places]], spare: int) -> list[Part]:
    """The runs with their jokers: in gaps, then to be long enough, then wherever there is room; high ends first."""
    parts = []
    for suit, places in runs:
        lo, hi = (places[0], places[-1]) if places else (1, RUN_SIZE)
        while hi - lo + 1 < RUN_SIZE:
            lo, hi = (lo, hi + 1) if hi < ACE_HIGH else (lo - 1, hi)
        while spare and hi - lo + 1 < STYLE.run_max:
            lo, hi = (lo, hi + 1) if hi < ACE_HIGH else (lo - 1, hi)
            spare -= 1
        faces = tuple(FACES[at(suit, p)] if p in places else "*" for p in range(lo, hi + 1))
        parts.append(Part("run", "", SUITS[suit], lo, faces))
    return parts


class Closest(NamedTuple):
    """The three runs that a hand is closest to, the points of the naturals outside, the cards missing."""

    cost: int
    missing: int
    parts: tuple[Part, ...]


def final_cost(hand: Iterable[str]) -> int:
    """How far a hand is from three runs: points of the cards outside the best three and 10 for each card missing.

    >>> final_cost("3C 4C 5C 6C 7D 8D 9D TD JS QS KS 2H".split())
    12
    """
    return closest(hand).cost


def progress(hand: Iterable[str]) -> int:
    """How many cards are missing from the three runs that a hand is closest to."""
    return closest(hand).missing


def final_groups(hand: Iterable[str]) -> tuple[Part, ...]:
    """The three runs that a hand is closest to, places that are missing empty."""
    return closest(hand).parts


def closest(hand: Iterable[str]) -> Closest:
    """The three runs with the least `final_cost`, of those put together from each suit's most promising spans."""
    mine = shape(hand)
    out = _out(mine, RUNS)
    return Closest(0, 0, out) if out is not None else _closest(mine)


class _Span(NamedTuple):
    lo: int
    hi: int
    ranks: int  # as bits, the ace lowest


class _Bunch(NamedTuple):
    """Some spans of one suit, or of several suits together, the cards missing in them and the points they cover."""

    missing: int
    covered: int
    spans: tuple[tuple[int, _Span], ...]


@lru_cache(maxsize=1 << 14)
def _closest(hand: Shape) -> Closest:
    total = sum(n * POINTS[face[0]] for face, n in zip(FACES, hand.counts, strict=True) if n)
    mixes: dict[int, list[_Bunch]] = {0: [_Bunch(0, 0, ())]}
    for s in range(4):
        own = _bunches(hand.counts[s * 13 : s * 13 + 13])
        after: dict[int, list[_Bunch]] = {}
        for k, some in mixes.items():
            for j in range(RUNS - k + 1):
                after.setdefault(k + j, []).extend(
                    _Bunch(a.missing + b.missing, a.covered + b.covered, a.spans + tuple((s, x) for _, x in b.spans))
                    for a in some
                    for b in own[j]
                )
        mixes = {k: _pareto(some) for k, some in after.items()}
    ends = []
    for k, some in mixes.items():
        empty = RUNS - k
        for bunch in some:
            missing = max(0, bunch.missing + empty * RUN_SIZE - hand.jokers)
            ends.append((total - bunch.covered + MISSING * missing, missing, empty, bunch))
    cost, missing, empty, bunch = min(ends, key=lambda e: e[:3])
    spans = [*bunch.spans, *[(0, _Span(1, RUN_SIZE, (1 << RUN_SIZE) - 1))] * empty]
    return Closest(cost, missing, tuple(_unfinished(hand, spans)))


def _worths() -> list[int]:
    """Points of every group of ranks, which are bits, the ace lowest."""
    found = [0]
    for r, rank in enumerate(RANKS):
        found += [points + POINTS[rank] for points in found[: 1 << r]]
    return found


_WORTHS = _worths()


@lru_cache(maxsize=1 << 14)
def _bunches(suit: Suit) -> tuple[tuple[_Bunch, ...], ...]:
    """For 0 to 3 spans of a suit the best ways to choose them: fewer missing, or more points covered."""
    held = tuple(sum(1 << r for r in range(13) if suit[r] >= n) for n in range(1, RUNS + 1))
    spans = _spans(held[0])
    found: list[tuple[_Bunch, ...]] = [(_Bunch(0, 0, ()),)]
    for k in range(1, RUNS + 1):
        best: dict[int, tuple[int, tuple[_Span, ...]]] = {}
        for some in combinations_with_replacement(spans, k):
            missing, covered = _covered(held, some)
            if missing not in best or covered > best[missing][0]:
                best[missing] = (covered, some)
        ways = (_Bunch(m, covered, tuple((0, x) for x in some)) for m, (covered, some) in best.items())
        found.append(tuple(_pareto(ways)))
    return tuple(found)


def _spans(held: int) -> list[_Span]:
    """Spans of four to thirteen places, those that begin and end with a natural and those of just four with any."""
    have = [p for p in range(1, ACE_HIGH + 1) if held >> (p - 1) % 13 & 1]
    ends = {(lo, hi) for lo in have for hi in have if RUN_SIZE - 1 <= hi - lo < 13}
    ends |= {(lo, lo + RUN_SIZE - 1) for p in have for lo in range(p - RUN_SIZE + 1, p + 1) if 1 <= lo <= 11}
    spans = [_Span(lo, hi, sum(1 << (p - 1) % 13 for p in range(lo, hi + 1))) for lo, hi in sorted(ends)]
    spans.sort(key=lambda x: (x.ranks & ~held).bit_count() * MISSING - _WORTHS[x.ranks & held])
    return spans[:SPANS]


def _covered(held: tuple[int, ...], spans: tuple[_Span, ...]) -> tuple[int, int]:
    """Cards missing in some spans of a suit and points of those there; `held` are ranks held once, twice, thrice."""
    once = twice = thrice = places = 0
    for _, _, ranks in spans:
        once, twice, thrice = once | ranks, twice | once & ranks, thrice | twice & ranks
        places += ranks.bit_count()
    once, twice, thrice = once & held[0], twice & held[1], thrice & held[2]
    missing = places - once.bit_count() - twice.bit_count() - thrice.bit_count()
    return missing, _WORTHS[once] + _WORTHS[twice] + _WORTHS[thrice]


def _pareto(ways: Iterable[_Bunch]) -> list[_Bunch]:
    """Those that no other beats in both figures."""
    best: list[_Bunch] = []
    for way in sorted(ways, key=lambda b: (b.missing, -b.covered)):
        if not best or way.covered > best[-1].covered:
            best.append(way)
    return best


def _unfinished(hand: Shape, spans: list[tuple[int, _Span]]) -> list[Part]:
    counts, jokers, parts = list(hand.counts), hand.jokers, []
    for suit, span in spans:
        faces = []
        for p in range(span.lo, span.hi + 1):
            f = at(suit, p)
            if counts[f]:
                counts[f] -= 1
                faces.append(FACES[f])
            elif jokers:
                jokers -= 1
                faces.append("*")
            else:
                faces.append("")
        parts.append(Part("run", "", SUITS[suit], span.lo, tuple(faces)))
    return parts
