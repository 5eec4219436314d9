"""The moves that a seat may make: all of one part, and a way to lay the contract if there is one."""

from collections.abc import Iterator
from typing import get_args

from domain.cards import Card, Seat
from domain.contract_rummy.contracts import STYLE
from domain.contract_rummy.lay import joker_places, put_on, swap_in
from domain.contract_rummy.state import (
    Buy,
    BuyPref,
    Decline,
    Discard,
    Draw,
    LayOff,
    Move,
    Pass,
    PassFor,
    Play,
    Pref,
    Ready,
    State,
    Swap,
    Take,
)  # fmt: skip
from domain.contract_rummy.suggest import suggest
from domain.contract_rummy.window import eligible, undecided
from domain.game import Illegal
from domain.melds import End, Meld, Run, fits

_PREFS = tuple(BuyPref(pref) for pref in get_args(Pref))


def legal(s: State, seat: Seat) -> list[Move]:
    """Every one-part move of the seat, and the suggested way to go down or out."""
    if s.phase == "over":
        return []
    moves: list[Move] = [*_PREFS]
    if s.phase == "scored":
        return moves if s.ready[seat] else [Ready(), *moves]
    moves += _buying(s, seat)
    if seat == s.turn:
        moves += _drawing(s) if s.phase == "draw" else _playing(s, seat)
    return moves


def _buying(s: State, seat: Seat) -> Iterator[Move]:
    w = s.window
    if w is None or w.shut:
        return
    if seat in eligible(s) and seat not in w.claims:
        yield Buy()
        if seat in undecided(s):
            yield Pass()
    for slow in w.slow:
        if slow != seat:
            yield PassFor(slow)


def _drawing(s: State) -> Iterator[Move]:
    w = s.window
    if s.pile:
        yield Take()
    if w is None or w.shut:
        yield Draw()
    elif not w.declined:
        yield Decline()


def _playing(s: State, seat: Seat) -> Iterator[Move]:
    hand = s.hands[seat]
    for card in hand:
        yield Discard(card)
    if s.down[seat]:
        if not s.went_down and len(hand) > 1:
            yield from _lay_offs(hand, s.melds)
            yield from _swaps(hand, s.melds, seat)
        return
    found = suggest(hand, s.melds, s.deals)
    if found is not None:
        yield found.move


def _lay_offs(hand: tuple[Card, ...], melds: tuple[Meld, ...]) -> Iterator[LayOff]:
    for meld in melds:
        for card in hand:
            for end in fits(meld, card, STYLE):
                yield LayOff((Play(card, meld.id, end),))


def _swaps(hand: tuple[Card, ...], melds: tuple[Meld, ...], seat: Seat) -> Iterator[Swap]:
    for run in melds:
        for card in hand if isinstance(run, Run) else ():
            if joker_places(run, card):  # type: ignore[arg-type]
                yield from _to(card, run.id, melds, seat)


def _to(card: Card, run: int, melds: tuple[Meld, ...], seat: Seat) -> Iterator[Swap]:
    """Everywhere that the joker a card wins from a run can go."""
    ends: tuple[End | None, ...] = (None, "low", "high")
    table = {meld.id: meld for meld in melds}
    joker = swap_in(table, run, card, seat)
    for to in table:
        for end in ends[:1] if not isinstance(table[to], Run) else ends[1:]:
            try:
                put_on(dict(table), to, joker, seat, end)
            except Illegal:
                continue
            yield Swap(card, run, to, end)
