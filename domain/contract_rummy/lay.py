"""Melds of this game: made, extended, and jokers won from them (RULES.md, "Melds")."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from domain.cards import RANKS, SUITS, Card, Seat
from domain.contract_rummy.contracts import STYLE
from domain.contract_rummy.state import NewMeld, NewRun
from domain.game import Illegal
from domain.melds import Meld, Run, Set, extend, make, positions


def lay(new: NewMeld | NewRun, id: int, owner: Seat) -> Meld:
    """A new meld. Raises Illegal: TOO_SHORT, TOO_LONG, NOT_A_SET, MIXED_SUITS, NOT_A_RUN."""
    kind = new.kind if isinstance(new, NewMeld) else "run"
    if kind == "run" and len(new.cards) > STYLE.run_max:
        raise Illegal("TOO_LONG", "A run has at most fourteen cards, from ace to ace.")
    if all(card[0] == "*" for card in new.cards):
        return _jokers(new, id, owner)
    return make(new.cards, STYLE, id=id, owner=owner, kind=kind, low_jokers=new.low_jokers)


def _jokers(new: NewMeld | NewRun, id: int, owner: Seat) -> Meld:
    """A meld of jokers alone: a set of aces, or a run of spades from the ace, unless something else is named."""
    cards = tuple(sorted(new.cards, key=lambda c: int(c[1:])))
    by, size = (owner,) * len(cards), len(cards)
    if isinstance(new, NewMeld) and new.kind == "set":
        if size < STYLE.set_min:
            raise Illegal("TOO_SHORT", "A set has at least three cards.")
        return Set(id, owner, cards, by, new.rank or RANKS[0])
    if size < STYLE.run_min:
        raise Illegal("TOO_SHORT", "A run has at least four cards.")
    lo = min(max(new.lo or STYLE.low, STYLE.low), STYLE.high - size + 1)
    return Run(id, owner, cards, by, new.suit or SUITS[0], lo)


def put_on(melds: dict[int, Meld], meld: int, card: Card, seat: Seat, end: str | None) -> None:
    """Put a card on a meld of a working copy of the table. Raises Illegal."""
    if meld not in melds:
        raise Illegal("NO_SUCH_MELD", "There is no such meld.")
    try:
        melds[meld] = extend(melds[meld], card, seat, STYLE, end)
    except Illegal as no:
        if no.code != "STANDS_IN":
            raise
        raise Illegal("DOES_NOT_FIT", "A joker stands in that card's place: swap your card for it.") from None


def swap_in(melds: dict[int, Meld], meld: int, card: Card, seat: Seat) -> Card:
    """Put a natural in a joker's place on a working copy of the table; the joker. Raises Illegal."""
    if meld not in melds:
        raise Illegal("NO_SUCH_MELD", "There is no such meld.")
    run = melds[meld]
    if isinstance(run, Set):
        _no_joker("Jokers in sets stay where they are.")
    if card[0] == "*":
        _no_joker("Name the card that the joker stands for.")
    i = next(iter(joker_places(run, card)), None)
    if i is None:
        _no_joker("No joker stands in that card's place there.")
    cards, by = (*run.cards[:i], card, *run.cards[i + 1 :]), (*run.by[:i], seat, *run.by[i + 1 :])
    melds[meld] = Run(run.id, run.owner, cards, by, run.suit, run.lo)
    return run.cards[i]


def _no_joker(words: str) -> NoReturn:
    raise Illegal("NOT_A_RUN_JOKER", words)


def joker_places(run: Run, card: str) -> list[int]:
    """Indexes in a run at which a joker stands for a natural, lowest first."""
    if card[0] == "*" or card[1] != run.suit:
        return []
    inside = (p - run.lo for p in positions(card, STYLE))
    return [i for i in inside if 0 <= i < len(run.cards) and run.cards[i][0] == "*"]


def jokers_stand(melds: Sequence[Meld]) -> Iterator[tuple[int, str]]:
    """Meld id and face for each joker that stands in a run of the table."""
    for meld in melds:
        if isinstance(meld, Run):
            for i, card in enumerate(meld.cards):
                if card[0] == "*":
                    yield meld.id, RANKS[(meld.lo + i - 1) % 13] + meld.suit


def in_order(melds: Mapping[int, Meld]) -> tuple[Any, ...]:
    """The table's melds by id."""
    return tuple(melds[id] for id in sorted(melds))
