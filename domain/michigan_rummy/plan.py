"""How a card can be melded: the ways of a dig (RULES.md, "Hints"). The richest meld move is in `best.py`.

One `way` answers the hints, the rule of a deep take, the fallback and the list of legal moves, so they cannot disagree.
"""

from collections.abc import Sequence

from domain.cards import POSITION, Card
from domain.melds import Meld
from domain.michigan_rummy.points import STYLE
from domain.michigan_rummy.state import Lay, NewMeld, Pick, Play, Way
from domain.michigan_rummy.words import told
from domain.search import BITS, Found, find, number, spread


def way(card: Card, pool: Sequence[Card], melds: Sequence[Meld], *, spare: bool = False) -> Way | None:
    """How `card` can be melded with the fewest cards of `pool`, or None. `spare`: one card of both must stay unused."""
    found = _find(card, pool, melds, spare)
    return None if found is None else _way(card, pool, melds, found)


def meldable(card: Card, pool: Sequence[Card], melds: Sequence[Meld], *, spare: bool = False) -> bool:
    """Whether there is a `way`."""
    return _find(card, pool, melds, spare) is not None


def _find(card: Card, pool: Sequence[Card], melds: Sequence[Meld], spare: bool) -> Found | None:
    found = find(card, number(pool), spread(melds), STYLE)
    return None if found is None or (spare and found.size >= len(pool)) else found


def diggable(hand: Sequence[Card], pile: Sequence[Card], melds: Sequence[Meld], *, spare: bool) -> list[bool]:
    """For each index of the pile whether it may be taken from there: `way` for all of them at once, the top always."""
    can, last = [True] * len(pile), len(pile) - 1
    if last > 0:
        pool, table = number(hand), spread(melds)
        for at in range(last - 1, -1, -1):
            pool |= BITS[pile[at + 1]]
            found = find(pile[at], pool, table, STYLE)
            can[at] = found is not None and not (spare and found.size >= len(hand) + last - at)
    return can


def picks(hand: Sequence[Card], pile: Sequence[Card], melds: Sequence[Meld], *, spare: bool) -> tuple[Pick, ...]:
    """For each index of the pile whether it may be taken from there, and how its card would be melded."""
    found, last = [], len(pile) - 1
    for at, card in enumerate(pile):
        how = None if at == last else way(card, [*hand, *pile[at + 1 :]], melds, spare=spare)
        takeable = how is not None or at == last
        found.append(Pick(at=at, card=card, takeable=takeable, way=how, words=told(how, at == last, melds)))
    return tuple(found)


def _way(card: Card, pool: Sequence[Card], melds: Sequence[Meld], found: Found) -> Way:
    if found.new:
        if found.suit:
            uses = _pick(pool, found.suit, [p for p in found.places if p])
            others = iter(uses)
            cards = tuple(next(others) if p else card for p in found.places)
        else:
            uses = _of_rank(pool, found)
            cards = (card, *uses)
        return Way(how="new", uses=tuple(uses), owner=None, move=Lay(melds=(NewMeld(cards),)))
    meld = next(m for m in melds if m.id == found.meld)
    uses = _pick(pool, card[1], found.places)
    plays = tuple(Play(c, found.meld, found.end) for c in (*uses, card))
    return Way(how="after" if uses else "onto", uses=tuple(uses), owner=meld.owner, move=Lay(plays=plays))


def _pick(pool: Sequence[Card], suit: str, places: Sequence[int]) -> list[Card]:
    """Cards of the pool for these positions of a run, jokers where it has no natural."""
    naturals = {POSITION[c[0]]: c for c in reversed(pool) if c[0] != "*" and c[1] == suit}
    wild = iter(sorted(c for c in pool if c[0] == "*"))
    return [naturals.get((p - 1) % 13 + 1) or next(wild) for p in places]


def _of_rank(pool: Sequence[Card], found: Found) -> list[Card]:
    rank = found.places[0]
    naturals = [c for c in pool if c[0] != "*" and POSITION[c[0]] == rank][: found.size - found.jokers]
    return naturals + sorted(c for c in pool if c[0] == "*")[: found.jokers]
