"""Who one is on the bus: address, user and password, kept in a file that only its owner reads.

One file a user, so that a bot worker is handed its own and nothing else. The password is in no repr,
argument or environment of ours; an operator's own server may be named by a URL with user and password in it
instead.
"""

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Struct


class Bus(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How to reach the bus as one user. `inbox`: prefix of the subjects on which it gets its answers."""

    url: str
    user: str | None = None
    password: str | None = None
    inbox: str = "_INBOX"

    def __repr__(self) -> str:
        return f"<Bus {self.user or 'anyone'} at {self.url}>"

    def options(self) -> dict[str, Any]:
        """Arguments for `nats.connect`."""
        own: dict[str, Any] = {"servers": [self.url], "inbox_prefix": self.inbox.encode()}
        return own if self.user is None else own | {"user": self.user, "password": self.password}

    def save(self, file: Path) -> None:
        """Write the file, with mode 0600."""
        write_private(file, msgspec.json.format(msgspec.json.encode(self)) + b"\n")


def bus(source: str | Path) -> Bus:
    """The bus that a file made by `Bus.save` or a URL (nats:// or tls://, user and password in it) names.

    A URL's user `bot` gets its answers under `_INBOX_bot`, which is all that a bot may listen to. Raises
    OSError for a file that is not there, ValueError for one that is malformed or that others may read. No part of
    an address is in their words.
    """
    if isinstance(source, str) and "://" in source:
        try:
            parts = urlsplit(source)
            known = parts.scheme in ("nats", "tls", "ws", "wss") and parts.hostname and (parts.port or True)
        except ValueError:
            known = False
        if not known:
            raise ValueError("the address of the bus is malformed: nats://user:password@host:port")
        user = unquote(parts.username) if parts.username else None
        password = unquote(parts.password) if parts.password else None
        url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        return Bus(url=url, user=user, password=password, inbox="_INBOX_bot" if user == "bot" else "_INBOX")
    try:
        return msgspec.json.decode(read_private(Path(source)), type=Bus)
    except OSError as fault:  # without the name: a mistyped address would show its password
        raise type(fault)(fault.errno, f"the file of the bus's user cannot be read: {fault.strerror}") from None
    except msgspec.DecodeError:
        raise ValueError(f"{source} does not hold an address, user and password of a bus") from None


def write_private(file: Path, data: bytes, replace: bool = True) -> None:
    """Write a file that only its owner reads, whole or not at all, and on the disk when this returns.

    Raises OSError, FileExistsError if it is there already and not to be replaced.
    """
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    try:
        if replace:
            fresh.replace(file)
        else:
            os.link(fresh, file)
    finally:
        fresh.unlink(missing_ok=True)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_private(file: Path) -> bytes:
    """The bytes of a file that only its owner may read. Raises OSError, ValueError if others may."""
    with file.open("rb") as source:
        if os.fstat(source.fileno()).st_mode & 0o077:
            raise ValueError(f"{file} may be read by others: chmod 600 it, and change what it holds")
        return source.read()
