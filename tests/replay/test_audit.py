"""What an audit finds in honest records, and that it finds every attack on a record (replay/FORMAT.md)."""

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from domain import chance, events, registry
from domain.table import BOT_GRACE_MS, CUT_MS
from replay import notes, protocol, record
from replay.audit import Source, audit, audit_many
from replay.report import Check, Report
from tests.replay.forge import Edit, edited
from tests.replay.play import SIGNER, House, seated, secret, whole
from tests.toys import Breaks, Whispers

VECTORS = Path(__file__).parent.parent / "vectors"
KEYS = SIGNER.keys
Row = dict[str, Any]


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "whispers", {1: Whispers()})
    monkeypatch.setitem(registry.GAMES, "breaks", {1: named("breaks", Breaks)})


def named(name: str, game: type[Whispers]) -> Whispers:
    return type(name.title(), (game,), {"name": name})()


@cache
def finished() -> House:
    """Two people and a bot, whose game ran to its end."""
    return whole("whispers", 3, people=2, bots=1, life=False)


def voided() -> House:
    """Two people, of whom seat 1 does not send its cut."""
    house = seated("whispers", 2, open_cuts=False)
    house.cut(0)
    house.void()
    return house


def found(report: Report, name: str) -> Check:
    return next(check for check in report.checks if check.name == name)


def failing(report: Report) -> set[str]:
    return {check.name for check in report.checks if check.ok is False}


# Honest records


@pytest.mark.parametrize("number", range(12))
def test_a_game_that_was_played_is_verified(number: int) -> None:
    people, bots = [(2, 0), (1, 1), (3, 1), (0, 2)][number % 4]
    house = whole("whispers", number, people=people, bots=bots)
    report = audit(house.record(), KEYS)
    assert (report.exit, failing(report)) == (0, set())
    assert all(check.ok for check in report.checks)
    outcome = house.table.outcome
    assert outcome and report.result
    assert (report.result.places, report.result.totals) == (outcome.places, outcome.totals)
    assert (report.id, report.game, report.events, report.hands) == (house.id, "whispers", len(house.entries), 2)
    assert report.digest == house.entries[-1][0].hex()


@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize(("people", "bots"), [(2, 0), (2, 2), (0, 2), (5, 1)])
def test_a_game_of_michigan_rummy_is_verified(number: int, people: int, bots: int) -> None:
    house = whole("michigan_rummy", number, people=people, bots=bots, moves=400)
    report = audit(house.record(), KEYS)
    assert (report.exit, failing(report)) == (0, set())


def test_seats_that_did_not_cut_and_seats_that_were_covered_are_named() -> None:
    house = House("whispers", 3)
    house.sit(0)
    house.sit(1, cut=False)
    house.bot(2, "hard")
    house.start()
    house.cut_all()
    house.do(events.Covered(at=house.later(5), seat=1, level="easy"))
    house.close()
    seats = audit(house.record(), KEYS).seats
    assert [(s.seat, s.kind, s.level, s.cut, s.covered) for s in seats] == [
        (0, "human", None, True, False), (1, "human", None, False, True), (2, "bot", "hard", False, False),
    ]  # fmt: skip


def test_a_voided_table_is_verified_and_names_who_did_not_cut() -> None:
    report = audit(voided().record(), KEYS)
    assert report.exit == 0
    assert report.result and (report.result.how, report.result.owing) == ("voided", (1,))
    assert not report.dealt


@pytest.mark.parametrize("stage", ["opened", "sat", "cutting", "playing"])
def test_a_table_closed_early_is_verified_as_such(stage: str) -> None:
    house = House("whispers", 2)
    if stage != "opened":
        house.sit(0)
        house.sit(1)
    if stage in ("cutting", "playing"):
        house.start()
    if stage == "playing":
        house.cut_all()
    house.close("idle")
    report = audit(house.record(), KEYS)
    assert report.exit == 0
    assert report.result and report.result.how == "idle" and report.result.places is None
    assert report.dealt == (stage == "playing")


@pytest.mark.parametrize("number", range(3))
def test_following_a_game_and_walking_its_bytes_find_the_same(number: int) -> None:
    for house in (whole("whispers", number, people=2, bots=1, uncut=(1,) * (number % 2)), voided()):
        read = record.read(house.record())
        walk = protocol.walk(read, house.seed)
        assert [*walk.digests] == [digest for digest, _ in house.entries]
        assert [*walk.leaves] == house.leaves
        # A record whose rules this build lacks is walked, this one is followed: the same notes fit.
        for note in (SIGNER.started(house.id, walk.d_s or b""), SIGNER.receipt(house.id, walk.leaves[-1])):
            assert audit(house.record(), KEYS, note=note).exit == 0


def test_ten_games_that_the_host_breaks_off_leave_ten_records() -> None:
    sources = []
    for number in range(10):
        house = seated("whispers", 2, seed=secret("quitter", number))
        house.close("host")
        sources.append(Source(str(number), house.record(), KEYS))
    many = audit_many(sources)
    assert many.exit == 0
    assert [r.result and r.result.how for r in many.records] == ["host"] * 10
    assert len({r.id for r in many.records}) == 10


def test_the_table_can_be_shown_at_every_event() -> None:
    house = finished()
    data = house.record()
    for n, (_, raw) in enumerate(house.entries, 1):
        shown = audit(data, KEYS, at=n).shown
        assert shown and (shown.n, shown.event) == (n, json.loads(raw))
    last = audit(data, KEYS, at=len(house.entries)).shown
    assert last and last.position
    assert (last.phase, len(last.lines)) == ("over", len(house.lines))
    assert last.position["totals"] == last.scores == [*house.table.state.totals]
    opened = audit(data, KEYS, at=1).shown
    assert opened and (opened.phase, opened.position, opened.lines) == ("open", None, ())
    playing = audit(data, KEYS, at=12).shown
    assert playing and playing.position and len(playing.position["hands"]) == 3
    assert audit(data, KEYS, at=len(house.entries) + 1).shown is None


# Who stands behind a record


def test_a_record_whose_key_nobody_vouched_for_is_not_verified() -> None:
    made_up = notes.Signer.generate(SIGNER.key.name)
    data = finished().record(made_up)
    for keys in (notes.Keys(), KEYS):
        report = audit(data, keys)
        assert (report.exit, report.signed, failing(report)) == (1, False, {"signature"})
    assert audit(data, made_up.keys).exit == 0


@pytest.mark.parametrize("kind", ["receipt", "checkpoint", "started", "opened"])
def test_a_signature_of_another_note_does_not_sign_a_record(kind: str) -> None:
    house = finished()
    other = getattr(SIGNER, kind)(house.id, house.entries[-1][0])
    data = house.record()
    body, gap, note = data.partition(b"\n\n")
    line = other.partition(b"\n\n")[2]
    assert failing(audit(body + gap + note.partition(b"\n\n")[0] + b"\n\n" + line, KEYS)) == {"signature"}
    report = audit(body + gap + other, KEYS)
    assert (report.exit, failing(report)) == (1, {"signature"})


def resigned(n: int = 0, d: bytes = b"", table_id: str = "") -> bytes:
    """The finished game under a note about something else, properly signed."""
    house = finished()
    note = SIGNER.record(table_id or house.id, n or len(house.entries), d or house.entries[-1][0])
    return house.record().partition(b"\n\n")[0] + b"\n\n" + note


@pytest.mark.parametrize(
    "data",
    [
        lambda: resigned(n=3), lambda: resigned(d=bytes(32)), lambda: resigned(table_id="a" * 20),
        lambda: resigned(n=3, d=finished().entries[2][0]),
    ],
)  # fmt: skip
def test_a_note_about_another_record_does_not_count(data: Callable[[], bytes]) -> None:
    report = audit(data(), KEYS)
    assert (report.exit, report.signed, failing(report)) == (1, False, {"signature"})


# A record changed by somebody who cannot sign


def lines(data: bytes) -> tuple[list[bytes], bytes]:
    body, _, note = data.partition(b"\n\n")
    return body.split(b"\n"), note


def joined(rows: list[bytes], note: bytes) -> bytes:
    return b"\n".join(rows) + b"\n\n" + note


@pytest.mark.parametrize("change", ["drop", "swap", "double"])
def test_dropping_swapping_or_doubling_an_event_is_found(change: str) -> None:
    rows, note = lines(finished().record())
    for i in range(len(rows) - (change == "swap")):
        other = [*rows]
        if change == "drop":
            del other[i]
        elif change == "double":
            other.insert(i, other[i])
        else:
            other[i : i + 2] = other[i + 1], other[i]
        assert audit(joined(other, note), KEYS).exit > 0, (change, i + 1)


def test_digests_or_events_moved_between_lines_are_found_where_they_are() -> None:
    rows, note = lines(finished().record())
    for i in range(1, len(rows)):
        other = [*rows]
        other[i] = other[i - 1][:64] + other[i][64:]
        report = audit(joined(other, note), KEYS)
        assert report.exit == 1
        assert found(report, "chain").event == i + 1


def test_an_event_of_another_game_is_found() -> None:
    rows, note = lines(finished().record())
    strange, _ = lines(whole("whispers", 4, people=2, bots=1, life=False).record())
    for i in range(min(len(rows), len(strange))):
        assert audit(joined([*rows[:i], strange[i], *rows[i + 1 :]], note), KEYS).exit > 0


def test_every_flipped_bit_of_a_short_record_is_found() -> None:
    data = voided().record()
    assert audit(data, KEYS).exit == 0
    for i in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[i // 8] ^= 1 << i % 8
        assert audit(bytes(flipped), KEYS).exit in (1, 2), f"bit {i % 8} of byte {i // 8}"


def test_flipped_bits_of_a_long_record_are_found() -> None:
    data = finished().record()
    for i in random.Random(9).sample(range(len(data) * 8), 1200):
        flipped = bytearray(data)
        flipped[i // 8] ^= 1 << i % 8
        assert audit(bytes(flipped), KEYS).exit in (1, 2), f"bit {i % 8} of byte {i // 8}"


def test_every_shortened_record_is_unreadable_or_not_verified() -> None:
    data = voided().record()
    for length in range(len(data)):
        assert audit(data[:length], KEYS).exit in (1, 2)


def test_noise_is_unreadable() -> None:
    dice = random.Random(3)
    for _ in range(200):
        assert audit(dice.randbytes(dice.randrange(400)), KEYS).exit == 2


# A record forged by an operator, who can make any chain fit and sign it


def nth(rows: list[Row], kind: str, n: int = 0) -> Row:
    return [row for row in rows if row["type"] == kind][n]


def illegal(rows: list[Row]) -> None:
    """A card that the seat does not hold."""
    nth(rows, "moved", 2)["move"] = {"type": "pick", "card": "*1"}


def malformed(rows: list[Row]) -> None:
    nth(rows, "moved", 2)["move"] = {"type": "pick", "card": 3}


def another_move(rows: list[Row]) -> None:
    """Something else that this seat may do: the digest of the table afterwards gives it away."""
    row = next(row for row in rows if row["type"] == "moved" and row["move"]["type"] == "pick")
    row["move"] = {"type": "cheer"}


def stale_digest(rows: list[Row]) -> None:
    nth(rows, "moved", 2)["state"] = nth(rows, "moved", 1)["state"]


def no_digest(rows: list[Row]) -> None:
    del nth(rows, "moved", 2)["state"]


def early_digest(rows: list[Row]) -> list[Row]:
    """A digest of a table that has no key yet."""
    i = rows.index(nth(rows, "cut"))
    grant = {"type": "granted", "at": rows[i]["at"], "since": rows[i]["at"] - 1, "ms": 1, "state": "0" * 64}
    return [*rows[:i], grant, *rows[i:]]


def other_seat(rows: list[Row]) -> None:
    row = nth(rows, "moved", 2)
    row["seat"] = (row["seat"] + 1) % 3


def by_timer(rows: list[Row]) -> None:
    """A time-out before its time."""
    next(row for row in rows if row.get("by") == "bot")["by"] = "timer"


def by_bot(rows: list[Row]) -> None:
    next(row for row in rows if row.get("by") == "person")["by"] = "bot"


def time_back(rows: list[Row]) -> None:
    nth(rows, "moved", 3)["at"] = nth(rows, "moved", 2)["at"] - 1


def early_tick(rows: list[Row]) -> None:
    row = nth(rows, "ticked")
    row["at"] = rows[rows.index(row) - 1]["at"]


def same_command(rows: list[Row]) -> None:
    first = nth(rows, "moved")
    next(r for r in rows if r["type"] == "moved" and r is not first and r["seat"] == first["seat"])["command"] = first[
        "command"
    ]


def dropped_move(rows: list[Row]) -> None:
    rows.remove(nth(rows, "moved", 2))


def doubled_move(rows: list[Row]) -> None:
    rows.insert(rows.index(nth(rows, "moved", 2)), dict(nth(rows, "moved", 2), command="another"))


def swapped_moves(rows: list[Row]) -> None:
    i = rows.index(nth(rows, "ticked"))
    rows[i], rows[i - 1] = dict(rows[i - 1], at=rows[i]["at"]), rows[i]


def opened_twice(rows: list[Row]) -> None:
    rows.insert(6, dict(rows[0], at=rows[5]["at"]))


def started_twice(rows: list[Row]) -> None:
    rows.insert(7, dict(nth(rows, "started"), at=rows[6]["at"]))


def revealed_early(rows: list[Row]) -> None:
    rows.insert(8, dict(rows[-1], at=rows[7]["at"]))


def not_revealed(rows: list[Row]) -> None:
    del rows[-1]


def more_after_the_end(rows: list[Row]) -> None:
    rows.append(dict(nth(rows, "moved", 2), at=rows[-1]["at"], command="late"))


def prefix(rows: list[Row]) -> list[Row]:
    """The game broken off in the middle, with the seed revealed as if that were its end."""
    return [*rows[: len(rows) // 2], rows[-1]]


def agreed_by_one(rows: list[Row]) -> list[Row]:
    half = rows[: len(rows) // 2]
    at = rows[-1]["at"]
    agreed = {"type": "closed", "how": "agreed", "at": at}
    return [*half, agreed, rows[-1]]


def another_cut(rows: list[Row]) -> None:
    nth(rows, "cut")["cut"] = "5" * 64


def copied_promise(rows: list[Row]) -> None:
    """Seat 1 repeats seat 0's promise and opens it with seat 0's cut."""
    nth(rows, "sat", 1)["cut"] = nth(rows, "started")["cuts"][1] = nth(rows, "sat", 0)["cut"]
    by_seat = {row["seat"]: row for row in rows if row["type"] == "cut"}
    by_seat[1]["cut"] = by_seat[0]["cut"]


def promise_of_another_table(rows: list[Row]) -> None:
    cut = secret("cut", "elsewhere")
    promise = chance.promise(secret("d_1 of another table"), 0, cut).hex()
    nth(rows, "sat", 0)["cut"] = nth(rows, "started")["cuts"][0] = promise
    next(row for row in rows if row["type"] == "cut" and row["seat"] == 0)["cut"] = cut.hex()


def dropped_promise(rows: list[Row]) -> list[Row]:
    """The start no longer lists what seat 0 promised as it sat down."""
    nth(rows, "started")["cuts"][0] = None
    return [row for row in rows if not (row["type"] == "cut" and row["seat"] == 0)]


def moved_seats(rows: list[Row]) -> None:
    """Two people swap seats and keep the promises they made for the old ones."""
    first, second = nth(rows, "sat", 0), nth(rows, "sat", 1)
    first["seat"], second["seat"] = second["seat"], first["seat"]
    cuts = nth(rows, "started")["cuts"]
    cuts[0], cuts[1] = cuts[1], cuts[0]
    for row in rows:
        if row["type"] == "cut":
            row["seat"] = 1 - row["seat"]


def cut_without_promise(rows: list[Row]) -> None:
    nth(rows, "sat", 0)["cut"] = nth(rows, "started")["cuts"][0] = None


def other_options(rows: list[Row]) -> None:
    """Other options: the promises were made for a table opened otherwise."""
    rows[0]["options"] = {"seconds": 20}


def bad_options(rows: list[Row]) -> None:
    rows[0]["options"] = {"seconds": 11}


def bad_seats(rows: list[Row]) -> None:
    rows[0]["seats"] = 5


FORGERIES: dict[Edit, set[str]] = {
    illegal: {"play"}, malformed: {"play"}, another_move: {"play"}, stale_digest: {"play"}, no_digest: {"play"},
    early_digest: {"play"}, other_seat: {"play"}, by_timer: {"play"}, by_bot: {"play"}, early_tick: {"play"},
    time_back: {"play", "times"}, same_command: {"commands"}, dropped_move: {"play"}, doubled_move: {"play"},
    swapped_moves: {"play"}, opened_twice: {"play"}, started_twice: {"play", "cuts"}, prefix: {"play"},
    revealed_early: {"play", "end"}, more_after_the_end: {"play", "end"}, agreed_by_one: {"play"},
    another_cut: {"play", "cuts"}, copied_promise: {"play", "cuts"}, promise_of_another_table: {"play", "cuts"},
    dropped_promise: {"play", "cuts"}, moved_seats: {"play", "cuts"}, cut_without_promise: {"play", "cuts"},
    other_options: {"play", "cuts"}, bad_options: {"play", "cuts"}, bad_seats: {"play", "cuts"},
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.__name__)
def test_a_forgery_that_the_operator_signed_is_found(forgery: Edit) -> None:
    house = finished()
    report = audit(edited(house, forgery), KEYS)
    if forgery is more_after_the_end:  # its last event is no seed any more
        assert failing(report) >= {"seed", "end"}
    else:
        assert failing(report) == FORGERIES[forgery]
        assert found(report, "signature").ok
    assert report.exit == 1
    for check in report.checks:
        if check.ok is False and check.event:
            assert check.words.startswith(f"At event {check.event}: ") or check.name in ("seed", "end")


def test_a_record_without_its_seed_is_not_verified() -> None:
    rows = [*finished().entries[:-1]]
    report = audit(record.write(rows, SIGNER), KEYS)
    assert (report.exit, failing(report)) == (1, {"seed", "end"})
    assert found(report, "play").ok is found(report, "chain").ok is None


def test_another_seed_than_the_committed_one_is_found() -> None:
    def swap(rows: list[Row]) -> None:
        rows[-1]["seed"] = secret("more to my liking").hex()

    report = audit(edited(finished(), swap, secret("more to my liking")), KEYS)
    assert report.exit == 1
    assert failing(report) == {"seed", "play"}


def test_a_seed_and_commitment_chosen_after_the_cuts_break_the_promises() -> None:
    """Whoever changes event 1 changes d_1, to which every promise is tied."""
    seed = secret("more to my liking")

    def swap(rows: list[Row]) -> None:
        rows[0]["commit"] = chance.commitment(seed, rows[0]["id"]).hex()
        rows[-1]["seed"] = seed.hex()

    assert "cuts" in failing(audit(edited(finished(), swap, seed), KEYS))


def test_a_table_voided_before_twenty_seconds_are_over_is_found() -> None:
    house = voided()

    def hasten(rows: list[Row]) -> None:
        at = nth(rows, "started")["at"] + CUT_MS - 1
        nth(rows, "voided")["at"] = rows[-1]["at"] = at

    report = audit(edited(house, hasten), KEYS)
    assert failing(report) == {"play"}
    assert found(report, "play").words == "At event 6: There is still time to cut (NOT_DUE)."


def test_a_table_voided_against_a_seat_that_did_cut_is_found() -> None:
    def blame(rows: list[Row]) -> None:
        nth(rows, "voided")["seats"] = [0]

    assert failing(audit(edited(voided(), blame), KEYS)) == {"play"}


def test_a_game_dealt_although_a_cut_is_missing_is_found() -> None:
    house = finished()

    def skip(rows: list[Row]) -> None:
        rows.remove(nth(rows, "cut", 1))

    report = audit(edited(house, skip), KEYS)
    assert report.exit == 1
    assert "play" in failing(report)


def test_a_timers_move_after_its_time_is_allowed_and_one_before_is_not() -> None:
    house = seated("whispers", 1, 1)
    house.later(BOT_GRACE_MS)
    house.move(1, house.table.game.fallback(house.table.state, 1), timer=True)
    house.close()
    assert audit(house.record(), KEYS).exit == 0

    def hasten(rows: list[Row]) -> None:
        for row in rows[-3:]:
            row["at"] -= 1

    assert failing(audit(edited(house, hasten), KEYS)) == {"play"}


def test_an_event_that_breaks_the_rules_code_is_reported_without_a_traceback() -> None:
    house = seated("breaks", 2)
    house.move(0, house.table.game.fallback(house.table.state, 0))
    house.close()

    def nobody_holds(rows: list[Row]) -> None:
        nth(rows, "moved")["move"]["card"] = "XX1"

    report = audit(edited(house, nobody_holds), KEYS)
    assert report.exit == 1
    words = "the rules cannot make sense of it (ValueError)"
    assert found(report, "play").words == f"At event {len(house.entries) - 2}: {words}."


def test_rules_that_this_build_does_not_have_are_told_apart_from_a_forgery() -> None:
    def newer(rows: list[Row]) -> None:
        rows[0]["rules"] = 2

    def unheard_of(rows: list[Row]) -> None:
        rows[0]["game"] = "snap"

    for edit in (newer, unheard_of):
        report = audit(edited(voided(), edit), KEYS)
        assert report.exit == 2
        assert found(report, "rules").ok is False
        assert found(report, "play").ok is None
        assert found(report, "signature").ok


# What a player kept


def test_every_note_that_a_player_was_given_fits_the_record() -> None:
    house = finished()
    data = house.record()
    started = next(n for n, (_, raw) in enumerate(house.entries, 1) if b'"started"' in raw)
    held = {
        SIGNER.opened(house.id, house.entries[0][0]): 1,
        SIGNER.started(house.id, house.entries[started - 1][0]): started,
        SIGNER.record(house.id, len(house.entries), house.entries[-1][0]): len(house.entries),
    }
    held |= {SIGNER.receipt(house.id, leaf): n for n, leaf in enumerate(house.leaves, 1)}
    held |= {SIGNER.checkpoint(house.id, d): n for n, (d, _) in enumerate(house.entries, 1)}
    for note, n in held.items():
        report = audit(data, KEYS, note=note)
        assert (report.exit, found(report, "note").event) == (0, n)


def test_a_note_about_something_that_is_not_in_the_record_convicts_the_operator() -> None:
    house = finished()
    d_1, d_2, end = house.entries[0][0], house.entries[1][0], house.entries[-1][0]
    for note in (
        SIGNER.receipt(house.id, secret("a move that was taken out")), SIGNER.receipt(house.id, d_1),
        SIGNER.checkpoint(house.id, house.leaves[3]), SIGNER.opened(house.id, d_2), SIGNER.started(house.id, d_1),
        SIGNER.record(house.id, 5, end), SIGNER.record(house.id, 2, d_2),
    ):  # fmt: skip
        report = audit(house.record(), KEYS, note=note)
        assert (report.exit, failing(report)) == (1, {"note"})
        assert "convicts the operator" in found(report, "note").words
        unsigned = audit(house.record(notes.Signer.generate("x")), KEYS, note=note)
        assert "convicts" not in found(unsigned, "note").words


def test_a_note_that_proves_nothing_is_said_to() -> None:
    house = finished()
    for note in (notes.Signer.generate("x").receipt(house.id, house.leaves[3]), SIGNER.receipt("a" * 20, bytes(32))):
        assert failing(audit(house.record(), KEYS, note=note)) == {"note"}
    report = audit(house.record(), KEYS, note=b"they cheated!")
    assert (report.exit, failing(report)) == (2, {"note"})


def told_twice() -> tuple[House, House]:
    """Two stories of one table that agree until seat 1 sits down: its promise is another, and so is every deal."""
    stories = []
    for again in (0, 1):
        house = House("whispers", 2, name="twostories000000")
        house.sit(0)
        house.sit(1, again=again)
        house.start()
        stories.append(house)
    return stories[0], stories[1]


def test_a_start_shown_to_one_player_and_another_one_recorded_convicts() -> None:
    shown, recorded = told_twice()
    note = SIGNER.started(shown.id, shown.table.digest)
    assert shown.cuts[0] == recorded.cuts[0]  # what seat 0 sent on the strength of that note
    recorded.cut_all()
    recorded.close()
    data = recorded.record()
    assert audit(data, KEYS).exit == 0  # every promise opens: the record alone does not tell
    report = audit(data, KEYS, note=note)
    assert (report.exit, failing(report)) == (1, {"note"})
    assert "convicts the operator" in found(report, "note").words


# Several records side by side


def test_two_signed_records_of_one_table_are_equivocation() -> None:
    sources = []
    for house in told_twice():
        house.cut_all()
        house.close()
        data = house.record()
        assert audit(data, KEYS).exit == 0
        sources.append(Source(f"story {len(sources)}", data, KEYS))
    many = audit_many([*sources, sources[0]])
    assert many.exit == 1
    assert [report.exit for report in many.records] == [0, 0, 0]
    copies = next(check for check in many.across if check.name == "copies")
    assert copies.words.startswith("Equivocation: 2 different records of table twostories000000 are signed")
    assert "story 0" in copies.words
    assert "story 1" in copies.words


def test_a_forged_copy_is_no_equivocation() -> None:
    honest, forged = told_twice()
    for house in (honest, forged):
        house.cut_all()
        house.close()
    other = Source("forged", forged.record(notes.Signer.generate("x")), KEYS)
    many = audit_many([other, Source("honest", honest.record(), KEYS)])
    words = [check.words for check in many.across if check.name == "copies"]
    assert len(words) == 1
    assert words[0].startswith("There are 2 different records of table")
    assert "Equivocation" not in words[0]


def test_the_same_record_twice_is_nothing_to_speak_of() -> None:
    data = finished().record()
    many = audit_many([Source("a", data, KEYS), Source("b", data, notes.Keys())])
    assert many.across == ()
    assert many.exit == 1  # for want of a key for b


def test_a_seed_that_served_two_tables_is_found() -> None:
    sources = []
    for number in range(3):
        house = seated("whispers", 2, name=f"sameseed{number:08}", seed=secret("seed", number > 0))
        house.close()
        sources.append(Source(f"file {number}", house.record(), KEYS))
    many = audit_many(sources)
    assert (many.exit, [report.exit for report in many.records]) == (1, [0, 0, 0])
    assert [check.name for check in many.across] == ["seeds"]
    assert many.across[0].words == "One seed served 2 tables: file 1, file 2."


def test_a_note_is_held_against_the_record_of_its_own_table() -> None:
    house, other = finished(), voided()
    sources = [Source("other", other.record(), KEYS), Source("house", house.record(), KEYS)]
    assert audit_many(sources, note=SIGNER.receipt(house.id, house.leaves[5])).exit == 0
    bad = audit_many(sources, note=SIGNER.receipt(house.id, bytes(32)))
    assert (bad.exit, [report.exit for report in bad.records]) == (1, [0, 1])
    nowhere = audit_many(sources[:1], note=SIGNER.receipt(house.id, house.leaves[5]))
    assert (nowhere.exit, [check.name for check in nowhere.across]) == (1, ["note"])
    assert audit_many(sources, note=b"nonsense").exit == 2


def test_the_worst_of_several_counts() -> None:
    good, bad = Source("good", voided().record(), KEYS), Source("bad", voided().record(), notes.Keys())
    ugly = Source("ugly", b"ugly", KEYS)
    missing = Source("missing", "it is not there", KEYS)
    assert audit_many([good]).exit == 0
    assert audit_many([good, bad]).exit == 1
    for unreadable in (ugly, missing):
        many = audit_many([unreadable, bad, good])
        assert (many.exit, [report.exit for report in many.records]) == (2, [2, 1, 0])
    assert audit_many([]).exit == 0


# The vectors' record


def test_the_vectors_record_holds_but_for_its_made_up_game() -> None:
    known = json.loads((VECTORS / "vectors.json").read_bytes())
    keys = notes.Keys(notes.VerifierKey(known["key_name"], bytes.fromhex(known["public_key"])))
    data = (VECTORS / "record.faircut").read_bytes()
    report = audit(data, keys, note=(VECTORS / "receipt.note").read_bytes())
    assert {check.name: check.ok for check in report.checks} == {
        "form": True, "signature": True, "seed": True, "cuts": True, "chain": True, "rules": True, "play": False,
        "commands": True, "times": True, "end": True, "note": True,
    }  # fmt: skip
    assert found(report, "play").event == 1  # its option discard_out is false, where the rules say off or on
    assert found(report, "play").words.endswith(" (OPTIONS).")
    assert found(report, "note").event == 7
    assert (report.exit, report.digest) == (1, known["d_final"])
