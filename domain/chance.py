"""Chance that anyone can check: commitment, promises, table key and labelled streams (replay/FORMAT.md, "Chance").

SHA-256 is H, HMAC-SHA-256 is M, and T(x) is `faircut/1/` + x + a zero byte. Seeds, cuts, keys and digests are 32 bytes.
Nothing here prints or pickles what it holds.
"""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from hmac import digest as _hmac
from typing import TypeVar

T = TypeVar("T")

TABLE_ID = re.compile(r"[0-9a-z]{16,32}")
LABEL = re.compile(r"[a-z0-9_:]{1,64}")
ZERO = bytes(32)


def tag(name: str) -> bytes:
    """Domain separation: what a hash is for stands in front of what is hashed."""
    return b"faircut/1/" + name.encode("ascii") + b"\0"


def h(data: bytes) -> bytes:
    """SHA-256, 32 bytes."""
    return sha256(data).digest()


def m(key: bytes, data: bytes) -> bytes:
    """HMAC-SHA-256, 32 bytes."""
    return _hmac(key, data, "sha256")


def exact(value: bytes, what: str) -> bytes:
    """The value itself if it has 32 bytes. Raises ValueError otherwise, never showing it."""
    if len(value) != 32:
        raise ValueError(f"a {what} has 32 bytes")
    return value


_SEED, _CUT, _KEY, _STREAM = tag("seed"), tag("cut"), tag("key"), tag("stream")
_BLIND, _LEAF, _NODE, _TABLE, _STATE = tag("blind"), tag("leaf"), tag("node"), tag("table"), tag("state")


def commitment(seed: bytes, table_id: str) -> bytes:
    """What `opened` shows of the seed: binds it to one table without telling it."""
    return h(_SEED + exact(seed, "seed") + table_id.encode("ascii"))


def promise(d_1: bytes, seat: int, cut: bytes) -> bytes:
    """What `sat` shows of a cut: binds it to one seat of one opened table."""
    return h(_CUT + exact(d_1, "digest") + bytes([seat]) + exact(cut, "cut"))


def table_key(seed: bytes, d_s: bytes, cuts: Iterable[tuple[int, bytes]]) -> bytes:
    """The key of all chance at a table: the seed, the digest of `started` and (seat, cut) pairs, lowest seat first."""
    data = _KEY + exact(d_s, "digest")
    for seat, cut in sorted(cuts):
        data += bytes([seat]) + exact(cut, "cut")
    return m(exact(seed, "seed"), data)


def first_digest(table_id: str) -> bytes:
    """d_0, where a table's chain of digests starts."""
    return h(_TABLE + table_id.encode("ascii"))


def blind(key: bytes, n: int) -> bytes:
    """What hides event n's bytes from whoever would guess them from their digest."""
    return m(key, _BLIND + n.to_bytes(8, "big"))


def leaf(blind_n: bytes, raw: bytes) -> bytes:
    """The blinded digest of one event's canonical bytes."""
    return h(_LEAF + blind_n + raw)


def node(before: bytes, leaf_n: bytes) -> bytes:
    """d_n from d_(n-1) and event n's leaf."""
    return h(_NODE + before + leaf_n)


def state_digest(key: bytes, n: int, position: bytes) -> bytes:
    """Keyed digest of the position after event n; a bare hash of a few unknown cards would be solved in moments."""
    return m(key, _STATE + n.to_bytes(8, "big") + position)


class Stream:
    """An endless row of bytes under one label, and the draws made from it in order."""

    __slots__ = ("_at", "_block", "_key", "_next")

    def __init__(self, key: bytes, label: str) -> None:
        self._key = m(key, _STREAM + label.encode("ascii"))
        self._block, self._at, self._next = b"", 0, 0

    def __repr__(self) -> str:
        return "<Stream>"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a stream is not stored")

    def _byte(self) -> int:
        if self._at == len(self._block):
            self._block = m(self._key, self._next.to_bytes(4, "big"))
            self._at, self._next = 0, self._next + 1
        self._at += 1
        return self._block[self._at - 1]

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, each equally likely. Raises ValueError unless 1 <= n <= 65536."""
        if not 1 <= n <= 65536:
            raise ValueError("below(n) takes 1 to 65536")
        if n == 1:
            return 0
        width = 256 if n <= 256 else 65536
        bound = width - width % n
        while True:
            value = self._byte()
            if width == 65536:
                value = value << 8 | self._byte()
            if value < bound:
                return value % n

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """A new list in random order (Fisher-Yates from the last place down)."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out


class Chance:
    """The streams of one table. A label serves once a table: `spent` names those that earlier moves have used.

    Rules are handed this and no key. A move that is decided again starts from the same `spent`.
    """

    __slots__ = ("_asked", "_key", "_spent")

    def __init__(self, key: bytes, spent: frozenset[str] = frozenset()) -> None:
        self._key, self._spent, self._asked = exact(key, "key"), spent, frozenset[str]()

    def __repr__(self) -> str:
        return "<Chance>"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("chance is not stored")

    @property
    def spent(self) -> frozenset[str]:
        """All labels used so far, those asked of this object included."""
        return self._spent | self._asked if self._asked else self._spent

    def stream(self, label: str) -> Stream:
        """The stream under a label. Raises ValueError if the label is malformed or was used before."""
        if not LABEL.fullmatch(label):
            raise ValueError("a label matches [a-z0-9_:]{1,64}")
        if label in self._spent or label in self._asked:
            raise ValueError(f"the label {label} has been used at this table")
        self._asked |= {label}
        return Stream(self._key, label)


class _Mac:
    """HMAC-SHA-256 under one key that serves at every event: its pads are hashed once.

    Not `hmac.digest`, which lets go of the interpreter's lock each time: beside a busy writer thread that costs ten
    times the hash.
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        padded = exact(key, "key") + bytes(32)
        self._inner = sha256(bytes(b ^ 0x36 for b in padded))
        self._outer = sha256(bytes(b ^ 0x5C for b in padded))

    def __call__(self, data: bytes) -> bytes:
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(data)
        outer.update(inner.digest())
        return outer.digest()


class Vault:
    """A table's seed and what follows from it, kept apart from its state. It shows neither."""

    __slots__ = ("_key", "_mac", "_seed")

    def __init__(self, seed: bytes) -> None:
        self._seed, self._key = exact(seed, "seed"), b""
        self._mac: _Mac | None = None

    def __repr__(self) -> str:
        return "<Vault>"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a vault is not stored")

    def commitment(self, table_id: str) -> bytes:
        """The commitment that `opened` must show."""
        return commitment(self._seed, table_id)

    def turn(self, d_s: bytes, cuts: Iterable[tuple[int, bytes]]) -> None:
        """Make the table key, once all promised cuts are there."""
        self._key = table_key(self._seed, d_s, cuts)
        self._mac = _Mac(self._key)

    def chance(self, spent: frozenset[str]) -> Chance:
        """The table's chance. Raises ValueError before the key is made."""
        return Chance(self._key, spent)

    def blind(self, n: int) -> bytes:
        """The blind of event n, which comes after the last cut."""
        return self._keyed(_BLIND + n.to_bytes(8, "big"))

    def state(self, n: int, position: bytes) -> bytes:
        """The keyed digest of the position after event n."""
        return self._keyed(_STATE + n.to_bytes(8, "big") + position)

    def _keyed(self, data: bytes) -> bytes:
        if self._mac is None:
            raise ValueError("a key has 32 bytes, and this table has none before the last cut")
        return self._mac(data)

    def reveal(self) -> str:
        """The seed as hex, for the `revealed` event and nothing else."""
        return self._seed.hex()
