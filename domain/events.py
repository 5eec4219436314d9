"""What happens at a table: the only things ever stored about it.

Stored names are for ever (replay/FORMAT.md, "Events"). Times `at` are wall-clock ms since 1970 and never go back;
digests, keys and cuts are lower-case hex. Fields with a default are left out of the bytes while they have it.
"""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from domain import canon

Hex32 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Who = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]
At = Annotated[int, Meta(ge=0, le=canon.LIMIT)]
Number = Annotated[int, Meta(ge=0, le=63)]
Level = Literal["easy", "medium", "hard"]
LEVELS: tuple[Level, ...] = ("easy", "medium", "hard")


class _Event(Struct, frozen=True, tag_field="type", omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    at: At


class Opened(_Event, frozen=True, tag="opened"):
    """A table with its game, options and the commitment to its seed.

    `host` is the `who` of the person who opened it; `watch_delay` ms pass before a watcher sees what seats see.
    """

    id: Annotated[str, Meta(pattern=r"^[0-9a-z]{16,32}\Z")]
    commit: Hex32
    game: str
    rules: int
    protocol: Literal[1] = msgspec.field()
    seats: Number
    options: dict[str, Any]
    host: Who | None = None
    watch_delay: Annotated[int, Meta(ge=0, le=3_600_000)] = 0


class Sat(_Event, frozen=True, tag="sat"):
    """Someone took a seat. `cut`: the promise of a person's cut, None for bots and who lets the house cut."""

    seat: Number
    who: Who
    kind: Literal["human", "bot"]
    cut: Hex32 | None
    level: Level | None = None


class Stood(_Event, frozen=True, tag="stood"):
    """Someone left a seat before the start."""

    seat: Number


class Started(_Event, frozen=True, tag="started"):
    """The seats are closed: kinds and promises in seat order. Its digest is d_s."""

    kinds: tuple[Literal["human", "bot"], ...]
    cuts: tuple[Hex32 | None, ...]


class Cut(_Event, frozen=True, tag="cut"):
    """A promised cut, opened."""

    seat: Number
    cut: Hex32


class Voided(_Event, frozen=True, tag="voided"):
    """Promised cuts did not come in time: the seats that owe one."""

    seats: tuple[Number, ...]


class _Stated(_Event, frozen=True, kw_only=True):
    state: Hex32 | Literal[""] = ""  # keyed digest of the position after the event; none before the last cut


class Moved(_Stated, frozen=True, tag="moved"):
    """A seat's move: only what it chose. `by`: who sent it; a timer sends the seat's fallback."""

    seat: Number
    move: dict[str, Any]
    by: Literal["person", "bot", "timer"]
    command: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]


class Ticked(_Stated, frozen=True, tag="ticked"):
    """Time passed what the game was waiting for."""


class Hurried(_Stated, frozen=True, tag="hurried"):
    """The host, ready itself, started the next hand without waiting for others."""

    seat: Number


class Granted(_Stated, frozen=True, tag="granted"):
    """Time given back after an outage: `ms` from wall-clock `since`. Every clock of the table moves by it."""

    ms: Annotated[int, Meta(ge=1, le=canon.LIMIT)]
    since: At


class Left(_Stated, frozen=True, tag="left"):
    """A person left a running game; the seat is away."""

    seat: Number


class Covered(_Stated, frozen=True, tag="covered"):
    """The host handed an away seat to a bot."""

    seat: Number
    level: Level


class Returned(_Stated, frozen=True, tag="returned"):
    """The person is back and plays on."""

    seat: Number


class Agreed(_Stated, frozen=True, tag="agreed"):
    """A person agrees to end the game early."""

    seat: Number


class Closed(_Event, frozen=True, tag="closed"):
    """The table ended early. `how`: host, agreed, idle, restored (from an older copy) or another single word."""

    how: Annotated[str, Meta(pattern=r"^[a-z_]{1,32}\Z")]


class Revealed(_Event, frozen=True, tag="revealed"):
    """The seed: the last event of every table, in the same commit as its end."""

    seed: Hex32


Stated: TypeAlias = Moved | Ticked | Hurried | Granted | Left | Covered | Returned | Agreed
Event: TypeAlias = (
    Opened | Sat | Stood | Started | Cut | Voided | Moved | Ticked | Hurried | Granted | Left | Covered | Returned
    | Agreed | Closed | Revealed
)  # fmt: skip

_decoder = msgspec.json.Decoder(Event)
_convert = canon.converter(Event)


def encode(event: Event) -> bytes:
    """The event's canonical bytes. Raises canon.NotCanonical."""
    return canon.encode(event)


def decode(raw: bytes) -> Event:
    """An event from stored bytes that we wrote ourselves. Raises msgspec.ValidationError."""
    return _decoder.decode(raw)


def decode_strict(raw: bytes) -> Event:
    """An event from anyone's bytes. Raises canon.NotCanonical or msgspec.ValidationError."""
    event: Event = _convert(canon.decode(raw))
    if encode(event) != raw:
        raise canon.NotCanonical("a field that has its default is left out")
    return event
