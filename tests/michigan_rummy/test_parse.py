"""RULES.md, "Moves": what is read as a move, and that every spelling is kept as one plain form."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import canon
from domain.game import Illegal
from domain.michigan_rummy.state import Discard, Draw, Lay, NewMeld, Play, Ready, Take
from tests.michigan_rummy.tables import GAME, NOW, chance, refused, table


def bad(raw: Any) -> str:
    with pytest.raises(Illegal) as refusal:
        GAME.parse(raw)
    assert len(refusal.value.words) < 300
    return refusal.value.code


def test_moves() -> None:
    assert GAME.parse({"type": "draw"}) == Draw()
    assert GAME.parse({"type": "take", "at": 3}) == Take(3)
    assert GAME.parse({"type": "discard", "card": "KS1"}) == Discard("KS1")  # type: ignore[arg-type]
    assert GAME.parse({"type": "ready"}) == Ready()
    assert GAME.parse({"type": "meld"}) == Lay()
    raw = {
        "type": "meld",
        "melds": [{"cards": ["5H1", "6H1", "*1"], "kind": "run", "low_jokers": 1}],
        "plays": [{"card": "8H1", "meld": "n0", "end": "high"}, {"card": "9S1", "meld": 0}],
    }
    new: Any = NewMeld(("5H1", "6H1", "*1"), "run", 1)  # type: ignore[arg-type]
    plays: Any = (Play("8H1", "n0", "high"), Play("9S1", 0))  # type: ignore[arg-type]
    assert GAME.parse(raw) == Lay((new,), plays)


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"type": "fold"},
        {"type": None},
        {"type": ["draw"]},
        {"type": "draw", "card": "KS1"},
        {"type": "ready", "now": True},
        {"type": "discard"},
        {"type": "discard", "card": 7},
        {"type": "discard", "card": None},
        {"type": "discard", "card": "KS1", "also": "QS1"},
        {"type": "take", "at": 1, "deep": True},
        {"type": "meld", "melds": "5H1"},
        {"type": "meld", "melds": {"cards": []}},
        {"type": "meld", "melds": [["5H1", "6H1", "7H1"]]},
        {"type": "meld", "melds": [{"kind": "set"}]},
        {"type": "meld", "melds": [{"cards": "5H1 6H1 7H1"}]},
        {"type": "meld", "melds": [{"cards": [5, 6, 7]}]},
        {"type": "meld", "melds": [{"cards": ["5H1"], "suit": "H"}]},
        {"type": "meld", "plays": [{"card": "5H1"}]},
        {"type": "meld", "plays": [{"meld": 0}]},
        {"type": "meld", "plays": [{"card": "5H1", "meld": True}]},
        {"type": "meld", "plays": [{"card": "5H1", "meld": 1.5}]},
        {"type": "meld", "plays": [{"card": "5H1", "meld": None}]},
        {"type": "meld", "plays": [{"card": "5H1", "meld": 0, "to": 1}]},
        {"type": "meld", "plays": None},
        {"type": "meld", "swap": []},
    ],
)
def test_malformed(raw: Any) -> None:
    assert bad(raw) == "BAD"


@pytest.mark.parametrize("key", ["melds", "plays"])
def test_no_list_is_longer_than_two_hundred(key: str) -> None:
    part = {"cards": ["5H1"]} if key == "melds" else {"card": "5H1", "meld": 0}
    assert bad({"type": "meld", key: [part] * 201}) == "BAD"
    assert bad({"type": "meld", "melds": [{"cards": ["5H1"] * 201}]}) == "BAD"
    assert refused(table("KS1", "2H1"), {"type": "meld", key: [part] * 200}) == "NOT_YOURS"


def test_a_huge_move_is_refused_in_few_words() -> None:
    name = "x" * 1_000_000
    assert bad({"type": name}) == "BAD"
    assert bad({"type": "draw", name: 1}) == "BAD"
    assert refused(table("KS1", "2H1"), {"type": "discard", "card": name}) == "NOT_YOURS"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"kind": "SET"}, {}),
        ({"kind": None}, {}),
        ({"kind": ["run"]}, {}),
        ({"kind": "run"}, {"kind": "run"}),
        ({"low_jokers": 0}, {}),
        ({"low_jokers": -1}, {}),
        ({"low_jokers": True}, {}),
        ({"low_jokers": "2"}, {}),
        ({"low_jokers": 2}, {"low_jokers": 2}),
        ({"low_jokers": 10**30}, {"low_jokers": 14}),
    ],
)
def test_what_is_tolerated_in_a_meld_is_kept_plain(sent: dict[str, Any], kept: dict[str, Any]) -> None:
    move = GAME.parse({"type": "meld", "melds": [{"cards": ["5H1"], **sent}]})
    assert msgspec.json.decode(msgspec.json.encode(move)) == {"type": "meld", "melds": [{"cards": ["5H1"], **kept}]}


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("high", "high"),
        ("low", "low"),
        (None, None),
        ("middle", "neither"),
        ("é", "neither"),
        (7, "neither"),
        ([], "neither"),
    ],
)
def test_ends(sent: Any, kept: str | None) -> None:
    move = GAME.parse({"type": "meld", "plays": [{"card": "5H1", "meld": 0, "end": sent}]})
    assert isinstance(move, Lay)
    assert move.plays[0].end == kept


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["5H1", "n0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["type", "at", "card", "cards", "melds", "plays", "meld", "kind", "low_jokers", "end", "x"])
parts = st.dictionaries(KEYS, anything, max_size=4)
raws = st.fixed_dictionaries(
    {"type": st.sampled_from(["draw", "take", "meld", "discard", "ready", "?"])},
    optional={"at": anything, "card": anything, "melds": st.lists(parts, max_size=2), "plays": st.lists(parts)},
)


@settings(deadline=None, max_examples=300)
@given(raws)
def test_a_move_is_read_or_refused_and_reads_back_the_same(raw: dict[str, Any]) -> None:
    try:
        move = GAME.parse(raw)
    except Illegal as refusal:
        code = refusal.code
    else:
        code = "" if GAME.parse(msgspec.json.decode(msgspec.json.encode(move))) == move else "CHANGED"
    assert code in ("", "BAD", "BAD_INDEX")


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_what_is_accepted_has_a_canonical_form(data: st.DataObject) -> None:
    """However oddly a legal move is spelled, what would be stored is plain text."""
    odd = {"kind": data.draw(anything), "low_jokers": data.draw(anything)}
    raw = {
        "type": "meld",
        "melds": [{"cards": ["5S1", "5D1", "5C1"], **odd}],
        "plays": [{"card": "5H1", "meld": "n0", "end": data.draw(anything)}],
    }
    move = GAME.parse(raw)
    s = table("5S1 5D1 5C1 5H1 KS1", "2H1")
    if odd["kind"] != "run":
        GAME.play(s, s.turn, move, NOW, chance())
    assert GAME.parse(canon.decode(canon.encode(move))) == move
