"""RULES.md, "Players, cards and the deal", "The contracts" and "Options"."""

import pytest

from domain.cards import Seat, pack
from domain.contract_rummy.contracts import CONTRACTS, fresh_pack
from domain.contract_rummy.options import Options
from domain.contract_rummy.state import State
from domain.game import Illegal
from tests.contract_rummy.tables import GAME, NOW, READY, chance, discard, step, table, view


def deal(seats: int, name: str = "") -> State:
    state: State = GAME.start(Options(), seats, NOW, chance(name)).state
    return state


@pytest.mark.parametrize(
    ("seats", "decks", "whole", "ten", "twelve"),
    [(3, 2, 106, 75, 69), (4, 2, 107, 66, 58), (5, 3, 160, 109, 99), (6, 3, 161, 100, 88), (7, 4, 214, 143, 129),
     (8, 4, 215, 134, 118)],
)  # fmt: skip
def test_packs_and_stocks(seats: int, decks: int, whole: int, ten: int, twelve: int) -> None:
    s = deal(seats)
    assert len(fresh_pack(seats)) == whole
    assert sorted(c for zone in GAME.zones(s).values() for c in zone) == sorted(pack(decks, seats - 1))
    assert ([len(hand) for hand in s.hands], len(s.stock), len(s.pile)) == ([10] * seats, ten, 1)
    late = table(*[""] * seats, phase="scored", deals=4, stock="", ready=(False, *[True] * (seats - 1)))
    fifth = step(late, READY, 0).state
    assert ([len(hand) for hand in fifth.hands], len(fifth.stock)) == ([12] * seats, twelve)


def test_contracts() -> None:
    assert [(c.sets, c.runs, c.size, c.dealt) for c in CONTRACTS] == [
        (2, 0, 6, 10), (1, 1, 7, 10), (0, 2, 8, 10), (3, 0, 9, 10), (2, 1, 10, 12), (1, 2, 11, 12), (0, 3, 12, 12),
    ]  # fmt: skip


@pytest.mark.parametrize("seats", [0, 2, 9])
def test_three_to_eight_players(seats: int) -> None:
    with pytest.raises(Illegal) as refused:
        GAME.check(Options(), seats)
    assert refused.value.code == "OPTIONS"


def test_the_first_dealer_is_drawn_and_the_deal_passes_on() -> None:
    assert {deal(4, str(i)).dealer for i in range(40)} == {0, 1, 2, 3}
    s = deal(4)
    assert s.turn == (s.dealer + 1) % 4
    assert s.dealer == s.first_dealer
    again = step(table("", "", "", phase="scored", first_dealer=Seat(2), ready=(False, True, True)), READY, 0).state
    assert (again.deals, again.dealer, again.turn) == (2, 0, 1)


def test_the_seat_after_the_dealer_is_dealt_first() -> None:
    s = deal(3)
    whole = chance().stream("deal:1").shuffle(fresh_pack(3))
    order = [(s.dealer + i) % 3 for i in (1, 2, 3)]
    assert [s.hands[seat][0] for seat in order] == [whole[-1], whole[-2], whole[-3]]
    assert s.pile == (whole[-31],)
    assert s.stock == tuple(whole[:-31])


def test_ready_and_the_next_hand() -> None:
    s = table("9C1", "KS1 2D1", "3D1", pile="6D1", down=(0,))
    done = step(s, discard("9C1"))
    s = done.state
    assert done.hand_ended
    assert (s.phase, s.out, s.scores, s.totals) == ("scored", 0, ((0, 12, 3),), (0, 12, 3))
    assert [d.seat for d in GAME.deciding(s)] == [0, 1, 2]
    assert {d.key for d in GAME.deciding(s)} == {"r1"}
    s = step(s, READY, 1).state
    with pytest.raises(Illegal):
        step(s, READY, 1)
    s = step(step(s, READY, 0).state, READY, 2).state
    assert (s.deals, s.phase, s.turns, s.melds, s.down) == (2, "draw", 3, (), (False,) * 3)
    assert view(s, None).contract == CONTRACTS[1]


def test_lowest_total_wins_and_ties_share() -> None:
    """Case C15."""
    s = table("9C1", "2C1", "KS1 5C1", deals=7, turn=Seat(1), totals=(111, 95, 80))
    s = step(s, discard("2C1")).state
    outcome = GAME.outcome(s)
    assert outcome is not None
    assert (outcome.totals, outcome.places, s.winners, s.phase) == ((120, 95, 95), (3, 1, 1), (1, 2), "over")
