"""RULES.md, "Melds" and "A turn", against a plain reading of them; single refusals are case files."""

import random
from itertools import combinations

import pytest

from domain.cards import Card, Seat
from domain.game import Illegal
from domain.thai_rummy.state import Discard, Extend, Lay, State, Take
from tests.thai_rummy.tables import (
    DRAW,
    GAME,
    NOW,
    cards,
    chance,
    discard,
    extend,
    meld,
    play,
    refused,
    spread,
    step,
    table,
    take,
)  # fmt: skip

RANKS = "23456789TJQKA"


def is_meld(some: tuple[Card, ...]) -> bool:
    """Three or four of a rank, or at least three of a suit one after another, the ace above the king."""
    if len({card[0] for card in some}) == 1:
        return len(some) in (3, 4)
    at = sorted(RANKS.index(card[0]) for card in some)
    one_suit = len({card[1] for card in some}) == 1
    return one_suit and len(some) >= 3 and at == list(range(at[0], at[0] + len(at)))


def accepted(s: State, move: Take | Lay | Extend | Discard) -> bool:
    try:
        GAME.play(s, s.turn, move, NOW, chance())
    except Illegal:
        return False
    return True


@pytest.mark.parametrize("seed", range(12))
def test_takes_are_those_that_the_rules_allow_and_all_are_offered(seed: int) -> None:
    s = spread(random.Random(seed), 2 + seed % 6)
    hand, pile = s.hands[0], s.pile[-5:]
    offered = {(m.at, frozenset(m.meld)) for m in GAME.legal(s, Seat(0)) if isinstance(m, Take)}
    first = len(s.pile) - len(pile)
    for at in range(first, len(s.pile)):
        pool = (*hand, *s.pile[at:])
        for size in (2, 3, 4, 5):
            for some in combinations(pool, size):
                right = is_meld(some) and s.pile[at] in some and bool(set(some) & set(hand)) and size < len(pool)
                assert accepted(s, Take(at, some)) == right
                assert ((at, frozenset(some)) in offered) == right


@pytest.mark.parametrize("seed", range(12))
def test_melds_and_extensions_are_those_that_the_rules_allow(seed: int) -> None:
    s = spread(random.Random(seed), 1 + seed % 9, phase="play")
    hand = s.hands[0]
    offered = GAME.legal(s, Seat(0))
    for size in range(1, 6):
        for some in combinations(hand, size):
            right = is_meld(some) and size < len(hand)
            assert accepted(s, Lay(some)) == right
            assert any(isinstance(m, Lay) and set(m.cards) == set(some) for m in offered) == right
    for card in hand:
        for lying in s.melds:
            right = is_meld((*lying.cards, card)) and len(hand) > 1
            assert accepted(s, Extend(card, lying.id)) == right
            assert any(isinstance(m, Extend) and (m.card, m.meld) == (card, lying.id) for m in offered) == right
    assert [m.card for m in offered if isinstance(m, Discard)] == list(hand)


def test_the_order_in_which_cards_are_named_does_not_matter() -> None:
    s = table("QH1 AH1 KH1 2S1", "2C1")
    assert {play(s, meld(text)).melds[0].cards for text in ("QH1 AH1 KH1", "AH1 KH1 QH1")} == {cards("QH1 KH1 AH1")}


def test_a_longest_run_is_from_the_two_to_the_ace() -> None:
    run = " ".join(f"{rank}H1" for rank in RANKS)
    s = play(table(f"{run} 2S1", "2C1"), meld(run))
    assert s.melds[0].cards == cards(run)


def test_cards_taken_are_known_until_they_leave_the_hand() -> None:
    s = table("6H1 6S1 KS1 8C1", "2H1 3H1", pile="9D1 6D1 JC1 TC1", phase="draw")
    s = play(s, take(1, "6H1 6S1 6D1"))
    assert (s.known[0], s.took, s.hands[0]) == (cards("JC1 TC1"), cards("6D1 JC1 TC1"), cards("KS1 8C1 JC1 TC1"))
    s = play(s, discard("TC1"))
    assert (s.known, s.took, s.pile) == ((cards("JC1"), ()), (), cards("9D1 TC1"))


def test_a_known_card_that_is_laid_down_is_known_no_more() -> None:
    s = table("JS1 JD1 8H1 KS1", "2H1", pile="9D1", known=(cards("JS1 8H1"), ()), melds=[(1, "5H1 6H1 7H1")])
    assert play(s, extend("8H1", 0)).known[0] == cards("JS1")
    out = play(table("JS1", "2H1 3H1", known=(cards("JS1"), ())), discard("JS1"))
    assert (out.known, out.down) == (((), ()), "JS1")


def test_an_extended_card_lies_in_front_of_who_laid_it() -> None:
    s = table("QS1 2D1 8C1", "KS1 TD1", melds=[(1, "9S1 TS1 JS1")])
    s = play(s, extend("QS1", 0), discard("2D1"), DRAW, extend("KS1", 0))
    assert (s.melds[0].owner, s.melds[0].by) == (1, (1, 1, 1, 0, 1))
    assert GAME.view(s, Seat(0)).melded == (50, 35)


def test_who_has_laid_something_is_dark_no_more_from_the_next_turn_on() -> None:
    s = table("QS1 2D1 8C1", "KS1 TD1", melds=[(1, "9S1 TS1 JS1")], dark=(True, False))
    s = play(s, extend("QS1", 0))
    assert s.dark == (True, False)
    assert play(s, discard("2D1")).dark == (False, False)


def test_the_pile_may_be_taken_to_its_last_card() -> None:
    s = play(table("6H1 6S1 KS1", "2H1", pile="6D1", phase="draw"), take(0, "6D1 6H1 6S1"))
    assert s.pile == ()
    assert refused(s, discard("6D1")) == "NOT_YOURS"
    out = step(s, discard("KS1"))
    assert (out.state.pile, out.state.down, out.hand_ended) == ((), "KS1", True)


def test_a_decision_has_a_new_key_after_each_move() -> None:
    s = table("6H1 6S1 6D1 KS1", "2H1", phase="draw")
    keys = []
    for move in (DRAW, meld("6H1 6S1 6D1"), discard("KS1")):
        keys += [d.key for d in GAME.deciding(s)]
        s = play(s, move)
    keys += [d.key for d in GAME.deciding(s)]
    assert len(set(keys)) == 4
