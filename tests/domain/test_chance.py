"""Chance: every draw equally likely and exact, every label once, nothing shown."""

import copy
import pickle
import re
from collections import Counter
from hashlib import sha256
from hmac import new as hmac
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import chance
from domain.cards import pack
from domain.chance import Chance, Stream, Vault
from tests.house import ID, bits


class Fed(Stream):
    """A stream whose bytes are given, for exact counts."""

    def __init__(self, data: bytes) -> None:
        super().__init__(bytes(32), "fed")
        self.data = iter(data)

    def _byte(self) -> int:
        return next(self.data)


def block(key: bytes, label: str, i: int) -> bytes:
    """Block i of a stream, worked out from its definition."""
    sub = hmac(key, b"faircut/1/stream\0" + label.encode(), sha256).digest()
    return hmac(sub, i.to_bytes(4, "big"), sha256).digest()


@pytest.mark.parametrize("n", [2, 3, 5, 7, 52, 54, 64, 100, 108, 127, 128, 129, 255, 256])
def test_every_byte_counts_once_or_is_thrown_away(n: int) -> None:
    """Over all 256 bytes each answer comes equally often; only those past the last whole multiple are read again."""
    answers: Counter[int] = Counter()
    again = 0
    for byte in range(256):
        stream = Fed(bytes([byte, 0]))
        answers[stream.below(n)] += 1
        again += next(stream.data, None) is None
    assert again == 256 % n
    answers[0] -= again  # the byte read instead was zero
    assert answers == dict.fromkeys(range(n), 256 // n)


@pytest.mark.parametrize("n", [257, 300, 1000, 32768, 40000, 65535, 65536])
def test_two_bytes_count_once_or_are_thrown_away(n: int) -> None:
    answers: Counter[int] = Counter()
    again = 0
    for value in range(65536):
        stream = Fed(value.to_bytes(2, "big") + bytes(2))
        answers[stream.below(n)] += 1
        again += next(stream.data, None) is None
    assert again == 65536 % n
    answers[0] -= again
    assert set(answers.values()) == {65536 // n}
    assert len(answers) == n


def test_below_one_reads_nothing() -> None:
    stream = Fed(b"")
    assert stream.below(1) == 0


@pytest.mark.parametrize("n", [0, -1, 65537, 10**9])
def test_below_takes_one_to_65536(n: int) -> None:
    with pytest.raises(ValueError, match="1 to 65536"):
        Fed(bytes(8)).below(n)


def test_a_stream_is_its_blocks_byte_by_byte() -> None:
    key = bits("key")
    stream = Chance(key).stream("deal:1")
    drawn = bytes(stream.below(256) for _ in range(70))
    assert drawn == b"".join(block(key, "deal:1", i) for i in range(3))[:70]
    two = Chance(key).stream("deal:1")
    assert two.below(65536) == int.from_bytes(drawn[:2], "big")
    assert two.below(256) == drawn[2]


@given(st.binary(min_size=32, max_size=32), st.integers(0, 120))
def test_a_shuffle_is_fisher_yates_from_the_last_place_down(key: bytes, size: int) -> None:
    stream = Chance(key).stream("x")
    wanted = list(range(size))
    for i in range(size - 1, 0, -1):
        j = stream.below(i + 1)
        wanted[i], wanted[j] = wanted[j], wanted[i]
    items = list(range(size))
    assert Chance(key).stream("x").shuffle(items) == wanted
    assert items == list(range(size)), "the list that was given has changed"


def test_every_order_of_four_comes_from_equally_many_draws() -> None:
    orders = Counter(
        tuple(Fed(bytes([a, b, c])).shuffle("abcd")) for a in range(4) for b in range(3) for c in range(2)
    )
    assert orders == dict.fromkeys(permutations("abcd"), 1)


def chi_square(counts: Counter[int], cells: int) -> float:
    expected = counts.total() / cells
    return sum((counts[i] - expected) ** 2 / expected for i in range(cells))


def test_where_a_card_lands_is_even() -> None:
    """Two cards, every place, 5,000 keys. 51 degrees of freedom: above 110 once in a million."""
    cards = pack()
    first, last = Counter[int](), Counter[int]()
    for i in range(5_000):
        stock = Chance(bits("even", i)).stream("deal:1").shuffle(cards)
        first[stock.index(cards[0])] += 1
        last[stock.index(cards[-1])] += 1
    assert chi_square(first, 52) < 110
    assert chi_square(last, 52) < 110


def test_neighbouring_labels_tell_nothing_of_each_other() -> None:
    """The first dealer against the first card dealt: 4 x 4 cells, 15 degrees of freedom, above 56 once in a million."""
    cells = Counter[int]()
    for i in range(8_000):
        source = Chance(bits("labels", i))
        cells[source.stream("dealer").below(4) * 4 + source.stream("deal:1").below(4)] += 1
    assert chi_square(cells, 16) < 56


def test_a_label_serves_once_a_table() -> None:
    source = Chance(bits("key"))
    source.stream("deal:1")
    with pytest.raises(ValueError, match="deal:1 has been used"):
        source.stream("deal:1")
    later = Chance(bits("key"), source.spent)
    with pytest.raises(ValueError, match="deal:1 has been used"):
        later.stream("deal:1")
    later.stream("deal:2")
    assert later.spent == {"deal:1", "deal:2"}
    assert source.spent == {"deal:1"}


def test_a_move_decided_again_starts_from_the_same_labels() -> None:
    spent = frozenset({"deal:1"})
    first, second = Chance(bits("key"), spent), Chance(bits("key"), spent)
    draws = [source.stream("deal:1:reshuffle:1").shuffle(range(20)) for source in (first, second)]
    assert draws[0] == draws[1]


@pytest.mark.parametrize("label", ["", "Deal", "deal 1", "deal-1", "dé", "a" * 65, "deal:1\n"])
def test_labels_that_are_malformed(label: str) -> None:
    with pytest.raises(ValueError, match="a label matches"):
        Chance(bits("key")).stream(label)


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_seeds_cuts_keys_and_digests_have_32_bytes(size: int) -> None:
    value, good = bytes(size), bytes(32)
    for use in (
        lambda: chance.commitment(value, ID),
        lambda: chance.promise(value, 0, good),
        lambda: chance.promise(good, 0, value),
        lambda: chance.table_key(value, good, []),
        lambda: chance.table_key(good, value, []),
        lambda: chance.table_key(good, good, [(0, value)]),
        lambda: Chance(value),
        lambda: Vault(value),
    ):
        with pytest.raises(ValueError, match="32 bytes"):
            use()


def test_the_key_takes_cuts_lowest_seat_first_and_depends_on_each() -> None:
    seed, d_s, a, b = bits(1), bits(2), bits(3), bits(4)
    key = chance.table_key(seed, d_s, [(0, a), (2, b)])
    assert key == chance.table_key(seed, d_s, [(2, b), (0, a)])
    others = {
        chance.table_key(seed, d_s, [(0, b), (2, a)]),
        chance.table_key(seed, d_s, [(0, a), (1, b)]),
        chance.table_key(seed, d_s, [(0, a)]),
        chance.table_key(seed, d_s, []),
        chance.table_key(seed, bits(5), [(0, a), (2, b)]),
        chance.table_key(bits(6), d_s, [(0, a), (2, b)]),
    }
    assert len(others) == 6
    assert key not in others


def test_a_promise_binds_table_seat_and_cut() -> None:
    promises = {chance.promise(bits(d), seat, bits("cut", c)) for d in (1, 2) for seat in (0, 1) for c in (0, 1)}
    assert len(promises) == 8


def test_what_is_hashed_for_one_use_is_never_that_of_another() -> None:
    a, b = bits("a"), bits("b")
    assert len({chance.leaf(a, b), chance.node(a, b), chance.h(a + b), chance.promise(a, 0, b)}) == 4
    tags = [chance.tag(name) for name in ("seed", "cut", "key", "stream", "blind", "leaf", "node", "table", "state")]
    assert all(tag.startswith(b"faircut/1/") and tag.endswith(b"\0") for tag in tags)


def test_a_vault_makes_no_chance_before_its_key() -> None:
    vault = Vault(bits("seed"))
    for use in (lambda: vault.chance(frozenset()), lambda: vault.blind(1), lambda: vault.state(1, b"")):
        with pytest.raises(ValueError, match="32 bytes"):
            use()
    vault.turn(bits("d_s"), [])
    key = chance.table_key(bits("seed"), bits("d_s"), [])
    assert vault.chance(frozenset()).stream("x").below(256) == Chance(key).stream("x").below(256)
    assert vault.blind(7) == chance.blind(key, 7) != vault.blind(8)
    assert vault.state(7, b"{}") == chance.state_digest(key, 7, b"{}")
    assert vault.commitment(ID) == chance.commitment(bits("seed"), ID)


def test_nothing_that_holds_a_secret_shows_or_stores_it() -> None:
    vault = Vault(bits("seed"))
    vault.turn(bits("d_s"), [])
    source = vault.chance(frozenset())
    for thing in (vault, source, source.stream("x")):
        assert re.fullmatch("<[A-Z][a-z]+>", repr(thing))
        assert not hasattr(thing, "__dict__")
        for store in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="not stored"):
                store(thing)
