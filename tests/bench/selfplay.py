"""Uniformly random self-play, whole games driven from Python, in moves a second of one process."""

import random
import time
from collections.abc import Callable

from domain.chance import Chance, h
from domain.game import Ms
from domain.registry import newest
from tests.bench import Row

SECONDS = 4.0


def rows() -> list[Row]:
    """Michigan Rummy heads-up beside the gin rummy of OpenSpiel and RLCard."""
    ours = _rate(michigan)
    out = []
    for name, play, least in (("OpenSpiel gin_rummy", open_spiel, 1.0), ("RLCard gin-rummy", rlcard, 3.0)):
        try:
            theirs = _rate(play)
        except ImportError:
            print(f"{name} is not installed (make peers)")
            continue
        out.append(Row("random self-play, two seats", ours, "moves/s", name, theirs, least=least))
    return out


def _rate(play: Callable[[random.Random], int]) -> float:
    source = random.Random(1)
    play(source)  # imports and memos are not the game's speed
    moves, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < SECONDS:
        moves += play(source)
    return moves / spent


def michigan(source: random.Random) -> int:
    """One whole game; every move drawn uniformly over `legal`."""
    game = newest("michigan_rummy")
    chance = Chance(h(source.randbytes(8)))
    state = game.start(game.Options(), 2, Ms(0), chance).state
    moves = 0
    while game.outcome(state) is None:
        seat = game.deciding(state)[0].seat
        state = game.play(state, seat, source.choice(list(game.legal(state, seat))), Ms(0), chance).state
        moves += 1
    return moves


def open_spiel(source: random.Random) -> int:
    """One game of OpenSpiel's gin rummy."""
    import pyspiel

    state = pyspiel.load_game("gin_rummy").new_initial_state()
    moves = 0
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(source.choices(actions, weights)[0])
        else:
            state.apply_action(source.choice(state.legal_actions()))
            moves += 1
    return moves


def rlcard(source: random.Random) -> int:
    """One game of RLCard's gin rummy."""
    import rlcard as peer

    env = peer.make("gin-rummy", config={"seed": source.randrange(2**31)})
    state, _ = env.reset()
    moves = 0
    while not env.is_over():
        state, _ = env.step(source.choice(list(state["legal_actions"])))
        moves += 1
    return moves
