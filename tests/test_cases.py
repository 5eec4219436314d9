"""Case files: those delivered all hold, and the runner finds what does not, saying where."""

import argparse
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from api import cli_case
from domain import cases
from domain.cards import Card, Ms
from domain.chance import Chance
from domain.game import Illegal, Step
from domain.melds import Style, run_choices
from domain.positions import KEY, CaseError, set_up, spelled
from domain.registry import GAMES, newest
from tests.toys import BadFallback, LosesCards, Options, Whispers

CASES = Path(__file__).parent / "cases"
TOYS: dict[str, dict[int, Any]] = {"whispers": {1: Whispers()}}

TOY = """
about = "a toy"
game = "whispers"
[position]
hands = ["AS1 2S1 3S1", "KS1 QS1 JS1"]
stock = "4D1 5D1 6D1 7D1"
"""


def run(text: str, games: Any = TOYS) -> list[str]:
    return cases.run(cases.parse(text), games)


def toy(**fields: Any) -> Any:
    """A state of the toy: TOY's position with other fields."""
    return set_up(Whispers(), {}, cases.parse(TOY).position | fields)


@pytest.mark.parametrize("file", sorted(CASES.rglob("*.toml")), ids=lambda file: str(file.relative_to(CASES))[:-5])
def test_case(file: Path) -> None:
    case = cases.parse(file.read_text(encoding="utf-8"))
    assert case.game == file.parent.name
    assert cases.run(case, GAMES) == []


def test_every_worked_case_has_its_files() -> None:
    numbers = {file.name[:3] for file in (CASES / "michigan_rummy").glob("m*.toml")}
    assert numbers == {"m01", "m02", "m04", "m05", "m07", "m08", "m11", "m12"}


def test_the_ways_to_lay_a_run() -> None:
    """Case M1, which speaks of choices before a move is made, and of a null that TOML has no word for."""
    style = Style()
    for cards, count in (("QH1 KH1 *1", 2), ("KH1 AH1 *1", 1), ("AH1 2H1 *1", 1), ("2H1 4H1 *1 *2", 2)):
        assert len(run_choices(cards.split(), style)) == count  # type: ignore[arg-type]
    game = newest("michigan_rummy")
    meld = {"type": "meld", "melds": [{"cards": ["QH1", "KH1", "*1"]}]}
    null = {"type": "meld", "melds": [{"cards": ["QH1", "KH1", "*1"], "low_jokers": None}]}
    assert game.parse(null) == game.parse(meld)


# Positions


def test_what_is_not_named_is_as_at_a_fresh_deal() -> None:
    fresh = Whispers().start(Options(seconds=20), 3, Ms(0), Chance(KEY)).state
    assert set_up(Whispers(), {"seconds": 20}, {"seats": 3}) == fresh
    moved = set_up(Whispers(), {"seconds": 20}, {"seats": 3, "round": 2, "asked": [1, 0, 0]})
    assert (moved.round, moved.asked, moved.hands) == (2, (1, 0, 0), fresh.hands)


def test_once_a_place_is_named_the_pack_is_the_cards_named() -> None:
    state = toy()
    assert state.pile == ()
    assert state.picks == (None, None)
    assert sum(map(len, Whispers().zones(state).values())) == 10
    assert toy(hands=[["AS1"], "2S1"]).hands == (("AS1",), ("2S1",))
    only_stock = set_up(Whispers(), {}, {"seats": 3, "stock": "AS1"})
    assert only_stock.hands == ((), (), ())


def test_without_seats_there_are_as_many_as_hands() -> None:
    assert toy(hands=["AS1", "2S1", "3S1"], seats=3).seats == 3
    assert toy(hands=["AS1", "2S1", "3S1"]).seats == 3
    assert set_up(Whispers(), {}, {}).seats == 2


def test_a_meld_takes_what_follows_from_its_place_and_cards() -> None:
    nines, eights = {"owner": 1, "cards": "9S1 9H1 *1"}, {"owner": 0, "id": 7, "by": [0, 1, 0], "cards": "8S1 8H1 8D1"}
    state = toy(melds=[nines, eights])
    first, second = state.melds
    assert (first.id, first.owner, first.rank, first.by) == (0, 1, "9", (1, 1, 1))
    assert (second.id, second.by) == (7, (0, 1, 0))
    assert state.next_id == 8
    assert toy(melds=[{"owner": 1, "cards": "9S1 9H1 *1"}], next_id=4).next_id == 4


def test_a_run_takes_suit_and_position_from_its_cards() -> None:
    def lies(cards: str) -> tuple[str, int]:
        hands = {"hands": ["2D1", "3D1"], "melds": [{"owner": 0, "cards": cards}]}
        run = set_up(newest("michigan_rummy"), {}, hands).melds[0]
        return run.suit, run.lo

    assert lies("AH1 2H1 3H1") == ("H", 1)
    assert lies("QC1 KC1 AC1") == ("C", 12)
    assert lies("*1 KH1 AH1") == ("H", 12)
    assert lies("*1 *2 4S1 5S1") == ("S", 2)


def test_null_names_fields_without_a_value() -> None:
    assert toy(null=["closes"]).closes is None
    with pytest.raises(CaseError, match=r"position: .*\$\.round"):
        toy(null=["round"])


class FromOne(Whispers):
    """Counts its melds from one."""

    def start(self, *args: Any) -> Step:
        step = super().start(*args)
        return step._replace(state=msgspec.structs.replace(step.state, next_id=1))


def test_ids_count_from_where_the_game_counts() -> None:
    melds = [{"owner": 0, "cards": "8S1 8H1 8D1"}, {"owner": 0, "cards": "9S1 9H1 9D1"}]
    state = set_up(FromOne(), {}, cases.parse(TOY).position | {"melds": melds})
    assert ([meld.id for meld in state.melds], state.next_id) == ([1, 2], 3)


class Window(msgspec.Struct, frozen=True):
    """What positions of other games hold."""

    card: Card
    closes: int | None
    seen: tuple[tuple[Card, ...], ...] = ()
    piles: dict[str, tuple[Card, ...]] = {}


def test_cards_are_split_wherever_a_type_wants_cards() -> None:
    written = {"card": "8H1", "seen": ["8H1 9H1", ""], "piles": {"left": "AS1 *1"}}
    full = {"card": "8H1", "closes": None, "seen": [["8H1", "9H1"], []], "piles": {"left": ["AS1", "*1"]}}
    assert spelled(Window, written) == full
    assert spelled(Window | None, written) == full
    assert spelled(tuple[Window, ...], [written]) == [full]
    assert spelled(Window, {"cards": "8H1"}, strict=False) == {"cards": "8H1"}
    with pytest.raises(CaseError, match=r"window\.cards: no such field; there are card, closes, piles, seen"):
        spelled(Window, {"cards": "8H1"}, "window")


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"colour": 1}, "position.colour: no such field; there are asked, "),
        ({"round": "2"}, r"position: .*\$\.round"),
        ({"seats": 5, "hands": ["AS1"] * 5}, "options: OPTIONS"),
        ({"seats": 3}, "position.hands: 2 hands for 3 seats"),
        ({"seats": True}, "position.seats: a number is wanted"),
        ({"pile": "AS1"}, "position: AS1 lies in hand:0 and in pile"),
        ({"pile": "1S1"}, "position: '1S1' in pile is no card"),
        ({"melds": [{"owner": 0}]}, r"position.melds\[0\]: a meld names its cards"),
        ({"melds": [{"owner": 0, "cards": "9S1 9H1 TD1"}]}, r"position.melds\[0\].cards: these lie as no meld"),
        ({"melds": [{"owner": 0, "cards": "9S1 ZZ"}]}, r"position.melds\[0\].cards: not all"),
        ({"melds": [{"owner": 0, "cards": "9S1 9H1 9D1", "x": 1}]}, r"position.melds\[0\].x: no such field"),
        ({"melds": [{"cards": "9S1 9H1 9D1"}]}, r"position: .*owner"),
        ({"null": "closes"}, "position.null: a list of names"),
        ({"null": ["nothing"]}, "position.nothing: no such field"),
    ],
)
def test_a_wrong_position_says_what_is_wrong(fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(CaseError, match=fault):
        toy(**fields)


@pytest.mark.parametrize("options", [{"seconds": 11}, {"minutes": 1}])
def test_wrong_options_say_so(options: dict[str, Any]) -> None:
    with pytest.raises(CaseError, match="options: "):
        set_up(Whispers(), options, {})


# Files


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("about = ", "Invalid value"),
        ('game = "whispers"', "`about`"),
        ('about = "x"\ngame = "whispers"\ncolour = 1', "unknown field `colour`"),
        (TOY + "[[step]]\nseat = 0\ncolour = 1", r"unknown field `colour` - at `\$\.step\[0\]`"),
        (TOY + "[[step]]\nview = { seat = 0, see = 1 }", "unknown field `see`"),
        (TOY + '[[step]]\nmove = { type = "ready" }', "step 1: a move needs a seat"),
        (TOY + "[[step]]\nat = 5\n[[step]]\nat = 4", "step 2: at: time does not go back"),
        (TOY + "[[step]]\nat = -5", "step 1: at: time does not go back"),
        (TOY + "[[step]]\nexpect = { colour = 1 }", "step 1: expect.colour: no such field; there are asked"),
        (TOY + '[[step]]\nnull = ["colour"]', "step 1: expect.colour: no such field"),
        (TOY + "[[step]]\nview = { expect = { stocks = 1 } }", "step 1: view.stocks: no such field"),
        (TOY + "[[step]]\nhelps = { seat = 0, expect = { worst = 1 } }", "step 1: helps.worst: no such field"),
        (TOY + "[[step]]\nhelps = { expect = { best = 1 } }", "step 1: helps: only a seat is helped"),
        (TOY + '[[step]]\nseat = 2\nmove = { type = "ready" }', "step 1: seat 2: the table has seats 0 to 1"),
        (TOY + "[[step]]\nview = [{ seat = 0 }, { seat = -1 }]", "step 1: seat -1: the table"),
        (TOY + "[[step]]\nhelps = { seat = 5 }", "step 1: seat 5: the table"),
        (TOY.replace("whispers", "chess"), "game: there is none called chess; there are whispers"),
        (TOY.replace("[position]", "rules = 2\n[position]"), "rules: there is no version 2 of whispers"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(text: str, fault: str) -> None:
    with pytest.raises(CaseError, match=fault):
        run(text)


# Steps

PICK = '[[step]]\nseat = 0\nmove = { type = "pick", card = "2S1" }\n'
TICK = '[[step]]\nat = 10000\nmove = { type = "tick" }\n'


def test_time_passes_by_ticks_which_come_when_due() -> None:
    early = '[[step]]\nat = 9999\nmove = { type = "tick" }\nrefused = "NOT_DUE"\n'
    closed = 'expect = { pile = "2S1 KS1", totals = [0, 1], round = 2, closes = 20000 }\n'
    assert run(TOY + PICK + early + TICK + closed) == []
    late = '[[step]]\nat = 12345\nmove = { type = "tick" }\nexpect = { closes = 22345 }\n'
    assert run(TOY + PICK + late) == []


def test_refused_and_expect_may_stand_together() -> None:
    step = '[[step]]\nseat = 0\nmove = { type = "pick", card = "KS1" }\nrefused = "NOT_YOURS"\nexpect = { round = 1 }\n'
    assert run(TOY + step) == []
    assert run(TOY + step.replace("round = 1", "round = 2")) == ["step 1: round: expected 2, got 1"]


def test_a_refusal_that_was_not_expected_is_a_difference() -> None:
    step = '[[step]]\nseat = 0\nmove = { type = "pick", card = "KS1" }\n'
    said = "step 1: refused NOT_YOURS (That card is not in your hand.), expected"
    assert run(TOY + step) == [f"{said} to be accepted"]
    assert run(TOY + step + 'refused = "PHASE"') == [f"{said} to be refused PHASE"]
    assert run(TOY + PICK + 'refused = "PHASE"') == ["step 1: accepted, expected to be refused PHASE"]
    malformed = '[[step]]\nseat = 0\nmove = { type = "pick", cards = 1 }\nrefused = "BAD"\n'
    assert run(TOY + malformed) == []


def test_the_first_step_that_fails_is_the_last_that_is_run() -> None:
    wrong = PICK + "expect = { round = 7, totals = [0, 0], deals = 7 }\n"
    expected = ["step 2: round: expected 7, got 1", "step 2: deals: expected 7, got 1"]
    assert run(TOY + "[[step]]\nexpect = { round = 1 }\n" + wrong + wrong) == expected


@pytest.mark.parametrize(
    ("expect", "difference"),
    [
        ('{ hands = ["3S1 AS1 2S1", "KS1 QS1 JS1"] }', ""),  # hands are sets
        ('{ hands = [["3S1", "AS1", "2S1"], "KS1 QS1 JS1"] }', ""),
        ('{ hands = ["KS1 QS1 JS1", "3S1 AS1 2S1"] }', "hands[0]: expected \"KS1 QS1 JS1\", got \"AS1 2S1 3S1\""),
        ('{ hands = ["3S1 AS1", "KS1 QS1 JS1"] }', "hands[0]: expected"),
        ('{ hands = ["3S1 AS1 2S1"] }', "hands: expected"),
        ('{ stock = "5D1 4D1 6D1 7D1" }', "stock: expected"),  # a stock is a list
        ('{ stock = ["4D1", "5D1", "6D1", "7D1"] }', ""),
        ('{ pile = "" }', ""),
        ("{ pile = [] }", ""),
        ('{ pile = "4D1" }', "pile: expected"),
        ("{ cheered = [false, false] }", ""),
        ("{ cheered = [0, 0] }", "cheered[0]: expected 0, got False"),
        ("{ round = true }", "round: expected True, got 1"),
        ("{ totals = [0] }", "totals: expected [0], got [0, 0]"),
        ('{ melds = [{ id = 3 }, { id = 0, cards = "9S1 9H1 9D1" }] }', ""),
        ('{ melds = [{ owner = 1 }, { owner = 0, cards = "8S1 8H1 8D1", rank = "8" }] }', ""),
        ("{ melds = [{ owner = 1 }] }", "melds: expected"),
        ("{ melds = [{ owner = 0 }, {}] }", "melds[0].owner: expected 0, got 1"),
        ('{ melds = [{ colour = "red" }, {}] }', "melds[0].colour: there is no such field"),
        ('{ melds = [{ cards = "9H1 9S1 9D1" }, {}] }', "melds[0].cards: expected"),
    ],
)
def test_parts_of_the_position_are_compared(expect: str, difference: str) -> None:
    melds = '[[position.melds]]\nowner = 0\nid = 3\ncards = "8S1 8H1 8D1"\n'
    melds += '[[position.melds]]\nowner = 1\nid = 0\ncards = "9S1 9H1 9D1"\n'
    found = run(TOY + melds + f"[[step]]\nexpect = {expect}\n")
    assert found == [] if not difference else found[0].startswith(f"step 1: {difference}")


def test_fields_that_must_be_null() -> None:
    assert run(TOY + '[[step]]\nnull = ["closes"]\n') == ["step 1: closes: expected null, got 10000"]
    scored = TOY.replace("[position]", '[position]\nphase = "scored"\nnull = ["closes"]')
    assert run(scored + '[[step]]\nnull = ["closes"]\n') == []


def test_views_of_seats_and_watchers() -> None:
    views = """view = [
        { seat = 0, expect = { pick = "2S1", hand = "3S1 2S1 AS1", counts = [3, 3] }, null = ["revealed"] },
        { seat = 1, null = ["pick"] },
        { expect = { stock = 4 }, null = ["pick", "hand"] },
    ]"""
    assert run(TOY + PICK + views) == []
    wrong = PICK + "view = { expect = { stock = 5 } }"
    assert run(TOY + wrong) == ["step 1: watcher's view: stock: expected 5, got 4"]
    wrong = PICK + 'view = { seat = 0, null = ["pick"] }'
    assert run(TOY + wrong) == ["step 1: view of seat 0: pick: expected null, got '2S1'"]


def test_helps_lines_and_outcome() -> None:
    assert run(TOY + '[[step]]\nhelps = { seat = 1, expect = { best = "KS1" } }\n') == []
    assert run(TOY + '[[step]]\nhelps = { seat = 1, expect = { best = "QS1" } }\n') != []
    lines = 'lines = [{ kind = "closed", data = { cards = "2S1 KS1" } }, { kind = "drew", seat = 1 }]\n'
    assert run(TOY + PICK + TICK + lines) == []
    assert "none (or none in this order)" in run(TOY + PICK + TICK + 'lines = [{ kind = "hand" }]')[0]
    backwards = 'lines = [{ kind = "drew" }, { kind = "closed" }]\n'
    assert run(TOY + PICK + TICK + backwards) != []
    last = TOY.replace("[position]", "[position]\nround = 3\ndeals = 2") + TICK
    assert run(last + "outcome = { places = [2, 1], totals = [0, 1] }\n") == []
    assert run(last + "outcome = { places = [1, 2] }\n")[0].startswith("step 1: outcome.places[0]: expected 1")
    assert run(TOY + PICK + "outcome = { places = [1, 2] }\n") == ["step 1: outcome: the game goes on"]


def test_by_timer_only_the_fallback_is_played() -> None:
    assert run(TOY + PICK.replace("2S1", "AS1") + 'by = "timer"\n') == []
    assert "NOT_FALLBACK" in run(TOY + PICK + 'by = "timer"\n')[0]


def test_a_new_deal_has_a_pack_of_its_own() -> None:
    text = TOY.replace("[position]", '[position]\nphase = "scored"\nready = [true, false]\nnull = ["closes"]')
    step = '[[step]]\nseat = 1\nmove = { type = "ready" }\nexpect = { deals = 2, phase = "pick" }\n'
    assert run(text + step + 'view = { expect = { counts = [3, 3], stock = 46 } }') == []


class Broken(Whispers):
    def cheer(self, s: Any, seat: Any, *_: Any) -> Step:
        raise IndexError("a bug")


class Careless(Whispers):
    """A state with a part that is not frozen, and a refusal that changes it."""

    rounds = 1

    def position(self, s: Any) -> Any:
        return msgspec.structs.replace(super().position(s), round=self.rounds)

    def pick(self, s: Any, seat: Any, move: Any, *_: Any) -> Step:
        self.rounds += 1
        raise Illegal("NOT_YOURS", "No.")


@pytest.mark.parametrize(
    ("game", "step", "found"),
    [
        (LosesCards, PICK + TICK, "step 2: cards were lost, made or doubled: KS1"),
        (BadFallback, PICK, "step 1: the fallback of seat 0 is refused: SAME"),
        (Careless, PICK + 'refused = "NOT_YOURS"', "step 1: the refusal changed the position"),
        (Broken, '[[step]]\nseat = 0\nmove = { type = "cheer" }\n', "step 1: the rules broke: IndexError: a bug"),
    ],
)
def test_what_must_hold_at_every_table_is_looked_at_after_every_step(game: Any, step: str, found: str) -> None:
    assert run(TOY + step, {"whispers": {1: game()}})[0].startswith(found)


# The command


def faircut_case(*files: Path, as_json: bool = False) -> int:
    parser = argparse.ArgumentParser()
    cli_case.arguments(parser)
    return cli_case.run(parser.parse_args([*map(str, files), *(["--json"] if as_json else [])]))


GOOD = """about = "a fresh table"
game = "michigan_rummy"
[[step]]
expect = { phase = "draw", deals = 1 }
"""


def test_the_command_says_what_holds_and_exits_accordingly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "good.toml").write_text(GOOD)
    assert faircut_case(tmp_path) == 0
    assert capsys.readouterr().out.splitlines() == ["✓ a fresh table", "1 of 1 hold"]
    bad = tmp_path / "bad.toml"
    bad.write_text(GOOD.replace("deals = 1", "deals = 2"))
    assert faircut_case(tmp_path) == 1
    said = capsys.readouterr().out
    assert "✗ a fresh table" in said
    assert f"{bad}: step 1: deals: expected 2, got 1" in said
    broken = tmp_path / "broken.toml"
    broken.write_text(GOOD + "colour = 1\n")
    assert faircut_case(tmp_path) == 2
    err = capsys.readouterr().err
    assert f"{broken}: " in err
    assert "`colour`" in err
    assert faircut_case(tmp_path / "missing.toml") == 2
    (tmp_path / "none").mkdir()
    assert faircut_case(tmp_path / "none") == 2
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'about = "\xff"')
    assert faircut_case(latin) == 2


def test_the_command_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(GOOD.replace("deals = 1", "deals = 2"))
    assert faircut_case(file, as_json=True) == 1
    assert json.loads(capsys.readouterr().out) == [
        {"file": str(file), "about": "a fresh table", "ok": False,
         "differences": ["step 1: deals: expected 2, got 1"], "error": None}
    ]  # fmt: skip
