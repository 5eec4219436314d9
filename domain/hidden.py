"""Structs that hold secrets."""

from msgspec import Struct


class Hidden(Struct, frozen=True):
    """Base of structs that hold secrets: their repr shows only their name, so no traceback or log can leak."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"
