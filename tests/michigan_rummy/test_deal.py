"""RULES.md, "Players, cards and the deal" and "Options"."""

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from domain.cards import Seat, pack
from domain.chance import Chance
from domain.game import Illegal, Step
from domain.michigan_rummy.options import Options
from domain.michigan_rummy.state import State
from tests.michigan_rummy.tables import DEFAULTS, GAME, NOW, cards, chance, discard, draw, play, ready, step, table

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "vectors.json").read_text())


def deal(seats: int, name: str = "", options: Options = DEFAULTS) -> State:
    state: State = GAME.start(options, seats, NOW, chance(name)).state
    return state


@pytest.mark.parametrize(
    ("seats", "whole", "each", "stock"),
    [
        (2, 54, 13, 27),
        (3, 54, 7, 32),
        (4, 54, 7, 25),
        (5, 108, 7, 72),
        (6, 108, 7, 65),
        (7, 108, 7, 58),
        (8, 108, 7, 51),
    ],
)
def test_packs_and_stocks(seats: int, whole: int, each: int, stock: int) -> None:
    s = deal(seats)
    assert [len(hand) for hand in s.hands] == [each] * seats
    assert (len(s.stock), len(s.pile)) == (stock, 1)
    every = [card for hand in (*s.hands, s.stock, s.pile) for card in hand]
    assert sorted(every) == sorted(pack(whole // 52, whole // 52 * 2))
    assert len(every) == whole


@pytest.mark.parametrize("seats", [0, 1, 9])
def test_two_to_eight_players(seats: int) -> None:
    with pytest.raises(Illegal) as refused:
        GAME.check(Options(), seats)
    assert refused.value.code == "OPTIONS"


def test_the_vectors_hold() -> None:
    s: State = GAME.start(Options(), 2, NOW, Chance(bytes.fromhex(VECTORS["key"]))).state
    assert s.dealer == s.first_dealer == VECTORS["dealer"] == 1
    after, dealer = VECTORS["hands"]
    assert s.hands == (cards(after), cards(dealer))  # the seat after the dealer is dealt first
    assert s.pile == (VECTORS["upcard"],)
    assert s.stock[-1] == VECTORS["first_stock_draw"]
    shuffled = cards(VECTORS["shuffled"])
    assert s.stock == shuffled[: len(s.stock)]


def test_cards_are_dealt_one_at_a_time_from_the_end_of_the_stock() -> None:
    s = deal(3, "one")
    source = chance("one")
    source.stream("dealer")
    shuffled = source.stream("deal:1").shuffle(pack(1, 2))
    order = [(s.dealer + 1 + i) % 3 for i in range(3)]
    dealt: list[list[str]] = [[], [], []]
    for i in range(21):
        dealt[order[i % 3]].append(shuffled.pop())
    assert [list(hand) for hand in s.hands] == dealt
    assert list(s.pile) == [shuffled.pop()]
    assert list(s.stock) == shuffled


def test_chance_picks_the_first_dealer_and_the_left_of_it_begins() -> None:
    dealers = Counter[Seat]()
    for i in range(200):
        s = deal(4, str(i))
        dealers[s.first_dealer] += 1
        assert s.turn == (s.dealer + 1) % 4
    assert set(dealers) == {0, 1, 2, 3}
    assert min(dealers.values()) > 25


def test_the_first_turn_is_a_draw() -> None:
    s = deal(2)
    assert (s.phase, s.deals, s.moves, s.turns, s.must, s.took) == ("draw", 1, 0, 0, None, ())


def test_the_deal_passes_to_the_left() -> None:
    """Three hands of three seats: dealer and first turn move on, labels are those of the hand."""
    source = chance("left")
    s: State = GAME.start(Options(), 3, NOW, source).state
    first = s.dealer
    for hand in range(2, 5):
        s = msgspec.structs.replace(s, phase="scored")
        for seat in range(3):
            last: Step = step(s, ready(), seat, source)
            s = last.state
        assert (s.deals, s.dealer, s.turn) == (hand, (first + hand - 1) % 3, (first + hand) % 3)
        assert f"deal:{hand}" in source.spent
        assert [line.kind for line in last.lines] == ["ready", "dealt"]


def test_a_new_hand_starts_clean_and_keeps_the_totals() -> None:
    s = table("KS1", "2H1 3H1", melds=[(1, "5H1 6H1 7H1")], totals=(40, 60), melded=(5, 15), reshuffles=2, stalled=3)
    source = chance("clean")
    s = play(s, discard("KS1"))
    assert s.phase == "scored"
    s = step(s, ready(), 0, source).state
    s = step(s, ready(), 1, source).state
    assert (s.phase, s.deals, s.melds, s.next_id) == ("draw", 2, (), 0)
    assert (s.melded, s.reshuffles, s.stalled, s.moves, s.turns) == ((0, 0), 0, 0, 0, 0)
    assert (s.ready, s.known, s.out) == ((False, False), ((), ()), None)
    assert s.totals == (45, 65)


def test_defaults() -> None:
    assert Options() == Options(discard_out="off", target=500, bot_pace="brisk")


@pytest.mark.parametrize(
    "options",
    [{"target": 400}, {"target": "500"}, {"discard_out": True}, {"discard_out": "yes"}, {"bot_pace": "slow"}, {"x": 1}],
)
def test_bad_options(options: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(options, Options)


@pytest.mark.parametrize("field", ["discard_out", "target", "bot_pace"])
def test_options_say_what_they_are(field: str) -> None:
    schema = msgspec.json.schema(Options)["$defs"]["Options"]["properties"][field]
    assert schema["title"]
    assert schema["description"].endswith(".")
    assert "default" in schema


def test_every_draw_comes_from_the_end_of_the_stock() -> None:
    s = table("KS1", "2H1", stock="3C1 4C1 5C1", pile="6C1", phase="draw")
    after = play(s, draw())
    assert after.hands[0] == cards("KS1 5C1")
    assert after.stock == cards("3C1 4C1")
