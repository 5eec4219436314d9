"""Canonical bytes: one spelling for each value, and every other one refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from domain import canon, events
from domain.canon import LIMIT, NotCanonical, decode, encode

TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters='"\\'), max_size=8)
KEYS = st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True)
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-LIMIT, LIMIT) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def plain(value: Any) -> bytes:
    """The same by the standard library: a second writer."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_what_is_written_reads_back_and_has_one_spelling(value: dict[str, Any]) -> None:
    raw = encode(value)
    assert raw == plain(value)
    assert decode(raw) == value


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"{", b"{}{}", b"[]", b"1", b"null", b'"a"',
        b'{"b":1,"a":2}',  # order
        b'{"a":1,"a":1}', b'{"a":1,"a":2}',  # doubled
        b'{"a": 1}', b' {"a":1}', b'{"a":1} ', b'{"a":1}\n', b'{"a":[1, 2]}',  # white space
        b'{"a":1.0}', b'{"a":1e3}', b'{"a":1.5}', b'{"a":-0}', b'{"a":-0.0}', b'{"a":01}', b'{"a":+1}',
        b'{"a":NaN}', b'{"a":Infinity}',
        b'{"a":9007199254740992}', b'{"a":-9007199254740992}', b'{"a":18446744073709551616}',
        b'{"a":"\\u0041"}', b'{"a":"\\n"}', b'{"a":"\\""}', b'{"a":"\\\\"}', b'{"a":"\\/"}',
        b'{"a":"\x7f"}', b'{"a":"\n"}', '{"a":"é"}'.encode(), b'{"a":"\xff"}', b'{"a":"\xed\xa0\x80"}',
        b'{"A":1}', b'{"":1}', b'{"1a":1}', b'{"__proto__":1}', b'{"a b":1}', b'{"a":{"B":1}}',
        b'\xef\xbb\xbf{"a":1}', b'{"a":1,}', b'{"a":True}', b"{'a':1}",
        b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)  # fmt: skip
def test_every_other_spelling_is_refused(raw: bytes) -> None:
    with pytest.raises(NotCanonical):
        decode(raw)


@pytest.mark.parametrize("text", ['"', "\\", "\n", "\x7f", "\x00", "é", "\u2028", "😀"])
def test_text_that_has_no_one_spelling_is_not_written(text: str) -> None:
    with pytest.raises(NotCanonical):
        encode({"a": text})
    with pytest.raises(NotCanonical):
        encode({text: 1})


@pytest.mark.parametrize("number", [LIMIT, -LIMIT, 0, 1, -1])
def test_numbers_that_every_reader_keeps_exact(number: int) -> None:
    assert decode(encode({"a": number})) == {"a": number}


@pytest.mark.parametrize(
    "value", [1.0, {"a": 1.5}, LIMIT + 1, -LIMIT - 1, [LIMIT + 1], {"A": 1}, {1: 1}, 'a"', [["\\"]], "\x7f", "ü"]
)
def test_values_that_cannot_be_written(value: Any) -> None:
    with pytest.raises(NotCanonical):
        canon.check(value)


def test_a_truth_is_no_number() -> None:
    assert encode({"a": True, "b": 1}) == b'{"a":true,"b":1}'


class Pair(Struct):
    b: int
    a: tuple[str, ...] = ()


def test_structs_are_written_in_order_of_their_keys() -> None:
    assert encode(Pair(1, ("x",))) == b'{"a":["x"],"b":1}'


# Events


def test_a_field_that_has_its_default_is_left_out() -> None:
    event = events.Sat(at=5, seat=0, who="a", kind="human", cut=None)
    raw = b'{"at":5,"cut":null,"kind":"human","seat":0,"type":"sat","who":"a"}'
    assert events.encode(event) == raw
    assert events.decode_strict(raw) == event
    with pytest.raises(NotCanonical):
        events.decode_strict(raw.replace(b'"seat"', b'"level":null,"seat"'))
    with pytest.raises((NotCanonical, events.msgspec.ValidationError)):
        events.decode_strict(b'{"at":5,"state":"","type":"ticked"}')


@pytest.mark.parametrize(
    "raw",
    [
        b'{"at":5,"type":"unknown"}', b'{"at":5}', b'{"at":5,"type":"ticked","x":1}', b'{"at":5,"type":"ticked","v":1}',
        b'{"at":-1,"type":"ticked"}', b'{"at":"5","type":"ticked"}', b'{"at":true,"type":"ticked"}',
        b'{"at":5,"seat":64,"type":"left"}', b'{"at":5,"seat":-1,"type":"left"}', b'{"at":5,"type":"left"}',
        b'{"at":5,"seed":"' + b"A" * 64 + b'","type":"revealed"}',
        b'{"at":5,"seed":"' + b"a" * 63 + b'","type":"revealed"}',
        b'{"at":5,"how":"Host","type":"closed"}',
        b'{"at":5,"state":"' + b"g" * 64 + b'","type":"ticked"}',
    ],
)  # fmt: skip
def test_bytes_that_are_no_event_are_refused(raw: bytes) -> None:
    with pytest.raises((NotCanonical, events.msgspec.ValidationError)):
        events.decode_strict(raw)
