"""RULES.md, "Players, cards and the deal" and "Options"."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from domain.cards import Seat, pack
from domain.game import Illegal
from domain.thai_rummy.options import Options
from domain.thai_rummy.state import State
from tests.thai_rummy.tables import GAME, NOW, READY, chance, discard, play, step, table

WORKED = {"t01", "t04", "t05", "t06", "t07", "t08", "t09", "t12", "t13"}


def deal(seats: int, name: str = "") -> State:
    state: State = GAME.start(Options(), seats, NOW, chance(name)).state
    return state


@pytest.mark.parametrize(("seats", "each", "stock"), [(2, 13, 25), (3, 10, 21), (4, 7, 23)])
def test_packs_and_stocks(seats: int, each: int, stock: int) -> None:
    s = deal(seats)
    assert [len(hand) for hand in s.hands] == [each] * seats
    assert (len(s.stock), len(s.pile)) == (stock, 1)
    assert sorted(card for place in (*s.hands, s.stock, s.pile) for card in place) == sorted(pack())
    assert (s.phase, s.turn, s.dark, s.gifts) == ("draw", (s.dealer + 1) % seats, (True,) * seats, (0,) * seats)


@pytest.mark.parametrize("seats", [0, 1, 5])
def test_two_to_four_players(seats: int) -> None:
    with pytest.raises(Illegal) as refused:
        GAME.check(Options(), seats)
    assert refused.value.code == "OPTIONS"


def test_cards_are_dealt_one_at_a_time_from_the_end_of_the_stock() -> None:
    s = deal(3, "one")
    source = chance("one")
    source.stream("dealer")
    shuffled = source.stream("deal:1").shuffle(pack())
    order = [(s.dealer + 1 + i) % 3 for i in range(3)]
    dealt: list[list[str]] = [[], [], []]
    for i in range(30):
        dealt[order[i % 3]].append(shuffled.pop())
    assert [list(hand) for hand in s.hands] == dealt
    assert list(s.pile) == [shuffled.pop()]
    assert list(s.stock) == shuffled


def test_chance_picks_the_first_dealer() -> None:
    dealers = Counter[Seat](deal(4, str(i)).first_dealer for i in range(200))
    assert set(dealers) == {0, 1, 2, 3}
    assert min(dealers.values()) > 25


def test_a_new_hand_starts_clean_and_keeps_the_totals() -> None:
    s = table("KS1", "2H1 3H1", melds=[(1, "5H1 6H1 7H1")], totals=(40, 60), gifts=(0, 1), fed=Seat(1))
    s = play(s, discard("KS1"))
    assert s.scores == ((50, -95),)  # 15 shown less 10 held, a gift, feeding
    source = chance("clean")
    s = step(s, READY, 0, source).state
    last = step(s, READY, 1, source)
    s = last.state
    assert [line.kind for line in last.lines] == ["ready", "dealt"]
    assert (s.phase, s.deals, s.melds, s.next_id, s.down, s.out) == ("draw", 2, (), 0, None, None)
    assert (s.gifts, s.fed, s.thrower, s.dark, s.passes, s.moves) == ((0, 0), None, None, (True, True), 0, 0)
    assert (s.ready, s.known, s.totals) == ((False, False), ((), ()), (90, -35))


def test_defaults() -> None:
    assert Options() == Options(
        target=500, floor=-500, fed_penalty="on", gift_penalty="on", doubling="on", double_scope="all",
        bot_pace="brisk",
    )  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        {"target": 400}, {"target": "500"}, {"floor": 500}, {"floor": True}, {"doubling": True}, {"doubling": "yes"},
        {"double_scope": "hand"}, {"fed_penalty": None}, {"gift_penalty": 1}, {"bot_pace": "slow"}, {"x": 1},
    ],
)  # fmt: skip
def test_bad_options(options: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(options, Options)


@pytest.mark.parametrize("field", Options.__struct_fields__)
def test_options_say_what_they_are(field: str) -> None:
    schema = msgspec.json.schema(Options)["$defs"]["Options"]["properties"][field]
    assert schema["title"]
    assert schema["description"].endswith(".")
    assert "default" in schema


def test_every_worked_case_has_its_files() -> None:
    folder = Path(__file__).parents[1] / "cases" / "thai_rummy"
    assert {file.name[:3] for file in folder.glob("t*.toml")} == WORKED
