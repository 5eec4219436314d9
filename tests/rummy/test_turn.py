"""RULES.md, "Players, cards and the deal", "Melds" and "A turn"."""

import pytest

from domain import canon
from domain.cards import Card, Ms, Seat, pack
from domain.game import Illegal, reaches
from domain.melds import Run
from domain.rummy.options import Options
from domain.rummy.state import LayOff, Play
from tests.rummy.tables import (
    DEFAULTS,
    GAME,
    cards,
    chance,
    discard,
    draw,
    end_hand,
    lay_off,
    meld,
    play,
    refused,
    resign,
    step,
    table,
    take,
    view,
)  # fmt: skip


class TestDeal:
    @pytest.mark.parametrize(("seats", "each", "stock"), [(2, 10, 31), (3, 7, 30), (4, 7, 23)])
    def test_sizes(self, seats: int, each: int, stock: int) -> None:
        s = GAME.start(DEFAULTS, seats, Ms(0), chance()).state
        assert [len(hand) for hand in s.hands] == [each] * seats
        assert (len(s.stock), len(s.pile), s.phase) == (stock, 1, "draw")
        assert sorted(c for zone in GAME.zones(s).values() for c in zone) == sorted(pack())

    @pytest.mark.parametrize("seats", [2, 3, 4])
    def test_one_card_at_a_time_from_the_seat_after_the_dealer(self, seats: int) -> None:
        s = GAME.start(DEFAULTS, seats, Ms(0), chance()).state
        again = chance()
        assert s.dealer == again.stream("dealer").below(seats)
        order = again.stream("deal:1").shuffle(pack())
        dealt = [s.hands[(s.dealer + 1 + i) % seats][i // seats] for i in range(seats * len(s.hands[0]))]
        assert [*dealt, s.pile[0], *reversed(s.stock)] == order[::-1]
        assert s.turn == (s.dealer + 1) % seats

    def test_the_deal_moves_left(self) -> None:
        s = table("5H 6H 7H", "2C", "3D")
        after = play(s, meld("5H 6H 7H"))
        assert (after.deals, after.dealer, after.turn) == (2, 0, 1)
        assert after.dealer == (s.dealer + 1) % 3

    @pytest.mark.parametrize("seats", [1, 5])
    def test_other_tables_there_are_none(self, seats: int) -> None:
        with pytest.raises(Illegal) as refusal:
            GAME.check(DEFAULTS, seats)
        assert refusal.value.code == "OPTIONS"


class TestDraw:
    def test_the_end_of_the_stock(self) -> None:
        s = step(table("KS", "2H", phase="draw"), draw())
        assert (s.state.hands[0], s.state.stock, s.state.phase) == (cards("KS 4C"), cards("3C"), "play")
        assert [(line.kind, reaches(line, GAME, Seat(1))) for line in s.lines] == [("draw", True), ("drew", False)]
        assert not reaches(s.lines[1], GAME, None)

    def test_an_empty_stock_is_remade_and_the_top_stays(self) -> None:
        """Case R10."""
        source = chance("r10")
        s = step(table("2H 3H", "4S", stock="", pile="5C 9D KS", phase="draw"), draw(), source=source)
        after = s.state
        order = chance("r10").stream("deal:1:reshuffle:1").shuffle(cards("5C 9D"))
        assert (after.pile, after.reuses, len(after.stock)) == (cards("KS"), 1, 1)
        assert (after.hands[0][-1], after.stock[0]) == (order[1], order[0])
        assert s.lines[0].kind == "reshuffle"
        assert view(after, None).remade == (cards("5C 9D"),)

    def test_only_twice(self) -> None:
        s = table("2H 3H", "4S", stock="", pile="5C 9D KS", phase="draw", reuses=1)
        assert play(s, draw()).reuses == 2
        s = table("2H 3H", "4S", stock="", pile="5C 9D KS", phase="draw", reuses=2)
        assert refused(s, draw()) == "NO_STOCK"
        assert play(s, take()).taken == "KS1"

    def test_nothing_to_turn_over(self) -> None:
        assert refused(table("2H 3H", "4S", stock="", pile="KS", phase="draw"), draw()) == "NO_STOCK"

    def test_the_same_seed_remakes_the_same_stock(self) -> None:
        s = table("2H 3H", "4S", stock="", pile="5C 9D TD JD QD KS", phase="draw")
        assert step(s, draw(), source=chance("a")).state == step(s, draw(), source=chance("a")).state


class TestTake:
    def test_the_top_alone(self) -> None:
        s = step(table("2H 3H", "4S", pile="5C 9D", phase="draw"), take())
        assert (s.state.hands[0], s.state.pile, s.state.taken) == (cards("2H 3H 9D"), cards("5C"), "9D1")
        assert s.state.known == (cards("9D"), ())
        assert [line.kind for line in s.lines] == ["take"]

    def test_it_may_not_be_thrown_back(self) -> None:
        s = play(table("2H 3H", "4S", pile="5C 9D", phase="draw"), take())
        assert refused(s, discard("9D")) == "THROW_BACK"
        assert play(s, discard("2H")).pile == cards("5C 2H")

    def test_unless_it_is_the_last_card(self) -> None:
        s = play(table("2H 3H 4H", "4S 5S", pile="9D", phase="draw"), take(), meld("2H 3H 4H"))
        after = step(s, discard("9D"))
        assert (after.hand_ended, after.state.outs) == (True, (0,))

    def test_it_is_forgotten_at_the_discard(self) -> None:
        s = play(table("2H 3H", "4S 5S", pile="9D", phase="draw"), take(), discard("2H"), draw(), discard("4S"))
        assert s.taken is None
        s = play(s, draw())
        assert play(s, discard("9D")).pile[-1] == "9D1"


class TestMelds:
    @pytest.mark.parametrize(
        "run", ["AS 2S 3S", "3S AS 2S", "TS JS QS KS", "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"]
    )
    def test_runs(self, run: str) -> None:
        """Case R1, any order of naming."""
        s = play(table(run + " 9D", "2C"), meld(run))
        first = s.melds[0]
        assert isinstance(first, Run)
        assert sorted(first.cards) == sorted(cards(run))
        assert [c[0] for c in first.cards] == list("A23456789TJQK"[first.lo - 1 :])[: len(first.cards)]

    @pytest.mark.parametrize("run", ["QS KS AS", "KS AS 2S", "JS QS KS AS", "QS KS AS 2S 3S"])
    def test_the_ace_is_low(self, run: str) -> None:
        """Case R1."""
        assert refused(table(run + " 9D", "2C"), meld(run)) == "ACE_IS_LOW"

    @pytest.mark.parametrize("some", ["5H 6H", "5H", "", "5H 6H 8H", "5H 6H 7S", "5H 5S 6D", "KS AS 3S", "AS KH 2D"])
    def test_no_melds(self, some: str) -> None:
        assert refused(table("5H 6H 8H 7S 5S 6D KS AS 3S KH 2D", "2C"), meld(some)) == "NOT_A_MELD"

    @pytest.mark.parametrize("some", ["7H 7S 7D", "7H 7S 7D 7C"])
    def test_sets(self, some: str) -> None:
        assert play(table("7H 7S 7D 7C KS", "2C"), meld(some)).melds[0].cards == cards(some)

    @pytest.mark.parametrize("some", ["5H 6H 7C", "5H 6H 7H 7H"])
    def test_only_cards_of_the_hand_each_once(self, some: str) -> None:
        assert refused(table("5H 6H 7H KS", "7C"), meld(some)) == "NOT_YOURS"

    def test_any_number_of_times(self) -> None:
        s = play(table("5H 6H 7H 9S 9D 9C KS QS", "2C"), meld("5H 6H 7H"), meld("9S 9D 9C"))
        assert [(m.id, m.owner, m.by) for m in s.melds] == [(0, 0, (0, 0, 0)), (1, 0, (0, 0, 0))]


TWO = [(1, "2S 2H 2D"), (0, "3S 4S 5S")]


class TestLayingOff:
    def test_cards_do_not_move_between_melds(self) -> None:
        """Case R2."""
        s = table("AS 2C 6S 7S KD", "9C", melds=TWO)
        assert refused(s, lay_off(("AS", 1))) == "DOES_NOT_FIT"
        assert play(s, lay_off(("2C", 0))).melds[0].cards == cards("2S 2H 2D 2C")
        assert play(s, lay_off(("6S", 1), ("7S", 1))).melds[1].cards == cards("3S 4S 5S 6S 7S")
        assert refused(s, lay_off(("7S", 1), ("6S", 1))) == "DOES_NOT_FIT"

    def test_all_of_the_list_or_none(self) -> None:
        s = table("2C 6S 9D KD", "9C", melds=TWO)
        assert refused(s, lay_off(("2C", 0), ("6S", 1), ("9D", 1))) == "DOES_NOT_FIT"
        after = play(s, lay_off(("2C", 0), ("6S", 1)))
        assert after.hands[0] == cards("9D KD")
        assert [m.by for m in after.melds] == [(1, 1, 1, 0), (0, 0, 0, 0)]
        assert [m.owner for m in after.melds] == [1, 0]

    def test_at_the_low_end(self) -> None:
        run = play(table("5H 4H KD", "9C", melds=[(1, "6H 7H 8H")]), lay_off(("5H", 0), ("4H", 0))).melds[0]
        assert isinstance(run, Run)
        assert (run.lo, run.cards) == (4, cards("4H 5H 6H 7H 8H"))

    def test_an_ace_goes_below_a_two_never_on_a_king(self) -> None:
        melds = [(1, "JH QH KH"), (1, "2D 3D 4D")]
        s = table("AH AD KC", "9C", melds=melds)
        assert refused(s, lay_off(("AH", 0))) == "ACE_IS_LOW"
        assert play(s, lay_off(("AD", 1))).melds[1].cards == cards("AD 2D 3D 4D")
        assert refused(s, lay_off(("AD", 0))) == "DOES_NOT_FIT"

    def test_nothing_goes_round_the_corner(self) -> None:
        s = table("KD 5C", "9C", melds=[(1, "AD 2D 3D")])
        assert refused(s, lay_off(("KD", 0))) == "DOES_NOT_FIT"

    @pytest.mark.parametrize("meld_id", [2, -1, 99])
    def test_no_such_meld(self, meld_id: int) -> None:
        assert refused(table("2C 6S KD", "9C", melds=TWO), lay_off(("2C", meld_id))) == "NO_SUCH_MELD"

    @pytest.mark.parametrize("plays", [[("9C", 0)], [("2C", 0), ("2C", 0)]])
    def test_not_yours(self, plays: list[tuple[str, int]]) -> None:
        assert refused(table("2C 6S KD", "9C", melds=TWO), lay_off(*plays)) == "NOT_YOURS"

    def test_one_card_needs_no_list(self) -> None:
        assert GAME.parse({"type": "lay_off", "card": "2C1", "meld": 0}) == LayOff((Play(Card("2C1"), 0),))


class TestRefusals:
    S = table("5H 6H 7H KS", "2C 3D", "4D")

    @pytest.mark.parametrize("move", [draw(), take(), end_hand()])
    def test_after_drawing(self, move: dict[str, object]) -> None:
        assert refused(self.S, move) == "PHASE"

    @pytest.mark.parametrize("move", [meld("5H 6H 7H"), lay_off(("5H", 0)), discard("5H")])
    def test_before_drawing(self, move: dict[str, object]) -> None:
        assert refused(table("5H 6H 7H KS", "2C", phase="draw"), move) == "PHASE"

    @pytest.mark.parametrize("move", [draw(), take(), end_hand(), meld("2C"), lay_off(("2C", 0)), discard("2C")])
    def test_out_of_turn(self, move: dict[str, object]) -> None:
        assert refused(self.S, move, 1) == "TURN"

    def test_when_the_game_is_over(self) -> None:
        over = play(self.S, resign())
        for move in (draw(), take(), end_hand(), meld("2C"), discard("2C"), resign()):
            for seat in (0, 1, 2):
                assert refused(over, move, seat) == "OVER"

    def test_a_card_that_is_not_held(self) -> None:
        assert refused(self.S, discard("2C")) == "NOT_YOURS"

    @pytest.mark.parametrize(
        "raw",
        [
            {}, {"type": "ready"}, {"type": "draw", "x": 1}, {"type": "take", "at": 0}, {"type": "meld"},
            {"type": "meld", "cards": "5H1 6H1 7H1"}, {"type": "lay_off", "plays": []}, {"type": "lay_off"},
            {"type": "lay_off", "card": "5H1", "meld": True}, {"type": "lay_off", "card": "5H1", "meld": "0"},
            {"type": "lay_off", "card": "5H1", "meld": 0, "end": "low"}, {"type": "discard"},
            {"type": "lay_off", "plays": [{"card": "5H1", "meld": 0}], "card": "5H1"},
            {"type": "discard", "card": 5}, {"type": "resign", "card": "5H1"}, {"type": ["draw"]},
            {"type": "meld", "cards": ["5H1"] * 61},
        ],
    )  # fmt: skip
    def test_malformed(self, raw: dict[str, object]) -> None:
        with pytest.raises(Illegal) as refusal:
            GAME.parse(raw)
        assert refusal.value.code == "BAD"
        canon.check({"words": refusal.value.words.replace('"', "'").replace("`", "'")})


class TestFallback:
    def test_draw_then_the_first_card_that_may_go(self) -> None:
        s = table("KS 2S", "2H", phase="draw")
        assert GAME.fallback(s, Seat(0)) == GAME.parse(draw())
        assert GAME.fallback(play(s, draw()), Seat(0)) == GAME.parse(discard("KS"))

    def test_never_the_card_taken(self) -> None:
        s = table("9D 2S KC", "2H", taken="9D1")
        assert GAME.fallback(s, Seat(0)) == GAME.parse(discard("2S"))
        s = table("9D", "2H", taken="9D1")
        assert GAME.fallback(s, Seat(0)) == GAME.parse(discard("9D"))

    def test_where_nothing_can_be_drawn(self) -> None:
        s = table("KS 2S", "2H", stock="", phase="draw", reuses=2)
        assert GAME.fallback(s, Seat(0)) == GAME.parse(end_hand())


def test_options() -> None:
    assert Options().deadline == 86_400
