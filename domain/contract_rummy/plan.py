"""How far a hand is from its contract, and what would bring it closer (RULES.md, "Hints"). Exact, pure, remembered."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from domain.cards import RANKS, SUITS, Card
from domain.contract_rummy.contracts import RUN_SIZE, SET_SIZE, Contract
from domain.contract_rummy.faces import FACES, NUMBER, Counts, Part, Shape, at, shape
from domain.contract_rummy.lay import jokers_stand
from domain.contract_rummy.state import Exchange
from domain.melds import Meld

NEAR = 3  # places within which a card of the suit could help a run
SWAPS = 3  # jokers of the table that are won for one contract at most

_LOWS = range(1, 15 - RUN_SIZE + 1)


class Plan(NamedTuple):
    """The melds that a hand is closest to: `missing` cards are wanted still."""

    missing: int
    parts: tuple[Part, ...]


def best(hand: Iterable[str], sets: int, runs: int) -> Plan:
    """The contract with the fewest cards missing, jokers counted; `hand` in cards or faces.

    >>> best(("8H1", "8S1", "KH1", "KD2", "KC1", "*1", "2D1"), 2, 0).missing
    0
    """
    return plan(shape(hand), sets, runs)


@lru_cache(maxsize=1 << 15)
def plan(hand: Shape, sets: int, runs: int) -> Plan:
    """`best` of a hand by its faces: exact, because a joker is as good in one place as in another."""
    return _Search(hand, sets, runs).found()


class _Search:
    """Windows of four for the runs, those with most naturals first, then the fullest ranks for the sets."""

    def __init__(self, hand: Shape, sets: int, runs: int) -> None:
        self.hand, self.sets, self.runs = hand, sets, runs
        self.counts = list(hand.counts)
        self.ranks = [sum(hand.counts[s * 13 + r] for s in range(4)) for r in range(13)]
        self.windows = sorted(_windows(hand.counts), key=lambda w: -len(w.held)) + [_EMPTY] * runs
        self.most = SET_SIZE * sets + RUN_SIZE * runs
        self.best, self.chosen = -1, list[_Window]()
        self.set_bound = self._sets()

    def _sets(self) -> int:
        """Naturals that the sets can hold, of the cards that the runs have left."""
        if not self.sets:
            return 0
        sizes: list[int] = []
        for n in self.ranks:
            while n > 0:
                sizes.append(min(n, SET_SIZE))
                n -= SET_SIZE
        return sum(sorted(sizes, reverse=True)[: self.sets])

    def found(self) -> Plan:
        self._runs(0, self.runs, 0, [])
        runs = [_run(w, self.counts) for w in self.chosen]
        parts = [*self._chosen_sets(), *runs]
        jokers = self.hand.jokers
        whole: list[Part] = []
        for part in sorted(parts, key=lambda p: p.missing):
            wild = min(jokers, part.missing)
            jokers -= wild
            filled = iter(["*"] * wild + [""] * (part.missing - wild))
            whole.append(part._replace(faces=tuple(f or next(filled) for f in part.faces)))
        whole.sort(key=lambda p: (p.kind != "set", RANKS.find(p.rank), p.suit, p.lo))
        return Plan(sum(p.missing for p in whole), tuple(whole))

    def _runs(self, start: int, left: int, held: int, chosen: list["_Window"]) -> None:
        if not left:
            held += self._sets()
            if held > self.best:
                self.best, self.chosen = held, list(chosen)
            return
        for i in range(start, len(self.windows)):
            window = self.windows[i]
            if held + left * len(window.held) + self.set_bound <= self.best or self.best >= self.most:
                return
            used = [f for f in window.held if self.counts[f] > 0]
            for f in used:
                self.counts[f] -= 1
                self.ranks[f % 13] -= 1
            self._runs(i, left - 1, held + len(used), [*chosen, window])
            for f in used:
                self.counts[f] += 1
                self.ranks[f % 13] += 1

    def _chosen_sets(self) -> list[Part]:
        """The sets beside the chosen runs, whose naturals have been taken out of the counts by then."""
        parts = []
        for _ in range(self.sets):
            ranks = [sum(self.counts[s * 13 + r] for s in range(4)) for r in range(13)]
            r = max(range(13), key=lambda r: (min(ranks[r], SET_SIZE), -ranks[r]))
            faces: list[str] = []
            for s in sorted(range(4), key=lambda s: -self.counts[s * 13 + r]):
                while self.counts[s * 13 + r] and len(faces) < SET_SIZE:
                    self.counts[s * 13 + r] -= 1
                    faces.append(FACES[s * 13 + r])
            rank = RANKS[r] if faces else RANKS[0]  # jokers alone stand as aces
            parts.append(Part("set", rank, "", 0, (*faces, *[""] * (SET_SIZE - len(faces)))))
        return parts


class _Window(NamedTuple):
    suit: int
    lo: int
    held: tuple[int, ...]  # faces of it that the hand has


_EMPTY = _Window(0, 1, ())  # jokers alone run in spades from the ace


def _windows(counts: Counts) -> list[_Window]:
    found = (
        _Window(suit, lo, tuple(f for p in range(lo, lo + RUN_SIZE) if counts[f := at(suit, p)]))
        for suit in range(4)
        for lo in _LOWS
    )
    return [window for window in found if window.held]


def _run(window: _Window, counts: list[int]) -> Part:
    """The run as a part; its naturals leave the counts."""
    faces = []
    for p in range(window.lo, window.lo + RUN_SIZE):
        f = at(window.suit, p)
        if f in window.held and counts[f]:
            counts[f] -= 1
            faces.append(FACES[f])
        else:
            faces.append("")
    return Part("run", "", SUITS[window.suit], window.lo, tuple(faces))


def could_help(card: str, hand: Sequence[str], wanted: Contract) -> bool:
    """Whether the contract could use the card, as far as a quick look tells; a joker always can.

    >>> could_help("9H1", ("KH2", "7H1"), Contract(0, 2, 10)), could_help("9H1", ("KH2", "9S1"), Contract(0, 2, 10))
    (True, False)
    """
    if card[0] == "*" or any(c[0] == "*" for c in hand):
        return True
    if wanted.sets and any(c[0] == card[0] for c in hand):
        return True
    return bool(wanted.runs) and any(c[1] == card[1] and _apart(c[0], card[0]) <= NEAR for c in hand)


def _apart(one: str, other: str) -> int:
    """Places between two ranks in a run, aces low or high."""
    a, b = RANKS.index(one), RANKS.index(other)
    return min(abs(x - y) for x in {a, a or 13} for y in {b, b or 13})


def without(hand: Shape, faces: Iterable[str], jokers: int = 0) -> Shape:
    """The shape without some naturals and with so many more jokers."""
    counts = list(hand.counts)
    for face in faces:
        counts[NUMBER[face]] -= 1
    return Shape(tuple(counts), hand.jokers + jokers)


def winnable(hand: Sequence[Card], melds: Sequence[Meld]) -> list[Exchange]:
    """Every joker in a run of the table that a card of the hand could be swapped for."""
    by_face = {card[:2]: card for card in sorted(hand, reverse=True) if card[0] != "*"}
    return [Exchange(by_face[face], meld) for meld, face in jokers_stand(melds) if face in by_face]


def useful_swaps(hand: Sequence[Card], melds: Sequence[Meld], sets: int, runs: int) -> tuple[Exchange, ...]:
    """The swaps that would bring the contract closer, one by one."""
    mine = shape(hand)
    missing = plan(mine, sets, runs).missing
    ways = winnable(hand, melds)
    return tuple(x for x in ways if plan(without(mine, [x.card[:2]], 1), sets, runs).missing < missing)


class Complete(NamedTuple):
    """A finished contract and the swaps that it takes."""

    parts: tuple[Part, ...]
    swaps: tuple[Exchange, ...]


def complete(hand: Sequence[Card], melds: Sequence[Meld], sets: int, runs: int) -> Complete | None:
    """The contract out of a hand with a card to spare, with as few jokers won from the table as it takes, or None."""
    mine = shape(hand)
    if len(hand) <= SET_SIZE * sets + RUN_SIZE * runs:
        return None
    for swaps in swap_ways(hand, melds):
        found = plan(without(mine, [x.card[:2] for x in swaps], len(swaps)), sets, runs)
        if not found.missing and sum(p.faces.count("*") for p in found.parts) >= len(swaps):
            return Complete(found.parts, swaps)
    return None


def swap_ways(hand: Sequence[Card], melds: Sequence[Meld]) -> list[tuple[Exchange, ...]]:
    """Sets of swaps that go together, none first, then the smaller ones. A card is given once."""
    ways = winnable(hand, melds)
    copies = {face: sorted(c for c in hand if c[:2] == face) for face in {x.card[:2] for x in ways}}
    found: list[tuple[Exchange, ...]] = [()]
    for size in range(1, min(SWAPS, len(ways)) + 1):
        for some in combinations(ways, size):
            given: dict[str, list[Card]] = {face: list(cards) for face, cards in copies.items()}
            if all(len(given[x.card[:2]]) >= sum(y.card[:2] == x.card[:2] for y in some) for x in some):
                found.append(tuple(Exchange(given[x.card[:2]].pop(0), x.meld) for x in some))
    return found
