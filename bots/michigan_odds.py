"""What a hard bot of Michigan Rummy reckons about the cards it does not see: who can meld what.

Faces are bits 0 to 51, suit by suit, ace to king in each. A card that nobody has seen since the deal lies in the
stock or in some other hand; how likely it is in which follows from their sizes alone, except that the stock, once
remade from the pile, holds only cards that were in it.
"""

from collections.abc import Iterable, Sequence

from domain.cards import RANKS, SUITS, Seat, is_joker
from domain.melds import Meld, Set
from domain.michigan_rummy.moves import fresh_pack
from domain.michigan_rummy.points import POINTS
from domain.michigan_rummy.state import View

BIT = {rank + suit: 1 << 13 * s + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)}
_RUN = [RANKS[(p - 1) % 13] for p in range(1, 15)]  # rank at each position of a run


def _pairs(face: str) -> list[tuple[str, str]]:
    """The pairs of faces that make a run of three with this one."""
    spans = {tuple(_RUN[lo : lo + 3]) for lo in range(12) if face[0] in _RUN[lo : lo + 3]}
    rest = {tuple(sorted(r + face[1] for r in span if r != face[0])) for span in spans}
    return sorted((a, b) for a, b in rest)


RUN_PAIRS = {face: _pairs(face) for face in BIT}
SAME_RANK = {rank: sum(BIT[rank + suit] for suit in SUITS) for rank in RANKS}
NEAR = {
    face: (SAME_RANK[face[0]] | sum({BIT[other] for pair in pairs for other in pair})) & ~BIT[face]
    for face, pairs in RUN_PAIRS.items()
}  # faces that can stand in a meld of three with this one, without itself


def faces(cards: Iterable[str]) -> tuple[int, int]:
    """The faces of naturals as bits: those there at least once and those there twice."""
    once = twice = 0
    for card in cards:
        if card[0] != "*":
            bit = BIT[card[:2]]
            twice |= once & bit
            once |= bit
    return once, twice


def open_faces(melds: Iterable[Meld]) -> int:
    """The faces that go straight onto melds of the table, as bits."""
    found = 0
    for meld in melds:
        if isinstance(meld, Set):
            found |= SAME_RANK[meld.rank]
            continue
        if meld.lo > 1:
            found |= BIT[_RUN[meld.lo - 2] + meld.suit]
        if meld.hi < 14:
            found |= BIT[_RUN[meld.hi] + meld.suit]
    return found


class Odds:
    """How likely the others, all together, can meld what: for one seat at one moment."""

    def __init__(self, view: View, seat: Seat) -> None:
        others = [i for i in range(view.seats) if i != seat]
        unseen = _unseen(view, seat)
        hidden = [view.counts[i] - len(view.known[i]) for i in others]
        total = sum(hidden)
        stocked: set[str] | None = set(view.remade[-1]) if view.remade else None  # what may lie in the stock
        sure = 0 if stocked is None else sum(card not in stocked for card in unseen)  # what must lie in a hand
        share = (total - sure) / max(1, len(unseen) - sure)
        self.hands = [
            _Hand(view.known[i], unseen, stocked, share * mine / max(1, total), mine / max(1, total))
            for i, mine in zip(others, hidden, strict=True)
        ]
        self.taken, _ = faces(card for i in others for card in view.known[i])
        self._melds: dict[str, float] = {}

    def meld(self, face: str) -> float:
        """Chance that somebody else can lay this face in a new meld."""
        if face not in self._melds:
            nobody = 1.0
            for hand in self.hands:
                nobody *= 1 - hand.meld(face)
            self._melds[face] = 1 - nobody
        return self._melds[face]

    def use(self, card: str, open_to: int) -> float:
        """Chance that somebody else can lay a card of the pile, some faces being open to all on the table."""
        if is_joker(card) or open_to & BIT[card[:2]]:
            return 1.0
        return self.meld(card[:2])

    def pile(self, pile: Sequence[str], open_to: int) -> tuple[float, float]:
        """What the pile gives the others: points they are expected to take from it, and the chance that they take none.

        They are thought to dig as deep as they can.
        """
        points = sum(POINTS[card[0]] for card in pile)
        expected, nobody = 0.0, 1.0
        for card in pile:
            chance = nobody * self.use(card, open_to)
            expected += chance * points
            nobody -= chance
            points -= POINTS[card[0]]
        return expected, nobody


class _Hand:
    """Another seat's hand: the cards it was seen to take, and the chance that each unseen card is in it."""

    def __init__(
        self, known: Sequence[str], unseen: Sequence[str], stocked: set[str] | None, in_stock: float, sure: float
    ) -> None:
        self.lacks: dict[str, float] = {}  # by face: chance that it holds none
        self.ranks: dict[str, list[float]] = {}  # by rank: chance for each card that it may hold
        for card in known:
            self._may(card, 1.0)
        for card in unseen:
            self._may(card, in_stock if stocked is None or card in stocked else sure)

    def _may(self, card: str, chance: float) -> None:
        if not is_joker(card):
            self.lacks[card[:2]] = self.lacks.get(card[:2], 1.0) * (1 - chance)
            self.ranks.setdefault(card[0], []).append(chance)

    def meld(self, face: str) -> float:
        """Chance that this hand makes a meld of three with the face, jokers aside."""
        none, one = 1.0, 0.0
        for chance in self.ranks.get(face[0], ()):
            none, one = none * (1 - chance), one * (1 - chance) + none * chance
        no_run = 1.0
        for a, b in RUN_PAIRS[face]:
            no_run *= 1 - (1 - self.lacks.get(a, 1.0)) * (1 - self.lacks.get(b, 1.0))
        return 1 - (none + one) * no_run


def _unseen(view: View, seat: Seat) -> list[str]:
    """The cards that lie in the stock or unseen in another hand."""
    assert view.hand is not None
    seen = {*view.hand, *view.pile}
    for meld in view.melds:
        seen.update(meld.cards)
    for cards in view.known:
        seen.update(cards)
    return [card for card in fresh_pack(view.seats) if card not in seen]
