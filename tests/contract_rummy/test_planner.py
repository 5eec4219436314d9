"""RULES.md, "Hints": how far a hand is, what is suggested, and what an arrangement weighs; against brute force."""

import random
from itertools import combinations, product
from typing import Any

import msgspec
import pytest

from domain.cards import RANKS, SUITS, Card, Seat
from domain.contract_rummy import arrange as arranging
from domain.contract_rummy.arrange import arrange
from domain.contract_rummy.contracts import CONTRACTS, STYLE, Contract, fresh_pack
from domain.contract_rummy.faces import Part, shape
from domain.contract_rummy.final import closest, final_cost, final_groups, go_out_runs, progress
from domain.contract_rummy.layoff import lay_offs
from domain.contract_rummy.plan import best, complete, could_help, useful_swaps
from domain.contract_rummy.suggest import arranged, leftover, suggest
from domain.game import Illegal
from domain.melds import Meld, Set, positions
from tests.contract_rummy.tables import GAME, cards, discard, go_down, lay_off, lying, play, step, table


def on(*melds: str) -> tuple[Meld, ...]:
    return tuple(lying(i, 1, text) for i, text in enumerate(melds, 1))


def deal(rng: random.Random, size: int, seats: int = 5, ranks: str = RANKS, suits: str = SUITS) -> list[Card]:
    pack = [c for c in fresh_pack(seats) if c[0] == "*" or (c[0] in ranks and c[1] in suits)]
    return rng.sample(pack, size)


# Fewest missing


def missing_by_force(hand: list[Card], sets: int, runs: int) -> int:
    """Every way to choose ranks and windows, each taking the naturals it finds: runs in every order before sets."""
    windows = [(suit, lo) for suit in SUITS for lo in range(1, 12)]
    jokers, most = sum(c[0] == "*" for c in hand), 0
    for chosen in combinations(windows * min(2, max(runs, 1)), runs):
        left, held = [c[:2] for c in hand if c[0] != "*"], 0
        for suit, lo in chosen:
            for p in range(lo, lo + 4):
                face = RANKS[(p - 1) % 13] + suit
                if face in left:
                    left.remove(face)
                    held += 1
        groups = [n for rank in RANKS for n in thirds(sum(face[0] == rank for face in left))]
        most = max(most, held + sum(sorted(groups, reverse=True)[:sets]))
    return max(0, 3 * sets + 4 * runs - most - jokers)


def thirds(n: int) -> list[int]:
    return [3] * (n // 3) + [n % 3]


@pytest.mark.parametrize(("sets", "runs"), [(2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2)])
def test_fewest_missing(sets: int, runs: int) -> None:
    rng = random.Random(sets * 10 + runs)
    for _ in range(40 if runs < 2 else 6):
        hand = deal(rng, rng.choice([4, 8, 11, 14]))
        plan = best(hand, sets, runs)
        assert plan.missing == missing_by_force(hand, sets, runs)
        check_parts(hand, plan.parts)
        assert sum(p.missing for p in plan.parts) == plan.missing
        assert [sum(p.kind == kind for p in plan.parts) for kind in ("set", "run")] == [sets, runs]


def check_parts(hand: list[Card], parts: tuple[Part, ...]) -> None:
    """The faces are in the hand, each as often as it is used, and each in its place."""
    left = ["*" if c[0] == "*" else c[:2] for c in hand]
    for part in parts:
        for i, face in enumerate(part.faces):
            if face:
                left.remove(face)
            if len(face) == 2:
                assert face[0] == part.rank if part.kind == "set" else part.lo + i in positions(face, STYLE)
                assert part.kind == "set" or face[1] == part.suit


def test_aces_count_low_and_high() -> None:
    assert best(cards("AH1 2H1 3H1 4H1"), 0, 1).missing == 0
    assert best(cards("AH1 QH1 KH1 JH1"), 0, 1).missing == 0
    assert best(cards("AH1 2H1 QH1 KH1"), 0, 1).missing == 1
    assert best(cards("8H1 8H2 8S1 8S2 8C1 8C2"), 2, 0).missing == 0


@pytest.mark.parametrize(
    ("card", "hand", "sets", "runs", "helps"),
    [
        ("*1", "2S1", 2, 0, True), ("9H1", "9S1", 2, 0, True), ("9H1", "8H1", 2, 0, False), ("9H1", "*1", 2, 0, True),
        ("9H1", "6H1", 0, 2, True), ("9H1", "5H1", 0, 2, False), ("9H1", "9S1", 0, 2, False),
        ("AH1", "QH1", 1, 1, True),
        ("AH1", "4H1", 0, 2, True), ("AH1", "5H1 TH1", 0, 2, False), ("9H1", "8S1", 1, 1, False),
    ],
)  # fmt: skip
def test_could_help(card: str, hand: str, sets: int, runs: int, helps: bool) -> None:
    assert could_help(card, cards(hand), Contract(sets, runs, 10)) == helps


# Suggestions


def test_suggestions_are_accepted() -> None:
    rng, made = random.Random(5), 0
    for _ in range(400):
        deals = rng.randrange(1, 7)
        hand = deal(rng, rng.choice([11, 14, 18]), ranks=rng.choice([RANKS, "A789TJ"]))
        s = table(" ".join(hand), *[""] * 4, stock="", deals=deals)
        found = suggest(hand, (), deals)
        wanted = CONTRACTS[deals - 1]
        assert (found is None) == bool(best(hand, wanted.sets, wanted.runs).missing)
        if found:
            made += 1
            assert GAME.play(s, Seat(0), found.move, 0, None).state.down[0]  # type: ignore[arg-type]
    assert made > 100


def test_a_joker_of_the_table_is_won_if_that_is_what_it_takes() -> None:
    melds = on("4H1 5H1 *1 7H1", "9S1 TS1 JS1 *2")
    hand = cards("8S1 8H1 8D1 KS1 KH1 6H1 QS1 2C1")
    found = complete(hand, melds, 2, 0)
    assert found is not None
    assert len(found.swaps) == 1
    s = table(" ".join(hand), "2D1", "3D1", stock="", melds=[(1, "4H1 5H1 *1 7H1"), (1, "9S1 TS1 JS1 *2")])
    assert suggest(hand, melds, 1).move.swaps == found.swaps  # type: ignore[union-attr]
    assert GAME.helps(s, Seat(0)).missing == 1
    assert step(s, sent(suggest(hand, melds, 1))).state.down[0]
    assert {x.card for x in useful_swaps(hand, melds, 2, 0)} == {"6H1", "QS1"}
    assert complete(cards("8S1 8H1 8D1 KS1 6H1 QS1 2C1"), melds, 2, 0).swaps  # type: ignore[union-attr]
    assert useful_swaps(cards("8S1 8H1 8D1 KS1 KH1 KD1 6H1"), melds, 2, 0) == ()


def sent(found: Any) -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(found.move)
    return made


# The last hand


def out_by_force(hand: list[str]) -> bool:
    """Whether all cards make three runs: every way to deal the naturals to three runs, jokers as they fall."""
    naturals, jokers = [c for c in hand if c != "*"], hand.count("*")
    for groups in product(range(3), repeat=len(naturals)):
        need, room = 0, 0
        for g in range(3):
            mine = [c for c, k in zip(naturals, groups, strict=True) if k == g]
            if len({c[1] for c in mine}) > 1:
                break
            gaps = [
                max(4, max(at) - min(at) + 1) - len(mine)
                for at in product(*(positions(c, STYLE) for c in mine))
                if len(set(at)) == len(at) and at
            ]
            if mine and not gaps:
                break
            need += min(gaps) if mine else 4
            room += 14 - len(mine)
        else:
            if need <= jokers <= room:
                return True
    return False


def test_going_out_is_exact() -> None:
    rng, yes = random.Random(3), 0
    for _ in range(150):
        jokers, suits = rng.randrange(5, 9), rng.choice(["H", "HS", "HSD"])
        faces = [r + s for r in RANKS for s in suits] * 2
        hand = rng.sample(faces, rng.randrange(3, 7)) + ["*"] * jokers
        found = go_out_runs(hand)
        assert (found is not None) == out_by_force(hand), hand
        yes += found is not None
        if found:
            assert len(found) == 3
            assert sorted(f for p in found for f in p.faces) == sorted(hand)
            assert all(len(p.faces) >= 4 and p.lo >= 1 and p.lo + len(p.faces) <= 15 for p in found)
            check_parts([Card(f) if f == "*" else Card(f + "1") for f in hand], found)
    assert 20 < yes < 140


def test_going_out_is_accepted_at_every_size() -> None:
    rng = random.Random(4)
    for size in range(12, 43):
        jokers = min(7, size - 5)
        naturals = [Card(f"{r}{s}1") for s in "HSD" for r in RANKS][: size - jokers]
        hand = [*naturals, *fresh_pack(8)[-jokers:]]
        rng.shuffle(hand)
        found = suggest(hand, (), 7)
        assert found is not None
        s = table(" ".join(hand), *[""] * 7, stock="", deals=7)
        assert GAME.play(s, Seat(0), found.move, 0, None).state.out == 0  # type: ignore[arg-type]


def test_how_far_from_going_out() -> None:
    hand = ["3C", "4C", "5C", "6C", "7D", "8D", "9D", "TD", "JS", "QS", "KS", "2H", "9H"]
    assert (final_cost(hand), progress(hand)) == (10 + 2 + 9, 1)
    assert any(p.faces in (("JS", "QS", "KS", ""), ("", "JS", "QS", "KS")) for p in final_groups(hand))
    assert final_cost([*hand[:11], "*", "2H"]) == 2
    assert closest(["3C", "4C", "5C", "6C", "7D", "8D", "9D", "TD", "JS", "QS", "KS", "*"]).cost == 0


# Laying off


def plays(hand: str, *melds: str) -> list[tuple[str, int, str | None]]:
    return [(off.play.card, off.play.meld, off.play.end) for off in lay_offs(cards(hand), on(*melds))]


def test_lay_offs_are_the_most_cards_in_an_order_that_goes() -> None:
    assert plays("9H1 8H1 2C1", "4H1 5H1 6H1 7H1") == [("8H1", 1, "high"), ("9H1", 1, "high")]
    assert plays("8C1 8H1 9H1 2C1", "4H1 5H1 6H1 7H1", "8S1 8D1 8H2") == [
        ("8H1", 1, "high"), ("9H1", 1, "high"), ("8C1", 2, None),
    ]  # fmt: skip


def test_a_joker_bridges_or_goes_on_a_set() -> None:
    assert plays("9H1 *1 2C1", "4H1 5H1 6H1 7H1", "KS1 KD1 KC1") == [("*1", 1, "high"), ("9H1", 1, "high")]
    assert plays("*1 2C1", "4H1 5H1 6H1 7H1", "KS1 KD1 KC1") == [("*1", 2, None)]
    assert plays("*1 2C1", "4H1 5H1 6H1 7H1") == [("*1", 1, "high")]


def test_the_cheapest_spare_card_is_held_back() -> None:
    assert plays("8H1 9H1 3H1", "4H1 5H1 6H1 7H1") == [("8H1", 1, "high"), ("9H1", 1, "high")]
    assert plays("8H1 9H1", "4H1 5H1 6H1 7H1") == [("8H1", 1, "high")]
    assert plays("KH1", "KS1 KD1 KC1") == []


def test_two_equally_good_places_are_left_to_choose() -> None:
    off = lay_offs(cards("8H1 2C1"), on("4H1 5H1 6H1 7H1", "8S1 8D1 8H2"))
    assert [(o.play.card, o.play.meld, o.equal) for o in off] == [("8H1", 2, ((1, "high"),))]
    s = table("8H1 2C1", "2D1", "3D1", melds=[(1, "4H1 5H1 6H1 7H1"), (1, "8S1 8D1 8H2")], down=(0,))
    helps = GAME.helps(s, Seat(0))
    assert helps.plays == ()
    (choice,) = helps.choose
    assert (choice.card, [(spot.meld, spot.end) for spot in choice.spots]) == ("8H1", [(2, None), (1, "high")])


def test_what_is_laid_off_is_accepted() -> None:
    rng = random.Random(9)
    texts = ["4H1 5H1 6H1 7H1", "9S1 TS1 JS1 QS1", "3H2 4H2 5H2 6H2 7H2 8H2", "KS1 KD1 *1", "8S1 8D1 8C1"]
    used = {c for text in texts for c in text.split()}
    for size in [*range(1, 21)] * 3:
        hand = rng.sample([c for c in fresh_pack(5) if c not in used], size)
        s = table(" ".join(hand), *[""] * 4, stock="", melds=[(1, text) for text in texts], down=(0,))
        off = [o.play for o in lay_offs(hand, s.melds)]
        if off:
            after = step(s, lay_off(*((p.card, p.meld, p.end) for p in off)))
            assert len(after.state.hands[0]) == size - len(off) >= 1


# The careful arrangement


def weighed(hand: str, sets: int, runs: int, *melds: str, known: dict[str, int] | None = None, decks: int = 2,
            **fields: Any) -> Any:  # fmt: skip
    return arrange(shape(cards(hand)), sets, runs, on(*melds), known or {}, decks, **fields)


def test_nothing_left_to_discard() -> None:
    assert weighed("8H1 8S1 8D1 KH1 KS1 KD1", 2, 0) is None
    assert weighed("8H1 8S1 8D1 KH1 KS1 2C1 3C1", 2, 0) is None


def test_the_rest_is_weighed_after_a_discard() -> None:
    """Held are 9 and 4 (or 8 and 4): the dearest that goes nowhere is thrown, the rest costs its points, in fifths."""
    found = weighed("8H1 8S1 8D1 KH1 KS1 KD1 9C1 4C1", 2, 0)
    assert found.cost == 4 * 5
    found = weighed("8H1 8S1 8D1 8C1 KH1 KS1 KD1 9C1 4C1", 2, 0)
    assert found.cost == 4 * 5 + 8  # the fourth eight can be laid off on its own set
    found = weighed("8H1 8S1 8D1 KH1 KS1 KD1 9C1 4C1", 2, 0, "5C1 6C1 7C1 8C1")
    assert found.cost == 4  # 9 and 4 both go on the run: the 9 is thrown
    found = weighed("8H1 8S1 8D1 KH1 KS1 KD1 TC1 9C1 2H1", 2, 0, "5C1 6C1 7C1 8C1")
    assert found.cost == 10 + 9  # ten after nine; the two is thrown


def test_jokers_kept_and_at_risk() -> None:
    found = weighed("8H1 8S1 8D1 KH1 KS1 KD1 *1 2C1", 2, 0)
    assert sum(p.faces.count("*") for p in found.parts) == 1  # a joker in a set is safe, one in the hand costs 8 more
    held = weighed("8H1 8S1 8D1 KH1 KS1 KD1 *1 *2 *3 *4 *5 *6 2C1", 2, 0)
    assert [p.faces.count("*") for p in held.parts] == [2, 2]  # so that the other eights and kings can be laid off
    assert held.cost == (8 + 8 + 10 + 10) + 2 * (25 + 8 * 5)
    risk = weighed("5H1 6H1 7H1 *1 2C1", 0, 1)
    assert risk.cost == 4 * 5
    assert risk.open_ends == 2
    assert weighed("5H1 6H1 7H1 *1 2C1", 0, 1, known={"8H": 2, "4H": 1}).cost == 0
    assert weighed("5H1 6H1 7H1 *1 2C1", 0, 1, known={"8H": 2}, decks=3).cost == 4 * 5


def test_ties_go_to_open_ends() -> None:
    found = weighed("JH1 QH1 KH1 *1 2C1", 0, 1)
    assert (found.parts[0].lo, found.open_ends) == (10, 2)


def test_won_jokers_must_be_used() -> None:
    assert weighed("8H1 8S1 8D1 *1 2C1", 1, 0, extra=1).parts[0].faces.count("*") == 1


def test_out_of_budget_there_is_still_the_quick_plan() -> None:
    hand = list(dict.fromkeys([*fresh_pack(8)[-7:], *deal(random.Random(2), 17, seats=8)]))
    wanted = CONTRACTS[5]
    assert not best(hand, wanted.sets, wanted.runs).missing
    few = arrange(shape(hand), wanted.sets, wanted.runs, (), {}, 4, budget=1)
    many = arrange(shape(hand), wanted.sets, wanted.runs, (), {}, 4)
    assert few is not None
    assert many is not None
    assert many.cost <= few.cost


def test_the_budget_bounds_what_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The richest hands have far more ways than are looked at."""
    looked = []
    weigh = arranging._Ways._weigh
    monkeypatch.setattr(arranging._Ways, "_weigh", lambda self: (looked.append(1), weigh(self))[1])
    hand = [*fresh_pack(8)[-7:], *deal(random.Random(1), 17, seats=8)]
    hand = list(dict.fromkeys(hand))
    assert arrange(shape(hand), 3, 0, (), {}, 4) is not None
    assert 1_000 < len(looked) <= 20_001


def test_an_arrangement_costs_no_more_than_the_suggestion() -> None:
    rng, better = random.Random(8), 0
    for _ in range(60):
        deals = rng.randrange(1, 7)
        wanted = CONTRACTS[deals - 1]
        hand = deal(rng, 14, ranks="A789TJ")
        quick, found = best(hand, wanted.sets, wanted.runs), arranged(hand, (), deals, 5, hand)
        assert (found is None) == bool(quick.missing)
        if found is None:
            continue
        s = table(" ".join(hand), *[""] * 4, stock="", deals=deals)
        after = play(s, {"type": "go_down", "melds": [new(m) for m in found.melds or ()]})
        assert after.down[0]
        better += 1
    assert better > 20


def new(meld: Any) -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(meld)
    return made


KEPT = {"kind": "set", "cards": ["8S1", "8H1", "8D1"]}


def test_what_is_kept_is_kept() -> None:
    s = table("8S1 8H1 8D1 8C1 KS1 KH1 KD1 2C1", "2D1", "3D1", stock="")
    found = GAME.arrange(s, Seat(0), [KEPT])
    assert [m.cards for m in found.melds] == [cards("KS1 KH1 KD1")]  # type: ignore[union-attr]
    assert len(GAME.arrange(s, Seat(0)).melds) == 2  # type: ignore[arg-type, union-attr]


@pytest.mark.parametrize(
    "kept",
    [
        [KEPT | {"cards": ["8S1", "8H1", "8D1", "8C1"]}], [KEPT, KEPT], [KEPT | {"cards": ["8S1", "8H1", "8D2"]}],
        [{"kind": "run", "cards": ["8S1", "8H1", "8D1", "8C1"]}], [KEPT | {"cards": ["8S1", "8H1", "KS1"]}],
        [KEPT | {"cards": ["8S1", "8H1", "*1"]}],
    ],
)  # fmt: skip
def test_no_fair_start(kept: Any) -> None:
    s = table("8S1 8H1 8D1 8C1 KS1 KH1 KD1 2C1", "2D1", "3D1", stock="")
    assert GAME.arrange(s, Seat(0), kept) is None


@pytest.mark.parametrize("kept", [None, "x", [1], [{"kind": "set"}], [KEPT | {"low_jokers": "1"}], [KEPT | {"x": 1}],
                                  [{"cards": ["8S1", "8H1", "8D1"]}]])  # fmt: skip
def test_malformed_keeps(kept: Any) -> None:
    with pytest.raises(Illegal) as no:
        GAME.arrange(table("8S1 8H1 8D1 KS1 KH1 KD1 2C1", "2D1", "3D1", stock=""), Seat(0), kept)
    assert no.value.code == "BAD"


def test_an_arrangement_wins_jokers_and_knows_those_kept() -> None:
    s = table("8S1 8H1 6H1 KS1 KH1 KD1 2C1", "2D1", "3D1", stock="", melds=[(1, "4H1 5H1 *1 7H1")])
    found = GAME.arrange(s, Seat(0))
    assert found is not None
    assert [(x.card, x.meld) for x in found.swaps] == [("6H1", 1)]
    kept = GAME.arrange(s, Seat(0), [{"kind": "set", "cards": ["8S1", "8H1", "*1"]}])
    assert kept is not None
    assert [(x.card, x.meld) for x in kept.swaps] == [("6H1", 1)]
    assert [m.cards for m in kept.melds or ()] == [cards("KS1 KH1 KD1")]
    whole = go_down("set 8S1 8H1 *1", "set KS1 KH1 KD1", swaps=[("6H1", 1)])
    assert step(s, whole).state.down[0]


def test_arranging_the_last_hand() -> None:
    text = "3C1 4C1 5C1 6C1 7D1 8D1 9D1 TD1 JD1 JS1 QS1 KS1 AS1"
    s = table(text, "2D1", "3D1", stock="", deals=7)
    found = GAME.arrange(s, Seat(0))
    assert found is not None
    assert sorted(c for r in found.runs or () for c in r.cards) == sorted(text.split())
    rest = GAME.arrange(s, Seat(0), [{"cards": ["JS1", "QS1", "KS1", "AS1"]}])
    assert rest is not None
    assert len(rest.runs or ()) == 2
    assert GAME.arrange(s, Seat(0), [{"cards": ["7D1", "8D1", "9D1", "TD1"]}]) is None


# Hints and leftovers


def test_hints_in_their_places() -> None:
    s = table("8S1 8H1 8D1 KS1 KH1 2C1 3H1", "2D1 8C1", "3D1", stock="4C1", pile="KD1", phase="draw")
    helps = GAME.helps(s, Seat(0))
    assert (helps.missing, helps.could_help, helps.suggest) == (1, True, None)
    s = step(s, {"type": "take"}).state
    found = GAME.helps(s, Seat(0)).suggest
    assert found is not None
    assert GAME.helps(s, Seat(1)).suggest is None
    s = GAME.play(s, Seat(0), found.move, 0, None).state  # type: ignore[arg-type]
    assert GAME.helps(s, Seat(0)).missing is None
    assert GAME.helps(s, Seat(0)).plays == ()


def test_how_close_everyone_came() -> None:
    s = table("9C1", "8S1 8H1 KS1 KH1 KD1", "3D1 4D1", stock="", down=(0, 2))
    s = step(s, discard("9C1")).state
    left = GAME.view(s, None).leftovers
    assert left is not None
    assert [(x.down, x.missing, x.cards) for x in left] == [(True, 0, ()), (False, 1, ()), (True, 0, cards("3D1 4D1"))]
    near_sets = {frozenset(group.cards) for group in left[1].groups}
    assert near_sets == {frozenset({"8S1", "8H1", None}), frozenset({"KS1", "KH1", "KD1"})}
    near = leftover(cards("3C1 4C1 5C1 6C1 7D1 8D1 9D1 TD1 JS1 QS1 KS1 2H1"), False, False, 7)
    assert (near.missing, len(near.groups)) == (1, 3)
    assert sum(group.cards.count(None) for group in near.groups) == 1


def test_every_hand_size_has_answers() -> None:
    """No hint, suggestion or arrangement fails at any size of hand; what is suggested is accepted."""
    rng = random.Random(11)
    for size in range(1, 31):
        for deals in range(1, 8):
            hand = deal(rng, size, seats=8)
            s = table(" ".join(hand), *[""] * 7, stock="", deals=deals)
            helps = GAME.helps(s, Seat(0))
            if helps.suggest is not None:
                GAME.play(s, Seat(0), helps.suggest.move, 0, None)  # type: ignore[arg-type]
            arranged(hand, (), deals, 8, hand, budget=500)
            final_cost(hand)


def test_sets_of_jokers_and_the_rest_of_a_rich_hand() -> None:
    hand = [*fresh_pack(8)[-7:], Card("2H1"), Card("9S1")]
    found = arranged(hand, (), 4, 8, hand)
    assert found is None or len(found.melds or ()) == 3
    s = table(" ".join([*hand, "3C1"]), *[""] * 7, stock="", deals=4)
    suggestion = GAME.helps(s, Seat(0)).suggest
    assert suggestion is not None
    after = GAME.play(s, Seat(0), suggestion.move, 0, None).state  # type: ignore[arg-type]
    assert all(isinstance(m, Set) for m in after.melds)
