"""What buttons and places say: every offer is accepted for its points, every refusal is the rules' own (RULES.md)."""

import random
from typing import Any

import msgspec
import pytest

from domain.cards import RANKS, Card, Ms, Seat
from domain.contract_rummy.asker import Piece, SwapOffer
from domain.contract_rummy.contracts import held
from domain.contract_rummy.state import BuyPref, Exchange, LayOff, NewMeld, NewRun, Play, State, Window
from domain.game import Illegal, Offer
from domain.offers import named
from tests.contract_rummy.tables import GAME, cards, chance, discard, go_down, play, refused, table
from tests.walk import moments

RUN, SET = "5H1 6H1 7H1 8H1", "9S1 9H1 9D1"
OTHERS = ("KS2 QS2", "KD2 QD2")


def said(s: State, picked: str = "", seat: int = 0) -> tuple[Offer, ...]:
    """The offers for these cards, each tried: legal for just its points, or refused with a reason."""
    found = GAME.offers(s, Seat(seat), cards(picked))
    for offer in found:
        assert (offer.move is None) == bool(offer.why)
        if offer.move is not None:
            after = GAME.play(s, Seat(seat), offer.move, Ms(0), chance()).state
            if offer.points is not None:
                assert held(s.hands[seat]) - held(after.hands[seat]) == offer.points
    return found


def of(found: tuple[Offer, ...], kind: str) -> list[Offer]:
    return [offer for offer in found if offer.kind == kind]


def one(found: tuple[Offer, ...], kind: str) -> Offer:
    (offer,) = of(found, kind)
    return offer


def why(found: tuple[Offer, ...], kind: str) -> str:
    offer = one(found, kind)
    assert offer.move is None
    return offer.why or ""


def parts(found: tuple[Offer, ...], kind: str) -> list[Piece]:
    return [offer for offer in found if isinstance(offer, Piece) and offer.kind == kind]


def drawing(**fields: Any) -> State:
    window = {"id": 4, "card": Card("9C1"), "thrower": Seat(2), "opened": Ms(0), "closes": Ms(30_000)}
    window |= fields.pop("window", {})
    base: dict[str, Any] = {"phase": "draw", "pile": "4D1 9C1", "window": Window(**window)}
    return table("2S1 3S1", "KS2 QS2", "KD2 QD2", "JC2 8C2", **(base | fields))


# Drawing and buying


def test_the_seat_to_play_may_take_at_once_and_draw_once_buying_has_closed() -> None:
    found = said(drawing())
    assert (one(found, "take").words, one(found, "take").at) == ("Take 9♣", 1)
    assert "shut" in why(found, "draw")
    assert one(found, "decline").move is not None
    found = said(drawing(window={"shut": True}))
    assert one(found, "draw").words == "Draw"
    assert one(found, "draw").move is not None
    assert one(found, "take").move is not None
    assert not of(found, "decline")
    assert "You have said so" in why(said(drawing(window={"declined": True})), "decline")


def test_the_stock_is_remade_or_its_end_is_asked_about_first() -> None:
    shut = {"window": {"shut": True}}
    again = one(said(drawing(stock="", pile="4D1 5D1 9C1", **shut)), "draw")
    assert (again.words, again.caution) == ("Reshuffle and draw", None)
    last = one(said(drawing(stock="", pile="9C1", **shut)), "draw")
    assert last.words == "End the hand"
    assert last.move is not None
    assert last.caution
    bought = one(said(drawing(stock="3C1", pile="4D1 9C1", window={"shut": True, "claims": (Seat(1),)})), "draw")
    assert bought.caution, "the buyer's other card cannot be drawn"


def test_who_may_buy_is_offered_it_and_who_threw_the_card_is_told_why_not() -> None:
    found = said(drawing(), seat=1)
    assert one(found, "buy").words == "Buy 9♣"
    assert msgspec.to_builtins(one(found, "buy").move) == {"type": "buy", "window": 4}
    assert one(found, "pass").words == "No thanks"
    assert "turn" in why(found, "draw")
    thrower = said(drawing(), seat=2)
    assert "threw" in why(thrower, "buy")
    assert not of(thrower, "pass")
    assert not of(said(drawing()), "buy"), "the seat to play takes the card free"


def test_after_a_pass_a_seat_may_buy_until_buying_closes() -> None:
    passed = said(drawing(window={"passed": (Seat(1),)}), seat=1)
    assert one(passed, "buy").move is not None
    assert "passed" in why(passed, "pass")
    claimed = said(drawing(window={"claims": (Seat(1),)}), seat=1)
    assert "claim" in why(claimed, "buy")
    closed = said(drawing(window={"shut": True}), seat=1)
    assert why(closed, "buy").startswith("Buying has closed")
    assert why(closed, "pass").startswith("Buying has closed")


def test_slow_seats_may_be_passed_for() -> None:
    s = drawing(window={"thrower": None, "closes": None, "slow": (Seat(1), Seat(3))})
    assert [o.move.seat for o in of(said(s), "pass_for")] == [1, 3]
    assert [o.move.seat for o in of(said(s, seat=1), "pass_for")] == [3]


def test_cards_in_the_fingers_do_not_stop_anyone_from_drawing_or_buying() -> None:
    assert {o.kind for o in said(drawing(), "2S1") if o.move} == {"take", "decline"}
    assert {o.kind for o in said(drawing(), "KS2 QS2", seat=1) if o.move} == {"buy", "pass"}


def test_wishes_are_told_at_any_time() -> None:
    for s in (drawing(), table("2S1 3S1", *OTHERS), table("2S1", *OTHERS, phase="scored")):
        for seat in range(3):
            prefs = [o.move for o in of(said(s, seat=seat), "buy_pref")]
            assert prefs == [BuyPref("ask"), BuyPref("helps"), BuyPref("never")]


def test_between_hands_one_is_ready_once() -> None:
    s = table("2S1", *OTHERS, phase="scored", ready=(True, False, False), scores=((2, 20, 20),))
    assert one(said(s, seat=1), "ready").words == "Next hand"
    assert why(said(s), "ready")
    assert [o.kind for o in said(s, "2S1")] == ["go_down", "discard"]
    assert all(o.move is None for o in said(s, "2S1"))


def test_nothing_is_offered_once_the_game_is_over() -> None:
    assert said(table("2S1", *OTHERS, phase="over", deals=7)) == ()


def test_cards_wait_for_the_turn_and_for_the_draw() -> None:
    assert "turn" in why(said(drawing(), "KS2", seat=1), "discard")
    assert "Draw or take" in why(said(drawing(), "2S1"), "discard")
    assert "Draw or take" in why(said(drawing()), "go_down")
    after = said(table("2S1 3S1", *OTHERS, pile="4D1"))
    assert "have your card" in why(after, "draw")
    assert "have your card" in why(after, "take")


# Going down


def test_the_contract_is_offered_as_a_whole_when_it_is_there() -> None:
    s = table("8S1 8H1 8D1 KS1 KH1 *1 2D1", *OTHERS)
    whole = one(said(s), "go_down")
    assert whole.words == "Go down"
    assert whole.points == 3 * 8 + 2 * 10 + 25
    assert why(said(table("8S1 8H1 8D1 KS1 KH1 2D1 3D1", *OTHERS)), "go_down") == (
        "A card is missing: you need 2 sets."
    )
    assert "Keep a card" in why(said(table("8S1 8H1 8D1 KS1 KH1 *1", *OTHERS)), "go_down")


def test_a_part_of_the_contract_is_made_of_picked_cards() -> None:
    s = table("8S1 8H1 8D1 4H1 5H1 6H1 *1 2D1", *OTHERS, deals=2)
    found = said(s, "8S1 8H1 8D1")
    made, no = parts(found, "set")[0], parts(found, "run")[0]
    assert (made.words, made.part) == ("Make a set of 8s", NewMeld("set", cards("8S1 8H1 8D1")))
    assert no.part is None
    assert no.why == "The cards of a run are of one suit, those of a set of one rank."
    runs = parts(said(s, "4H1 5H1 6H1 *1"), "run")
    assert [(r.words, r.part.low_jokers) for r in runs if isinstance(r.part, NewMeld)] == [
        ("Make a run 4♥–7♥", 0), ("Make a run 3♥–6♥", 1),
    ]  # fmt: skip
    for run in runs:
        down = go_down("set 8S1 8H1 8D1", msgspec.to_builtins(run.part))
        assert GAME.arrange(s, Seat(0), down["melds"]) is not None


def test_the_parts_of_a_contract_have_their_exact_size() -> None:
    s = table("8S1 8H1 8D1 8C1 4H1 5H1 6H1 7H1 8H2", *OTHERS, deals=2)
    for picked, kind in (("8S1 8H1 8D1 8C1", "set"), ("4H1 5H1 6H1 7H1 8H2", "run")):
        (no,) = parts(said(s, picked), kind)
        assert no.part is None
        assert "exactly three" in (no.why or "")
    assert "at least three" in (parts(said(s, "8S1"), "set")[0].why or "")
    assert not parts(said(table("8S1 8H1 8D1 2C1", *OTHERS, deals=1), "8S1 8H1 8D1"), "run"), "no run is asked for"


def test_the_whole_contract_may_be_picked_at_once() -> None:
    s = table("8S1 8H1 8D1 KS1 KH1 *1 8C1 2D1", *OTHERS)
    whole = one(said(s, "8S1 8H1 8C1 KS1 KH1 *1"), "go_down")
    laid = {card for meld in whole.move.melds for card in meld.cards}
    assert laid == set(cards("8S1 8H1 8C1 KS1 KH1 *1"))


def test_jokers_alone_may_stand_for_anything() -> None:
    s = table("*1 *2 *3 *4 8S1 8H1 8D1 2D1", *OTHERS, "JS2", "JD2", deals=2)
    ranks = [p.part.rank for p in parts(said(s, "*1 *2 *3"), "set") if isinstance(p.part, NewMeld)]
    assert ranks == list(RANKS)
    runs = [p.part for p in parts(said(s, "*1 *2 *3 *4"), "run")]
    assert len({(r.suit, r.lo) for r in runs if isinstance(r, NewMeld)}) == 4 * 11


def test_a_joker_of_the_table_may_be_won_for_the_contract() -> None:
    s = table("7C1 8S1 8H1 KS1 KH1 KD1 2D1", *OTHERS, melds=[(1, "5C1 6C1 *1 8C1")], down=[1])
    (star,) = parts(said(s, "7C1"), "star")
    assert (star.meld, star.wins, star.part) == (1, "*1", Exchange(Card("7C1"), 1))
    (made,) = [p for p in parts(said(s, "8S1 8H1 *1"), "set") if p.part]
    assert made.part == NewMeld("set", cards("8S1 8H1 *1"))
    whole = one(said(s, "8S1 8H1 *1 KS1 KH1 KD1"), "go_down")
    assert whole.move.swaps == (Exchange(Card("7C1"), 1),)
    assert one(said(s), "go_down").move is not None
    assert "win that joker" in why(said(s, "8S1 8H1 *2"), "none")
    assert not parts(said(s, "8S1"), "star")


def test_in_the_last_hand_all_cards_go_as_three_runs() -> None:
    hand = "4H1 5H1 6H1 7H1 8H1 4S1 5S1 6S1 7S1 4D1 5D1 6D1 7D1"
    s = table(hand, *OTHERS, deals=7)
    assert one(said(s), "go_out").points == held(cards(hand))
    assert one(said(s, hand), "go_out").move is not None
    (run,) = parts(said(s, "4H1 5H1 6H1 7H1 8H1"), "run")
    assert run.part == NewRun(cards("4H1 5H1 6H1 7H1 8H1"))
    assert not parts(said(s, "4H1 5H1 6H1"), "set")
    assert "3 runs" in why(said(table(hand.replace("7D1", "2C1"), *OTHERS, deals=7)), "go_out")


# Once down


def down(hand: str, *melds: str, **fields: Any) -> State:
    return table(hand, *OTHERS, melds=[(1, text) for text in melds], down=[0, 1], **fields)


def test_each_place_of_a_card_is_offered() -> None:
    found = of(said(down("9H2 2C1", RUN, SET), "9H2"), "lay_off")
    assert [(o.meld, o.end, o.points) for o in found] == [(1, "high", 9), (2, None, 9)]
    both = of(said(down("*1 2C1", RUN, "AS1 2S1 3S1 4S1"), "*1"), "lay_off")
    assert [(o.meld, o.end) for o in both] == [(1, "high"), (1, "low"), (2, "high")]
    assert both[0].words == "Play joker on the run 5♥–8♥, high end"


def test_several_cards_go_on_one_meld_or_each_in_its_one_place() -> None:
    found = of(said(down("9H2 TH1 4H1 2C1", RUN), "9H2 TH1 4H1"), "lay_off")
    assert [(o.meld, o.end, o.points) for o in found] == [(1, None, 23), (None, None, 23)]
    found = of(said(down("9H2 *1 TH1 2C1", "4H1 5H1 6H1 7H1"), "9H2 *1 TH1"), "lay_off")
    assert [[play.card for play in o.move.plays] for o in found] == [["*1", "9H2", "TH1"]]
    found = of(said(down("9C1 4H1 2C1", RUN, SET), "9C1 4H1"), "lay_off")
    assert [(o.meld, o.words, o.points) for o in found] == [(None, "Play 2 cards", 13)]
    assert "2♣" in why(said(down("9C1 4H1 2C1", RUN, SET), "9C1 2C1"), "lay_off")
    assert "one by one" in why(said(down("9H2 TS1 4S1", RUN, SET, "5S1 6S1 7S1 8S1"), "9H2 4S1"), "lay_off")


def test_an_ace_goes_where_it_may() -> None:
    found = of(said(down("AH2 AH1 3D1", "2H1 3H1 4H1 5H1"), "AH2"), "lay_off")
    assert [(o.meld, o.end) for o in found] == [(1, "low")]
    whole = "2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1"
    found = of(said(down("AH2 AH1 3D1", whole), "AH2"), "lay_off")
    assert [o.end for o in found] == ["high", "low"]
    found = of(said(down("AH2 AH1 3D1", whole), "AH2 AH1"), "lay_off")
    assert {frozenset(play.end for play in o.move.plays) for o in found} == {frozenset({"low", "high"})}


def test_a_card_stays_for_the_discard() -> None:
    s = down("9H2", RUN)
    assert why(said(s, "9H2"), "lay_off") == "Keep a card: you go out with a discard."
    assert one(said(s, "9H2"), "discard").caution is None, "the last card can only be discarded"
    assert "None of your cards" in why(said(s), "lay_off")


def test_all_that_has_one_place_is_laid_at_once() -> None:
    s = down("9C1 4H1 9H2 2C1", RUN, SET)
    whole = one(said(s), "lay_off")
    assert (whole.words, whole.meld) == ("Play all I can", None)
    assert {play.card for play in whole.move.plays} == {"9C1", "4H1"}
    assert why(said(down("9H2 2C1", RUN, SET)), "lay_off") == "Pick a place for 9♥."
    assert why(said(down("2C1 3D1", RUN, SET)), "lay_off") == "None of your cards goes on the table."


def test_laying_off_waits_for_the_turn_after_going_down() -> None:
    s = play(table("8S1 8H1 8D1 KS1 KH1 *1 2D1 3D1", *OTHERS), go_down("set 8S1 8H1 8D1", "set KS1 KH1 *1"))
    for picked in ("", "2D1"):
        assert "next turn" in why(said(s, picked), "lay_off")
    assert one(said(s, "2D1"), "discard").caution is None


def test_every_way_to_win_a_joker_and_lay_it_is_offered() -> None:
    s = down("7C1 2D1 3D1", "5C1 6C1 *1 8C1", SET)
    found = of(said(s, "7C1"), "swap")
    assert [(o.meld, o.end, o.wins, o.points) for o in found if isinstance(o, SwapOffer)] == [
        (1, "low", "*1", 7), (1, "high", "*1", 7), (2, None, "*1", 7),
    ]  # fmt: skip
    assert all(o.move.meld == 1 for o in found)
    assert not of(said(s, "7C1"), "lay_off")
    assert "Keep a card" in why(said(down("7C1", "5C1 6C1 *1 8C1", SET), "7C1"), "swap")


def test_cards_that_win_a_joker_are_told_of_without_a_pick() -> None:
    s = down("7C1 7C2 2D1 3D1", "5C1 6C1 *1 8C1", SET)
    stars = parts(said(s), "star")
    assert [(o.part, o.wins) for o in stars] == [(Exchange(Card(c), 1), "*1") for c in ("7C1", "7C2")]
    assert not parts(said(table("7C1 2D1", *OTHERS, melds=[(1, "5C1 6C1 *1 8C1")], down=[1])), "star")


def test_a_joker_in_a_set_stays() -> None:
    assert not of(said(down("9C1 2D1", "9S1 9H1 *1"), "9C1"), "swap")


def test_a_card_that_can_be_played_is_asked_about_before_it_is_thrown() -> None:
    s = down("9H2 7C1 *2 2D1", RUN, "5C1 6C1 *1 8C1")
    for card in ("9H2", "7C1", "*2"):
        assert "can still be played" in (one(said(s, card), "discard").caution or "")
    assert one(said(s, "2D1"), "discard").caution is None
    assert "joker" in (one(said(table("*1 2D1", *OTHERS), "*1"), "discard").caution or "")
    assert why(said(s, "9H2 2D1"), "discard") == "Pick just one card to discard."
    assert why(said(s), "discard") == "Pick the card to discard."


@pytest.mark.parametrize("picked", [["QQ9"], [""], ["*99"], ["KS2"], ["9H2", "KS2"]])
def test_cards_that_are_not_held_do_nothing(picked: list[str]) -> None:
    for s in (down("9H2 2D1", RUN), table("9H2 2D1", *OTHERS), drawing(), table("9H2", *OTHERS, phase="scored")):
        (offer,) = GAME.offers(s, Seat(0), [Card(card) for card in picked])
        assert offer.move is None
        assert "in your hand" in (offer.why or "") or "win that joker" in (offer.why or "")


def test_refusals_are_those_of_the_rules() -> None:
    s = down("9H2", RUN)
    assert refused(s, {"type": "lay_off", "card": "9H2", "meld": 1}) == "KEEP_ONE"
    with pytest.raises(Illegal) as no:
        GAME.play(s, Seat(0), LayOff((Play(Card("9H2"), 1),)), Ms(0), chance())
    assert why(said(s, "9H2"), "lay_off") == no.value.words
    assert GAME.play(s, Seat(0), GAME.parse(discard("9H2")), Ms(0), chance()).hand_ended


# Whole games


def test_every_move_of_one_part_is_offered_for_the_cards_that_it_names() -> None:
    rng, count = random.Random(5), 0
    for seats in (3, 5):
        for moment in moments(GAME, seats, GAME.Options(), seats, each=20, share=0.2):
            s = moment.state
            for seat in map(Seat, range(seats)):
                moves = [m for m in GAME.legal(s, seat) if m.__struct_config__.tag not in ("go_down", "go_out")]
                for move in rng.sample(moves, min(8, len(moves))):
                    raw = msgspec.to_builtins(move)
                    picked = [Card(card) for card in named(raw)]
                    found = GAME.offers(s, seat, picked)
                    count += 1
                    assert any(_same(offer.move, move) for offer in found), raw
    assert count > 500


def _same(offered: Any, move: Any) -> bool:
    if type(move).__name__ == "Buy":
        return type(offered) is type(move)
    return bool(offered == move)
