"""Ways to meld a card, every meld of some cards, and the richest mix: against brute force over small packs."""

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.cards import RANKS, Card, Seat, pack
from domain.game import Illegal
from domain.melds import Kind, Meld, Run, Style, extend, fits, laid, make, run_choices
from domain.mixes import richest
from domain.search import find, may_run, named, new_runs, new_sets, number, spread

CALM = settings(deadline=None)
MANY = settings(deadline=None, max_examples=300)
BOTH = Style()
FOURS = Style(run_min=4, naturals=1, set_max=4, distinct=True)
PLAIN = Style(high=13, set_max=4)
KINDS: tuple[Kind, ...] = ("set", "run")
styles = st.sampled_from([BOTH, FOURS, PLAIN])


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def melds(*texts: str) -> tuple[Meld, ...]:
    return tuple(laid(cards(text), BOTH, id=i) for i, text in enumerate(texts))


class TestHandsAsNumbers:
    def test_cards_come_back(self) -> None:
        whole = pack(2, 4)
        assert sorted(set(named(number(whole)))) == sorted(whole)
        assert number(whole).bit_count() == 2 * 104 + 4

    def test_other_cards_are_refused(self) -> None:
        with pytest.raises(KeyError):
            number(cards("AH3"))


class TestFind:
    """Of all ways the fewest pool cards; then the table first, then the fewest jokers."""

    def size(self, card: str, pool: str, *table: str) -> int | None:
        found = find(Card(card), number(cards(pool)), spread(melds(*table)), BOTH)
        return None if found is None else found.size

    def test_onto_a_meld_costs_nothing(self) -> None:
        assert self.size("8H1", "8S1 8D1", "5H1 6H1 7H1") == 0
        assert self.size("8H1", "", "8S1 8D1 8C1") == 0

    def test_after_the_cards_between(self) -> None:
        assert self.size("9H1", "8H1", "5H1 6H1 7H1") == 1
        assert self.size("9H1", "*1", "5H1 6H1 7H1") == 1
        assert self.size("TH1", "8H2 *1 9S1", "5H1 6H1 7H1") == 2
        assert self.size("9H1", "", "5H1 6H1 7H1") is None

    def test_the_table_comes_before_a_new_meld_of_the_same_size(self) -> None:
        found = find(Card("TH1"), number(cards("8H1 9H1 TS1 TD1")), spread(melds("5H1 6H1 7H1")), BOTH)
        assert found is not None
        assert (found.size, found.new, found.places) == (2, False, (8, 9))

    def test_a_new_meld_if_it_takes_fewer(self) -> None:
        found = find(Card("JH1"), number(cards("8H1 9H1 TH1 JS1 JD1")), spread(melds("5H1 6H1 7H1")), BOTH)
        assert found is not None
        assert (found.size, found.new) == (2, True)

    def test_fewest_jokers(self) -> None:
        found = find(Card("JH1"), number(cards("JS1 *1 TH1 QH1")), spread(()), BOTH)
        assert found is not None
        assert (found.jokers, found.places) == (0, (10, 0, 12))

    def test_high_end_where_both_would_do(self) -> None:
        table = melds("2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1")
        found = find(Card("AH1"), 0, spread(table), BOTH)
        assert found is not None
        assert found.end == "high"

    def test_a_joker_goes_anywhere_but_on_a_full_run(self) -> None:
        assert self.size("*1", "", "5H1 6H1 7H1") == 0
        full = "AH1 2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1 AH2"
        assert self.size("*1", "9S1", full) is None
        assert self.size("*1", "9S1 9D1", full) == 2
        assert self.size("*1", "9S1 JS1", full) == 2
        assert self.size("*1", "9S1 QS1 *2") == 3
        assert self.size("*1", "9S1 QS1") is None

    def test_a_wide_gap_takes_as_many_jokers(self) -> None:
        assert self.size("5H1", "8H1 *1 *2") == 3
        assert self.size("5H1", "9H1 *1 *2") is None
        assert self.size("5H1", "9H1 *1 *2 *3") == 4


def subsets(hand: Sequence[Card]) -> list[tuple[Card, ...]]:
    return [some for n in range(1, len(hand) + 1) for some in combinations(hand, n)]


def lies(hand: Sequence[Card], style: Style) -> set[tuple[str, int, tuple[Card, ...]]]:
    """Every different meld that some of the cards make, by trying every subset: kind, lowest position and order."""
    found = set()
    for some in subsets(hand):
        for low in range(1 + sum(c[0] == "*" for c in some)):
            for kind in KINDS:
                try:
                    meld = make(some, style, id=0, owner=Seat(0), kind=kind, low_jokers=low)
                except Illegal:
                    continue
                if isinstance(meld, Run):
                    found.add(("run", meld.lo, meld.cards))
                else:
                    found.add(("set", 0, tuple(sorted(meld.cards))))
    return found


def listed(hand: Sequence[Card], style: Style) -> list[tuple[str, int, tuple[Card, ...]]]:
    jokers = sorted(c for c in hand if c[0] == "*")
    found = []
    for suit in "SHDC":
        naturals = [c for c in hand if c[0] != "*" and c[1] == suit]
        for run, low in new_runs(naturals, jokers, style):
            meld = make(run, style, id=0, owner=Seat(0), kind="run", low_jokers=low)
            assert isinstance(meld, Run)
            assert meld.cards == run
            found.append(("run", meld.lo, run))
    for rank in RANKS:
        naturals = [c for c in hand if c[0] == rank]
        found += [("set", 0, tuple(sorted(some))) for some in new_sets(naturals, jokers, style)]
    return found


DENSE = [c for c in pack(2, 3) if c[0] in "*A23456" and c[1] in "SH123"]
HIGH = [c for c in pack(2, 3) if c[0] in "*AKQJT2" and c[1] in "SH123"]
hands = st.one_of(*(st.lists(st.sampled_from(some), max_size=8, unique=True) for some in (DENSE, HIGH)))


@CALM
@given(hands, styles)
def test_every_new_meld_is_listed_once(hand: list[Card], style: Style) -> None:
    found = listed(hand, style)
    assert len(found) == len(set(found))
    assert set(found) == lies(hand, style)


@pytest.mark.parametrize(
    ("hand", "runs", "sets"),
    [
        ("AH1 2H1 3H1 4H1", 3, 0),
        ("AH1 2H1 3H1 4H1 5H1", 6, 0),
        ("AH1 2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1", 66 + 10, 0),
        ("8S1 8H1 8D1 8C1", 0, 5),
        ("8S1 8H1 8D1 8C1 8S2 8H2 8D2 8C2", 0, 219),
        ("8S1 8H1 *1", 0, 1),
        ("5H1 6H1 *1", 2, 0),
        ("5H1 7H1 *1", 1, 0),
        ("5H1 6H1 *1 *2", 2 + 2 + 3, 0),
        ("5H1 8H1 *1 *2", 1, 0),
        ("5H1 9H1 *1 *2", 0, 0),
        ("QH1 KH1 AH1 2H1", 1, 0),
        ("5H1 5H2 6H1 7H1", 2, 0),
    ],
)
def test_exact_counts(hand: str, runs: int, sets: int) -> None:
    """Counted by hand: for thirteen hearts 66 stretches from an ace low and 10 that end with it high."""
    found = listed(cards(hand), BOTH)
    kinds = [kind for kind, _, _ in found]
    assert (kinds.count("run"), kinds.count("set")) == (runs, sets)


@CALM
@given(hands, styles)
def test_no_suit_that_can_make_a_run_is_passed_over(hand: list[Card], style: Style) -> None:
    jokers = [c for c in hand if c[0] == "*"]
    for suit in "SH":
        naturals = [c for c in hand if c[0] != "*" and c[1] == suit]
        have = sum({1 << RANKS.index(c[0]) for c in naturals})
        if new_runs(naturals, jokers, style):
            assert may_run(have, len(jokers), style)


# Brute force over whole tables

Table = tuple[Meld, ...]


def moves(hand: Sequence[Card], table: Table, style: Style) -> list[tuple[tuple[Card, ...], Table]]:
    """Every way to lay one new meld or play one card: the cards used and the table after it."""
    found = []
    for some in subsets(hand):
        for low in range(1 + sum(c[0] == "*" for c in some)):
            try:
                meld = make(some, style, id=len(table), owner=Seat(0), low_jokers=low)
            except Illegal:
                continue
            found.append((some, (*table, meld)))
    for card in hand:
        for i, meld in enumerate(table):
            for end in fits(meld, card, style):
                found.append(((card,), (*table[:i], extend(meld, card, Seat(0), style, end), *table[i + 1 :])))
    return found


def fewest(card: Card, hand: Sequence[Card], table: tuple[Meld, ...], style: Style) -> int | None:
    """Fewest other cards of the hand with which the card can be melded, by trying everything."""
    reached = {(frozenset(hand), table)}
    for spent in range(len(hand) + 1):
        for left, after in list(reached):
            for some, then in moves(sorted(left), after, style):
                if card in some and len(hand) - len(left) + len(some) - 1 == spent:
                    return spent
                if card not in some:
                    reached.add((left - set(some), then))
    return None


small = st.lists(st.sampled_from(HIGH + DENSE), min_size=1, max_size=5, unique=True)
tables = st.sampled_from(
    [
        (),
        melds("9S2 TS2 JS2"),
        melds("3H2 4H2 5H2", "KD1 KC1 KD2"),
        melds("2S2 3S2 *8"),
        melds("AD1 AC1 AD2", "QH2 KH2 AH2"),
    ]
)


@MANY
@given(small, tables)
def test_find_needs_as_few_cards_as_trying_everything(hand: list[Card], table: tuple[Meld, ...]) -> None:
    taken = {c for meld in table for c in meld.cards}
    hand = [c for c in hand if c not in taken]
    for card in hand:
        pool = [c for c in hand if c != card]
        found = find(card, number(pool), spread(table), BOTH)
        assert (None if found is None else found.size) == fewest(card, hand, table, BOTH)


def worth(face: str, position: int) -> int:
    return 1 if position == 1 else {"A": 15, "*": 15, "T": 10, "J": 10, "Q": 10, "K": 10}.get(face[0], 5)


def value(meld: Meld) -> int:
    at = (meld.lo + i if isinstance(meld, Run) else 0 for i in range(len(meld.cards)))
    return sum(worth(c[:1] if c[0] == "*" else c[:2], p) for c, p in zip(meld.cards, at, strict=True))


def most(hand: Sequence[Card], table: tuple[Meld, ...], style: Style) -> int:
    """Most points that some way of laying the hand brings, by trying everything."""
    seen: dict[tuple[frozenset[Card], tuple[Meld, ...]], int] = {}

    def best(left: frozenset[Card], after: tuple[Meld, ...]) -> int:
        if (left, after) not in seen:
            worth_now = sum(map(value, after))
            then = [best(left - set(some), table) for some, table in moves(sorted(left), after, style)]
            seen[left, after] = max([worth_now, *then])
        return seen[left, after]

    return best(frozenset(hand), table) - sum(map(value, table))


@MANY
@given(small, tables)
def test_the_richest_mix_is_as_rich_as_trying_everything(hand: list[Card], table: tuple[Meld, ...]) -> None:
    taken = {c for meld in table for c in meld.cards}
    hand = [c for c in hand if c not in taken]
    mix = richest(hand, table, BOTH, worth)
    assert (mix.points if mix else 0) == most(hand, table, BOTH)


def test_a_joker_may_take_the_place_of_a_card_that_serves_better_elsewhere() -> None:
    hand = cards("JS1 TS1 *1 TH1 *2 9S1")
    mix = richest(hand, (), BOTH, worth)
    assert mix is not None
    assert mix.points == 65  # 9 * J of spades and two tens with the other joker


def test_the_budget_bounds_the_mixes_and_keeps_the_best_so_far() -> None:
    hand = [c for c in pack(2, 4) if c[0] in "*A23456789"][:40] + list(cards("*1 *2 *3 *4"))
    few, many = (richest(hand, (), BOTH, worth, budget=budget) for budget in (1, 3000))
    assert few is not None
    assert many is not None
    assert 0 < few.points <= many.points


@pytest.mark.parametrize("choice", run_choices(cards("QH1 KH1 *1"), BOTH))
def test_choices_are_the_runs_listed(choice: tuple[int, tuple[Card, ...]]) -> None:
    assert tuple(choice)[1] in [run for run, _ in new_runs(cards("QH1 KH1"), cards("*1"), BOTH)]
