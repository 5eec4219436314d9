"""RULES.md, "Melds" and "A turn"."""

from typing import Any

import pytest

from domain.cards import Seat
from domain.contract_rummy.contracts import held
from domain.contract_rummy.lay import lay
from domain.contract_rummy.state import NewMeld
from domain.game import Illegal
from domain.melds import Run, Set
from tests.contract_rummy.tables import (
    GAME,
    cards,
    discard,
    go_down,
    go_out,
    lay_off,
    lines,
    play,
    refused,
    step,
    swap,
    table,
    view,
)  # fmt: skip

EIGHTS, KINGS = "set 8S1 8H1 8D1", "set KS1 KH1 *1"
PILE = "6D1"


def hand(text: str, **fields: Any) -> Any:
    return table(text, "2D1 KS2", "3D1 4D1", pile=PILE, **fields)


def run(text: str, **fields: Any) -> Run:
    meld = lay(NewMeld("run", cards(text), **fields), 1, Seat(0))
    assert isinstance(meld, Run)
    return meld


# Melds


@pytest.mark.parametrize(
    ("text", "low", "lo", "order"),
    [
        ("5H1 4H1 7H1 6H1", 0, 4, "4H1 5H1 6H1 7H1"),
        ("AH1 2H1 3H1 4H1", 0, 1, "AH1 2H1 3H1 4H1"),
        ("JH1 QH1 KH1 AH1", 0, 11, "JH1 QH1 KH1 AH1"),
        ("*1 4H1 7H1 6H1", 0, 4, "4H1 *1 6H1 7H1"),
        ("*2 4H1 *1 5H1", 0, 4, "4H1 5H1 *1 *2"),
        ("*2 4H1 *1 5H1", 1, 3, "*1 4H1 5H1 *2"),
        ("*2 4H1 *1 5H1", 9, 2, "*1 *2 4H1 5H1"),
        ("*1 *2 *3 AH1", 0, 1, "AH1 *1 *2 *3"),
        ("*1 *2 *3 AH1", 3, 11, "*1 *2 *3 AH1"),
    ],
)
def test_runs_are_arranged(text: str, low: int, lo: int, order: str) -> None:
    assert (run(text, low_jokers=low).lo, run(text, low_jokers=low).cards) == (lo, cards(order))


@pytest.mark.parametrize(
    ("fields", "suit", "lo"),
    [({}, "S", 1), ({"suit": "H", "lo": 10}, "H", 10), ({"suit": "H", "lo": 13}, "H", 11), ({"lo": 1}, "S", 1)],
)
def test_a_run_of_jokers_alone(fields: dict[str, Any], suit: str, lo: int) -> None:
    """Case C9: the place named is moved so far that the run fits."""
    assert (run("*1 *2 *3 *4", **fields).suit, run("*1 *2 *3 *4", **fields).lo) == (suit, lo)


def test_a_set_of_jokers_alone() -> None:
    for rank, stands in ((None, "A"), ("9", "9")):
        meld = lay(NewMeld("set", cards("*1 *2 *3"), rank=rank), 1, Seat(0))  # type: ignore[arg-type]
        assert isinstance(meld, Set)
        assert meld.rank == stands


@pytest.mark.parametrize(
    ("kind", "text", "code"),
    [
        ("set", "8H1 8S1", "TOO_SHORT"), ("set", "8H1 8S1 9H1", "NOT_A_SET"), ("run", "4H1 5H1 6H1", "TOO_SHORT"),
        ("run", "KH1 AH1 2H1 3H1", "NOT_A_RUN"), ("run", "4H1 5H1 6H1 7S1", "MIXED_SUITS"),
        ("run", "4H1 5H1 6H1 6H2", "NOT_A_RUN"), ("run", "4H1 5H1 6H1 8H1", "NOT_A_RUN"),
        ("run", "AH1 2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1 AH2 *1", "TOO_LONG"),
        ("run", "*1 *2 *3", "TOO_SHORT"), ("set", "*1 *2", "TOO_SHORT"), ("set", "", "TOO_SHORT"),
    ],
)  # fmt: skip
def test_what_is_no_meld(kind: Any, text: str, code: str) -> None:
    """Case C10 among them: no run goes round the corner or has more than fourteen cards."""
    with pytest.raises(Illegal) as no:
        lay(NewMeld(kind, cards(text)), 1, Seat(0))
    assert no.value.code == code


def test_a_run_may_have_both_aces() -> None:
    long = run("AH1 2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1 AH2")
    assert (long.lo, long.hi) == (1, 14)


@pytest.mark.parametrize("field", [{"low_jokers": "1"}, {"low_jokers": True}, {"low_jokers": None}, {"lo": 1.5},
                                   {"suit": "X"}, {"rank": "1"}, {"kind": "pair"}, {"kind": None}])  # fmt: skip
def test_malformed_melds(field: dict[str, Any]) -> None:
    meld = {"kind": "run", "cards": ["*1"]} | field
    assert refused(hand("*1 *2"), go_down(meld)) == "BAD"


# Going down


def test_going_down() -> None:
    done = step(hand("8S1 8H1 8D1 KS1 KH1 *1 2C1 3C1", stock="4C1"), go_down(EIGHTS, KINGS))
    s = done.state
    assert [(m.id, m.kind, m.owner) for m in s.melds] == [(1, "set", 0), (2, "set", 0)]
    assert (s.hands[0], s.down, s.down_at) == (cards("2C1 3C1"), (True, False, False), (1, None, None))
    assert s.went_down
    assert lines(done) == ["go_down"]
    assert GAME.deciding(s)[0].key == "p1:1"


@pytest.mark.parametrize(
    ("melds", "code"),
    [
        ((EIGHTS + " 8C1", KINGS), "EXACT_SIZE"), ((EIGHTS,), "CONTRACT"), ((), "CONTRACT"),
        ((EIGHTS, KINGS, "set 5S1 5D1 5C1"), "CONTRACT"), ((EIGHTS, "run 2C1 3C1 4C1 5C1"), "CONTRACT"),
        ((EIGHTS, "run 2C1 3C1 4C1 5C1 6C1"), "EXACT_SIZE"), ((EIGHTS, "set 8S1 KS1 KH1"), "NOT_YOURS"),
        ((EIGHTS, "set KS1 KH1 KC1"), "NOT_YOURS"), ((EIGHTS, "set KS1 KH1 *9"), "NOT_YOURS"),
        ((EIGHTS, "set KS1 KH1 5C1"), "NOT_A_SET"),
    ],
)  # fmt: skip
def test_going_down_wrongly(melds: tuple[str, ...], code: str) -> None:
    """Case C6 among them."""
    text = "8S1 8H1 8D1 8C1 KS1 KH1 *1 2C1 3C1 4C1 5C1 6C1 5S1 5D1"
    assert refused(hand(text, stock="9D1"), go_down(*melds)) == code


def test_no_second_contract_and_none_in_the_last_hand() -> None:
    s = hand("8S1 8H1 8D1 KS1 KH1 *1 2C1", down=(0,))
    assert refused(s, go_down(EIGHTS, KINGS)) == "ALREADY_DOWN"
    assert refused(hand("8S1 8H1 8D1 KS1 KH1 *1 2C1", deals=7), go_down(EIGHTS, KINGS)) == "LAST_HAND"


def test_a_card_stays() -> None:
    assert refused(hand("8S1 8H1 8D1 KS1 KH1 *1"), go_down(EIGHTS, KINGS)) == "KEEP_ONE"


def test_three_sets_leave_the_rest_waiting() -> None:
    """Case C6: eleven cards, three sets of three, two left."""
    s = hand("8S1 8H1 8D1 KS1 KH1 *1 2C1 2D2 2S1 9C1 TC1", deals=4)
    assert step(s, go_down(EIGHTS, KINGS, "set 2C1 2D2 2S1")).state.hands[0] == cards("9C1 TC1")


RUN = [(1, "4H1 5H1 *1 7H1")]


def test_a_joker_won_for_the_contract() -> None:
    s = hand("8S1 8H1 8D1 KS1 KH1 6H1 2C1", melds=RUN)
    done = step(s, go_down(EIGHTS, KINGS, swaps=[("6H1", 1)]))
    assert done.state.melds[0].cards == cards("4H1 5H1 6H1 7H1")
    assert done.state.melds[0].by == (1, 1, 0, 1)
    assert done.state.hands[0] == cards("2C1")
    assert done.lines[0].data["swaps"] == [{"card": "6H1", "meld": 1, "joker": "*1"}]


@pytest.mark.parametrize(
    ("swaps", "melds", "code"),
    [
        ([("6H1", 1)], (EIGHTS, "set KS1 KH1 KD1"), "JOKER_MUST_BE_USED"),
        ([("8S1", 1)], (EIGHTS, KINGS), "NOT_A_RUN_JOKER"),
        ([("6H1", 9)], (EIGHTS, KINGS), "NO_SUCH_MELD"), ([("7C1", 2)], (EIGHTS, KINGS), "NOT_A_RUN_JOKER"),
        ([("6H2", 1)], (EIGHTS, KINGS), "NOT_YOURS"), ([("6H1", 1), ("6H1", 1)], (EIGHTS, KINGS), "NOT_YOURS"),
        ([("6H1", 1)], (EIGHTS, "set KS1 KH1 6H1"), "NOT_YOURS"),
    ],
)  # fmt: skip
def test_jokers_not_won(swaps: Any, melds: tuple[str, ...], code: str) -> None:
    s = hand("8S1 8H1 8D1 KS1 KH1 KD1 6H1 7C1 2C1", melds=[*RUN, (1, "7S1 7D1 *2")])
    assert refused(s, go_down(*melds, swaps=swaps)) == code


# Laying off and swapping


def test_not_in_the_turn_of_going_down() -> None:
    """Case C7."""
    s = hand("8S1 8H1 8D1 KS1 KH1 *1 8C1 2C1")
    assert refused(s, lay_off(("8C1", 1))) == "NOT_DOWN"
    assert refused(s, swap("8C1", 1, 1)) == "NOT_DOWN"
    s = play(s, go_down(EIGHTS, KINGS))
    assert refused(s, lay_off(("8C1", 1))) == "SAME_TURN"
    assert refused(s, swap("8C1", 1, 1)) == "SAME_TURN"


def test_a_card_stays_for_the_discard() -> None:
    """Case C7: both would go on the run, but only one may."""
    s = hand("8H1 9H1", melds=[(1, "4H1 5H1 6H1 7H1")], down=(0,))
    assert refused(s, lay_off(("8H1", 1), ("9H1", 1))) == "KEEP_ONE"
    s = play(s, lay_off(("8H1", 1)), discard("9H1"))
    assert (s.phase, s.out, s.scores) == ("scored", 0, ((0, 12, 7),))


def test_lay_offs_in_order_or_none() -> None:
    s = hand("9H1 8H1 2C1", melds=[(1, "4H1 5H1 6H1 7H1")], down=(0,))
    assert refused(s, lay_off(("9H1", 1), ("8H1", 1))) == "DOES_NOT_FIT"
    s = play(s, lay_off(("8H1", 1), ("9H1", 1)))
    assert s.melds[0].cards == cards("4H1 5H1 6H1 7H1 8H1 9H1")
    assert [(x.seat, x.cards) for x in s.laid] == [(0, cards("8H1 9H1"))]


def test_one_lay_off_needs_no_list() -> None:
    s = hand("8H1 2C1", melds=[(1, "4H1 5H1 6H1 7H1")], down=(0,))
    single = {"type": "lay_off", "card": "8H1", "meld": 1}
    assert GAME.parse(single) == GAME.parse(lay_off(("8H1", 1)))
    assert step(s, single).state.hands[0] == cards("2C1")


@pytest.mark.parametrize("plays", [[], "8H1", None, {"card": "8H1", "meld": 1}, [{"card": "8H1", "meld": 1}] * 3])
def test_malformed_lay_offs(plays: Any) -> None:
    s = hand("8H1 2C1", melds=[(1, "4H1 5H1 6H1 7H1")], down=(0,))
    assert refused(s, {"type": "lay_off", "plays": plays}) == "BAD"


@pytest.mark.parametrize(
    ("play", "code"),
    [
        (("8H1", 1, "low"), "DOES_NOT_FIT"), (("8H1", 9), "NO_SUCH_MELD"), (("8S1", 1), "DOES_NOT_FIT"),
        (("*2", 1), "AMBIGUOUS_END"), (("9H1", 1), "NOT_YOURS"), (("6H2", 1), "DOES_NOT_FIT"),
        (("AH1", 3), "AMBIGUOUS_END"), (("8S1", 2), "DOES_NOT_FIT"),
    ],
)  # fmt: skip
def test_lay_offs_refused(play: tuple[Any, ...], code: str) -> None:
    """Case C10 among them: an ace on a run from two to king must name its end."""
    long = "2H1 3H1 4H2 5H2 *3 7H2 8H2 9H2 TH1 JH1 QH1 KH1"
    table_ = [(1, "4H1 5H1 *1 7H1"), (1, "7S1 7D1 7C1"), (2, long)]
    s = table("8H1 8S1 *2 6H2 AH1 2C1", "2D1", "3D1", "4D1", "5D1", melds=table_, down=(0,))
    assert refused(s, lay_off(play)) == code


def test_an_end_named_on_a_set_is_ignored() -> None:
    s = hand("7H1 2C1", melds=[(1, "7S1 7D1 *1")], down=(0,))
    assert step(s, lay_off(("7H1", 1, "high"))).state.melds[0].cards == cards("7S1 7D1 *1 7H1")


def test_swapping_a_joker_onto_the_same_run_or_another() -> None:
    s = hand("6H1 2C1", melds=[*RUN, (1, "7S1 7D1 7C1")], down=(0,))
    assert refused(s, swap("6H1", 1, 1)) == "AMBIGUOUS_END"
    same = step(s, swap("6H1", 1, 1, "high")).state
    assert same.melds[0].cards == cards("4H1 5H1 6H1 7H1 *1")
    other = step(s, swap("6H1", 1, 2)).state
    assert [m.cards for m in other.melds] == [cards("4H1 5H1 6H1 7H1"), cards("7S1 7D1 7C1 *1")]
    assert other.hands[0] == cards("2C1")


def test_the_log_says_whose_melds_cards_went_on() -> None:
    s = hand("8H1 7C1 6H1 5H1 2C1", melds=[(1, "4H1 *1 6H2 7H1"), (0, "7S1 7D1 7H2")], down=(0,))
    off = step(s, lay_off(("8H1", 1), ("7C1", 2)))
    assert said(off) == ["Al laid off 8♥ on a meld of Bo and 7♣ on an own meld."]
    assert said(step(s, swap("5H1", 1, 2))) == ["Al laid 5♥ on a meld of Bo and its joker on an own meld."]


def said(done: Any) -> list[str]:
    return [GAME.words(line, ("Al", "Bo", "Cy").__getitem__) for line in done.lines]


def test_jokers_in_sets_stay() -> None:
    """Case C11: the natural may be laid off beside it."""
    s = hand("7C1 2C1", melds=[(1, "7S1 7D1 *1")], down=(0,))
    assert refused(s, swap("7C1", 1, 1)) == "NOT_A_RUN_JOKER"
    assert step(s, lay_off(("7C1", 1))).state.hands[0] == cards("2C1")


@pytest.mark.parametrize(
    ("move", "code"),
    [
        (swap("7H2", 1, 1, "high"), "NOT_A_RUN_JOKER"), (swap("6H1", 9, 1), "NO_SUCH_MELD"),
        (swap("6H1", 1, 9), "NO_SUCH_MELD"), (swap("6H2", 1, 1), "NOT_YOURS"), (swap("*2", 1, 1), "NOT_A_RUN_JOKER"),
    ],
)  # fmt: skip
def test_swaps_refused(move: dict[str, Any], code: str) -> None:
    assert refused(hand("6H1 7H2 *2 2C1", melds=RUN, down=(0,)), move) == code
    assert refused(hand("6H1", melds=RUN, down=(0,)), swap("6H1", 1, 1, "low")) == "KEEP_ONE"


# The last hand

LAST = "3C1 4C1 5C1 6C1 7D1 8D1 9D1 TD1 JD1 JS1 QS1 KS1 AS1"
THREE = ("3C1 4C1 5C1 6C1", "7D1 8D1 9D1 TD1 JD1", "JS1 QS1 KS1 AS1")


def last(text: str = LAST, **fields: Any) -> Any:
    return table(text, "2D1 KS2", "3D1 4D1", pile=PILE, stock="2S1", deals=7, **fields)


def test_going_out() -> None:
    """Case C9."""
    done = step(last(totals=(5, 0, 100)), go_out(*THREE))
    s = done.state
    assert (s.phase, s.out, s.scores, s.totals, s.winners) == ("over", 0, ((0, 12, 7),), (5, 12, 107), (0,))
    assert len(s.melds) == 3
    assert lines(done) == ["go_out", "hand", "over"]


@pytest.mark.parametrize(
    ("runs", "code"),
    [
        (THREE[:2], "THREE_RUNS"), (THREE + THREE[:1], "THREE_RUNS"), ((*THREE[:2], "JS1 QS1 KS1"), "TOO_SHORT"),
        (("3C1 4C1 5C1 6C1", "7D1 8D1 9D1 TD1", "JS1 QS1 KS1 AS1"), "EVERY_CARD"),
        ((*THREE[:2], "3C1 4C1 5C1 6C1"), "NOT_YOURS"),
        (("3C1 4C1 5C1 6C1", "7D1 8D1 9D1 TD1 JS1", "JD1 QS1 KS1 AS1"), "MIXED_SUITS"),
    ],
)  # fmt: skip
def test_going_out_wrongly(runs: tuple[str, ...], code: str) -> None:
    assert refused(last(), go_out(*runs)) == code


def test_three_runs_are_for_the_last_hand() -> None:
    assert refused(hand(LAST, stock="2S1"), go_out(*THREE)) == "NOT_LAST"
    assert refused(last(), lay_off(("3C1", 1))) == "NOT_DOWN"


def test_longer_hands_must_fit_too() -> None:
    """Case C9: two bought cards and a drawn one make fifteen, laid as five, five and five."""
    s = last(LAST + " 2C1 TS1")
    assert step(s, go_out("2C1 3C1 4C1 5C1 6C1", THREE[1], "TS1 JS1 QS1 KS1 AS1")).state.out == 0


# The discard and the turn


def test_the_discard_passes_the_turn_and_opens_a_buying() -> None:
    s = hand("8H1 9H1")
    done = step(s, discard("8H1"))
    assert (done.state.turn, done.state.phase, done.state.pile) == (1, "draw", cards("6D1 8H1"))
    assert done.state.window is not None
    assert (done.state.window.id, done.state.window.thrower, done.state.window.closes) == (2, 0, 31_000)
    assert refused(s, discard("9C1")) == "NOT_YOURS"
    assert refused(s, discard("8H1"), 1) == "TURN"
    assert refused(s, {"type": "draw"}) == "PHASE"
    assert refused(done.state, discard("2D1")) == "PHASE"


def test_marks_of_what_is_new_last_until_the_next_turn_has_ended() -> None:
    s = hand("8S1 8H1 8D1 KS1 KH1 *1 2C1 3C1", stock="4C1 5C1 6C1 7C1")
    s = play(s, go_down(EIGHTS, KINGS), discard("2C1"))
    assert ([x.seat for x in s.laid], s.down_at) == ([0], (1, None, None))
    for card in ("2D1", "3D1"):
        s = play(s, {"type": "take"}, discard(card))
    assert ([x.seat for x in view(s, 1).laid], s.down_at) == ([0], (1, None, None))
    s = play(s, {"type": "take"}, discard("3C1"))
    assert (s.laid, s.down_at, s.down) == ((), (None,) * 3, (True, False, False))


def test_points_in_hand() -> None:
    """Case C13."""
    assert held(cards("AS1 KH1 7C1 *1 3D1")) == 60
    assert held(cards("2C1 TD1 JS1 QS1")) == 32
