"""How a card can be melded, and every meld that some cards make (RULES.md of each game, "Melds").

A hand is one number with a bit for each card of two decks by suit, another by rank, and one for each joker. Ways are
looked for in slices of it, which come again and again and are remembered.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

from domain.cards import RANKS, SUITS, Card, pack
from domain.melds import End, Meld, Placing, Run, Set, Style, arrange, fits, positions

PACK = tuple(pack(2, 8))
SUIT_WIDTH, RANK_WIDTH, HALF = 26, 8, 13  # cards of a suit and of a rank in two decks; of a suit in one
BY_RANK, JOKERS = 104, 208  # where the bits by rank and those of the jokers begin
SUIT_MASK, RANK_MASK, HALF_MASK = (1 << SUIT_WIDTH) - 1, (1 << RANK_WIDTH) - 1, (1 << HALF) - 1
_SUIT_AT = {suit: i * SUIT_WIDTH for i, suit in enumerate(SUITS)}
_RANK_AT = {rank: i * RANK_WIDTH + BY_RANK for i, rank in enumerate(RANKS)}


def _bits(card: Card) -> int:
    if card[0] == "*":
        return 1 << JOKERS + int(card[1:]) - 1
    rank, suit, copy = RANKS.index(card[0]), SUITS.index(card[1]), int(card[2:]) - 1
    by_suit, by_rank = _SUIT_AT[card[1]] + copy * HALF + rank, _RANK_AT[card[0]] + suit * 2 + copy
    return 1 << by_suit | 1 << by_rank


BITS = {card: _bits(card) for card in PACK}


_AT = {1 << i: card for card, bits in BITS.items() for i in range(bits.bit_length()) if bits >> i & 1}


def number(cards: Iterable[Card]) -> int:
    """Cards of at most two decks as one number. Raises KeyError for other cards."""
    bits = 0
    for card in cards:
        bits |= BITS[card]
    return bits


def named(bits: int) -> list[Card]:
    """The cards that these bits of a number stand for, by suit, by rank or jokers, lowest bit first."""
    cards = []
    while bits:
        bit = bits & -bits
        cards.append(_AT[bit])
        bits ^= bit
    return cards


class Found(NamedTuple):
    """A way to meld a card with the fewest pool cards: `size` of them, `jokers` among those.

    On a meld of the table (`meld`, at `end` if a run) after cards for `places` have gone there in that order; or in a
    new meld: a run of `suit` over `places`, 0 standing for the card; with `suit` empty a set of the rank in `places`.
    """

    size: int
    new: bool
    jokers: int
    meld: int
    end: End | None
    suit: str
    places: tuple[int, ...]


class Spread(NamedTuple):
    """The melds of a table, oldest first, sorted for looking up."""

    melds: Sequence[Meld]
    runs: dict[str, list[Run]]  # by suit
    sets: dict[str, list[Set]]  # by rank


def spread(melds: Sequence[Meld]) -> Spread:
    """A table's melds as `find` wants them."""
    runs: dict[str, list[Run]] = {}
    sets: dict[str, list[Set]] = {}
    for meld in melds:
        if isinstance(meld, Run):
            runs.setdefault(meld.suit, []).append(meld)
        else:
            sets.setdefault(meld.rank, []).append(meld)
    return Spread(melds, runs, sets)


def find(card: Card, pool: int, table: Spread, style: Style) -> Found | None:
    """How `card` can be melded with the fewest cards of the pool (a hand as a number), or None.

    Of equal ways one on the table comes before a new meld, then the one with fewer jokers, then a set before a run,
    then the older meld; a card that fits both ends of a run goes to the high end.
    """
    rank, jokers = card[0], (pool >> JOKERS).bit_count()
    if rank == "*":
        return _find_joker(pool, table, jokers, style)
    if rank in table.sets:
        for meld in table.sets[rank]:
            if fits(meld, card, style):
                return Found(0, False, 0, meld.id, None, "", ())
    suit = card[1]
    part = pool >> _SUIT_AT[suit] & SUIT_MASK
    have = (part | part >> HALF) & HALF_MASK
    ways = [_onto(rank, have, jokers, run, style) for run in table.runs[suit]] if suit in table.runs else []
    alone = style.naturals < 2
    if alone or pool >> _RANK_AT[rank] & RANK_MASK:
        ways.append(_in_set(card, pool, jokers, style))
    near = have & _near(rank, jokers, style)
    if alone or near:
        ways.append(_in_run(rank, suit, near, jokers, style))
    return _least(ways) if ways else None


def _least(ways: Sequence[Found | None]) -> Found | None:
    """The first of the ways that take the fewest cards."""
    best: Found | None = None
    for way in ways:
        if way is not None and (best is None or way[:3] < best[:3]):
            best = way
    return best


@lru_cache(maxsize=1 << 10)
def _near(rank: str, jokers: int, style: Style) -> int:
    """Mask of the ranks that can matter for a shortest new run with this one."""
    reach = range(1 - style.run_min - jokers, style.run_min + jokers)
    ranks = {(p + d - 1) % HALF for p in positions(rank, style) for d in reach if style.low <= p + d <= style.high}
    return sum(1 << i for i in ranks)


def _find_joker(pool: int, table: Spread, jokers: int, style: Style) -> Found | None:
    for meld in table.melds:
        ends = fits(meld, "*1", style)
        if ends:
            return Found(0, False, 0, meld.id, ends[-1], "", ())
    ways = [_in_set(Card(rank), pool, jokers, style, own=0) for rank in RANKS]
    for suit, at in _SUIT_AT.items():
        part = pool >> at & SUIT_MASK
        ways.append(_window(0, (part | part >> HALF) & HALF_MASK, suit, jokers, style))
    return _least(ways)


def _onto(rank: str, have: int, jokers: int, run: Run, style: Style) -> Found | None:
    """The shortest way to bring a natural onto a run of its suit, directly or after the cards between."""
    best: Found | None = None
    for end, between, ranks in _roads(rank, run.lo, len(run.cards), style):
        wild = (ranks & ~have).bit_count()
        if wild <= jokers and (best is None or (len(between), wild) < (best.size, best.jokers)):
            best = Found(len(between), False, wild, run.id, end, "", between)
    return best


@lru_cache(maxsize=1 << 14)
def _roads(rank: str, lo: int, length: int, style: Style) -> tuple[tuple[End, tuple[int, ...], int], ...]:
    """For each end that a rank might come to: the positions between, nearest the run first, and their ranks."""
    hi = lo + length - 1
    roads: list[tuple[End, tuple[int, ...], int]] = []
    for at in reversed(positions(rank, style)):
        if at > hi and at - lo < style.run_max:
            between = tuple(range(hi + 1, at))
        elif at < lo and hi - at < style.run_max:
            between = tuple(range(lo - 1, at, -1))
        else:
            continue
        roads.append(("high" if at > hi else "low", between, sum(1 << (p - 1) % HALF for p in between)))
    return tuple(roads)


def _in_set(card: Card, pool: int, jokers: int, style: Style, own: int = 1) -> Found | None:
    """A smallest set of the card's rank. `own`: 0 if the card itself is not one of it but a joker."""
    at, size = _RANK_AT[card[0]], style.set_min - 1
    same = pool >> at & RANK_MASK
    count = same.bit_count()
    if style.distinct:
        count = sum(same >> 2 * i & 3 > 0 and (not own or SUITS[i] != card[1]) for i in range(len(SUITS)))
    naturals = min(count, size)
    if size - naturals > jokers or naturals + own < max(style.naturals, 1):
        return None
    return Found(size, True, size - naturals, -1, None, "", (RANKS.index(card[0]) + 1,))


@lru_cache(maxsize=1 << 16)
def _in_run(rank: str, suit: str, have: int, jokers: int, style: Style) -> Found | None:
    """A shortest new run with a natural."""
    return _least([_window(at, have, suit, jokers, style) for at in positions(rank, style)])


def _window(at: int, have: int, suit: str, jokers: int, style: Style) -> Found | None:
    """A shortest span of positions around `at` (0: a joker's, anywhere) that cards of the suit and jokers can fill."""
    wide = (have | have << HALF) << 1  # a bit for each position
    for length in range(style.run_min, min(style.run_min + jokers, style.run_max) + 1):
        top = style.high - length + 1
        lows = range(max(style.low, at - length + 1), min(at, top) + 1) if at else range(style.low, top + 1)
        best: Found | None = None
        for lo in lows:
            filled = wide & (1 << length) - 1 << lo & ~(1 << at)
            naturals = filled.bit_count()
            wild = length - 1 - naturals
            if 0 <= wild <= jokers and naturals + (at > 0) >= max(style.naturals, 1):
                found = Found(length - 1, True, wild, -1, None, suit, _places(lo, length, at, filled))
                if best is None or wild < best.jokers:
                    best = found
        if best is not None:
            return best
    return None


def _places(lo: int, length: int, at: int, filled: int) -> tuple[int, ...]:
    places = list(range(lo, lo + length))
    missing = at or max(p for p in places if not filled >> p & 1)
    places[missing - lo] = 0
    return tuple(places)


def new_sets(naturals: Sequence[Card], jokers: Sequence[Card], style: Style) -> list[tuple[Card, ...]]:
    """Every set that some of these cards of one rank and some of the jokers make."""
    found = []
    for n in range(max(style.naturals, 1), len(naturals) + 1):
        for cards in combinations(naturals, n):
            if style.distinct and len({c[1] for c in cards}) < n:
                continue
            for k in range(max(0, style.set_min - n), min(len(jokers), style.set_max - n) + 1):
                found += [cards + wild for wild in combinations(jokers, k)]
    return found


def new_runs(naturals: Sequence[Card], jokers: Sequence[Card], style: Style) -> list[tuple[tuple[Card, ...], int]]:
    """Every run that some cards of one suit and some of the jokers make, as cards in order and `low_jokers`."""
    copies: dict[str, list[Card]] = {}
    for card in sorted(naturals):
        copies.setdefault(card[0], []).append(card)
    have = sum(1 << RANKS.index(rank) for rank in copies)
    shapes: dict[tuple[str, int], None] = {}
    for ranks in _clusters(have, len(jokers), style):
        twice = "".join(r for r in ranks if len(copies[r]) > 1 and len(positions(r, style)) > 1)
        shapes |= dict.fromkeys(_shapes(ranks, twice, len(jokers), style))
    found = []
    for shape, low in shapes:
        need = {rank: shape.count(rank) for rank in shape if rank != "*"}
        for wild in combinations(jokers, shape.count("*")):
            for chosen in product(*(combinations(copies[rank], n) for rank, n in need.items())):
                cards = {rank: iter(some) for rank, some in zip(need, chosen, strict=True)} | {"*": iter(wild)}
                found.append((tuple([next(cards[rank]) for rank in shape]), low))
    return found


@lru_cache(maxsize=1 << 16)
def may_run(have: int, jokers: int, style: Style) -> bool:
    """Whether a suit of which these ranks are held (a mask) can make a run with so many jokers."""
    return bool(_clusters(have, jokers, style))


@lru_cache(maxsize=1 << 14)
def _clusters(have: int, jokers: int, style: Style) -> tuple[str, ...]:
    """The ranks of a suit in groups that jokers can join, those too small for a run left out."""
    wide = (have | have << HALF) << 1
    places = [p for p in range(style.low, style.high + 1) if wide >> p & 1]
    groups: list[list[int]] = []
    for p in places:
        if groups and p - groups[-1][-1] - 1 <= jokers:
            groups[-1].append(p)
        else:
            groups.append([p])
    enough = [g for g in groups if len(g) >= max(style.naturals, 1) and len(g) + jokers >= style.run_min]
    return tuple("".join(dict.fromkeys(RANKS[(p - 1) % HALF] for p in g)) for g in enough)


@lru_cache(maxsize=1 << 14)
def _shapes(ranks: str, twice: str, jokers: int, style: Style) -> list[tuple[str, int]]:
    """Every run of these ranks and so many jokers, as ranks and "*" in order, and the fewest `low_jokers` to ask for.

    A rank in `twice` may stand at both ends.
    """
    at: dict[int, list[Card]] = {}
    for card in [Card(f"{rank}S1") for rank in ranks] + [Card(f"{rank}S2") for rank in twice]:
        for p in positions(card, style):
            at.setdefault(p, []).append(card)
    subsets: dict[tuple[Card, ...], None] = {}

    def grow(chosen: tuple[Card, ...], last: int, gaps: int) -> None:
        if len(chosen) >= max(style.naturals, 1):
            subsets[tuple(sorted(chosen))] = None
        for p, cards in at.items():
            if last < p and gaps + p - last - 1 <= jokers:
                for card in cards:
                    if card not in chosen:
                        grow((*chosen, card), p, gaps + p - last - 1)

    for p, cards in at.items():
        for card in cards:
            grow((card,), p, 0)
    found: dict[tuple[str, int], None] = {}
    for chosen in subsets:
        for k in range(max(0, style.run_min - len(chosen)), min(jokers, style.run_max - len(chosen)) + 1):
            wild = tuple(Card(f"*{i}") for i in range(1, k + 1))
            for placing, low in _different((*chosen, *wild), k, style):
                found["".join(c[0] for c in placing), low] = None
    return list(found)


def _different(cards: tuple[Card, ...], jokers: int, style: Style) -> list[tuple[tuple[Card, ...], int]]:
    """The different runs of exactly these cards, each with the fewest `low_jokers` that ask for it."""
    by_placing: dict[Placing, int] = {}
    for low in range(jokers + 1):
        placing = arrange(cards, style, low)
        if placing is not None:
            by_placing.setdefault(placing, low)
    return [(placing.cards, low) for placing, low in by_placing.items()]
