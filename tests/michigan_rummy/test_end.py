"""RULES.md, "The end of a hand" and "The end of the game"."""

import pytest

from domain.game import Outcome
from domain.michigan_rummy.options import Options
from domain.michigan_rummy.state import State
from tests.michigan_rummy.tables import GAME, cards, discard, draw, meld, play, ready, refused, step, table, take, view


class TestGoingOut:
    def test_by_a_discard(self) -> None:
        s = step(table("KS1", "AH1 *1 TS1 2C1", melded=(20, 50)), discard("KS1"))
        assert (s.state.phase, s.state.out, s.state.turn, s.hand_ended) == ("scored", 0, 0, True)
        assert s.state.pile == cards("KS1")
        assert [line.kind for line in s.lines] == ["discard", "hand"]
        assert s.lines[-1].data == {
            "out": 0, "melded": [20, 50], "held": [0, 45], "score": [20, 5], "totals": [20, 5],
        }  # fmt: skip

    def test_by_melding_without_a_discard(self) -> None:
        s = step(table("5H1 6H1 7H1", "2C1"), meld("5H1 6H1 7H1"))
        assert (s.state.phase, s.state.out, s.hand_ended) == ("scored", 0, True)
        assert s.state.scores == ((15, -5),)

    def test_inside_a_move_and_once(self) -> None:
        """Case M12: last cards played on two melds in one move."""
        s = table("8H1 9S1", "2C1", melds=[(1, "5H1 6H1 7H1"), (1, "9H1 9D1 9C1")])
        after = step(s, meld(plays=[("8H1", 0), ("9S1", 1)]))
        assert [line.kind for line in after.lines] == ["meld", "hand"]
        assert len(after.state.scores) == 1
        assert refused(after.state, discard("9S1")) == "PHASE"

    def test_only_that_hand_ends_the_hand(self) -> None:
        s = step(table("KS1 2S1", "2C1"), discard("KS1"))
        assert (s.state.phase, s.hand_ended, s.state.scores) == ("draw", False, ())


class TestScores:
    @pytest.mark.parametrize(
        ("hand", "held"),
        [("AH1", 15), ("*1", 15), ("KH1", 10), ("TH1", 10), ("9H1", 5), ("2H1", 5), ("AH1 2H1 *1", 35)],
    )
    def test_cards_held(self, hand: str, held: int) -> None:
        assert play(table("KS1", hand), discard("KS1")).scores == ((0, -held),)

    def test_negative_scores_and_totals(self) -> None:
        s = play(table("KS1", "AH1 AS1", melded=(0, 5), totals=(10, 20)), discard("KS1"))
        assert (s.scores, s.totals) == (((0, -25),), (10, -5))

    def test_rows_add_up(self) -> None:
        s = play(table("KS1", "2C1", scores=((5, 10),), totals=(5, 10), melded=(30, 15)), discard("KS1"))
        assert s.scores == ((5, 10), (30, 10))
        assert s.totals == tuple(map(sum, zip(*s.scores, strict=True)))


class TestSafetyNets:
    def circle(self, s: State, times: int) -> State:
        """So many turns in which the top card is taken and thrown back."""
        for _ in range(times):
            top = len(s.pile) - 1
            s = play(s, take(top), discard(s.pile[-1]))
        return s

    def test_twenty_turns_a_player_without_a_meld(self) -> None:
        """Case M8."""
        s = table("KS1", "QS1", "JS1", pile="6D1 JC1", phase="draw")
        s = self.circle(s, 59)
        assert (s.phase, s.stalled) == ("draw", 59)
        last = step(play(s, take(1)), discard("JC1"))
        assert (last.state.phase, last.state.out, last.hand_ended) == ("scored", None, True)
        assert [line.kind for line in last.lines] == ["discard", "stalled", "hand"]
        assert last.state.scores == ((-10, -10, -10),)

    def test_a_meld_starts_the_count_anew(self) -> None:
        s = table("5H1 6H1 7H1 KS1 2S1", "QS1 3S1", stalled=30)
        s = play(s, meld("5H1 6H1 7H1"))
        assert s.stalled == 0
        assert play(s, discard("KS1")).stalled == 1

    def test_a_card_played_counts_as_melding(self) -> None:
        s = table("8H1 KS1 2S1", "QS1 3S1", stalled=39, melds=[(1, "5H1 6H1 7H1")])
        assert play(s, meld(plays=[("8H1", 0)]), discard("KS1")).stalled == 1

    def test_it_is_looked_at_after_a_discard_only(self) -> None:
        s = table("KS1 2S1", "QS1", pile="9D1", phase="draw", stalled=40)
        s = play(s, draw())
        assert s.phase == "play"
        assert play(s, discard("KS1")).phase == "scored"

    @pytest.mark.parametrize(("count", "phase"), [(9, "draw"), (10, "draw"), (11, "scored")])
    def test_more_than_ten_remade_stocks(self, count: int, phase: str) -> None:
        s = play(table("KS1 2S1", "QS1", reshuffles=count), discard("KS1"))
        assert s.phase == phase

    def test_the_last_card_goes_out_even_then(self) -> None:
        assert play(table("KS1", "QS1", stalled=39), discard("KS1")).out == 0


class TestReady:
    def test_the_next_hand_waits_for_everyone(self) -> None:
        s = play(table("KS1", "QS1", "JS1"), discard("KS1"))
        assert [d.seat for d in GAME.deciding(s)] == [0, 1, 2]
        first = step(s, ready(), 1)
        assert [(line.kind, line.seat) for line in first.lines] == [("ready", 1)]
        assert [d.seat for d in GAME.deciding(first.state)] == [0, 2]
        assert refused(first.state, ready(), 1) == "PHASE"
        second = step(first.state, ready(), 2)
        assert step(second.state, ready(), 0).state.phase == "draw"


class TestEndOfTheGame:
    @pytest.mark.parametrize(("target", "before", "over"), [(500, 489, False), (500, 490, True), (300, 290, True)])
    def test_someone_comes_to_the_target(self, target: int, before: int, over: bool) -> None:
        options = Options(target=target)  # type: ignore[arg-type]
        s = play(table("KS1", "2C1", melded=(10, 5), totals=(before, 0), options=options), discard("KS1"))
        assert (s.phase == "over") == over

    def test_the_highest_total_wins_not_who_went_out(self) -> None:
        s = step(table("KS1", "2C1", "3C1", stock="", melded=(10, 70, 5), totals=(495, 450, 0)), discard("KS1"))
        assert (s.state.totals, s.state.winners) == ((505, 515, 0), (1,))
        assert GAME.outcome(s.state) == Outcome((2, 1, 3), (505, 515, 0))
        assert s.lines[-1].kind == "over"
        assert s.hand_ended

    def test_equal_totals_share_the_win_and_places(self) -> None:
        s = play(table("KS1", "2C1", "3D1", "4D1", stock="", totals=(505, 510, 30, 30)), discard("KS1"))
        assert s.winners == (0, 1)
        assert GAME.outcome(s) == Outcome((1, 1, 3, 3), (505, 505, 25, 25))

    def test_reaching_the_target_during_a_hand_means_nothing(self) -> None:
        s = table("KS1 2S1", "2C1", melded=(600, 0))
        assert play(s, discard("KS1")).phase == "draw"
        s = table("KS1", "2C1 AH1 *1", melded=(0, 30), totals=(0, 480))
        assert play(s, discard("KS1")).phase == "scored"

    def test_two_hundred_hands_end_it(self) -> None:
        assert play(table("KS1", "2C1", deals=199), discard("KS1")).phase == "scored"
        s = play(table("KS1", "2C1", deals=200, totals=(-900, -950)), discard("KS1"))
        assert (s.phase, s.winners) == ("over", (0,))
        assert GAME.deciding(s) == ()

    def test_no_outcome_before(self) -> None:
        s = play(table("KS1", "2C1"), discard("KS1"))
        assert GAME.outcome(s) is None
        assert view(s, 0).outcome is None
