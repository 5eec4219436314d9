"""From plans in faces to moves with cards: suggestions, arrangements, leftovers (RULES.md, "Hints")."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from domain.cards import Card, Seat
from domain.contract_rummy.arrange import NODES, arrange
from domain.contract_rummy.contracts import DECKS, LAST, RUN_SIZE, SET_SIZE, Contract, contract
from domain.contract_rummy.faces import Part, shape
from domain.contract_rummy.final import closest, go_out_runs
from domain.contract_rummy.lay import in_order, lay, swap_in
from domain.contract_rummy.plan import best, complete, swap_ways
from domain.contract_rummy.shown import Arranged, Group, Leftover, Suggestion, View
from domain.contract_rummy.state import Exchange, GoDown, GoOut, NewMeld, NewRun, State
from domain.game import Illegal
from domain.melds import Meld, Run


class Deck:
    """Cards of a hand handed out by face: won jokers first, then the lowest pack and number first."""

    def __init__(self, hand: Sequence[Card], won: Sequence[Card] = ()) -> None:
        jokers = sorted((c for c in hand if c[0] == "*" and c not in won), key=lambda c: int(c[1:]))
        self.jokers = [*won, *jokers]
        self.naturals = sorted(c for c in hand if c[0] != "*")

    def take(self, face: str) -> Card:
        """The next card of a face."""
        if face == "*":
            return self.jokers.pop(0)
        card = next(c for c in self.naturals if c[:2] == face)
        self.naturals.remove(card)
        return card

    def row(self, faces: Sequence[str]) -> tuple[Card, ...]:
        return tuple(self.take(face) for face in faces)


def below(faces: Sequence[str]) -> int:
    """Jokers of a run below its lowest natural: the `low_jokers` that lay it as it is."""
    return next((i for i, face in enumerate(faces) if face != "*"), 0)


def new_meld(part: Part, deck: Deck) -> NewMeld:
    """A finished part as a meld to lay."""
    cards = deck.row(part.faces)
    if part.kind == "set":
        return NewMeld("set", cards)
    wild = all(face == "*" for face in part.faces)
    if wild:
        return NewMeld("run", cards, suit=part.suit, lo=part.lo)  # type: ignore[arg-type]
    return NewMeld("run", cards, low_jokers=below(part.faces))


def new_run(part: Part, deck: Deck) -> NewRun:
    """A finished run as one of those to go out with."""
    meld = new_meld(part, deck)
    return NewRun(meld.cards, meld.low_jokers, meld.suit, meld.lo)


def won_by(swaps: Sequence[Exchange], melds: Sequence[Meld]) -> list[Card]:
    """The jokers that swaps win, in their order."""
    table = {meld.id: meld for meld in melds}
    return [swap_in(table, x.meld, x.card, Seat(0)) for x in swaps]


def suggest(hand: Sequence[Card], melds: Sequence[Meld], deals: int) -> Suggestion | None:
    """A way to lay the contract of a hand, quickly found, or None; in the last hand a way to go out."""
    if deals == LAST:
        runs = go_out_runs(hand)
        if runs is None:
            return None
        deck = Deck(hand)
        return Suggestion(GoOut(tuple(new_run(part, deck) for part in runs)))
    wanted = contract(deals)
    found = complete(hand, melds, wanted.sets, wanted.runs)
    if found is None:
        return None
    deck = _deck(hand, melds, found.swaps)
    return Suggestion(GoDown(tuple(new_meld(part, deck) for part in found.parts), found.swaps))


def _deck(hand: Sequence[Card], melds: Sequence[Meld], swaps: Sequence[Exchange]) -> Deck:
    """The cards to hand out once the swaps are made."""
    given = {x.card for x in swaps}
    won = won_by(swaps, melds)
    return Deck([*(c for c in hand if c not in given), *won], won)


def seen(hand: Sequence[Card], table: State | View) -> list[Card]:
    """Every card that the holder of a hand has seen since the deal: its own, those on the table, all ever discarded."""
    rows = [hand, table.pile, *table.known, *table.remade, *(meld.cards for meld in table.melds)]
    return [card for row in rows for card in row]


def known_faces(cards: Sequence[Card]) -> Mapping[str, int]:
    """How many of each natural face have been seen, of cards that may be named more than once."""
    return Counter(c[:2] for c in set(cards) if c[0] != "*")


def arranged(
    hand: Sequence[Card], melds: Sequence[Meld], deals: int, seats: int, seen: Sequence[Card],
    keep: Sequence[NewMeld | NewRun] = (), budget: int = NODES,
) -> Arranged | None:  # fmt: skip
    """The careful way to go down (in the last hand: out) with what was built already kept, or None.

    seen: every card that the viewer has seen in this hand, its own included. keep: melds out of the hand, perhaps with
    jokers of the table whose card is held. If what is kept is no fair start there is no way.
    """
    try:
        start = _Start(hand, melds, deals, keep)
    except Illegal:
        return None
    if deals == LAST:
        runs = go_out_runs(start.left, contract(LAST).runs - len(keep)) if start.left or keep else None
        if runs is None:
            return None
        deck = Deck(start.left)
        return Arranged(runs=tuple(new_run(part, deck) for part in runs))
    return _go_down(start, seats, known_faces(seen), budget)


class _Start:
    """What was kept, checked as the rules check it, and what is left of the hand. Raises Illegal if it is not fair."""

    def __init__(
        self, hand: Sequence[Card], melds: Sequence[Meld], deals: int, keep: Sequence[NewMeld | NewRun]
    ) -> None:
        wanted = contract(deals)
        cards = [c for new in keep for c in new.cards]
        self.swaps = _implied(hand, melds, [c for c in cards if c not in hand])
        given = {x.card for x in self.swaps}
        if len(set(cards)) < len(cards) or given & set(cards):
            raise Illegal("NOT_YOURS", "A card was named twice.")
        made = [lay(new, i, Seat(0)) for i, new in enumerate(keep)]
        self.kept = [_part(meld) for meld in made]
        runs = sum(isinstance(meld, Run) for meld in made)
        self.sets, self.runs = wanted.sets - len(made) + runs, wanted.runs - runs
        exact = deals == LAST or all(len(p.faces) == (SET_SIZE if p.kind == "set" else RUN_SIZE) for p in self.kept)
        if min(self.sets, self.runs) < 0 or not exact:
            raise Illegal("CONTRACT", "This is no part of the contract.")
        self.left = [c for c in hand if c not in given and c not in cards]
        table = {meld.id: meld for meld in melds}
        for x in self.swaps:
            swap_in(table, x.meld, x.card, Seat(0))
        self.melds: tuple[Meld, ...] = in_order(table)


def _implied(hand: Sequence[Card], melds: Sequence[Meld], foreign: Sequence[Card]) -> tuple[Exchange, ...]:
    """The swaps that win jokers of the table which a kept meld names. Raises Illegal if there is none for one."""
    for swaps in swap_ways(hand, melds):
        if len(swaps) == len(foreign) and sorted(won_by(swaps, melds)) == sorted(foreign):
            return swaps
    raise Illegal("NOT_YOURS", "A card of it is not in the hand.")


def _part(meld: Meld) -> Part:
    faces = tuple("*" if c[0] == "*" else c[:2] for c in meld.cards)
    if isinstance(meld, Run):
        return Part("run", "", meld.suit, meld.lo, faces)
    return Part("set", meld.rank, "", 0, faces)


def _go_down(start: _Start, seats: int, known: Mapping[str, int], budget: int) -> Arranged | None:
    """The best rest of the contract with as few more swaps as it takes."""
    sets, runs = start.sets, start.runs
    ways = [(swaps, *_after(start, swaps)) for swaps in swap_ways(start.left, start.melds)]
    whole = [way for way in ways if not best(way[1], sets, runs).missing]
    fewest = min((len(swaps) for swaps, *_ in whole), default=0)
    whole = [way for way in whole if len(way[0]) == fewest]
    found: tuple[tuple[int, int], Arranged] | None = None
    for swaps, mine, won in whole:
        way = arrange(
            shape(mine), sets, runs, start.melds, known, DECKS[seats], len(swaps), budget // len(whole), start.kept
        )
        if way is not None and (found is None or (way.cost, -way.open_ends) < found[0]):
            deck = Deck(mine, won)
            melds = tuple(new_meld(part, deck) for part in way.parts)
            found = ((way.cost, -way.open_ends), Arranged(melds=melds, swaps=start.swaps + swaps))
    return found[1] if found else None


def _after(start: _Start, swaps: Sequence[Exchange]) -> tuple[list[Card], list[Card]]:
    """The hand once more swaps are made, and the jokers that they win."""
    won, given = won_by(swaps, start.melds), {x.card for x in swaps}
    return [*(c for c in start.left if c not in given), *won], won


@lru_cache(maxsize=1 << 10)
def leftover(hand: tuple[Card, ...], down: bool, out: bool, deals: int) -> Leftover:
    """How close a seat came once the hand is over."""
    if down or out:
        return Leftover(down=True, missing=0, cards=hand, groups=())
    wanted: Contract = contract(deals)
    if deals == LAST:
        near = closest(hand)
        missing, parts = near.missing, near.parts
    else:
        missing, parts = best(hand, wanted.sets, wanted.runs)
    deck = Deck(hand)
    return Leftover(down=False, missing=missing, cards=(), groups=tuple(_group(part, deck) for part in parts))


def _group(part: Part, deck: Deck) -> Group:
    cards = tuple(deck.take(face) if face else None for face in part.faces)
    if part.kind == "set":
        return Group(kind="set", rank=part.rank, cards=cards)
    return Group(kind="run", suit=part.suit, lo=part.lo, cards=cards)
