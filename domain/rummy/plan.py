"""How cards can be melded: the top of the pile, and the best that a hand can lay (RULES.md, "Hints")."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from domain.cards import RANKS, Card
from domain.melds import Meld, Run, fits
from domain.mixes import Mix, richest
from domain.rummy.points import POINTS, STYLE, held
from domain.rummy.state import Fit, LayOff, NewMeld, Pick, Place, Play, Suggestion
from domain.search import Found, find, number, spread
from domain.words import row, show


class Plan(NamedTuple):
    """Moves that can be made one after another, the points they take out of the hand, and what they leave in it."""

    moves: tuple[Suggestion, ...]
    points: int
    left: tuple[Card, ...]


def best(hand: Sequence[Card], melds: Sequence[Meld]) -> Plan:
    """What is best laid of a hand: a way that goes out if there is one, else the one that leaves the fewest points.

    Going out needs a discard or nothing: a card taken from the pile may be thrown back if it is the last.
    """
    plan = _plan(hand, melds, worth)
    if len(plan.left) > 1:
        more = _plan(hand, melds, one)
        if len(more.left) <= 1:
            return more
    return plan


def worth(face: str, _: int) -> int:
    """Points of a face, wherever it lies; of a joker, which the game does not have, none."""
    return POINTS.get(face[0], 0)


def one(face: str, _: int) -> int:
    """One for each card."""
    return 1


def _plan(hand: Sequence[Card], melds: Sequence[Meld], count: Callable[[str, int], int]) -> Plan:
    mix = richest(hand, melds, STYLE, count)
    if mix is None:
        return Plan((), 0, tuple(hand))
    moves: list[NewMeld | LayOff] = [*_new(mix, hand), *_onto(mix, hand, melds)]
    done = tuple(Suggestion(move=move, points=held(cards(move))) for move in moves)
    gone = {card for move in moves for card in cards(move)}
    return Plan(done, sum(move.points for move in done), tuple(c for c in hand if c not in gone))


def cards(move: NewMeld | LayOff) -> tuple[Card, ...]:
    """All cards of a move, in the order in which they are laid."""
    return move.cards if isinstance(move, NewMeld) else tuple(play.card for play in move.plays)


def _card(suit: str, position: int) -> Card:
    return Card(f"{RANKS[position - 1]}{suit}1")


def _new(mix: Mix, hand: Sequence[Card]) -> list[NewMeld]:
    runs = [
        NewMeld(tuple(_card(suit, p) for p in range(piece.lo, piece.hi + 1)))
        for suit, piece in mix.pieces
        if piece.on < 0
    ]
    used = _in_runs(mix)
    sets = [NewMeld(tuple(c for c in hand if c[0] == rank and c not in used)) for rank, _ in mix.sets]
    return runs + sets


def _in_runs(mix: Mix) -> set[Card]:
    return {_card(suit, p) for suit, piece in mix.pieces for p in range(piece.lo, piece.hi + 1)}


def _onto(mix: Mix, hand: Sequence[Card], melds: Sequence[Meld]) -> list[LayOff]:
    """The cards that go on melds of the table, in one move if there are any."""
    plays: list[Play] = []
    for suit, piece in mix.pieces:
        if piece.on >= 0:
            run = [m for m in melds if isinstance(m, Run) and m.suit == suit][piece.on]
            places = range(piece.lo, piece.hi + 1)
            plays += [Play(_card(suit, p), run.id) for p in (places if piece.end == "high" else places[::-1])]
    used, new = _in_runs(mix), {rank for rank, _ in mix.sets}
    for card in hand:
        if card not in used and card[0] not in new:
            plays += [Play(card, m.id) for m in melds if not isinstance(m, Run) and fits(m, card, STYLE)]
    return [LayOff(tuple(plays))] if plays else []


def pick(hand: Sequence[Card], top: Card, melds: Sequence[Meld]) -> Pick:
    """How the top of the pile could be melded with the fewest cards of the hand."""
    found = find(top, number(hand), spread(melds), STYLE)
    if found is None:
        return Pick(
            card=top, how=None, uses=(), owner=None, move=None, words=f"{show(top)} could not be melded this turn."
        )
    if found.new:
        uses = _uses(found, hand, top)
        melded = NewMeld(tuple(sorted((*uses, top), key=lambda c: RANKS.index(c[0]))))
        words = f"{show(top)} makes a new meld with {row(uses)}."
        return Pick(card=top, how="new", uses=uses, owner=None, move=melded, words=words)
    meld = next(m for m in melds if m.id == found.meld)
    uses = tuple(_card(top[1], p) for p in found.places)
    after = f" after {row(uses)}" if uses else ""
    return Pick(
        card=top, how="after" if uses else "onto", uses=uses, owner=meld.owner,
        move=LayOff(tuple(Play(c, meld.id) for c in (*uses, top))),
        words=f"{show(top)} goes on the {meld.kind} {row(meld.cards)}{after}.",
    )  # fmt: skip


def _uses(found: Found, hand: Sequence[Card], top: Card) -> tuple[Card, ...]:
    if found.suit:
        return tuple(_card(found.suit, p) for p in found.places if p)
    return tuple(c for c in hand if c[0] == top[0])[: found.size]


def fitting(hand: Sequence[Card], melds: Sequence[Meld]) -> tuple[Fit, ...]:
    """The cards of a hand that go on melds of the table, and where."""
    found = (
        Fit(card=card, places=tuple(Place(meld=m.id, end=end) for m in melds for end in fits(m, card, STYLE)))
        for card in hand
    )
    return tuple(fit for fit in found if fit.places)
