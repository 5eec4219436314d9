"""The Contract Rummy bots: legal everywhere, blind to what is hidden, and some plain good sense."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
import pytest

from bots.arena import Match, seed
from bots.contract_odds import Wants, nearest, reach, wants
from bots.levels import Ask, think
from domain.cards import Seat
from domain.chance import Chance
from domain.contract_rummy.contracts import CONTRACTS, fresh_pack
from domain.contract_rummy.faces import FACES, shape
from domain.contract_rummy.plan import best
from domain.contract_rummy.state import State
from domain.events import LEVELS
from domain.positions import set_up
from domain.registry import newest
from tests.bots.asks import NOW, chance
from tests.bots.asks import ask as asked

GAME = newest("contract_rummy")
OPTIONS = GAME.Options()


def ask(state: State, seat: int, level: str, lines: list[dict[str, Any]] | None = None) -> Ask:
    question = asked(GAME, state, OPTIONS, seat, level)
    return msgspec.structs.replace(question, lines=lines or [])


def spread(rng: random.Random, size: int, deals: int, *, seats: int, phase: str, down: bool) -> State:
    """A table of hand `deals` on which seat 0, to move, holds so many cards; melds, pile and the rest at random."""
    cards: list[str] = list(fresh_pack(seats))
    rng.shuffle(cards)
    melds = list(islice(_melds(rng, cards), rng.randint(1, 4))) if deals < 7 else []
    hands = [[cards.pop() for _ in range(size if seat == 0 else rng.randint(1, 12))] for seat in range(seats)]
    pile = [cards.pop() for _ in range(rng.randint(1, 8))]
    named: dict[str, Any] = {
        "seats": seats, "turn": 0, "phase": phase, "deals": deals, "hands": hands, "pile": pile, "stock": cards,
        "melds": [{"owner": rng.randrange(1, seats), "cards": meld} for meld in melds],
        "down": [down, *[bool(melds)] * (seats - 1)],
    }  # fmt: skip
    if phase == "draw":
        named["window"] = {
            "id": 3, "card": pile[-1], "from": seats - 1, "closes": 30_000, "shut": rng.random() < 0.5
        }  # fmt: skip
        named["windows"] = 3
    return set_up(GAME, {}, named)  # type: ignore[no-any-return]


def _melds(rng: random.Random, cards: list[str]) -> Iterator[list[str]]:
    """Sets of three and runs of four, some with a joker inside, taken out of the cards."""
    ranks = "A23456789TJQK"
    for _ in range(40):
        first = rng.choice([c for c in cards if c[0] != "*"])
        if rng.random() < 0.5:
            near = [c for c in cards if c[0] == first[0] and c != first][:2]
        else:
            at = ranks.index(first[0])
            follow = [rank + first[1] for rank in ranks[at + 1 : at + 4]]
            near = [next((c for c in cards if c[:2] == face), "") for face in follow]
            jokers = [c for c in cards if c[0] == "*"]
            if jokers and len(near) == 3 and rng.random() < 0.6:
                near[0] = jokers[0]
            if len(near) < 3:
                continue
        if len(near) >= 2 and all(near):
            meld = [first, *near]
            for card in meld:
                cards.remove(card)
            yield meld


def turn(state: State, level: str, source: Chance) -> list[dict[str, Any]]:
    """Play what is asked of seat 0 until its turn ends: legal moves, each question once, jokers kept."""
    moves: list[dict[str, Any]] = []
    before, number = state.turns, state.deals
    while state.turns == before and state.deals == number and state.phase in ("draw", "play"):
        if not any(d.seat == 0 for d in GAME.deciding(state)):
            break  # it has said that it waits for the stock
        raw = think(ask(state, 0, level))
        moves.append(raw)
        assert len(moves) < 40, "a turn goes on and on"
        if raw["type"] == "discard" and raw["card"][0] == "*":
            assert all(card[0] == "*" for card in state.hands[0]), "a joker went while another card was held"
        state = GAME.play(state, Seat(0), GAME.parse(raw), NOW, source).state
    return moves


@pytest.mark.parametrize("deals", range(1, 8))
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", range(1, 21))
def test_a_turn_is_legal_at_every_size_of_hand(level: str, size: int, deals: int) -> None:
    for case, (seats, phase, down) in enumerate(((3, "draw", False), (5, "play", True), (4, "play", False))):
        rng = random.Random(f"{size} {case} {deals}")
        state = spread(rng, size, deals, seats=seats, phase=phase, down=down and deals < 7)
        moves = turn(state, level, chance(size, case, deals))
        first = {"draw": ("draw", "take", "decline"), "play": ("go_down", "go_out", "lay_off", "swap", "discard")}
        assert moves[0]["type"] in first[phase]


@pytest.mark.parametrize("deals", [2, 6, 7])
@pytest.mark.parametrize("level", LEVELS)
def test_a_rich_hand_is_played_to_the_end_of_the_turn(level: str, deals: int) -> None:
    """All seven jokers of the largest pack in one long hand."""
    naturals = [c for c in fresh_pack(8) if c[0] != "*"]
    random.Random(deals).shuffle(naturals)
    jokers = [f"*{i}" for i in range(1, 8)]
    hands = [[*jokers, *naturals[:17]], *[naturals[24 + i : 25 + i] for i in range(7)]]
    named = {"seats": 8, "turn": 0, "phase": "play", "deals": deals, "hands": hands, "pile": naturals[40:50]}
    state = set_up(GAME, {}, named | {"stock": naturals[50:]})
    moves = turn(state, level, chance("rich", deals))
    assert moves[0]["type"] == ("go_down" if deals < 7 else moves[0]["type"])


def played(level: str, number: int, seats: int = 3, hands: int = 1) -> Iterator[tuple[State, Seat, Ask]]:
    """The states of the first hands between seats of one level, each with a seat that is asked and its question."""
    key = seed(Match(game="contract_rummy", entries=("easy",) * seats, games=1, seed=5), number)
    source = Chance(key, frozenset[str]())
    step = GAME.start(OPTIONS, seats, NOW, source)
    lines: list[dict[str, Any]] = []
    while len(step.state.scores) < hands:
        for line in step.lines:
            lines = [] if line.kind == "dealt" else lines
            lines.append({"kind": line.kind, "seat": line.seat, "data": line.data})
        state = step.state
        seat = min(GAME.deciding(state), key=lambda d: d.kind != "buy").seat
        question = ask(state, seat, level, lines)
        yield state, seat, question
        source = Chance(key, source.spent)
        step = GAME.play(state, seat, GAME.parse(think(question)), NOW, source)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seats", [3, 6])
def test_hidden_cards_change_no_move(level: str, seats: int) -> None:
    for number, (state, seat, told) in enumerate(played(level, 1, seats)):
        other = GAME.redeal(state, seat, chance("redeal", level, seats, number))
        again = ask(other, seat, level, told.lines)
        assert again.view == told.view
        assert think(again) == think(told)


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_question_has_one_answer(level: str) -> None:
    for state, seat, question in played(level, 2, hands=2):
        as_struct = msgspec.structs.replace(question, view=GAME.view(state, seat))
        assert think(question) == think(question) == think(as_struct)


@pytest.mark.parametrize("seats", range(3, 9))
def test_a_hand_of_bots_comes_to_an_end(seats: int) -> None:
    for level in ("easy", "hard"):
        assert 0 < sum(1 for _ in played(level, seats, seats)) < 5_000


def answers(level: str, seat: int = 0, **named: Any) -> dict[str, Any]:
    return think(ask(set_up(GAME, {}, {"seats": 3, "turn": 0, **named}), seat, level))


def buying(card: str, thrower: int = 2) -> dict[str, Any]:
    return {"id": 2, "card": card, "from": thrower, "closes": 30_000}


THREE = {"hands": ["KS1 KD1 4C1 4D1 9H1 8S1", "KH2 KD2 5C1 9D1 3H1", "3D1 4D2 2S1"], "stock": "8H1 9D2 TC1 2C2"}


@pytest.mark.parametrize("level", LEVELS)
def test_the_card_that_makes_a_set_is_taken_and_a_useless_one_is_declined(level: str) -> None:
    for card, move in (("KC1", "take"), ("QC1", "decline")):
        assert answers(level, **THREE, deals=1, pile=f"7H1 {card}", window=buying(card), windows=2) == {"type": move}


@pytest.mark.parametrize("level", LEVELS)
def test_the_card_that_makes_a_set_is_bought_and_a_useless_one_is_not(level: str) -> None:
    for card, move in (("KC1", {"type": "buy", "window": 2}), ("QS1", {"type": "pass"})):
        if level == "easy":  # it looks at every other card only
            found = {
                answers(level, 1, **THREE, deals=1, pile=card, window=buying(card) | {"id": i}, windows=i)["type"]
                for i in (2, 3)
            }
            assert found == ({"buy", "pass"} if move["type"] == "buy" else {"pass"})
        else:
            assert answers(level, 1, **THREE, deals=1, pile=card, window=buying(card), windows=2) == move


@pytest.mark.parametrize("level", LEVELS)
def test_nobody_buys_in_the_last_hand_or_once_down(level: str) -> None:
    for more in ({"deals": 7}, {"deals": 1, "down": [False, True, False]}):
        assert answers(level, 1, **THREE, **more, pile="KC1", window=buying("KC1"), windows=2) == {"type": "pass"}


@pytest.mark.parametrize("level", LEVELS)
def test_a_finished_contract_is_laid_and_three_runs_go_out(level: str) -> None:
    rest = {"pile": "2H1", "stock": "8H1 9D1", "phase": "play"}
    move = answers(level, deals=1, hands=["KS1 KD1 KC1 4S1 4D1 *1 9H1", "3D1", "4D2"], **rest)
    assert move["type"] == "go_down"
    assert sorted(len(meld["cards"]) for meld in move["melds"]) == [3, 3]
    runs = "AS1 2S1 3S1 4S1 5H1 6H1 7H1 8H2 TC1 JC1 QC1 KC1 AC1"
    assert answers(level, deals=7, hands=[runs, "3D1", "4D2"], **rest)["type"] == "go_out"


@pytest.mark.parametrize("level", LEVELS)
def test_once_down_cards_are_laid_off_before_the_discard(level: str) -> None:
    named = {
        "deals": 1, "phase": "play", "hands": ["KS1 4C1 9H1", "3D1", "4D2"], "pile": "2H1", "stock": "8H1 9D1",
        "melds": [{"owner": 1, "cards": "KH1 KD1 KC1"}], "down": [True, True, False],
    }  # fmt: skip
    assert answers(level, **named) == {"type": "lay_off", "plays": ({"card": "KS1", "meld": 1},)}


@pytest.mark.parametrize("level", ["medium", "hard"])
def test_a_card_that_only_a_joker_makes_room_for_is_swapped(level: str) -> None:
    named = {
        "deals": 2, "phase": "play", "hands": ["6H1 4C1 9S1", "3D1", "4D2"], "pile": "2H1", "stock": "8H1 9D1",
        "melds": [{"owner": 1, "cards": "KH1 KD1 KC1"}, {"owner": 1, "cards": "5H1 *1 7H1 8H2"}],
        "down": [True, True, False],
    }  # fmt: skip
    assert answers(level, **named) == {"type": "swap", "card": "6H1", "meld": 2, "to": 1}


def test_hard_does_not_feed_a_player_that_is_about_to_go_out() -> None:
    """The next player is down with one card left, and a king would go straight on the table."""
    named = {
        "deals": 1, "phase": "play", "hands": ["KS1 9C1 4D1 4S1 7H1 8H2", "3D1", "4D2 6D1"], "pile": "2H1",
        "stock": "8H1 9D1 TC1 JC1", "down": [False, True, False],
        "melds": [{"owner": 1, "cards": "KH1 KD1 KC1"}, {"owner": 1, "cards": "2D1 2S1 2C1"}],
    }  # fmt: skip
    assert answers("hard", **named)["card"] != "KS1"


@pytest.mark.parametrize("deals", range(1, 7))
def test_what_is_missing_is_what_the_planner_finds_and_outs_are_what_lowers_it(deals: int) -> None:
    rng = random.Random(deals)
    asks = CONTRACTS[deals - 1]
    for _ in range(25):
        cards = fresh_pack(3)
        rng.shuffle(cards)
        mine = shape(cards[: rng.randint(5, 13)])
        missing, outs = nearest(mine.counts, mine.jokers, wants(deals, 10))
        held = [f for f, n in zip(FACES, mine.counts, strict=True) for _ in range(n)] + ["*"] * mine.jokers
        assert missing == best(held, asks.sets, asks.runs).missing
        if missing:
            better = [best([*held, f], asks.sets, asks.runs).missing < missing for f in FACES]
            assert [bool(outs >> f & 1) for f in range(52)] == better


def test_the_last_hand_asks_for_runs_of_all_cards_and_the_next() -> None:
    assert wants(7, 12) == (Wants(0, (5, 4, 4)),)
    assert {w.size for w in wants(7, 14)} == {15}
    assert [w.size for w in wants(7, 60)] == [39]
    mine = ("3C", "4C", "5C", "6C", "7D", "8D", "9D", "TD", "JS", "QS", "KS", "2H")
    found = reach(shape(mine).counts, Wants(0, (5, 4, 4)))
    assert found.held == 11
    assert {FACES[f] for f in range(52) if found.outs >> f & 1} >= {"AS", "TS", "2C", "7C", "6D", "JD"}
