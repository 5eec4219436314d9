"""RULES.md, "Buying" and "What everyone sees": windows, clocks, passes, and who is told what."""

import random
from typing import Any

import msgspec
import pytest

from domain.cards import Ms, Seat
from domain.chance import Chance, h
from domain.contract_rummy.options import Options
from domain.contract_rummy.position import redeal
from domain.contract_rummy.state import State, Window
from domain.contract_rummy.window import SLOW_MS, SOONEST_MS, SPREAD_MS
from domain.game import Illegal, Step
from tests.contract_rummy.tables import (
    BUY,
    DECLINE,
    DRAW,
    GAME,
    PASS,
    TAKE,
    cards,
    chance,
    discard,
    lines,
    refused,
    step,
    table,
    view,
)  # fmt: skip


def four(*, thrower: int | None = 0, closes: int | None = 30_000, **fields: Any) -> State:
    """Four seats, seat 1 to draw, 8H on the pile; without a thrower it is the upcard."""
    window = Window(id=5, card="8H1", thrower=thrower, closes=closes, **fields.pop("window", {}))  # type: ignore[arg-type]
    hands = fields.pop("hands", ("2S1 3S1", "4S1 5S1", "6S1 7S1", "8S1 9S1"))
    given = {"stock": "TC1 JC1 QC1 KC1", "pile": "2D1 3D1 8H1", "turn": Seat(1), "turns": 7} | fields
    return table(*hands, phase="draw", window=window, **given)


def upcard(**fields: Any) -> State:
    """The same with the upcard of a deal; seat 0 dealt."""
    return four(thrower=None, closes=None, **fields)


def tick(s: State) -> Step:
    due = GAME.due(s)
    assert due is not None
    return GAME.tick(s, due.at, chance())


def wish(pref: str) -> dict[str, Any]:
    return {"type": "buy_pref", "pref": pref}


def closed(s: State) -> bool:
    return s.window is not None and s.window.shut


def said(s: State, *moves: tuple[int, dict[str, Any]]) -> State:
    for seat, move in moves:
        s = step(s, move, seat).state
    return s


# Claims and closing


def test_a_worked_buy() -> None:
    """Case C1: seats 3 and 2 claim, seat 2 comes first in the order 2, 3 and pays with a card of the stock."""
    s = said(four(), (3, BUY))
    assert not closed(s)
    done = step(s, BUY, 2)
    assert closed(done.state)
    assert lines(done) == ["claim", "closed"]
    done = step(done.state, DRAW, 1)
    s = done.state
    assert s.hands == (cards("2S1 3S1"), cards("4S1 5S1 KC1"), cards("6S1 7S1 8H1 QC1"), cards("8S1 9S1"))
    assert (s.stock, s.pile, s.known[2], s.window) == (cards("TC1 JC1"), cards("2D1 3D1"), cards("8H1"), None)
    assert lines(done) == ["draw", "bought"]


def test_all_pass() -> None:
    """Case C1b."""
    s = said(four(), (2, PASS))
    assert not closed(s)
    done = step(s, PASS, 3)
    assert closed(done.state)
    assert lines(done) == ["closed"]
    s = step(done.state, DRAW).state
    assert (s.stock, s.pile) == (cards("TC1 JC1 QC1"), cards("2D1 3D1 8H1"))


def test_a_claim_behind_an_undecided_seat_waits_for_it() -> None:
    s = said(four(), (3, BUY))
    assert not closed(s)
    assert closed(said(s, (2, PASS)))
    assert closed(said(four(), (2, BUY)))


def test_time_closes_it_once() -> None:
    s = said(four(), (3, BUY))
    due = GAME.due(s)
    assert due is not None
    assert (due.key, due.at) == ("close:5", 30_000)
    done = tick(s)
    assert closed(done.state)
    assert lines(done) == ["closed"]
    assert GAME.due(done.state) is None
    with pytest.raises(Illegal):
        GAME.tick(done.state, Ms(60_000), chance())
    assert step(done.state, DRAW).state.hands[3] == cards("8S1 9S1 8H1 QC1")


def test_a_claim_and_the_time_that_race_have_one_winner() -> None:
    """Whichever is first counts: a late claim before the tick stands, after it is refused."""
    assert closed(step(four(), BUY, 2, now=45_000).state)
    late = tick(four()).state
    assert refused(late, BUY, 2) == "BUYING_CLOSED"
    assert refused(late, PASS, 2) == "BUYING_CLOSED"


def test_who_may_buy() -> None:
    s = four()
    assert refused(s, BUY, 1) == "NOT_ELIGIBLE"  # to play
    assert refused(s, PASS, 0) == "NOT_ELIGIBLE"  # threw it
    assert step(upcard(), BUY, 0).state.window.claims == (0,)  # nobody threw the upcard
    assert refused(step(s, TAKE).state, BUY, 2) == "BUYING_CLOSED"


def test_claims_stand_and_passes_do_not() -> None:
    s = said(four(), (3, BUY))
    assert refused(s, BUY, 3) == "CLAIM_STANDS"
    assert refused(s, PASS, 3) == "CLAIM_STANDS"
    s = said(four(), (3, PASS))
    assert refused(s, PASS, 3) == "ALREADY_PASSED"
    assert said(s, (3, BUY)).window.claims == (3,)  # type: ignore[union-attr]


def test_a_buy_may_say_which_buying_it_means() -> None:
    assert refused(four(), BUY | {"window": 4}, 2) == "BUYING_CLOSED"
    assert closed(step(four(), BUY | {"window": 5}, 2).state)


def test_the_stock_is_shut_until_then() -> None:
    s = four()
    assert refused(s, DRAW) == "STOCK_SHUT"
    assert step(tick(s).state, DRAW).state.phase == "play"


def test_a_free_take_beats_a_claim() -> None:
    """Case C3."""
    s = tick(said(four(), (3, BUY))).state
    s = step(s, TAKE).state
    assert (s.window, s.hands[1], s.hands[3]) == (None, cards("4S1 5S1 8H1"), cards("8S1 9S1"))
    assert s.stock == cards("TC1 JC1 QC1 KC1")
    assert s.known[1] == cards("8H1")
    assert step(s, discard("8H1")).state.pile[-1] == "8H1"


def test_declining_binds_to_nothing() -> None:
    done = step(four(), DECLINE)
    s = done.state
    assert lines(done) == ["decline"]
    assert view(s, 3).window.declined  # type: ignore[union-attr]
    assert [d.seat for d in GAME.deciding(s)] == [2, 3]
    assert refused(s, DECLINE) == "ALREADY_DECLINED"
    assert step(s, TAKE).state.phase == "play"
    assert refused(tick(four()).state, DECLINE) == "STOCK_OPEN"


def test_a_bots_decline_lapses_when_a_person_is_back() -> None:
    s = step(four(), DECLINE).state
    assert GAME.returned(s, Seat(2)).state == s
    back = GAME.returned(s, Seat(1)).state
    assert [d.key for d in GAME.deciding(back) if d.seat == 1] == ["d7w:1"]
    assert [d.key for d in GAME.deciding(tick(s).state)] == ["d7"]


# The upcard


def test_the_upcard_runs_on_no_clock() -> None:
    """Case C4."""
    s = said(upcard(), (2, BUY))
    assert not closed(s)
    assert view(s, 3).window.untimed  # type: ignore[union-attr]
    s = said(s, (3, PASS))
    assert not closed(s)
    assert refused(s, DRAW) == "STOCK_SHUT"
    assert closed(said(s, (0, BUY)))


def test_slow_seats_are_named_after_a_minute_and_may_be_passed_for() -> None:
    """Case C4: and a claim of the slow seat at the same instant stands if it was first."""
    s = said(upcard(), (2, BUY), (0, PASS))
    pass_for = {"type": "pass_for", "seat": 3}
    assert [refused(s, {"type": "pass_for", "seat": seat}, 1) for seat in (0, 2, 3, 7)] == ["NOT_SLOW"] * 4
    assert all(d.waits and not d.named for d in GAME.deciding(s) if d.kind == "buy")
    due = GAME.due(s)
    assert due is not None
    assert (due.key, due.at) == ("slow:5", SLOW_MS)
    done = tick(s)
    s = done.state
    assert [(line.kind, line.data) for line in done.lines] == [("slow", {"seats": [3]})]
    assert [(d.seat, d.named) for d in GAME.deciding(s) if d.kind == "buy"] == [(3, True)]
    assert GAME.due(s) is None
    assert refused(s, {"type": "pass_for", "seat": 0}, 1) == "NOT_SLOW"
    assert closed(step(s, pass_for, 1).state)
    claimed = step(s, BUY, 3).state
    assert closed(claimed)
    assert refused(claimed, pass_for, 1) == "BUYING_CLOSED"


def test_every_minute_starts_at_the_deal() -> None:
    s = GAME.start(Options(), 3, Ms(5_000), chance()).state
    due = GAME.due(s)
    assert due is not None
    assert (due.key, due.at) == ("slow:1", 65_000)


# Passes that come by themselves


def thrown(*prefs: str, hands: tuple[str, ...] = ("8H1 3S1", "4S1 5S1", "6S1 7S1", "8S1 9S1"), **fields: Any) -> State:
    """Seat 0 has just thrown 8H at 1000 ms."""
    s = table(*hands, pile="2D1 3D1", stock="TC1 JC1 QC1 KC1", prefs=prefs, **fields)
    done: State = step(s, discard("8H1")).state
    return done


def test_never_passes_by_itself_at_a_moment_of_its_own() -> None:
    s = thrown("ask", "never", "never", "ask")
    due = GAME.due(s)
    assert due is not None
    assert due.key == "pass:2:2"
    assert due.at == 1_000 + SOONEST_MS + chance().stream("pass:2:2").below(SPREAD_MS)
    done = tick(s)
    assert done.state.window.passed == (2,)
    assert (done.lines, done.notice) == ((), (2,))
    assert not closed(done.state)
    due = GAME.due(done.state)
    assert due is not None
    assert (due.key, due.at) == ("close:2", 31_000)


@pytest.mark.parametrize(("hand", "passes"), [("6S1 7S1", True), ("6S1 8C1", False), ("6S1 *1", False)])
def test_helps_passes_if_the_card_cannot_help(hand: str, passes: bool) -> None:
    """Hand 1 asks for sets: the same rank or a joker could help."""
    s = thrown("ask", "ask", "helps", "ask", hands=("8H1 3S1", "4S1 5S1", hand, "8S1 9S1"))
    assert bool(s.window.timed) == passes  # type: ignore[union-attr]
    down = thrown("ask", "ask", "helps", "ask", hands=("8H1 3S1", "4S1 5S1", hand, "8S1 9S1"), down=(2,))
    assert down.window.timed  # type: ignore[union-attr]


def test_the_moment_does_not_depend_on_the_hand() -> None:
    """Three seats, one eligible: the buying is not closed at once, and when it is says nothing of the hand."""
    moments = set()
    for text in ("6S1 7S1", "2C1 3C1 4C1 5C1", "9D1"):
        s = thrown("ask", "ask", "helps", hands=("8H1 3S1", "4S1 5S1", text))
        assert not closed(s)
        due = GAME.due(s)
        assert due is not None
        assert due.at >= 1_000 + SOONEST_MS
        moments.add(due.at)
        assert closed(tick(s).state)
    assert len(moments) == 1


def test_moments_spread_over_two_seconds() -> None:
    s = table("8H1 3S1", "4S1", "6S1", prefs=("never",) * 3)
    dues = [GAME.due(step(s, discard("8H1"), source=chance(str(i))).state) for i in range(300)]
    delays = [due.at for due in dues if due is not None]
    assert min(delays) >= 1_500
    assert max(delays) <= 3_500
    assert max(delays) - min(delays) > 1_900


def test_a_wish_told_during_a_buying_is_followed_in_it() -> None:
    s = four()
    done = step(s, wish("never"), 2, now=10_000)
    assert (done.lines, done.notice) == ((), (2,))
    due = GAME.due(done.state)
    assert due is not None
    assert due.key == "pass:5:2"
    assert 10_500 <= due.at <= 12_500
    again = step(done.state, wish("never"), 2, now=12_000).state
    assert GAME.due(again) == due
    off = step(again, wish("ask"), 2, now=12_000).state
    assert GAME.due(off).key == "close:5"  # type: ignore[union-attr]
    on = step(off, wish("never"), 2, now=20_000, source=Chance(h(b"x"), frozenset({"pass:5:2"}))).state
    assert GAME.due(on).at - 20_000 == due.at - 10_000  # type: ignore[union-attr]
    assert step(on, BUY, 2).state.window.claims == (2,)


def test_a_late_pass_after_the_time_is_not_waited_for() -> None:
    s = step(four(), wish("never"), 2, now=29_900).state
    assert GAME.due(s).key == "close:5"  # type: ignore[union-attr]
    assert GAME.due(tick(s).state) is None


def test_an_away_seat_passes_by_itself_until_someone_plays_it() -> None:
    s = GAME.left(four(), Seat(3), Ms(2_000), chance()).state
    assert GAME.due(s).key == "pass:5:3"  # type: ignore[union-attr]
    for back in (GAME.covered(s, Seat(3), Ms(2_100), chance()).state, GAME.returned(s, Seat(3)).state):
        assert GAME.due(back).key == "close:5"  # type: ignore[union-attr]
        assert not back.away[3]
    assert thrown("ask", "ask", "ask", "ask", away=(False, False, True, False)).window.timed  # type: ignore[union-attr]


# Secrecy


def test_passes_are_told_to_nobody() -> None:
    s = four()
    done = step(s, PASS, 3)
    assert (done.lines, done.notice) == ((), (3,))
    for seat in (None, 0, 1, 2):
        assert view(done.state, seat) == view(s, seat)
    assert view(done.state, 3).window.passed  # type: ignore[union-attr]
    shown = [(d.seat, d.key) for d in GAME.deciding(done.state) if d.named]
    assert shown == [(1, "d7w")]
    after = step(done.state, PASS, 2).state
    assert closed(after)
    assert not view(after, 0).window.passed  # type: ignore[union-attr]
    told = msgspec.to_builtins(view(after, 0).window)
    assert not {"timed", "opened", "lapses"} & set(told)


def test_keys() -> None:
    s = four()
    assert [(d.seat, d.kind, d.key, d.waits, d.named) for d in GAME.deciding(s)] == [
        (1, "draw", "d7w", False, True), (2, "buy", "w5", False, False), (3, "buy", "w5", False, False),
    ]  # fmt: skip
    assert [d.key for d in GAME.deciding(tick(s).state)] == ["d7"]
    s = step(s, TAKE).state
    assert [d.key for d in GAME.deciding(s)] == ["p7:0"]
    s = step(s, discard("4S1")).state
    assert [(d.seat, d.key) for d in GAME.deciding(s)] == [(0, "w6"), (2, "d8w"), (3, "w6")]


def test_only_you_follows_from_claims_alone() -> None:
    s = said(four(), (3, BUY))
    assert [view(s, i).window.only_you for i in (0, 2, 3, None)] == [False, True, False, False]  # type: ignore[union-attr]
    passed = said(four(), (3, PASS))
    assert not view(passed, 2).window.only_you  # type: ignore[union-attr]
    assert not view(tick(s).state, 2).window.only_you  # type: ignore[union-attr]
    s = said(upcard(), (2, BUY), (0, BUY))
    assert view(s, 3).window.only_you  # type: ignore[union-attr]


def test_priority() -> None:
    s = four()
    assert view(s, 0).window.order == (2, 3)  # type: ignore[union-attr]
    assert [view(s, i).window.priority for i in (2, 3, 0, 1, None)] == [1, 2, None, None, None]  # type: ignore[union-attr]
    assert view(upcard(), 0).window.order == (2, 3, 0)  # type: ignore[union-attr]


def test_other_worlds_differ_in_passes_and_wishes_but_never_close() -> None:
    """A world that a viewer cannot tell apart has other passes, but none that would have closed the buying."""
    s = said(upcard(prefs=("helps", "ask", "never", "ask")), (3, PASS))
    rng, met = random.Random(1), set()
    for _ in range(200):
        other = redeal(s, Seat(1), Chance(h(str(rng.random()).encode())))
        assert other.window is not None
        met.add((other.window.passed, other.prefs))
        assert len(other.window.passed) < 3
        assert view(other, 1) == view(s, 1)
    assert {passed for passed, _ in met} == {(), (0,), (2,), (3,), (0, 2), (0, 3), (2, 3)}
    assert len({prefs for _, prefs in met}) == 27
    own = {redeal(s, Seat(3), Chance(h(bytes([i])))).window.passed for i in range(99)}  # type: ignore[union-attr]
    assert own == {(3,), (0, 3), (2, 3)}


# The stock runs dry


def test_the_stock_is_remade_of_the_pile_under_its_top() -> None:
    s = step(tick(four(stock="")).state, DRAW).state
    assert s.reshuffles == 1
    assert (len(s.stock), s.pile, s.remade) == (1, cards("8H1"), (cards("2D1 3D1"),))
    assert {*s.stock, s.hands[1][-1]} == {"2D1", "3D1"}


def test_the_order_is_the_draw_the_bought_card_then_the_penalty() -> None:
    s = tick(said(four(stock="TC1"), (3, BUY))).state
    done = step(s, DRAW)
    s = done.state
    assert lines(done) == ["draw", "bought", "reshuffle"]
    assert (s.hands[1][-1], s.hands[3][2], s.pile, s.stock) == ("TC1", "8H1", cards("3D1"), ())
    assert s.hands[3][3] == "2D1"


def test_nothing_under_the_top_for_the_penalty_ends_the_hand() -> None:
    """The buyer keeps the bought card, and everyone counts."""
    s = tick(said(four(stock="TC1", pile="3D1 8H1"), (3, BUY))).state
    assert view(s, 1).ends_hand
    done = step(s, DRAW)
    s = done.state
    assert (s.phase, s.out, s.scores[0]) == ("scored", None, (5, 19, 13, 25))
    assert s.hands[3] == cards("8S1 9S1 8H1")
    assert lines(done) == ["draw", "bought", "dry", "hand"]


def test_nothing_to_draw_ends_the_hand_and_is_marked_before() -> None:
    s = tick(four(stock="", pile="8H1")).state
    assert view(s, None).ends_hand
    done = step(s, DRAW)
    assert (done.state.phase, done.state.out, done.hand_ended) == ("scored", None, True)
    assert not view(tick(four()).state, 1).ends_hand
    assert not view(tick(four(stock="")).state, 1).ends_hand
    assert not view(tick(four(stock="", pile="3D1 8H1")).state, 1).ends_hand
    assert view(tick(said(four(stock="", pile="3D1 8H1"), (3, BUY))).state, 1).ends_hand


def test_a_stock_remade_too_often_ends_the_hand() -> None:
    s = table("8H1 3S1", "4S1", "6S1", reshuffles=11)
    assert step(s, discard("8H1")).state.out is None
    assert step(s, discard("8H1")).state.phase == "scored"
    assert step(table("8H1 3S1", "4S1", "6S1", reshuffles=10), discard("8H1")).state.phase == "draw"


def test_no_discard() -> None:
    s = table("8H1", "4S1", "6S1", phase="draw", pile="")
    assert refused(s, TAKE) == "NO_DISCARD"


# Time that is given to nobody


def test_fallbacks() -> None:
    s = four()
    assert GAME.fallback(s, Seat(1)) == GAME.parse(DECLINE)
    assert GAME.fallback(s, Seat(2)) == GAME.parse(PASS)
    s = tick(s).state
    assert GAME.fallback(s, Seat(1)) == GAME.parse(DRAW)
    s = table("*1 9C1 2C1", "4S1", "6S1")
    assert GAME.fallback(s, Seat(0)) == GAME.parse(discard("9C1"))
    assert GAME.fallback(table("*1 *2", "4S1", "6S1"), Seat(0)) == GAME.parse(discard("*1"))


def test_the_end_of_buying_is_shown_on_the_wall_clock() -> None:
    """Time that was given back after outages stands between the table's own time and people's clocks."""
    for s, closes in ((four(), 30_000 + 7_000), (upcard(), None)):
        for seat in (Seat(2), None):
            window = GAME.dated(GAME.view(s, seat), 37_000, 7_000).window
            assert window is not None
            assert window.closes == closes
