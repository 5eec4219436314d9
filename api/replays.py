"""Tables that have ended, their records, and the keys that their notes are verified with."""

from collections.abc import Mapping

from litestar import get

from api import schemas
from api.lobby import LIMIT, page
from api.services import Services
from api.wire import TEXT, Asked, Refused, Reply, doc, number, reply, services
from domain.registry import newest
from projections import results
from projections.views import BOT_NAMES, NOBODY
from replay import record

_QUERY = {
    "game": "tables of this game only",
    "before": "the answer's `before`, for the next page",
    "limit": f"tables on a page, {LIMIT} unless said, at most {results.PAGE}",
}


@get("/replays", opt=doc(schemas.Replays, auth="none", query=_QUERY, refuses=(400, 404)))
async def replays_listed(request: Asked) -> Reply:
    """Tables that have ended and that anyone may know of, latest first.

    Voided and closed ones are among them.
    """
    house, asked = services(request), request.query_params
    game = newest(asked["game"]).name if "game" in asked else None
    limit = max(1, number(request, "limit", LIMIT, results.PAGE))
    before_it = page(asked.get("before"))
    found = await house.pool.ask(
        lambda connection: results.finished(connection, house.clock(), game=game, before=before_it, limit=limit)
    )
    last = found[-1] if len(found) == limit else None
    before = f"{last.ended_at}.{last.id}" if last else None
    return reply(schemas.Replays(replays=await _shown(house, found), before=before))


async def _shown(house: Services, found: list[results.Result]) -> list[schemas.Replay]:
    whos = {s.who for result in found for s in result.seats if s and s.kind == "human"}
    names = await house.people.called(whos | {result.host for result in found if result.host})
    return [
        schemas.Replay(
            id=r.id, game=r.game, rules=r.rules, options=r.options, how=r.how, places=r.places, totals=r.totals,
            sides=r.sides, host=names.get(r.host, NOBODY) if r.host else None, opened_at=r.opened_at,
            started_at=r.started_at, ended_at=r.ended_at, events=r.events,
            seats=tuple(_seat(sitter, names) for sitter in r.seats),
        )
        for r in found
    ]  # fmt: skip


def _seat(sitter: results.Sitter | None, names: Mapping[str, str]) -> schemas.ReplaySeat | None:
    if sitter is None:
        return None
    name = BOT_NAMES[sitter.level] if sitter.level else names.get(sitter.who, NOBODY)
    return schemas.ReplaySeat(
        kind=sitter.kind, name=name, level=sitter.level, cut=sitter.cut, covered=sitter.covered, left=sitter.left
    )


@get("/replays/{table_id:str}", opt=doc(kind="text/plain", auth="none", refuses=(404,)))
async def replay(request: Asked) -> Reply:
    """The signed record of a table, once it has ended and everyone may see that: a text file to audit offline."""
    house, table_id = services(request), request.path_params["table_id"]
    stored = await house.pool.ask(lambda connection: results.record_of(connection, table_id, house.clock()))
    if stored is None:  # the read model may be a moment late
        live = await house.table(table_id)
        if not live.shown(None, house.clock()).table.revealed:
            raise Refused(404, "NO_SUCH_RECORD", "There is no record of this table yet.")
        stored = record.write(await house.tables.entries(table_id), house.signer)
    return Reply(200, stored, TEXT)


@get("/.well-known/faircut/keys", opt=doc(kind="text/plain", auth="none"))
async def keys(request: Asked) -> Reply:
    """The keys that this house signs notes with: C2SP verifier keys, one a line."""
    return Reply(200, services(request).signer.verifier_line().encode() + b"\n", TEXT)


HANDLERS = [replays_listed, replay, keys]
