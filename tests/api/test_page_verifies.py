"""The page's own verification (api/web), run in Node: it finds what the audit finds, and every change of a record."""

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from api import frames
from domain import chance, events
from replay import notes, record
from tests import golden
from tests.replay.forge import edited, events_of, finished, nth
from tests.replay.play import SIGNER, seated, whole

SCRIPT = Path(__file__).parent.parent / "js" / "web.mjs"
VECTORS = Path(__file__).parent.parent / "vectors"
KNOWN: dict[str, Any] = json.loads((VECTORS / "vectors.json").read_bytes())
RECORDS = sorted(golden.FOLDER.rglob("*.events"))
STRANGER = notes.Signer("faircut.example/tests", bytes(32))
GAME = "michigan_rummy"
NAMES = ["form", "signature", "seed", "cuts", "chain", "deals", "table", "commands", "times", "end"]


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("no node here: the page's modules are not run outside a browser")
    return found


@pytest.fixture
def ask(node: str, tmp_path: Path) -> Any:
    """Ask the script: arguments that are bytes go there as files."""

    def run(mode: str, *arguments: Any) -> Any:
        words = []
        for i, argument in enumerate(arguments):
            if isinstance(argument, bytes):
                path = tmp_path / f"{mode}{i}"
                path.write_bytes(argument)
                argument = path
            words.append(str(argument))
        ran = subprocess.run([node, SCRIPT, mode, *words], capture_output=True, check=False, text=True)
        assert (ran.returncode, ran.stderr) == (0, "")
        return json.loads(ran.stdout)

    return run


KEYS = SIGNER.verifier_line().encode() + b"\n"


def signed(path: Path) -> bytes:
    """A golden game as it would be published."""
    return record.write([(step.table.digest, step.raw) for step in golden.replay(path.read_bytes())], SIGNER)


@cache
def blocks(text: bytes) -> bytes:
    """What the house sends of a replay."""
    return b"[" + b",".join(frames.frames(text, {}).blocks) + b"]"


def by_name(report: dict[str, Any]) -> dict[str, Any]:
    return {check["name"]: check for check in report["checks"]}


def failing(report: dict[str, Any]) -> set[str]:
    return {check["name"] for check in report["checks"] if check["ok"] is False}


def test_the_vectors_hold(ask: Any) -> None:
    key = str(notes.VerifierKey(KNOWN["key_name"], bytes.fromhex(KNOWN["public_key"]))).encode()
    report = ask("record", (VECTORS / "record.faircut").read_bytes(), key)
    assert (report["ok"], report["id"], report["events"], report["at"]) == (True, KNOWN["id"], 9, None)
    assert [check["name"] for check in report["checks"]] == NAMES
    assert by_name(report)["deals"]["ok"] is None
    assert ask("keys", key)[0]["key"] == KNOWN["public_key"]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: str(path.relative_to(golden.FOLDER)))
def test_every_golden_game_verifies_with_all_its_deals(ask: Any, path: Path) -> None:
    text = signed(path)
    report = ask("record", text, KEYS, blocks(text))
    assert report["ok"], report
    assert all(check["ok"] for check in report["checks"]), report
    dealt = sum(line.kind == "dealt" for step in golden.replay(path.read_bytes()) for line in step.lines)
    words = by_name(report)["deals"]["words"]
    assert "could not be compared" not in words
    assert words.startswith({0: "Nothing was dealt", 1: "The deal "}.get(dealt, f"All {dealt} deals "))


@pytest.mark.parametrize("path", [paths[0] for name in ("people", "most_seats", "bots", "voided")
                                  if (paths := [p for p in RECORDS if p.stem == name])],
                         ids=lambda path: str(path.relative_to(golden.FOLDER)))  # fmt: skip
def test_every_flipped_bit_is_found(ask: Any, path: Path) -> None:
    text = signed(path)
    lines = text.partition(b"\n\n")[0].count(b"\n") + 1
    for line, ok, at, names in ask("flips", text, KEYS, 60):
        assert not ok
        assert names
        if line <= lines:  # in an event: it names the first one that is at fault, which is never a later one
            assert at is not None
            assert 1 <= at <= line


def test_a_changed_event_is_named(ask: Any) -> None:
    house = finished(GAME)
    n = next(i for i, row in enumerate(events_of(house), 1) if row.get("by") == "person")
    text = house.record().replace(b'"by":"person"', b'"by":"persom"', 1)
    assert text != house.record()
    report = ask("record", text, KEYS)
    assert (failing(report), report["at"]) == ({"form"}, n)
    lines = house.record().split(b"\n")
    lines[n - 1] = lines[n - 1].replace(b'"command":"c', b'"command":"x', 1)
    report = ask("record", b"\n".join(lines), KEYS)
    assert (failing(report), report["at"]) == ({"chain"}, n)
    assert f"event {n}:" in by_name(report)["chain"]["words"]


def test_who_signed_matters(ask: Any) -> None:
    text = finished(GAME).record()
    others = STRANGER.verifier_line().encode()
    for keys, said in ((KEYS, ") that this house"), (others, ") that is none of those"), ("none", "no key to be had")):
        report = ask("record", text, keys)
        assert said in by_name(report)["signature"]["words"]
        assert (failing(report), report["ok"]) == (set() if keys is KEYS else {"signature"}, keys is KEYS)
    forged = finished(GAME).record(STRANGER)
    assert failing(ask("record", forged, KEYS)) == {"signature"}


def test_what_was_signed_is_this_record(ask: Any) -> None:
    house, other = finished(GAME), whole(GAME, 8, moves=3)
    body, _, note = house.record().partition(b"\n\n")
    assert note
    foreign = other.record().partition(b"\n\n")[2]
    count, (first, _), (last, _) = len(house.entries), house.entries[0], house.entries[-1]
    for wrong in (
        foreign, SIGNER.record(house.id, count - 1, last), SIGNER.record(house.id, count, first),
        SIGNER.opened(house.id, first),
    ):  # fmt: skip
        assert failing(ask("record", body + b"\n\n" + wrong, KEYS)) == {"signature"}


def a_persons(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return next(row for row in rows if row.get("by") == "person")


def moved_twice(rows: list[dict[str, Any]]) -> None:
    nth(rows, "moved", 2)["command"] = nth(rows, "moved")["command"]
    nth(rows, "moved", 2)["seat"], nth(rows, "moved", 2)["by"] = nth(rows, "moved")["seat"], nth(rows, "moved")["by"]


EDITS: dict[str, tuple[Any, set[str]]] = {
    "a bot moves for a person": (lambda rows: a_persons(rows).update(by="bot"), {"table"}),
    "a command that was taken": (moved_twice, {"commands"}),
    "time goes back": (lambda rows: nth(rows, "moved", 3).update(at=rows[0]["at"] - 1), {"times"}),
    "a seat taken twice": (lambda rows: nth(rows, "sat", 1).update(seat=0), {"table"}),
    "another promise at the start": (
        lambda rows: nth(rows, "started")["cuts"].__setitem__(0, "0" * 64), {"cuts", "table"},
    ),
    "another kind at the start": (lambda rows: nth(rows, "started").update(kinds=["human", "bot", "bot"]), {"table"}),
    "another cut": (lambda rows: nth(rows, "cut").update(cut="0" * 64), {"cuts"}),
    "the seed of another table": (lambda rows: nth(rows, "revealed").update(seed="0" * 64), {"seed"}),
    "no seed": (lambda rows: rows.pop(), {"seed", "end"}),
    "events after the seed": (lambda rows: rows.append({**rows[-2], "at": rows[-1]["at"]}), {"seed", "end", "table"}),
    "no digest of a state": (lambda rows: nth(rows, "moved").pop("state"), {"table"}),
    "a start without its seats": (lambda rows: rows.remove(nth(rows, "sat", 2)), {"table"}),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_a_cheating_house_that_signs_is_found(ask: Any, name: str) -> None:
    edit, wrong = EDITS[name]
    house = finished(GAME)
    seed = bytes(32) if name == "the seed of another table" else b""
    try:
        text = edited(house, lambda rows: edit(rows) and None, seed=seed)
    except AssertionError:  # without its seed the chain ends early: what can be signed is signed
        rows = [raw for _, raw in house.entries]
        text = record.write([*zip([d for d, _ in house.entries], rows, strict=True)][:-1], SIGNER)
    report = ask("record", text, KEYS)
    assert wrong <= failing(report)
    assert not report["ok"]
    assert failing(report) <= wrong | {"chain"}


def test_cards_that_the_key_did_not_deal_are_found(ask: Any) -> None:
    house = whole("michigan_rummy", 7, people=2, bots=1, moves=200)
    text = house.record()
    rows = ask("swapped", text, KEYS, blocks(text))
    assert rows
    assert all(row["found"] == row["at"] for row in rows)


def test_stocks_that_are_made_anew_are_among_those_games() -> None:
    remade = {path.parent.parent.name for path in RECORDS if b":reshuffle:" in blocks(signed(path))}
    assert remade >= {"michigan_rummy", "contract_rummy", "rummy"}


def test_webcrypto_finds_the_same(ask: Any) -> None:
    house = whole("michigan_rummy", 5, people=3, bots=1, uncut=(1,))
    found = ask("subtle", house.record(), KEYS)
    assert found["events"] == found["same"] == len(house.entries) > 300
    assert found["signed"]
    assert found["drawn"]
    walk = chance.table_key(house.seed, house.table.d_s or b"", ((0, house.cuts[0]), (2, house.cuts[2])))
    assert found["key"] == walk.hex()


# -- before a cut is opened ------------------------------------------------------------------------------------------


def shown(house: Any, upto: int) -> dict[str, Any]:
    """What the house answers to who asks for a table's opening after so many events."""
    started = next((d for d, raw in house.entries[:upto] if isinstance(events.decode(raw), events.Started)), None)
    return {
        "opened": SIGNER.opened(house.id, house.entries[0][0]).decode(),
        "started": SIGNER.started(house.id, started).decode() if started else None,
        "events": [raw.decode() for _, raw in house.entries[:upto]],
    }


def test_an_opening_that_holds_together(ask: Any) -> None:
    house = seated("michigan_rummy", 2, 1)
    before = ask("opening", json.dumps(shown(house, 3)).encode(), KEYS, house.id)
    d_1 = house.entries[0][0]
    assert (before["d1"], before["ds"], before["started"]) == (d_1.hex(), None, None)
    assert before["promise"] == chance.promise(d_1, 2, bytes.fromhex(before["cut"])).hex()
    after = ask("opening", json.dumps(shown(house, 5)).encode(), KEYS, house.id)
    assert (after["d1"], after["ds"]) == (d_1.hex(), house.entries[4][0].hex())
    promises = [chance.promise(d_1, seat, house.cuts[seat]).hex() for seat in (0, 1)]
    assert after["started"] == [*promises, None]


def test_an_opening_that_does_not(ask: Any) -> None:
    house, other = seated("michigan_rummy", 2, 1), seated("michigan_rummy", 2, 1, seed=bytes(32))
    good = shown(house, 5)
    *before, start = good["events"]
    bad = {
        "another table's events": good | {"events": shown(other, 5)["events"]},
        "a note of another table": good | {"opened": shown(other, 5)["opened"]},
        "a note of another kind": good | {"started": good["opened"]},
        "a start that was not signed": good | {"events": [*before, start.replace("0", "1", 1)]},
        "no start": good | {"events": before},
        "no events": good | {"events": []},
        "a signature of somebody else": good | {"opened": STRANGER.opened(house.id, house.entries[0][0]).decode()},
        "no note": good | {"opened": ""},
        "an event in another spelling": good | {"events": [" " + good["events"][0], *good["events"][1:]]},
    }
    for name, opening in bad.items():
        assert ask("opening", json.dumps(opening).encode(), KEYS, house.id).get("distrust"), name
    assert ask("opening", json.dumps(good).encode(), KEYS, other.id).get("distrust")


@pytest.mark.parametrize(
    "keys",
    [b"", b"\n", KEYS + b"\n", b"# mine\n" + KEYS, KEYS + KEYS, KEYS.replace(b"+", b"-", 1), KEYS[:-3] + b"A=\n",
     b"x+00000000+" + KEYS.split(b"+", 2)[2]],
    ids=["empty", "a line end", "an empty line", "a comment", "twice", "no plus", "cut off", "another name"],
)  # fmt: skip
def test_a_file_that_holds_no_keys(ask: Any, keys: bytes) -> None:
    assert ask("keys", keys).get("distrust")


@pytest.mark.parametrize("y", [0, 1, 2**255 - 20, 2**255 - 19, 2**255 - 18])
def test_weak_keys_are_refused(ask: Any, y: int) -> None:
    public = y.to_bytes(32, "little")
    assert ask("keys", str(notes.VerifierKey("weak", public)).encode()).get("distrust")
