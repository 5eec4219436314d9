"""RULES.md, "Hints": what can be laid off, held against every order there is, and what is left to choose."""

import random
from collections.abc import Sequence

import pytest

from domain.cards import RANKS, SUITS, Card, Seat
from domain.contract_rummy.contracts import POINTS, STYLE, fresh_pack
from domain.contract_rummy.layoff import lay_offs
from domain.contract_rummy.shown import Helps
from domain.contract_rummy.state import State
from domain.melds import Meld, Run, extend, fits, laid
from tests.contract_rummy.tables import GAME, cards, lay_off, step, table

Found = tuple[int, int]  # cards and their points


def on_table(rng: random.Random, pack: list[Card]) -> list[list[Card]]:
    """Some sets and runs out of a pack, which loses their cards; every third has a joker inside."""
    found = []
    for _ in range(rng.randrange(1, 6)):
        if rng.random() < 0.4:
            rank = rng.choice(RANKS)
            meld = [c for c in pack if c[0] == rank][:3]
        else:
            suit, size = rng.choice(SUITS), rng.randrange(4, 8)
            lo = rng.randrange(1, 16 - size)
            faces = [RANKS[(p - 1) % 13] + suit for p in range(lo, lo + size)]
            meld = [c for f in faces for c in [c for c in pack if c[:2] == f][:1]]
            if len(set(meld)) < size:
                continue
        jokers = [c for c in pack if c[0] == "*"]
        if jokers and rng.random() < 0.3:
            meld[1] = jokers[0]
        if len(meld) >= 3:
            found.append(meld)
            pack[:] = [c for c in pack if c not in meld]
    return found


def most(hand: Sequence[Card], melds: Sequence[Meld]) -> Found:
    """The most cards that can be laid, and then the most points, by every order that there is."""
    met, best = set(), (0, 0)

    def visit(lying: tuple[Meld, ...], left: tuple[Card, ...], so_far: Found) -> None:
        nonlocal best
        best = max(best, so_far)
        places = tuple((m.lo, m.hi) if isinstance(m, Run) else () for m in lying)
        if (places, left) in met:
            return
        met.add((places, left))
        for card in left:
            rest = tuple(c for c in left if c != card)
            for i, meld in enumerate(lying):
                for end in fits(meld, card, STYLE):
                    grown = extend(meld, card, Seat(0), STYLE, end)
                    now = (so_far[0] + 1, so_far[1] + POINTS[card[0]])
                    visit((*lying[:i], grown, *lying[i + 1 :]), rest, now)

    visit(tuple(melds), tuple(hand), (0, 0))
    return best


def near(rng: random.Random, pack: list[Card], melds: Sequence[Meld]) -> list[Card]:
    """A few cards that might go on the table, at most two jokers among them, and one that is out of the way."""
    suits = {m.suit for m in melds if isinstance(m, Run)}
    ranks = {m.rank for m in melds if not isinstance(m, Run)}
    jokers = [c for c in pack if c[0] == "*"][: rng.randrange(3)]
    some = [c for c in pack if c[0] in ranks or c[1] in suits]
    return [*jokers, *rng.sample(some, min(len(some), rng.randrange(1, 5)))]


def random_table(rng: random.Random) -> tuple[list[Card], list[Meld], list[list[Card]]]:
    pack = fresh_pack(rng.choice([3, 5]))
    texts = on_table(rng, pack)
    melds = [laid(text, STYLE, id=i) for i, text in enumerate(texts, 1)]
    return near(rng, pack, melds), melds, texts


def test_they_are_the_most_cards_and_then_the_most_points() -> None:
    """Of all orders, jokers that bridge a gap included; a card that nothing takes stays for the discard."""
    rng, bridged = random.Random(4), 0
    for _ in range(2_500):
        hand, melds, _ = random_table(rng)
        if not melds:
            continue
        stays = next(c for c in fresh_pack(5) if c[0] != "*" and not any(fits(m, c, STYLE) for m in melds))
        spare = Card(stays[:2] + "9")
        plays = [off.play for off in lay_offs([*hand, spare], melds)]
        if any(play.card == spare for play in plays):
            continue
        assert (len(plays), sum(POINTS[play.card[0]] for play in plays)) == most(hand, melds), (hand, melds)
        bridged += any(play.card[0] == "*" for play in plays[:-1])
    assert bridged > 100


@pytest.mark.parametrize(
    ("hand", "melds", "order"),
    [
        ("9H2 7H2 7H3 *1 AH2 6C2", ["3H1 4H1 5H1 6H1 7H1"], ["*1", "AH2"]),  # 40 points before 34
        ("*1 AH1 5H2 4H1 2D2", ["7H1 8H1 9H1 TH1 JH1 QH1", "JD2 JH2 JS2"], ["*1", "5H2", "4H1"]),
        ("*1 3S2 2S2 7S2 KC2", ["3D2 3S1 3D1", "5S1 6S1 7S1 8S1 9S1 TS1"], ["*1", "3S2", "2S2"]),
    ],
)
def test_a_joker_goes_where_it_brings_on_most(hand: str, melds: list[str], order: list[str]) -> None:
    lying = [laid(cards(text), STYLE, id=i) for i, text in enumerate(melds, 1)]
    assert [off.play.card for off in lay_offs(cards(hand), lying)] == order


def hints(hand: str, *melds: str) -> tuple[State, Helps]:
    s = table(hand, *[""] * 7, stock="", melds=[(1, text) for text in melds], down=(0,))
    return s, GAME.helps(s, Seat(0))


def test_a_place_that_a_play_needs_is_no_choice() -> None:
    """Two equal cards and two places: each place takes one of them, and there is nothing to choose."""
    _, helps = hints("9D1 9D2 KS1", "5D1 6D1 7D1 8D1", "6D2 7D2 8D2 *1 TD2")
    assert [(play.card, play.meld) for play in helps.plays] == [("9D1", 1)]
    _, helps = hints("9D1 9D2 KS1", "5D1 6D1 7D1 8D1", "5D2 6D2 7D2 8D2")
    assert sorted((play.card, play.meld) for play in helps.plays) == [("9D1", 1), ("9D2", 2)]
    assert helps.choose == ()


def test_every_place_to_choose_is_free_once_the_plays_lie() -> None:
    """Hints of random tables: the plays are accepted as they are, and then any place of any choice."""
    rng, chosen = random.Random(8), 0
    for _ in range(1_500):
        hand, _, texts = random_table(rng)
        s, helps = hints(" ".join([*hand, "KS4"]), *map(" ".join, texts))
        given = [(play.card, play.meld, play.end) for play in helps.plays]
        if given:
            step(s, lay_off(*given))
        for choice in helps.choose:
            assert len(choice.spots) > 1
            for spot in choice.spots:
                step(s, lay_off(*given, (choice.card, spot.meld, spot.end)))
                chosen += 1
    assert chosen > 100
