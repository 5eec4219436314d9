"""Canonical JSON: the one way bytes that are hashed or stored are written (replay/FORMAT.md, "Canonical bytes").

One JSON object, no white space, keys `[a-z][a-z0-9_]*` in rising order, strings of printable ASCII without `"` and
`\\`, integers within ±(2**53 - 1), no floats, no `-0`.
"""

import re
from collections.abc import Callable
from typing import Any

import msgspec

LIMIT = 2**53 - 1  # largest magnitude of an integer that every JSON reader keeps exact

_encoder = msgspec.json.Encoder(order="sorted")
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_TEXT = re.compile(r"[ -~]*")


class NotCanonical(ValueError):
    """The bytes or the value are not in canonical form; the message says where it departs."""


def encode(value: Any) -> bytes:
    """Canonical bytes of a struct or builtin value.

    Raises NotCanonical for text outside printable ASCII, quotes or backslashes. Floats and large integers are kept out
    by the types of what we store, and are refused by `decode`.
    """
    raw = _encoder.encode(value)
    if b"\\" in raw or b"\x7f" in raw or not raw.isascii():
        raise NotCanonical("text must be printable ASCII without quotes and backslashes")
    return raw


def decode(raw: bytes) -> dict[str, Any]:
    """The object that canonical bytes stand for. Raises NotCanonical for every other spelling of it."""
    try:
        value = msgspec.json.decode(raw)
        if not isinstance(value, dict):
            raise NotCanonical("not a JSON object")
        check(value)
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise NotCanonical(f"not JSON: {fault}") from None
    except RecursionError:
        raise NotCanonical("nested too deeply") from None
    if _encoder.encode(value) != raw:
        raise NotCanonical("not in canonical form (spacing, key order, doubled keys or number spelling)")
    return value


def converter(kind: Any) -> Callable[[Any], Any]:
    """A function that converts builtins to a type, raising msgspec.ValidationError.

    For unions: `msgspec.convert` works a bare union out anew at each call, a struct's field only once.
    """
    one = msgspec.defstruct("One", [("it", kind)])

    def convert(value: Any) -> Any:
        return msgspec.convert({"it": value}, one).it  # type: ignore[attr-defined]

    return convert


def check(value: Any) -> None:
    """Raise NotCanonical unless a builtin value can be written canonically."""
    if isinstance(value, dict):
        for key, part in value.items():
            if not isinstance(key, str) or not _KEY.fullmatch(key):
                raise NotCanonical("keys match [a-z][a-z0-9_]*")
            check(part)
    elif isinstance(value, list | tuple):
        for part in value:
            check(part)
    elif isinstance(value, str):
        if not _TEXT.fullmatch(value) or '"' in value or "\\" in value:
            raise NotCanonical("text must be printable ASCII without quotes and backslashes")
    elif isinstance(value, float):
        raise NotCanonical("no floats")
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) > LIMIT:
        raise NotCanonical("integers lie within 2**53 - 1 of zero")
