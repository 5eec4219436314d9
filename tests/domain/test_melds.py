"""Sets and runs: what may be laid, how it lies, and what goes on it, for the styles of several games."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.cards import Card, Seat, pack
from domain.game import Illegal
from domain.melds import End, Kind, Meld, Run, Set, Style, arrange, extend, fits, laid, make, positions, run_choices

CALM = settings(deadline=None)
BOTH = Style()  # aces low or high, two naturals at least
LOW_ACE = Style(high=13, set_max=4)
HIGH_ACE = Style(low=2, set_max=4)
CORNER = Style(high=25, run_max=13, naturals=1, set_max=4, distinct=True)
FOURS = Style(run_min=4, naturals=1)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def lay(text: str, style: Style = BOTH, kind: Kind | None = None, low: int = 0) -> Meld:
    return make(cards(text), style, id=3, owner=Seat(1), kind=kind, low_jokers=low)


def run(text: str, style: Style = BOTH, low: int = 0) -> str:
    """A run as it lies, with its lowest position."""
    meld = lay(text, style, None, low)
    assert isinstance(meld, Run)
    return f"{meld.lo} {' '.join(meld.cards)}"


def refusal(text: str, style: Style = BOTH, kind: Kind | None = None) -> str:
    with pytest.raises(Illegal) as refused:
        lay(text, style, kind)
    return refused.value.code


def on(meld: Meld, card: str, end: str | None = None, style: Style = BOTH) -> Meld:
    return extend(meld, Card(card), Seat(2), style, end)


def not_on(meld: Meld, card: str, end: str | None = None, style: Style = BOTH) -> str:
    with pytest.raises(Illegal) as refused:
        on(meld, card, end, style)
    return refused.value.code


class TestNewMelds:
    def test_a_meld_has_its_owner_and_who_laid_each_card(self) -> None:
        meld = lay("5H1 5S1 *1")
        assert (meld.id, meld.owner, meld.by) == (3, 1, (1, 1, 1))
        assert isinstance(meld, Set)
        assert meld.rank == "5"

    def test_a_run_lies_in_order_whatever_order_it_is_sent_in(self) -> None:
        assert run("7H1 5H1 6H1") == "5 5H1 6H1 7H1"

    @pytest.mark.parametrize("text", ["5H1 6H1", "5H1 *1", "5H1", ""])
    def test_three_cards_at_least(self, text: str) -> None:
        assert refusal(text) == "TOO_SHORT"

    @pytest.mark.parametrize("text", ["8S1 *1 *2", "*1 *2 *3", "5H1 *1 *2 *3"])
    def test_two_naturals_at_least(self, text: str) -> None:
        assert refusal(text) == "NEED_TWO_NATURALS"

    def test_two_jokers_with_two_naturals(self) -> None:
        assert run("5H1 *1 *2 8H1") == "5 5H1 *1 *2 8H1"
        assert isinstance(lay("5H1 5S1 *1 *2"), Set)

    def test_kind_is_inferred(self) -> None:
        assert lay("8H1 8H2 *1").kind == "set"
        assert lay("8H1 9H1 *1").kind == "run"

    def test_wrong_kinds(self) -> None:
        assert refusal("5H1 6H1 7H1", kind="set") == "NOT_A_SET"
        assert refusal("5H1 5S1 5D1", kind="run") == "MIXED_SUITS"
        assert refusal("8H1 8H2 9H1", kind="run") == "NOT_A_RUN"

    def test_neither_set_nor_run(self) -> None:
        assert refusal("5H1 6S1 7H1") == "MIXED_SUITS"
        assert refusal("5H1 6H1 8H1") == "NOT_A_RUN"
        assert refusal("8H1 8H2 9H1") == "NOT_A_RUN"
        assert refusal("5H1 9H1 *1 *2") == "NOT_A_RUN"

    def test_suits_are_all_compared(self) -> None:
        assert refusal("8H1 8S1 8H2", CORNER) == "NOT_A_SET"
        assert refusal("8H1 8S1 8D1 8S2", CORNER) == "NOT_A_SET"
        assert isinstance(lay("8H1 8S1 8D1 8C2", CORNER), Set)

    def test_sets_of_any_size_or_of_four(self) -> None:
        assert isinstance(lay("8H1 8S1 8D1 8C1 *1"), Set)
        assert isinstance(lay("8H1 8S1 8D1 8C1 8H2 8S2 8D2 8C2 *1 *2 *3 *4"), Set)
        assert refusal("8H1 8S1 8D1 8C1 *1", LOW_ACE) == "NOT_A_SET"


class TestAces:
    def test_low_and_high(self) -> None:
        assert run("AH1 2H1 3H1") == "1 AH1 2H1 3H1"
        assert run("QH1 KH1 AH1") == "12 QH1 KH1 AH1"

    @pytest.mark.parametrize("text", ["KH1 AH1 2H1", "KH1 AH1 2H1 3H1", "QH1 KH1 AH1 2H1"])
    def test_not_round_the_corner(self, text: str) -> None:
        assert refusal(text) == "NOT_A_RUN"

    def test_thirteen_cards_of_a_suit_lie_from_the_ace(self) -> None:
        suit = "AH1 2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1"
        assert run(suit) == f"1 {suit}"
        assert run(suit + " AH2") == f"1 {suit} AH2"
        assert refusal(suit + " AH2 *1") == "NOT_A_RUN"

    def test_ace_low_only(self) -> None:
        assert run("AH1 2H1 3H1", LOW_ACE) == "1 AH1 2H1 3H1"
        assert refusal("QH1 KH1 AH1", LOW_ACE) == "NOT_A_RUN"
        assert not_on(laid(cards("JH1 QH1 KH1"), LOW_ACE), "AH1", style=LOW_ACE) == "DOES_NOT_FIT"

    def test_ace_high_only(self) -> None:
        assert run("QH1 KH1 AH1", HIGH_ACE) == "12 QH1 KH1 AH1"
        assert refusal("AH1 2H1 3H1", HIGH_ACE) == "NOT_A_RUN"
        assert not_on(laid(cards("2H1 3H1 4H1"), HIGH_ACE), "AH1", style=HIGH_ACE) == "DOES_NOT_FIT"

    def test_round_the_corner_where_a_game_has_it(self) -> None:
        assert run("KH1 AH1 2H1", CORNER) == "13 KH1 AH1 2H1"
        assert run("QH1 KH1 AH1 2H1", CORNER) == "12 QH1 KH1 AH1 2H1"
        assert on(lay("QH1 KH1 AH1 2H1", CORNER), "3H1", style=CORNER).cards[-1] == "3H1"

    def test_where_a_card_may_stand(self) -> None:
        assert positions("AH1", BOTH) == (1, 14)
        assert positions("2H1", BOTH) == (2,)
        assert positions("2H1", CORNER) == (2, 15)


class TestJokers:
    """The arranging of runs: gaps first, then the ends."""

    @pytest.mark.parametrize(
        ("text", "low", "lies"),
        [
            ("QH1 KH1 *1", 0, "12 QH1 KH1 *1"),
            ("QH1 KH1 *1", 1, "11 *1 QH1 KH1"),
            ("KH1 AH1 *1", 0, "12 *1 KH1 AH1"),
            ("KH1 AH1 *1", 1, "12 *1 KH1 AH1"),
            ("AH1 2H1 *1", 0, "1 AH1 2H1 *1"),
            ("AH1 2H1 *1", 1, "1 AH1 2H1 *1"),
            ("AH1 3H1 *1", 0, "1 AH1 *1 3H1"),
            ("2H1 4H1 *1 *2", 0, "2 2H1 *1 4H1 *2"),
            ("2H1 4H1 *1 *2", 1, "1 *1 2H1 *2 4H1"),
            ("2H1 4H1 *1 *2", 2, "1 *1 2H1 *2 4H1"),
            ("5H1 6H1 *1 *2", 1, "4 *1 5H1 6H1 *2"),
            ("5H1 6H1 *1 *2", 2, "3 *1 *2 5H1 6H1"),
            ("5H1 6H1 *2 *1", 9, "3 *1 *2 5H1 6H1"),
        ],
    )
    def test_placing(self, text: str, low: int, lies: str) -> None:
        assert run(text, BOTH, low) == lies

    @pytest.mark.parametrize(
        ("text", "lows"),
        [("QH1 KH1 *1", [12, 11]), ("KH1 AH1 *1", [12]), ("AH1 2H1 *1", [1]), ("2H1 4H1 *1 *2", [2, 1])],
    )
    def test_choices(self, text: str, lows: list[int]) -> None:
        assert [placing.lo for placing in run_choices(cards(text), BOTH)] == lows

    def test_jokers_are_used_in_order_of_their_numbers(self) -> None:
        assert run("5H1 *10 7H1 *2") == "5 5H1 *2 7H1 *10"

    def test_what_is_no_run_has_no_choices(self) -> None:
        assert run_choices(cards("5H1 9H1 *1"), BOTH) == []
        assert arrange(cards("*1 *2 *3"), BOTH) is None


class TestLayingOff:
    def test_a_set_takes_its_rank_and_jokers_at_no_end(self) -> None:
        meld = lay("8H1 8S1 8D1")
        assert fits(meld, "8C1", BOTH) == (None,)
        assert fits(meld, "*1", BOTH) == (None,)
        assert fits(meld, "9H1", BOTH) == ()
        after = on(meld, "8C1", "high")
        assert (after.cards[-1], after.by) == ("8C1", (1, 1, 1, 2))

    def test_a_run_takes_the_next_card_at_either_end(self) -> None:
        meld = lay("5H1 6H1 7H1")
        low, high = on(meld, "4H1"), on(meld, "8H2")
        assert (low.cards, low.by) == (cards("4H1 5H1 6H1 7H1"), (2, 1, 1, 1))
        assert isinstance(low, Run)
        assert low.lo == 4
        assert (high.cards, high.by) == (cards("5H1 6H1 7H1 8H2"), (1, 1, 1, 2))
        assert not_on(meld, "8S1") == "DOES_NOT_FIT"
        assert not_on(meld, "9H1") == "DOES_NOT_FIT"

    def test_the_owner_and_id_stay(self) -> None:
        after = on(lay("5H1 6H1 7H1"), "8H1")
        assert (after.id, after.owner) == (3, 1)

    @pytest.mark.parametrize("card", ["*1", "AH1"])
    def test_what_fits_both_ends_must_name_one(self, card: str) -> None:
        meld = laid(cards("2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1"), BOTH)
        assert not_on(meld, card) == "AMBIGUOUS_END"
        low, high = on(meld, card, "low"), on(meld, card, "high")
        assert isinstance(low, Run)
        assert isinstance(high, Run)
        assert (low.lo, low.hi) == (1, 13)
        assert (high.lo, high.hi) == (2, 14)

    @pytest.mark.parametrize(("end", "card"), [("low", "8H1"), ("high", "4H1"), ("neither", "8H1"), ("neither", "*1")])
    def test_a_named_end_must_fit(self, end: str, card: str) -> None:
        assert not_on(lay("5H1 6H1 7H1"), card, end) == "DOES_NOT_FIT"

    def test_a_run_of_fourteen_is_full(self) -> None:
        full = laid(cards("AH1 2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1 AH2"), BOTH)
        assert fits(full, "*1", BOTH) == ()
        assert not_on(full, "*1") == "DOES_NOT_FIT"

    def test_a_joker_does_not_go_beyond_an_ace(self) -> None:
        assert fits(lay("AH1 2H1 3H1"), "*1", BOTH) == ("high",)
        assert fits(lay("QH1 KH1 AH1"), "*1", BOTH) == ("low",)

    def test_a_joker_keeps_its_place(self) -> None:
        meld = lay("5H1 *1 7H1")
        assert not_on(meld, "6H1") == "STANDS_IN"
        assert not_on(meld, "6H2", "low") == "STANDS_IN"
        assert not_on(meld, "6S1") == "DOES_NOT_FIT"
        assert not_on(meld, "7H2") == "DOES_NOT_FIT"

    def test_ends_are_tried_before_the_joker_that_stands_there(self) -> None:
        meld = laid(cards("*1 2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1"), BOTH)
        after = on(meld, "AH1")
        assert after.cards[-1] == "AH1"
        assert not_on(meld, "AH1", "low") == "STANDS_IN"

    def test_suits_in_a_set_where_they_must_differ(self) -> None:
        meld = lay("8H1 8S1 *1", CORNER)
        assert fits(meld, "8H2", CORNER) == ()
        assert fits(meld, "8D1", CORNER) == (None,)
        assert fits(on(meld, "8D1", style=CORNER), "8C1", CORNER) == ()

    def test_new_runs_of_four_but_single_cards_later(self) -> None:
        assert refusal("7S1 8S1 9S1", FOURS) == "TOO_SHORT"
        assert on(lay("7S1 8S1 9S1 TS1", FOURS), "6S1", style=FOURS).cards[0] == "6S1"


class TestLyingInOrder:
    @pytest.mark.parametrize(
        ("text", "lo"),
        [("5H1 6H1 7H1", 5), ("*1 KH1 AH1", 12), ("AH1 2H1 *1", 1), ("*1 *2 3H1 4H1", 1), ("QH1 KH1 *1", 12)],
    )
    def test_runs(self, text: str, lo: int) -> None:
        meld = laid(cards(text), BOTH, id=4, owner=Seat(2))
        assert isinstance(meld, Run)
        assert (meld.id, meld.owner, meld.lo, meld.cards) == (4, 2, lo, cards(text))
        assert set(meld.by) == {2}

    def test_sets(self) -> None:
        meld = laid(cards("*1 8H1 8S1"), BOTH)
        assert isinstance(meld, Set)
        assert meld.rank == "8"

    @pytest.mark.parametrize("text", ["5H1 7H1 6H1", "*1 AH1 2H1", "5H1 6S1 7H1", "*1 *2 *3", "KH1 AH1 2H1"])
    def test_no_meld(self, text: str) -> None:
        with pytest.raises(ValueError, match="no meld"):
            laid(cards(text), BOTH)


HEARTS = [c for c in pack(2, 4) if c[0] == "*" or c[1] == "H"]
some_hearts = st.lists(st.sampled_from(HEARTS), min_size=3, max_size=9, unique=True)
styles = st.sampled_from([BOTH, LOW_ACE, HIGH_ACE, CORNER, FOURS])


def stands(meld: Run, style: Style) -> bool:
    inside = style.low <= meld.lo and meld.hi <= style.high and len(meld.cards) <= style.run_max
    naturals = ((i, c) for i, c in enumerate(meld.cards) if c[0] != "*")
    return inside and all(meld.lo + i in positions(c, style) for i, c in naturals)


@CALM
@given(some_hearts, st.integers(-3, 9), styles)
def test_every_run_that_is_made_lies_as_a_run(hand: list[Card], low: int, style: Style) -> None:
    try:
        meld = make(hand, style, id=0, owner=Seat(0), kind="run", low_jokers=max(0, low))
    except Illegal:
        return
    assert isinstance(meld, Run)
    assert sorted(meld.cards) == sorted(hand)
    assert stands(meld, style)


def lines_up(hand: list[Card], style: Style) -> bool:
    """Whether cards and jokers fill some stretch of positions: tries every stretch and every reading of the aces."""
    naturals = [c for c in hand if c[0] != "*"]
    for lo in range(style.low, style.high - len(hand) + 2):
        readings: list[set[int]] = [set()]
        for card in naturals:
            readings = [seen | {p} for seen in readings for p in positions(card, style) if p not in seen]
        if any(all(lo <= p < lo + len(hand) for p in seen) for seen in readings):
            return len(hand) <= style.run_max
    return False


@CALM
@given(some_hearts, st.sampled_from([BOTH, LOW_ACE, HIGH_ACE]))
def test_a_run_is_made_whenever_the_cards_line_up(hand: list[Card], style: Style) -> None:
    if any(c[0] != "*" for c in hand):
        assert (arrange(hand, style) is not None) == lines_up(hand, style)


@CALM
@given(some_hearts, styles)
def test_order_of_the_cards_does_not_matter(hand: list[Card], style: Style) -> None:
    assert arrange(hand, style, 1) == arrange(sorted(hand), style, 1)


@CALM
@given(some_hearts, st.sampled_from(HEARTS), st.sampled_from([None, "low", "high"]), styles)
def test_a_run_grows_by_one_card_and_stays_a_run(hand: list[Card], card: Card, end: End | None, style: Style) -> None:
    try:
        before = make(hand, style, id=0, owner=Seat(0), kind="run")
    except Illegal:
        return
    ends = fits(before, card, style)
    chosen = end if end in ends else (ends[0] if len(ends) == 1 and end is None else None)
    if card in hand or chosen is None:
        return
    after = extend(before, card, Seat(1), style, end)
    assert isinstance(after, Run)
    assert stands(after, style)
    assert after.cards == ((card, *before.cards) if chosen == "low" else (*before.cards, card))
    assert len(after.by) == len(after.cards)
