"""What a hard bot of Thai Rummy reckons about the cards it does not see: who may take what from the pile.

A card that nobody has seen lies in the stock or in some other hand; how likely it is in which follows from their sizes
alone.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

from domain.cards import Card, Seat, pack
from domain.melds import positions
from domain.thai_rummy.points import STYLE, held, value
from domain.thai_rummy.state import View

PACK = pack()
BIT = {card: 1 << i for i, card in enumerate(PACK)}
NEARLY = 4  # cards with which a rival is thought able to go out at once


def _pairs(card: Card) -> list[tuple[Card, Card]]:
    """The pairs of cards that make a meld of three with this one."""
    rank = [other for other in PACK if other[0] == card[0] and other != card]
    at = positions(card, STYLE)[0]
    place = {positions(other, STYLE)[0]: other for other in PACK if other[1] == card[1]}
    spans = [(at + a, at + b) for a, b in ((-2, -1), (-1, 1), (1, 2))]
    runs = [(place[a], place[b]) for a, b in spans if a in place and b in place]
    return [*combinations(rank, 2), *runs]


PAIRS = {card: _pairs(card) for card in PACK}
NEAR = {card: sum({BIT[other] for pair in pairs for other in pair}) for card, pairs in PAIRS.items()}


def _thirds() -> dict[tuple[Card, Card], int]:
    """For two cards in their order in the pack: the cards, as bits, each of which makes a meld of three with them."""
    found: dict[tuple[Card, Card], int] = {}
    for card, pairs in PAIRS.items():
        for a, b in pairs:
            key = (a, b) if BIT[a] < BIT[b] else (b, a)
            found[key] = found.get(key, 0) | BIT[card]
    return found


_THIRDS = _thirds()


def bits(cards: Iterable[Card]) -> int:
    """Cards as one number."""
    return sum(BIT[card] for card in cards)


def links(cards: Sequence[Card], unseen: int, pile: int, lying: float) -> dict[Card, float]:
    """For each card what it promises: points of it and each other card with which a third would make a meld.

    A third that nobody has seen counts once, one of the pile `lying` times, any other not at all.
    """
    found = dict.fromkeys(cards, 0.0)
    for a, b in combinations(sorted(cards, key=BIT.__getitem__), 2):
        thirds = _THIRDS.get((a, b))
        if thirds:
            ways = (thirds & unseen).bit_count() + lying * (thirds & pile).bit_count()
            both = ways * (value(a) + value(b))
            found[a] += both
            found[b] += both
    return found


def unseen(view: View) -> list[Card]:
    """The cards that lie in the stock or unseen in another hand."""
    seen = {*(view.hand or ()), *view.pile, *(c for meld in view.melds for c in meld.cards)}
    seen.update(card for known in view.known for card in known)
    return [card for card in PACK if card not in seen]


class Odds:
    """How likely the others can use what in the pile: for one seat at one moment."""

    def __init__(self, view: View, seat: Seat) -> None:
        others = [i for i in range(view.seats) if i != seat]
        hidden = unseen(view)
        self.hands: list[dict[Card, float]] = []  # for each rival: chance that it holds a card, if it may
        for i in others:
            share = (view.counts[i] - len(view.known[i])) / max(1, len(hidden))
            self.hands.append(dict.fromkeys(hidden, share) | dict.fromkeys(view.known[i], 1.0))
        self.taken = bits(card for i in others for card in view.known[i])
        near = [view.counts[i] for i in others if view.counts[i] >= 3]
        self.nearly = max((min(1.0, NEARLY / count) ** 2 for count in near), default=0.0)

    def pile(self, pile: Sequence[Card]) -> tuple[float, float]:
        """Points that the others are expected to take from a pile, and the chance that they take its top alone.

        They are thought to take as much as they can.
        """
        points, expected, nobody = held(pile), 0.0, 1.0
        top = 0.0
        for at, card in enumerate(pile):
            top = nobody * self._use(card, pile[at + 1 :])
            expected += top * points
            nobody -= top
            points -= value(card)
        return expected, top

    def _use(self, card: Card, above: Sequence[Card]) -> float:
        """Chance that somebody makes a new meld of a card with its hand and the cards above it."""
        nobody = 1.0
        for hand in self.hands:
            for a, b in PAIRS[card]:
                if a in above and b in above:
                    continue
                one = 1.0 if a in above else hand.get(a, 0.0)
                if one:
                    nobody *= 1 - one * (1.0 if b in above else hand.get(b, 0.0))
        return 1 - nobody
