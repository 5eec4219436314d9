"""RULES.md, "The score of a hand": random hands reckoned anew from what was said aloud; single rules are cases."""

import random
from typing import Any

import pytest

from domain.cards import Seat
from domain.game import Step
from domain.thai_rummy.options import Options
from domain.thai_rummy.score import places
from domain.thai_rummy.state import Discard, Extend, Lay, State, Take
from tests.golden import last_choices
from tests.thai_rummy.tables import GAME, NOW, chance
from tests.thai_rummy.test_turn import is_meld

OTHER = last_choices(GAME)


def points(card: str) -> int:
    if card[:2] in ("QS", "2C"):
        return 50
    return {"A": 15, "K": 10, "Q": 10, "J": 10, "T": 10}.get(card[0], 5)


class Ledger:
    """What the lines of a hand say, added up by the words of the rules."""

    def __init__(self, seats: int) -> None:
        self.shown, self.gifts = [0] * seats, [0] * seats
        self.before = [0] * seats  # points in front of each seat before the present turn
        self.top: tuple[str, int | None] = ("", None)
        self.fed: int | None = None

    def read(self, line: Any) -> None:
        data = line.data
        if line.kind == "dealt":
            self.top = (data["upcard"], None)
        elif line.kind in ("draw", "take", "pass"):
            alone = line.kind == "take" and data["cards"] == [self.top[0]]
            self.fed = self.top[1] if alone and self.top[1] != line.seat else None
        if line.kind in ("take", "meld"):
            self.shown[line.seat] += sum(map(points, data["meld"]["cards"]))
        elif line.kind == "extend":
            self.shown[line.seat] += points(data["card"])
        elif line.kind == "discard":
            self.top = (data["card"], line.seat)
            self.gifts[line.seat] += data["gift"]
            self.before = list(self.shown)

    def scores(self, hands: Any, out: int | None, options: Options) -> list[int]:
        row = []
        for seat, shown in enumerate(self.shown):
            score = shown - sum(map(points, hands[seat]))
            times = 2 if options.doubling == "on" and self.before[seat] == 0 else 1
            extra = 50 * (seat == out) - 50 * self.gifts[seat]
            extra -= 50 * (options.fed_penalty == "on" and out is not None and seat == self.fed)
            row.append((score + extra) * times if options.double_scope == "all" else score * times + extra)
        return row


def eager(rng: random.Random, moves: list[Any], share: float) -> Any:
    """A move at random, so often one that lays cards if there is one."""
    laying = [move for move in moves if isinstance(move, Take | Lay | Extend)]
    other = [move for move in moves if move not in laying]
    return rng.choice(laying if laying and (not other or rng.random() < share) else other)


def gift(s: State, move: Any, options: Options) -> bool:
    """Whether a move throws, face up, a card that makes a longer meld of one on the table."""
    if options.gift_penalty == "off" or not isinstance(move, Discard) or len(s.hands[s.turn]) == 1:
        return False
    return any(is_meld((*meld.cards, move.card)) for meld in s.melds)


@pytest.mark.parametrize("options", [Options(), OTHER], ids=["default", "other"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_scores_follow_from_what_everyone_saw(seats: int, options: Options) -> None:
    ended = {"out": 0, "passed": 0}
    for seed in range(20):
        rng, source = random.Random(seed), chance(f"score {seed}")
        step: Step = GAME.start(options, seats, NOW, source)
        ledger, gifts = Ledger(seats), 0
        while True:
            for line in step.lines:
                ledger.read(line)
            s = step.state
            if step.hand_ended:
                break
            move = eager(rng, GAME.legal(s, s.turn), seed % 4 / 3)
            gifts += gift(s, move, options)
            step = GAME.play(s, s.turn, move, NOW, source)
        assert list(s.scores[-1]) == ledger.scores(s.hands, s.out, options)
        assert list(s.gifts) == ledger.gifts
        assert sum(s.gifts) == gifts
        assert s.totals == s.scores[-1]
        seen = GAME.view(s, None)
        assert seen.tallies
        assert [t.score for t in seen.tallies] == list(s.scores[-1])
        assert (seen.tallies[0].shown, seen.melded) == (ledger.shown[0], tuple(ledger.shown))
        ended["passed" if s.out is None else "out"] += 1
    assert min(ended.values()) > 0, ended


@pytest.mark.parametrize(
    ("totals", "winners", "placed"),
    [
        ((510, 600, -20, 600), (0,), (1, 2, 4, 2)),
        ((-550, -510, -510), (1, 2), (3, 1, 1)),
        ((-500, -500), (0, 1), (1, 1)),
        ((-500, 20), (1,), (2, 1)),
    ],
)
def test_places(totals: tuple[int, ...], winners: tuple[int, ...], placed: tuple[int, ...]) -> None:
    assert places(totals, tuple(map(Seat, winners))) == placed
