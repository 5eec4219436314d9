"""RULES.md, "A turn" and "Moves": what picked cards can do and why not, each offer proven by making its move."""

import random
from typing import Any

import msgspec
import pytest

from domain.cards import Seat
from domain.game import Illegal, Offer
from domain.offers import named
from domain.thai_rummy.options import Options
from domain.thai_rummy.state import Discard, Extend, Lay, State, Take
from tests.thai_rummy.tables import DRAW, GAME, NOW, PASS, READY, cards, chance, discard, play, spread, table, view
from tests.walk import parts, walk


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
    def test_the_stock(self) -> None:
        s = table("9S1 2D1", "TD1", phase="draw")
        assert (only(s, kind="draw").words, sent(only(s, kind="draw"))) == ("Draw", DRAW)
        assert (only(s, kind="pass").move, only(s, kind="pass").why) == (
            None, "You may pass only once the stock is out.",
        )  # fmt: skip
        assert [o.why for o in asked(s, "9S1") if o.kind in ("meld", "discard")] == ["Draw or take first."] * 2

    def test_passing(self) -> None:
        s = table("9S1 2D1", "TD1", stock="", phase="draw")
        assert (only(s, kind="draw").words, only(s, kind="draw").why) == (
            "Stock's out", "The stock is out: take from the pile or pass.",
        )  # fmt: skip
        assert (sent(only(s, kind="pass")), only(s, kind="pass").caution) == (PASS, None)
        last = only(play(s, PASS), kind="pass")
        assert last.caution == "Everyone has passed then, and the hand ends here."

    def test_the_richest_take_of_each_card(self) -> None:
        s = table("9S1 8S1 9H1 KD1", "TD1", pile="4H1 TS1 9C1 9D1", phase="draw")
        found = asked(s, kind="take")
        assert [(o.at, o.words, o.points) for o in found] == [
            (0, "Take 4", None), (1, "Take 3 and meld 8♠–10♠", 20), (2, "Take 2 and meld 9♣ 9♦ 9♥ 9♠", 20),
            (3, "Take 1 and meld 9♦ 9♥ 9♠", 15),
        ]  # fmt: skip
        assert found[0].why == "4♥ makes no new meld with a card of your hand."
        assert sent(found[1]) == {"type": "take", "at": 1, "meld": ["8S1", "9S1", "TS1"]}

    def test_takes_with_the_picked_cards(self) -> None:
        s = table("9S1 8S1 9H1 KD1", "TD1", pile="4H1 TS1 9C1 9D1", phase="draw")
        found = asked(s, "9S1", kind="take")
        assert [(o.at, o.words, o.why) for o in found] == [
            (0, "Take 4", "That is no meld. A meld has at least three cards."),
            (1, "Take 3", "That is no meld. A meld has at least three cards."),
            (2, "Take 2 and meld 9♣ 9♦ 9♠", None),
            (3, "Take 1", "That is no meld. A meld has at least three cards."),
        ]  # fmt: skip
        wrong = asked(s, "9S1 KD1", kind="take")
        assert [o.why for o in wrong][:2] == ["4♥ 9♠ K♦ make no new meld.", "10♠ 9♠ K♦ make no new meld."]
        assert asked(s, "9S1 8S1", kind="take")[1].words == "Take 3 and meld 8♠–10♠"

    def test_why_the_pile_is_not_taken(self) -> None:
        onto = table("2S1 9D1", "TD1", pile="8H1", melds=[(1, "5H1 6H1 7H1")], phase="draw")
        words = "You take from the pile only for a new meld: that the card fits one on the table is not enough."
        assert only(onto, kind="take").why == words
        own = table("2S1 9D1", "TD1", pile="4C1 4D1 4H1", phase="draw", stock="3C1")
        assert asked(own, kind="take")[0].why == "The new meld needs a card that was in your hand before."
        keep = table("8S1 9S1", "TD1", pile="7S1", phase="draw")
        assert only(keep, kind="take").why == "Keep a card: a hand ends with a discard."
        ace = table("2S1 3S1 9D1", "TD1", pile="AS1", phase="draw")
        assert only(ace, "2S1 3S1", "take").why == "The ace stands above the king only: never below a two."


class TestPlaying:
    def test_a_new_meld(self) -> None:
        s = table("QS1 JS1 KS1 4D1 4H1 4S1", "2S1")
        run = only(s, "QS1 JS1 KS1", "meld")
        assert (run.words, run.points, sent(run)) == (
            "Meld a run", 70, {"type": "meld", "cards": ["JS1", "QS1", "KS1"]},
        )  # fmt: skip
        assert (only(s, "4D1 4H1 4S1", "meld").words, only(s, "4D1 4H1 4S1", "meld").points) == ("Meld a set", 15)
        assert only(s, "4D1 4H1", "meld").why == "That is no meld. A meld has at least three cards."
        assert only(s, "4D1 4H1", "extend").why == "A meld is extended by one card at a time: pick one alone."
        assert only(s, "4D1 4H1", "discard").why == "Discard one card: pick that one alone."

    def test_a_card_stays(self) -> None:
        s = table("4D1 4H1 4S1", "2S1")
        assert only(s, "4D1 4H1 4S1", "meld").why == "Keep a card: a hand ends with a discard."
        last = table("8H1", "2S1", melds=[(1, "5H1 6H1 7H1")])
        assert only(last, "8H1", "extend").why == "Keep a card: a hand ends with a discard."
        assert only(last, kind="meld").why == "Your last card is for the discard: it goes face down and ends the hand."

    def test_extending(self) -> None:
        s = table("8H1 AH1 2C1 9D1", "2S1", melds=[(1, "5H1 6H1 7H1"), (0, "8C1 8D1 8S1"), (0, "2H1 3H1 4H1")])
        found = asked(s, "8H1", kind="extend")
        assert [(o.meld, o.end, o.points, o.words) for o in found] == [
            (0, "high", 5, "Extend with 8♥"), (1, None, 5, "Extend with 8♥"),
        ]  # fmt: skip
        assert only(s, "AH1", "extend").why == "The ace stands above the king only: never below a two."
        assert only(s, "9D1", "extend").why == "9♦ goes on no meld of the table."
        assert only(table("9D1 2D1", "2S1"), "9D1", "extend").why == "No meld lies on the table yet."

    def test_a_gift(self) -> None:
        s = table("8H1 9D1", "2S1", melds=[(1, "5H1 6H1 7H1")])
        gift = only(s, "8H1", "discard")
        assert (gift.words, gift.caution) == ("Discard 8♥", "8♥ could be laid on the table: −50.")
        assert view(play(s, sent(gift)), 0).gifts == (1, 0)
        assert only(s, "9D1", "discard").caution is None
        free = table("8H1 9D1", "2S1", melds=[(1, "5H1 6H1 7H1")], options=Options(gift_penalty="off"))
        assert only(free, "8H1", "discard").caution is None

    def test_feeding(self) -> None:
        words = "With 9♦ another may begin the last turn of the hand: −50."
        s = table("KH1 9D1", "2S1 3S1 4S1")
        assert only(s, "9D1", "discard").caution == words
        fewer, more = (only(table("KH1 9D1", rival), "9D1", "discard") for rival in ("2S1 3S1 4S1", "2S1 3S1 4S1 5S1"))
        assert (fewer.near, more.caution, more.near) == (True, words, False)
        off = table("KH1 9D1", "2S1 3S1 4S1", options=Options(fed_penalty="off"))
        assert only(off, "9D1", "discard").caution is None
        assert only(table("KH1 9D1", "2S1 3S1 4S1 5S1 6S1 7S1 8S1"), "9D1", "discard").caution is None
        own = table("9C1 9S1 9H1 8D1 TD1 9D1", "2S1 3S1 4S1")  # all that would go with it is in the same hand
        assert only(own, "9D1", "discard").caution is None

    def test_the_last_card(self) -> None:
        s = table("8H1", "2S1", melds=[(1, "5H1 6H1 7H1")])
        last = only(s, "8H1", "discard")
        assert (last.words, last.caution) == ("Lay 8♥ face down and go out", None)
        assert play(s, sent(last)).out == 0

    def test_what_is_richest(self) -> None:
        s = table("QS1 JS1 KS1 8H1 9D1", "2S1", melds=[(1, "5H1 6H1 7H1")])
        first = only(s, kind="meld")
        assert (first.words, first.points) == ("Meld J♠–K♠", 70)
        then = only(play(s, sent(first)), kind="extend")
        assert (then.words, then.points, then.meld, then.end) == ("Extend with 8♥", 5, 0, "high")
        nothing = only(play(s, sent(first), sent(then)), kind="meld")
        assert (nothing.move, nothing.why) == (None, "Nothing of your hand can be laid now.")
        assert only(s, kind="discard").why == "Pick the card to discard first."

    def test_stock_and_pile_have_had_their_time(self) -> None:
        s = play(table("8H1 2D1", "2S1", phase="draw"), DRAW)
        why = "You have your card: meld or discard."
        assert [(o.kind, o.why) for o in asked(s) if o.kind in ("draw", "take")] == [("draw", why), ("take", why)]


class TestOthers:
    def test_who_is_not_on_turn(self) -> None:
        s = table("8S1 2D1", "2S1")
        assert asked(s, seat=1) == []
        assert [(o.kind, o.why) for o in asked(s, "2S1", seat=1)] == [("none", "It is not your turn.")]

    def test_the_next_hand(self) -> None:
        s = play(table("8H1", "2S1"), discard("8H1"))
        (found,) = asked(s, seat=0)
        assert (found.words, sent(found)) == ("Next hand", READY)
        after = GAME.play(s, Seat(0), GAME.parse(READY), NOW, chance()).state
        (found,) = asked(after, seat=0)
        assert (found.move, found.why) == (None, "You are ready: the others are not yet.")

    @pytest.mark.parametrize("picked", ["QH1", "8S1 QH1", "8S1 8S1"])
    def test_cards_that_are_not_in_hand(self, picked: str) -> None:
        found = asked(table("8S1 2D1", "2S1"), picked)
        assert [o.why for o in found if o.kind == "none"] == ["A card you picked is not in your hand."]

    def test_nothing_is_offered_once_the_game_is_over(self) -> None:
        s = play(table("8H1", "2S1", totals=(480, 0)), discard("8H1"))
        assert s.phase == "over"
        assert asked(s, seat=0) == asked(s, "2S1", seat=1) == []


def same(move: Any) -> tuple[object, ...]:
    """A move whatever the order in which the cards of a meld are named."""
    raw = msgspec.to_builtins(move)
    return raw["type"], sorted(named(raw)), raw.get("at"), raw.get("end"), raw["type"] == "extend" and raw["meld"]


def check(s: State, seat: Seat) -> int:
    """All that is legal is offered for the cards of the hand that it names, for the points that it brings."""
    laid = 0
    for move in GAME.legal(s, seat):
        assert parts(move) == 1
        found = GAME.offers(s, seat, [c for c in named(msgspec.to_builtins(move)) if c in s.hands[seat]])
        assert same(move) in [same(o.move) for o in found if o.move is not None]
        for offer in found:
            if isinstance(offer.move, Lay | Extend | Take):
                after = GAME.play(s, seat, offer.move, NOW, chance("offers")).state
                assert offer.points == view(after, seat).melded[seat] - view(s, seat).melded[seat]
                laid += 1
    return laid


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_that_is_legal_is_offered(seats: int) -> None:
    rng, laid = random.Random(seats), 0
    for moment in walk(GAME, seats, Options(), seats):
        s: State = moment.state
        if s.phase != "over" and rng.random() < 0.2:
            laid += check(s, rng.choice([s.turn, s.turn, Seat(rng.randrange(seats))]))
    assert laid > 20


@pytest.mark.parametrize("seed", range(30))
def test_all_that_is_legal_on_crowded_tables(seed: int) -> None:
    rng = random.Random(seed)
    s = spread(rng, rng.randint(2, 14), seats=rng.randint(2, 4), phase=rng.choice(["draw", "play"]))
    check(s, Seat(0))


@pytest.mark.parametrize("seed", range(30))
def test_what_is_not_offered_is_refused(seed: int) -> None:
    """Picked at random: what is said not to go is refused by the rules, in whatever order it is named."""
    rng = random.Random(seed)
    s = spread(rng, rng.randint(2, 14), phase="play")
    hand = s.hands[0]
    for _ in range(20):
        picked = tuple(rng.sample(hand, min(len(hand), rng.randint(1, 4))))
        found = [o for o in GAME.offers(s, Seat(0), picked) if o.move is not None]
        tries = [Lay(picked), *(Extend(picked[0], meld.id) for meld in s.melds), Discard(picked[0])]
        for move in tries:
            raw = msgspec.to_builtins(move)
            if set(named(raw)) != set(picked):
                continue
            if not any(o.kind == raw["type"] and o.meld in (None, raw.get("meld")) for o in found):
                with pytest.raises(Illegal):
                    GAME.play(s, Seat(0), move, NOW, chance())
