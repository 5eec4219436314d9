"""The house's bots for Michigan Rummy: easy, medium and hard, from what their seat sees.

A bot looks one turn ahead. It values the hand that every way to draw would leave it with: the points it could
meld, what the rest costs and promises, and what the pile would then give to the others. The view keeps what a
careful player would remember of the hand: the pile, the melds, what a remade stock was made of, and every card that
somebody was seen to take and still holds (`known`).
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from bots.levels import Ask
from bots.michigan_odds import BIT, NEAR, Odds, faces, open_faces
from domain.cards import Card, Seat, is_joker
from domain.game import Illegal
from domain.melds import Meld, Run, positions
from domain.michigan_rummy.best import best
from domain.michigan_rummy.lay import apply, used
from domain.michigan_rummy.plan import diggable
from domain.michigan_rummy.points import POINTS, STYLE, held
from domain.michigan_rummy.state import Discard, Draw, Lay, NewMeld, Play, Take, View
from domain.mixes import MIXES

DANGER = 6  # an opponent with one card is full danger, one with this many more is none
GLANCE = 300  # mixes of melds looked at for a hand that might be drawn
WANTED = 2  # cards seen taken near a discard that count at most


class Level(Struct, frozen=True):
    """How a level weighs a hand, in points of the game; tuned by self-play.

    risk: part of the cost of cards left that is feared, and danger: how much more of it when an opponent is
    about to go out. pot: for two cards that a third would make a meld. joker: for one kept. card: for any card
    kept. nearly: for at most one card left. gift: how much what the others may dig from the pile is feared.
    known: for each card near a discard that an opponent was seen to take. depth: cards above the one dug for that
    it will take along. margin, top: by how much a dig, or the top card alone, must beat the hand as it is.
    table: whether jokers go on melds that lie already. effort: hands looked at in a draw, each counting the cube
    of its cards, about what it costs; of a long pile the upper digs are looked at first.
    """

    risk: float
    danger: float
    pot: float
    joker: float
    depth: int
    margin: float
    top: float
    table: bool
    card: float = 0.0
    nearly: float = 25.0
    gift: float = 0.0
    known: float = 0.0
    effort: int = 100_000


LEVELS = {
    "easy": Level(risk=0.15, danger=0.2, pot=0.5, joker=4, depth=2, margin=60, top=32, table=True),
    "medium": Level(risk=0.2, danger=0.6, pot=1.2, joker=8, depth=10, margin=-4, top=0, table=False, nearly=12),
    "hard": Level(
        risk=0.08, danger=0.47, pot=1.5, joker=8, depth=999, margin=3.5, top=12, table=True, card=0.4, nearly=11,
        gift=1.75, known=5.5, effort=500_000,
    ),
}  # fmt: skip


class Prospect(Struct, frozen=True):
    """What a hand can come to this turn: its value, the meld move that leads there, the card to discard."""

    value: float
    lay: Lay | None
    discard: Card | None


def decide(ask: Ask) -> dict[str, Any]:
    """The seat's move for a question "draw" or "play"."""
    view = ask.view if isinstance(ask.view, View) else msgspec.convert(ask.view, View)
    mind = _Mind(view, Seat(ask.seat), LEVELS[ask.level])
    move = mind.draw() if ask.kind == "draw" else mind.play()
    built: dict[str, Any] = msgspec.to_builtins(move)
    return built


class _Mind:
    """One question: the view and what follows from it."""

    def __init__(self, view: View, seat: Seat, level: Level) -> None:
        assert view.hand is not None
        self.view, self.seat, self.level = view, seat, level
        self.hand = view.hand
        self.next_id = max((meld.id for meld in view.melds), default=-1) + 1
        self.spare = view.options.discard_out == "on"
        fewest = min(count for i, count in enumerate(view.counts) if i != seat)
        danger = max(0.0, min(1.0, 1 - (fewest - 1) / DANGER))
        self.risk = level.risk + level.danger * danger
        self.odds = Odds(view, seat) if level.gift or level.known else None

    def draw(self) -> Draw | Take:
        """The best way to come by a card."""
        view, pile = self.view, self.view.pile
        top = len(pile) - 1
        if not view.stock and top < 1:
            return Take(top)
        free = top >= 0 and is_joker(pile[top])  # a joker on top is never left lying
        at = self._dig(float("-inf") if free else self.prospect(self.hand, pile).value)
        if at is None:
            return Take(top) if free else Draw()
        return Take(at)

    def _dig(self, value: float) -> int | None:
        """Index of the pile card to take from that beats this value by the most, None if none does."""
        view, level, pile = self.view, self.level, self.view.pile
        can = diggable(self.hand, pile, view.melds, spare=self.spare)
        found, effort = None, level.effort
        for at in range(len(pile) - 1, max(-1, len(pile) - 2 - level.depth), -1):
            if not can[at]:
                continue
            effort -= (len(self.hand) + len(pile) - at) ** 3
            if effort < 0:
                break
            must = pile[at] if at < len(pile) - 1 else None
            gain = self.prospect(self.hand + pile[at:], pile[:at], must).value
            gain -= level.margin if must else level.top
            if gain > value:
                value, found = gain, at
        return found

    def play(self) -> Lay | Discard:
        """The next part of the richest meld move, else the discard that leaves the best hand."""
        plan = self.prospect(self.hand, self.view.pile, self.view.must)
        if plan.lay is not None:
            return self._placed(step(plan.lay, self.view.must))
        assert plan.discard is not None
        return Discard(plan.discard)

    def prospect(self, hand: Sequence[Card], pile: Sequence[Card], must: Card | None = None) -> Prospect:
        """What such a hand comes to over such a pile if it lays all that it can and discards what it misses least."""
        found = best(
            hand, self.view.melds, self.next_id, self.seat, must=must, spare=self.spare,
            jokers_on_table=self.level.table, budget=MIXES if self.view.phase == "play" else GLANCE,
        )  # fmt: skip
        if found is None:
            lay, points, melds, left = None, 0, self.view.melds, sorted(hand)
        else:
            lay, points = found.move, found.points
            gone = set(used(lay))
            left = sorted(c for c in hand if c not in gone)
            melds = apply(self.view.melds, self.next_id, self.seat, lay).melds if self.odds else ()
        if not left:
            return Prospect(points + self.level.nearly, lay, None)
        value, card = self._discard(left, pile, melds)
        return Prospect(points + value, lay, card)

    def _discard(self, left: Sequence[Card], pile: Sequence[Card], melds: Sequence[Meld]) -> tuple[float, Card]:
        """What the best discard leaves, and that discard: a joker only if there is nothing else."""
        level = self.level
        links = _links(left)
        cost, pairs, jokers = held(left), sum(links.values()) / 2, len(left) - len(links)
        gift = self._gift(pile, melds) if len(left) > 1 else lambda _: 0.0
        found: tuple[float, Card] | None = None
        for card in links or left:
            value = -self.risk * (cost - POINTS[card[0]]) + level.pot * (pairs - links.get(card, 0))
            value += level.joker * (jokers - is_joker(card)) + level.card * (len(left) - 1) - gift(card)
            if found is None or value > found[0]:
                found = (value, card)
        assert found is not None
        return found[0] + (level.nearly if len(left) <= 2 else 0), found[1]

    def _gift(self, pile: Sequence[Card], melds: Sequence[Meld]) -> Callable[[Card], float]:
        """What a discard on such a pile, before such a table, is feared to give the others."""
        odds, level = self.odds, self.level
        if odds is None:
            return lambda _: 0.0
        open_to = open_faces(melds)
        expected, nobody = odds.pile(pile, open_to)

        def gift(card: Card) -> float:
            taken = 1 - nobody + nobody * odds.use(card, open_to)
            wanted = 0 if is_joker(card) else (NEAR[card[:2]] & odds.taken).bit_count()
            return level.gift * (expected + POINTS[card[0]] * taken) + level.known * min(wanted, WANTED)

        return gift

    def _placed(self, lay: Lay) -> Lay:
        """The same part of a move with a spare joker on that end of its run which the rest of the hand is nearer to."""
        ways = [lay, *_other_ends(lay)]
        if len(ways) == 1:
            return lay
        gone = set(used(lay))
        left = [c for c in self.hand if c not in gone and not is_joker(c)]
        target = lay.plays[0].meld if lay.plays else self.next_id
        found, points, nearest = lay, None, -1
        for way in ways:
            try:
                laid = apply(self.view.melds, self.next_id, self.seat, way)
            except Illegal:
                continue
            meld = next(m for m in laid.melds if m.id == target)
            near = _nearness(left, meld) if isinstance(meld, Run) else 0
            if points is None:
                points = laid.points
            if near > nearest and laid.points >= points:
                found, nearest = way, near
        return found


def step(lay: Lay, must: Card | None) -> Lay:
    """The first part of a meld move that can be a move by itself: one new meld, or what goes on one meld.

    With `must` it is the part that lays this card.
    """
    parts = [
        Lay((new,), tuple(Play(p.card, "n0", p.end) for p in lay.plays if p.meld == f"n{k}"))
        for k, new in enumerate(lay.melds)
    ]
    old = dict.fromkeys(p.meld for p in lay.plays if isinstance(p.meld, int))
    parts += [Lay((), tuple(p for p in lay.plays if p.meld == meld)) for meld in old]
    return next(part for part in parts if must is None or must in used(part))


def _other_ends(lay: Lay) -> list[Lay]:
    """The other ways to lay a single spare joker or a new meld with jokers, whether allowed or not."""
    if len(lay.plays) == 1 and not lay.melds and is_joker(lay.plays[0].card) and lay.plays[0].end:
        play = lay.plays[0]
        return [Lay((), (Play(play.card, play.meld, "low" if play.end == "high" else "high"),))]
    if len(lay.melds) == 1 and not lay.plays:
        new = lay.melds[0]
        jokers = sum(map(is_joker, new.cards))
        return [Lay((NewMeld(new.cards, new.kind, low),)) for low in range(1, jokers + 1)]
    return []


def _nearness(cards: Sequence[Card], run: Run) -> int:
    """How near cards are to a run's ends: 2 for each that goes there next, 1 for each that is one further."""
    near = 0
    for card in cards:
        if card[1] == run.suit:
            near += sum(max(0, 3 - (run.lo - p if p < run.lo else p - run.hi)) for p in positions(card, STYLE))
    return near


def _links(cards: Sequence[Card]) -> dict[Card, int]:
    """For each natural, how many others could stand in a meld of three with it."""
    once, twice = faces(cards)
    links = {}
    for card in cards:
        if not is_joker(card):
            face = card[:2]
            links[card] = (NEAR[face] & once).bit_count() + ((NEAR[face] | BIT[face]) & twice).bit_count()
    return links
