"""Playing again: a table like one that has ended, for the people who were there."""

import secrets

from litestar import post

from api.schemas import Nothing, Seated
from api.services import Services
from api.tables import host_only
from api.telling import Teller
from api.wire import Asked, Reply, doc, read, reply, services
from domain import events
from domain.game import Illegal
from domain.registry import newest
from domain.table import Table
from replay.live import Live
from replay.tables import check_options, new_id

_THERE = ("SEAT_TAKEN", "PHASE", "OVER")  # refusals of a bot that sat down at an earlier try


@post("/tables/{table_id:str}/again", opt=doc(Seated, body=Nothing, status=201, refuses=(400, 403, 404, 409)))
async def again(request: Asked) -> Reply:
    """Open a table like this one, which has ended (the host): the same game, options and delay, the same bots.

    You host it; your seat there and everyone else's is free, to be taken as at any table. Whoever is at the old table
    is told of it as `next`. Asked again, the answer is the same table.
    """
    await read(request, Nothing)
    house = services(request)
    person = await house.person(request)
    live = await house.table(request.path_params["table_id"])
    host_only(live.table, await house.people.who(person, live.table.id))
    if not live.table.ended:
        raise Illegal("NOT_ENDED", "This table has not ended yet.")
    table_id, ready = await _following(house, live.table)
    if ready:
        made = await house.table(table_id)
    else:
        made = await _opened(house, live.table, table_id, await house.people.admit(person, table_id))
        await house.asides.ready(live.table.id)
        await house.link.set_aside(live.table.id)
    viewer = await house.at(made, person, look=True)
    return reply(await Teller(house).seated(viewer), 201, [(b"location", f"/tables/{table_id}".encode())])


async def _following(house: Services, table: Table) -> tuple[str, bool]:
    """The id of the table that follows, and whether it is there. Raises Illegal where there can be none any more."""
    rules = newest(table.opened.game)
    rules.check(check_options(rules, table.opened.options), table.opened.seats)
    return await house.asides.follow(table.id, new_id())


async def _opened(house: Services, old: Table, table_id: str, host: str) -> Live:
    """The table that follows, opened and with its bots, however far an earlier try has come."""
    opened = old.opened
    live = await house.tables.open(
        opened.game, opened.seats, opened.options, host=host, watch_delay=opened.watch_delay, table_id=table_id
    )
    bots = newest(opened.game).bots_at(opened.seats)
    for seat, chair in enumerate(old.chairs):
        if chair and chair.kind == "bot" and bots:
            await _sits(house, table_id, seat, chair.level)
    return live


async def _sits(house: Services, table_id: str, seat: int, level: events.Level | None) -> None:
    who = f"bot{secrets.token_hex(10)}"
    try:
        await house.tables.act(
            table_id, lambda _, at: events.Sat(at=at, seat=seat, who=who, kind="bot", cut=None, level=level)
        )
    except Illegal as refusal:
        if refusal.code not in _THERE:
            raise


HANDLERS = [again]
