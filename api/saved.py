"""Where `faircut play` keeps who you are at the table you left: one small file a house, which only you can read."""

import hashlib
import os
from pathlib import Path

import msgspec

from domain.game import Hidden
from replay.access import read_private, write_private


class Saved(Hidden, frozen=True, kw_only=True):
    """A table at a house and the token of the person who sits there."""

    url: str
    table: str
    token: str


def _file(url: str) -> Path:
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "faircut"
    return folder / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.json"


def save(saved: Saved) -> None:
    """Remember a table. Raises OSError."""
    file = _file(saved.url)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_private(file, msgspec.json.encode(saved))


def load(url: str) -> Saved | None:
    """The table last left at a house, if any. Raises OSError, ValueError."""
    try:
        return msgspec.json.decode(read_private(_file(url)), type=Saved)
    except FileNotFoundError:
        return None


def forget(url: str) -> None:
    """The table has ended."""
    _file(url).unlink(missing_ok=True)
