"""People: guests and who one is."""

from litestar import get, post

from api.people import BadName
from api.schemas import Guest, GuestBody, Me
from api.wire import Asked, Refused, Reply, doc, read, reply, services


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


HANDLERS = [guest, me]
