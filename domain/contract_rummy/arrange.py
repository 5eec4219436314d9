"""The careful way to lay a contract: every complete way within a budget, weighed by what it leaves (RULES.md, "Hints").

Costs are in fifths of a point, so that nothing is rounded. Slow beside `plan.best`, and so only worked out on request.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import NamedTuple

from domain.cards import ACE_HIGH, RANKS, SUITS
from domain.contract_rummy.contracts import POINTS, RUN_SIZE, SET_SIZE, STYLE
from domain.contract_rummy.faces import FACES, NUMBER, WORTH, Part, Shape, at
from domain.contract_rummy.plan import plan
from domain.melds import Meld, Run, Set

NODES = 20_000  # melds that are tried for one arrangement
OFF = 5  # a card that can be laid off next turn costs a fifth of its points
JOKER = POINTS["*"]
KEPT_JOKER = 8  # a joker that is still held costs so much more
RISK = 4  # a joker in a new run whose card may still be about, so that somebody may win it


class Option(NamedTuple):
    """A meld of the contract that a hand might make: numbers of its naturals' faces, jokers, what it risks."""

    need: tuple[int, ...]
    jokers: int
    risk: int  # in fifths
    part: Part
    rank: int  # of a set, -1 for a run
    suit: int
    lo: int
    hi: int
    gain: int  # fifths of points that leave the hand with it, for the order of trying


class Laying(NamedTuple):
    """A way to lay the contract, what the rest of the hand costs, in fifths of a point, and its open run ends."""

    cost: int
    open_ends: int
    parts: tuple[Part, ...]


def arrange(
    hand: Shape, sets: int, runs: int, table: Sequence[Meld], known: Mapping[str, int], decks: int,
    extra: int = 0, budget: int = NODES, kept: Sequence[Part] = (),
) -> Laying | None:  # fmt: skip
    """The best way to lay so many sets of three and runs of four and keep a card to discard, or None.

    extra: jokers among the hand's own that must be used, won from the table. known: how many of each face have been
    seen. kept: parts of the contract that are built already and only count for what can be laid off on them. If the
    budget of melds to try runs out, the best found so far or, if that costs less, the quick plan.
    """
    if sum(hand.counts) + hand.jokers - SET_SIZE * sets - RUN_SIZE * runs < 1:
        return None
    return _Ways(hand, sets, runs, table, known, decks, extra, kept).best(budget)


class _Ways:
    """All ways, runs before sets, each unordered choice once."""

    def __init__(
        self, hand: Shape, sets: int, runs: int, table: Sequence[Meld], known: Mapping[str, int], decks: int,
        extra: int, kept: Sequence[Part],
    ) -> None:  # fmt: skip
        self.hand, self.sets, self.runs, self.extra = hand, sets, runs, extra
        self.counts, self.jokers = list(hand.counts), hand.jokers
        self.held = [f for f, n in enumerate(hand.counts) if n]
        self.known, self.decks = known, decks
        self.chosen: list[Option] = []
        self.found: tuple[int, int] | None = None
        self.parts: tuple[Part, ...] = ()
        self.nodes = 0
        lying: list[tuple[int, int, int]] = []
        ranks = 0
        for meld in table:
            if isinstance(meld, Set):
                ranks |= 1 << RANKS.index(meld.rank)
            elif isinstance(meld, Run):
                lying.append((SUITS.index(meld.suit), meld.lo, meld.hi))
        for part in kept:
            if part.kind == "set":
                ranks |= 1 << RANKS.index(part.rank)
            else:
                lying.append((SUITS.index(part.suit), part.lo, part.lo + len(part.faces) - 1))
        self.set_ranks, self.lying = ranks, lying

    def best(self, budget: int) -> Laying | None:
        self.nodes = budget
        run_options = _by_gain(self._risky(o) for o in _runs(self.hand)) if self.runs else []
        self.set_options = _by_gain(_sets(self.hand)) if self.sets else []
        self._choose(run_options, 0, self.runs, False)
        if self.nodes <= 0:
            self._quick()
        if self.found is None:
            return None
        return Laying(self.found[0], -self.found[1], self.parts)

    def _quick(self) -> None:
        """Weigh the quick plan beside what has been found."""
        quick = plan(self.hand, self.sets, self.runs)
        if quick.missing or sum(p.faces.count("*") for p in quick.parts) < self.extra:
            return
        self.counts, self.jokers = list(self.hand.counts), self.hand.jokers
        self.chosen = [self._risky(_option(part)) for part in quick.parts]
        for option in self.chosen:
            for f in option.need:
                self.counts[f] -= 1
            self.jokers -= option.jokers
        self._weigh()

    def _risky(self, option: Option) -> Option:
        """The option with what its jokers risk: those of a run whose card has not been seen in every deck."""
        if option.rank >= 0:
            return option
        places = (FACES[at(option.suit, option.lo + i)] for i, f in enumerate(option.part.faces) if f == "*")
        return option._replace(risk=OFF * RISK * sum(self.known.get(face, 0) < self.decks for face in places))

    def _choose(self, options: list[Option], start: int, left: int, sets: bool) -> None:
        if not left:
            if not sets and self.sets:
                self._choose(self.set_options, 0, self.sets, True)
            elif self.hand.jokers - self.jokers >= self.extra:
                self._weigh()
            return
        counts = self.counts
        for i in range(start, len(options)):
            option = options[i]
            if option.jokers > self.jokers:
                continue
            taken = 0
            for f in option.need:
                if not counts[f]:
                    break
                counts[f] -= 1
                taken += 1
            if taken == len(option.need):
                self.nodes -= 1
                self.jokers -= option.jokers
                self.chosen.append(option)
                self._choose(options, i, left - 1, sets)
                self.chosen.pop()
                self.jokers += option.jokers
            for f in option.need[:taken]:
                counts[f] += 1
            if self.nodes <= 0:
                return

    def _weigh(self) -> None:
        """What the rest of the hand costs after a discard; the least so far is kept."""
        counts, jokers, ranks, cost, ends = self.counts, self.jokers, self.set_ranks, 0, 0
        runs = self.lying
        new: list[tuple[int, int, int]] = []
        for option in self.chosen:
            cost += option.risk
            if option.rank >= 0:
                ranks |= 1 << option.rank
            else:
                new.append((option.suit, option.lo, option.hi))
                ends += (option.lo > 1) + (option.hi < ACE_HIGH)
        runs = runs + new
        off = self._off(runs)
        loose = takable = 0
        for f in self.held:
            n = counts[f]
            if n:
                worth = WORTH[f]
                if ranks >> f % 13 & 1 or f in off:
                    cost += worth * n
                    if worth > takable:
                        takable = worth
                else:
                    cost += OFF * worth * n
                    if worth > loose:
                        loose = worth
        if loose:
            cost -= OFF * loose
        elif takable:
            cost -= takable
        else:
            jokers -= 1
        if jokers > 0:
            goes = ranks or any(hi - lo + 1 < STYLE.run_max for _, lo, hi in runs)
            cost += jokers * ((JOKER if goes else OFF * JOKER) + OFF * KEPT_JOKER)
        if self.found is None or (cost, -ends) < self.found:
            self.found, self.parts = (cost, -ends), tuple(option.part for option in self.chosen)

    def _off(self, runs: list[tuple[int, int, int]]) -> set[int]:
        """Faces left that go on the ends of runs, one after the other."""
        counts = self.counts
        off = set()
        for suit, lo, hi in runs:
            base = suit * 13
            while hi < ACE_HIGH and counts[base + hi % 13]:
                off.add(base + hi % 13)
                hi += 1
            while lo > 1 and counts[base + lo - 2]:
                off.add(base + lo - 2)
                lo -= 1
        return off


def _by_gain(options: Iterable[Option]) -> list[Option]:
    """Those first that rid the hand of most."""
    return sorted(options, key=lambda o: o.risk - o.gain)


def _option(part: Part) -> Option:
    """A finished part as an option; its risk is for the caller to add."""
    need = tuple(NUMBER[f] for f in part.faces if f != "*")
    jokers = len(part.faces) - len(need)
    gain = OFF * (sum(WORTH[f] for f in need) + jokers * (JOKER + KEPT_JOKER))
    if part.kind == "set":
        return Option(need, jokers, 0, part, RANKS.index(part.rank), 0, 0, 0, gain)
    return Option(need, jokers, 0, part, -1, SUITS.index(part.suit), part.lo, part.lo + len(part.faces) - 1, gain)


@lru_cache(maxsize=1 << 8)
def _sets(hand: Shape) -> list[Option]:
    """Every set of three: some naturals of a rank and jokers; of jokers alone one of aces."""
    found = []
    for r, rank in enumerate(RANKS):
        suits = [s for s in range(4) if hand.counts[s * 13 + r]]
        for n in range(max(1, SET_SIZE - hand.jokers), SET_SIZE + 1):
            for some in combinations_with_replacement(suits, n):
                if all(some.count(s) <= hand.counts[s * 13 + r] for s in some):
                    faces = tuple(FACES[s * 13 + r] for s in some)
                    found.append(_option(Part("set", rank, "", 0, (*faces, *["*"] * (SET_SIZE - n)))))
    if hand.jokers >= SET_SIZE:
        found.append(_option(Part("set", RANKS[0], "", 0, ("*",) * SET_SIZE)))
    return found


@lru_cache(maxsize=1 << 8)
def _runs(hand: Shape) -> list[Option]:
    """Every run of four: some naturals of a window in their places and jokers in the others; of jokers alone one."""
    found = []
    for s, suit in enumerate(SUITS):
        for lo in range(1, ACE_HIGH - RUN_SIZE + 2):
            numbers = [at(s, lo + i) for i in range(RUN_SIZE)]
            have = sum(1 << i for i, f in enumerate(numbers) if hand.counts[f])
            some = have
            while some:
                if RUN_SIZE - some.bit_count() <= hand.jokers:
                    faces = tuple(FACES[f] if some >> i & 1 else "*" for i, f in enumerate(numbers))
                    found.append(_option(Part("run", "", suit, lo, faces)))
                some = (some - 1) & have
    if hand.jokers >= RUN_SIZE:
        found.append(_option(Part("run", "", SUITS[0], 1, ("*",) * RUN_SIZE)))
    return found
