"""All the ways to lay cards: the same for hints, bots and legal moves, so they cannot disagree (RULES.md, "A turn")."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from domain.cards import RANKS, SUITS, Card
from domain.melds import End, Meld, fits
from domain.search import may_run, new_runs, new_sets
from domain.thai_rummy.points import STYLE


class Spot(NamedTuple):
    """Where a card goes: the meld's id, the end if it is a run."""

    meld: int
    end: End | None


def new_melds(cards: Sequence[Card]) -> list[tuple[Card, ...]]:
    """Every new meld that some of these cards make."""
    found: list[tuple[Card, ...]] = []
    for suit in SUITS:
        found += _runs(tuple(sorted(c for c in cards if c[1] == suit)))
    for rank in RANKS:
        found += _sets(tuple(sorted(c for c in cards if c[0] == rank)))
    return found


@lru_cache(maxsize=1 << 12)
def _runs(cards: tuple[Card, ...]) -> list[tuple[Card, ...]]:
    """The runs that cards of one suit make."""
    if len(cards) < STYLE.run_min or not may_run(sum(1 << RANKS.index(c[0]) for c in cards), 0, STYLE):
        return []
    return [run for run, _ in new_runs(cards, (), STYLE)]


@lru_cache(maxsize=1 << 10)
def _sets(cards: tuple[Card, ...]) -> list[tuple[Card, ...]]:
    """The sets that cards of one rank make."""
    return new_sets(cards, (), STYLE) if len(cards) >= STYLE.set_min else []


def lays(hand: Sequence[Card]) -> list[tuple[Card, ...]]:
    """Every new meld that a hand may lay: one card at least stays in it."""
    return [cards for cards in new_melds(hand) if len(cards) < len(hand)]


def takes(hand: Sequence[Card], pile: Sequence[Card], at: int) -> list[tuple[Card, ...]]:
    """Every new meld with which the pile may be taken from index `at` up."""
    bottom, own, above = pile[at], frozenset(hand), pile[at:]
    size = len(hand) + len(above)
    suit = tuple(sorted(c for c in (*hand, *above) if c[1] == bottom[1]))
    rank = tuple(sorted(c for c in (*hand, *above) if c[0] == bottom[0]))
    return [
        cards for cards in (*_runs(suit), *_sets(rank))
        if bottom in cards and len(cards) < size and not own.isdisjoint(cards)
    ]  # fmt: skip


def spots(card: Card, melds: Sequence[Meld]) -> list[Spot]:
    """Every place on the table where a card goes."""
    return [Spot(meld.id, end) for meld in melds for end in fits(meld, card, STYLE)]
