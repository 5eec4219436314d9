"""RULES.md, "What everyone sees": views, lines and what they say in words; the card laid face down; other worlds."""

import msgspec
import pytest

from domain import canon
from domain.cards import Seat
from domain.game import Line, reaches
from domain.thai_rummy.state import Position, State
from tests.thai_rummy.tables import DRAW, GAME, READY, cards, chance, discard, play, step, table, view

TABLE = table(
    "KS1 2S1 9H1", "QD1 3S1", "JS1 4S1 5S1 6S1", stock="3C1 4C1 5C1", pile="6D1 JC1", melds=[(1, "5H1 6H1 7H1")],
    known=((), cards("3S1"), cards("4S1 5S1")), gifts=(1, 0, 2), moves=21, dark=(True, False, True),
    thrower=Seat(2), scores=((5, 10, -5),), totals=(5, 10, -5), deals=2, dealer=Seat(0), first_dealer=Seat(2),
)  # fmt: skip
OUT = play(table("KS1", "QD1 3H1 2S1", stock="3C1 4C1 8S1", pile="6D1 JC1"), discard("KS1"))


class TestViews:
    def test_what_a_seat_sees(self) -> None:
        seen = view(TABLE, 0)
        assert seen.hand == cards("KS1 2S1 9H1")
        assert (seen.counts, seen.stock, seen.pile, seen.thrower) == ((3, 2, 4), 3, cards("6D1 JC1"), 2)
        assert (seen.melds, seen.melded, seen.dark) == (TABLE.melds, (0, 15, 0), (True, False, True))
        assert (seen.seat, seen.seats, seen.turn, seen.phase) == (0, 3, 0, "play")
        assert (seen.gifts, seen.passes, seen.fed, seen.took) == ((1, 0, 2), 0, None, ())
        assert (seen.totals, seen.scores, seen.deals, seen.dealer) == ((5, 10, -5), ((5, 10, -5),), 2, 0)
        assert seen.known == ((), cards("3S1"), cards("4S1 5S1"))
        assert (seen.revealed, seen.tallies, seen.face_down, seen.hand_winners) == (None, None, None, ())
        assert (seen.out, seen.outcome, seen.winners) == (None, None, ())

    def test_a_watcher_sees_no_hand(self) -> None:
        seen = view(TABLE, None)
        assert (seen.seat, seen.hand, seen.held) == (None, None, None)
        assert msgspec.structs.replace(seen, seat=Seat(0), hand=TABLE.hands[0], held=20) == view(TABLE, 0)

    @pytest.mark.parametrize("viewer", [0, 1, None])
    def test_hidden_cards_are_nowhere_in_it(self, viewer: int | None) -> None:
        s = table("KS1 2S1", "QS1 3S1", stock="3C1 4C1", pile="6D1", melds=[(1, "5H1 6H1 7H1")])
        hidden = {*s.stock, *(c for i, hand in enumerate(s.hands) if i != viewer for c in hand)}
        raw = msgspec.json.encode(view(s, viewer)).decode()
        assert not [card for card in hidden if card in raw]

    def test_hands_are_shown_once_scored_the_stock_never(self) -> None:
        for viewer in (0, 1, None):
            seen = view(OUT, viewer)
            assert seen.revealed == ((), cards("QD1 3H1 2S1"))
            raw = msgspec.json.encode(seen).decode()
            assert not [card for card in OUT.stock if card in raw]

    def test_reprs_tell_nothing(self) -> None:
        for value in (TABLE, OUT, view(TABLE, 0), view(OUT, 0), GAME.position(OUT), GAME.helps(TABLE, Seat(0))):
            assert not [c for hand in (*TABLE.hands, TABLE.stock, ("KS1",)) for c in hand if c in repr(value)]


class TestFaceDown:
    """The last card is told to nobody but the seat that laid it, whatever they receive."""

    def test_only_who_laid_it_sees_it(self) -> None:
        assert OUT.down == "KS1"
        assert view(OUT, 0).face_down == "KS1"
        for viewer in (1, None):
            assert "KS1" not in msgspec.json.encode(view(OUT, viewer)).decode()

    @pytest.mark.parametrize("final", [False, True], ids=["scored", "over"])
    def test_no_line_names_it(self, final: bool) -> None:
        before = table("KS1", "QD1 3H1 2S1", totals=(480, 0) if final else (0, 0))
        last = step(before, discard("KS1"))
        assert last.state.phase == ("over" if final else "scored")
        said = [(line, GAME.words(line, lambda i: f"seat {i}")) for line in last.lines]
        for line, words in said:
            assert "KS1" not in canon.encode(msgspec.to_builtins(line)).decode()
            assert "K♠" not in words
        for viewer in (1, None):
            assert "KS1" not in msgspec.json.encode(view(last.state, viewer)).decode()
        assert said[0][1] == "seat 0 laid the last card face down."

    def test_it_goes_back_into_the_pack_with_the_next_deal(self) -> None:
        source = chance("next")
        s = step(step(OUT, READY, 0, source).state, READY, 1, source).state
        assert (s.down, view(s, 0).face_down) == (None, None)
        assert sum(map(len, GAME.zones(s).values())) == 52

    def test_for_the_others_it_might_be_any_card_of_the_stock(self) -> None:
        worlds = {GAME.redeal(OUT, Seat(1), chance(str(i))).down for i in range(60)}
        assert worlds == {"KS1", *OUT.stock}
        assert {GAME.redeal(OUT, Seat(0), chance(str(i))).down for i in range(10)} == {"KS1"}
        for i in range(20):
            other = GAME.redeal(OUT, Seat(1), chance(str(i)))
            assert view(other, 1) == view(OUT, 1)
            assert GAME.helps(other, Seat(1)) == GAME.helps(OUT, Seat(1))


class TestLines:
    def test_only_the_card_drawn_is_private(self) -> None:
        lines = step(table("KS1", "2H1", pile="9D1", phase="draw"), DRAW).lines
        assert [reaches(line, GAME, Seat(1)) for line in lines] == [True, False]
        assert [reaches(line, GAME, None) for line in lines] == [True, False]
        assert [reaches(line, GAME, Seat(0)) for line in lines] == [True, True]

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            (
                Line("dealt", None, {"deal": 2, "dealer": 1, "cards": 13, "upcard": "TH1"}),
                "Hand 2: Bo dealt 13 cards each and turned up 10♥.",
            ),
            (Line("draw", Seat(0)), "Al drew a card."),
            (Line("drew", Seat(0), {"card": "2C1"}), "Al drew 2♣."),
            (
                Line("take", Seat(0), {"cards": ["6D1", "JC1"], "meld": {"cards": ["6D1", "6H1", "6S1"]}, "points": 9}),
                "Al took 6♦ J♣ from the pile and laid 6♦ 6♥ 6♠ for 9 points.",
            ),
            (Line("pass", Seat(1)), "Bo passed."),
            (Line("meld", Seat(1), {"meld": {"cards": ["5H1", "6H1", "7H1"]}, "points": 15}),
             "Bo laid 5♥ 6♥ 7♥ for 15 points."),
            (Line("extend", Seat(1), {"card": "QS1", "meld": 0, "owner": 0, "points": 50}),
             "Bo laid Q♠ on a meld of Al for 50 points."),
            (Line("extend", Seat(1), {"card": "KS1", "meld": 0, "owner": 1, "points": 10}),
             "Bo laid K♠ on an own meld for 10 points."),
            (Line("discard", Seat(1), {"card": "AS1", "gift": False}), "Bo discarded A♠."),
            (Line("discard", Seat(1), {"card": "AS1", "gift": True}),
             "Bo discarded A♠, which fits a meld on the table: a gift."),
            (Line("passed_out"), "Everyone has passed: the hand ends here."),
            (Line("hand", None, {"out": 1, "score": [-10, 65]}), "Bo went out. Scores: Al −10, Bo +65."),
            (Line("hand", None, {"out": None, "score": [-10, 0]}), "Nobody went out. Scores: Al −10, Bo +0."),
            (Line("ready", Seat(0)), "Al asked for the next hand."),
            (Line("over", None, {"winners": [0], "totals": [510, 600]}), "The game is over. Al won with 510 points."),
        ],
    )  # fmt: skip
    def test_words(self, line: Line, words: str) -> None:
        assert GAME.words(line, lambda seat: ("Al", "Bo")[seat]) == words


class TestPositions:
    @pytest.mark.parametrize("s", [TABLE, OUT], ids=["playing", "out"])
    def test_they_come_back(self, s: State) -> None:
        raw = canon.encode(GAME.position(s))
        assert GAME.place(s.options, msgspec.convert(canon.decode(raw), Position)) == s

    @pytest.mark.parametrize(
        "fields",
        [
            {"stock": cards("KS1")}, {"pile": cards("AH2")}, {"pile": cards("*1")}, {"down": "KS1"}, {"gifts": (0,)},
            {"dark": ()}, {"turn": Seat(3)}, {"thrower": Seat(-1)}, {"hands": ((), (), ())},
        ],
    )  # fmt: skip
    def test_those_that_cannot_be_are_refused(self, fields: dict[str, object]) -> None:
        with pytest.raises(ValueError, match=r"\w"):
            GAME.place(TABLE.options, msgspec.structs.replace(GAME.position(TABLE), **fields))

    def test_known_cards_stay_where_they_are_in_other_worlds(self) -> None:
        for i in range(20):
            other = GAME.redeal(TABLE, Seat(0), chance(str(i)))
            assert other.hands[0] == TABLE.hands[0]
            assert set(TABLE.known[2]) <= set(other.hands[2])
            assert view(other, 0) == view(TABLE, 0)
