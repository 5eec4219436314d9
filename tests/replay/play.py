"""Whole tables played offline through `domain.table`, for tests of records and audits.

A `House` does what a table's server does, one event at a time, and keeps what a record lists. `whole` lets it play
a random game with people and bots; the same arguments give the same game.
"""

from hashlib import sha256
from itertools import islice
from random import Random
from typing import Any, Literal

import msgspec

from domain import chance, events, registry
from domain.chance import Vault
from domain.events import Event
from domain.game import Decision, Due, Illegal, Line
from domain.table import BOT_GRACE_MS, CUT_MS, Next, Table, follow, open_table
from replay import record
from replay.notes import Signer

START = 1_767_225_600_000  # ms since 1970, when the first event happens
SIGNER = Signer("faircut.example/tests", bytes(range(0x60, 0x80)))


def secret(*what: object) -> bytes:
    """32 bytes that belong to what is named."""
    return sha256(repr(what).encode()).digest()


class House:
    """One table, its seed and everybody's cuts. `entries`: (digest, bytes); `leaves`: what receipts are made of."""

    def __init__(
        self, game: str, seats: int, *, options: dict[str, Any] | None = None, seed: bytes = b"", name: str = "",
        host: str | None = "who0",
    ) -> None:  # fmt: skip
        self.id = name or sha256(b"%r" % [(game, seats, seed)]).hexdigest()[:20]
        self.seed = seed or secret("seed", self.id)
        self.vault = Vault(self.seed)
        self.at = START
        self.entries: list[tuple[bytes, bytes]] = []
        self.leaves: list[bytes] = []
        self.lines: list[Line] = []
        self.cuts: dict[int, bytes] = {}
        self.commands = 0
        rules = registry.newest(game)
        opened = events.Opened(
            at=self.at, id=self.id, commit=self.vault.commitment(self.id).hex(), game=game, rules=rules.rules,
            protocol=1, seats=seats, options=options or {}, host=host,
        )  # fmt: skip
        self.table = self._keep(open_table(opened, rules, self.vault))

    def _keep(self, step: Next) -> Table:
        self.entries.append((step.table.digest, step.raw))
        self.leaves.append(step.leaf)
        self.lines += step.lines
        return step.table

    def do(self, event: Event) -> Table:
        """Follow an event and keep it. Raises Illegal or Diverged and keeps nothing."""
        self.table = self._keep(follow(self.table, event, self.vault))
        return self.table

    def later(self, ms: int) -> int:
        """The time, so many ms later."""
        self.at += ms
        return self.at

    def sit(self, seat: int, *, cut: bool = True, again: int = 0) -> None:
        """Seat a person, with the promise of a cut or without. `again` tells cuts of the same seat apart."""
        promise = None
        if cut:
            self.cuts[seat] = secret("cut", self.id, seat, again)
            promise = chance.promise(self.table.d_1, seat, self.cuts[seat]).hex()
        at = self.later(1000)
        self.do(events.Sat(at=at, seat=seat, who=f"who{seat}", kind="human", cut=promise))

    def bot(self, seat: int, level: events.Level = "easy") -> None:
        """Seat a bot."""
        at = self.later(1000)
        self.do(events.Sat(at=at, seat=seat, who=f"bot{seat}", kind="bot", cut=None, level=level))

    def start(self) -> None:
        """Close the seats."""
        chairs = [chair for chair in self.table.chairs if chair]
        kinds, cuts = tuple(c.kind for c in chairs), tuple(c.promise for c in chairs)
        self.do(events.Started(at=self.later(1000), kinds=kinds, cuts=cuts))

    def cut(self, seat: int) -> None:
        """Open a promised cut."""
        self.do(events.Cut(at=self.later(100), seat=seat, cut=self.cuts[seat].hex()))

    def cut_all(self) -> None:
        """Open every promised cut, the highest seat first."""
        for seat, chair in reversed([*enumerate(self.table.chairs)]):
            if chair and chair.promise:
                self.cut(seat)

    def move(self, seat: int, move: Any, *, timer: bool = False) -> Table:
        """A seat's move, by whoever plays it."""
        chair = self.table.chairs[seat]
        assert chair is not None
        self.commands += 1
        by: Literal["person", "bot", "timer"] = "timer" if timer else "bot" if chair.bot else "person"
        body, command = msgspec.to_builtins(move), f"c{self.commands:07}"
        return self.do(events.Moved(at=self.at, seat=seat, move=body, by=by, command=command))

    def void(self) -> None:
        """Nobody waits any longer for the cuts that are owed."""
        at = self.later(CUT_MS)
        owing = [i for i, c in enumerate(self.table.chairs) if c and c.promise and not self.table.cuts[i]]
        self.do(events.Voided(at=at, seats=tuple(owing)))
        self.reveal()

    def close(self, how: str = "host") -> None:
        """End the table early."""
        self.do(events.Closed(at=self.later(10), how=how))
        self.reveal()

    def reveal(self) -> None:
        """The seed, as every table ends."""
        self.do(events.Revealed(at=self.at, seed=self.vault.reveal()))

    def record(self, signer: Signer = SIGNER) -> bytes:
        """The signed record."""
        return record.write(self.entries, signer)


def seated(game: str, people: int, bots: int = 0, *, open_cuts: bool = True, **kind: Any) -> House:
    """A table with people, who all promise a cut, and bots after them, started and dealt if all cuts are open."""
    house = House(game, people + bots, **kind)
    for seat in range(people):
        house.sit(seat)
    for seat in range(people, people + bots):
        house.bot(seat)
    house.start()
    if open_cuts:
        house.cut_all()
    return house


def whole(
    game: str, number: int, *, people: int = 2, bots: int = 0, options: dict[str, Any] | None = None,
    uncut: tuple[int, ...] = (), moves: int = 100_000, life: bool = True,
) -> House:  # fmt: skip
    """A random game to its end, or to an early one by the host after so many moves.

    `uncut`: people who let the house cut. `life`: people also come and go, time is given back, seats are covered.
    """
    dice = Random(f"{game} {number} {people} {bots}")
    name = f"{number:08}{people}{bots}{game.replace('_', '')}"[:32]
    house = House(game, people + bots, options=options, name=name)
    for seat in range(people):
        house.sit(seat, cut=seat not in uncut)
    for seat in range(people, people + bots):
        house.bot(seat, dice.choice(events.LEVELS))
    if life and people:  # somebody stands up and sits down again with another promise
        house.do(events.Stood(at=house.later(10), seat=0))
        house.sit(0, cut=0 not in uncut, again=1)
    house.start()
    house.cut_all()
    while not house.table.ended and house.commands < moves:
        if not (life and dice.random() < 0.05 and _life(house, dice)):
            _turn(house, dice)
    house.reveal() if house.table.ended else house.close()
    return house


def _turn(house: House, dice: Random) -> None:
    """A random move of a random seat that is asked, or the passing of time."""
    table = house.table
    house.later(dice.randrange(3000))
    asked = [o.decision for o in table.owed if o.decision.waits]
    due = table.game.due(table.state)
    if due and (not asked or dice.random() < 0.1):
        tick(house, due)
        return
    decision = dice.choice(asked)
    if decision.kind == "ready" and dice.random() < 0.2 and _hurry(house):
        return
    if (chair := table.chairs[decision.seat]) and chair.bot and dice.random() < 0.05:
        house.later(BOT_GRACE_MS)
        house.move(decision.seat, table.game.fallback(table.state, decision.seat), timer=True)
        return
    house.move(decision.seat, _choice(house, decision, dice))


def tick(house: House, due: Due) -> None:
    """Let time pass what the game waits for."""
    house.at = max(house.at, due.at + house.table.granted)
    house.do(events.Ticked(at=house.at))


def _choice(house: House, decision: Decision, dice: Random) -> Any:
    game, state = house.table.game, house.table.state
    moves = [*islice(game.legal(state, decision.seat), 64)]
    return dice.choice(moves) if moves else game.fallback(state, decision.seat)


def _hurry(house: House) -> bool:
    """Start the next hand for those who are not ready, if the host is."""
    host = house.table.host
    if host is None or any(o.decision.seat == host for o in house.table.owed):
        return False
    house.do(events.Hurried(at=house.at, seat=host))
    return True


def _life(house: House, dice: Random) -> bool:
    """Something that happens to the table rather than in the game, if it may."""
    seat = dice.randrange(len(house.table.chairs))
    at = house.later(dice.randrange(1, 5000))
    chosen: list[Event] = [
        events.Left(at=at, seat=seat),
        events.Covered(at=at, seat=seat, level="medium"),
        events.Returned(at=at, seat=seat),
        events.Returned(at=at, seat=seat),
        events.Granted(at=at, ms=at - house.table.at, since=house.table.at),
        events.Agreed(at=at, seat=seat),
    ]
    try:
        house.do(dice.choice(chosen))
    except Illegal:
        return False
    return True
