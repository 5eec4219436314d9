"""What a hard bot of Thai Rummy reckons about the cards it does not see: who may take what from the pile.

A card that nobody has seen lies in the stock or in some other hand; how likely it is in which follows from their sizes
alone.
"""

from collections.abc import Sequence
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


def links(cards: Sequence[Card]) -> dict[Card, int]:
    """For each card the points of it and every other that could stand in a meld of three with it, pair by pair."""
    found = dict.fromkeys(cards, 0)
    for a, b in combinations(cards, 2):
        if NEAR[a] & BIT[b]:
            both = value(a) + value(b)
            found[a] += both
            found[b] += both
    return found


class Odds:
    """How likely the others can use what in the pile: for one seat at one moment."""

    def __init__(self, view: View, seat: Seat) -> None:
        assert view.hand is not None
        others = [i for i in range(view.seats) if i != seat]
        seen = {*view.hand, *view.pile, *(c for meld in view.melds for c in meld.cards)}
        seen.update(card for known in view.known for card in known)
        unseen = [card for card in PACK if card not in seen]
        self.hands: list[dict[Card, float]] = []  # for each rival: chance that it holds a card, if it may
        for i in others:
            share = (view.counts[i] - len(view.known[i])) / max(1, len(unseen))
            self.hands.append(dict.fromkeys(unseen, share) | dict.fromkeys(view.known[i], 1.0))
        self.taken = sum(BIT[card] for i in others for card in view.known[i])
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
