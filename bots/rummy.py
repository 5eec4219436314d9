"""The house's bots for Rummy: easy, medium and hard, from what their seat sees.

A bot looks one turn ahead: what a hand comes to if it lays what it will and discards what it misses least, in points
of the game. The view keeps what a careful player would remember: the pile, what a remade stock was made of, and
every card that somebody was seen to take and still holds.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from bots.levels import Ask
from domain.cards import RANKS, SUITS, Card, Seat
from domain.rummy.plan import Plan, best
from domain.rummy.points import POINTS, held
from domain.rummy.state import Discard, Draw, EndHand, LayOff, NewMeld, Take, View

AVERAGE = 6.5  # points of an unknown card
FULL = 7  # cards in an opponent's hand from which on it is no danger
BIT = {Card(f"{rank}{suit}1"): 1 << 13 * s + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)}
CARDS = list(BIT)  # by number of the bit
PACK = (1 << 52) - 1


class Level(Struct, frozen=True):
    """How a level weighs a hand, in points of the game; tuned by self-play.

    risk: part of the points left that is feared, late: how much more of it when somebody is about to go out.
    near: for two cards that a third would make a meld; out: the same for each such card that may still come, by the
    points that it would lay. card: for each card left. gift: for what the next seat may make of a discard.
    top: by how much taking the top of the pile must beat a draw. hold: melds are kept back while every opponent holds
    more cards than this. A level that is `blunt` takes the top only for a new meld, lays nothing off and discards its
    dearest loose card.
    """

    risk: float = 0.5
    late: float = 0.0
    near: float = 0.0
    out: float = 0.0
    card: float = 0.0
    gift: float = 0.0
    top: float = 0.0
    blunt: bool = False
    hold: int = 99


LEVELS = {
    "easy": Level(blunt=True),
    "medium": Level(risk=0.6, near=0.7, card=1.0, top=2.0),
    "hard": Level(risk=0.3, late=0.4, out=0.07, card=2.0, gift=5.0, top=2.0, hold=4),
}


def decide(ask: Ask) -> dict[str, Any]:
    """The seat's move for a question "draw" or "play"."""
    view = ask.view if isinstance(ask.view, View) else msgspec.convert(ask.view, View)
    mind = _Mind(view, Seat(ask.seat), LEVELS[ask.level])
    built: dict[str, Any] = msgspec.to_builtins(mind.draw() if ask.kind == "draw" else mind.play())
    return built


def _triples() -> list[tuple[int, int, int]]:
    """All melds of three, as numbers of bits."""
    sets = [[13 * s + r for s in range(4) if s != without] for r in range(13) for without in range(4)]
    runs = [[13 * s + lo + i for i in range(3)] for s in range(4) for lo in range(11)]
    return [(a, b, c) for a, b, c in (*sets, *runs)]


def _pairs() -> tuple[dict[int, int], list[list[tuple[int, int]]]]:
    """The cards that make a meld of two, and for each card the pairs that make one with it, all as bits."""
    third: dict[int, int] = {}
    pairs: list[list[tuple[int, int]]] = [[] for _ in range(52)]
    for triple in _triples():
        for card in triple:
            a, b = (1 << other for other in triple if other != card)
            third[a | b] = third.get(a | b, 0) | 1 << card
            pairs[card].append((a, b))
    return third, pairs


THIRD, PAIRS = _pairs()


class Prospect(Struct, frozen=True):
    """What a hand comes to this turn: its value, what it lays, what it then discards (nothing if it is out)."""

    value: float
    plan: Plan
    discard: Card | None


class _Mind:
    """One question: the view and what follows from it."""

    def __init__(self, view: View, seat: Seat, level: Level) -> None:
        assert view.hand is not None
        self.view, self.seat, self.level, self.hand = view, seat, level, view.hand
        self.melds = () if level.blunt else view.melds
        self.fewest = min(count for i, count in enumerate(view.counts) if i != seat)
        danger = max(0.0, min(1.0, (FULL - self.fewest) / (FULL - 1)))
        self.risk = level.risk + level.late * danger
        self.near = 0 if level.out else level.near
        known = [sum(BIT[c] for c in some) for some in view.known]
        open_ = [*view.pile, *(c for m in view.melds for c in m.cards), *view.hand]
        self.live = PACK & ~(sum(BIT[c] for c in open_) | sum(k for i, k in enumerate(known) if i != seat))
        after = (seat + 1) % view.seats
        self.theirs = known[after]
        self.share = (view.counts[after] - len(view.known[after])) / max(1, self.live.bit_count())

    def draw(self) -> Draw | Take | EndHand:
        """The best way to come by a card."""
        top = self.view.pile[-1]
        taken = self.prospect((*self.hand, top), top)
        if self.level.blunt:
            helps = top not in taken.plan.left and taken.plan.points > best(self.hand, self.melds).points
        else:
            helps = taken.value - self.standing() > self.level.top
        if helps:
            return Take()
        if not self.view.dry:
            return Draw()
        least = min(AVERAGE * count for i, count in enumerate(self.view.counts) if i != self.seat)
        return EndHand() if held(self.hand) <= least else Take()

    def standing(self) -> float:
        """What the hand comes to if a drawn card is of no use and goes again."""
        plan = best(self.hand, self.melds)
        return self._worth(plan.left, self._links(plan.left)[0]) if plan.left else self.level.risk

    def play(self) -> NewMeld | LayOff | Discard:
        """The next move of what the hand lays, else the discard that leaves the best hand."""
        found = self.prospect(self.hand, self.view.taken)
        moves = found.plan.moves
        if moves and (len(found.plan.left) <= 1 or not self._holds()):
            return moves[0].move
        assert found.discard is not None
        return Discard(found.discard)

    def _holds(self) -> bool:
        """Whether melds are kept back for now."""
        view = self.view
        lasts = view.stock > 2 * view.seats or (view.reuses < view.reuse_at and len(view.pile) > 2)
        return self.fewest > self.level.hold and lasts and 2 * view.circling < view.circle_at

    def prospect(self, hand: Sequence[Card], taken: Card | None) -> Prospect:
        """What such a hand comes to if it lays all it can and discards what it misses least, never the card taken."""
        plan = best(hand, self.melds)
        left = plan.left
        if len(left) <= 1:
            return Prospect(1000.0, plan, left[0] if left else None)
        free = [c for c in left if c != taken] or list(left)
        if self.level.blunt:
            card = max(free, key=lambda c: (POINTS[c[0]], c))
            return Prospect(0.0, plan, card)
        total, links = self._links(left)
        found: tuple[float, Card] | None = None
        for card in free:
            value = self._worth([c for c in left if c != card], total - links[card]) - self._gift(card)
            if found is None or value > found[0]:
                found = (value, card)
        assert found is not None
        return Prospect(found[0], plan, found[1])

    def _worth(self, left: Sequence[Card], links: float) -> float:
        return links - self.risk * held(left) - self.level.card * len(left)

    def _links(self, left: Sequence[Card]) -> tuple[float, dict[Card, float]]:
        """What the pairs among some cards promise, all together and for each card."""
        total, each = 0.0, dict.fromkeys(left, 0.0)
        for i, a in enumerate(left):
            for b in left[i + 1 :]:
                third = THIRD.get(BIT[a] | BIT[b], 0)
                if third:
                    worth = self.near + self.level.out * (third & self.live).bit_count() * (
                        POINTS[a[0]] + POINTS[b[0]]
                    )
                    total += worth
                    each[a] += worth
                    each[b] += worth
        return total, each

    def _gift(self, card: Card) -> float:
        """What the next seat is feared to make of a discard."""
        if not self.level.gift:
            return 0.0
        none = 1.0
        for a, b in PAIRS[BIT[card].bit_length() - 1]:
            none *= 1 - self._has(a) * self._has(b)
        return self.level.gift * (1 - none)

    def _has(self, bit: int) -> float:
        """How likely the next seat holds a card."""
        return 1.0 if self.theirs & bit else self.share if self.live & bit else 0.0
