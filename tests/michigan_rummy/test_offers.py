"""RULES.md read the other way round: for picked cards, everything they can do, and why the rest cannot be done."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from domain.cards import Card, Seat
from domain.game import Illegal, Offer
from domain.michigan_rummy.legal import legal
from domain.michigan_rummy.options import Options
from domain.michigan_rummy.state import Discard, Draw, Lay, Ready, State, Take
from domain.offers import named
from tests.michigan_rummy.tables import GAME, NOW, OUT, cards, chance, discard, play, table, take
from tests.walk import parts, walk

RUN = [(1, "5H1 6H1 7H1")]
NINES = [(1, "9S1 9D1 9C1")]
LONG = [(1, "2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1")]


def offered(s: State, picked: str = "", seat: int | None = None) -> tuple[Offer, ...]:
    return GAME.offers(s, s.turn if seat is None else Seat(seat), cards(picked))


def one(s: State, picked: str, kind: str, words: str) -> Offer:
    """The one offer of a kind with these words."""
    found = [o for o in offered(s, picked) if (o.kind, o.words) == (kind, words)]
    assert len(found) == 1, [(o.kind, o.words) for o in offered(s, picked)]
    return found[0]


def can(s: State, picked: str, kind: str = "meld") -> dict[str, int | None]:
    """Words and points of what can be done with the cards, but for "Meld all I can"."""
    found = offered(s, picked)
    return {o.words: o.points for o in found if o.kind == kind and o.move and o.words != "Meld all I can"}


def why(s: State, picked: str, kind: str = "meld", meld: int | None = None) -> str | None:
    """Why nothing of a kind can be done there; the first such offer."""
    found = [o for o in offered(s, picked) if o.kind == kind and o.meld == meld and o.words != "Meld all I can"]
    assert not any(o.move for o in found)
    return found[0].why


def lies(s: State, offer: Offer, meld: int = -1) -> tuple[str, ...]:
    """The cards of a meld after an offer was taken."""
    after = GAME.play(s, s.turn, offer.move, NOW, chance()).state
    return tuple(after.melds[meld].cards)


class TestDrawing:
    PILE = "4S1 9H1 KS1 2C1"
    HAND = "8H1 KD1 KC1 3D1"

    def drawing(self, **fields: Any) -> State:
        return table(self.HAND, "2S1", **{"pile": self.PILE, "melds": RUN, "phase": "draw"} | fields)

    def test_draw_and_every_card_of_the_pile(self) -> None:
        found = [o for o in offered(self.drawing()) if o.kind in ("draw", "take")]
        assert [(o.at, o.words, o.move) for o in found] == [
            (None, "Draw", Draw()),
            (0, "Take 4 cards", None),
            (1, "Take 3 cards", Take(1)),
            (2, "Take 2 cards", Take(2)),
            (3, "Take 2♣", Take(3)),
        ]
        assert found[1].why == "The lowest card you take must be melded this turn, and it cannot be."

    def test_picked_cards_change_nothing_before_the_draw(self) -> None:
        s = self.drawing()
        first = [o for o in offered(s) if o.kind in ("draw", "take")]
        assert [o for o in offered(s, "KD1 KC1") if o.kind in ("draw", "take")] == first
        assert why(s, "KD1 KC1") == why(s, "KD1 KC1", "discard") == "Draw or take first."

    def test_an_empty_stock(self) -> None:
        assert one(self.drawing(stock=""), "", "draw", "Reshuffle and draw").move == Draw()
        dry = self.drawing(stock="", pile="2C1")
        assert one(dry, "", "draw", "Stock's out").why == "The stock is out: take the top card of the pile."
        assert one(dry, "", "take", "Take 2♣").move == Take(0)

    def test_going_out_with_a_discard_a_dig_must_leave_a_card(self) -> None:
        s = table("8H1 8S1", "2S1", pile="8D1 9C1", phase="draw", options=OUT)
        assert one(s, "", "take", "Take 2 cards").move == Take(0)
        s = table("8H1", "2S1", pile="8D1 8S1", phase="draw", options=OUT)
        assert one(s, "", "take", "Take 2 cards").why is not None


class TestNewMelds:
    def test_nothing_picked(self) -> None:
        s = table("5H1 6H1 7H1 2C1 9D1", "2D1")
        assert why(s, "") == "Pick the cards that you want to meld."
        assert one(s, "", "meld", "Meld all I can").points == 15
        assert why(s, "", "discard") == "Pick the card that you want to discard."
        assert why(s, "", "draw") == "You have drawn already: meld or discard."
        assert why(s, "", "take") == "You have your card already: meld or discard."

    def test_nothing_to_meld(self) -> None:
        s = table("5H1 2C1 9D1", "2D1")
        assert one(s, "", "meld", "Meld all I can").why == "No card in your hand can be melded now."

    @pytest.mark.parametrize(
        ("picked", "expected"),
        [
            ("7H1 5H1 6H1", {"Meld the run 5♥–7♥": 15}),
            ("KH1 AH1 QH1", {"Meld the run Q♥–A♥": 35}),
            ("AH1 2H1 3H1", {"Meld the run A♥–3♥": 11}),
            ("KS1 KD1 KC1", {"Meld a set of kings": 30}),
            ("TS1 TD1 *1", {"Meld a set of 10s": 35}),
            ("5H1 *1 7H1", {"Meld the run 5♥–7♥": 25}),
            ("5H1 6H1 *1", {"Run 5♥–7♥, joker high": 25, "Run 4♥–6♥, joker low": 25}),
            ("KH1 AH1 *1", {"Meld the run Q♥–A♥": 40}),
            (
                "5H1 6H1 *1 *2",
                {"Run 5♥–8♥, jokers high": 40, "Run 4♥–7♥, 1 joker low, 1 high": 40, "Run 3♥–6♥, jokers low": 40},
            ),
        ],
    )
    def test_what_cards_make(self, picked: str, expected: dict[str, int]) -> None:
        assert can(table(f"{picked} 2C1", "2D1"), picked) == expected

    def test_jokers_lie_where_the_words_say(self) -> None:
        s = table("5H1 6H1 *1 *2 2C1", "2D1")
        places = {o.words: lies(s, o) for o in offered(s, "*2 6H1 *1 5H1") if o.kind == "meld" and o.move}
        assert places["Run 5♥–8♥, jokers high"] == cards("5H1 6H1 *1 *2")
        assert places["Run 4♥–7♥, 1 joker low, 1 high"] == cards("*1 5H1 6H1 *2")
        assert places["Run 3♥–6♥, jokers low"] == cards("*1 *2 5H1 6H1")

    @pytest.mark.parametrize(
        ("picked", "reason"),
        [
            ("5H1", "A meld has at least three cards."),
            ("5H1 6H1", "A meld has at least three cards."),
            ("5H1 *1 *2", "A meld needs two cards that are no jokers."),
            ("*1 *2", "A meld has at least three cards."),
            ("5H1 6H1 7S1", "The cards of a run are of one suit, those of a set of one rank."),
            ("5H1 6H1 8H1", "These cards do not follow one another."),
            ("KH1 AH1 2H1", "These cards do not follow one another."),
        ],
    )
    def test_what_makes_nothing(self, picked: str, reason: str) -> None:
        s = table("5H1 6H1 8H1 7S1 *1 *2 KH1 AH1 2H1 9D1", "2D1")
        assert why(s, picked) == reason

    def test_a_card_must_be_kept(self) -> None:
        s = table("5H1 6H1 7H1", "2D1", options=OUT)
        assert why(s, "5H1 6H1 7H1") == "Keep a card: at this table you go out with a discard."
        assert can(table("5H1 6H1 7H1", "2D1"), "5H1 6H1 7H1") == {"Meld the run 5♥–7♥": 15}

    def test_cards_for_several_places_go_in_one_move(self) -> None:
        s = table("KS1 KD1 KC1 2S1 3S1 4S1 8H1 JD1", "2D1", melds=RUN)
        assert can(s, "KS1 KD1 KC1 2S1 3S1 4S1") == {"Meld these 6 cards": 45}
        assert can(s, "KS1 KD1 KC1 8H1") == {"Meld these 4 cards": 35}
        assert can(s, "KS1 KD1 KC1 JD1") == {}


class TestOnTheTable:
    def test_a_card_with_one_place(self) -> None:
        s = table("8H1 2C1", "2D1", melds=RUN + NINES)
        places = [o for o in offered(s, "8H1") if o.meld is not None]
        assert [(o.meld, o.end, o.words, o.points) for o in places] == [
            (0, "high", "Play 8♥ on the run 5♥–7♥", 5),
            (1, None, "Play on the set of 9s", None),
        ]
        assert places[1].why == "That card does not fit there."

    def test_an_ace_with_three_places(self) -> None:
        s = table("AH1 2C1", "2D1", melds=[*LONG, (0, "AS1 AD1 AC1")])
        places = [o for o in offered(s, "AH1") if o.meld is not None]
        assert [(o.meld, o.end, o.words, o.points) for o in places] == [
            (0, "low", "Play A♥ low on the run 2♥–K♥", 1),
            (0, "high", "Play A♥ high on the run 2♥–K♥", 15),
            (1, None, "Play A♥ on the set of aces", 15),
        ]

    def test_a_joker_says_what_it_stands_for(self) -> None:
        s = table("*1 2C1", "2D1", melds=RUN + NINES)
        assert can(s, "*1") == {
            "Play joker as 4♥ on the run 5♥–7♥": 15,
            "Play joker as 8♥ on the run 5♥–7♥": 15,
            "Play joker on the set of 9s": 15,
        }

    @pytest.mark.parametrize(
        ("picked", "expected", "then"),
        [
            ("8H1 9H1", {"Play 8♥, 9♥ on the run 5♥–7♥": 10}, "5H1 6H1 7H1 8H1 9H1"),
            ("9H1 8H1", {"Play 8♥, 9♥ on the run 5♥–7♥": 10}, "5H1 6H1 7H1 8H1 9H1"),
            ("8H1 4H1", {"Play 4♥, 8♥ on the run 5♥–7♥": 10}, "4H1 5H1 6H1 7H1 8H1"),
            ("9H1 *1", {"Play joker as 8♥, 9♥ on the run 5♥–7♥": 20}, "5H1 6H1 7H1 *1 9H1"),
            ("3H1 *1", {"Play joker as 4♥, 3♥ on the run 5♥–7♥": 20}, "3H1 *1 5H1 6H1 7H1"),
            ("TH1 *1", {}, ""),
            ("8H1 TH1", {}, ""),
        ],
    )
    def test_several_on_one_run(self, picked: str, expected: dict[str, int], then: str) -> None:
        s = table("3H1 4H1 8H1 9H1 TH1 *1 2C1", "2D1", melds=RUN)
        assert can(s, picked) == expected
        for offer in offered(s, picked):
            if offer.meld == 0 and offer.move:
                assert lies(s, offer, 0) == cards(then)
        if not expected:
            assert why(s, picked, meld=0) == "These cards do not all go there."
            assert why(s, picked) == "A meld has at least three cards."

    def test_a_spare_joker_beside_others(self) -> None:
        s = table("8H1 *1 2C1", "2D1", melds=RUN)
        places = {o.words: lies(s, o, 0) for o in offered(s, "8H1 *1") if o.meld == 0}
        assert places == {
            "Play 8♥, joker as 9♥ on the run 5♥–7♥": cards("5H1 6H1 7H1 8H1 *1"),
            "Play joker as 4♥, 8♥ on the run 5♥–7♥": cards("*1 5H1 6H1 7H1 8H1"),
        }

    def test_two_aces_go_to_either_end(self) -> None:
        s = table("AH1 AH2 2C1", "2D1", melds=LONG)
        found = can(s, "AH1 AH2")
        assert found == {"Play A♥ low, A♥ high on the run 2♥–K♥": 16}

    def test_cards_that_are_a_meld_and_go_on_one(self) -> None:
        s = table("8H1 9H1 TH1 2C1", "2D1", melds=RUN)
        assert can(s, "8H1 9H1 TH1") == {"Meld the run 8♥–10♥": 20, "Play 8♥, 9♥, 10♥ on the run 5♥–7♥": 20}

    def test_a_joker_stays_in_its_place(self) -> None:
        s = table("6H1 2C1", "2D1", melds=[(1, "5H1 *1 7H1")])
        assert why(s, "6H1", meld=0) == "A joker stands in that card's place, and it stays there."

    def test_a_full_run_takes_nothing(self) -> None:
        s = table("*1 2C1", "2D1", melds=[(1, f"AH1 {LONG[0][1]} AH2")])
        assert why(s, "*1", meld=0) == "That card does not fit there."


class TestDug:
    MUST = "Meld the card you took from the pile first."

    def dug(self) -> State:
        return play(table("8H1 3D1 KS1", "2S1", pile="9H1 2C1", melds=RUN, phase="draw"), take(0))

    def test_the_shortest_way_comes_first(self) -> None:
        first = next(o for o in offered(self.dug()) if o.kind == "meld")
        assert (first.words, first.meld, first.points) == ("Play 8♥, 9♥ on the run 5♥–7♥", None, 10)
        assert sorted(named(msgspec.to_builtins(first.move))) == ["8H1", "9H1"]

    def test_the_way_as_a_new_meld(self) -> None:
        s = play(table("KD1 KC1 3D1", "2S1", pile="KS1 2C1", phase="draw"), take(0))
        first = next(o for o in offered(s) if o.kind == "meld")
        assert (first.words, first.meld, first.points) == ("Meld K♠ with K♦ K♣", None, 30)

    def test_nothing_goes_without_it(self) -> None:
        s = self.dug()
        assert why(s, "", "discard") == why(s, "3D1", "discard") == why(s, "KS1 3D1", "discard") == self.MUST
        assert why(s, "8H1", meld=0) == why(s, "8H1 3D1", meld=0) == self.MUST
        assert can(s, "8H1") == {}
        assert can(s, "8H1 9H1") == {"Play 8♥, 9♥ on the run 5♥–7♥": 10}

    def test_once_it_is_down_all_is_free(self) -> None:
        s = self.dug()
        after = GAME.play(s, s.turn, offered(s, "8H1 9H1")[0].move, NOW, chance()).state
        assert can(after, "3D1", "discard") == {"Discard 3♦": None}


class TestDiscarding:
    def test_one_card(self) -> None:
        s = table("3D1 2C1", "2D1", melds=RUN)
        assert one(s, "3D1", "discard", "Discard 3♦").move == Discard(Card("3D1"))
        assert one(s, "3D1", "discard", "Discard 3♦").caution is None

    def test_two_cards(self) -> None:
        assert why(table("3D1 2C1 4S1", "2D1"), "3D1 2C1", "discard") == "Discard one card only."

    @pytest.mark.parametrize(
        ("card", "caution"),
        [
            ("8H1", "8♥ can be played on the run 5♥–7♥."),
            ("9H1", "9♥ can be played on the set of 9s."),
            ("*1", "Joker can be played on the run 5♥–7♥."),
            ("TH1", None),
        ],
    )
    def test_caution_before_a_card_that_plays(self, card: str, caution: str | None) -> None:
        s = table(f"{card} 2C1", "2D1", melds=RUN + NINES)
        found = next(o for o in offered(s, card) if o.kind == "discard")
        assert (found.caution, found.move) == (caution, Discard(Card(card)))

    def test_no_caution_before_the_last_card(self) -> None:
        s = table("8H1", "2D1", melds=RUN, options=OUT)
        assert one(s, "8H1", "discard", "Discard 8♥").caution is None
        assert why(s, "8H1", meld=0) == "Keep a card: at this table you go out with a discard."


class TestOthers:
    def test_nothing_out_of_turn(self) -> None:
        s = table("3D1 2C1", "2D1 4S1")
        assert offered(s, "", 1) == offered(s, "2D1", 1) == ()

    def test_cards_of_others_and_nonsense(self) -> None:
        s = table("3D1 2C1", "2D1 4S1")
        for picked in ("2D1", "3D1 2D1", "QQ9"):
            (found,) = offered(s, picked)
            assert (found.move, found.why) == (None, "A card you picked is not in your hand.")

    def test_a_card_picked_twice_is_picked_once(self) -> None:
        s = table("3D1 2C1", "2D1")
        assert offered(s, "3D1 3D1") == offered(s, "3D1")

    def test_between_hands_and_at_the_end(self) -> None:
        s = play(table("3D1", "2D1 4S1"), discard("3D1"))
        assert [(o.words, o.move) for o in offered(s, "", 1)] == [("Next hand", Ready())]
        after = GAME.play(s, Seat(1), Ready(), NOW, chance()).state
        assert offered(after, "", 1) == ()
        over = play(table("3D1", "2D1 4S1", totals=(600, 0)), discard("3D1"))
        assert over.phase == "over"
        assert offered(over, "", 0) == ()


# Against the list of legal moves, over random games


def states() -> Iterator[State]:
    for seed, (seats, options) in enumerate([(2, Options()), (3, OUT), (5, Options()), (8, OUT)]):
        for i, moment in enumerate(walk(GAME, seats, options, seed, limit=900)):
            if moment.phase == "play" or i % 5 == 0:
                yield moment.state


def effect(s: State, move: Any) -> tuple[Any, ...]:
    """What a move does to the table, whatever the order in which the cards of a set were named."""
    after = GAME.play(s, s.turn, move, NOW, chance()).state
    melds = [(m.id, m.cards if m.kind == "run" else sorted(m.cards)) for m in after.melds]
    return repr(melds), after.hands[s.turn], after.pile, after.must, after.melded


def test_every_move_of_one_part_is_offered_for_its_cards() -> None:
    """And of two cards that are both melded somewhere, whatever is offered is accepted for just its points."""
    rng, seen = random.Random(5), {"lay": 0, "discard": 0, "take": 0, "more": 0}
    for s in states():
        if s.phase not in ("draw", "play"):
            continue
        moves = legal(s, s.turn)
        for move in rng.sample(moves, min(6, len(moves))):
            of = list(dict.fromkeys(map(Card, named(msgspec.to_builtins(move)))))
            rng.shuffle(of)
            found = proven(s, GAME.offers(s, s.turn, of), set(of))
            if isinstance(move, Draw):
                assert any(o.move == move for o in found)
            else:
                assert parts(move) > 1 or effect(s, move) in [effect(s, o.move) for o in found if o.move]
                seen["lay" if isinstance(move, Lay) else "discard" if isinstance(move, Discard) else "take"] += 1
        some = rng.sample(s.hands[s.turn], min(len(s.hands[s.turn]), rng.randrange(2, 6)))
        seen["more"] += any(o.kind == "meld" and o.move for o in proven(s, GAME.offers(s, s.turn, some), set(some)))
    assert min(seen.values()) >= 100, seen


def proven(s: State, found: tuple[Offer, ...], picked: set[Card]) -> tuple[Offer, ...]:
    """Check that each offer is accepted for its points and uses the picked cards, all of them and no others."""
    for offer in found:
        assert (offer.move is None) == bool(offer.why)
        if offer.move is None or offer.kind == "draw":
            continue
        try:
            after = GAME.play(s, s.turn, offer.move, NOW, chance()).state
        except Illegal as no:
            raise AssertionError(f"{offer.words} is refused {no.code}") from no
        if offer.kind == "meld":
            assert after.melded[s.turn] - s.melded[s.turn] == offer.points
        if picked and offer.kind in ("meld", "discard") and offer.words != "Meld all I can":
            assert set(named(msgspec.to_builtins(offer.move))) == picked
    return found
