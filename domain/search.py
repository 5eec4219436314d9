"""Which melds a hand can make, and the richest mix of them: bit masks over faces, within a budget.

A suit's cards are a 13-bit mask, bit 0 the ace; with two packs a second mask holds the second copies. Equal faces are
interchangeable here, and so are jokers; whoever calls turns faces back into cards.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from domain.cards import POSITION, Card
from domain.melds import End, Meld, Run, Style, fits, positions

_BITS = {rank: 1 << at | 1 << at + 13 for rank, at in POSITION.items()}  # positions that a rank can stand at


class Pool:
    """Cards that may be used, by suit (bits are positions), by rank and as jokers. Cards can be added."""

    __slots__ = ("cards", "jokers", "ranks", "suits")

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        self.cards: list[Card] = []
        self.suits = {"S": 0, "H": 0, "D": 0, "C": 0}
        self.ranks = dict.fromkeys(POSITION, 0)
        self.jokers = 0
        for card in cards:
            self.add(card)

    def __repr__(self) -> str:
        return f"<Pool of {len(self.cards)}>"

    def add(self, card: Card) -> None:
        """Put one more card into the pool."""
        self.cards.append(card)
        if card[0] == "*":
            self.jokers += 1
        else:
            self.suits[card[1]] |= _BITS[card[0]]
            self.ranks[card[0]] += 1


class Found(NamedTuple):
    """A way to meld a card with the fewest pool cards: `size` of them, `jokers` among those.

    On a meld of the table (`meld`, at `end` if a run) after the cards for `places` have gone there in that order; or in a
    new meld: a run of `suit` over `places` or, with `suit` empty, a set with `size` others. 0 in `places` is the card.
    """

    size: int
    new: bool
    jokers: int
    meld: int
    end: End | None
    suit: str
    places: tuple[int, ...]


def find(card: Card, pool: Pool, melds: Sequence[Meld], style: Style) -> Found | None:
    """How `card` can be melded with the fewest cards of the pool, or None.

    Of equal ways one on the table comes before a new meld, then the one with fewer jokers, then a set before a run and the
    older meld; a card that fits both ends of a run goes to the high end.
    """
    best: Found | None = None
    for meld in melds:
        ends = fits(meld, card, style)
        if ends:
            return Found(0, False, 0, meld.id, ends[-1], "", ())
        if type(meld) is Run and card[0] != "*" and card[1] == meld.suit:
            for found in _after(card, pool, meld, style):
                if best is None or found < best:
                    best = found
    if best is None or best.size > min(style.set_min, style.run_min) - 1:
        for found in (_in_set(card, pool, style), _in_run(card, pool, style)):
            if found is not None and (best is None or found[:3] < best[:3]):
                best = found
    return best


def _after(card: Card, pool: Pool, run: Run, style: Style) -> list[Found]:
    """Ways to bring a natural onto a run after the cards between have gone there."""
    have, found = pool.suits[run.suit], []
    hi = run.lo + len(run.cards) - 1
    for at in positions(card, style):
        between: Sequence[int]
        if at > hi and at - run.lo < style.run_max:
            between, end = range(hi + 1, at), "high"
        elif at < run.lo and hi - at < style.run_max:
            between, end = range(run.lo - 1, at, -1), "low"
        else:
            continue
        jokers = sum(not have >> p & 1 for p in between)
        if jokers <= pool.jokers:
            found.append(Found(len(between), False, jokers, run.id, end, "", tuple(between)))
    return found


def _in_set(card: Card, pool: Pool, style: Style) -> Found | None:
    """A smallest set with the card."""
    size = style.set_min - 1
    joker = card[0] == "*"
    own = 0 if joker else 1
    for rank in POSITION if joker else (card[0],):
        have = pool.ranks[rank]
        if style.distinct:
            have = sum(suit != card[1] and mask >> POSITION[rank] & 1 for suit, mask in pool.suits.items())
        naturals = min(have, size)
        if naturals + own >= style.naturals and size - naturals <= pool.jokers and naturals + own:
            return Found(size, True, size - naturals, -1, None, "", (POSITION[rank],))
    return None


def _in_run(card: Card, pool: Pool, style: Style) -> Found | None:
    """A shortest run with the card."""
    joker = card[0] == "*"
    best: Found | None = None
    for suit in pool.suits if joker else (card[1],):
        have = pool.suits[suit]
        if have:
            for at in (0,) if joker else positions(card, style):
                found = _window(at, have, suit, pool.jokers, style)
                if found is not None and (best is None or found < best):
                    best = found
    return best


def _window(at: int, have: int, suit: str, jokers: int, style: Style) -> Found | None:
    """A shortest span of positions around `at` (0: a joker's, anywhere) that cards of the suit and jokers can fill."""
    for length in range(style.run_min, min(style.run_min + jokers, style.run_max) + 1):
        lows = range(max(style.low, at - length + 1), at + 1) if at else range(style.low, style.high)
        best: Found | None = None
        for lo in lows:
            if lo + length - 1 > style.high:
                break
            span = (1 << length) - 1 << lo
            filled = have & span & ~(1 << at)
            naturals = filled.bit_count()
            wild = length - 1 - naturals
            if 0 <= wild <= jokers and naturals + (at > 0) >= max(style.naturals, 1):
                found = Found(length - 1, True, wild, -1, None, suit, _places(lo, length, at, filled))
                if best is None or found < best:
                    best = found
        if best is not None:
            return best
    return None


def _places(lo: int, length: int, at: int, filled: int) -> tuple[int, ...]:
    places = list(range(lo, lo + length))
    missing = at or max(p for p in places if not filled >> p & 1)
    places[missing - lo] = 0
    return tuple(places)
