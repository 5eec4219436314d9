"""An offline audit of finished games, per 1,000 events."""

import time

from bots.arena import Match, play
from replay.audit import audit
from replay.notes import Signer
from replay.record import write
from tests.bench import Row, percentile

GAMES = 12


def rows() -> list[Row]:
    """Median time to audit a game of two easy bots, scaled to 1,000 events."""
    signer = Signer.generate("bench.example/records")
    times = []
    for number in range(GAMES):
        match = Match(game="michigan_rummy", entries=("easy", "easy"), games=GAMES, seed=1, keep=True)
        entries = play(match, number).entries
        data = write(entries, signer)
        start = time.perf_counter()
        report = audit(data, signer.keys)
        spent = time.perf_counter() - start
        assert report.exit == 0, "a game of our own did not verify"
        times.append(1000 * spent * 1000 / len(entries))
    return [Row("audit of 1,000 events", percentile(times, 0.5), "ms", most=50)]
