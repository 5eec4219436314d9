"""Seeds at rest: only this house's key opens a box, only in its own table's row, and nothing shows a seed."""

import asyncio
import base64
import copy
import functools
import os
import pickle
import stat
import traceback
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from deploy.local import Postgres
from domain import chance
from replay import seal
from replay.log import Log
from replay.seal import KeyFault, Sealer, Unopened

A, B = "tablea0000000001", "tableb0000000001"
SEED = bytes.fromhex("5eed" * 16)


def commit(table: str = A, seed: bytes = SEED) -> str:
    return chance.commitment(seed, table).hex()


@pytest.fixture
def log(database: str) -> Iterator[Log]:
    log = Log(database)
    yield log
    asyncio.run(log.close())


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "seal.key"


@pytest.fixture
def sealer(key_file: Path) -> Sealer:
    return Sealer.load(key_file, create=True)


def test_a_box_opens_to_the_seed(sealer: Sealer) -> None:
    sealed = sealer.seal(A, commit(), SEED)
    assert (len(sealed.nonce), len(sealed.box)) == (12, 48)
    vault = sealer.open(sealed)
    assert vault.reveal() == SEED.hex()
    assert vault.commitment(A).hex() == commit()


def test_a_nonce_serves_once(sealer: Sealer) -> None:
    boxes = [sealer.seal(A, commit(), SEED) for _ in range(100)]
    assert len({sealed.nonce for sealed in boxes}) == len({sealed.box for sealed in boxes}) == 100


def test_the_associated_data_is_tag_id_and_commitment(sealer: Sealer, key_file: Path) -> None:
    """Another program with the key opens the box as the format says."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key = bytes.fromhex(key_file.read_text().split()[1])
    sealed = sealer.seal(A, commit(), SEED)
    bound = b"faircut/1/seal\0" + A.encode() + bytes.fromhex(commit())
    assert AESGCM(key).decrypt(sealed.nonce, sealed.box, bound) == SEED


def test_a_box_in_another_row_does_not_open(sealer: Sealer) -> None:
    sealed = sealer.seal(A, commit(), SEED)
    flipped = bytes([sealed.box[0] ^ 1]) + sealed.box[1:]
    for wrong in (
        sealed._replace(table=B),
        sealed._replace(commit=commit(B)),
        sealed._replace(table=B, commit=commit(B)),
        sealed._replace(box=flipped),
        sealed._replace(box=sealed.box[:-1]),
        sealed._replace(box=b""),
        sealed._replace(nonce=bytes(12)),
        sealed._replace(nonce=b""),
        sealed._replace(commit="zz"),
        sealed._replace(table="no table"),
    ):
        with pytest.raises(Unopened):
            sealer.open(wrong)


def test_a_seed_is_sealed_under_its_own_commitment_only(sealer: Sealer) -> None:
    for table, wrong in ((A, commit(B)), (B, commit(A)), (A, "00" * 32)):
        with pytest.raises(ValueError, match="commitment"):
            sealer.seal(table, wrong, SEED)


def test_another_houses_key_does_not_open(sealer: Sealer, tmp_path: Path, key_file: Path) -> None:
    sealed = sealer.seal(A, commit(), SEED)
    other = Sealer.load(tmp_path / "other.key", create=True)
    with pytest.raises(KeyFault, match=sealed.key_id):
        other.open(sealed)
    name = (tmp_path / "other.key").read_text().split()[0]
    with pytest.raises(Unopened):
        other.open(sealed._replace(key_id=name))


def test_the_key_file_is_made_once_for_its_owner_alone(key_file: Path) -> None:
    Sealer.load(key_file, create=True)
    first = key_file.read_bytes()
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    Sealer.load(key_file, create=True)
    assert key_file.read_bytes() == first
    assert [file.name for file in key_file.parent.iterdir()] == [key_file.name]


def test_a_key_file_that_others_may_read_is_refused(key_file: Path) -> None:
    Sealer.load(key_file, create=True)
    key_file.chmod(0o640)
    with pytest.raises(KeyFault, match="chmod 600"):
        Sealer.load(key_file, create=False)


def test_a_missing_key_is_an_error(key_file: Path) -> None:
    with pytest.raises(KeyFault, match="missing"):
        Sealer.load(key_file, create=False)
    assert not key_file.exists()


def test_no_new_key_beside_seeds_that_it_cannot_open(log: Log, sealer: Sealer, key_file: Path) -> None:
    sealer.keep(log, A, commit(), SEED)
    kept = key_file.read_bytes()
    key_file.unlink()
    with pytest.raises(KeyFault, match="missing"):
        Sealer.load(key_file, create=True, database=log)
    assert not key_file.exists()
    Sealer.load(key_file, create=True)  # a key that was made elsewhere
    with pytest.raises(KeyFault, match="lacks a key"):
        Sealer.load(key_file, create=True, database=log)
    key_file.write_bytes(kept)
    assert Sealer.load(key_file, create=True, database=log).vault(log, A).reveal() == SEED.hex()


def test_a_new_house_gets_a_key(log: Log, key_file: Path) -> None:
    Sealer.load(key_file, create=True, database=log)
    assert key_file.exists()


def test_keys_rotate(log: Log, sealer: Sealer, key_file: Path) -> None:
    sealer.keep(log, A, commit(), SEED)
    with key_file.open("a") as keys:
        keys.write(f"second {'22' * 32}\n")
    later = Sealer.load(key_file, create=False, database=log)
    later.keep(log, B, commit(B), SEED)
    assert later.vault(log, A).reveal() == later.vault(log, B).reveal() == SEED.hex()
    with log.connect() as connection:
        names = connection.execute("SELECT key_id FROM sealed ORDER BY table_id").fetchall()
    assert names[1] == ("second",)
    assert names[0] != names[1]


@pytest.mark.parametrize(
    "text",
    ["", "\n", "first", "first " + "a" * 63, "first " + "A" * 64, "First " + "a" * 64, "first  " + "a" * 64,
     f"first {'a' * 64}\nfirst {'b' * 64}\n", f"first {'a' * 64}\n\n", "first " + "é" * 64],
)  # fmt: skip
def test_a_malformed_key_file_is_refused_and_not_shown(tmp_path: Path, text: str) -> None:
    file = tmp_path / "seal.key"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(KeyFault) as caught:
        Sealer.load(file, create=True)
    shown = "".join(traceback.format_exception(caught.value))
    assert "a" * 16 not in shown
    assert "A" * 16 not in shown
    assert "é" not in shown


def test_rows_hold_one_seed_a_table(log: Log, sealer: Sealer) -> None:
    sealer.keep(log, A, commit(), SEED)
    other = bytes(32)
    with pytest.raises(ValueError, match="already"):
        sealer.keep(log, A, commit(seed=other), other)
    assert sealer.vault(log, A).reveal() == SEED.hex()
    with pytest.raises(Unopened, match="no sealed seed"):
        sealer.vault(log, B)


def test_a_box_pasted_into_another_row_does_not_open(log: Log, sealer: Sealer) -> None:
    sealer.keep(log, A, commit(), SEED)
    sealer.keep(log, B, commit(B, bytes(32)), bytes(32))
    with log.connect() as connection:
        own = "SELECT nonce, box FROM sealed WHERE table_id = %s"
        connection.execute(f"UPDATE sealed SET (nonce, box) = ({own})", (A,))
    with pytest.raises(Unopened):
        sealer.vault(log, B)
    with log.connect() as connection:  # its commitment too
        connection.execute("UPDATE sealed SET commit = %s", (commit(),))
    with pytest.raises(Unopened):
        sealer.vault(log, B)
    assert sealer.vault(log, A).reveal() == SEED.hex()


def test_nothing_prints_or_pickles_a_key_or_seed(sealer: Sealer, key_file: Path) -> None:
    key = key_file.read_text().split()[1]
    vault = sealer.open(sealer.seal(A, commit(), SEED))
    for thing in (sealer, vault):
        shown = repr(thing) + str(thing)
        assert key not in shown
        assert SEED.hex() not in shown
        for copying in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError):
                copying(thing)


def test_a_process_with_a_key_leaves_no_core(sealer: Sealer) -> None:
    import resource

    assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)


def in_all_spellings(secret: bytes) -> list[bytes]:
    spellings = (base64.b64encode(secret), base64.urlsafe_b64encode(secret))
    return [secret, secret.hex().encode(), *[spelling[:40] for spelling in spellings]]


def test_the_database_learns_no_seed(own_postgres: Postgres, sealer: Sealer, key_file: Path) -> None:
    """Neither its log, nor who looks at what others run, nor its files: refusals of all kinds included."""
    url = own_postgres.to("ready")
    log, seeds = Log(url), [os.urandom(32) for _ in range(5)]
    activity = b""
    with psycopg.connect(own_postgres.to("ready", "postgres"), autocommit=True) as watcher:
        for n, seed in enumerate(seeds):
            table = f"table{n:011}"
            sealer.keep(log, table, commit(table, seed), seed)
            with pytest.raises(ValueError, match="already"):
                sealer.keep(log, table, commit(table, b"x" * 32), b"x" * 32)
            activity += repr(watcher.execute("SELECT * FROM pg_stat_activity").fetchall()).encode()
        sealed = sealer.seal(A, commit(), SEED)
        for bad in (sealed._replace(table="\0"), sealed._replace(box=None)):  # type: ignore[arg-type]
            with pytest.raises(psycopg.Error):
                log.ask(functools.partial(seal.store, sealed=bad))
    asyncio.run(log.close())
    own_postgres.stop()
    files = [file for file in own_postgres.folder.rglob("*") if file.is_file()]
    assert len(files) > 1000
    stored = [activity, own_postgres.log.read_bytes(), *[file.read_bytes() for file in files]]
    key = bytes.fromhex(key_file.read_text().split()[1])
    for secret in (*seeds, SEED, key):
        for spelling in in_all_spellings(secret):
            assert not any(spelling in data for data in stored)
    text = own_postgres.log.read_bytes()
    assert sealed.box.hex().encode() not in text
    assert b"INSERT" not in text
