"""RULES.md, "What everyone sees": views, lines, positions and the worlds that a viewer cannot tell apart."""

import re

import msgspec
import pytest

from domain import canon
from domain.cards import Card, Seat
from domain.game import Line, reaches
from domain.rummy.state import Position, State
from tests.rummy.tables import (
    DEFAULTS,
    GAME,
    cards,
    chance,
    discard,
    draw,
    end_hand,
    lay_off,
    meld,
    play,
    resign,
    step,
    table,
    take,
    view,
)  # fmt: skip

TABLE = table("KS 2S 9D", "QS 3S 8D", "5H 6C 7C", stock="3C 4C 5C", pile="6D JC", melds=[(1, "5S 6S 7S")],
              known=(cards("9D"), cards("8D"), ()), totals=(3, 4, 5), phase="draw")  # fmt: skip


class TestViews:
    def test_what_is_public(self) -> None:
        for viewer in (0, 1, 2, None):
            seen = view(TABLE, viewer)
            assert (seen.counts, seen.stock, seen.pile) == ((3, 3, 3), 3, cards("6D JC"))
            assert (seen.melds, seen.known, seen.totals, seen.due) == (
                TABLE.melds, TABLE.known, TABLE.totals, TABLE.due,
            )  # fmt: skip
            assert (seen.reuses, seen.reuse_at, seen.circling, seen.circle_at) == (0, 2, 0, 6)
            assert seen.hand == (None if viewer is None else TABLE.hands[viewer])

    @pytest.mark.parametrize("viewer", [0, 1, 2, None])
    def test_hidden_cards_are_nowhere_in_it(self, viewer: int | None) -> None:
        hidden = {c for i, hand in enumerate(TABLE.hands) if i != viewer for c in hand if c not in TABLE.known[i]}
        raw = msgspec.json.encode(view(TABLE, viewer)).decode()
        assert not [card for card in {*hidden, *TABLE.stock} if card in raw]

    @pytest.mark.parametrize(
        ("s", "move", "seat"),
        [
            (table("KS", "QS 3H 2S 9D", "8D TC", stock="3C 4C"), discard("KS"), 0),
            (table("KS", "QS 3H 2S 9D", "8D TC", stock="3C 4C", totals=(99, 0, 0)), discard("KS"), 0),
            (table("KS", "QS 3H 2S 9D", "8D TC", stock="", pile="JC", phase="draw"), end_hand(), 0),
            (table("KS", "QS 3H 2S 9D", "8D TC", stock="3C 4C"), resign(), 2),
        ],
    )
    def test_no_hand_is_shown_when_it_has_ended(self, s: State, move: dict[str, object], seat: int) -> None:
        """Of what the others held no frame names a card: only points are told."""
        after = step(s, move, seat)
        for viewer in (0, 1, 2, None):
            name = None if viewer is None else Seat(viewer)
            old = {c for i, hand in enumerate(s.hands) if i not in (viewer, 0) for c in hand} | set(s.stock)
            lines = [line for line in after.lines if reaches(line, GAME, name) and line.kind != "dealt"]
            assert not old & set(re.findall(r"[A2-9TJQK][SHDC]1", msgspec.json.encode(lines).decode()))
            seen = view(after.state, viewer)
            assert seen.hand == (None if viewer is None else after.state.hands[viewer])
            rest = msgspec.structs.replace(seen, hand=None, pile=seen.pile if seen.deals == s.deals else ())
            assert not old & set(re.findall(r"[A2-9TJQK][SHDC]1", msgspec.json.encode(rest).decode()))
        if after.hand_ended:
            assert view(after.state, None).held[-1] == after.state.held[-1]

    def test_dry_says_that_nothing_can_be_drawn(self) -> None:
        assert not view(TABLE, 0).dry
        assert view(table("KS", "QS", stock="", pile="JC 9D", phase="draw", reuses=2), 1).dry

    def test_the_table_that_the_last_hand_left(self) -> None:
        s = play(table("5H 6H 7H", "QS"), meld("5H 6H 7H"))
        before = view(s, 1).before
        assert before is not None
        assert (before.pile, [m.cards for m in before.melds]) == (cards("JC"), [cards("5H 6H 7H")])

    def test_reprs_tell_nothing(self) -> None:
        for value in (TABLE, view(TABLE, 0), GAME.position(TABLE), GAME.helps(TABLE, Seat(0))):
            assert not re.search(r"[A2-9TJQK][SHDC]1", repr(value))


class TestKnownCards:
    def test_taken_cards_are_known_until_they_leave_the_hand(self) -> None:
        s = play(table("6H 6S KS QS", "2H 3H", pile="6D", phase="draw"), take())
        assert s.known == (cards("6D"), ())
        assert play(s, meld("6H 6S 6D")).known == ((), ())
        s = play(s, discard("KS"), draw(), discard("2H"), draw(), discard("6D"))
        assert s.known == ((), ())

    def test_drawn_cards_are_not(self) -> None:
        assert play(table("KS", "2H 3H", phase="draw"), draw()).known == ((), ())

    def test_remade_stocks(self) -> None:
        s = table("KS QS", "2H 3H", stock="", pile="6C 5C 9D", phase="draw")
        s = play(s, draw())
        assert view(s, 1).remade == (cards("5C 6C"),)
        again = table("KS QS", "2H 3H", stock="", pile="6C 9D", phase="draw", remade=s.remade, reuses=1)
        assert play(again, draw()).remade == (cards("5C"), cards("6C"))


class TestLines:
    @pytest.mark.parametrize(
        ("line", "words"),
        [
            (
                Line("dealt", None, {"deal": 2, "dealer": 1, "cards": 10, "upcard": "TH1"}),
                "Hand 2: Bo dealt 10 cards each and turned up 10♥.",
            ),
            (Line("draw", Seat(0)), "Al drew a card."),
            (Line("drew", Seat(0), {"card": "AS1"}), "Al drew A♠."),
            (Line("take", Seat(0), {"card": "6D1"}), "Al took 6♦ from the pile."),
            (Line("meld", Seat(1), {"meld": 0, "kind": "run", "cards": ["5H1", "6H1", "7H1"]}), "Bo melded 5♥ 6♥ 7♥."),
            (
                Line("lay_off", Seat(1), {"plays": [{"card": "8H1", "meld": 0, "owner": 0}]}),
                "Bo laid off 8♥ on a meld of Al.",
            ),
            (Line("discard", Seat(1), {"card": "AS1"}), "Bo discarded A♠."),
            (Line("reshuffle", None, {"count": 1, "cards": 9}), "9 cards of the pile were shuffled into a new stock."),
            (Line("stalled", None, {"turns": 4}), "4 turns in a row passed without a draw: the hand ends here."),
            (Line("end_hand", Seat(0)), "Al ended the hand: there was nothing left to draw."),
            (
                Line("hand", None, {"out": 1, "held": [25, 0], "score": [0, 25], "totals": [0, 25]}),
                "Bo went out. Points left in hand: Al 25, Bo 0. Scores: Bo +25.",
            ),
            (
                Line("hand", None, {"out": None, "held": [7, 7], "score": [0, 0], "totals": [0, 0]}),
                "The hand was blocked. Points left in hand: Al 7, Bo 7. Scores: none.",
            ),
            (Line("resigned", Seat(0)), "Al resigned."),
            (Line("deadline", Seat(0)), "Al let the deadline pass and loses the game."),
            (
                Line("over", None, {"winners": [1], "totals": [120, 50]}),
                "The game is over. Bo won with 50 points.",
            ),
        ],
    )
    def test_in_words(self, line: Line, words: str) -> None:
        assert GAME.words(line, lambda seat: ("Al", "Bo")[seat]) == words

    def test_only_the_card_drawn_is_private(self) -> None:
        kinds = {"dealt", "draw", "take", "meld", "lay_off", "discard", "reshuffle", "stalled", "end_hand", "hand",
                 "resigned", "deadline", "over"}  # fmt: skip
        assert GAME.public == kinds


class TestPositions:
    @pytest.mark.parametrize(
        "s",
        [
            TABLE,
            play(TABLE, take()),
            play(table("8S KS 2S", "QS", melds=[(1, "5S 6S 7S")]), lay_off(("8S", 0))),
            play(table("KS", "QS 3H"), discard("KS")),
            play(table("KS", "QS 3H", totals=(90, 0)), discard("KS")),
            step(TABLE, resign(), 2).state,
        ],
    )
    def test_place_is_the_inverse(self, s: State) -> None:
        position = GAME.position(s)
        assert GAME.place(s.options, position) == s
        assert msgspec.convert(canon.decode(canon.encode(position)), Position) == position

    @pytest.mark.parametrize(
        "fields",
        [
            {"stock": cards("KS")},
            {"stock": ("3C2",)},
            {"stock": ("*1",)},
            {"totals": (0,)},
            {"held": ((1, 2),)},
            {"turn": 3},
            {"pile": ()},
            {"taken": "KS1"},
            {"due": None},
            {"how": "resigned"},
            {"phase": "over"},
            {"phase": "play", "hands": ((), cards("QS"), cards("5H"))},
        ],
    )
    def test_what_cannot_be(self, fields: dict[str, object]) -> None:
        with pytest.raises(ValueError, match=r".+"):
            GAME.place(DEFAULTS, msgspec.structs.replace(GAME.position(TABLE), **fields))

    def test_zones_are_the_whole_pack(self) -> None:
        zones = GAME.zones(TABLE)
        assert (zones["pile"], zones["hand:1"], zones["meld:0"]) == (TABLE.pile, TABLE.hands[1], TABLE.melds[0].cards)
        assert sum(map(len, zones.values())) == 3 * 3 + 3 + 2 + 3


class TestOtherWorlds:
    @pytest.mark.parametrize("viewer", [0, 1, 2, None])
    def test_open_cards_stay_and_hidden_ones_move(self, viewer: int | None) -> None:
        seat = None if viewer is None else Seat(viewer)
        worlds = [GAME.redeal(TABLE, seat, chance(str(i))) for i in range(30)]
        for world in worlds:
            assert view(world, viewer) == view(TABLE, viewer)
            assert sorted(c for zone in GAME.zones(world).values() for c in zone) == sorted(
                c for zone in GAME.zones(TABLE).values() for c in zone
            )
        for other in (i for i in range(3) if i != viewer):
            met: set[Card] = {c for world in worlds for c in world.hands[other]}
            assert len(met) > 3
            assert all(set(TABLE.known[other]) <= set(world.hands[other]) for world in worlds)

    def test_hands_stay_hidden_when_the_game_is_over(self) -> None:
        s = step(TABLE, resign(), 2).state
        assert len({GAME.redeal(s, Seat(0), chance(str(i))).hands for i in range(10)}) > 5
        for i in range(10):
            assert view(GAME.redeal(s, Seat(0), chance(str(i))), 0) == view(s, 0)

    def test_a_card_moves_only_among_those_hidden_since_the_same_time(self) -> None:
        s = table("KS 2S", "QS 3C", "JS 9S", stock="4C", pile="6D", remade=(cards("3C 4C 5C"),), reuses=1)
        worlds = [GAME.redeal(s, Seat(0), chance(str(i))) for i in range(20)]
        assert {world.hands[1][1] for world in worlds} == set(cards("3C 4C"))
        assert {world.hands[1][0] for world in worlds} <= set(cards("QS JS 9S"))
