"""The list of legal moves: nothing missing of one part, nothing in it that is refused."""

import random
from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.cards import Card, Seat, pack
from domain.game import Illegal
from domain.melds import Run
from domain.michigan_rummy.legal import legal
from domain.michigan_rummy.options import Options
from domain.michigan_rummy.state import Discard, Draw, Lay, Move, NewMeld, Play, Ready, State, Take
from tests.michigan_rummy.tables import GAME, NOW, OUT, chance, discard, draw, play, ready, step, table, take


def try_out(s: State, seat: Seat, move: Move) -> State | None:
    """The table after a move, None if it is refused."""
    try:
        after: State = GAME.play(s, seat, move, NOW, chance()).state
    except Illegal:
        return None
    return after


def one_part(s: State, seat: Seat) -> Iterator[Move]:
    """Every move of one part that could be thought of for a seat."""
    hand = s.hands[seat]
    yield Draw()
    yield Ready()
    yield from (Take(at) for at in range(-1, len(s.pile) + 1))
    yield from (Discard(card) for card in hand)
    for n in range(1, len(hand) + 1):
        for some in combinations(hand, n):
            jokers = sum(c[0] == "*" for c in some)
            yield from (Lay(melds=(NewMeld(some, None, low),)) for low in range(jokers + 1))
    for card in hand:
        for meld in s.melds:
            yield from (Lay(plays=(Play(card, meld.id, end),)) for end in ("low", "high", None))


def outcomes(s: State, seat: Seat, moves: Iterator[Move]) -> set[str]:
    """What the tables after these moves look like, as far as they are told apart by what lies where."""
    found = set()
    for move in moves:
        after = try_out(s, seat, move)
        if after is not None:
            found.add(picture(after))
    return found


def picture(s: State) -> str:
    runs = [(m.id, m.lo, m.cards) if isinstance(m, Run) else (m.id, sorted(m.cards)) for m in s.melds]
    return repr((s.phase, s.turn, [sorted(hand) for hand in s.hands], s.pile, s.stock, runs, s.ready))


def complete(s: State) -> None:
    """Hold the list of the seat on turn against everything that it could try."""
    moves = legal(s, s.turn)
    tables = [try_out(s, s.turn, move) for move in moves]
    assert None not in tables
    assert len(moves) == len(set(moves))
    tried = outcomes(s, s.turn, one_part(s, s.turn))
    if s.must is not None and not tried:
        assert len(moves) == 1  # the compound way
    else:
        assert {picture(after) for after in tables if after is not None} == tried


DENSE = [c for c in pack(2, 2) if c[0] in "*A2345KQ" and c[1] in "SH12"]
MELDS = [
    [],
    [(1, "9S2 TS2 JS2")],
    [(1, "2H2 3H2 4H2"), (0, "KD1 KC2 KD2")],
    [(1, "2S2 3S2 *4"), (1, "AD1 AC1 AD2")],
    [(0, "2H2 3H2 4H2 5H2 6H1 7H1 8H1 9H1 TH1 JH1 QH2 KH2")],
]


@settings(deadline=None, max_examples=60)
@given(
    st.permutations(DENSE), st.integers(1, 7), st.integers(1, 5), st.sampled_from(MELDS), st.booleans(),
    st.sampled_from(["draw", "play"]),
)  # fmt: skip
def test_nothing_is_missing(
    order: list[Card], size: int, deep: int, melds: list[tuple[int, str]], out: bool, phase: str
) -> None:
    lying = {c for _, text in melds for c in text.split()}
    free = [c for c in order if c not in lying]
    hand, pile, other = free[:size], free[size : size + deep], free[size + deep :]
    s = table(
        " ".join(hand), " ".join(other), stock="7C1 8C1", pile=" ".join(pile), melds=melds, phase=phase,
        options=OUT if out else Options(),
    )  # fmt: skip
    complete(s)
    for move in legal(s, Seat(0)):
        if isinstance(move, Take) and move.at < len(pile) - 1:
            complete(play(s, take(move.at)))


class TestByHand:
    def test_a_draw_or_a_take(self) -> None:
        s = table("6H1 6S1", "2H1", pile="KS1 6D1 JC1", phase="draw")
        assert legal(s, Seat(0)) == [Draw(), Take(1), Take(2)]
        assert legal(s, Seat(1)) == []

    def test_a_stock_that_is_dry(self) -> None:
        s = table("6H1 6S1", "2H1", stock="", pile="KS1", phase="draw")
        assert legal(s, Seat(0)) == [Take(0)]

    def test_a_dig_that_takes_several_parts(self) -> None:
        s = table("8H1 KD1", "2S1", pile="9H1 2C1", melds=[(1, "5H1 6H1 7H1")], phase="draw")
        (only,) = legal(play(s, take(0)), Seat(0))
        assert only == Lay(plays=(Play(Card("8H1"), 0, "high"), Play(Card("9H1"), 0, "high")))

    def test_only_moves_with_the_card_that_must_be_melded(self) -> None:
        s = play(table("6H1 6S1 6C1 KS1 KD1 KC1", "2H1", pile="6D1 JC1", phase="draw"), take(0))
        moves = legal(s, Seat(0))
        assert len(moves) == 4  # the set of four and the three of three that have the six of diamonds
        assert all(isinstance(m, Lay) and "6D1" in m.melds[0].cards for m in moves)

    def test_thirteen_hearts(self) -> None:
        hand = "AH1 2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1"
        kept = legal(table(hand, "2C1", options=OUT), Seat(0))
        free = legal(table(hand, "2C1"), Seat(0))
        assert len(free) == 76 + 13
        assert len(kept) == 75 + 13

    def test_between_hands(self) -> None:
        s = play(table("KS1", "2C1"), discard("KS1"))
        assert legal(s, Seat(0)) == legal(s, Seat(1)) == [Ready()]
        assert legal(step(s, ready(), 0).state, Seat(0)) == []

    def test_after_the_game(self) -> None:
        s = play(table("KS1", "2C1", totals=(600, 0)), discard("KS1"))
        assert legal(s, Seat(0)) == legal(s, Seat(1)) == []


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("options", [Options(), OUT, Options(target=300)])
def test_whole_games(seats: int, options: Options) -> None:
    """Random games: cards are never lost, sums hold, only legal moves are listed, the fallback is possible."""
    luck, source = chance(f"{seats}{options}"), random.Random(seats)
    s: State = GAME.start(options, seats, NOW, luck).state
    whole = sorted(c for zone in GAME.zones(s).values() for c in zone)
    moves = hands = 0
    while GAME.outcome(s) is None and moves < 1_500:
        seat = GAME.deciding(s)[0].seat
        assert try_out(s, seat, GAME.fallback(s, seat)) is not None
        made = GAME.play(s, seat, source.choice(legal(s, seat)), NOW, luck)
        s, moves, hands = made.state, moves + 1, hands + made.hand_ended
        assert sorted(c for zone in GAME.zones(s).values() for c in zone) == whole
        assert s.totals == tuple(sum(row[i] for row in s.scores) for i in range(seats))
        assert len(s.scores) == hands
        assert [m.id for m in s.melds] == list(range(s.next_id))
        assert all(len(m.by) == len(m.cards) for m in s.melds)
        assert all(set(known) <= set(hand) for known, hand in zip(s.known, s.hands, strict=True))
        assert s.must is None or (s.phase == "play" and s.must in s.hands[s.turn])
        assert GAME.place(options, GAME.position(s)) == s


@pytest.mark.parametrize("seats", [2, 5])
def test_a_table_of_fallbacks_comes_to_an_end(seats: int) -> None:
    luck = chance("fallback")
    s: State = GAME.start(Options(), seats, NOW, luck).state
    hands, most = 0, 0
    while GAME.outcome(s) is None:
        seat = GAME.deciding(s)[0].seat
        made = GAME.play(s, seat, GAME.fallback(s, seat), NOW, luck)
        s, hands = made.state, hands + made.hand_ended
        most = max(most, s.stalled)
    assert (hands, len(s.scores)) == (200, 200)
    assert most == 20 * seats
    assert s.winners


def test_a_move_by_hand_is_the_move_that_is_listed() -> None:
    s = table("KS1", "2H1", pile="9D1", phase="draw")
    assert GAME.parse(draw()) in legal(s, Seat(0))
