"""The record's file: one spelling, and every other one refused (replay/FORMAT.md, "The record")."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import canon, events, registry
from replay import notes, record
from tests.replay.play import SIGNER, whole
from tests.toys import Whispers

VECTOR = (Path(__file__).parent.parent / "vectors" / "record.faircut").read_bytes()
NOTE = VECTOR.partition(b"\n\n")[2]
BODY = VECTOR.partition(b"\n\n")[0]
LINES = BODY.split(b"\n")


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "whispers", {1: Whispers()})


@cache
def played() -> tuple[tuple[tuple[bytes, bytes], ...], bytes]:
    house = whole("whispers", 1, people=2, bots=1)
    return tuple(house.entries), house.record()


def test_what_was_written_is_read_again() -> None:
    entries, data = played()
    read = record.read(data)
    assert [(e.digest, e.raw) for e in read.entries] == [*entries]
    assert [events.encode(e.event) for e in read.entries] == [raw for _, raw in entries]
    assert read.opened == read.entries[0].event
    assert read.signed.note == ("record", read.opened.id, entries[-1][0], len(entries), SIGNER.key.name)


def test_the_file_is_lines_an_empty_line_and_the_note() -> None:
    entries, data = played()
    *lines, empty, _, table, number, digest, blank, signature, end = data.decode().split("\n")
    assert [line.split(" ", 1) for line in lines] == [[d.hex(), raw.decode()] for d, raw in entries]
    assert (table, number, digest) == (json.loads(entries[0][1])["id"], str(len(entries)), entries[-1][0].hex())
    assert (empty, blank, signature[:2], end) == ("", "", "— ", "")


def test_the_vectors_record_is_read_and_written_to_the_byte() -> None:
    read = record.read(VECTOR)
    known = json.loads((Path(__file__).parent.parent / "vectors" / "vectors.json").read_bytes())
    signer = notes.Signer(known["key_name"], bytes.fromhex(known["signing_seed"]))
    assert record.write([(e.digest, e.raw) for e in read.entries], signer) == VECTOR


def test_nothing_but_a_tables_events_can_be_written() -> None:
    with pytest.raises(ValueError, match="at least one"):
        record.write([], SIGNER)
    with pytest.raises(ValueError, match="starts with"):
        record.write(played()[0][1:], SIGNER)


def line(n: int, old: bytes, new: bytes) -> bytes:
    """The vector record with something replaced in line n (from 1)."""
    assert old in LINES[n - 1]
    lines = [*LINES]
    lines[n - 1] = lines[n - 1].replace(old, new, 1)
    return b"\n".join(lines) + b"\n\n" + NOTE


MOVE = b'{"type":"draw"}'
SPELLINGS: dict[str, tuple[bytes, int | None]] = {
    "nothing": (b"", None),
    "only newlines": (b"\n\n", 1),
    "byte order mark": (b"\xef\xbb\xbf" + VECTOR, 1),
    "carriage returns": (VECTOR.replace(b"\n", b"\r\n"), None),
    "one carriage return": (line(3, b"}", b"}\r"), 3),
    "no last newline": (VECTOR[:-1], 11),
    "one more newline": (VECTOR + b"\n", 11),
    "second signature": (VECTOR + NOTE.partition(b"\n\n")[2], 11),
    "second note": (VECTOR + b"\n" + NOTE, 11),
    "no note": (BODY + b"\n", None),
    "an empty note": (BODY + b"\n\n", 11),
    "two empty lines": (VECTOR.replace(b"\n\n", b"\n\n\n", 1), 11),
    "an empty first line": (b"\n" + VECTOR, 1),
    "a space before the digest": (b" " + VECTOR, 1),
    "two spaces": (line(2, b" {", b"  {"), 2),
    "a tab": (line(2, b" {", b"\t{"), 2),
    "a space after the event": (line(2, b'"}', b'"} '), 2),
    "a space inside": (line(2, b'"at":', b'"at": '), 2),
    "upper-case digest": (LINES[0][:64].upper() + VECTOR[64:], 1),
    "a short digest": (VECTOR[2:], 1),
    "upper-case hex in an event": (line(5, b"404142434445464748494a", b"404142434445464748494A"), 5),
    "a doubled key": (line(7, b'"by":', b'"at":1767225605000,"by":'), 7),
    "a doubled key inside a move": (line(7, MOVE, b'{"type":"draw","type":"draw"}'), 7),
    "keys out of order": (line(2, b'"kind":"human","seat":0', b'"seat":0,"kind":"human"'), 2),
    "1.0 for a time": (line(2, b"1767225601000", b"1767225601000.0"), 2),
    "an exponent for a time": (line(2, b"1767225601000", b"17672256010e2"), 2),
    "1.0 in a move": (line(7, MOVE, b'{"at":1.0,"type":"take"}'), 7),
    "1e3 in a move": (line(7, MOVE, b'{"at":1e3,"type":"take"}'), 7),
    "-0": (line(2, b'"seat":0', b'"seat":-0'), 2),
    "-0 in a move": (line(7, MOVE, b'{"at":-0,"type":"take"}'), 7),
    "2^53": (line(2, b"1767225601000", b"9007199254740992"), 2),
    "2^53 in a move": (line(7, MOVE, b'{"at":9007199254740992,"type":"take"}'), 7),
    "a number of 5,000 digits": (line(7, MOVE, b'{"at":' + b"9" * 5000 + b',"type":"take"}'), 7),
    "an escaped letter": (line(2, b"seat0", rb"se\u0061t0"), 2),
    "an escaped letter in a move": (line(7, b"draw", rb"\u0064raw"), 7),
    "a letter beyond ASCII": (line(7, b"draw", "dräw".encode()), 7),
    "a broken letter": (line(7, b"draw", b"dr\xffw"), 7),
    "a control character": (line(7, b"draw", b"dr\x01w"), 7),
    "a delete character": (line(7, b"draw", b"dr\x7fw"), 7),
    "a zero byte": (line(7, b"draw", b"dr\x00w"), 7),
    "__proto__": (line(7, MOVE, b'{"__proto__":1,"type":"draw"}'), 7),
    "a key in capitals": (line(7, MOVE, b'{"At":1,"type":"take"}'), 7),
    "an empty key": (line(7, MOVE, b'{"":1,"type":"take"}'), 7),
    "a default spelled out": (line(2, b'"kind":"human"', b'"kind":"human","level":null'), 2),
    "an unknown field": (line(5, b'"cut":', b'"card":"AS1","cut":'), 5),
    "a field too few": (line(5, b'"seat":1,', b""), 5),
    "an unknown event": (line(9, b'"revealed"', b'"repealed"'), 9),
    "true for a seat": (line(2, b'"seat":0', b'"seat":true'), 2),
    "a seat as text": (line(2, b'"seat":0', b'"seat":"0"'), 2),
    "a negative time": (line(2, b"1767225601000", b"-1"), 2),
    "another protocol": (line(1, b'"protocol":1', b'"protocol":2'), 1),
    "the first event missing": (b"\n".join(LINES[1:]) + b"\n\n" + NOTE, 1),
    "an array for an event": (line(9, b"{", b"[{").replace(b'"revealed"}', b'"revealed"}]'), 9),
    "two objects on a line": (line(9, b'"revealed"}', b'"revealed"}{}'), 9),
    "depth": (line(7, MOVE, b'{"at":' + b"[" * 200_000 + b"]" * 200_000 + b"}"), 7),
    "other base64 in the note": (VECTOR[:-3] + bytes([VECTOR[-3] ^ 1]) + VECTOR[-2:], 11),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_other_spelling_is_unreadable_and_says_where(name: str) -> None:
    data, where = SPELLINGS[name]
    with pytest.raises(record.Unreadable) as refusal:
        record.read(data)
    assert refusal.value.line == where
    assert str(refusal.value).startswith("" if where is None else f"line {where}: ")


def test_a_file_that_is_too_large_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "MAX_BYTES", len(VECTOR))
    assert record.read(VECTOR)
    with pytest.raises(record.Unreadable, match="MiB"):
        record.read(VECTOR + b"\n")
    monkeypatch.setattr(record, "MAX_EVENTS", len(LINES) - 1)
    with pytest.raises(record.Unreadable, match="events"):
        record.read(VECTOR)


EVENT = LINES[6][65:]
ALTERED = st.one_of(
    st.tuples(st.integers(0, len(EVENT) - 1), st.integers(0, 255)).map(
        lambda change: EVENT[: change[0]] + bytes([change[1]]) + EVENT[change[0] + 1 :]
    ),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.from_regex(r"[a-zA-Z_0-9]{0,3}", fullmatch=True), inner),
        max_leaves=6,
    ).map(lambda move: EVENT.replace(MOVE, msgspec.json.encode({"type": "draw", "what": move}, order="sorted"))),
)


@given(ALTERED)
def test_reading_fast_accepts_what_reading_by_the_letter_accepts(raw: bytes) -> None:
    def outcome(read: Callable[[bytes], Any]) -> Any:
        try:
            return read(raw)
        except (canon.NotCanonical, msgspec.ValidationError):
            return None

    assert outcome(record.decode) == outcome(events.decode_strict)
