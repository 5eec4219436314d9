"""What a hand can lay off, in an order that goes (RULES.md, "Hints"). Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from domain.cards import RANKS, Card, Seat
from domain.contract_rummy.contracts import POINTS, STYLE
from domain.contract_rummy.state import Play
from domain.melds import End, Meld, Run, Set, extend, fits

NODES = 800  # orders of one suit's cards that are looked at

_ENDS: tuple[End, End] = ("high", "low")
_ANYONE = Seat(0)

Step: TypeAlias = tuple[str, int, End]  # a face ("*" for a joker), a run's id and its end
Runs: TypeAlias = tuple[tuple[int, int, int], ...]  # of one suit: meld id, lowest and highest position


class Off(NamedTuple):
    """A play, and the other places where the card would do as well."""

    play: Play
    equal: tuple[tuple[int, End | None], ...] = ()


def lay_offs(hand: Sequence[Card], melds: Sequence[Meld]) -> list[Off]:
    """The plays that lay the most cards, then the most points, one after the other; a card stays for the discard.

    Naturals go first. A joker goes between if that brings on a natural that nothing else does, else at the end, on a
    set if there is one. If every card could be laid the cheapest that no other needs is held back.
    """
    plays = _all(hand, melds)
    if len(plays) == len(hand) and hand:
        spare = [i for i in range(len(plays)) if _goes(plays[:i] + plays[i + 1 :], melds)]
        keep = min(spare, key=lambda i: (POINTS[plays[i].play.card[0]], plays[i].play.card))
        plays = plays[:keep] + plays[keep + 1 :]
    return plays


class Sorted(NamedTuple):
    """Plays that go one after the other, and the cards with several places that are left to choose from after them."""

    plays: tuple[Play, ...]
    choose: tuple[tuple[Card, tuple[Play, ...]], ...]


def sort_out(offs: Sequence[Off], melds: Sequence[Meld]) -> Sorted:
    """What is to be sent as it is, and what is the player's to choose. Each place to choose is free after the plays.

    A card that another play needs where it is, or that has one place left once the others lie, is no choice.
    """
    plays, open_ = list(offs), list[Off]()
    for off in offs:
        rest = [other for other in plays if other is not off]
        if off.equal and _goes(rest, melds):
            plays = rest
            open_.append(off)
    while True:
        table = _after(plays, melds) or {}
        spots = [[place for place in _places(off) if _fits(table, place)] for off in open_]
        settled = next((i for i, some in enumerate(spots) if len(some) < 2), None)
        if settled is None:
            choose = tuple((off.play.card, tuple(some)) for off, some in zip(open_, spots, strict=True))
            return Sorted(tuple(off.play for off in plays), choose)
        plays += [Off(place) for place in spots[settled]]
        del open_[settled]


def _places(off: Off) -> list[Play]:
    return [off.play, *(Play(off.play.card, meld, end) for meld, end in off.equal)]


def _fits(table: Mapping[int, Meld], play: Play) -> bool:
    """Whether a play goes where it says."""
    ends = fits(table[play.meld], play.card, STYLE)
    return bool(ends) and (play.end in ends or isinstance(table[play.meld], Set))


def _after(plays: Sequence[Off], melds: Sequence[Meld]) -> dict[int, Meld] | None:
    """The melds by id once all of this is laid, or None if it does not go."""
    table = {meld.id: meld for meld in melds}
    for off in plays:
        play = off.play
        if not _fits(table, play):
            return None
        table[play.meld] = extend(table[play.meld], play.card, _ANYONE, STYLE, play.end)
    return table


def _goes(plays: Sequence[Off], melds: Sequence[Meld]) -> bool:
    return _after(plays, melds) is not None


def _all(hand: Sequence[Card], melds: Sequence[Meld]) -> list[Off]:
    left = sorted(c for c in hand if c[0] != "*")
    jokers = sorted((c for c in hand if c[0] == "*"), key=lambda c: int(c[1:]))
    sets = {meld.rank: meld.id for meld in reversed(melds) if isinstance(meld, Set)}
    spots = {rank: [m.id for m in melds if isinstance(m, Set) and m.rank == rank] for rank in sets}
    ends = {m.id: (m.lo, m.hi) for m in melds if isinstance(m, Run)}
    suits = {m.id: m.suit for m in melds if isinstance(m, Run)}
    plays: list[Off] = []

    def put(face: str, meld: int, end: End) -> None:
        card = jokers.pop(0) if face == "*" else next(c for c in left if c[:2] == face)
        if face != "*":
            left.remove(card)
        lo, hi = ends[meld]
        equal = _equal(face, (meld, end), ends, suits, spots, left) if face != "*" else ()
        ends[meld] = (lo - 1, hi) if end == "low" else (lo, hi + 1)
        plays.append(Off(Play(card, meld, end), equal))

    for step in _on_runs(left, len(jokers), frozenset(sets), ends, suits):
        put(*step)
    for card in list(left):
        if card[0] in sets:
            left.remove(card)
            others: list[tuple[int, End | None]] = [(id, None) for id in spots[card[0]][1:]]
            plays.append(Off(Play(card, sets[card[0]]), (*others, *_ends(card[:2], ends, suits))))
    _jokers_last(jokers, sets, ends, plays)
    return plays


def _equal(
    face: str, taken: tuple[int, End], ends: dict[int, tuple[int, int]], suits: dict[int, str],
    spots: dict[str, list[int]], left: Sequence[Card],
) -> tuple[tuple[int, End | None], ...]:  # fmt: skip
    """Other places for a natural, unless the place it takes brings on another card of the hand."""
    places = _ends(face, ends, suits)
    nexts = {_next(place, ends, suits) for place in places}
    if any(c[:2] in nexts for c in left):
        return ()
    found: list[tuple[int, End | None]] = [place for place in places if place != taken]
    return (*found, *((id, None) for id in spots.get(face[0], ())))


def _next(place: tuple[int, End], ends: dict[int, tuple[int, int]], suits: dict[int, str], far: int = 2) -> str:
    """The face that would go on an end of a run after one card has gone there; "" beyond its last place."""
    lo, hi = ends[place[0]]
    p = lo - far if place[1] == "low" else hi + far
    return RANKS[(p - 1) % 13] + suits[place[0]] if STYLE.low <= p <= STYLE.high else ""


def _ends(face: str, ends: dict[int, tuple[int, int]], suits: dict[int, str]) -> list[tuple[int, End]]:
    found: list[tuple[int, End]] = []
    for id in sorted(ends):
        for end in _ENDS:
            if suits[id] == face[1] and _next((id, end), ends, suits, 1) == face:
                found.append((id, end))
    return found


def _on_runs(
    left: Sequence[Card], jokers: int, sets: frozenset[str], ends: Mapping[int, tuple[int, int]],
    suits: Mapping[int, str],
) -> list[Step]:  # fmt: skip
    """The best order on all runs, jokers only where they bring on naturals, shared among the suits as pays most."""
    ways: dict[int, _Way] = {0: _NOTHING}  # by jokers used
    for suit in sorted(set(suits.values())):
        runs = tuple((id, *ends[id]) for id in sorted(ends) if suits[id] == suit)
        held = tuple(sorted(c[:2] for c in left if c[1] == suit))
        search = _Suit(suit, sets)
        own = {way.jokers: way for j in range(jokers, -1, -1) for way in [search.best(runs, held, j)]}
        after: dict[int, _Way] = {}
        for one in ways.values():
            for other in own.values():
                both = one.and_then(other)
                if both.jokers <= jokers and both.beats(after.get(both.jokers)):
                    after[both.jokers] = both
        ways = after
    best = _NOTHING
    for used in sorted(ways):
        best = ways[used] if ways[used].beats(best) else best
    return list(best.order)


class _Way(NamedTuple):
    """Cards to lay on runs in order; how many of them, and what points, no set would take; jokers among them."""

    cards: int
    points: int
    jokers: int
    order: tuple[Step, ...]

    def beats(self, other: "_Way | None") -> bool:
        return other is None or (self.cards, self.points) > (other.cards, other.points)

    def and_then(self, other: "_Way") -> "_Way":
        return _Way(
            self.cards + other.cards, self.points + other.points, self.jokers + other.jokers,
            self.order + other.order,
        )  # fmt: skip


_NOTHING = _Way(0, 0, 0, ())


class _Suit:
    """The best order for the naturals of one suit on its runs, cards that a set would take counting as laid anyway."""

    def __init__(self, suit: str, sets: frozenset[str]) -> None:
        self.suit, self.sets, self.nodes = suit, sets, 0
        self.known: dict[tuple[Runs, tuple[str, ...], int], _Way] = {}

    def best(self, runs: Runs, held: tuple[str, ...], jokers: int) -> _Way:
        """With at most so many jokers, and as few as that takes."""
        found = self.known.get((runs, held, jokers))
        if found is None:
            found = self.known[runs, held, jokers] = self._best(runs, held, jokers)
        return found

    def _best(self, runs: Runs, held: tuple[str, ...], jokers: int) -> _Way:
        best = _NOTHING
        self.nodes += 1
        for i, (id, lo, hi) in enumerate(runs):
            for end in _ENDS:
                p = hi + 1 if end == "high" else lo - 1
                if not held or not STYLE.low <= p <= STYLE.high or self.nodes > NODES:
                    continue
                face = RANKS[(p - 1) % 13] + self.suit
                rest = (*runs[:i], (id, min(lo, p), max(hi, p)), *runs[i + 1 :])
                if face in held:
                    k = held.index(face)
                    new = face[0] not in self.sets
                    first = _Way(int(new), POINTS[face[0]] * new, 0, ((face, id, end),))
                    way = first.and_then(self.best(rest, held[:k] + held[k + 1 :], jokers))
                    best = way if way.beats(best) else best
                if self._leads_on(p, end, held, jokers):
                    way = _Way(0, 0, 1, (("*", id, end),)).and_then(self.best(rest, held, jokers - 1))
                    best = way if way.beats(best) else best
        return best

    def _leads_on(self, p: int, end: End, held: tuple[str, ...], jokers: int) -> bool:
        """Whether a joker at a position brings on a natural beyond it, perhaps with more jokers between."""
        step = 1 if end == "high" else -1
        beyond = range(p + step, p + step * (jokers + 1), step)
        return any(RANKS[(q - 1) % 13] + self.suit in held for q in beyond if STYLE.low <= q <= STYLE.high)


def _jokers_last(
    jokers: list[Card], sets: dict[str, int], ends: dict[int, tuple[int, int]], plays: list[Off]
) -> None:
    """The jokers that are left: on a set, where nobody can win them, else on an end of a run."""
    for card in jokers:
        if sets:
            plays.append(Off(Play(card, min(sets.values()))))
            continue
        for id, (lo, hi) in sorted(ends.items()):
            if hi - lo + 1 < STYLE.run_max:
                end: End = "high" if hi < STYLE.high else "low"
                ends[id] = (lo, hi + 1) if end == "high" else (lo - 1, hi)
                plays.append(Off(Play(card, id, end)))
                break
