"""RULES.md, "Hints": each of them proven by making the move."""

import random
from itertools import combinations

import pytest

from domain.cards import Card, Ms, Seat, pack
from domain.chance import Chance
from domain.game import Illegal
from domain.melds import Meld
from domain.rummy.lay import lay_off
from domain.rummy.lay import meld as made
from domain.rummy.plan import best, pick
from domain.rummy.plan import cards as laid
from domain.rummy.points import held
from domain.rummy.state import Discard, Helps, LayOff, NewMeld, Play, State
from tests.house import bits
from tests.rummy.tables import GAME, cards, hints, play, table, take
from tests.walk import walk


class TestPick:
    def words(self, hand: str, top: str, **fields: object) -> tuple[str | None, str]:
        found = hints(table(hand, "2C", pile=top, phase="draw", **fields)).pick
        assert found is not None
        return found.how, found.words

    def test_how_the_top_could_be_melded(self) -> None:
        run = [(1, "5S 6S 7S")]
        assert self.words("8S KD", "9S", melds=run) == ("after", "9♠ goes on the run 5♠ 6♠ 7♠ after 8♠.")
        assert self.words("KS KD", "8S", melds=run) == ("onto", "8♠ goes on the run 5♠ 6♠ 7♠.")
        assert self.words("KS KD 4H", "KC") == ("new", "K♣ makes a new meld with K♠ K♦.")
        assert self.words("AH 2H 4D", "3H") == ("new", "3♥ makes a new meld with A♥ 2♥.")
        assert self.words("QH KH 4D", "AH") == (None, "A♥ could not be melded this turn.")

    def test_it_is_for_the_seat_that_draws_alone(self) -> None:
        s = table("KS KD", "2C", pile="KC", phase="draw")
        assert hints(s, 1) == Helps()
        assert hints(play(s, take())).pick is None

    def test_whose_meld_it_goes_on(self) -> None:
        found = hints(table("KS KD", "2C", pile="8S", phase="draw", melds=[(1, "5S 6S 7S")])).pick
        assert found is not None
        assert (found.owner, found.uses, found.move) == (1, (), LayOff((Play(Card("8S1"), 0),)))


class TestPlan:
    def test_all_that_is_best_laid(self) -> None:
        found = hints(table("5H 6H 7H 8S KS 2C 2D", "TC", melds=[(1, "5S 6S 7S"), (1, "KD KC KH")]))
        assert [laid(s.move) for s in found.plan] == [cards("5H 6H 7H"), cards("8S KS")]
        assert (found.points, [s.points for s in found.plan], found.out) == (36, [18, 18], False)
        assert found.suggest == found.plan[0]

    def test_the_dearer_of_two_ways(self) -> None:
        found = hints(table("KH QH JH KS KD 2C 4D", "TC"))
        assert found.points == 30
        assert hints(table("9H 8H 7H 6H 9S 9D 4D", "TC")).points == 27 + 21

    def test_going_out_comes_before_points(self) -> None:
        """The run lays six points and leaves two aces; the aces and the two lay five and leave one card."""
        s = table("AH 2H 3H AS AC", "TC", stock="4D", melds=[(1, "2S 2D 2C")])
        found = hints(s)
        assert (found.points, found.out) == (5, True)
        assert sorted(c for m in found.plan for c in laid(m.move)) == sorted(cards("AH AS AC 2H"))

    def test_nothing_to_lay(self) -> None:
        found = hints(table("KS 2H 9D", "2C"))
        assert (found.suggest, found.plan, found.points, found.out) == (None, (), 0, False)

    def test_what_may_not_be_thrown_back(self) -> None:
        s = play(table("KS 2H", "2C", pile="9D", phase="draw"), take())
        assert hints(s).keep == "9D1"
        assert hints(table("9D", "2C", taken="9D1")).keep is None
        assert hints(table("KS 2H", "2C", taken="9D1")).keep is None

    def test_what_fits(self) -> None:
        found = hints(table("8S 4S KS 2D", "TC", melds=[(1, "5S 6S 7S"), (0, "KD KC KH"), (0, "2S 2H 2C")])).fits
        assert {fit.card: [(p.meld, p.end) for p in fit.places] for fit in found} == {
            "8S1": [(0, "high")], "4S1": [(0, "low")], "KS1": [(1, None)], "2D1": [(2, None)],
        }  # fmt: skip


def richest(hand: tuple[Card, ...], melds: tuple[Meld, ...]) -> int:
    """The most points that can be laid, by trying everything."""
    most = 0
    for size in (3, 4, 5, 6, 7):
        for some in combinations(hand, size):
            try:
                new = made(some, 99, Seat(0))
            except Illegal:
                continue
            left = tuple(c for c in hand if c not in some)
            most = max(most, held(some) + richest(left, (*melds, new)))
    for card in hand:
        for meld in melds:
            try:
                after = lay_off(melds, LayOff((Play(card, meld.id),)), Seat(0))
            except Illegal:
                continue
            most = max(most, held([card]) + richest(tuple(c for c in hand if c != card), after))
    return most


@pytest.mark.parametrize("seed", range(40))
def test_no_way_lays_more(seed: int) -> None:
    """Against trying everything, on small hands with many melds in them."""
    rng = random.Random(seed)
    deck = [c for c in pack() if c[0] in "A23456" or (c[0] in "789" and c[1] in "SH")]
    rng.shuffle(deck)
    melds: list[Meld] = []
    for some in combinations(deck, 3):
        if len(melds) == 2:
            break
        if all(c not in m.cards for m in melds for c in some):
            try:
                melds.append(made(some, len(melds), Seat(1)))
            except Illegal:
                continue
    gone = {c for m in melds for c in m.cards}
    hand = tuple(c for c in deck if c not in gone)[:8]
    plan = best(hand, melds)
    most = richest(hand, tuple(melds))
    assert plan.points == most or len(plan.left) <= 1


def check(s: State) -> int:
    """Make every move of a plan in order: accepted, for exactly the points it says. Returns how many there were."""
    found = GAME.helps(s, s.turn)
    seat, start = s.turn, held(s.hands[s.turn])
    for i, suggestion in enumerate(found.plan):
        before = held(s.hands[seat])
        step = GAME.play(s, seat, suggestion.move, Ms(0), Chance(bits("hints")))
        if step.hand_ended:
            assert i == len(found.plan) - 1
            assert found.out
            assert found.points == start
            return i + 1
        s = step.state
        assert before - held(s.hands[seat]) == suggestion.points
    assert found.points == start - held(s.hands[seat])
    assert found.out == (bool(found.plan) and len(s.hands[seat]) == 1)
    if found.out:
        assert GAME.play(s, seat, Discard(s.hands[seat][0]), Ms(0), Chance(bits("hints"))).hand_ended
    assert not GAME.helps(s, seat).plan or len(s.hands[seat]) == 1
    return len(found.plan)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_what_is_suggested_is_accepted_for_the_points_claimed(seats: int) -> None:
    plans = picks = 0
    for seed in range(4):
        for moment in walk(GAME, seats, GAME.Options(), seed):
            s = moment.state
            if s.phase == "play":
                plans += check(s)
                assert all(type(s.move) in (NewMeld, LayOff) for s in GAME.helps(s, s.turn).plan)
            elif s.phase == "draw":
                found = GAME.helps(s, s.turn).pick
                assert found is not None
                after = GAME.play(s, s.turn, GAME.parse(take()), Ms(0), Chance(bits("hints"))).state
                one = [m for m in GAME.legal(after, s.turn) if isinstance(m, NewMeld | LayOff)]
                could = [m for m in one if found.card in laid(m)]
                if found.move is not None:
                    GAME.play(after, s.turn, found.move, Ms(0), Chance(bits("hints")))
                    picks += 1
                assert found.how == "after" if found.move and not could else (found.move is None) == (not could)
    assert plans > 20
    assert picks > 20


def test_pick_of_a_hand_without_anything() -> None:
    found = pick(cards("2S 9D"), Card("KH1"), ())
    assert (found.how, found.move, found.uses) == (None, None, ())
