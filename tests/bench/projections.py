"""How fast read models are built anew from a log of whole games."""

import asyncio
import tempfile
import time
from pathlib import Path

from bots.arena import Match, play
from deploy.local import Postgres
from projections.engine import projections, schema
from projections.run import rebuild
from replay.log import Log
from replay.notes import Signer
from replay.schema import migrate
from tests.bench import Row

GAMES = 60


def rows() -> list[Row]:
    """Events a second of each projection's rebuild, over games of two easy bots."""
    match = Match(game="michigan_rummy", entries=("easy", "easy"), games=GAMES, seed=5, keep=True)
    games = [play(match, number) for number in range(GAMES)]
    with tempfile.TemporaryDirectory(prefix="faircut-") as folder, Postgres(Path(folder)) as server:
        server.start()
        migrate(server.url, schema())
        log = Log(server.url)
        asyncio.run(_store(log, {game.table: [raw for _, raw in game.entries] for game in games}))
        out = []
        for projection in projections(log, Signer.generate("bench.example/records")):
            start = time.perf_counter()
            count = rebuild(log, projection)
            rate = count / (time.perf_counter() - start)
            out.append(Row(f"rebuild of {projection.name}", rate, "events/s", "asked for", 20_000.0, least=1.0))
        asyncio.run(log.close())
        server.stop(now=True)
    return out


async def _store(log: Log, tables: dict[str, list[bytes]]) -> None:
    await asyncio.gather(*(log.append(table, 1, raws) for table, raws in tables.items()))
