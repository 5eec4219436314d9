"""The published vectors hold to the byte, here and in an independent verifier written in JavaScript."""

import json
import shutil
import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from domain import cards, chance
from domain.chance import Chance, Stream, Vault
from replay import notes, protocol, record
from tests.replay.play import SIGNER, whole

VECTORS = Path(__file__).parent.parent / "vectors"
VERIFIER = Path(__file__).parent.parent / "js" / "verify.mjs"
KNOWN: dict[str, Any] = json.loads((VECTORS / "vectors.json").read_bytes())
RECORD = (VECTORS / "record.faircut").read_bytes()
ID: str = KNOWN["id"]
SEED = bytes.fromhex(KNOWN["seed"])
CUTS = [bytes.fromhex(cut) for cut in KNOWN["cuts"]]
KEY = bytes.fromhex(KNOWN["key"])
LONG = ("michigan_rummy", 5)  # a random game of more than 300 events


@cache
def walked() -> protocol.Walk:
    return protocol.walk(record.read(RECORD), SEED)


def test_the_commitment_and_where_the_chain_starts() -> None:
    assert chance.commitment(SEED, ID).hex() == KNOWN["commitment"]
    assert chance.first_digest(ID).hex() == KNOWN["d_0"]


def test_the_promises() -> None:
    d_1 = bytes.fromhex(KNOWN["d_1"])
    assert [chance.promise(d_1, seat, cut).hex() for seat, cut in enumerate(CUTS)] == KNOWN["cut_commitments"]


def test_the_key_takes_cuts_by_seat_in_whatever_order_they_came() -> None:
    d_s = bytes.fromhex(KNOWN["d_s"])
    assert chance.table_key(SEED, d_s, [(1, CUTS[1]), (0, CUTS[0])]) == KEY
    assert chance.table_key(SEED, d_s, [(0, CUTS[1]), (1, CUTS[0])]) != KEY


def test_the_streams_and_the_first_deal() -> None:
    source = Chance(KEY)
    assert source.stream("dealer").below(2) == KNOWN["dealer"]
    order = source.stream("deal:1").shuffle(cards.pack(1, 2))
    assert " ".join(order) == KNOWN["shuffled"]
    assert sha256(" ".join(order).encode()).hexdigest() == KNOWN["shuffled_sha256"]
    wide = Stream(KEY, "wide")
    assert [wide.below(1000) for _ in KNOWN["below_1000_label_wide"]] == KNOWN["below_1000_label_wide"]


def test_the_blocks_behind_a_stream() -> None:
    key = chance.m(KEY, chance.tag("stream") + b"deal:1")
    assert key.hex() == KNOWN["stream_key_deal:1"]
    assert chance.m(key, bytes(4)).hex() == KNOWN["deal:1_block0"]
    assert chance.m(key, bytes([0, 0, 0, 1])).hex() == KNOWN["deal:1_block1"]


def test_blind_leaf_and_state_digest_of_event_seven() -> None:
    raw = record.read(RECORD).entries[6].raw
    blind = chance.blind(KEY, 7)
    assert blind.hex() == KNOWN["blind_7"]
    assert chance.leaf(blind, raw).hex() == KNOWN["leaf_7"]
    assert chance.state_digest(KEY, 7, KNOWN["state_7_bytes"].encode()).hex() == KNOWN["state_7"]
    vault = Vault(SEED)
    vault.turn(bytes.fromhex(KNOWN["d_s"]), enumerate(CUTS))
    assert vault.blind(7) == blind
    assert vault.state(7, KNOWN["state_7_bytes"].encode()).hex() == KNOWN["state_7"]
    assert vault.commitment(ID).hex() == KNOWN["commitment"]


def test_the_chain_of_the_record() -> None:
    walk = walked()
    assert (walk.commitment, walk.cuts, walk.chain) == (True, None, None)
    assert walk.digests[0].hex() == KNOWN["d_1"]
    assert walk.d_s == walk.digests[3] == bytes.fromhex(KNOWN["d_s"])
    assert walk.leaves[6].hex() == KNOWN["leaf_7"]
    assert walk.digests[6].hex() == KNOWN["d_7"]
    assert walk.digests[-1].hex() == KNOWN["d_final"]
    assert (walk.promised, walk.owing) == ((0, 1), ())


def test_the_notes_under_record_and_receipt() -> None:
    signer = notes.Signer(KNOWN["key_name"], bytes.fromhex(KNOWN["signing_seed"]))
    assert RECORD.partition(b"\n\n")[2] == signer.record(ID, 9, walked().digests[-1])
    assert (VECTORS / "receipt.note").read_bytes() == signer.receipt(ID, walked().leaves[6])


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("no node here: the verifier in JavaScript is not compared")
    return found


def script(node: str, *arguments: object, code: int = 0) -> dict[str, Any]:
    ran = subprocess.run([node, VERIFIER, *map(str, arguments)], capture_output=True, check=False, text=True)
    assert (ran.returncode, ran.stderr) == (code, "")
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer


def test_javascript_finds_the_same_in_the_vectors(node: str) -> None:
    key = notes.VerifierKey(KNOWN["key_name"], bytes.fromhex(KNOWN["public_key"]))
    answer = script(node, "record", VECTORS / "record.faircut", key)
    expected = {"id": ID, "events": 9, "digest": KNOWN["d_final"]} | {k: KNOWN[k] for k in ("d_1", "d_s", "key")}
    assert answer | expected == answer
    assert answer["labels"]["dealer"]["below2"] == KNOWN["dealer"]
    assert answer["labels"]["deal:1"]["order"] == KNOWN["shuffled"]


def test_javascript_finds_the_same_in_a_game_of_three_hundred_events(node: str, tmp_path: Path) -> None:
    house = whole(*LONG, people=3, bots=1, uncut=(1,))
    assert len(house.entries) > 300
    path = tmp_path / "long.faircut"
    path.write_bytes(house.record())
    answer = script(node, "record", path, SIGNER.verifier)
    walk = protocol.walk(record.read(house.record()), house.seed)
    assert walk.d_s
    key = chance.table_key(house.seed, walk.d_s, ((0, house.cuts[0]), (2, house.cuts[2])))
    order = Stream(key, "deal:1").shuffle(cards.pack(1, 2))
    assert (answer["events"], answer["digest"]) == (len(house.entries), house.entries[-1][0].hex())
    assert (answer["key"], answer["d_s"]) == (key.hex(), walk.d_s.hex())
    assert answer["labels"]["deal:1"]["order"].split(" ") == order


@pytest.mark.parametrize("old", [b'"seat":0', b'"type":"draw"', b"640bc7f2cf47", b"faircut/1 record", b" x3a/nUb9"])
def test_javascript_refuses_a_changed_record(node: str, tmp_path: Path, old: bytes) -> None:
    path = tmp_path / "changed.faircut"
    changed = RECORD.replace(old, old[:-2] + bytes([old[-2] ^ 1]) + old[-1:])
    assert changed != RECORD
    path.write_bytes(changed)
    key = notes.VerifierKey(KNOWN["key_name"], bytes.fromhex(KNOWN["public_key"]))
    assert "wrong" in script(node, "record", path, key, code=1)


def twin(i: int) -> bytes:
    return sha256(f"twin {i}".encode()).digest()


def test_javascript_draws_the_same_numbers_from_ten_thousand_keys(node: str) -> None:
    keys, draws = 10_000, 12
    seen, total = set(), sha256()
    for i in range(keys):
        stream = Stream(twin(i), f"twin:{i}")
        for j in range(draws):
            n = 2 + (i * draws + j * 7) % 299
            seen.add(n)
            total.update(stream.below(n).to_bytes(4, "big"))
        total.update(stream.below(65536).to_bytes(4, "big"))
    assert seen == set(range(2, 301))
    assert script(node, "below", keys, draws) == {"sha256": total.hexdigest()}


@pytest.mark.parametrize(("decks", "jokers"), [(1, 2), (2, 4)])
def test_javascript_shuffles_packs_the_same(node: str, decks: int, jokers: int) -> None:
    total = sha256()
    for i in range(300):
        total.update(" ".join(Stream(twin(i), "deal:1").shuffle(cards.pack(decks, jokers))).encode())
    assert script(node, "shuffle", 300, decks, jokers) == {"sha256": total.hexdigest()}
