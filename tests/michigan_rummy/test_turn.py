"""RULES.md, "A turn": draw, take, discard, and whose turn it is."""

from typing import Any

import msgspec
import pytest

from domain.cards import Seat
from domain.game import Decision
from domain.michigan_rummy.state import State
from tests.michigan_rummy.tables import (
    GAME,
    OUT,
    cards,
    chance,
    discard,
    draw,
    meld,
    play,
    ready,
    refused,
    scored,
    step,
    table,
    take,
)  # fmt: skip


def fallback(s: State) -> dict[str, Any]:
    """The fallback of the seat on turn, as it would be sent."""
    move: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(GAME.fallback(s, s.turn)))
    return move


class TestWhoseMove:
    MOVES = (draw(), take(0), meld("5H1 6H1 7H1"), discard("KS1"))

    @pytest.mark.parametrize("move", MOVES)
    def test_another_seat(self, move: dict[str, Any]) -> None:
        for phase in ("draw", "play"):
            s = table("2C1 2S1", "5H1 6H1 7H1 KS1", pile="9D1", phase=phase)
            assert refused(s, move, 1) == "TURN"

    def test_phases(self) -> None:
        drawing = table("KS1", "2H1", pile="9D1", phase="draw")
        playing = table("KS1", "2H1", pile="9D1")
        assert refused(drawing, discard("KS1")) == "PHASE"
        assert refused(drawing, meld("5H1 6H1 7H1")) == "PHASE"
        assert refused(playing, draw()) == "PHASE"
        assert refused(playing, take(0)) == "PHASE"
        for s in (drawing, playing):
            for seat in (0, 1):
                assert refused(s, ready(), seat) == "PHASE"

    @pytest.mark.parametrize("move", MOVES)
    def test_after_the_hand(self, move: dict[str, Any]) -> None:
        s = play(table("KS1", "2H1", pile="9D1"), discard("KS1"))
        assert refused(s, move, 0) == refused(s, move, 1) == "PHASE"

    @pytest.mark.parametrize("move", [*MOVES, ready()])
    def test_after_the_game(self, move: dict[str, Any]) -> None:
        s = play(table("KS1", "2H1", pile="9D1", totals=(510, 0)), discard("KS1"))
        assert refused(s, move, 0) == refused(s, move, 1) == "OVER"

    def test_who_is_asked_and_a_key_that_never_comes_again(self) -> None:
        s = table("KS1 5H1 6H1 7H1", "2H1 3H1", pile="9D1", phase="draw", deals=3)
        keys = []
        for move in (draw(), meld("5H1 6H1 7H1"), discard("KS1"), draw()):
            (decision,) = GAME.deciding(s)
            assert (decision.seat, decision.kind, decision.waits) == (s.turn, s.phase, True)
            keys.append(decision.key)
            s = play(s, move)
        assert keys == ["3:0", "3:1", "3:2", "3:3"]

    def test_the_turn_passes_to_the_left(self) -> None:
        s = table("KS1 2S1", "QS1 3S1", "JS1 4S1", stock="2C1 3C1 4C1 5C1", pile="9D1", phase="draw")
        for seat in (0, 1, 2, 0):
            assert s.turn == seat
            s = play(s, draw(), discard(s.hands[seat][0]))


class TestDraw:
    def test_a_draw(self) -> None:
        s = step(table("KS1", "2H1", stock="3C1 4C1", pile="9D1", phase="draw"), draw())
        assert s.state.hands == (cards("KS1 4C1"), cards("2H1"))
        assert (s.state.phase, s.state.stock) == ("play", cards("3C1"))
        assert [(line.kind, line.seat, line.data) for line in s.lines] == [
            ("draw", 0, {}),
            ("drew", 0, {"card": "4C1"}),
        ]

    def test_stock_dry(self) -> None:
        s = table("KS1", "2H1", stock="", pile="5C1", phase="draw")
        assert refused(s, draw()) == "STOCK_DRY"
        assert play(s, take(0)).must is None

    def test_the_pile_under_its_top_becomes_the_stock(self) -> None:
        s = table("KS1", "2H1", stock="", pile="5C1 6C1 9D1", phase="draw")
        source = chance("again")
        after = step(s, draw(), source=source)
        assert after.state.pile == cards("9D1")
        assert (len(after.state.stock), after.state.reshuffles) == (1, 1)
        assert {*after.state.stock, after.state.hands[0][-1]} == set(cards("5C1 6C1"))
        assert source.spent == {"deal:1:reshuffle:1"}
        assert [line.kind for line in after.lines] == ["reshuffle", "draw", "drew"]
        assert after.lines[0].data == {"count": 1, "cards": 2}

    def test_the_shuffle_is_of_the_pile_from_its_bottom(self) -> None:
        pile = "5C1 6C1 7C1 8C1 TC1 9D1"
        s = table("KS1", "2H1", stock="", pile=pile, phase="draw", deals=4, reshuffles=2)
        after = step(s, draw(), source=chance("order")).state
        whole = chance("order").stream("deal:4:reshuffle:3").shuffle(cards(pile)[:-1])
        assert (*after.stock, after.hands[0][-1]) == tuple(whole)


class TestTake:
    def test_the_top_is_free_and_may_go_back_at_once(self) -> None:
        s = play(table("KS1", "2H1", pile="6D1 JC1", phase="draw"), take(1))
        assert (s.must, s.hands[0], s.pile) == (None, cards("KS1 JC1"), cards("6D1"))
        assert play(s, discard("JC1")).pile == cards("6D1 JC1")

    @pytest.mark.parametrize("at", [None, True, False, "0", 1.0, -1, 2, 10**30, [0], {}])
    def test_an_index_of_the_pile(self, at: Any) -> None:
        assert refused(table("KS1", "2H1", pile="6D1 JC1", phase="draw"), take(at)) == "BAD_INDEX"

    def test_no_index(self) -> None:
        assert refused(table("KS1", "2H1", pile="6D1", phase="draw"), {"type": "take"}) == "BAD_INDEX"

    def test_all_cards_above_come_too_and_everyone_sees_them(self) -> None:
        s = step(table("6H1 6S1", "2H1", pile="6D1 JC1 9D1", phase="draw"), take(0))
        assert s.state.hands[0] == cards("6H1 6S1 6D1 JC1 9D1")
        assert (s.state.pile, s.state.must, s.state.took) == ((), "6D1", cards("6D1 JC1 9D1"))
        assert [(line.kind, line.data) for line in s.lines] == [("take", {"cards": ["6D1", "JC1", "9D1"]})]

    @pytest.mark.parametrize(
        ("hand", "pile", "melds"),
        [
            ("6H1 6S1", "6D1 JC1", []),  # with the hand
            ("6H1 *1", "6D1 JC1", []),  # with a joker
            ("KS1", "6D1 7D1 8D1", []),  # with the other cards taken
            ("6H1", "6D1 JC1 6C1", []),  # with both
            ("KS1", "6D1 JC1", [(1, "6H1 6S1 6C1")]),  # on a set
            ("KS1", "6D1 JC1", [(1, "3D1 4D1 5D1")]),  # on a run
            ("5D1", "6D1 JC1", [(1, "2D1 3D1 4D1")]),  # after a card of the hand
            ("KS1", "7D1 6D1 JC1", [(1, "3D1 4D1 5D1")]),  # after a card taken
            ("*1", "7D1 JC1", [(1, "3D1 4D1 5D1")]),  # after a joker
            ("KS1", "*1 JC1", [(1, "3D1 4D1 5D1")]),  # a joker
        ],
    )
    def test_a_deep_card_that_can_be_melded(self, hand: str, pile: str, melds: list[tuple[int, str]]) -> None:
        s = play(table(hand, "2H1", pile=pile, melds=melds, phase="draw"), take(0))
        assert s.must == pile.split()[0]
        s = play(s, fallback(s))
        assert s.must is None

    @pytest.mark.parametrize(
        ("hand", "pile", "melds"),
        [
            ("KS1", "6D1 JC1", []),
            ("6H1", "6D1 JC1", []),
            ("*1", "6D1 JC1", []),
            ("4D1", "6D1 JC1", []),
            ("KS1", "7D1 JC1", [(1, "3D1 4D1 5D1")]),
            ("KD1 2D1", "AD1 JC1", []),
            ("KS1", "*1 JC1", []),
        ],
    )
    def test_a_deep_card_that_cannot(self, hand: str, pile: str, melds: list[tuple[int, str]]) -> None:
        s = table(hand, "2H1", pile=pile, melds=melds, phase="draw")
        assert refused(s, take(0)) == "DEEP_UNMELDABLE"

    def test_going_out_with_a_discard_it_must_leave_a_card(self) -> None:
        hands = ("6H1 6S1", "2H1")
        assert play(table(*hands, pile="6D1 JC1", phase="draw", options=OUT), take(0)).must == "6D1"
        three = table("KS1", "2H1", pile="6D1 7D1 8D1", phase="draw", options=OUT)
        assert play(three, take(0)).must == "6D1"
        tight = table("6H1", "2H1", pile="6D1 6C1", phase="draw", options=OUT)
        assert refused(tight, take(0)) == "DEEP_UNMELDABLE"
        assert play(table("6H1", "2H1", pile="6D1 6C1", phase="draw"), take(0)).must == "6D1"

    def test_the_card_must_be_melded_before_the_discard(self) -> None:
        s = play(table("6H1 6S1 KS1", "2H1", pile="6D1 JC1", phase="draw"), take(0))
        assert refused(s, discard("KS1")) == "MUST_FIRST"
        assert refused(s, discard("6D1")) == "MUST_FIRST"
        s = play(s, meld("6H1 6S1 6D1"))
        assert play(s, discard("JC1")).pile == cards("JC1")  # one taken this turn may go

    def test_dig_with_several_plays(self) -> None:
        """Case M5."""
        s = table(
            "8H1 KD1 KC1 3D1", "2S1", pile="4S1 9H1 KS1 2C1", melds=[(1, "5H1 6H1 7H1")], phase="draw", melded=(0, 15)
        )
        assert refused(s, take(0)) == "DEEP_UNMELDABLE"
        s = play(s, take(1))
        assert s.must == "9H1"
        assert refused(s, meld("KS1 KD1 KC1")) == "MUST_FIRST"
        s = play(s, meld("KS1 KD1 KC1", plays=[("8H1", 0), ("9H1", 0)]))
        assert s.melded == (40, 15)
        assert s.melds[0].by == (1, 1, 1, 0, 0)
        assert play(s, discard("2C1")).pile == cards("4S1 2C1")


class TestDiscard:
    def test_not_yours(self) -> None:
        s = table("KS1", "2H1", stock="3C1", pile="9D1")
        codes = {refused(s, discard(card)) for card in ("2H1", "3C1", "9D1", "4C1", "KS2", "", "nonsense", "K♠1")}
        assert codes == {"NOT_YOURS"}

    def test_a_discard_ends_the_turn(self) -> None:
        s = table("KS1 2S1", "2H1", pile="9D1", took=cards("KS1"), moves=4)
        after = step(s, discard("KS1"))
        assert after.state.pile == cards("9D1 KS1")
        assert (after.state.phase, after.state.turn, after.state.took) == ("draw", 1, ())
        assert (after.state.turns, after.state.moves, after.state.stalled) == (1, 5, 1)
        assert [(line.kind, line.seat, line.data) for line in after.lines] == [("discard", 0, {"card": "KS1"})]
        assert not after.hand_ended


class TestFallback:
    def test_draw_else_take_the_top(self) -> None:
        assert fallback(table("KS1", "2H1", pile="9D1", phase="draw")) == draw()
        assert fallback(table("KS1", "2H1", stock="", pile="8D1 9D1", phase="draw")) == draw()
        assert fallback(table("KS1", "2H1", stock="", pile="9D1", phase="draw")) == take(0)

    def test_meld_what_must_be_with_the_fewest_cards(self) -> None:
        s = play(table("6H1 6S1", "2H1", pile="6D1 JC1", melds=[(1, "3D1 4D1 5D1")], phase="draw"), take(0))
        assert fallback(s) == {"type": "meld", "plays": [{"card": "6D1", "meld": 0, "end": "high"}]}

    def test_discard_the_first_card(self) -> None:
        assert fallback(table("KS1 2S1", "2H1")) == discard("KS1")

    def test_ready(self) -> None:
        s = play(table("KS1", "2H1"), discard("KS1"))
        assert GAME.deciding(s) == (Decision(Seat(0), "ready", "r1"), Decision(Seat(1), "ready", "r1"))
        assert all(GAME.fallback(s, d.seat) == GAME.parse(ready()) for d in GAME.deciding(s))


def test_no_clock_runs() -> None:
    s = table("KS1", "2H1")
    assert GAME.due(s) is None
    assert scored(s) == 0
