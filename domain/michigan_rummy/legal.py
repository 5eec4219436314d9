"""All moves of one part that a seat may make."""

from functools import lru_cache

from domain.cards import SUITS, Card, Seat
from domain.game import Illegal
from domain.melds import End, Meld, Run, Set, fits
from domain.michigan_rummy.plan import diggable, way
from domain.michigan_rummy.points import STYLE
from domain.michigan_rummy.state import Discard, Draw, Lay, Move, NewMeld, Play, Ready, State, Take
from domain.search import (
    BY_RANK,
    HALF,
    HALF_MASK,
    JOKERS,
    PACK,
    RANK_MASK,
    RANK_WIDTH,
    SUIT_MASK,
    SUIT_WIDTH,
    may_run,
    named,
    new_runs,
    new_sets,
    number,
)  # fmt: skip

_DISCARD = {card: Discard(card) for card in PACK}
_TAKE = [Take(at) for at in range(len(PACK))]
_DRAW, _READY = Draw(), Ready()


def legal(s: State, seat: Seat) -> list[Move]:
    """Every one-part move of the seat; a dig that needs several parts gives one compound move."""
    if s.phase == "scored":
        return [] if s.ready[seat] else [_READY]
    if s.phase == "over" or seat != s.turn:
        return []
    spare = s.options.discard_out == "on"
    if s.phase == "draw":
        can = diggable(s.hands[seat], s.pile, s.melds, spare=spare)
        moves: list[Move] = [_DRAW] if s.stock or len(s.pile) > 1 else []
        return moves + [_TAKE[at] for at, yes in enumerate(can) if yes]
    hand = s.hands[seat]
    lays = _lays(hand, s.melds)
    if spare:
        lays = [move for move in lays if _size(move) < len(hand)]
    if s.must is None:
        return [*lays, *[_DISCARD[card] for card in hand]]
    lays = [move for move in lays if _uses(move, s.must)]
    return [*lays] if lays else [compound(s, seat)]


def compound(s: State, seat: Seat) -> Lay:
    """The shortest meld move with the card that has to be melded."""
    assert s.must is not None
    pool = [c for c in s.hands[seat] if c != s.must]
    found = way(s.must, pool, s.melds, spare=s.options.discard_out == "on")
    if found is None:
        raise Illegal("DEEP_UNMELDABLE", "The card you took cannot be melded.")
    return found.move


def _size(move: Lay) -> int:
    return len(move.melds[0].cards) if move.melds else 1


def _uses(move: Lay, card: Card) -> bool:
    return card in move.melds[0].cards if move.melds else card == move.plays[0].card


def _lays(hand: tuple[Card, ...], melds: tuple[Meld, ...]) -> list[Lay]:
    """Every single new meld and every card on every meld and end that takes it."""
    bits = number(hand)
    jokers = bits >> JOKERS
    wild = jokers.bit_count()
    found: list[Lay] = []
    once = twice = thrice = 0  # ranks held at least so often
    for i in range(len(SUITS)):
        part = bits >> i * SUIT_WIDTH & SUIT_MASK
        low, high = part & HALF_MASK, part >> HALF
        if may_run(low | high, wild, STYLE):
            found += _runs(i, part, jokers)
        for ranks in (low, high) if high else (low,):
            once, twice, thrice = once | ranks, twice | once & ranks, thrice | twice & ranks
    ranks = twice if wild else thrice
    while ranks:
        rank = ranks.bit_length() - 1
        ranks ^= 1 << rank
        found += _sets(rank, bits >> BY_RANK + rank * RANK_WIDTH & RANK_MASK, jokers)
    for meld in melds:
        takes, ends = _on_run(meld.suit, meld.lo, len(meld.cards)) if isinstance(meld, Run) else _on_set(meld.rank)
        if takes & bits:
            for card in named(takes & bits):
                found += [_play(card, meld.id, end) for end in ends[card]]
    return found


@lru_cache(maxsize=1 << 14)
def _runs(suit: int, bits: int, jokers: int) -> list[Lay]:
    cards = named(bits << suit * SUIT_WIDTH)
    return [Lay(melds=(NewMeld(run, None, low),)) for run, low in new_runs(cards, named(jokers << JOKERS), STYLE)]


@lru_cache(maxsize=1 << 14)
def _sets(rank: int, bits: int, jokers: int) -> list[Lay]:
    cards = named(bits << BY_RANK + rank * RANK_WIDTH)
    return [Lay(melds=(NewMeld(set_),)) for set_ in new_sets(cards, named(jokers << JOKERS), STYLE)]


_Takes = tuple[int, dict[Card, tuple[End | None, ...]]]
"""The cards of the pack that go on a meld, as bits by suit, and the ends where each does."""


def _takes(meld: Meld) -> _Takes:
    ends = {card: fits(meld, card, STYLE) for card in PACK}
    bits = number(card for card, where in ends.items() if where)
    return bits & ~(((1 << JOKERS - BY_RANK) - 1) << BY_RANK), ends


@lru_cache(maxsize=1 << 10)
def _on_run(suit: str, lo: int, length: int) -> _Takes:
    blank = Card("")  # what a run takes follows from its suit and where it begins and ends
    return _takes(Run(0, Seat(0), (blank,) * length, (), suit, lo))


@lru_cache(maxsize=1 << 6)
def _on_set(rank: str) -> _Takes:
    return _takes(Set(0, Seat(0), (), (), rank))


@lru_cache(maxsize=1 << 14)
def _play(card: Card, meld: int, end: End | None) -> Lay:
    return Lay(plays=(Play(card, meld, end),))
