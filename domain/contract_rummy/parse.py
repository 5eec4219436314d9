"""A move as it was sent, read into the one form in which it is stored (RULES.md, "Moves")."""

from collections.abc import Mapping
from typing import Any

import msgspec

from domain import canon
from domain.cards import ACE_HIGH
from domain.contract_rummy.state import MANY, Move, NewMeld, NewRun
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
        raise _bad("That is no move of this game", fault) from None


def keep_of(raw: Any) -> tuple[NewMeld | NewRun, ...]:
    """Melds already built, from their builtin form: with `kind` for a contract, without for the last hand's runs.

    Raises Illegal("BAD", …) if they are malformed.
    """
    try:
        parts = [_tidy(part) for part in raw] if isinstance(raw, list | tuple) and len(raw) <= MANY else raw
        if isinstance(parts, list) and parts and all(isinstance(p, Mapping) and "kind" in p for p in parts):
            return msgspec.convert(parts, tuple[NewMeld, ...])
        return msgspec.convert(parts, tuple[NewRun, ...])
    except msgspec.ValidationError as fault:
        raise _bad("These are no melds to keep", fault) from None


def _bad(what: str, fault: Exception) -> Illegal:
    said = "".join(c for c in str(fault)[:_SAY] if c.isprintable())
    return Illegal("BAD", f"{what}: {said}.")


def _tidy(part: Any) -> Any:
    if not isinstance(part, Mapping):
        return part
    tidy = dict(part)
    for name, least in (("low_jokers", 0), ("lo", 1)):
        if type(tidy.get(name)) is int:
            tidy[name] = min(max(tidy[name], least), ACE_HIGH)
    return tidy
