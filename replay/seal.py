"""Seeds at rest: AES-256-GCM under a key that lies outside the database and its backups.

The associated data is T("seal") + table id + commitment (replay/FORMAT.md, "Chance"), so that a box put
into another table's row does not open. The key file has mode 0600 and one key a line, `<id> <64 hex
digits>`, the newest last: new boxes take the newest, old ones open with the key they name. To rotate, add a
line; a key may go once no box names it.
"""

import contextlib
import hashlib
import os
import re
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from domain import chance
from domain.chance import Vault
from replay.access import read_private, write_private
from replay.connections import Connection

T = TypeVar("T")

_LINE = re.compile(r"([a-z0-9_-]{1,32}) ([0-9a-f]{64})")
_COMMIT = re.compile(r"[0-9a-f]{64}")


class KeyFault(Exception):
    """The sealing key is missing or its file is unfit. The message says what to do and shows no key."""


class Unopened(Exception):
    """A sealed seed does not open: it is another table's, was changed, or is missing."""


class Sealed(NamedTuple):
    """A sealed seed as stored. `commit`: the commitment, hex; `nonce`: 12 bytes; `box`: 48, seed and tag."""

    table: str
    commit: str
    key_id: str
    nonce: bytes
    box: bytes


class Database(Protocol):
    """Where sealed seeds lie: a Log."""

    def ask(self, ask: Callable[[Connection], T], /) -> T: ...


class Sealer:
    """Seals and opens seeds. It shows no key, and a process that holds one leaves no core dump."""

    __slots__ = ("_keys", "_newest")

    def __init__(self, keys: dict[str, bytes]) -> None:
        self._keys = {key_id: AESGCM(chance.exact(key, "key")) for key_id, key in keys.items()}
        self._newest = next(reversed(self._keys))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def __repr__(self) -> str:
        return "<Sealer>"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a sealing key is not stored")

    @classmethod
    def load(cls, path: Path, create: bool, database: Database | None = None) -> "Sealer":
        """The sealer of a key file. `create`: make the file with a first key if it is missing.

        With a `database`, every key that its boxes name must be there, and no key is made beside boxes that
        it could not open. Raises KeyFault, Unavailable.
        """
        needed = database.ask(key_ids) if database else set()
        if not path.exists():
            if needed:
                raise KeyFault(f"{path} is missing, and the database holds seeds sealed with it: put it back")
            if not create:
                raise KeyFault(f"{path} is missing: `faircut migrate` makes it for a new house")
            _make(path)
        sealer = cls(_read(path))
        missing = ", ".join(sorted(needed - sealer._keys.keys()))
        if missing:
            raise KeyFault(f"{path} lacks a key that sealed seeds in the database need: {missing}")
        return sealer

    def seal(self, table: str, commit: str, seed: bytes) -> Sealed:
        """Seal a table's seed. Raises ValueError unless the commitment is that seed's at that table."""
        if chance.commitment(seed, table).hex() != commit:
            raise ValueError("the commitment is not this seed's")
        nonce = os.urandom(12)
        box = self._keys[self._newest].encrypt(nonce, seed, _bound(table, commit))
        return Sealed(table, commit, self._newest, nonce, box)

    def open(self, sealed: Sealed) -> Vault:
        """The table's vault. Raises Unopened, KeyFault if the key that it names is not in the file."""
        cipher = self._keys.get(sealed.key_id)
        if cipher is None:
            raise KeyFault(f"the key file lacks the sealing key {sealed.key_id}")
        try:
            vault = Vault(cipher.decrypt(sealed.nonce, sealed.box, _bound(sealed.table, sealed.commit)))
        except (InvalidTag, ValueError):
            raise Unopened("the sealed seed is not this table's") from None
        if vault.commitment(sealed.table).hex() != sealed.commit:
            raise Unopened("the sealed seed does not open the commitment")
        return vault

    def keep(self, database: Database, table: str, commit: str, seed: bytes) -> None:
        """Seal a seed and store it. Raises Unavailable, ValueError if the table has one."""
        sealed = self.seal(table, commit, seed)
        database.ask(lambda connection: store(connection, sealed))

    def vault(self, database: Database, table: str) -> Vault:
        """The vault of a table whose seed was stored. Raises Unopened, KeyFault, Unavailable."""
        sealed = database.ask(lambda connection: fetch(connection, table))
        if sealed is None:
            raise Unopened("this table has no sealed seed")
        return self.open(sealed)


def store(connection: Connection, sealed: Sealed) -> None:
    """Put a sealed seed into its row; again does no harm. Raises ValueError if the table has another."""
    connection.execute(
        "INSERT INTO sealed (table_id, commit, key_id, nonce, box, created) VALUES (%s, %s, %s, %s, %s, %s)"
        " ON CONFLICT DO NOTHING",
        (*sealed, time.time_ns() // 1_000_000),
    )
    if fetch(connection, sealed.table) != sealed:
        raise ValueError("this table has a seed already")


def fetch(connection: Connection, table: str) -> Sealed | None:
    """The sealed seed in a table's row."""
    query = "SELECT table_id, commit, key_id, nonce, box FROM sealed WHERE table_id = %s"
    row = connection.execute(query, (table,)).fetchone()
    return Sealed(*row) if row else None


def key_ids(connection: Connection) -> set[str]:
    """Ids of the keys that sealed seeds name."""
    cursor = connection.execute("SELECT DISTINCT key_id FROM sealed")
    return {key_id for (key_id,) in cursor}


def _bound(table: str, commit: str) -> bytes:
    """The associated data. Raises ValueError for a malformed id or commitment."""
    if not chance.TABLE_ID.fullmatch(table) or not _COMMIT.fullmatch(commit):
        raise ValueError("a table id or commitment is malformed")
    return chance.tag("seal") + table.encode("ascii") + bytes.fromhex(commit)


def _make(path: Path) -> None:
    key = os.urandom(32)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = hashlib.sha256(chance.tag("key id") + key).hexdigest()[:8]
    with contextlib.suppress(FileExistsError):  # of two processes that make it, one wins
        write_private(path, f"{name} {key.hex()}\n".encode(), replace=False)


def _read(path: Path) -> dict[str, bytes]:
    try:
        lines = read_private(path).decode("ascii").splitlines()
    except ValueError as fault:  # others may read it; UnicodeDecodeError shows bytes of the file
        raise KeyFault(f"{path} is not text" if isinstance(fault, UnicodeError) else str(fault)) from None
    except OSError as fault:
        raise KeyFault(f"{path} cannot be read: {fault.strerror}") from None
    keys: dict[str, bytes] = {}
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if not match or match[1] in keys:
            raise KeyFault(f"{path}: line {number} is not `<id> <64 hex digits>` with an id of its own")
        keys[match[1]] = bytes.fromhex(match[2])
    if not keys:
        raise KeyFault(f"{path} holds no key")
    return keys
