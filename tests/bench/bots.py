"""How long a bot thinks over a move: CPU time of one core, whole games heads-up."""

from bots.arena import Match, play
from tests.bench import Row, percentile

GAMES = 6
BUDGET = {"easy": (3, 50), "medium": (3, 50), "hard": (30, 200)}  # ms: mean, longest


def rows() -> list[Row]:
    """Mean, 99th percentile and longest decision of each level, in ms."""
    times: dict[str, list[float]] = {}
    for entries in (("medium", "easy"), ("hard", "medium")):
        for number in range(GAMES):
            played = play(Match(game="michigan_rummy", entries=entries, games=GAMES, seed=3), number)
            for level, nanoseconds in played.times.items():
                times.setdefault(level, []).extend(ns / 1e6 for ns in nanoseconds)
    out = []
    for level, spent in sorted(times.items()):
        mean, longest = BUDGET[level]
        out.append(Row(f"{level} bot's decision, mean", sum(spent) / len(spent), "ms", most=mean))
        out.append(Row(f"{level} bot's decision, p99", percentile(spent, 0.99), "ms"))
        out.append(Row(f"{level} bot's decision, longest", max(spent), "ms", most=longest))
    return out
