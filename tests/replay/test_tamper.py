"""Every attack on a record is found: by somebody who cannot sign, and by an operator who can (replay/FORMAT.md)."""

import random
from itertools import combinations

import pytest

from domain import chance, registry
from domain.cards import Seat
from domain.table import BOT_GRACE_MS, CUT_MS
from replay import record
from replay.audit import audit
from tests.replay.forge import KEYS, Edit, Row, edited, failing, finished, found, nth, voided
from tests.replay.play import SIGNER, seated, secret, whole
from tests.toys import Breaks, Whispers

GAMES = pytest.mark.parametrize("game", ["whispers", "michigan_rummy"])


class Breaking(Breaks):
    name = "breaks"


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "whispers", {1: Whispers()})
    monkeypatch.setitem(registry.GAMES, "breaks", {1: Breaking()})


# A record changed by somebody who cannot sign


def lines(data: bytes) -> tuple[list[bytes], bytes]:
    body, _, note = data.partition(b"\n\n")
    return body.split(b"\n"), note


def joined(rows: list[bytes], note: bytes) -> bytes:
    return b"\n".join(rows) + b"\n\n" + note


@GAMES
@pytest.mark.parametrize("change", ["drop", "swap", "double"])
def test_dropping_swapping_or_doubling_an_event_is_found(change: str, game: str) -> None:
    rows, note = lines(finished(game).record())
    for i in range(len(rows) - (change == "swap")):
        other = [*rows]
        if change == "drop":
            del other[i]
        elif change == "double":
            other.insert(i, other[i])
        else:
            other[i : i + 2] = other[i + 1], other[i]
        assert audit(joined(other, note), KEYS).exit > 0, (change, i + 1)


@GAMES
def test_digests_moved_between_lines_are_found_where_they_are(game: str) -> None:
    rows, note = lines(finished(game).record())
    for i in range(1, len(rows)):
        other = [*rows]
        other[i] = other[i - 1][:64] + other[i][64:]
        report = audit(joined(other, note), KEYS)
        assert report.exit == 1
        assert found(report, "chain").event == i + 1


@GAMES
def test_an_event_of_another_table_is_found(game: str) -> None:
    rows, note = lines(finished(game).record())
    strange, _ = lines(whole(game, 4, people=2, bots=1, life=False, moves=80).record())
    for i in range(min(len(rows), len(strange))):
        assert audit(joined([*rows[:i], strange[i], *rows[i + 1 :]], note), KEYS).exit > 0


def test_every_flipped_bit_of_a_short_record_is_found() -> None:
    data = voided().record()
    assert audit(data, KEYS).exit == 0
    for i in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[i // 8] ^= 1 << i % 8
        assert audit(bytes(flipped), KEYS).exit in (1, 2), f"bit {i % 8} of byte {i // 8}"


@GAMES
def test_flipped_bits_of_a_long_record_are_found(game: str) -> None:
    data = finished(game).record()
    for i in random.Random(9).sample(range(len(data) * 8), 1000):
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
    moved = [row for row in rows if row["type"] == "moved"]
    first, same = next((a, b) for a, b in combinations(moved, 2) if sender(a) == sender(b))
    same["command"] = first["command"]


def sender(row: Row) -> tuple[object, ...]:
    """Who sent a move, and for which seat; of other events nobody."""
    return row["type"], row.get("seat"), row.get("by")


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


def test_a_command_is_its_senders_own() -> None:
    """A person, a bot and the timer may name moves alike, and so may two seats."""

    def name_alike(rows: list[Row]) -> None:
        moved = [row for row in rows if row["type"] == "moved"]
        firsts = {sender(row): row for row in reversed(moved)}
        assert {by for _, _, by in firsts} == {"person", "bot", "timer"}
        assert len({seat for _, seat, _ in firsts}) < len(firsts)
        for row in firsts.values():
            row["command"] = "alike"

    report = audit(edited(finished(), name_alike), KEYS)
    assert (report.exit, failing(report)) == (0, set())


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
    house.move(1, house.table.game.fallback(house.table.state, Seat(1)), timer=True)
    house.close()
    assert audit(house.record(), KEYS).exit == 0

    def hasten(rows: list[Row]) -> None:
        for row in rows[-3:]:
            row["at"] -= 1

    assert failing(audit(edited(house, hasten), KEYS)) == {"play"}


def test_an_event_that_breaks_the_rules_code_is_reported_without_a_traceback() -> None:
    house = seated("breaks", 2)
    house.move(0, house.table.game.fallback(house.table.state, Seat(0)))
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
