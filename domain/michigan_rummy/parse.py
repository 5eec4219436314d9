"""A move as it was sent, read with the tolerance that the rules ask for (RULES.md, "Moves")."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from domain import canon
from domain.cards import ACE_HIGH
from domain.game import Illegal
from domain.michigan_rummy.state import MANY, Move

_SAY = 120  # characters of a fault that are told
_convert = canon.converter(Move)


def parse(raw: Mapping[str, Any]) -> Move:
    """A move from its builtin form. Raises Illegal: BAD for a malformed one, BAD_INDEX for a take without an index.

    What is tolerated is made plain, so that every spelling of a move is stored as the same one.
    """
    if raw.get("type") == "take" and type(raw.get("at")) is not int:
        raise Illegal("BAD_INDEX", "Say from which card of the pile up you take.")
    if raw.get("type") == "meld":
        raw = {**raw, **{key: _each(raw[key], tidy) for key, tidy in _TIDY.items() if key in raw}}
    try:
        return _convert(raw)  # type: ignore[no-any-return]
    except msgspec.ValidationError as fault:
        said = "".join(c for c in str(fault)[:_SAY] if c.isprintable())
        raise Illegal("BAD", f"That is no move of this game: {said}.") from None


def _each(parts: Any, tidy: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Any:
    if not isinstance(parts, list | tuple):
        return parts  # refused with all else that is malformed
    if len(parts) > MANY:
        raise Illegal("BAD", f"A move has at most {MANY} parts.")
    return [tidy(part) if isinstance(part, Mapping) else part for part in parts]


def _meld(new: Mapping[str, Any]) -> dict[str, Any]:
    tidy = dict(new)
    if tidy.get("kind") not in ("set", "run"):
        tidy.pop("kind", None)
    low = tidy.pop("low_jokers", 0)
    if type(low) is int and low > 0:
        tidy["low_jokers"] = min(low, ACE_HIGH)
    return tidy


def _play(play: Mapping[str, Any]) -> dict[str, Any]:
    tidy = dict(play)
    if tidy.get("end") is not None and tidy["end"] not in ("low", "high"):
        tidy["end"] = "neither"
    return tidy


_TIDY: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {"melds": _meld, "plays": _play}
