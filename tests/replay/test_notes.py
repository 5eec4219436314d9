"""Signed notes: the five kinds, their one spelling, keys and key files (replay/FORMAT.md, "Notes")."""

import base64
import json
import os
import pickle
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from replay import notes
from replay.notes import Keys, Signer

VECTORS = Path(__file__).parent.parent / "vectors"
ID = "0123456789abcdefghij"
D = bytes(range(32))
SIGNER = Signer("house.example/notes", bytes(range(1, 33)))
OTHER = Signer("house.example/notes", bytes(range(2, 34)))
ORDER = 2**252 + 27742317777372353535851937790883648493  # of Ed25519's base point (RFC 8032)
BUILT = {
    "opened": SIGNER.opened(ID, D),
    "started": SIGNER.started(ID, D),
    "checkpoint": SIGNER.checkpoint(ID, D),
    "receipt": SIGNER.receipt(ID, D),
    "record": SIGNER.record(ID, 7, D),
}


def vectors() -> dict[str, str]:
    known: dict[str, str] = json.loads((VECTORS / "vectors.json").read_bytes())
    return known


def signature(note: bytes) -> bytes:
    return base64.b64decode(note.rstrip(b"\n").rsplit(b" ", 1)[1])


def with_signature(note: bytes, raw: bytes) -> bytes:
    return note.rstrip(b"\n").rsplit(b" ", 1)[0] + b" " + base64.b64encode(raw) + b"\n"


def test_the_vectors_receipt_and_record_notes_are_made_to_the_byte() -> None:
    known = vectors()
    signer = Signer(known["key_name"], bytes.fromhex(known["signing_seed"]))
    assert signer.key.public.hex() == known["public_key"]
    receipt = signer.receipt(known["id"], bytes.fromhex(known["leaf_7"]))
    assert receipt == (VECTORS / "receipt.note").read_bytes()
    note = signer.record(known["id"], 9, bytes.fromhex(known["d_final"]))
    assert (VECTORS / "record.faircut").read_bytes().endswith(b"}\n\n" + note)


def test_the_vectors_receipt_verifies_under_the_vectors_key() -> None:
    known = vectors()
    public = bytes.fromhex(known["public_key"])
    keys = Keys.parse(str(notes.VerifierKey(known["key_name"], public)).encode() + b"\n")
    note = notes.verify((VECTORS / "receipt.note").read_bytes(), keys, "receipt")
    assert note == ("receipt", known["id"], bytes.fromhex(known["leaf_7"]), None, known["key_name"])


@pytest.mark.parametrize("kind", notes.KINDS)
def test_every_kind_says_what_was_signed(kind: notes.Kind) -> None:
    n = 7 if kind == "record" else None
    assert notes.verify(BUILT[kind], SIGNER.keys, kind) == (kind, ID, D, n, SIGNER.key.name)


def test_a_note_reads_as_its_lines() -> None:
    text, _, line = BUILT["record"].decode().partition("\n\n")
    assert text.split("\n") == ["faircut/1 record", ID, "7", D.hex()]
    assert line.startswith("— house.example/notes ")
    assert signature(BUILT["record"])[:4] == SIGNER.key.hash


@pytest.mark.parametrize("kind", notes.KINDS)
@pytest.mark.parametrize("asked", notes.KINDS)
def test_a_note_of_another_kind_than_asked_for_is_refused(kind: notes.Kind, asked: notes.Kind) -> None:
    if kind != asked:
        with pytest.raises(notes.WrongKind):
            notes.verify(BUILT[kind], SIGNER.keys, asked)


@pytest.mark.parametrize("kind", notes.KINDS)
@pytest.mark.parametrize("under", notes.KINDS)
def test_a_signature_counts_under_no_other_text(kind: notes.Kind, under: notes.Kind) -> None:
    if kind != under:
        with pytest.raises(notes.Forged):
            notes.verify(with_signature(BUILT[under], signature(BUILT[kind])), SIGNER.keys)


def test_a_key_that_nobody_vouched_for_counts_for_nothing() -> None:
    for keys in (Keys(), OTHER.keys):
        with pytest.raises(notes.NotVouched):
            notes.verify(BUILT["receipt"], keys)


def test_the_name_and_hash_of_a_vouched_key_are_not_its_signature() -> None:
    forged = OTHER.key.hash, signature(OTHER.receipt(ID, D))[4:]
    with pytest.raises(notes.Forged):
        notes.verify(with_signature(BUILT["receipt"], SIGNER.key.hash + forged[1]), SIGNER.keys)


def test_any_of_several_keys_may_have_signed() -> None:
    keys = Keys(OTHER.key, SIGNER.key)
    assert notes.verify(BUILT["opened"], keys).digest == D
    assert notes.verify(OTHER.opened(ID, D), keys).digest == D


def spelled_twice(note: bytes) -> bytes:
    """The same signature bytes in other base64: the last digit before the padding has bits that say nothing."""
    digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    last = digits.index(note[-3])
    other = note[:-3] + bytes([digits[last ^ 1]]) + note[-2:]
    assert base64.b64decode(other.rsplit(b" ", 1)[1]) == signature(note)
    return other


def s_plus_l(note: bytes) -> bytes:
    raw = signature(note)
    s = int.from_bytes(raw[36:], "little") + ORDER
    return with_signature(note, raw[:36] + s.to_bytes(32, "little"))


NOTE = BUILT["record"]
SPOILT = {
    "nothing": b"",
    "second signature": NOTE + NOTE.split(b"\n\n")[1],
    "second note": NOTE + NOTE,
    "no signature": NOTE.split(b"\n\n")[0] + b"\n",
    "trailing space": NOTE[:-1] + b" \n",
    "leading space": b" " + NOTE,
    "byte order mark": b"\xef\xbb\xbf" + NOTE,
    "carriage returns": NOTE.replace(b"\n", b"\r\n"),
    "no last newline": NOTE[:-1],
    "one more newline": NOTE + b"\n",
    "two empty lines": NOTE.replace(b"\n\n", b"\n\n\n"),
    "other base64 of the same bytes": spelled_twice(NOTE),
    "base64 without padding": NOTE.replace(b"=\n", b"\n"),
    "S + L": s_plus_l(NOTE),
    "a short signature": with_signature(NOTE, signature(NOTE)[:-1]),
    "upper-case digest": NOTE.replace(D.hex().encode(), D.hex().upper().encode()),
    "upper-case id": NOTE.replace(b"abc", b"Abc"),
    "a short id": NOTE.replace(ID.encode(), b"short"),
    "leading zero": NOTE.replace(b"\n7\n", b"\n07\n"),
    "no events": NOTE.replace(b"\n7\n", b"\n0\n"),
    "too many events": NOTE.replace(b"\n7\n", b"\n9007199254740992\n"),
    "a number in another kind": BUILT["receipt"].replace(ID.encode(), ID.encode() + b"\n7"),
    "no number": NOTE.replace(b"\n7\n", b"\n"),
    "another version": NOTE.replace(b"faircut/1", b"faircut/2"),
    "an unknown kind": NOTE.replace(b" record", b" cheque"),
    "a hyphen for the dash": NOTE.replace("—".encode(), b"-"),
    "a plus in the name": NOTE.replace(b"house.example/", b"house.example+"),
    "a name beyond ASCII": NOTE.replace(b"house", "häuse".encode()),
    "too long": NOTE + b"a" * 2000,
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_note_in_another_spelling_is_refused(name: str) -> None:
    assert SPOILT[name] != NOTE
    with pytest.raises(notes.Malformed):
        notes.verify(SPOILT[name], SIGNER.keys)


@pytest.mark.parametrize("kind", notes.KINDS)
def test_every_flipped_bit_is_found(kind: notes.Kind) -> None:
    note = BUILT[kind]
    for i in range(len(note) * 8):
        flipped = bytearray(note)
        flipped[i // 8] ^= 1 << i % 8
        with pytest.raises(notes.NoteError):
            notes.verify(bytes(flipped), SIGNER.keys)


def test_only_the_five_texts_can_be_signed() -> None:
    with pytest.raises(ValueError, match="number of events"):
        notes.text("cheque", ID, D)  # type: ignore[arg-type]
    for table_id, digest, n in (("short", D, None), (ID + "\n" + ID, D, None), (ID, D[:-1], None), (ID, D, 3)):
        with pytest.raises(ValueError, match=r"has|not"):
            notes.text("receipt", table_id, digest, n)
    with pytest.raises(ValueError, match="not a table's id"):
        SIGNER.record(ID, 0, D)


class TestKeys:
    LINE = SIGNER.verifier

    def test_a_key_goes_to_its_line_and_back(self) -> None:
        name, key_hash, key = self.LINE.split("+", 2)
        assert (name, key_hash) == (SIGNER.key.name, SIGNER.key.hash.hex())
        assert base64.b64decode(key) == b"\x01" + SIGNER.key.public
        assert notes.parse_key(self.LINE) == SIGNER.key
        assert SIGNER.verifier_line() == self.LINE

    def test_a_file_holds_a_key_a_line(self) -> None:
        data = f"{SIGNER.verifier}\n{OTHER.verifier}\n".encode()
        assert [*Keys.parse(data)] == [SIGNER.key, OTHER.key]
        assert [*Keys.parse(data[:-1])] == [SIGNER.key, OTHER.key]

    @pytest.mark.parametrize(
        "data",
        [
            b"", b"\n", b"# mine\n" + LINE.encode(), LINE.encode() + b"\n\n", b"\n" + LINE.encode(),
            LINE.encode() + b"\r\n", b" " + LINE.encode(), LINE.encode() + b" ", b"\xef\xbb\xbf" + LINE.encode(),
            LINE.encode() + b"\n" + LINE.encode(), LINE.replace("house", "other").encode(),
            LINE.replace("+", " ").encode(), LINE.upper().encode(), LINE[:-1].encode(), b"a+00000000+" + b"A" * 44,
        ],
    )  # fmt: skip
    def test_anything_else_in_it_is_refused(self, data: bytes) -> None:
        with pytest.raises(notes.KeyFault):
            Keys.parse(data)

    @pytest.mark.parametrize(
        "public",
        [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "0000000000000000000000000000000000000000000000000000000000000080",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ],
    )
    def test_a_key_under_which_one_signature_fits_many_texts_is_refused(self, public: str) -> None:
        key = notes.VerifierKey("weak", bytes.fromhex(public))
        with pytest.raises(notes.KeyFault, match="weak"):
            notes.parse_key(str(key))


class TestSigner:
    def test_a_missing_key_file_is_an_error_and_none_is_made(self, tmp_path: Path) -> None:
        path = tmp_path / "signing.key"
        with pytest.raises(notes.KeyFault, match="cannot be read"):
            Signer.load(path, "house")
        assert not any(tmp_path.iterdir())

    def test_a_key_is_made_once_for_its_owner_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "signing.key"
        first = Signer.load(path, "house", create=True)
        assert path.stat().st_mode & 0o777 == 0o600
        assert [p.name for p in tmp_path.iterdir()] == ["signing.key"]
        assert Signer.load(path, "house", create=True).key == Signer.load(path, "house").key == first.key
        assert Signer.load(tmp_path / "other.key", "house", create=True).key != first.key

    def test_the_loaded_key_signs(self, tmp_path: Path) -> None:
        signer = Signer.load(tmp_path / "signing.key", "house", create=True)
        assert notes.verify(signer.opened(ID, D), signer.keys, "opened").id == ID

    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
    def test_a_file_open_to_others_is_refused(self, tmp_path: Path, mode: int) -> None:
        path = tmp_path / "signing.key"
        Signer.load(path, "house", create=True)
        path.chmod(mode)
        with pytest.raises(notes.KeyFault, match="0600"):
            Signer.load(path, "house")

    def test_a_key_of_another_name_or_a_damaged_one_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "signing.key"
        Signer.load(path, "house", create=True)
        with pytest.raises(notes.KeyFault, match="not the signing key of other"):
            Signer.load(path, "other")
        good = path.read_bytes()
        for bad in (b"", good[:-1], good + b"\n", good.replace(b"+", b"-"), good[:-3] + b"\xff\xff\n"):
            path.write_bytes(bad)
            with pytest.raises(notes.KeyFault):
                Signer.load(path, "house")

    def test_the_folder_must_be_there(self, tmp_path: Path) -> None:
        with pytest.raises(notes.KeyFault, match="cannot be made"):
            Signer.load(tmp_path / "none" / "signing.key", "house", create=True)

    @pytest.mark.parametrize("name", ["", "a b", "a+b", "a\n", "é", "x" * 129])
    def test_a_name_that_no_note_can_carry_is_refused(self, name: str) -> None:
        with pytest.raises(notes.KeyFault, match="name"):
            Signer.generate(name)

    def test_generated_keys_differ(self) -> None:
        assert Signer.generate("a").key != Signer.generate("a").key

    def test_it_shows_its_secret_half_to_nobody(self) -> None:
        seed = os.urandom(32)
        signer = Signer("house", seed)
        private = Ed25519PrivateKey.from_private_bytes(seed)
        assert signer.key.public == private.public_key().public_bytes_raw()
        assert seed.hex() not in repr(signer) + str(signer)
        with pytest.raises(TypeError):
            pickle.dumps(signer)
        with pytest.raises(ValueError, match="32 bytes"):
            Signer("house", seed[:-1])
