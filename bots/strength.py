"""What played games say about strength: win shares, Elo differences with their intervals, decision times."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import log10, sqrt
from typing import Any

from bots.arena import Match, Played

ELO_CAP = 1200.0  # a share so near 0 or 1 that Elo would pass this is shown as this
Z = 1.959964  # two-sided 95 % of the normal distribution


def elo(share: float, seats: int = 2) -> float:
    """Elo difference against the rest of the field of an entry that wins this share of the games, within ±1200.

    The odds of winning are measured against those of an equal among so many seats, so that an equal share gives 0.

    >>> round(elo(0.917)), round(elo(0.25, 4)), elo(1.0)
    (417, 0, 1200.0)
    """
    if share <= 0:
        return -ELO_CAP
    if share >= 1:
        return ELO_CAP
    return max(-ELO_CAP, min(ELO_CAP, 400 * log10(share * (seats - 1) / (1 - share))))


def wilson(share: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share measured over so many games."""
    middle = (share + Z * Z / (2 * games)) / (1 + Z * Z / games)
    half = Z / (1 + Z * Z / games) * sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    return max(0.0, middle - half), min(1.0, middle + half)


def summary(match: Match, played: Sequence[Played]) -> dict[str, Any]:
    """All figures of a match, as `faircut simulate --json` prints them. Results stand in the order of the entries.

    A shared win counts in equal parts. elo_low and elo_high are the ends of Wilson's 95 % interval for the win share,
    turned into Elo. Times are CPU time in ms, without answers to "ready". With more than two seats and more than one
    level there is also `head_to_head`: for each two levels, the share of a game's pairs of such seats in which the
    first named ended before the other (a tie is half), whatever the rest of the table did.
    """
    games = len(played)
    pairs = list(combinations(dict.fromkeys(match.entries), 2)) if len(match.entries) > 2 else []
    return {
        "game": match.game,
        "games": games,
        "seats": len(match.entries),
        "results": [
            _result(level, sum(p.wins[e] for p in played), games, len(match.entries))
            for e, level in enumerate(match.entries)
        ],
        "hands_per_game": round(sum(p.hands for p in played) / games, 3),
        "stalls": sum(p.stalls for p in played),
        "decision_ms": {
            level: _times(t for p in played for t in p.times[level]) for level in dict.fromkeys(match.entries)
        },
    } | ({"head_to_head": [_meeting(match, played, a, b) for a, b in pairs]} if pairs else {})


def _meeting(match: Match, played: Sequence[Played], level: str, against: str) -> dict[str, Any]:
    """How often seats of one level ended before those of another. The interval counts each game once."""
    mine = [e for e, other in enumerate(match.entries) if other == level]
    theirs = [e for e, other in enumerate(match.entries) if other == against]
    games, ahead = len(played), 0.0
    for p in played:
        ahead += sum((p.places[a] < p.places[b]) + (p.places[a] == p.places[b]) / 2 for a in mine for b in theirs)
    share = ahead / (games * len(mine) * len(theirs))
    low, high = wilson(share, games)
    return {
        "level": level,
        "against": against,
        "share": round(share, 4),
        "elo": round(elo(share), 1),
        "elo_low": round(elo(low), 1),
        "elo_high": round(elo(high), 1),
    }


def _result(level: str, wins: float, games: int, seats: int) -> dict[str, Any]:
    share = wins / games
    low, high = wilson(share, games)
    return {
        "level": level,
        "wins": round(wins, 3),
        "win_share": round(share, 4),
        "elo": round(elo(share, seats), 1),
        "elo_low": round(elo(low, seats), 1),
        "elo_high": round(elo(high, seats), 1),
    }


def _times(times: Iterable[int]) -> dict[str, float]:
    """Mean, 99th percentile (nearest rank) and greatest of times in ns, as ms."""
    row = sorted(times) or [0]
    p99 = row[min(len(row) - 1, -(-99 * len(row) // 100) - 1)]
    return {
        "mean": round(sum(row) / len(row) / 1e6, 3),
        "p99": round(p99 / 1e6, 3),
        "max": round(row[-1] / 1e6, 3),
    }
