"""`faircut audit`: exit codes, words for a newcomer, JSON, folders and addresses."""

import io
import json
import sys
import threading
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from api.cli import main
from domain import registry
from replay import notes
from tests.replay.forge import edited
from tests.replay.play import SIGNER, House, seated, whole
from tests.toys import Whispers

OTHER = notes.Signer.generate("elsewhere.example")
OUT = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "whispers", {1: Whispers()})


@cache
def game() -> House:
    return whole("whispers", 3, people=2, bots=1, uncut=(1,), life=False)


class Files(NamedTuple):
    """A folder with a verified record, one of an unfinished table, keys and a key nobody knows."""

    folder: Path
    good: str
    voided: str
    keys: str
    others: str


@pytest.fixture
def files(tmp_path: Path) -> Files:
    voided = seated("whispers", 2, open_cuts=False)
    voided.void()
    folder = tmp_path / "records"
    folder.mkdir()
    for name, data in (
        ("records/good.faircut", game().record()), ("records/voided.faircut", voided.record()),
        ("keys", SIGNER.verifier.encode() + b"\n"), ("others", OTHER.verifier.encode()),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(data)
    found = (folder / "good.faircut", folder / "voided.faircut", tmp_path / "keys", tmp_path / "others")
    return Files(folder, *map(str, found))


def stranger(rows: list[dict[str, Any]]) -> None:
    """A person's first move names a card that nobody holds."""
    next(row for row in rows if row.get("by") == "person")["move"] = {"type": "pick", "card": "*1"}


def run(capsys: OUT, *arguments: str) -> tuple[int, str]:
    code = main(["audit", *arguments])
    return code, capsys.readouterr().out


def test_a_verified_game_in_words(files: Files, capsys: OUT) -> None:
    code, said = run(capsys, files.good, "--key", files.keys)
    assert code == 0
    outcome = game().table.outcome
    assert outcome
    winner = outcome.places.index(1)
    assert f"Table {game().id} · whispers, rules 1 · {len(game().entries)} events" in said
    assert f"Result after 2 hands: 1. seat {winner} with {outcome.totals[winner]}" in said
    assert "seat 1 did not cut: it let the house cut" in said
    assert "seat 2 did not cut: it is a bot of the house." in said
    assert "seat 0 did not cut" not in said
    assert "✗" not in said
    assert "\nVERIFIED: " in said


def test_without_keys_nobody_vouches_and_the_rest_is_still_told(files: Files, capsys: OUT) -> None:
    (files.folder / "keys").write_bytes(Path(files.keys).read_bytes())  # a file beside the record is no voucher
    code, said = run(capsys, files.good)
    assert code == 1
    assert "  ✗ Signed as faircut.example/tests, but nobody vouched for that key" in said
    assert said.count("✓") == 9
    assert "NOT VERIFIED: the game adds up, but nobody you trust stands behind this record." in said


def test_another_key_does_not_vouch(files: Files, capsys: OUT) -> None:
    code, said = run(capsys, files.good, "--key", files.others)
    assert (code, "Not signed by a key that was vouched for" in said) == (1, True)


def test_a_voided_table_names_the_seats_that_did_not_cut(files: Files, capsys: OUT) -> None:
    code, said = run(capsys, files.voided, "--key", files.keys)
    assert code == 0
    assert "Nothing was dealt: seat 0 did not send the cut it had promised." in said
    assert "Nothing was dealt: seat 1 did not send the cut it had promised." in said


def test_a_folder_is_audited_record_by_record(files: Files, capsys: OUT) -> None:
    assert run(capsys, str(files.folder))[0] == 1
    code, said = run(capsys, str(files.folder), "--key", files.keys)
    assert code == 0
    assert said.count(": verified, table ") == 2
    assert "2 records, 2 of them verified." in said
    (files.folder / "broken.faircut").write_bytes(b"broken")
    code, said = run(capsys, str(files.folder), files.voided, "--key", files.keys)
    assert (code, "4 records, 3 of them verified." in said) == (2, True)


def test_what_is_no_record_is_unreadable(files: Files, capsys: OUT, tmp_path: Path) -> None:
    for path in (files.keys, str(tmp_path / "missing"), str(tmp_path / "zero\0byte")):
        code, said = run(capsys, path, "--key", files.keys)
        assert (code, "Not a record: " in said) == (2, True)
    (tmp_path / "empty").mkdir()
    code, said = run(capsys, str(tmp_path / "empty"), files.good, "--key", files.keys)
    assert (code, "a folder without any *.faircut file" in said) == (2, True)


def test_a_divergence_says_at_which_event_and_how(files: Files, capsys: OUT) -> None:
    at = 1 + next(n for n, (_, raw) in enumerate(game().entries) if b'"by":"person"' in raw)
    Path(files.good).write_bytes(edited(game(), stranger))
    code, said = run(capsys, files.good, "--key", files.keys)
    assert code == 1
    assert f"✗ At event {at}: That card is not in your hand (NOT_YOURS)." in said
    assert "NOT VERIFIED: this record is not what it should be." in said


def test_a_kept_note_is_held_against_the_record(files: Files, capsys: OUT, tmp_path: Path) -> None:
    note = tmp_path / "receipt.note"
    note.write_bytes(SIGNER.receipt(game().id, game().leaves[9]))
    code, said = run(capsys, str(files.folder), "--key", files.keys, "--note", str(note))
    assert code == 0
    code, said = run(capsys, files.good, "--key", files.keys, "--note", str(note))
    assert (code, "Your receipt note is signed and fits this record at event 10." in said) == (0, True)
    note.write_bytes(SIGNER.receipt(game().id, bytes(32)))
    code, said = run(capsys, files.good, "--key", files.keys, "--note", str(note))
    assert (code, "this convicts the operator" in said) == (1, True)
    note.write_bytes(b"?")
    assert run(capsys, files.good, "--key", files.keys, "--note", str(note))[0] == 2


def test_the_table_at_an_event(files: Files, capsys: OUT) -> None:
    code, said = run(capsys, files.good, "--key", files.keys, "--at", str(len(game().entries)))
    assert code == 0
    assert "the table is: over" in said
    assert f"  scores: {' '.join(map(str, game().table.state.totals))}" in said
    assert said.count("\n  seat ") == sum(line.seat is not None for line in game().lines)
    code, said = run(capsys, files.good, "--key", files.keys, "--at", "12", "--json")
    shown = json.loads(said)["records"][0]["shown"]
    assert (shown["n"], shown["phase"], len(shown["position"]["hands"])) == (12, "playing", 3)
    assert shown["lines"]


@pytest.mark.parametrize("at", ["0", "-3", "9999"])
def test_an_event_that_is_not_there_cannot_be_shown(files: Files, capsys: OUT, at: str) -> None:
    code = main(["audit", files.good, "--key", files.keys, "--at", at])
    assert (code, "this record has events 1 to" in capsys.readouterr().err) == (2, True)


def test_only_one_record_is_shown_at_an_event(files: Files, capsys: OUT) -> None:
    assert main(["audit", files.good, files.voided, "--at", "1"]) == 2
    assert "name one" in capsys.readouterr().err


def test_a_table_that_cannot_be_followed_so_far_says_so(files: Files, capsys: OUT) -> None:
    Path(files.good).write_bytes(edited(game(), stranger))
    code, said = run(capsys, files.good, "--key", files.keys, "--at", str(len(game().entries)))
    assert code == 1
    assert "cannot be shown: the record cannot be followed so far." in said


def test_keys_or_notes_that_cannot_be_used_are_errors(files: Files, capsys: OUT, tmp_path: Path) -> None:
    for option in ("--key", "--note"):
        assert main(["audit", files.good, option, str(tmp_path / "missing")]) == 2
        assert "cannot be read" in capsys.readouterr().err
    assert main(["audit", files.good, "--key", files.good]) == 2
    assert "a file of keys is plain ASCII" in capsys.readouterr().err


def test_json_prints_the_whole_report(files: Files, capsys: OUT) -> None:
    code, said = run(capsys, files.good, files.voided, "--key", files.keys, "--json")
    report = json.loads(said)
    assert (code, report["exit"], report["across"]) == (0, 0, [])
    first, second = report["records"]
    assert [check["name"] for check in first["checks"]] == [
        "form", "signature", "seed", "cuts", "chain", "rules", "play", "commands", "times", "end",
    ]  # fmt: skip
    assert all(check["ok"] for check in first["checks"])
    assert first["result"]["totals"] == [*game().table.state.totals]
    assert [(seat["kind"], seat["cut"]) for seat in first["seats"]] == [
        ("human", True), ("human", False), ("bot", False),
    ]  # fmt: skip
    assert second["result"] == {"how": "voided", "places": None, "totals": None, "owing": [0, 1]}
    assert game().seed.hex() not in said


def test_words_from_a_strangers_file_cannot_steer_the_terminal(files: Files, capsys: OUT, tmp_path: Path) -> None:
    path = tmp_path / "\x1b[2J.faircut"
    path.write_bytes(Path(files.good).read_bytes().replace(b'"human"', b'"\x1b[2Jan"', 1))
    _, said = run(capsys, str(path), "--key", files.keys)
    assert "\x1b" not in said


def test_a_terminal_without_check_marks_gets_plain_ones(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii"))
    assert main(["audit", files.good]) == 1
    sys.stdout.flush()
    assert b"  x Signed as" in raw.getvalue()
    assert b"  + Readable" in raw.getvalue()


class Server(ThreadingHTTPServer):
    """A server of records as a house runs it. `pages`: what it serves, by path."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, bytes] = {}
        self.asked: list[str] = []

    def at(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        page = self.server.pages.get(self.path)
        self.send_response(404 if page is None else 200)
        self.send_header("Content-Length", str(len(page or b"")))
        self.end_headers()
        self.wfile.write(page or b"")

    def log_message(self, *_: object) -> None:
        pass


KEYS_PATH = "/.well-known/faircut/keys"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        serving.pages = {"/replays/one": game().record(), KEYS_PATH: SIGNER.verifier.encode() + b"\n"}
        yield serving
        serving.shutdown()
        thread.join()


def test_a_record_from_a_server_is_held_against_the_servers_published_keys(server: Server, capsys: OUT) -> None:
    code, said = run(capsys, server.at("/replays/one"), server.at("/replays/one?again"), "--json")
    assert [r["exit"] for r in json.loads(said)["records"]] == [0, 2]
    assert (code, server.asked) == (2, ["/replays/one", KEYS_PATH, "/replays/one?again"])


def test_a_server_that_publishes_another_key_does_not_vouch(server: Server, capsys: OUT) -> None:
    server.pages[KEYS_PATH] = OTHER.verifier.encode() + b"\n"
    assert run(capsys, server.at("/replays/one"))[0] == 1


def test_keys_that_you_hold_come_before_the_servers(server: Server, files: Files, capsys: OUT) -> None:
    assert run(capsys, server.at("/replays/one"), "--key", files.others)[0] == 1
    assert KEYS_PATH not in server.asked
    server.pages[KEYS_PATH] = b"rubbish"
    assert run(capsys, server.at("/replays/one"), "--key", files.keys)[0] == 0


@pytest.mark.parametrize("keys", [None, b"", b"rubbish"])
def test_a_server_without_keys_does_not_vouch(server: Server, capsys: OUT, keys: bytes | None) -> None:
    server.pages = {"/replays/one": game().record()} | ({} if keys is None else {KEYS_PATH: keys})
    assert main(["audit", server.at("/replays/one")]) == 1
    said = capsys.readouterr()
    assert "no keys of that server" in said.err
    assert "nobody vouched for that key" in said.out


def test_an_address_that_cannot_be_fetched_is_unreadable(server: Server, capsys: OUT) -> None:
    for url in (server.at("/replays/none"), "http://127.0.0.1:1/replays/one", "http://[/", "https://"):
        code, said = run(capsys, url)
        assert (code, "cannot be fetched" in said) == (2, True)
