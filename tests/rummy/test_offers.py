"""RULES.md, "A turn" and "Moves": what picked cards can do and why not, each offer proven by making its move."""

import random
from typing import Any

import msgspec
import pytest

from domain.cards import Seat
from domain.game import Illegal, Offer
from domain.offers import named
from domain.rummy.points import held
from domain.rummy.state import LayOff, NewMeld, Resign, State
from tests.rummy.tables import GAME, NOW, cards, chance, draw, play, table, take
from tests.walk import parts, walk

RUNS = [(1, "5S 6S 7S"), (0, "KD KC KH")]


def asked(s: State, picked: str = "", seat: int | None = None, kind: str | None = None) -> list[Offer]:
    """The offers for these cards, of one kind if it is named."""
    found = GAME.offers(s, s.turn if seat is None else Seat(seat), cards(picked))
    return [offer for offer in found if kind in (None, offer.kind)]


def only(s: State, picked: str = "", kind: str = "") -> Offer:
    """The one offer of a kind."""
    (found,) = asked(s, picked, kind=kind)
    return found


def sent(offer: Offer) -> Any:
    return msgspec.json.decode(msgspec.json.encode(offer.move))


class TestDrawing:
    def test_stock_and_pile(self) -> None:
        s = table("KS KD", "2C", pile="JC 9D 9S", phase="draw")
        assert (only(s, kind="draw").words, sent(only(s, kind="draw"))) == ("Draw", {"type": "draw"})
        top, *under = asked(s, kind="take")
        assert (top.words, top.at, sent(top), top.caution) == ("Take 9♠", 2, {"type": "take"}, None)
        assert [(o.at, o.move, o.why) for o in under] == [(i, None, "Only the top card can be taken.") for i in (0, 1)]
        end = only(s, kind="end_hand")
        assert (end.move, end.why) == (None, "The hand cannot be ended while there is a card to draw.")
        assert [o.why for o in asked(s, "KS") if o.kind in ("meld", "discard")] == ["Draw or take first."] * 2
        assert only(s, "KS", "draw").move is not None

    def test_an_empty_stock_is_remade_twice(self) -> None:
        s = table("KS KD", "2C", stock="", pile="JC 9D 9S", phase="draw", reuses=1)
        assert only(s, kind="draw").words == "Reshuffle and draw"
        assert play(s, sent(only(s, kind="draw"))).reuses == 2
        dry = table("KS KD", "2C", stock="", pile="JC 9D 9S", phase="draw", reuses=2)
        assert only(dry, kind="draw").words == "Stock's out"
        why = only(dry, kind="draw").why
        assert why == "There is nothing left to draw: take the top of the pile or end the hand."
        assert (only(dry, kind="end_hand").words, sent(only(dry, kind="end_hand"))) == (
            "End the hand", {"type": "end_hand"},
        )  # fmt: skip
        assert only(dry, kind="end_hand").caution == "Nobody goes out then: the fewest points in hand score."
        assert asked(dry, kind="take")[0].move is not None

    def test_the_turn_that_blocks_the_hand(self) -> None:
        words = "4 turns in a row will be without a draw then: unless you go out the hand ends, and "
        s = table("KS KD", "2C", phase="draw", circling=3)
        assert only(s, kind="take").caution == words + "the fewest points in hand score."
        assert only(table("KS KD", "2C", phase="draw", circling=2), kind="take").caution is None
        assert only(s, kind="draw").caution is None


class TestPlaying:
    def test_a_new_meld(self) -> None:
        s = table("8H 6H 7H KS 8C 8D", "2C")
        run = only(s, "8H 6H 7H", "meld")
        assert (run.words, run.points, sent(run)) == (
            "Meld a run", 21, {"type": "meld", "cards": list(cards("6H 7H 8H"))},
        )  # fmt: skip
        a_set = only(s, "8H 8C 8D", "meld")
        assert (a_set.words, a_set.points) == ("Meld a set", 24)
        assert only(s, "8H 8C", "meld").why == "A meld has at least three cards."
        assert only(s, "8H 8C KS", "meld").why == "The cards of a run are of one suit, those of a set of one rank."
        assert only(s, "8H 8C KS", "discard").why == "Discard one card: pick that one alone."

    def test_the_ace_is_low(self) -> None:
        s = table("QH KH AH 4D", "2C", melds=[(1, "JS QS KS")])
        assert only(s, "QH KH AH", "meld").why == "An ace is low here: it stands before the two, never after the king."
        s = table("AS 4D", "2C", melds=[(1, "JS QS KS")])
        assert only(s, "AS", "lay_off").why == "An ace is low here: it stands before the two, never after the king."

    def test_places_on_the_table(self) -> None:
        s = table("8S 9S KS 4S 2D", "2C", melds=RUNS)
        high = only(s, "8S", "lay_off")
        assert (high.words, high.points, high.meld, high.end) == ("Lay off 8♠", 8, 0, "high")
        assert (only(s, "4S", "lay_off").meld, only(s, "4S", "lay_off").end) == (0, "low")
        on_set = only(s, "KS", "lay_off")
        assert (on_set.points, on_set.meld, on_set.end) == (10, 1, None)
        assert only(s, "2D", "lay_off").why == "2♦ goes on no meld of the table."
        assert only(table("2D 3D", "2C"), "2D", "lay_off").why == "No meld lies on the table yet."

    def test_a_card_with_two_places(self) -> None:
        s = table("8S 2D", "2C", melds=[(1, "5S 6S 7S"), (0, "8D 8C 8H"), (1, "9S TS JS")])
        found = asked(s, "8S", kind="lay_off")
        assert [(o.meld, o.end) for o in found] == [(0, "high"), (1, None), (2, "low")]

    def test_several_cards_onto_one_meld_in_whatever_order(self) -> None:
        s = table("9S 8S 4S 2D", "2C", melds=RUNS)
        two = only(s, "9S 8S", "lay_off")
        assert (two.words, two.points, two.meld, two.end) == ("Lay off 8♠ 9♠", 17, 0, "high")
        both = only(s, "9S 4S 8S", "lay_off")
        assert (both.points, both.meld, both.end) == (21, 0, None)
        assert only(s, "9S 8S 2D", "lay_off").why == "These cards do not all go on the melds of the table."
        assert only(s, "9S", "lay_off").why == "9♠ goes on no meld of the table."

    def test_several_cards_onto_several_melds(self) -> None:
        s = table("9S KS 8S 4S 2D", "2C", melds=RUNS)
        found = only(s, "9S KS 8S 4S", "lay_off")
        assert (found.words, found.points, found.meld) == ("Lay off 4 cards", 31, None)
        s = table("9S 8S 2D", "2C", melds=[(0, "8D 8C 8H"), (1, "5S 6S 7S")])
        plays = sent(only(s, "9S 8S", "lay_off"))["plays"]
        assert plays == [{"card": "8S1", "meld": 1}, {"card": "9S1", "meld": 1}]

    def test_going_out(self) -> None:
        s = table("8H 6H 7H", "2C")
        assert only(s, "8H 6H 7H", "meld").words == "Meld a run and go out"
        assert only(s, kind="meld").words == "Meld 6♥–8♥ and go out"
        s = table("8S", "2C", melds=RUNS)
        assert only(s, "8S", "lay_off").words == "Lay off 8♠ and go out"
        assert (only(s, "8S", "discard").words, only(s, "8S", "discard").caution) == ("Discard 8♠ and go out", None)

    def test_a_discard_that_goes_on_the_table(self) -> None:
        s = table("8S 2D", "2C", melds=RUNS)
        assert only(s, "8S", "discard").caution == "8♠ goes on the run 5♠ 6♠ 7♠."
        assert (only(s, "2D", "discard").words, only(s, "2D", "discard").caution) == ("Discard 2♦", None)

    def test_nothing_is_thrown_back(self) -> None:
        s = play(table("8S 2D", "2C", pile="9D", phase="draw"), take())
        why = "You took that card from the pile this turn: discard another one."
        assert (only(s, "9D", "discard").move, only(s, "9D", "discard").why) == (None, why)
        assert only(table("9D", "2C", taken="9D1"), "9D", "discard").move is not None

    def test_what_is_best_laid(self) -> None:
        s = table("5H 6H 7H 8S KS 2C 2D", "TC", melds=RUNS)
        first = only(s, kind="meld")
        assert (first.words, first.points) == ("Meld 5♥–7♥", 18)
        then = only(play(s, sent(first)), kind="lay_off")
        assert (then.words, then.points, then.meld) == ("Lay off 8♠ K♠", 18, None)
        nothing = only(play(s, sent(first), sent(then)), kind="meld")
        assert (nothing.move, nothing.why) == (None, "Nothing of your hand can be melded or laid off now.")
        assert only(s, kind="discard").why == "Pick cards of your hand first."
        assert only(table("8S 8D 8C 2D", "TC"), kind="meld").words == "Meld 8♠ 8♦ 8♣"

    def test_stock_and_pile_have_had_their_time(self) -> None:
        s = play(table("8S 2D", "2C", phase="draw"), draw())
        why = "You have your card: meld, lay off or discard."
        assert [(o.kind, o.why) for o in asked(s) if o.kind in ("draw", "take", "end_hand")] == [
            ("draw", why), ("take", why), ("end_hand", why),
        ]  # fmt: skip
        empty = play(table("8S 2D", "2C", phase="draw"), take())
        assert asked(empty, kind="take") == []


class TestOthers:
    def test_who_is_not_on_turn_may_resign(self) -> None:
        s = table("8S 2D", "2C", "4D")
        (found,) = asked(s, seat=1)
        assert (found.words, found.move) == ("Resign", Resign())
        assert found.caution == "The game ends at once for everyone, and you come last of 3."
        two = table("8S 2D", "2C")
        assert only(two, kind="resign").caution == "The game ends at once for everyone, and the other player wins."

    def test_picked_out_of_turn(self) -> None:
        found = asked(table("8S 2D", "2C 4D"), "2C", seat=1)
        assert [(o.kind, o.why) for o in found if o.move is None] == [("none", "It is not your turn.")]

    @pytest.mark.parametrize("picked", ["QS", "8S QS", "8S 8S"])
    def test_cards_that_are_not_in_hand(self, picked: str) -> None:
        found = asked(table("8S 2D", "2C"), picked)
        assert [o.why for o in found if o.kind == "none"] == ["A card you picked is not in your hand."]
        assert not [o for o in found if o.kind in ("meld", "lay_off", "discard")]

    def test_nothing_is_offered_once_the_game_is_over(self) -> None:
        s = play(table("8S", "2C"), {"type": "resign"})
        assert asked(s, seat=0) == asked(s, "2C", seat=1) == []


def same(move: Any) -> tuple[object, ...]:
    """A move whatever the order in which the cards of a meld are named."""
    raw = msgspec.to_builtins(move)
    return raw["type"], sorted(named(raw)), raw.get("plays") if raw["type"] == "lay_off" else None


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_that_is_legal_is_offered_for_the_points_it_brings(seats: int) -> None:
    rng, laid = random.Random(seats), 0
    for moment in walk(GAME, seats, GAME.Options(), seats):
        s: State = moment.state
        if s.phase == "over" or rng.random() > 0.25:
            continue
        seat = rng.choice([s.turn, s.turn, Seat(rng.randrange(seats))])
        for move in GAME.legal(s, seat):
            assert parts(move) == 1
            found = GAME.offers(s, seat, tuple(named(msgspec.to_builtins(move))))
            assert same(move) in [same(o.move) for o in found if o.move is not None]
            for offer in found:
                if isinstance(offer.move, NewMeld | LayOff):
                    step = GAME.play(s, seat, offer.move, NOW, chance("offers"))
                    left = 0 if step.hand_ended else held(step.state.hands[seat])
                    assert offer.points == held(s.hands[seat]) - left
                    laid += 1
    assert laid > 10


@pytest.mark.parametrize("seed", range(3))
def test_what_is_not_offered_is_refused(seed: int) -> None:
    """Picked at random: where neither melding nor laying off is offered, the rules refuse them too."""
    rng = random.Random(seed)
    for moment in walk(GAME, 2, GAME.Options(), seed):
        s: State = moment.state
        if s.phase != "play" or rng.random() > 0.3:
            continue
        hand = s.hands[s.turn]
        picked = rng.sample(hand, min(len(hand), rng.randint(1, 4)))
        found = {o.kind for o in GAME.offers(s, s.turn, picked) if o.move is not None}
        if "meld" not in found:
            with pytest.raises(Illegal):
                GAME.play(s, s.turn, NewMeld(tuple(picked)), NOW, chance())
        if "lay_off" not in found and len(picked) == 1:
            for meld in s.melds:
                with pytest.raises(Illegal):
                    GAME.play(s, s.turn, GAME.parse({"type": "lay_off", "card": picked[0], "meld": meld.id}), NOW,
                              chance())  # fmt: skip
