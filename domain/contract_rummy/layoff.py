"""What a hand can lay off, in an order that goes (RULES.md, "Hints"). Pure."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from domain.cards import RANKS, Card, Seat
from domain.contract_rummy.contracts import POINTS, STYLE
from domain.contract_rummy.state import Play
from domain.melds import End, Meld, Run, Set, extend, fits

NODES = 400  # orders of one suit's cards that are looked at

_ENDS: tuple[End, End] = ("high", "low")
_ANYONE = Seat(0)

Put: TypeAlias = Callable[[str, int, End], None]
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


def _goes(plays: Sequence[Off], melds: Sequence[Meld]) -> bool:
    table = {meld.id: meld for meld in melds}
    for off in plays:
        meld, play = table[off.play.meld], off.play
        ends = fits(meld, play.card, STYLE)
        if not ends or (isinstance(meld, Run) and play.end not in ends):
            return False
        table[meld.id] = extend(meld, play.card, _ANYONE, STYLE, play.end)
    return True


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

    while True:
        for suit in sorted(set(suits.values())):
            mine = tuple((id, *ends[id]) for id in sorted(ends) if suits[id] == suit)
            held = [c[:2] for c in left if c[1] == suit]
            for step in _Suit(suit, frozenset(sets)).best(mine, held):
                put(*step)
        faces = {c[:2] for c in left if c[0] not in sets}
        if not jokers or not _bridge(ends, suits, faces, put):
            break
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


class _Suit:
    """The best order for the naturals of one suit on its runs, cards that a set would take counting as laid anyway."""

    def __init__(self, suit: str, sets: frozenset[str]) -> None:
        self.suit, self.sets, self.nodes = suit, sets, 0

    def best(self, runs: Runs, held: list[str]) -> list[tuple[str, int, End]]:
        return self._best(runs, tuple(sorted(held)))[1]

    def _best(self, runs: Runs, held: tuple[str, ...]) -> tuple[tuple[int, int], list[tuple[str, int, End]]]:
        best: tuple[tuple[int, int], list[tuple[str, int, End]]] = ((0, 0), [])
        self.nodes += 1
        for i, (id, lo, hi) in enumerate(runs):
            for end in _ENDS:
                p = hi + 1 if end == "high" else lo - 1
                face = RANKS[(p - 1) % 13] + self.suit
                if not STYLE.low <= p <= STYLE.high or face not in held or self.nodes > NODES:
                    continue
                k = held.index(face)
                grown = (id, min(lo, p), max(hi, p))
                rest = (*runs[:i], grown, *runs[i + 1 :])
                (cards, points), order = self._best(rest, held[:k] + held[k + 1 :])
                new = face[0] not in self.sets
                score = (cards + new, points + POINTS[face[0]] * new)
                if score > best[0]:
                    best = (score, [(face, id, end), *order])
        return best


def _bridge(ends: dict[int, tuple[int, int]], suits: dict[int, str], faces: set[str], put: Put) -> bool:
    """Put a joker where one of these naturals, which nothing takes yet, follows it. False if there is no such place."""
    for id in sorted(ends):
        for end in _ENDS:
            if _next((id, end), ends, suits) in faces:
                put("*", id, end)
                return True
    return False


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
