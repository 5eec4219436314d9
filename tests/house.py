"""A table driven event by event, with everything that is stored of it kept: what tests of tables stand on."""

import random
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from domain import chance, events
from domain.chance import Vault
from domain.game import Game, Illegal
from domain.table import Next, Table, follow, open_table

AT = 1_750_000_000_000  # ms since 1970
ID = "testtable0000001"
AnyGame = Game[Any, Any, Any, Any]


def bits(*parts: object) -> bytes:
    """32 bytes that follow from the arguments: seeds and cuts for tests."""
    return sha256(repr(parts).encode()).digest()


SEED = bits("seed")


def opened(game: AnyGame, seats: int, options: Any = None, /, *, seed: bytes = SEED, **fields: Any) -> events.Opened:
    """The first event of a table."""
    given = {"at": AT, "id": ID, "commit": chance.commitment(seed, ID).hex(), "game": game.name,
             "rules": game.rules, "protocol": 1, "seats": seats, "host": "person0",
             "options": msgspec.to_builtins(options or game.Options())}  # fmt: skip
    return events.Opened(**(given | fields))


class House:
    """One table. `at` is the wall clock, which tests move; `steps` is all that has happened."""

    def __init__(self, game: AnyGame, seats: int = 2, options: Any = None, seed: bytes = SEED) -> None:
        self.game, self.seed, self.at, self.vault = game, seed, AT, Vault(seed)
        self.steps: list[Next] = [open_table(opened(game, seats, options, seed=seed), game, self.vault)]

    @property
    def table(self) -> Table:
        return self.steps[-1].table

    @property
    def state(self) -> Any:
        return self.table.state

    def do(self, event: type[Any], after: int = 0, **fields: Any) -> Next:
        """An event of this type `after` ms from now, followed. Raises what `follow` raises."""
        step = follow(self.table, event(at=self.at + after, **fields), self.vault)
        self.at += after
        self.steps.append(step)
        return step

    def refusal(self, event: type[Any], after: int = 0, **fields: Any) -> str:
        """The code with which an event is refused; "" if it is not. The table stays as it is."""
        try:
            follow(self.table, event(at=self.at + after, **fields), self.vault)
        except Illegal as no:
            return no.code
        return ""

    def cut(self, seat: int) -> bytes:
        return bits("cut", seat)

    def promise(self, seat: int) -> str:
        return chance.promise(self.table.d_1, seat, self.cut(seat)).hex()

    def sit(self, seat: int, kind: str = "human", cut: bool = True, **fields: Any) -> Next:
        """A person (who promises a cut) or an easy bot takes a seat."""
        if kind == "bot":
            given = {"who": f"bot{seat}", "cut": None, "level": "easy"}
        else:
            given = {"who": f"person{seat}", "cut": self.promise(seat) if cut else None}
        return self.do(events.Sat, seat=seat, kind=kind, **(given | fields))

    def start(self, people: Iterable[int] = (), cuts: Iterable[int] = ()) -> Next:
        """Everyone sits down, people and bots, those in `cuts` cut, and the first hand is dealt."""
        cuts = sorted(cuts)
        for seat in range(self.table.opened.seats):
            self.sit(seat, "human" if seat in people else "bot", seat in cuts)
        self.close_seats()
        for seat in cuts:
            self.do(events.Cut, seat=seat, cut=self.cut(seat).hex())
        return self.steps[-1]

    def started(self) -> dict[str, Any]:
        """The fields that `started` must have now."""
        chairs = [chair for chair in self.table.chairs if chair]
        return {"kinds": tuple(c.kind for c in chairs), "cuts": tuple(c.promise for c in chairs)}

    def close_seats(self) -> Next:
        return self.do(events.Started, **self.started())

    def move(self, seat: int, move: Any, after: int = 0, by: str | None = None) -> Next:
        """A move, by whoever plays the seat unless `by` says otherwise."""
        return self.do(events.Moved, after, **self.moved(seat, move, by))

    def moved(self, seat: int, move: Any, by: str | None = None) -> dict[str, Any]:
        """Fields of a `moved` event."""
        chair = self.table.chairs[seat] if seat < len(self.table.chairs) else None
        raw = dict(move) if isinstance(move, Mapping) else msgspec.json.decode(msgspec.json.encode(move))
        by = by or ("bot" if chair and chair.bot else "person")
        return {"seat": seat, "move": raw, "by": by, "command": f"c{self.table.version}"}

    def reveal(self) -> Next:
        return self.do(events.Revealed, seed=self.vault.reveal())


RESIGN = 0.0005  # how often a random game is given up, or lost by time, where it could be


def playable(rng: random.Random, moves: Iterable[Any]) -> list[Any]:
    """The moves without resigning, but for once in a long while: else no random game would last."""
    return [move for move in moves if move.__struct_config__.tag != "resign" or rng.random() < RESIGN]


def pick_move(rng: random.Random, moves: Iterable[Any]) -> Any:
    """A random move: first its type, then which one, so that rare types are played."""
    moves = list(moves)
    kinds: dict[type[Any], list[Any]] = {}
    for move in playable(rng, moves) or moves:
        kinds.setdefault(type(move), []).append(move)
    return rng.choice(kinds[rng.choice(sorted(kinds, key=lambda kind: kind.__name__))])


def wander(house: House, rng: random.Random, moves: int) -> None:
    """Go on at random for so many events or until the game is over: moves, time, pauses, people who come and go.

    Late moves, late ticks, a silent bot's fallback and a hurried start are among them.
    """
    for _ in range(moves):
        if house.table.phase != "playing":
            return
        house.at += rng.choice([0, 1, 300, 2_000])
        chance_of = rng.random()
        if chance_of < 0.06:
            _come_and_go(house, rng)
        elif chance_of < 0.08 and house.table.due():
            ms = rng.randrange(1, 100_000)
            house.do(events.Granted, after=ms + 5, ms=ms, since=house.at)
        elif chance_of < 0.12 or not house.table.owed:
            _let_time_pass(house, rng)
        else:
            owed = rng.choice(house.table.owed).decision
            house.move(owed.seat, pick_move(rng, house.game.legal(house.state, owed.seat)))


def _come_and_go(house: House, rng: random.Random) -> None:
    people = [i for i, chair in enumerate(house.table.chairs) if chair and chair.kind == "human"]
    seat = rng.choice(people or [0])
    chair = house.table.chairs[seat]
    assert chair
    if house.table.host is not None and house.refusal(events.Hurried, seat=house.table.host) == "":
        house.do(events.Hurried, seat=house.table.host)
    elif chair.kind == "bot":
        return
    elif chair.cover or (chair.left and rng.random() < 0.5):
        house.do(events.Returned, seat=seat)
    elif chair.left or rng.random() < 0.3:
        house.do(events.Covered, seat=seat, level=rng.choice(events.LEVELS))
    elif rng.random() < 0.5:
        house.do(events.Left, seat=seat)
    else:
        house.do(events.Agreed, seat=seat)


def _let_time_pass(house: House, rng: random.Random) -> None:
    """To the next due time or a little past it, and what then happens; not always at once."""
    table = house.table
    due = table.due()
    if due is None or (due.seat is not None and rng.random() >= RESIGN):
        return
    late = max(0, due.at - table.now(house.at)) + rng.choice([0, 0, 1, 7_000])
    if due.key.startswith("bot:"):
        seat = int(due.key.split(":")[1])
        house.move(seat, house.game.fallback(table.state, seat), late, by="timer")
    else:
        house.do(events.Ticked, after=late)


def raw_events(house: House) -> list[bytes]:
    return [step.raw for step in house.steps]


def replay(game: AnyGame, raws: Iterable[bytes], seed: bytes) -> list[Next]:
    """The table again from its stored bytes alone. Raises Illegal, Diverged or canon.NotCanonical.

    What is followed must be what was stored: `follow` puts a move that is spelled otherwise into its plain form.
    """
    vault, steps = Vault(seed), list[Next]()
    for raw in raws:
        event = events.decode_strict(raw)
        if steps:
            steps.append(follow(steps[-1].table, event, vault))
        else:
            assert isinstance(event, events.Opened)
            steps.append(open_table(event, game, vault))
        assert steps[-1].raw == raw
    return steps
