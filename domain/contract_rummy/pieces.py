"""What picked cards can be built into before a seat is down: melds of the contract, jokers to win for it."""

from collections.abc import Iterator, Sequence
from typing import get_args

from domain.cards import Card, face, is_joker
from domain.contract_rummy.asker import Asker, Piece, rank_word, span, whole
from domain.contract_rummy.contracts import STYLE, contract
from domain.contract_rummy.faces import Part
from domain.contract_rummy.final import go_out_runs
from domain.contract_rummy.lay import joker_places, lay
from domain.contract_rummy.plan import best, swap_ways
from domain.contract_rummy.state import Exchange, GoDown, GoOut, NewMeld, Rank, Suit
from domain.contract_rummy.suggest import Deck, below, new_meld, new_run, won_by
from domain.game import Illegal, Offer
from domain.melds import Kind, Run, run_choices

_LATER = "It goes down with the rest of the contract."
_STAR_LATER = "A joker that you win must be part of your contract."


def laid(hand: Sequence[Card], parts: Sequence[Part], swaps: tuple[Exchange, ...] = ()) -> GoDown:
    deck = Deck(hand)
    return GoDown(tuple(new_meld(part, deck) for part in parts), swaps)


def build(ask: Asker, picked: tuple[Card, ...], foreign: Sequence[Card]) -> Iterator[Offer]:
    """The melds that the cards make, the jokers of the table that a card wins, and all of it if that is all."""
    swaps = _won(ask, picked, foreign)
    if swaps is None:
        yield Offer(kind="none", words="Nothing", why="You have no card to win that joker with.")
        return
    wanted = contract(ask.s.deals)
    if ask.last and len(picked) == len(ask.hand):
        runs, deck = go_out_runs(ask.hand), Deck(ask.hand)
        if runs is not None:
            yield whole(ask, "Go out", GoOut(tuple(new_run(part, deck) for part in runs)))
    elif len(picked) == wanted.size and not ask.last:
        near = best(picked, wanted.sets, wanted.runs)
        if not near.missing:
            yield whole(ask, "Go down with these", laid(picked, near.parts, swaps))
    kinds: list[Kind] = [kind for kind, n in (("set", wanted.sets), ("run", wanted.runs)) if n]  # type: ignore[misc]
    for kind in kinds:
        for words, new in _readings(kind, picked):
            no = _faulty(ask, new, swaps)
            yield Piece(kind=kind, words=words, why=no or _LATER, part=None if no else ask.part(new))
    if len(picked) == 1 and not ask.last:
        yield from stars(ask, picked[0], _STAR_LATER)


def _won(ask: Asker, picked: Sequence[Card], foreign: Sequence[Card]) -> tuple[Exchange, ...] | None:
    """The exchanges that win the jokers among the cards which are not in the hand, or None if there are none."""
    if not foreign:
        return ()
    for swaps in swap_ways(ask.hand, ask.s.melds):
        fair = len(swaps) == len(foreign) and not {x.card for x in swaps} & set(picked)
        if fair and sorted(won_by(swaps, ask.s.melds)) == sorted(foreign):
            return swaps
    return None


def _faulty(ask: Asker, new: NewMeld, swaps: tuple[Exchange, ...]) -> str | None:
    """Why this is no part of the contract, as the rules say it."""
    if ask.last:
        try:
            lay(new, 1, ask.seat)
        except Illegal as fault:
            return fault.words
        return None
    no = ask.no(GoDown((new,), swaps))
    return None if no is None or no.code == "CONTRACT" else no.words  # "CONTRACT": only the rest is missing


def _readings(kind: Kind, picked: tuple[Card, ...]) -> Iterator[tuple[str, NewMeld]]:
    """What the cards could be laid as, with words for it."""
    naturals, n = [c for c in picked if not is_joker(c)], len(picked)
    if not naturals and n >= (STYLE.set_min if kind == "set" else STYLE.run_min):
        yield from _wild(kind, picked)
    elif kind == "set":
        ranks = {c[0] for c in naturals}
        yield "Make a set" + (f" of {rank_word(ranks.pop())}s" if len(ranks) == 1 else ""), NewMeld("set", picked)
    else:
        alike = len({c[1] for c in naturals}) == 1 and n >= STYLE.run_min
        placings = run_choices(picked, STYLE) if alike else []
        for placing in placings:
            low = below([face(card) for card in placing.cards])
            words = span(naturals[0][1], placing.lo, placing.lo + n - 1)
            yield f"Make a run {words}", NewMeld("run", placing.cards, low_jokers=low)
        if not placings:
            yield "Make a run", NewMeld("run", picked)


def _wild(kind: Kind, jokers: tuple[Card, ...]) -> Iterator[tuple[str, NewMeld]]:
    """Everything that a meld of jokers alone can stand for."""
    if kind == "set":
        for rank in get_args(Rank):
            yield f"Make a set of {rank_word(rank)}s", NewMeld("set", jokers, rank=rank)
        return
    for suit in get_args(Suit):
        for lo in range(STYLE.low, STYLE.high - len(jokers) + 2):
            words = span(suit, lo, lo + len(jokers) - 1)
            yield f"Make a run {words}", NewMeld("run", jokers, suit=suit, lo=lo)


def stars(ask: Asker, card: Card, why: str) -> Iterator[Offer]:
    """The jokers of the table that a card could win."""
    for run in ask.s.melds:
        if isinstance(run, Run) and joker_places(run, card):
            joker = run.cards[joker_places(run, card)[0]]
            part = Exchange(card, run.id)
            yield Piece(kind="star", words="Take the joker", why=why, meld=run.id, part=part, wins=joker)
