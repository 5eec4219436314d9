"""A move as it was sent, read into the one form in which it is stored (RULES.md, "Moves")."""

from collections.abc import Mapping
from typing import Any

import msgspec

from domain import canon
from domain.cards import ACE_HIGH
from domain.contract_rummy.state import MANY, Move
from domain.game import Illegal

_SAY = 120  # characters of a fault that are told
_convert = canon.converter(Move)
_ONE = ("card", "meld", "end")


def parse(raw: Mapping[str, Any]) -> Move:
    """A move from its builtin form. Raises Illegal("BAD", …) for a malformed one.

    A lay-off of one card may be sent without a list, and numbers outside what a run can hold are brought inside.
    """
    kind = raw.get("type")
    if kind == "lay_off" and "plays" not in raw:
        raw = {k: v for k, v in raw.items() if k not in _ONE} | {"plays": [{k: raw[k] for k in _ONE if k in raw}]}
    for name in {"go_down": ("melds",), "go_out": ("runs",)}.get(str(kind), ()):
        if isinstance(raw.get(name), list | tuple) and len(raw[name]) <= MANY:
            raw = {**raw, name: [_tidy(part) for part in raw[name]]}
    try:
        return _convert(raw)  # type: ignore[no-any-return]
    except msgspec.ValidationError as fault:
        said = "".join(c for c in str(fault)[:_SAY] if c.isprintable())
        raise Illegal("BAD", f"That is no move of this game: {said}.") from None


def _tidy(part: Any) -> Any:
    if not isinstance(part, Mapping):
        return part
    tidy = dict(part)
    for name, least in (("low_jokers", 0), ("lo", 1)):
        if type(tidy.get(name)) is int:
            tidy[name] = min(max(tidy[name], least), ACE_HIGH)
    return tidy
