"""The house's bots for Contract Rummy: easy, medium and hard, from what their seat sees.

A hand is worth less the longer it is expected to take to its contract and the more its cards cost. A bot takes or
buys the discard if the hand is then worth more, and throws the card that leaves it worth most. Hard also looks
one card further ahead, fears its cards more, and reckons what a discard gives to the next player: of what that was
seen to take, throw and let go by, and of what lies on the table (bots/contract_odds.py).
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from bots.contract_odds import Odds, Wants, nearest, wants
from bots.levels import Ask
from domain.cards import Card, Seat, is_joker
from domain.contract_rummy.contracts import LAST, POINTS, STYLE
from domain.contract_rummy.faces import Shape, shape
from domain.contract_rummy.lay import jokers_stand
from domain.contract_rummy.layoff import lay_offs
from domain.contract_rummy.shown import View
from domain.contract_rummy.state import (
    Buy,
    Decline,
    Discard,
    Draw,
    GoDown,
    GoOut,
    LayOff,
    Pass,
    Swap,
    Take,
)  # fmt: skip
from domain.contract_rummy.suggest import arranged, seen, suggest
from domain.melds import End, Meld, Run, Set, fits

Answer = Buy | Pass | Take | Draw | Decline | GoDown | GoOut | LayOff | Swap | Discard

RAREST = 0.02  # chance in a turn below which a card is not taken to be
TAIL = tuple(sum(0.4 + 0.6 / k for k in range(1, n + 1)) for n in range(60))  # stages that so many missing cards take
NEARLY = 6  # cards: somebody down with so many more than one is no danger yet
STOCK_CARD = 7  # points of a card of the stock, about


class Level(Struct, frozen=True):
    """How a level weighs a hand, in points of the game unless it says turns; tuned by self-play.

    tempo, final: what a turn costs that it takes to the contract, in the last hand to three runs. stage: turns that
    the last missing card takes, so far as it cannot be told from the cards to come. sees: chances for a missing card
    in a turn; with 0 each takes `stage` turns, whatever is unseen. deep: discards whose second next card is looked at
    too. risk, final_risk: part of the cost of the cards held that is feared; danger: how much more of it when somebody
    is about to go out. card: for each card held. take: by how much the discard must beat the stock. buy: by how much
    buying must raise the hand. half: whether it looks at every other discard only. arrange: melds that are tried for a
    way to go down, 0 for the first way found. swaps: whether it wins jokers once down.
    Of what a discard may give the next player: feed if that is not down, known for each card seen taken that goes with
    it, unwanted the part that remains for each that it let go by; down if it is down and can lay the card, last if it
    may go out with it.
    """

    tempo: float
    final: float
    stage: float
    risk: float
    final_risk: float
    arrange: int
    sees: float = 0.0
    deep: int = 0
    danger: float = 0.0
    card: float = 0.0
    take: float = 0.0
    buy: float = 0.0
    half: bool = False
    swaps: bool = True
    feed: float = 0.0
    known: float = 0.0
    unwanted: float = 1.0
    down: float = 0.0
    last: float = 0.0


LEVELS = {
    "easy": Level(
        tempo=8, final=8, stage=3, risk=0.3, final_risk=0.3, arrange=0, take=0.5, half=True, swaps=False,
    ),
    "medium": Level(tempo=8, final=8, stage=6, risk=0.4, final_risk=0.4, arrange=1_000, sees=2, take=0.5),
    "hard": Level(
        tempo=8, final=8, stage=9, risk=0.5, final_risk=0.5, arrange=5_000, sees=2, deep=4, danger=0.3, card=0.5, buy=3,
        feed=3, known=1, unwanted=0.5, down=4, last=20,
    ),
}  # fmt: skip


def decide(ask: Ask) -> dict[str, Any]:
    """The seat's move for a question "buy", "draw" or "play"."""
    view = ask.view if isinstance(ask.view, View) else msgspec.convert(ask.view, View)
    mind = _Mind(view, Seat(ask.seat), LEVELS[ask.level], ask.lines)
    move = mind.buy() if ask.kind == "buy" else mind.draw() if ask.kind == "draw" else mind.play()
    built: dict[str, Any] = msgspec.to_builtins(move)
    return built


class _Mind:
    """One question: the view and what follows from it."""

    def __init__(self, view: View, seat: Seat, level: Level, lines: Sequence[dict[str, Any]]) -> None:
        assert view.hand is not None
        self.view, self.seat, self.level, self.hand = view, seat, level, view.hand
        self.last = view.deals == LAST
        self.down = view.down[seat]
        fewest = min((view.counts[i] for i in range(view.seats) if i != seat and view.down[i]), default=99)
        near = max(0.0, min(1.0, 1 - (fewest - 1) / NEARLY))
        self.risk = level.risk + level.danger * near
        self.tempo = level.final if self.last else level.tempo
        if self.last:
            self.risk = level.final_risk
        self.odds = Odds(view, seat, lines)

    # -- worth

    def worth(self, hand: Sequence[Card], deep: bool = False) -> float:
        """What a hand is worth that is not down, between turns. `deep`: with a look at the card after the next."""
        mine = shape(hand)
        ways = wants(self.view.deals, len(hand))
        missing, outs = nearest(mine.counts, mine.jokers, ways)
        turns = self._turns(missing, outs)
        if deep and missing > 1 and outs:
            turns += self._after(mine, ways, missing, outs) - self._usual(missing - 1)
        return -self.tempo * turns - self._held(hand)

    def _turns(self, missing: int, outs: int) -> float:
        """Turns that it is expected to take until nothing is missing."""
        level = self.level
        if not missing:
            return 0.0
        if not level.sees:
            return level.stage * missing
        return self._next(outs) + level.stage * TAIL[missing - 1]

    def _next(self, outs: int) -> float:
        """Turns until one of some faces (bits) comes."""
        chance: float = 1 - (1 - self.odds.share(outs)) ** self.level.sees
        return 1 / max(chance, RAREST)

    def _after(self, mine: Shape, ways: Sequence[Wants], missing: int, outs: int) -> float:
        """Turns that the next missing card but one is expected to take, over all cards that may come first."""
        counts, total, found = list(mine.counts), 0, 0.0
        for f in range(52):
            n = self.odds.unseen[f] if outs >> f & 1 else 0
            if n:
                counts[f] += 1
                then = nearest(tuple(counts), mine.jokers, ways)
                counts[f] -= 1
                total += n
                found += n * self._next(then[1])
        return found / total if total else self._usual(missing - 1)

    def _usual(self, missing: int) -> float:
        """Turns that the next of so many missing cards takes as a rule: the fewer are missing, the fewer fit."""
        return self.level.stage * (TAIL[missing] - TAIL[missing - 1])

    def _held(self, hand: Sequence[Card]) -> float:
        """What the cards of a hand are feared to cost."""
        points = sum(POINTS[c[0]] for c in hand if not is_joker(c))  # a joker is never thrown
        return self.risk * points + self.level.card * len(hand)

    def best_discard(self, hand: Sequence[Card], spared: Card | None = None) -> tuple[float, Card]:
        """What the best discard leaves, and that discard: a joker only if there is nothing else."""
        cards = [c for c in hand if not is_joker(c) and c != spared] or list(hand)
        faces = {c[:2]: c for c in sorted(cards, reverse=True)}
        ways = [(self._leaves(hand, c, False), c) for c in faces.values()]
        ways.sort(reverse=True)
        deep = ways[: self.level.deep]
        return max(((self._leaves(hand, c, True), c) for _, c in deep), default=ways[0])

    def _leaves(self, hand: Sequence[Card], card: Card, deep: bool) -> float:
        left = [c for c in hand if c != card]
        return self.worth(left, deep) - self._gift(card, len(left))

    def _gift(self, card: Card, left: int) -> float:
        """What a discard is feared to give the others."""
        level = self.level
        if not level.feed or not left or is_joker(card):
            return 0.0
        return self.odds.gift(card, level.feed, level.known, level.unwanted, level.down, level.last)

    # -- answers

    def buy(self) -> Buy | Pass:
        """A claim if the hand is worth more with the card and one of the stock."""
        window, level = self.view.window, self.level
        if window is None or self.down or self.last or (level.half and (window.id + self.seat) % 2):
            return Pass()
        deep = level.deep > 0
        cost = STOCK_CARD * self.risk + level.card  # of the card that comes with it
        gain = self.worth([*self.hand, window.card], deep) - cost - self.worth(self.hand, deep)
        return Buy(window.id) if gain > level.buy else Pass()

    def draw(self) -> Take | Draw | Decline:
        """The discard if it is better than what may come from the stock."""
        view = self.view
        shut = view.window is None or view.window.shut
        if view.pile and self._takes(view.pile[-1]):
            return Take()
        return Draw() if shut else Decline()

    def _takes(self, top: Card) -> bool:
        window = self.view.window
        if is_joker(top):
            return True
        if self.level.half and window is not None and window.id % 2:
            return False
        if self.down:
            return self._lands(top)
        level = self.level
        now = self.worth(self.hand, level.deep > 0)
        value = self.best_discard([*self.hand, top], top)[0]
        return value - now > level.take + self._draws()

    def _draws(self) -> float:
        """By how much a card of the stock is expected to better the hand."""
        if not self.level.sees:
            return 0.0
        mine = shape(self.hand)
        missing, outs = nearest(mine.counts, mine.jokers, wants(self.view.deals, len(self.hand)))
        if not missing:
            return 0.0
        less = self._turns(missing, outs) - self.level.stage * TAIL[missing - 1]
        return self.odds.share(outs) * self.tempo * less

    def _lands(self, card: Card) -> bool:
        """Whether a card goes on the table at once for a seat that is down."""
        if self.level.half:
            return False
        if any(fits(meld, card, STYLE) for meld in self.view.melds):
            return True
        return self.level.swaps and any(face == card[:2] for _, face in jokers_stand(self.view.melds))

    def play(self) -> GoOut | GoDown | LayOff | Swap | Discard:
        """Out or down if that goes, else the cards that can be laid, else a discard."""
        view, hand = self.view, self.hand
        if not self.down:
            move = self._goes_down()
            if move is not None:
                return move
        elif not view.went_down:
            offs = [off.play for off in lay_offs(hand, view.melds)]
            swap = self._swap({play.card for play in offs}) if self.level.swaps else None
            if swap is not None:
                return swap
            if offs:
                return LayOff(tuple(offs))
        return Discard(self._thrown() if self.down else self.best_discard(hand)[1])

    def _goes_down(self) -> GoDown | GoOut | None:
        view, level = self.view, self.level
        quick = suggest(self.hand, view.melds, view.deals)
        if quick is None:
            return None
        if self.last or not level.arrange:
            return quick.move
        known = seen(self.hand, view)
        careful = arranged(self.hand, view.melds, view.deals, view.seats, known, budget=level.arrange)
        if careful is None or not careful.melds:
            return quick.move
        return GoDown(careful.melds, careful.swaps or ())

    def _swap(self, laid: set[Card]) -> Swap | None:
        """A card that would not go on the table otherwise, in a joker's place."""
        if len(self.hand) < 2:
            return None
        stand = list(jokers_stand(self.view.melds))
        for card in sorted(self.hand, key=lambda c: (-POINTS[c[0]], c)):
            at = next((id for id, face in stand if face == card[:2]), None)
            if at is None or card in laid:
                continue
            to = self._joker_goes()
            if to is not None:
                return Swap(card, at, to[0], to[1])
        return None

    def _joker_goes(self) -> tuple[int, End | None] | None:
        """Where a joker goes: on a set, where nobody can win it, else on an end of a run."""
        melds: Sequence[Meld] = self.view.melds
        for meld in melds:
            if isinstance(meld, Set):
                return meld.id, None
        for meld in melds:
            if isinstance(meld, Run) and len(meld.cards) < STYLE.run_max:
                return meld.id, "high" if meld.hi < STYLE.high else "low"
        return None

    def _thrown(self) -> Card:
        """The discard of a seat that is down: the dearest card that will not go on the table."""
        cards = [c for c in self.hand if not is_joker(c)] or list(self.hand)
        if len(self.hand) == 1:
            return cards[0]
        ours = self.view.went_down

        def value(card: Card) -> tuple[float, Card]:
            points = POINTS[card[0]] * (0.2 if ours and self._lands(card) else 1.0)
            return points - self._gift(card, len(self.hand) - 1), card

        return max(cards, key=value)
