"""Tables before the first deal: opening, looking, sitting down, bots, starting, cutting."""

import secrets
import zlib
from collections.abc import Callable

from litestar import delete, get, post

from api.schemas import BotBody, CutBody, Done, Nothing, OpenBody, Opening, Seated, SitBody
from api.services import Viewer
from api.telling import Teller
from api.wire import Asked, Reply, command, doc, encode, read, reply, seat, services, tagged
from domain import events
from domain.game import Illegal
from domain.registry import newest
from domain.table import Table
from projections.views import seat_of
from replay.tables import check_options, new_id

Make = Callable[[Table, int, str | None], events.Event]

IDEMPOTENCY = {"Idempotency-Key": "8 to 64 letters, digits, _ or -; repeated by you it repeats the first answer"}


async def act(request: Asked, make: Make, *, admit: bool = False) -> Reply:
    """Decide an event for whoever asks, append it, and tell them what came of it."""
    house = services(request)
    person = await house.person(request)
    live = await house.table(request.path_params["table_id"])
    table_id = live.table.id
    who = await (house.people.admit if admit else house.people.who)(person, table_id)
    answer = await house.tables.act(table_id, lambda table, at: make(table, at, who))
    return reply(await Teller(house).done(live, answer, who))


def host_only(table: Table, who: str | None) -> None:
    """Raise Illegal unless this is the host."""
    if not table.hosted_by(who):
        raise Illegal("NOT_HOST", "Only the host may do that.")


def bots_allowed(table: Table) -> None:
    """Raise Illegal at a table that is people's alone."""
    if not table.game.bots_at(table.opened.seats):
        raise Illegal("PEOPLE_ONLY", "Every seat of this table is for a person.")


def own_seat(table: Table, who: str | None) -> int:
    """The seat that a person holds. Raises Illegal."""
    held = seat_of(table, who)
    if held is None:
        raise Illegal("NOT_SEATED", "You have no seat at this table.")
    return held


@post("/tables", opt=doc(Seated, body=OpenBody, status=201, headers=IDEMPOTENCY, refuses=(400, 404)))
async def open_table(request: Asked) -> Reply:
    """Open a table.

    Its `opened` note signs the commitment to its seed. You are its host: take a seat next.
    """
    house = services(request)
    person = await house.person(request)
    body, key = await read(request, OpenBody), command(request, required=False)
    rules = newest(body.game)
    rules.check(check_options(rules, body.options), body.seats)
    table_id = new_id()
    if key is not None:
        table_id = await house.people.opening(person, key, table_id)
    who = await house.people.admit(person, table_id)
    live = await house.tables.open(
        body.game, body.seats, body.options, host=who, watch_delay=body.watch_delay, table_id=table_id
    )
    viewer = await house.at(live, person, look=True)
    return reply(await Teller(house).seated(viewer), 201, [(b"location", f"/tables/{live.table.id}".encode())])


@get("/tables/{table_id:str}", opt=doc(Seated, auth="looked at", refuses=(304, 404)))
async def look(request: Asked) -> Reply:
    """The table as you may see it.

    Answers 304 to the ETag you have while nothing that you may know has happened.
    """
    house = services(request)
    viewer = await house.viewer(request)
    found = await Teller(house).seated(viewer)
    quiet = "-".join(map(str, found.quiet))
    aside = zlib.crc32(encode([found.next, found.watchers_say, [one and one.name for one in found.table.seats]]))
    return tagged(request, f"{tag(viewer)}.{found.table.seen}.{quiet}.{aside:x}", found)


def tag(viewer: Viewer) -> str:
    """Through whose eyes an answer sees the table."""
    seat = "w" if viewer.seat is None else str(viewer.seat)
    return seat if viewer.covered is None else f"c{viewer.covered}"


@get("/tables/{table_id:str}/opening", opt=doc(Opening, auth="looked at", refuses=(404,)))
async def opening(request: Asked) -> Reply:
    """What to check before you cut: compute d_1 and d_s from the events, compare the notes, find your promise."""
    house = services(request)
    viewer = await house.viewer(request)
    live = viewer.live
    table = live.shown(viewer.seat, house.clock()).table
    entries = (await house.tables.opening(table.id))[: table.version]
    return reply(
        Opening(
            opened=house.notes.note("opened", table.id, table.d_1),
            started=house.notes.note("started", table.id, table.d_s) if table.d_s else None,
            events=[raw.decode() for raw in entries],
        )
    )


@post("/tables/{table_id:str}/seats/{seat:str}", opt=doc(Done, body=SitBody, refuses=(404, 409)))
async def sit(request: Asked) -> Reply:
    """Take a seat.

    Check the `opened` note first, draw 32 random bytes, and promise them to its digest and this seat.
    """
    number, body = seat(request), await read(request, SitBody)

    def make(_: Table, at: int, who: str | None) -> events.Event:
        assert who is not None
        return events.Sat(at=at, seat=number, who=who, kind="human", cut=body.promise)

    return await act(request, make, admit=True)


@delete("/tables/{table_id:str}/seats/{seat:str}", status_code=200, opt=doc(Done, refuses=(403, 409)))
async def stand(request: Asked) -> Reply:
    """Leave your seat again, before the start."""
    number = seat(request)

    def make(table: Table, at: int, who: str | None) -> events.Event:
        if own_seat(table, who) != number:
            raise Illegal("NOT_SEATED", "That is not your seat.")
        return events.Stood(at=at, seat=number)

    return await act(request, make)


@post("/tables/{table_id:str}/bots", opt=doc(Done, body=BotBody, refuses=(403, 404, 409)))
async def add_bot(request: Asked) -> Reply:
    """Sit a bot down (the host)."""
    body = await read(request, BotBody)
    who_bot = f"bot{secrets.token_hex(10)}"

    def make(table: Table, at: int, who: str | None) -> events.Event:
        host_only(table, who)
        bots_allowed(table)
        free = [i for i, chair in enumerate(table.chairs) if chair is None]
        if body.seat is None and not free and table.phase == "open":
            raise Illegal("SEAT_TAKEN", "Every seat is taken.")
        number = (free or [0])[0] if body.seat is None else body.seat
        return events.Sat(at=at, seat=number, who=who_bot, kind="bot", cut=None, level=body.level)

    return await act(request, make)


@delete("/tables/{table_id:str}/bots/{seat:str}", status_code=200, opt=doc(Done, refuses=(403, 404, 409)))
async def remove_bot(request: Asked) -> Reply:
    """Send a bot away, before the start (the host)."""
    number = seat(request)

    def make(table: Table, at: int, who: str | None) -> events.Event:
        host_only(table, who)
        chair = table.chairs[number] if number < len(table.chairs) else None
        if chair is None or chair.kind != "bot":
            raise Illegal("NO_SUCH_SEAT", "No bot sits there.")
        return events.Stood(at=at, seat=number)

    return await act(request, make)


@post("/tables/{table_id:str}/start", opt=doc(Done, body=Nothing, refuses=(403, 409)))
async def start(request: Asked) -> Reply:
    """Close the seats (the host).

    Whoever promised a cut has twenty seconds to open it; then the first hand is dealt.
    """
    await read(request, Nothing)

    def make(table: Table, at: int, who: str | None) -> events.Event:
        host_only(table, who)
        chairs = [chair for chair in table.chairs if chair]
        return events.Started(
            at=at, kinds=tuple(c.kind for c in chairs), cuts=tuple(c.promise for c in chairs)
        )

    return await act(request, make)


@post("/tables/{table_id:str}/cut", opt=doc(Done, body=CutBody, refuses=(403, 409)))
async def cut(request: Asked) -> Reply:
    """Open your cut: only after you hold the signed `started` note, computed its d_s and found your promise in it."""
    body = await read(request, CutBody)

    def make(table: Table, at: int, who: str | None) -> events.Event:
        return events.Cut(at=at, seat=own_seat(table, who), cut=body.cut)

    return await act(request, make)


HANDLERS = [open_table, look, opening, sit, stand, add_bot, remove_bot, start, cut]
