"""The lobby over HTTP: open and running tables, as anyone may see them."""

from typing import cast

from litestar import get

from api import schemas
from api.services import Services
from api.wire import Asked, Refused, Reply, doc, number, reply, services
from domain.registry import newest
from projections import lobby
from projections.views import BOT_NAMES, NOBODY

LIMIT = 50  # tables on a page unless asked otherwise

_QUERY = {
    "game": "tables of this game only",
    "phase": "open, cutting or playing; several with commas between",
    "before": "the answer's `before`, for the next page",
    "limit": f"tables on a page, {LIMIT} unless said, at most {lobby.PAGE}",
}


@get("/tables", opt=doc(schemas.Lobby, auth="none", query=_QUERY, refuses=(400, 404)))
async def tables_listed(request: Asked) -> Reply:
    """Open and running tables, newest first. What happens in a hand moves no table."""
    house = services(request)
    asked = request.query_params
    game = newest(asked["game"]).name if "game" in asked else None
    phases = tuple(asked.get("phase", ",".join(lobby.PHASES)).split(","))
    if not set(phases) <= set(lobby.PHASES):
        raise Refused(400, "BAD", f"phase is one or more of {', '.join(lobby.PHASES)}, with commas between.")
    limit = max(1, number(request, "limit", LIMIT, lobby.PAGE))
    before_it = page(asked.get("before"))
    found = await house.pool.ask(
        lambda connection: lobby.listed(
            connection, house.clock(), game=game, phases=cast(tuple[lobby.Phase, ...], phases), before=before_it,
            limit=limit,
        )
    )  # fmt: skip
    last = found[-1] if len(found) == limit else None
    before = f"{last.opened_at}.{last.id}" if last else None
    return reply(schemas.Lobby(tables=await shown(house, found), before=before))


def page(sent: str | None) -> tuple[int, str] | None:
    """The time and id that a page begins after. Raises Refused."""
    if sent is None:
        return None
    at, _, table = sent.partition(".")
    if not (at.isascii() and at.isdigit() and len(at) < 17 and table.isascii() and table.isalnum()):
        raise Refused(400, "BAD", "before is what the page before it gave.")
    return int(at), table


async def shown(house: Services, found: list[lobby.Listing]) -> list[schemas.LobbyTable]:
    """Listings with names in the place of what people are called in the log."""
    whos = {c.who for table in found for c in table.chairs if c and c.kind == "human"}
    names = await house.people.called(whos | {table.host for table in found if table.host})
    return [
        schemas.LobbyTable(
            id=table.id, game=table.game, rules=table.rules, options=table.options, phase=table.phase,
            host=names.get(table.host, NOBODY) if table.host else None, watch_delay=table.watch_delay,
            opened_at=table.opened_at, seats=tuple(_seat(chair, names) for chair in table.chairs),
        )
        for table in found
    ]  # fmt: skip


def _seat(chair: lobby.Chair | None, names: dict[str, str]) -> schemas.LobbySeat | None:
    if chair is None:
        return None
    name = BOT_NAMES[chair.level] if chair.level else names.get(chair.who, NOBODY)
    return schemas.LobbySeat(
        kind=chair.kind, name=name, level=chair.level, cover=chair.cover, left=chair.left
    )


HANDLERS = [tables_listed]
