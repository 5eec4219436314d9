"""RULES.md, "Melds", "A turn" 4 and "Points": the meld move and what it scores."""

from typing import Any

import pytest

from domain.melds import Run
from tests.michigan_rummy.tables import OUT, cards, discard, meld, play, refused, scored, step, table

HEARTS = "AH1 2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1"


def lay(hand: str, *melds: Any, plays: Any = (), on: str = "") -> tuple[int, int, tuple[str, ...]]:
    """Points, position of the first card and the cards of the last meld after a meld move."""
    s = table(f"{hand} 2C2", "2D2", melds=[(1, on)] if on else ())
    after = play(s, meld(*melds, plays=plays))
    last = after.melds[-1]
    return scored(after), last.lo if isinstance(last, Run) else 0, last.cards


class TestJokersInRuns:
    """Case M1."""

    @pytest.mark.parametrize(
        ("text", "low", "points", "lo", "lies"),
        [
            ("QH1 KH1 *1", 0, 35, 12, "QH1 KH1 *1"),
            ("QH1 KH1 *1", 1, 35, 11, "*1 QH1 KH1"),
            ("KH1 AH1 *1", 0, 40, 12, "*1 KH1 AH1"),
            ("KH1 AH1 *1", 1, 40, 12, "*1 KH1 AH1"),
            ("AH1 2H1 *1", 0, 21, 1, "AH1 2H1 *1"),
            ("AH1 3H1 *1", 0, 21, 1, "AH1 *1 3H1"),
            ("2H1 4H1 *1 *2", 0, 40, 2, "2H1 *1 4H1 *2"),
            ("2H1 4H1 *1 *2", 1, 40, 1, "*1 2H1 *2 4H1"),
            ("2H1 4H1 *1 *2", 2, 40, 1, "*1 2H1 *2 4H1"),
        ],
    )
    def test_placing(self, text: str, low: int, points: int, lo: int, lies: str) -> None:
        assert lay(text, {"cards": text.split(), "low_jokers": low}) == (points, lo, cards(lies))

    @pytest.mark.parametrize("low", [True, "1", -3, None, 1.0, [1], {}])
    def test_what_is_no_number_asks_for_none(self, low: Any) -> None:
        text = "2H1 4H1 *1 *2"
        assert lay(text, {"cards": text.split(), "low_jokers": low})[1] == 2

    def test_a_huge_number_is_as_many_as_there_are(self) -> None:
        assert lay("5H1 6H1 *1", {"cards": ["5H1", "6H1", "*1"], "low_jokers": 10**40})[1] == 4


class TestAces:
    """Case M2."""

    def test_on_a_run_that_it_fits_at_both_ends(self) -> None:
        run = HEARTS[4:]
        s = table("AH1 9C1", "KS1", melds=[(1, run)])
        assert refused(s, meld(plays=[("AH1", 0)])) == "AMBIGUOUS_END"
        low, high = play(s, meld(plays=[("AH1", 0, "low")])), play(s, meld(plays=[("AH1", 0, "high")]))
        assert (scored(low), scored(high)) == (1, 15)
        assert isinstance(low.melds[0], Run)
        assert isinstance(high.melds[0], Run)
        assert (low.melds[0].lo, high.melds[0].hi) == (1, 14)

    def test_thirteen_hearts(self) -> None:
        assert lay(HEARTS, HEARTS) == (81, 1, cards(HEARTS))
        assert lay(HEARTS, HEARTS[4:], plays=[("AH1", "n0", "high")])[:2] == (95, 2)

    def test_worth_by_place(self) -> None:
        assert lay("AH1 2H1 3H1", "AH1 2H1 3H1")[0] == 11
        assert lay("QH1 KH1 AH1", "QH1 KH1 AH1")[0] == 35
        assert lay("AH1 AS1 AD1", "AH1 AS1 AD1")[0] == 45
        assert lay("*1 2H1 3H1", {"cards": ["*1", "2H1", "3H1"], "low_jokers": 1})[:2] == (25, 1)


class TestSets:
    """Case M7."""

    def test_any_suits_any_size(self) -> None:
        assert lay("QH1 QH2 QS1", "QH1 QH2 QS1")[0] == 30
        assert lay("8S1 8H1 8D1 8C1 *1", "8S1 8H1 8D1 8C1 *1")[0] == 35

    def test_two_naturals(self) -> None:
        for text in ("8S1 *1 *2", "5H1 *1 *2"):
            assert refused(table(f"{text} 9C1", "2H1"), meld(text)) == "NEED_TWO_NATURALS"

    def test_cards_of_one_rank_are_a_set(self) -> None:
        s = play(table("8H1 8H2 *1 2C1", "2H1"), meld("8H1 8H2 *1"))
        assert s.melds[0].kind == "set"


@pytest.mark.parametrize(
    ("new", "code"),
    [
        ("5H1 6H1", "TOO_SHORT"),
        ("", "TOO_SHORT"),
        ("5H1 *1 *2", "NEED_TWO_NATURALS"),
        ("5H1 6H1 8H1", "NOT_A_RUN"),
        ("KH1 AH1 2H1", "NOT_A_RUN"),
        ("5H1 6H1 7S1", "MIXED_SUITS"),
        ({"cards": ["5H1", "6H1", "7H1"], "kind": "set"}, "NOT_A_SET"),
        ({"cards": ["8H1", "8H2", "8S1"], "kind": "run"}, "MIXED_SUITS"),
        ({"cards": ["8H1", "8H2", "*1"], "kind": "run"}, "NOT_A_RUN"),
    ],
)
def test_faulty_melds(new: Any, code: str) -> None:
    s = table("5H1 6H1 7H1 8H1 8H2 8S1 KH1 AH1 2H1 7S1 *1 *2", "2D1")
    assert refused(s, meld(new)) == code


@pytest.mark.parametrize("kind", ["sequence", "SET", "", 3, None, True, ["run"]])
def test_any_other_kind_counts_as_none_given(kind: Any) -> None:
    s = play(table("5H1 6H1 7H1 2C1", "2D1"), meld({"cards": ["5H1", "6H1", "7H1"], "kind": kind}))
    assert s.melds[0].kind == "run"


class TestPlays:
    def test_a_joker_keeps_its_place(self) -> None:
        """Case M4."""
        s = table("6H1 8H1 9H1 2C1", "2D1", melds=[(1, "5H1 *1 7H1")])
        assert refused(s, meld(plays=[("6H1", 0)])) == "STANDS_IN"
        assert refused(s, meld(plays=[("6H1", 0, "high")])) == "STANDS_IN"
        assert refused(s, meld(plays=[("6H1", 0, "sideways")])) == "STANDS_IN"
        assert refused(s, meld(plays=[("9H1", 0), ("8H1", 0)])) == "DOES_NOT_FIT"
        after = play(s, meld(plays=[("8H1", 0), ("9H1", 0)]))
        assert scored(after) == 10
        assert after.melds[0].cards == cards("5H1 *1 7H1 8H1 9H1")
        assert after.hands[0] == cards("6H1 2C1")

    def test_ends_are_tried_first(self) -> None:
        """Case M4b."""
        s = table("AH1 2C1", "2D1", melds=[(1, "*1 2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1")])
        assert scored(play(s, meld(plays=[("AH1", 0)]))) == 15

    def test_a_joker_needs_an_end_where_both_are_open(self) -> None:
        s = table("*1 2C1", "2D1", melds=[(1, "5H1 6H1 7H1"), (1, "AS1 2S1 3S1"), (0, "9S1 9D1 9C1")])
        assert refused(s, meld(plays=[("*1", 0)])) == "AMBIGUOUS_END"
        assert scored(play(s, meld(plays=[("*1", 0, "low")]))) == 15
        assert scored(play(s, meld(plays=[("*1", 1)]))) == 15
        assert scored(play(s, meld(plays=[("*1", 2)]))) == 15

    @pytest.mark.parametrize("end", ["high", "low", "sideways", 7, None, True])
    def test_an_end_on_a_set_is_ignored(self, end: Any) -> None:
        s = table("9H1 2C1", "2D1", melds=[(0, "9S1 9D1 9C1")])
        assert scored(play(s, meld(plays=[("9H1", 0, end)]))) == 5

    @pytest.mark.parametrize("end", ["low", "sideways", 7, True, ["high"]])
    def test_a_named_end_must_fit(self, end: Any) -> None:
        s = table("8H1 2C1", "2D1", melds=[(0, "5H1 6H1 7H1")])
        assert refused(s, meld(plays=[("8H1", 0, end)])) == "DOES_NOT_FIT"

    @pytest.mark.parametrize("name", [1, -1, 10**30, "n0", "n1", "0", "", "m0", "n00", "n-1", "n０"])
    def test_no_such_meld(self, name: Any) -> None:
        s = table("8H1 2C1", "2D1", melds=[(0, "5H1 6H1 7H1")])
        assert refused(s, meld(plays=[("8H1", name)])) == "NO_SUCH_MELD"

    def test_a_new_meld_is_named_by_its_place_in_the_move_alone(self) -> None:
        s = table("5H1 6H1 7H1 8H1 2C1", "2D1", melds=[(0, "9S1 9D1 9C1")])
        assert scored(play(s, meld("5H1 6H1 7H1", plays=[("8H1", "n0")]))) == 20
        assert refused(s, meld("5H1 6H1 7H1", plays=[("8H1", 1)])) == "NO_SUCH_MELD"
        assert refused(s, meld("5H1 6H1 7H1", plays=[("8H1", "n1")])) == "NO_SUCH_MELD"

    def test_ids_count_on(self) -> None:
        s = table("5H1 6H1 7H1 8S1 8D1 8C1 2C1", "2D1", melds=[(0, "9S1 9D1 9C1")])
        after = play(s, meld("5H1 6H1 7H1", "8S1 8D1 8C1"))
        assert [m.id for m in after.melds] == [0, 1, 2]
        assert after.next_id == 3

    def test_points_go_to_who_lays_on_anyones_meld(self) -> None:
        s = table("8H1 2C1", "2D1", melds=[(1, "5H1 6H1 7H1")], melded=(0, 15))
        after = play(s, meld(plays=[("8H1", 0)]))
        assert after.melded == (5, 15)
        assert (after.melds[0].owner, after.melds[0].by) == (1, (1, 1, 1, 0))


class TestWhole:
    def test_nothing_named(self) -> None:
        assert refused(table("KS1", "2H1"), {"type": "meld"}) == "EMPTY"
        assert refused(table("KS1", "2H1"), meld()) == "EMPTY"

    def test_cards_that_are_not_in_the_hand(self) -> None:
        """Whatever else is wrong, and wherever the card is: nothing is told of it."""
        s = table("5H1 6H1 2C1", "7H1", stock="8H1", pile="9H1", melds=[(1, "TH1 JH1 QH1")])
        for card in ("7H1", "8H1", "9H1", "TH1", "KH2", "", "x" * 50):
            assert refused(s, meld(f"5H1 6H1 {card or '~'}")) == "NOT_YOURS"
            assert refused(s, meld(plays=[(card, 99)])) == "NOT_YOURS"

    def test_a_card_named_twice(self) -> None:
        s = table("5H1 6H1 7H1 2C1", "2H1", melds=[(1, "2H2 3H2 4H2")])
        assert refused(s, meld("5H1 6H1 7H1 7H1")) == "NOT_YOURS"
        assert refused(s, meld("5H1 6H1 7H1", plays=[("5H1", 0)])) == "NOT_YOURS"
        assert refused(s, meld("5H1 6H1 7H1", "5H1 6H1 7H1")) == "NOT_YOURS"

    def test_all_or_nothing(self) -> None:
        s = table("5H1 6H1 7H1 KS1 2C1", "2H1")
        assert refused(s, meld("5H1 6H1 7H1", plays=[("KS1", "n0")])) == "DOES_NOT_FIT"
        assert (s.hands[0], s.melds, s.melded) == (cards("5H1 6H1 7H1 KS1 2C1"), (), (0, 0))

    def test_several_meld_moves_in_a_turn(self) -> None:
        s = table("5H1 6H1 7H1 8S1 8D1 8C1 2C1", "2H1", stalled=7)
        s = play(s, meld("5H1 6H1 7H1"), meld("8S1 8D1 8C1"))
        assert (scored(s), s.phase, s.turn, s.stalled) == (30, "play", 0, 0)

    def test_what_is_told(self) -> None:
        s = table("7H1 6H1 5H1 8H1 2C1 9C1", "2H1", melds=[(1, "2C2 3C2 4C2")])
        after = step(s, meld("7H1 6H1 5H1", plays=[("8H1", "n0")]))
        (line,) = after.lines
        assert (line.kind, line.seat) == ("meld", 0)
        assert line.data == {
            "melds": [{"id": 1, "kind": "run", "cards": ["5H1", "6H1", "7H1"]}],
            "plays": [{"card": "8H1", "meld": 1, "owner": 0}],
            "points": 20,
        }

    def test_refusals_in_order(self) -> None:
        s = table("5H1 6H1 7H1", "2H1", must="5H1", options=OUT)
        assert refused(s, meld("6H1 7H1 9D1")) == "NOT_YOURS"
        assert refused(s, meld("6H1 7H1")) == "MUST_FIRST"
        assert refused(s, meld("5H1 6H1 7H1", plays=[])) == "KEEP_ONE"
        assert refused(s, meld("5H1 6H1")) == "TOO_SHORT"


class TestKeepOne:
    def test_going_out_with_a_discard(self) -> None:
        s = table("5H1 6H1 7H1", "2H1", options=OUT)
        assert refused(s, meld("5H1 6H1 7H1")) == "KEEP_ONE"
        s = table("5H1 6H1 7H1 KS1", "2H1", options=OUT)
        s = play(s, meld("5H1 6H1 7H1"))
        assert s.phase == "play"
        s = play(s, discard("KS1"))
        assert (s.phase, s.out) == ("scored", 0)

    def test_going_out_by_melding(self) -> None:
        s = play(table("5H1 6H1 7H1", "2H1"), meld("5H1 6H1 7H1"))
        assert (s.phase, s.out) == ("scored", 0)


@pytest.mark.parametrize(
    ("card", "points"), [("*1", 15), ("KS1", 10), ("QS1", 10), ("JS1", 10), ("TS1", 10), ("9S1", 5), ("2S1", 5)]
)
def test_points_on_the_table(card: str, points: int) -> None:
    rank = card[0] if card[0] != "*" else "7"
    s = table(f"{card} 3C2", "3D2", melds=[(1, f"{rank}H1 {rank}D1 {rank}C1")])
    assert scored(play(s, meld(plays=[(card, 0)]))) == points
