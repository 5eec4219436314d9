"""The richest that a hand can lay in one turn, and what its discards may cost (RULES.md, "Hints")."""

from collections.abc import Sequence
from itertools import combinations

from domain.cards import RANKS, Card, Seat, pack
from domain.melds import Meld, Run, extend, fits
from domain.mixes import MIXES, Mix, richest
from domain.thai_rummy.lay import goes_on, new_meld, on_meld
from domain.thai_rummy.points import STYLE, face_worth, held, value
from domain.thai_rummy.state import Extend, Lay, Plan, Suggestion
from domain.thai_rummy.ways import new_melds

FEW = 6  # a rival with more cards than this is not thought to be near its end
LEAST = 3  # cards with which a turn that ends the hand can begin: two for the meld and one to lay face down


def best(
    hand: Sequence[Card], melds: Sequence[Meld], next_id: int, seat: Seat, *, budget: int = MIXES
) -> Plan | None:
    """The richest melds and extensions of a hand that leave a card in it, or None if nothing can be laid.

    It is the richest there is, or when the budget of mixes runs out the richest of those looked at.
    """

    def plan(cards: Sequence[Card], budget: int) -> Plan | None:
        mix = richest(cards, melds, STYLE, face_worth, budget=budget)
        return _Layout(cards, melds, next_id, seat).lay(mix) if mix else None

    found = plan(hand, budget)
    most = held(hand)
    if found is None or found.points < most:  # every card has its points, so one is left
        return found
    found = None
    for card in sorted(hand, key=lambda c: (value(c), c)):
        if found and found.points >= most - value(card):
            break
        less = plan([c for c in hand if c != card], max(1, budget // len(hand)))
        if less and (found is None or less.points > found.points):
            found = less
    return found


class _Layout:
    """Turns a mix of faces into moves with cards."""

    def __init__(self, cards: Sequence[Card], melds: Sequence[Meld], next_id: int, seat: Seat) -> None:
        self.seat = seat
        self.next_id = next_id
        self.table = {meld.id: meld for meld in melds}
        self.left = {card[:2]: card for card in sorted(cards)}
        self.steps: list[Suggestion] = []

    def lay(self, mix: Mix) -> Plan:
        """The moves that lay a mix and whatever else then fits, the dearest first."""
        runs = [m for m in self.table.values() if isinstance(m, Run)]
        for suit, piece in mix.pieces:
            places = range(piece.lo, piece.hi + 1)
            cards = [self.left[RANKS[(p - 1) % 13] + suit] for p in places]
            if piece.on < 0:
                self._new(cards)
                continue
            run = [m for m in runs if m.suit == suit][piece.on]
            for card in cards if piece.end == "high" else reversed(cards):
                self._onto(run.id, card)
        for rank, _ in mix.sets:
            self._new([card for card in self.left.values() if card[0] == rank])
        while self._rest():
            pass
        return Plan(steps=tuple(self.steps), points=sum(step.points for step in self.steps))

    def _new(self, cards: Sequence[Card]) -> None:
        meld = new_meld(cards, self.next_id, self.seat)
        self.table[meld.id] = meld
        self.next_id += 1
        self.steps.append(Suggestion(move=Lay(tuple(cards)), points=held(cards)))
        for card in cards:
            del self.left[card[:2]]

    def _onto(self, key: int, card: Card) -> None:
        ends = fits(self.table[key], card, STYLE)
        self.table[key] = extend(self.table[key], card, self.seat, STYLE)
        self.steps.append(Suggestion(move=Extend(card, key, ends[0]), points=value(card)))
        del self.left[card[:2]]

    def _rest(self) -> bool:
        """Lay the dearest card that still fits anywhere; whether there was one."""
        for card in sorted(self.left.values(), key=lambda c: (-value(c), c)):
            for key, meld in self.table.items():
                if fits(meld, card, STYLE):
                    self._onto(key, card)
                    return True
        return False


def after(
    plan: Plan | None, hand: Sequence[Card], melds: Sequence[Meld], next_id: int, seat: Seat
) -> tuple[list[Card], tuple[Meld, ...]]:
    """The hand and the table once all moves of a plan are made."""
    left, table = list(hand), list(melds)
    for step in plan.steps if plan else ():
        move = step.move
        if isinstance(move, Lay):
            table.append(new_meld(move.cards, next_id, seat))
            next_id += 1
        else:
            longer = on_meld(table, move.meld, move.card, seat, move.end)
            table = [longer if meld.id == longer.id else meld for meld in table]
        gone = move.cards if isinstance(move, Lay) else (move.card,)
        left = [c for c in left if c not in gone]
    return left, tuple(table)


def feeders(
    hand: Sequence[Card], pile: Sequence[Card], melds: Sequence[Meld],
    rivals: Sequence[tuple[int, Sequence[Card]]],
) -> list[Card]:  # fmt: skip
    """The cards of a hand with which, thrown, a rival near its end might begin its last turn.

    rivals: how many cards each other seat holds and which of them are known. A rival may hold any card that the seat
    with this hand has not seen, as far as its hand has room for them.
    """
    near = [(count, known) for count, known in rivals if LEAST <= count <= FEW]
    if not near:
        return []
    seen = {*hand, *pile, *(c for meld in melds for c in meld.cards), *(c for _, known in rivals for c in known)}
    unseen = [card for card in pack() if card not in seen]
    return [card for card in hand if any(_may_meld(card, unseen, count, known) for count, known in near)]


def _may_meld(card: Card, unseen: Sequence[Card], count: int, known: Sequence[Card]) -> bool:
    """Whether a hand of so many cards may make a new meld of three with this card."""
    room = count - len(known)
    around = [c for c in (*known, *unseen) if c[0] == card[0] or c[1] == card[1]]
    pairs = [
        pair for pair in combinations(around, 2)
        if pair[0][0] == pair[1][0] == card[0] or pair[0][1] == pair[1][1] == card[1]
    ]  # fmt: skip
    return any(sum(c not in known for c in pair) <= room and new_melds((card, *pair)) for pair in pairs)


def cheapest(hand: Sequence[Card], melds: Sequence[Meld], penalty: bool) -> Card:
    """The cheapest card that is no gift, or the cheapest of all if every one is; the first in hand of equals."""
    return min(hand, key=lambda card: (penalty and goes_on(card, melds), value(card)))
