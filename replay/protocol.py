"""The part of an audit that knows no game: commitment, promises and cuts, key, blinds, chain.

It goes by the events' bytes alone (replay/FORMAT.md, "Chance" and "The chain"), so it still tells where a
record was changed when its game cannot be followed.
"""

from collections.abc import Sequence
from typing import NamedTuple

from domain import chance, events
from replay.record import Record

UNCHAINED = "its digest is not the one that follows from its bytes and the events before it"


class Fault(NamedTuple):
    """What is wrong, and at which event (from 1)."""

    at: int
    words: str


class Walk(NamedTuple):
    """What follows from a record's bytes and its seed. Without a seed nothing is known after the last cut.

    `digests`, `leaves`: as computed, of events 1, 2, … as far as they can be. `d_s`: of `started`.
    `promised`, `owing`: seats that promised a cut, and those whose cut did not come. `commitment`: whether
    the seed opens it. `cuts`: the first thing wrong with promises and cuts. `chain`: the first event with
    another digest.
    """

    digests: Sequence[bytes]
    leaves: Sequence[bytes]
    d_s: bytes | None
    promised: tuple[int, ...]
    owing: tuple[int, ...]
    commitment: bool
    cuts: Fault | None
    chain: Fault | None


def walk(record: Record, seed: bytes | None) -> Walk:
    """Compute every digest of a record anew from its bytes and the revealed seed."""
    cuts = _Cuts(record.opened.seats, seed)
    d = chance.first_digest(record.opened.id)
    digests: list[bytes] = []
    leaves: list[bytes] = []
    wrong: Fault | None = None
    chain: Fault | None = None
    for n, entry in enumerate(record.entries, 1):
        if cuts.complete and cuts.key is None:
            break
        blind = chance.ZERO if cuts.key is None else chance.blind(cuts.key, n)
        leaves.append(chance.leaf(blind, entry.raw))
        d = chance.node(d, leaves[-1])
        digests.append(d)
        if d != entry.digest and chain is None:
            chain = Fault(n, UNCHAINED)
        if (words := cuts.event(entry.event, d)) and wrong is None:
            wrong = Fault(n, words)
    opens = seed is not None and chance.commitment(seed, record.opened.id).hex() == record.opened.commit
    return Walk(
        digests, leaves, cuts.d_s, tuple(cuts.promised),
        tuple(seat for seat in cuts.promised if seat not in cuts.cuts), opens, wrong, chain,
    )  # fmt: skip


class _Cuts:
    """Promises and cuts as they come, up to the key. `complete`: the seats are closed and no cut is owed."""

    def __init__(self, seats: int, seed: bytes | None) -> None:
        self.seats, self.seed = seats, seed
        self.d_1: bytes | None = None
        self.d_s: bytes | None = None
        self.sat: dict[int, tuple[str, str | None]] = {}
        self.promised: dict[int, str] = {}
        self.cuts: dict[int, bytes] = {}
        self.complete = False
        self.key: bytes | None = None

    def event(self, event: events.Event, d: bytes) -> str | None:
        """Take in an event and its computed digest; say what is wrong with it."""
        if self.complete and not isinstance(event, events.Started | events.Cut):
            return None
        match event:
            case events.Opened():
                self.d_1 = self.d_1 or d
            case events.Sat():
                self.sat[event.seat] = event.kind, event.cut
            case events.Stood():
                self.sat.pop(event.seat, None)
            case events.Started():
                return self._started(event, d)
            case events.Cut():
                return self._cut(event)
        return None

    def _started(self, event: events.Started, d: bytes) -> str | None:
        if self.d_s is not None:
            return "the seats are closed a second time"
        self.d_s = d
        self.promised = {seat: cut for seat, cut in enumerate(event.cuts) if cut is not None}
        self._turn()
        listed = dict(enumerate(zip(event.kinds, event.cuts, strict=False)))
        if not self.seats == len(event.kinds) == len(event.cuts) or listed != self.sat:
            return "the start lists other seats or promises than those that sat down"
        return None

    def _cut(self, event: events.Cut) -> str | None:
        promised, cut = self.promised.get(event.seat), bytes.fromhex(event.cut)
        if promised is None or event.seat in self.cuts or self.d_1 is None:
            return f"nobody asked seat {event.seat} for this cut"
        self.cuts[event.seat] = cut
        self._turn()
        if chance.promise(self.d_1, event.seat, cut).hex() != promised:
            return f"seat {event.seat}'s cut is not the one it promised"
        return None

    def _turn(self) -> None:
        """Make the key if all that was promised is there."""
        self.complete = self.d_s is not None and self.cuts.keys() == self.promised.keys()
        if self.complete and self.seed is not None and self.d_s is not None:
            self.key = chance.table_key(self.seed, self.d_s, self.cuts.items())
