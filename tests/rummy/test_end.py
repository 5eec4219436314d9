"""RULES.md, "The end of a hand", "Points" and "The end of the game"."""

import pytest
from msgspec.structs import replace

from domain.game import Illegal, Outcome
from domain.rummy.moves import score
from domain.rummy.state import State
from tests.rummy.tables import (
    DUE,
    GAME,
    NOW,
    cards,
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


class TestGoingOut:
    def test_the_winner_scores_what_the_others_hold(self) -> None:
        """Case R4."""
        s = step(table("5D", "KH 9C AS", "TD 2H"), discard("5D"))
        assert s.state.scores == ((32, 0, 0),)
        assert (s.state.totals, s.state.held, s.state.outs) == ((32, 0, 0), ((0, 20, 12),), (0,))
        assert s.hand_ended

    def test_by_melding_without_a_discard(self) -> None:
        """Case R5: the others, who could lay everything off, may not."""
        s = table("4H 5H", "7H 3H", stock="3C 6H", phase="draw")
        after = step(play(s, draw()), meld("4H 5H 6H"))
        assert (after.state.outs, after.state.totals) == ((0,), (10, 0))
        assert (after.state.deals, after.state.melds, after.state.phase) == (2, (), "draw")
        assert [line.kind for line in after.lines] == ["meld", "hand", "dealt"]

    def test_by_laying_off(self) -> None:
        s = play(table("6S 7S", "KH", melds=[(1, "3S 4S 5S")]), lay_off(("6S", 0), ("7S", 0)))
        assert (s.outs, s.totals) == ((0,), (10, 0))

    def test_the_next_hand_follows_at_once(self) -> None:
        s = step(table("5D", "KH"), discard("5D"), now=7_000)
        assert (s.state.deals, s.state.phase, len(s.state.hands[0])) == (2, "draw", 10)
        assert s.state.before is not None
        assert s.state.before.pile == cards("JC 5D")
        assert s.state.due == 7_000 + 86_400_000
        assert GAME.deciding(s.state)[0].kind == "draw"

    @pytest.mark.parametrize(
        ("hand", "points"), [("AH", 1), ("2H 9H", 11), ("TH JH QH KH", 40), ("AH 2C 3D TS", 16)]
    )
    def test_what_cards_count(self, hand: str, points: int) -> None:
        assert play(table("5D", hand), discard("5D")).totals == (points, 0)


class TestBlocked:
    def blocked(self, **fields: object) -> State:
        return table("7C", "KH 5C", "KD QD 2S", stock="", pile="9D KS", phase="draw", **({"reuses": 2} | fields))

    def test_ended_by_a_seat(self) -> None:
        """Case R6."""
        s = replace(self.blocked(), turn=1)
        assert refused(s, draw()) == "NO_STOCK"
        after = step(s, end_hand())
        assert (after.state.scores, after.state.outs, after.hand_ended) == (((23, 0, 0),), (None,), True)
        assert [line.kind for line in after.lines] == ["end_hand", "hand", "dealt"]
        assert play(s, take()).taken == "KS1"

    def test_not_while_there_is_a_card_to_draw(self) -> None:
        assert refused(self.blocked(reuses=1), end_hand()) == "NOT_YET"
        assert refused(table("7C", "KH", phase="draw", reuses=2), end_hand()) == "NOT_YET"

    def test_where_the_pile_is_its_top_alone(self) -> None:
        s = table("7C", "KH", stock="", pile="KS", phase="draw", reuses=0)
        assert play(s, end_hand()).totals == (3, 0)

    @pytest.mark.parametrize(
        ("held", "row"),
        [
            ((7, 15, 22), (23, 0, 0)), ((9, 9, 14), (2, 2, 0)), ((9, 9, 14, 10), (3, 3, 0, 0)),
            ((5, 5, 5, 9), (1, 1, 1, 0)), ((8, 8), (0, 0)), ((4, 4, 4, 4), (0, 0, 0, 0)), ((6, 0), (0, 6)),
        ],
    )  # fmt: skip
    def test_shares(self, held: tuple[int, ...], row: tuple[int, ...]) -> None:
        assert score(held, None) == row


class TestCircling:
    """Case R8."""

    def turns(self, *kinds: str, **fields: object) -> State:
        """Turns of taking ("t") or drawing ("d") and discarding an old card."""
        s = table("KS QS JS TS", "KH QH JH TH", pile="2D", phase="draw", **fields)
        for kind in kinds:
            hand = s.hands[s.turn]
            s = play(s, take() if kind == "t" else draw(), discard(hand[0][:2]))
        return s

    def test_two_rounds_without_a_draw_end_the_hand(self) -> None:
        assert (self.turns("t", "t", "t").circling, self.turns("t", "t", "t").deals) == (3, 1)
        s = self.turns("t", "t", "t", "t")
        assert (s.deals, s.outs, s.totals) == (2, (None,), s.scores[0])

    def test_it_is_told(self) -> None:
        s = play(self.turns("t", "t", "t"), take())
        last = step(s, discard("QH"))
        assert [line.kind for line in last.lines] == ["discard", "stalled", "hand", "dealt"]

    def test_a_draw_starts_the_count_anew(self) -> None:
        s = self.turns("t", "t", "d")
        assert s.circling == 0
        assert self.turns("t", "t", "d", "t").circling == 1

    def test_a_meld_does_not(self) -> None:
        s = table("KS QS JS TS 9D", "KH QH", pile="2D", phase="draw", circling=2)
        assert play(s, take(), meld("JS QS KS"), discard("TS")).circling == 3

    def test_the_last_card_goes_out_even_then(self) -> None:
        s = table("5H 6H", "KH QH", pile="7H", phase="draw", circling=3)
        after = play(s, take(), meld("5H 6H 7H"))
        assert after.outs == (0,)
        assert play(table("5D", "KH", taken="5D1", circling=3), discard("5D")).outs == (0,)

    def test_more_seats_make_longer_rounds(self) -> None:
        s = table("KS QS", "KH QH", "KD QD", pile="2D", phase="draw", circling=4)
        assert view(s, 0).circle_at == 6
        s = play(s, take(), discard("KS"))
        assert (s.deals, s.circling) == (1, 5)
        assert play(s, take(), discard("KH")).deals == 2


class TestEndOfTheGame:
    @pytest.mark.parametrize(("before", "over"), [(89, False), (90, True), (150, True)])
    def test_somebody_comes_to_a_hundred(self, before: int, over: bool) -> None:
        s = step(table("5D", "KH", totals=(before, 0)), discard("5D"))
        assert (s.state.phase == "over") == over
        assert s.hand_ended
        assert s.state.deals == (1 if over else 2)
        assert (s.state.due is None, GAME.due(s.state) is None) == (over, over)

    def test_places(self) -> None:
        s = play(table("5D", "KH", "KD", "2C", totals=(90, 30, 30, 80)), discard("5D"))
        assert GAME.outcome(s) == Outcome((1, 3, 3, 2), (112, 30, 30, 80))
        assert (s.winners, s.lost, s.how) == ((0,), None, "played")
        assert GAME.deciding(s) == ()

    def blocked(self, totals: tuple[int, ...]) -> State:
        s = table("7C", "7D", "KD", stock="", pile="KS", phase="draw", totals=totals)
        return play(s, end_hand())

    def test_two_come_to_it_in_one_hand(self) -> None:
        """A shared hand: 3 points for the third seat's difference make one each."""
        assert GAME.outcome(self.blocked((99, 105, 0))) == Outcome((2, 1, 3), (100, 106, 0))

    def test_equal_totals_share_the_win(self) -> None:
        s = self.blocked((99, 99, 0))
        assert GAME.outcome(s) == Outcome((1, 1, 3), (100, 100, 0))
        assert s.winners == (0, 1)

    def test_two_hundred_hands_end_it(self) -> None:
        assert play(table("5D", "KH", deals=199), discard("5D")).phase == "draw"
        s = play(table("5D", "KH", deals=200, totals=(0, 40)), discard("5D"))
        assert GAME.outcome(s) == Outcome((2, 1), (10, 40))

    def test_no_outcome_before(self) -> None:
        assert GAME.outcome(table("5D", "KH")) is None


class TestGivingUp:
    def test_by_any_seat_at_any_time(self) -> None:
        for phase in ("draw", "play"):
            for seat in (0, 1, 2):
                s = step(table("5D", "KH", "QH", phase=phase, totals=(10, 50, 50)), resign(), seat).state
                assert (s.lost, s.how, s.phase) == (seat, "resigned", "over")

    def test_who_gives_up_is_last_the_others_by_totals_as_they_stand(self) -> None:
        s = step(table("5D", "KH", "QH", "QS", totals=(10, 80, 50, 50)), resign(), 1)
        assert GAME.outcome(s.state) == Outcome((3, 4, 1, 1), (10, 80, 50, 50), how="resigned")
        assert s.state.winners == (2, 3)
        assert s.state.scores == ()
        assert [line.kind for line in s.lines] == ["resigned", "over"]

    def test_of_two_the_other_wins(self) -> None:
        s = step(table("5D", "KH", totals=(90, 0)), resign(), 0).state
        assert GAME.outcome(s) == Outcome((2, 1), (90, 0), how="resigned")

    def test_a_missed_deadline_likewise(self) -> None:
        s = GAME.tick(table("5D", "KH", "QH", totals=(90, 0, 4)), DUE, None)  # type: ignore[arg-type]
        assert GAME.outcome(s.state) == Outcome((3, 2, 1), (90, 0, 4), how="deadline")
        assert (s.state.lost, s.state.due) == (0, None)
        assert [line.kind for line in s.lines] == ["deadline", "over"]

    def test_not_twice(self) -> None:
        s = step(table("5D", "KH"), resign()).state
        for call in (lambda: GAME.tick(s, NOW, None), lambda: GAME.forfeit(s, s.turn, "deadline")):  # type: ignore[arg-type]
            with pytest.raises(Illegal) as refusal:
                call()
            assert refusal.value.code == "OVER"

    def test_it_needs_no_key(self) -> None:
        assert GAME.keyless == {"resign"}
