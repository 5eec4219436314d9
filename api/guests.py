"""People: guests and who one is."""

from litestar import get, post

from api.people import BadName
from api.recent import Pace
from api.schemas import Guest, GuestBody, Me, NameBody
from api.wire import Asked, Refused, Reply, doc, read, reply, services, too_fast

_RENAMING = Pace(10, 60_000)


@post("/guests", opt=doc(Guest, body=GuestBody, status=201, auth="none"))
async def guest(request: Asked) -> Reply:
    """Become a guest. The answer holds your token, which is kept nowhere else: whoever has it is you."""
    body = await read(request, GuestBody)
    try:
        made = await services(request).people.guest(body.name)
    except BadName as fault:
        raise Refused(400, "BAD_NAME", str(fault)) from None
    answer = Guest(person=made.person.id, name=made.person.name, token=made.token)
    return reply(answer, 201, [(b"cache-control", b"no-store")])


@get("/me", opt=doc(Me))
async def me(request: Asked) -> Reply:
    """Who your token stands for."""
    person = await services(request).person(request)
    return reply(Me(person=person.id, name=person.name, guest=person.guest))


@post("/me", status_code=200, opt=doc(Me, body=NameBody, refuses=(400, 429)))
async def rename(request: Asked) -> Reply:
    """Be called otherwise, at the tables where you sit as well. Nothing that the log or a record holds names you."""
    house, body = services(request), await read(request, NameBody)
    person = await house.person(request)
    if wait := _RENAMING.wait([person.id], house.clock()):
        raise too_fast(wait, "You change your name too often: wait a little.")
    try:
        made = await house.people.rename(person, body.name)
    except BadName as fault:
        raise Refused(400, "BAD_NAME", str(fault)) from None
    _RENAMING.count([person.id], house.clock())
    await house.link.renamed(person.id)
    return reply(Me(person=made.id, name=made.name, guest=made.guest))


HANDLERS = [guest, me, rename]
