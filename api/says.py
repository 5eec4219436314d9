"""Talking at a table: short texts and emotes, passed on to everybody there and kept nowhere."""

import secrets

from litestar import post

from api.link import Away
from api.people import Person
from api.schemas import SaysBody, SaysFrame, Seated, WatchersBody
from api.services import Services
from api.tables import host_only
from api.talk import BadText, Said, clean_text
from api.telling import Teller
from api.wire import Asked, Refused, Reply, doc, read, reply, services, too_fast
from domain.game import Seat
from projections.views import seat_of
from replay.live import Live

_AWAY = Refused(503, "BUS_AWAY", "Nobody may have heard that: try again in a moment.", (b"retry-after", b"2"))


@post("/tables/{table_id:str}/says", opt=doc(SaysFrame, body=SaysBody, status=201, refuses=(400, 403, 404, 429)))
async def says(request: Asked) -> Reply:
    """Say something at a table: whoever has a seat or hosts it may, watchers if the host lets them.

    Everybody at the table hears it, watchers who see late hear late what seats say. Nothing of it is stored.
    """
    house, body = services(request), await read(request, SaysBody)
    person = await house.person(request)
    if (body.text is None) == (body.emote is None):
        raise Refused(400, "BAD", "Send a text or an emote, one of the two.")
    try:
        text = None if body.text is None else clean_text(body.text)
    except BadText as fault:
        raise Refused(400, "BAD_TEXT", str(fault)) from None
    live = await house.table(request.path_params["table_id"])
    who, seat = await _speaker(house, live, person)
    if not house.link.up:
        raise _AWAY
    now, pace, keys = house.clock(), house.hub.talk.pace, (person.id, who)
    if wait := pace.wait(keys, now):
        raise too_fast(wait, "You talk too fast: wait a few seconds.")
    pace.count(keys, now)
    said = Said(
        id=secrets.token_hex(8), who=who, seat=seat, name=person.name, text=text, emote=body.emote, at=now,
        watch_at=now + _late(live, seat, now),
    )  # fmt: skip
    try:
        await house.link.say(live.table.id, said)
    except Away:
        raise _AWAY from None
    return reply(said.frame(), 201)


async def _speaker(house: Services, live: Live, person: Person) -> tuple[str, Seat | None]:
    """Under which name a person speaks at a table, and from which seat. Raises Refused."""
    who = await house.people.who(person, live.table.id)
    seat = seat_of(live.table, who)
    if seat is None and not live.table.hosted_by(who) and not (await house.asides.of(live.table.id)).watchers_say:
        raise Refused(403, "WATCHERS_QUIET", "Only those who sit at this table may talk here.")
    return who or await house.people.admit(person, live.table.id), seat


def _late(live: Live, seat: Seat | None, now: int) -> int:
    """By how many ms watchers hear something late: a seat knows what they are not shown yet."""
    if seat is None or live.table.d_s is None or live.shown(None, now).table.ended:
        return 0
    return live.table.opened.watch_delay


@post("/tables/{table_id:str}/says/watchers", status_code=200, opt=doc(Seated, body=WatchersBody, refuses=(403, 404)))
async def watchers(request: Asked) -> Reply:
    """Let watchers talk at the table, or no longer (the host). At first they may not."""
    house, body = services(request), await read(request, WatchersBody)
    person = await house.person(request)
    live = await house.table(request.path_params["table_id"])
    viewer = await house.at(live, person, look=True)
    host_only(live.table, viewer.who)
    await house.asides.let_watchers_say(live.table.id, body.allowed)
    await house.link.set_aside(live.table.id)
    return reply(await Teller(house).seated(viewer))


HANDLERS = [says, watchers]
