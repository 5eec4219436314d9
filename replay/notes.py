"""Signed notes: what the house puts its name to (replay/FORMAT.md, "Notes"; C2SP signed-note; RFC 8032).

A note is a few lines of text, an empty line and exactly one signature line. Five kinds of text exist and a
signer signs nothing else. A reader builds the note anew from what it read and compares every byte, so each
note has one spelling.
"""

import base64
import binascii
import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from nacl.bindings import crypto_sign, crypto_sign_seed_keypair

from domain import canon
from domain.chance import TABLE_ID, exact

Kind = Literal["opened", "started", "checkpoint", "receipt", "record"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LIMIT = 1024  # bytes of the longest note that is read

_NAME = re.compile(r"[!-*,-~]{1,128}")  # printable ASCII, no space, no plus
_NOTE = re.compile(
    rb"faircut/1 ([a-z]+)\n([0-9a-z]{16,32})\n(?:([1-9][0-9]{0,15})\n)?([0-9a-f]{64})\n"
    rb"\n\xe2\x80\x94 ([!-*,-~]{1,128}) ([A-Za-z0-9+/]{91}=)\n"
)
_KEY = re.compile(r"([!-*,-~]{1,128})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})")
_PRIVATE = "PRIVATE+KEY+"
_ED25519 = b"\x01"  # C2SP's number of this signature type
_P = 2**255 - 19  # the curve's field
_L = 2**252 + 27742317777372353535851937790883648493  # order of its base point
_Y8 = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")
_SMALL = {0, 1, _P - 1, _Y8, _P - _Y8}  # y of the points under which one signature fits many texts


class NoteError(ValueError):
    """Something is wrong with a note; the message says what in words for whoever reads it."""


class Malformed(NoteError):
    """The bytes are no note, or not in its one spelling."""


class WrongKind(NoteError):
    """A note of another kind than asked for."""


class NotVouched(NoteError):
    """A well-formed note, signed with a key that is not among the given ones."""


class Forged(NoteError):
    """A note under the name and hash of a given key that this key did not sign."""


class KeyFault(ValueError):
    """A key, or a file of keys, that cannot be used."""


class Note(NamedTuple):
    """What a note says. `digest`: d, leaf or d_n by its kind; `n`: number of events, of a record only."""

    kind: Kind
    id: str
    digest: bytes
    n: int | None
    key_name: str


class Signed(NamedTuple):
    """A note in its one spelling whose signature has not been looked at."""

    note: Note
    text: bytes
    key_hash: bytes
    signature: bytes


class VerifierKey(NamedTuple):
    """A public key by its name: C2SP's `name+hash+key`."""

    name: str
    public: bytes

    @property
    def hash(self) -> bytes:
        """The four bytes by which a signature line points at this key."""
        return sha256(self.name.encode("ascii") + b"\n" + _ED25519 + self.public).digest()[:4]

    def __str__(self) -> str:
        return f"{self.name}+{self.hash.hex()}+{_base64(_ED25519 + self.public)}"


class Keys:
    """The keys that somebody vouches for, from a file or a server. Empty: nobody vouched for any."""

    def __init__(self, *keys: VerifierKey) -> None:
        self._keys = {(key.name, key.hash): key for key in keys}
        if len(self._keys) != len(keys):
            raise KeyFault("the same key stands there twice")

    def __bool__(self) -> bool:
        return bool(self._keys)

    def __iter__(self) -> Iterator[VerifierKey]:
        return iter(self._keys.values())

    def find(self, name: str, key_hash: bytes) -> VerifierKey | None:
        """The key that a signature line points at, if it is among these."""
        return self._keys.get((name, key_hash))

    @classmethod
    def parse(cls, data: bytes) -> "Keys":
        """Keys from a file: one verifier key a line, nothing else. Raises KeyFault with the line's number.

        Only the last line's newline may be missing. There are no comments and no empty lines.
        """
        try:
            lines = data.decode("ascii").removesuffix("\n").split("\n")
        except UnicodeDecodeError:
            raise KeyFault("a file of keys is plain ASCII") from None
        keys = []
        for number, line in enumerate(lines, 1):
            try:
                keys.append(parse_key(line))
            except KeyFault as fault:
                raise KeyFault(f"line {number}: {fault}") from None
        return cls(*keys)


def parse_key(line: str) -> VerifierKey:
    """A verifier key `name+hash+key`. Raises KeyFault."""
    found = _KEY.fullmatch(line)
    if not found:
        raise KeyFault("not a verifier key: name+hash+key")
    raw = _unbase64(found[3])
    if raw is None or len(raw) != 33 or raw[:1] != _ED25519:
        raise KeyFault("not an Ed25519 key")
    key = VerifierKey(found[1], raw[1:])
    if key.hash.hex() != found[2]:
        raise KeyFault("the hash is not the one of this name and key")
    y = int.from_bytes(key.public, "little") & (2**255 - 1)
    if y >= _P or y in _SMALL:
        raise KeyFault("a weak key: its signatures would prove nothing")
    return key


def text(kind: Kind, table_id: str, digest: bytes, n: int | None = None) -> bytes:
    """The text of a note, which is what gets signed. Raises ValueError for parts that no note has."""
    if kind not in KINDS or (kind == "record") != (n is not None):
        raise ValueError("a record's note has a number of events, others have none")
    if not TABLE_ID.fullmatch(table_id) or (n is not None and not 1 <= n <= canon.LIMIT):
        raise ValueError("not a table's id or number of events")
    number = "" if n is None else f"{n}\n"
    return f"faircut/1 {kind}\n{table_id}\n{number}{exact(digest, 'digest').hex()}\n".encode("ascii")


def parse(data: bytes) -> Signed:
    """A note in its one spelling, its signature not looked at. Raises Malformed."""
    if len(data) > LIMIT:
        raise Malformed("far too long for a note")
    found = _NOTE.fullmatch(data)
    if not found:
        raise Malformed("not a faircut note: its text, an empty line and one signature line")
    kind, table_id, n, digest, name, signature = (part.decode("ascii") for part in found.groups(default=b""))
    raw = _unbase64(signature)
    if raw is None or len(raw) != 68:
        raise Malformed("the signature is not in its one base64 spelling")
    if int.from_bytes(raw[36:], "little") >= _L:
        raise Malformed("the signature is not in its one form: S is too large")
    note = Note(cast(Kind, kind), table_id, bytes.fromhex(digest), int(n) if n else None, name)
    try:
        said = text(note.kind, note.id, note.digest, note.n)
    except ValueError as fault:
        raise Malformed(str(fault)) from None
    if _note(said, name, raw) != data:
        raise Malformed("not spelled as this note is")
    return Signed(note, said, raw[:4], raw[4:])


def check(signed: Signed, keys: Keys, kind: Kind | None = None) -> Note:
    """The note, if one of the keys signed it. Raises WrongKind, NotVouched or Forged."""
    note = signed.note
    if kind is not None and note.kind != kind:
        raise WrongKind(f"this is a note of kind {note.kind}, not {kind}")
    key = keys.find(note.key_name, signed.key_hash)
    if key is None:
        raise NotVouched(f"signed as {note.key_name}+{signed.key_hash.hex()}, a key that nobody vouched for")
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signed.signature, signed.text)
    except (InvalidSignature, ValueError):
        raise Forged(f"the signature is not one by {note.key_name}") from None
    return note


def verify(data: bytes, keys: Keys, kind: Kind | None = None) -> Note:
    """What a note says, if it is one, of that kind and signed by one of the keys. Raises NoteError."""
    return check(parse(data), keys, kind)


class Signer:
    """The house's key for notes. It signs the five kinds, nothing else, and never shows its secret half."""

    __slots__ = ("_hash", "_private", "key")

    def __init__(self, name: str, seed: bytes) -> None:
        if not _NAME.fullmatch(name):
            raise KeyFault("a key's name is 1 to 128 printable ASCII characters without space and plus")
        public, self._private = crypto_sign_seed_keypair(exact(seed, "signing seed"))
        self.key = VerifierKey(name, public)
        self._hash = self.key.hash

    def __repr__(self) -> str:
        return "<Signer>"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a signer is not stored")

    @classmethod
    def generate(cls, name: str) -> "Signer":
        """A signer with a fresh key that is kept nowhere."""
        return cls(name, os.urandom(32))

    @classmethod
    def load(cls, path: str | Path, name: str, create: bool = False) -> "Signer":
        """The signer whose key lies in a file. Raises KeyFault if it is unfit, or missing and not to be made.

        A new file gets mode 0600 and is on disk before this returns; of two processes that make it, one wins.
        """
        path = Path(path)
        if create and not path.exists():
            _create(path, _private_line(name, os.urandom(32)))
        try:
            mode, line = path.stat().st_mode, path.read_bytes()
        except OSError as fault:
            raise KeyFault(f"the signing key {path} cannot be read: {fault.strerror}") from None
        if mode & 0o077:
            raise KeyFault(f"the signing key {path} is open to others: its mode must be 0600")
        raw = _unbase64(line.decode("ascii", "replace").removesuffix("\n")[-44:])
        if raw is None or len(raw) != 33 or line != _private_line(name, raw[1:]):
            raise KeyFault(f"{path} is not the signing key of {name}")
        return cls(name, raw[1:])

    @property
    def verifier(self) -> str:
        """The public half as C2SP's `name+hash+key`, without a newline."""
        return str(self.key)

    def verifier_line(self) -> str:
        """The same as `verifier`: what stands on one line of a file of keys."""
        return self.verifier

    @property
    def keys(self) -> Keys:
        """The public half as the only key that is vouched for."""
        return Keys(self.key)

    def opened(self, table_id: str, d: bytes) -> bytes:
        """The note that a table was opened: its d_1."""
        return self._sign(text("opened", table_id, d))

    def started(self, table_id: str, d: bytes) -> bytes:
        """The note that its seats were closed: its d_s, before any cut is asked for."""
        return self._sign(text("started", table_id, d))

    def checkpoint(self, table_id: str, d: bytes) -> bytes:
        """The note of its digest as a hand ends."""
        return self._sign(text("checkpoint", table_id, d))

    def receipt(self, table_id: str, leaf: bytes) -> bytes:
        """The note that an event was accepted, for the one who made it: its leaf."""
        return self._sign(text("receipt", table_id, leaf))

    def record(self, table_id: str, n: int, d: bytes) -> bytes:
        """The note at the foot of a record: its number of events and last digest."""
        return self._sign(text("record", table_id, d, n))

    def _sign(self, said: bytes) -> bytes:
        signature = crypto_sign(said, self._private)[:64]  # libsodium signs in half the time that OpenSSL takes
        return _note(said, self.key.name, self._hash + signature)


def _note(said: bytes, name: str, signature: bytes) -> bytes:
    return said + f"\n— {name} {_base64(signature)}\n".encode()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _unbase64(spelled: str) -> bytes | None:
    """The bytes behind base64 in its one spelling, else None."""
    try:
        raw = base64.b64decode(spelled, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if _base64(raw) == spelled else None


def _private_line(name: str, seed: bytes) -> bytes:
    """What a key file holds: the secret half as C2SP's common tools write it."""
    key = Signer(name, seed).key
    return f"{_PRIVATE}{name}+{key.hash.hex()}+{_base64(_ED25519 + seed)}\n".encode("ascii")


def _create(path: Path, content: bytes) -> None:
    """Write a new private file whole or not at all, and leave one that is there alone."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    except FileExistsError:
        return
    except OSError as fault:
        raise KeyFault(f"the signing key {path} cannot be made: {fault.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)
