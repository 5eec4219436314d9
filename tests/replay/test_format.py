"""replay/FORMAT.md speaks of the events there are, field by field, and its example is the vectors'."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import msgspec

from domain import events

ROOT = Path(__file__).parents[2]
FORMAT = (ROOT / "replay" / "FORMAT.md").read_text(encoding="utf-8")
KNOWN: dict[str, Any] = json.loads((ROOT / "tests" / "vectors" / "vectors.json").read_bytes())


def table() -> dict[str, tuple[set[str], set[str]]]:
    """Fields that must and that may be there, by type of event, as the page lists them."""
    rows = {}
    for kind, fields in re.findall(r"^\| `(\w+)` \| (`.*) \|$", FORMAT.partition("| field | value |")[0], re.M):
        needed, _, optional = fields.partition("; *optional* ")
        rows[kind] = set(re.findall(r"`(\w+)`", needed)), set(re.findall(r"`(\w+)`", optional))
    return rows


def test_every_event_and_field_is_listed() -> None:
    stored = {}
    for event in get_args(events.Event):
        fields = [f for f in msgspec.structs.fields(event) if f.name != "at"]
        optional = {f.encode_name for f in fields if not f.required and f.name != "state"}
        stored[event.__struct_config__.tag] = {f.encode_name for f in fields} - optional, optional
    assert table() == stored


def test_the_example_is_the_vectors() -> None:
    example = FORMAT.partition("## Example")[2]
    for name in ("commitment", "d_0", "d_1", "d_s", "key", "blind_7", "leaf_7", "d_final", "stream_key_deal:1"):
        assert KNOWN[name] in example
    for value in (*KNOWN["cut_commitments"], KNOWN["deal:1_block0"], KNOWN["deal:1_block1"], KNOWN["key_name"]):
        assert value in example
