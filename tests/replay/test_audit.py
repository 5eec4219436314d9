"""What an audit says of honest records, of keys and notes, and of records side by side (replay/FORMAT.md)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from domain import events, registry
from replay import notes, protocol, record
from replay.audit import Source, audit, audit_many
from replay.report import Result
from tests.replay.forge import KEYS, failing, finished, found, voided
from tests.replay.play import SIGNER, House, seated, secret, whole
from tests.toys import Whispers

VECTORS = Path(__file__).parent.parent / "vectors"


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "whispers", {1: Whispers()})


# Honest records


@pytest.mark.parametrize("number", range(12))
def test_a_game_that_was_played_is_verified(number: int) -> None:
    people, bots = [(2, 0), (1, 1), (3, 1), (0, 2)][number % 4]
    house = whole("whispers", number, people=people, bots=bots)
    report = audit(house.record(), KEYS)
    assert (report.exit, failing(report)) == (0, set())
    assert all(check.ok for check in report.checks)
    outcome = house.table.outcome
    assert outcome
    assert report.result
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
    assert report.result == Result("voided", owing=(1,))
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
    house.close("host")
    report = audit(house.record(), KEYS)
    assert report.exit == 0
    assert report.result == Result("host")
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
        assert shown
        assert (shown.n, shown.event) == (n, json.loads(raw))
    last = audit(data, KEYS, at=len(house.entries)).shown
    assert last
    assert last.position
    assert (last.phase, len(last.lines)) == ("over", len(house.lines))
    assert last.position["totals"] == last.scores == [*house.table.state.totals]
    opened = audit(data, KEYS, at=1).shown
    assert opened
    assert (opened.phase, opened.position, opened.lines) == ("open", None, ())
    playing = audit(data, KEYS, at=12).shown
    assert playing
    assert playing.position
    assert len(playing.position["hands"]) == 3
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
    sources: list[Source] = []
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
    sources: list[Source] = []
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
