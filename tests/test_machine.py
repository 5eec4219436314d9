"""Any seat, any command, any time: whatever is sent to a table, it is refused cleanly or the table stays sound."""

import random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from domain import canon, chance, events
from domain.game import Illegal, Step
from domain.registry import GAMES
from domain.table import Diverged
from tests.house import ID, House, bits, pick_move, raw_events, replay
from tests.toys import Whispers
from tests.walk import AnyGame, Moment, commands

SEATS = st.integers(0, 9)
LATE = st.sampled_from([0, 0, 1, 300, 9_999, 10_000, 20_000, 31_000, -1])
COMINGS = [events.Left, events.Returned, events.Agreed, events.Hurried, events.Stood]
JUNK: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.sampled_from(["AS1", "*1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


class TableMachine(RuleBasedStateMachine):
    """One table of one game; subclasses name the game."""

    game: AnyGame

    @initialize(seats=st.integers(0, 7), seed=st.integers(0, 10**6), begin=st.sampled_from([True, True, True, False]))
    def open(self, seats: int, seed: int, begin: bool) -> None:
        self.rng = random.Random(seed)
        count = self.game.seats[seats % len(self.game.seats)]
        self.house = House(self.game, count, seed=bits("machine", seed))
        self.known: list[Any] = []
        self.feeds = self.house.table.seen
        if begin:
            self.fill_and_start(self.rng.randrange(256), self.rng.randrange(256))
            self.all_cut()

    @property
    def playing(self) -> bool:
        return self.house.table.phase == "playing"

    def send(self, event: type[Any], after: int = 0, **fields: Any) -> bool:
        """Whether the event was accepted. Whatever else than a refusal is raised is a bug."""
        before = self.house.table
        try:
            self.house.do(event, after, **fields)
        except (Illegal, Diverged, canon.NotCanonical):
            assert self.house.table is before
            return False
        return True

    @rule(seat=SEATS, bot=st.booleans(), cut=st.booleans())
    def sit(self, seat: int, bot: bool, cut: bool) -> None:
        fields: dict[str, Any] = {"who": f"person{seat}", "kind": "human", "cut": None}
        if bot:
            fields = {"who": f"bot{seat}", "kind": "bot", "cut": None, "level": "easy"}
        elif cut:
            fields["cut"] = self.house.promise(seat)
        self.send(events.Sat, seat=seat, **fields)

    @precondition(lambda self: self.house.table.phase == "open")
    @rule(people=st.integers(0, 255), cuts=st.integers(0, 255))
    def fill_and_start(self, people: int, cuts: int) -> None:
        for seat, chair in enumerate(self.house.table.chairs):
            if chair is None:
                self.house.sit(seat, "human" if people >> seat & 1 else "bot", bool(cuts >> seat & 1))
        self.house.close_seats()

    @precondition(lambda self: self.house.table.phase == "cutting")
    @rule()
    def all_cut(self) -> None:
        for seat, chair in enumerate(self.house.table.chairs):
            if chair and chair.promise and self.house.table.cuts[seat] is None:
                self.house.do(events.Cut, seat=seat, cut=self.house.cut(seat).hex())

    @rule(seat=SEATS, of=SEATS, late=LATE)
    def cut(self, seat: int, of: int, late: int) -> None:
        self.send(events.Cut, late, seat=seat, cut=self.house.cut(of).hex())

    @precondition(lambda self: self.playing)
    @rule(count=st.integers(1, 40), late=st.sampled_from([0, 1, 300]))
    def play_on(self, count: int, late: int) -> None:
        for _ in range(count):
            owed = self.house.table.owed
            if not owed:
                return
            seat = self.rng.choice(owed).decision.seat
            move = pick_move(self.rng, self.game.legal(self.house.state, seat))
            self.known = [*self.known, move][-20:]
            self.house.move(seat, move, late)

    @precondition(lambda self: self.playing)
    @rule(by=st.sampled_from(["person", "bot", "timer", None]), late=LATE)
    def near_moves(self, by: str | None, late: int) -> None:
        """Commands near the legal ones, from every seat, also those whose turn it is not."""
        table = self.house.table
        now, spent, known = table.now(self.house.at), table.spent, tuple(self.known)
        step, seats = Step(table.state), table.opened.seats
        moment = Moment(self.game, table.options, seats, None, None, None, step, now, bytes(32), spent, spent, 0, known)
        for seat in range(table.opened.seats):
            for raw in commands(moment, seat, self.rng, 2):  # type: ignore[arg-type]
                if self.playing:
                    self.send(events.Moved, late, **self.house.moved(seat, raw, by))

    @rule(seat=SEATS, raw=st.dictionaries(st.sampled_from(["type", "card", "at", "melds", "x"]), JUNK, max_size=3))
    def junk_move(self, seat: int, raw: dict[str, Any]) -> None:
        self.send(events.Moved, **self.house.moved(seat, raw, "person"))

    @precondition(lambda self: self.playing)
    @rule(data=st.data(), key=st.sampled_from(["kind", "low_jokers", "end", "meld", "at", "card", "cards"]), junk=JUNK)
    def spoilt_move(self, data: st.DataObject, key: str, junk: Any) -> None:
        """A legal move with something put into it or one of its parts."""
        if self.house.table.owed:
            seat = self.rng.choice(self.house.table.owed).decision.seat
            fields = self.house.moved(seat, pick_move(self.rng, self.game.legal(self.house.state, seat)))
            boxes = [fields["move"], *(p for v in fields["move"].values() if isinstance(v, list) for p in v)]
            box = data.draw(st.sampled_from([box for box in boxes if isinstance(box, dict)]))
            box[key] = junk
            self.send(events.Moved, **fields)

    @rule(late=LATE)
    def tick(self, late: int) -> None:
        self.send(events.Ticked, late)

    @precondition(lambda self: self.house.table.due() is not None)
    @rule(late=st.sampled_from([0, 1, 40_000]), early=st.booleans())
    def due(self, late: int, early: bool) -> None:
        """The time comes for what is due: a millisecond earlier nothing can happen."""
        due = self.house.table.due()
        assert due
        after = max(0, due.at - self.house.table.now(self.house.at)) + late
        kind, *rest = due.key.split(":")
        event: type[Any] = {
            "bot": events.Moved, "cut": events.Voided, "idle": events.Closed,
        }.get(kind, events.Ticked)  # fmt: skip
        fields: dict[str, Any] = {"how": "idle"} if kind == "idle" else {}
        if kind == "bot":
            move = self.game.fallback(self.house.state, int(rest[0]))  # type: ignore[arg-type]
            fields = self.house.moved(int(rest[0]), move, "timer")
        elif kind == "cut":
            cuts = zip(self.house.table.chairs, self.house.table.cuts, strict=True)
            fields = {"seats": tuple(i for i, (c, cut) in enumerate(cuts) if c and c.promise and cut is None)}
        if early and self.house.table.now(self.house.at) < due.at:
            after = due.at - self.house.table.now(self.house.at) - 1
            assert not self.send(event, after, **fields)
        else:
            assert self.send(event, after, **fields)

    @rule(after=st.integers(0, 50_000), ms=st.integers(1, 50_000), since=st.integers(-10, 10))
    def grant(self, after: int, ms: int, since: int) -> None:
        now = self.house.table.now(self.house.at)
        if self.send(events.Granted, after, ms=ms, since=self.house.at + since):
            assert self.house.table.now(self.house.at) >= now, "table time went back"

    @rule(seat=SEATS, event=st.sampled_from(COMINGS))
    def come_and_go(self, seat: int, event: type[Any]) -> None:
        self.send(event, seat=seat)

    @rule(seat=SEATS, level=st.sampled_from(events.LEVELS))
    def cover(self, seat: int, level: str) -> None:
        self.send(events.Covered, seat=seat, level=level)

    @rule(late=LATE, true=st.booleans())
    def reveal(self, late: int, true: bool) -> None:
        ended = self.house.table.ended and not self.house.table.revealed
        seed = self.house.seed if true else bits("another")
        assert self.send(events.Revealed, late, seed=seed.hex()) == (ended and true and late >= 0)

    @precondition(lambda self: len(self.house.steps) > 60)
    @rule(how=st.sampled_from(["host", "agreed", "idle"]))
    def close(self, how: str) -> None:
        self.send(events.Closed, how=how)

    @rule(seats=st.lists(SEATS, max_size=2))
    def void_or_start_wrongly(self, seats: list[int]) -> None:
        assert not self.send(events.Voided, seats=tuple(seats))
        assert not self.send(events.Started, kinds=("human",) * len(seats), cuts=(None,) * len(seats))

    @invariant()
    def chained(self) -> None:
        """What was stored last reads back as itself and follows in the chain."""
        steps = self.house.steps
        last, table = steps[-1], steps[-1].table
        assert events.encode(events.decode_strict(last.raw)) == events.encode(last.event) == last.raw
        assert table.version == len(steps)
        before = steps[-2].table.digest if len(steps) > 1 else chance.first_digest(ID)
        assert table.digest == chance.node(before, last.leaf)
        assert all(a <= b <= table.version for a, b in zip(self.feeds, table.seen, strict=True))
        self.feeds = table.seen

    @invariant()
    def sound(self) -> None:
        table, game = self.house.table, self.game
        if table.state is None:
            assert not table.keyed
            return
        cards = sorted(card for zone in game.zones(table.state).values() for card in zone)
        assert len(cards) == len(set(cards))
        assert (game.outcome(table.state) is not None) == (table.phase == "over")
        if table.phase == "playing":
            assert [owed.decision for owed in table.owed] == list(game.deciding(table.state))
            assert table.owed or table.due()
        else:
            assert not table.owed
            assert table.due() is None

    def teardown(self) -> None:
        if hasattr(self, "house"):
            steps = replay(self.game, raw_events(self.house), self.house.seed)
            assert steps[-1].table == self.house.table


# Derandomised, so that a run of CI says something about the change and not about its luck.
SETTINGS = settings(
    max_examples=60,
    stateful_step_count=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def machine(game: AnyGame) -> type[Any]:
    """The test case of a game."""
    kind = type(f"TableMachine_{game.name}", (TableMachine,), {"game": game})
    case: type[Any] = kind.TestCase
    case.settings = SETTINGS
    return case


for _game in [*(game for versions in GAMES.values() for game in versions.values()), Whispers()]:
    globals()[f"Test_{_game.name}_v{_game.rules}"] = machine(_game)
