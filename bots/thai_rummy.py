"""The house's bots for Thai Rummy: easy, medium and hard, from what their seat sees.

A bot looks one turn ahead. It values what every way to begin the turn would leave it with: the points it could lay,
what the rest costs and promises, and what its discard would give to the others. Easy counts little more than the cards
it can get rid of now. Hard also reckons who may take what from the pile, and sometimes lays nothing at all, so that all
of it counts double when it goes out at once.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from bots.levels import Ask
from bots.thai_odds import NEAR, Odds, bits, links, unseen
from domain.cards import Card, Seat
from domain.melds import Meld
from domain.mixes import MIXES
from domain.thai_rummy.lay import goes_on, new_meld
from domain.thai_rummy.plan import after, best
from domain.thai_rummy.points import held
from domain.thai_rummy.score import OUT
from domain.thai_rummy.state import Discard, Draw, Extend, Lay, Pass, Plan, Take, View
from domain.thai_rummy.ways import takes

DANGER = 6  # a rival with one card is full danger, one with this many more is none
LATE = 4  # turns a player left in the stock from which the end of the hand is near
GLANCE = 200  # mixes of melds looked at for a hand that might be taken up
EFFORT = 600_000  # hands looked at in a draw, each counting the cube of its cards, about what it costs
WAYS = 3  # melds looked at for each card of the pile, the richest first
PENALTY = 50  # of a gift, and of feeding a last turn
NEAR_END = 200  # points below the target from which on the game may be over with this hand
WANTED = 2  # cards seen taken near a discard that count at most
SAFE = 60  # points above the floor that a bot that holds its melds back wants to keep, whatever comes


class Level(Struct, frozen=True):
    """How a level weighs a hand, in points of the game; tuned by self-play.

    risk: part of the cost of cards left that is feared; danger: how much more of it when the end of the hand is near.
    pot: part of the points of two cards with which a third that nobody has seen would make a meld; lying: how often one
    of the pile counts. race: for each card less in hand when somebody may win the game with this hand. gift: part of a
    gift's penalty that is seen. pile: how much what the others may take from the pile is feared. known: for each card
    near a discard that a rival was seen to take. depth: cards above the one taken that it will take along. lowers:
    takes only what lowers the cost of its hand. hold: loose cards with which melds are held back while dark, never if
    it is below 0; fewest: cards that every rival must then hold.
    """

    risk: float
    danger: float = 0.0
    pot: float = 0.0
    lying: float = 0.0
    race: float = 0.0
    gift: float = 0.0
    pile: float = 0.0
    known: float = 0.0
    depth: int = 99
    lowers: bool = False
    hold: int = -1
    fewest: int = 99


LEVELS = {
    "easy": Level(risk=1, depth=0, lowers=True),
    "medium": Level(risk=1, pot=0.02, gift=1, depth=3),
    "hard": Level(
        risk=0.1, danger=0.7, pot=0.4, lying=1, race=60, gift=1, pile=0.5, known=2, hold=2, fewest=5,
    ),
}  # fmt: skip


class Prospect(Struct, frozen=True):
    """What a hand can come to this turn: its value, the moves that lay its melds, the card to discard."""

    value: float
    plan: Plan | None
    discard: Card


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
        self.hand, self.options = view.hand, view.options
        self.next_id = max((meld.id for meld in view.melds), default=-1) + 1
        rivals = [count for i, count in enumerate(view.counts) if i != seat]
        self.fewest = min(rivals)
        near = max(1 - (self.fewest - 1) / DANGER, 1 - view.stock / (LATE * view.seats))
        self.risk = level.risk + level.danger * max(0.0, min(1.0, near))
        self.unseen = bits(unseen(view))
        ahead = max(total + points for total, points in zip(view.totals, view.melded, strict=True))
        self.hurry = level.race * max(0.0, min(1.0, (ahead + NEAR_END - self.options.target) / NEAR_END))
        self.odds = Odds(view, seat) if level.pile or level.known else None

    def draw(self) -> Draw | Take | Pass:
        """The best way to begin the turn."""
        view, level, pile = self.view, self.level, self.view.pile
        stay: Draw | Pass = Draw() if view.stock else Pass()
        base = self.prospect(self.hand, view.melds, pile).value if view.stock else -self.risk * held(self.hand)
        found, value, effort = None, base, EFFORT
        for at in range(len(pile) - 1, max(-1, len(pile) - 2 - level.depth), -1):
            ways = sorted(takes(self.hand, pile, at), key=lambda cards: -held(cards))
            for cards in ways[:WAYS]:
                effort -= (len(self.hand) + len(pile) - at) ** 3
                if effort < 0:
                    break
                gain = self._taken(at, cards)
                if gain > value:
                    found, value = Take(at, cards), gain
        return found or stay

    def _taken(self, at: int, cards: tuple[Card, ...]) -> float:
        """What it comes to to take the pile from `at` up and lay these cards."""
        pool = (*self.hand, *self.view.pile[at:])
        left = [card for card in pool if card not in cards]
        melds = (*self.view.melds, new_meld(cards, self.next_id, self.seat))
        plan = self.prospect(left, melds, self.view.pile[:at], laid=held(cards))
        if self.level.lowers and held(left) >= held(self.hand):
            return float("-inf")
        return plan.value

    def play(self) -> Lay | Extend | Discard:
        """The next part of the richest plan, else the discard that leaves the best hand."""
        view = self.view
        found = self.prospect(self.hand, view.melds, view.pile)
        if found.plan is not None:
            return found.plan.steps[0].move
        return Discard(found.discard)

    def prospect(
        self, hand: Sequence[Card], melds: tuple[Meld, ...], pile: Sequence[Card], laid: int = 0
    ) -> Prospect:
        """What such a hand comes to before such a table and pile, so many points having been laid this turn."""
        level = self.level
        next_id = max((meld.id for meld in melds), default=-1) + 1
        budget = MIXES if self.view.phase == "play" else GLANCE
        plan = best(hand, melds, next_id, self.seat, budget=budget)
        left, table = after(plan, hand, melds, next_id, self.seat)
        points = (plan.points if plan else 0) + laid
        if len(left) == 1:
            twice = self.options.doubling == "on" and self.view.dark[self.seat] and level.hold >= 0
            return Prospect((points + OUT) * (2 if twice else 1), plan, left[0])
        dark = not laid and self.view.melded[self.seat] == 0
        if dark and plan is not None and self._holds(hand, left):
            value, card = self._discard(left, pile, melds)
            return Prospect(value + points, None, card)
        value, card = self._discard(left, pile, table)
        return Prospect(value + points, plan, card)

    def _holds(self, hand: Sequence[Card], left: Sequence[Card]) -> bool:
        """Whether to lay nothing yet: it is nearly out, nobody else is, and a doubled loss would not end the game."""
        level, view = self.level, self.view
        if self.options.doubling == "off" or len(left) - 1 > level.hold or self.fewest < level.fewest:
            return False
        loss = 2 * (held(hand) + PENALTY * view.gifts[self.seat])
        return view.stock >= 2 * view.seats and view.totals[self.seat] - loss > self.options.floor + SAFE

    def _discard(self, left: Sequence[Card], pile: Sequence[Card], melds: Sequence[Meld]) -> tuple[float, Card]:
        """What the best discard leaves, and that discard."""
        level = self.level
        near = links(left, self.unseen, bits(pile), level.lying)
        cost, promise = held(left), sum(near.values()) / 2
        given = self._given(pile, melds)
        found: tuple[float, Card] | None = None
        for card in left:
            value = -self.risk * (cost - held((card,))) + level.pot * (promise - near[card]) - given(card)
            value -= self.hurry * (len(left) - 1)
            if found is None or value > found[0]:
                found = (value, card)
        assert found is not None
        return found

    def _given(self, pile: Sequence[Card], melds: Sequence[Meld]) -> Callable[[Card], float]:
        """What a discard on such a pile, before such a table, is feared to cost and to give the others."""
        level, odds = self.level, self.odds
        penalty = PENALTY * level.gift if self.options.gift_penalty == "on" else 0.0
        if odds is None:
            return lambda card: penalty * goes_on(card, melds)

        def given(card: Card) -> float:
            expected, top = odds.pile((*pile, card))
            fed = PENALTY * top * odds.nearly if self.options.fed_penalty == "on" else 0.0
            wanted = min((NEAR[card] & odds.taken).bit_count(), WANTED)
            return penalty * goes_on(card, melds) + level.pile * (expected + fed) + level.known * wanted

        return given
