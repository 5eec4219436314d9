"""RULES.md, "What everyone sees": views, lines and what they say in words; positions and other worlds."""

import msgspec
import pytest

from domain import canon
from domain.cards import Seat
from domain.game import Line, reaches
from domain.michigan_rummy.state import Position, State
from tests.michigan_rummy.tables import (
    DEFAULTS,
    GAME,
    cards,
    chance,
    discard,
    draw,
    meld,
    play,
    ready,
    step,
    table,
    take,
    view,
)  # fmt: skip

TABLE = table(
    "KS1 2S1 9H1", "QS1 3S1", "JS1 4S1 5S1 6S1", stock="3C1 4C1 5C1", pile="6D1 JC1", melds=[(1, "5H1 6H1 7H1")],
    known=((), ("3S1",), ("4S1", "5S1")), melded=(0, 15, 0), stalled=4, turns=9, moves=21, reshuffles=1,
    scores=((5, 10, -5),), totals=(5, 10, -5), deals=2, dealer=Seat(0), first_dealer=Seat(2),
)  # fmt: skip


class TestViews:
    def test_what_a_seat_sees(self) -> None:
        seen = view(TABLE, 0)
        assert seen.hand == cards("KS1 2S1 9H1")
        assert (seen.counts, seen.stock, seen.pile) == ((3, 2, 4), 3, cards("6D1 JC1"))
        assert seen.melds == TABLE.melds
        assert seen.melds[0].by == (1, 1, 1)
        assert (seen.seat, seen.seats, seen.turn, seen.phase) == (0, 3, 0, "play")
        assert (seen.melded, seen.totals, seen.scores) == ((0, 15, 0), (5, 10, -5), ((5, 10, -5),))
        assert seen.known == ((), ("3S1",), ("4S1", "5S1"))
        assert (seen.dealer, seen.deals, seen.stalled, seen.stall_at) == (0, 2, 4, 60)
        assert (seen.turns, seen.moves, seen.reshuffles) == (9, 21, 1)
        assert (seen.revealed, seen.held, seen.out, seen.outcome, seen.winners) == (None, None, None, None, ())
        assert seen.options == DEFAULTS

    def test_a_watcher_sees_no_hand(self) -> None:
        seen = view(TABLE, None)
        assert (seen.seat, seen.hand) == (None, None)
        assert msgspec.structs.replace(seen, seat=Seat(0), hand=TABLE.hands[0]) == view(TABLE, 0)

    def test_the_card_that_must_be_melded_and_those_taken_are_seen(self) -> None:
        s = play(table("6H1 6S1", "2H1", pile="6D1 JC1", phase="draw"), take(0))
        assert (view(s, 1).must, view(s, 1).took, view(s, 1).known[0]) == ("6D1", cards("6D1 JC1"), cards("6D1 JC1"))

    @pytest.mark.parametrize("viewer", [0, 1, None])
    def test_hidden_cards_are_nowhere_in_it(self, viewer: int | None) -> None:
        s = table("KS1 2S1", "QS1 3S1", stock="3C1 4C1", pile="6D1", melds=[(1, "5H1 6H1 7H1")])
        hidden = {*s.stock, *(c for i, hand in enumerate(s.hands) if i != viewer for c in hand)}
        raw = msgspec.json.encode(view(s, viewer)).decode()
        assert not [card for card in hidden if card in raw]

    def test_hands_are_shown_once_scored_the_stock_never(self) -> None:
        s = play(table("KS1", "QS1 *1 3H1 2S1", stock="3C1 4C1"), discard("KS1"))
        for viewer in (0, 1, None):
            seen = view(s, viewer)
            assert seen.revealed == ((), cards("3H1 2S1 QS1 *1"))
            assert (seen.held, seen.melded, seen.scores[-1]) == ((0, 35), (0, 0), (0, -35))
            raw = msgspec.json.encode(seen).decode()
            assert "3C1" not in raw

    def test_reprs_tell_nothing(self) -> None:
        for value in (TABLE, view(TABLE, 0), GAME.position(TABLE), GAME.helps(TABLE, Seat(0))):
            assert not [c for hand in (*TABLE.hands, TABLE.stock) for c in hand if c in repr(value)]


class TestKnownCards:
    def test_taken_cards_are_known_until_they_leave_the_hand(self) -> None:
        s = play(table("6H1 6S1 KS1", "2H1 3H1", pile="9D1 6D1 JC1 TC1", phase="draw"), take(1))
        assert s.known[0] == cards("6D1 JC1 TC1")
        s = play(s, meld("6H1 6S1 6D1"))
        assert s.known[0] == cards("JC1 TC1")
        s = play(s, discard("TC1"))
        assert s.known == (cards("JC1"), ())

    def test_drawn_cards_are_not(self) -> None:
        assert play(table("KS1", "2H1", phase="draw", pile="9D1"), draw()).known == ((), ())

    def test_remade_stocks(self) -> None:
        s = table("KS1 QS1", "2H1 3H1", stock="", pile="6C1 5C1 9D1", phase="draw")
        s = play(s, draw())
        assert s.remade == (cards("5C1 6C1"),)
        assert view(s, 1).remade == s.remade
        again = table("KS1 QS1", "2H1 3H1", stock="", pile="6C1 9D1", phase="draw", remade=s.remade, reshuffles=1)
        assert play(again, draw()).remade == (cards("5C1"), cards("6C1"))


class TestLines:
    def test_only_the_card_drawn_is_private(self) -> None:
        lines = step(table("KS1", "2H1", pile="9D1", phase="draw"), draw()).lines
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
            (Line("drew", Seat(0), {"card": "*1"}), "Al drew joker."),
            (Line("take", Seat(0), {"cards": ["6D1"]}), "Al took 6♦ from the pile."),
            (Line("take", Seat(0), {"cards": ["6D1", "JC1"]}), "Al took 6♦ J♣ from the pile, and must meld 6♦."),
            (
                Line(
                    "meld",
                    Seat(1),
                    {
                        "melds": [{"id": 1, "kind": "run", "cards": ["5H1", "6H1", "7H1"]}],
                        "plays": [{"card": "8H1", "meld": 1, "owner": 1}],
                        "points": 20,
                    },
                ),
                "Bo melded 5♥ 6♥ 7♥ and played 8♥ on an own meld for 20 points.",
            ),
            (
                Line("meld", Seat(0), {"melds": [], "plays": [{"card": "AH1", "meld": 1, "owner": 1}], "points": 1}),
                "Al played A♥ on a meld of Bo for 1 point.",
            ),
            (Line("discard", Seat(1), {"card": "AS2"}), "Bo discarded A♠."),
            (Line("reshuffle", None, {"count": 1, "cards": 9}), "9 cards of the pile were shuffled into a new stock."),
            (Line("stalled", None, {"turns": 40, "reshuffles": 0}), "The hand has stalled and ends here."),
            (
                Line("hand", None, {"out": 1, "melded": [5, 40], "score": [-25, 40], "totals": [0, 9]}),
                "Bo went out. Scores: Al −25, Bo +40.",
            ),
            (
                Line("hand", None, {"out": None, "melded": [0, 0], "held": [0, 0], "score": [0, 0], "totals": [0, 0]}),
                "Nobody went out. Scores: Al +0, Bo +0.",
            ),
            (Line("ready", Seat(0)), "Al asked for the next hand."),
            (
                Line("over", None, {"winners": [0, 1], "totals": [505, 505]}),
                "The game is over. Al and Bo won with 505 points.",
            ),
        ],
    )
    def test_in_words(self, line: Line, words: str) -> None:
        assert GAME.words(line, lambda seat: ("Al", "Bo")[seat]) == words

    def test_a_kind_is_public_or_not_on_purpose(self) -> None:
        kinds = {"dealt", "draw", "take", "meld", "discard", "reshuffle", "stalled", "hand", "ready", "over"}
        assert GAME.public == kinds


class TestPositions:
    @pytest.mark.parametrize(
        "s",
        [
            TABLE,
            play(TABLE, discard("KS1")),
            play(table("KS1", "QS1 3H1"), discard("KS1")),
            play(table("KS1", "QS1 3H1", totals=(600, 0)), discard("KS1")),
            play(table("6H1 6S1", "2H1", pile="6D1 JC1", phase="draw"), take(0)),
        ],
    )
    def test_place_is_the_inverse(self, s: State) -> None:
        assert GAME.place(s.options, GAME.position(s)) == s

    def test_it_has_a_canonical_form(self) -> None:
        position = GAME.position(TABLE)
        raw = canon.encode(position)
        assert msgspec.convert(canon.decode(raw), Position) == position
        assert canon.decode(raw)["melds"] == [
            {"by": [1, 1, 1], "cards": ["5H1", "6H1", "7H1"], "id": 0, "kind": "run", "lo": 5, "owner": 1, "suit": "H"}
        ]

    def test_places_once_the_game_is_over(self) -> None:
        assert GAME.position(TABLE).outcome is None
        assert GAME.position(play(table("KS1", "QS1", totals=(500, 0)), discard("KS1"))).outcome == (1, 2)

    @pytest.mark.parametrize(
        "fields",
        [
            {"stock": cards("KS1")},
            {"stock": cards("3C3")},
            {"stock": ("nonsense",)},
            {"totals": (0,)},
            {"scores": ((1, 2),)},
            {"turn": 3},
            {"must": "9H2"},
        ],
    )
    def test_what_cannot_be(self, fields: dict[str, object]) -> None:
        position = msgspec.structs.replace(GAME.position(TABLE), **fields)
        with pytest.raises(ValueError, match=r".+"):
            GAME.place(DEFAULTS, position)

    def test_zones_are_the_whole_pack(self) -> None:
        zones = GAME.zones(TABLE)
        assert zones["pile"] == TABLE.pile
        assert zones["hand:1"] == TABLE.hands[1]
        assert zones["meld:0"] == TABLE.melds[0].cards
        assert sum(map(len, zones.values())) == 3 + 2 + 4 + 3 + 2 + 3


class TestOtherWorlds:
    def worlds(self, s: State, viewer: int | None, count: int = 30) -> list[State]:
        seat = None if viewer is None else Seat(viewer)
        return [GAME.redeal(s, seat, chance(str(i))) for i in range(count)]

    @pytest.mark.parametrize("viewer", [0, 1, 2, None])
    def test_open_cards_stay_and_hidden_ones_move(self, viewer: int | None) -> None:
        worlds = self.worlds(TABLE, viewer)
        for world in worlds:
            assert view(world, viewer) == view(TABLE, viewer)
            every = [c for zone in GAME.zones(world).values() for c in zone]
            assert sorted(every) == sorted(c for zone in GAME.zones(TABLE).values() for c in zone)
            for seat, known in enumerate(TABLE.known):
                assert set(known) <= set(world.hands[seat])
        others = [i for i in range(3) if i != viewer]
        for seat in others:
            free = {c for world in worlds for c in world.hands[seat]} - set(TABLE.known[seat])
            assert len(free) > len(TABLE.hands[seat]) - len(TABLE.known[seat])

    def test_after_a_hand_only_the_stock_is_hidden(self) -> None:
        s = play(table("KS1", "QS1 3H1", stock="3C1 4C1 5C1 6C1"), discard("KS1"))
        worlds = self.worlds(s, 0)
        assert {world.hands for world in worlds} == {s.hands}
        assert len({world.stock for world in worlds}) > 5

    def test_a_card_moves_only_among_those_hidden_since_the_same_time(self) -> None:
        again = cards("3C1 4C1 5C1")
        s = table("KS1", "QS1 3C1", "JS1 9S1", stock="4C1 5C1", pile="6D1", remade=(again,), reshuffles=1)
        for world in self.worlds(s, 0):
            assert world.hands[1][0] in ("QS1", "JS1", "9S1")
            assert world.hands[1][1] in s.remade[0]
            assert set(world.stock) < set(s.remade[0])
        assert len({world.hands for world in self.worlds(s, 0)}) > 5

    def test_what_was_taken_deep_can_still_be_melded(self) -> None:
        s = play(table("6H1 6S1 2D1 2C1", "KS1 QD1 JC1 9H1", pile="6D1 JC2", phase="draw"), take(0))
        for world in self.worlds(s, 1):
            assert GAME.parse(msgspec.to_builtins(GAME.fallback(world, world.turn)))
            GAME.play(world, world.turn, GAME.fallback(world, world.turn), 0, chance())  # type: ignore[arg-type]

    def test_a_hand_that_is_the_only_one_possible_stays(self) -> None:
        """So many other cards that a chance deal would hardly ever find the two sixes."""
        stock = " ".join(f"{rank}{suit}1" for rank in "AKQJT98" for suit in "SHDC")
        s = play(table("6H1 6S1", "2H1", stock=stock, pile="6D1 5C2", phase="draw"), take(0))
        for world in self.worlds(s, 1, 10):
            GAME.play(world, world.turn, GAME.fallback(world, world.turn), 0, chance())  # type: ignore[arg-type]


def test_ready_shows_who_is() -> None:
    s = play(table("KS1", "QS1"), discard("KS1"))
    assert view(step(s, ready(), 1).state, None).ready == (False, True)
