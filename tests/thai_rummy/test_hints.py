"""RULES.md, "Hints": what could be taken, laid and extended, gifts, feeds and plans, each proven by making the move."""

import random

import msgspec
import pytest

from domain.cards import Card, Seat
from domain.thai_rummy.options import Options
from domain.thai_rummy.plan import after, best, cheapest
from domain.thai_rummy.state import Discard, Extend, Helps, Lay, Move, State, Take
from tests.thai_rummy.tables import GAME, NOW, cards, chance, discard, play, spread, table, view


def hints(s: State, seat: int | None = None) -> Helps:
    found: Helps = GAME.helps(s, s.turn if seat is None else Seat(seat))
    return found


def gained(s: State, *moves: Move) -> int:
    """Points that the seat on turn has more in front of it after these moves."""
    seat = s.turn
    end = s
    for move in moves:
        assert GAME.parse(msgspec.to_builtins(move)) == move
        end = GAME.play(end, seat, move, NOW, chance()).state
    return view(end, seat).melded[seat] - view(s, seat).melded[seat]


def richest(s: State) -> int:
    """The most points that any order of melds and extensions brings: all of them tried."""
    seen: set[tuple[frozenset[Card], frozenset[tuple[Card, ...]]]] = set()

    def go(state: State) -> int:
        key = (frozenset(state.hands[0]), frozenset(m.cards for m in state.melds))
        if key in seen:
            return -1
        seen.add(key)
        most = view(state, 0).melded[0]
        for move in GAME.legal(state, Seat(0)):
            if isinstance(move, Lay | Extend):
                most = max(most, go(GAME.play(state, Seat(0), move, NOW, chance()).state))
        return most

    return go(s) - view(s, 0).melded[0]


class TestPicks:
    @pytest.mark.parametrize("seed", range(40))
    def test_every_way_is_accepted_for_the_points_it_says(self, seed: int) -> None:
        rng = random.Random(seed)
        s = spread(rng, rng.randint(2, 14), seats=rng.randint(2, 4))
        found = hints(s).picks
        assert [(p.at, p.card) for p in found] == list(enumerate(s.pile))
        legal = [m for m in GAME.legal(s, Seat(0)) if isinstance(m, Take)]
        assert sorted(map(repr, legal)) == sorted(repr(way.move) for p in found for way in p.ways)
        for pick in found:
            assert pick.takeable == bool(pick.ways) == any(move.at == pick.at for move in legal)
            assert [way.points for way in pick.ways] == sorted((way.points for way in pick.ways), reverse=True)
            for way in pick.ways:
                assert gained(s, way.move) == way.points

    def test_they_are_said_in_words(self) -> None:
        s = table("9S1 2D1 KD1", "TD1", pile="KH1 9C1 9D1", phase="draw")
        assert [p.words for p in hints(s).picks] == [
            "You could not lay this card in a new meld with a card of your hand.",
            "Take it and the one above, and lay 9♣ 9♦ 9♠ for 15 points.",
            "You could not lay this card in a new meld with a card of your hand.",
        ]
        more = table("9S1 8S1 KD1", "TD1", pile="TS1 9C1 9D1", phase="draw")
        assert hints(more).picks[0].words == "Take it and the 2 above, and lay 8♠ 9♠ 10♠ for 20 points."

    def test_no_hints_for_the_others_nor_after_the_hand(self) -> None:
        s = table("8H1", "2S1", pile="9H1 2C1", phase="draw")
        assert hints(s, 1) == Helps()
        done = play(table("8H1", "2S1"), discard("8H1"))
        assert hints(done, 0) == hints(done, 1) == Helps()


class TestPlaying:
    @pytest.mark.parametrize("seed", range(60))
    def test_melds_places_and_plans_are_accepted_for_the_points_they_say(self, seed: int) -> None:
        rng = random.Random(seed)
        s = spread(rng, rng.randint(1, 18), seats=rng.randint(2, 4), phase="play")
        found = hints(s)
        for way in found.melds:
            assert gained(s, way.move) == way.points
        for fit in found.fits:
            for place in fit.places:
                assert gained(s, place.move) == place.points
        offered = [m for m in GAME.legal(s, Seat(0)) if not isinstance(m, Discard)]
        named = [w.move for w in found.melds] + [p.move for f in found.fits for p in f.places]
        assert sorted(map(repr, offered)) == sorted(map(repr, named))
        assert (found.plan is None) == (not offered)
        if found.plan:
            assert found.suggest == found.plan.steps[0]
            assert gained(s, found.suggest.move) == found.suggest.points
            assert gained(s, *(step.move for step in found.plan.steps)) == found.plan.points

    @pytest.mark.parametrize("seed", range(60))
    def test_no_plan_is_richer(self, seed: int) -> None:
        rng = random.Random(seed)
        s = spread(rng, rng.randint(3, 8), phase="play")
        found = hints(s).plan
        assert (found.points if found else 0) == richest(s)

    def test_a_plan_keeps_the_cheapest_card_that_can_be_spared(self) -> None:
        s = table("2C1 3C1 4C1 5C1", "KH1", stock="3H1 4H1")
        plan = hints(s).plan
        assert plan is not None
        assert plan.points == 60
        left, melds = after(plan, s.hands[0], s.melds, s.next_id, Seat(0))
        assert left == ["5C1"]
        assert melds[-1].cards == cards("2C1 3C1 4C1")

    def test_three_cards_of_one_meld_cannot_all_be_laid(self) -> None:
        assert best(cards("9C1 9D1 9H1"), (), 0, Seat(0)) is None

    def test_the_last_card_is_no_gift_and_goes_nowhere(self) -> None:
        found = hints(table("8H1", "KH1 KD1 KC1", melds=[(1, "5H1 6H1 7H1")]))
        assert found == Helps()


class TestDiscards:
    @pytest.mark.parametrize("seed", range(40))
    def test_gifts_are_those_that_are_counted(self, seed: int) -> None:
        rng = random.Random(seed)
        options = Options(gift_penalty=rng.choice(["on", "off"]))
        s = spread(rng, rng.randint(1, 12), phase="play", options=options)
        gifts = hints(s).gifts
        for card in s.hands[0]:
            thrown = play(s, discard(card))
            assert (thrown.gifts[0] == 1) == (card in gifts)

    @pytest.mark.parametrize("seed", range(30))
    def test_what_begins_a_rivals_turn_in_any_world_is_feared(self, seed: int) -> None:
        rng = random.Random(seed)
        s = spread(rng, 8, phase="play")
        feeds = hints(s).feeds
        if not 3 <= len(s.hands[1]) <= 6:
            assert feeds == ()
            return
        for i in range(25):
            world = GAME.redeal(s, Seat(0), chance(f"{seed} {i}"))
            for card in s.hands[0]:
                thrown = play(world, discard(card))
                legal = GAME.legal(thrown, Seat(1))
                if any(isinstance(m, Take) and m.at == len(thrown.pile) - 1 for m in legal):
                    assert card in feeds

    def test_known_cards_of_a_rival_are_thought_of(self) -> None:
        pile = "KS1 KD1 KH1 AH1 AS1 AD1"
        s = table("AC1 5S1 9H1", "QC1 KC1 4D1", pile=pile, known=((), cards("QC1 KC1 4D1")))
        assert hints(s).feeds == ("AC1",)
        off = table("AC1 5S1 9H1", "QC1 KC1 4D1", pile=pile, known=((), cards("QC1 KC1 4D1")),
                    options=Options(fed_penalty="off"))  # fmt: skip
        assert hints(off).feeds == ()

    @pytest.mark.parametrize("seed", range(20))
    def test_the_fallback_throws_the_cheapest_that_is_no_gift(self, seed: int) -> None:
        s = spread(random.Random(seed), 7, phase="play")
        move = GAME.fallback(s, Seat(0))
        assert isinstance(move, Discard)
        gifts = hints(s).gifts
        price = {card: 50 if card[:2] in ("QS", "2C") else 15 if card[0] == "A" else 10 if card[0] in "KQJT" else 5
                 for card in s.hands[0]}  # fmt: skip
        pool = [card for card in s.hands[0] if card not in gifts] or list(s.hands[0])
        assert price[move.card] == min(price[card] for card in pool)
        assert move.card in pool
        assert cheapest(s.hands[0], s.melds, True) == move.card


def test_hints_tell_nothing_of_other_hands() -> None:
    for seed in range(20):
        rng = random.Random(seed)
        s = spread(rng, rng.randint(2, 12), seats=3, phase=rng.choice(["draw", "play"]))
        other = GAME.redeal(s, Seat(0), chance(str(seed)))
        assert hints(other) == hints(s)
