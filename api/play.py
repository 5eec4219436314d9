"""Playing: moves, what a seat sees and may do, coming and going, ending early."""

import asyncio
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any

import msgspec
from litestar import get, post

from api.people import QUIET_MS
from api.schemas import (
    ArrangedAnswer,
    CoverBody,
    Done,
    HelpsAnswer,
    Known,
    LegalAnswer,
    Lines,
    MoveBody,
    NoteBody,
    Nothing,
    Offers,
    OffersBody,
    ViewAnswer,
)
from api.services import Viewer
from api.tables import IDEMPOTENCY, act, bots_allowed, host_only, own_seat, tag
from api.telling import Teller
from api.wire import Asked, Refused, Reply, command, doc, number, read, reply, services, tagged
from domain import canon, events
from domain.cards import Card
from domain.game import Illegal, Seat
from domain.table import Table
from projections.views import lines_view, seat_of
from replay import notes
from replay.tables import decisions_for

LEGAL = 200  # legal moves listed at most
KEEP = 4096  # characters of the melds that an arrangement is to keep
_ARRANGING = ThreadPoolExecutor(2, "arranging")  # of its own: hands that take long hold up nobody but each other


@post("/tables/{table_id:str}/moves", opt=doc(Done, body=MoveBody, headers=IDEMPOTENCY, refuses=(403, 404, 409)))
async def move(request: Asked) -> Reply:
    """Make a move.

    The answer comes once it is on the disk; the same key again gets the same answer, and moves nothing.
    """
    house = services(request)
    viewer = await house.viewer(request, look=False)
    key, body = command(request), await read(request, MoveBody)
    assert key is not None
    if viewer.person is None:
        await house.person(request)
    seat, live = _seat(viewer), viewer.live
    canon.check(body.move)
    chair = live.table.chairs[seat]
    if chair and chair.left and (seat, "person", key) not in live.commands:
        raise Illegal("LEFT", "You have left this table: come back first.")
    answer = await house.tables.move(live.table.id, seat, body.move, key=body.key, command=key)
    return reply(await Teller(house).done(live, answer, viewer.who))


def _seat(viewer: Viewer) -> Seat:
    """The seat whose cards the viewer sees. Raises Illegal."""
    if viewer.seat is None:
        raise Illegal("NOT_SEATED", "You do not play at this table.")
    return viewer.seat


@get("/tables/{table_id:str}/view", opt=doc(ViewAnswer, auth="looked at", refuses=(304, 404)))
async def view(request: Asked) -> Reply:
    """The game's own view alone, for your seat or for a watcher.

    It changes with its ETag, and with nothing else.
    """
    house = services(request)
    viewer = await house.viewer(request)
    table = await Teller(house).table(viewer)
    return tagged(request, f"{tag(viewer)}.{table.seen}", ViewAnswer(seen=table.seen, view=table.view))


@get(
    "/tables/{table_id:str}/lines",
    opt=doc(Lines, auth="looked at", query={"since": "a feed number; 0 or none: all lines"}, refuses=(400, 404)),
)
async def lines(request: Asked) -> Reply:
    """The log as you may read it, after a feed number."""
    house = services(request)
    viewer, since = await house.viewer(request), number(request, "since", 0, canon.LIMIT)
    live, seat = viewer.live, viewer.seat
    shown = live.shown(seat, house.clock())
    at = -1 if seat is None else seat
    told = [told for told in live.told[: shown.told] if told.seen[at] > since]
    names = await house.people.names(shown.table)
    return reply(Lines(seen=shown.table.feed(seat), lines=lines_view(shown.table, told, seat, names)))


@get("/tables/{table_id:str}/helps", opt=doc(HelpsAnswer, refuses=(403, 404, 409)))
async def helps(request: Asked) -> Reply:
    """Hints for your own seat, from what it sees."""
    viewer = await services(request).viewer(request)
    seat, table = _seat(viewer), _playing(viewer)
    return reply(HelpsAnswer(seen=table.feed(seat), helps=table.game.helps(table.state, seat)))


@get(
    "/tables/{table_id:str}/arrange",
    opt=doc(ArrangedAnswer, query={"keep": "melds already built, as a JSON list"}, refuses=(400, 403, 404, 409)),
)
async def arrange(request: Asked) -> Reply:
    """A careful way to lay your own hand, worked out on request.

    Only what goes with the melds in `keep` is told; null if they are no fair start, or nothing can be laid.
    """
    viewer = await services(request).viewer(request)
    seat, table = _seat(viewer), _playing(viewer)
    keep = _kept(request.query_params.get("keep", "[]"))
    work = partial(table.game.arrange, table.state, seat, keep)
    found = await asyncio.get_running_loop().run_in_executor(_ARRANGING, work)
    return reply(ArrangedAnswer(seen=table.feed(seat), arranged=found))


def _kept(sent: str) -> Any:
    """The list that a query names. Raises Refused."""
    if len(sent) > KEEP:
        raise Refused(400, "BAD", f"keep has at most {KEEP} characters.")
    try:
        return msgspec.json.decode(sent.encode())
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise Refused(400, "BAD_JSON", "keep is not JSON.") from None


@get("/tables/{table_id:str}/legal", opt=doc(LegalAnswer, refuses=(403, 404, 409)))
async def legal(request: Asked) -> Reply:
    """Moves that your seat may make now."""
    viewer = await services(request).viewer(request)
    seat, table = _seat(viewer), _playing(viewer)
    found = list(islice(table.game.legal(table.state, seat), LEGAL + 1))
    more = len(found) > LEGAL
    return reply(LegalAnswer(seen=table.feed(seat), legal=found[:LEGAL], more=more))


@post("/tables/{table_id:str}/offers", opt=doc(Offers, body=OffersBody, refuses=(400, 403, 404, 409)))
async def offers(request: Asked) -> Reply:
    """What your seat may do with the cards it has picked from its hand, or without any; nothing is changed by asking.

    A move that answers a question goes with the `key` told here; types among the game's `keyless` go without.
    """
    body = await read(request, OffersBody)
    viewer = await services(request).viewer(request)
    seat, table = _seat(viewer), _playing(viewer)
    asked = next((d for d in decisions_for(table, seat) if d.seat == seat), None)
    found = table.game.offers(table.state, seat, [Card(card) for card in body.picked])
    return reply(Offers(seen=table.feed(seat), key=asked.key if asked else None, offers=found))


def _playing(viewer: Viewer) -> Table:
    table = viewer.live.table
    if table.phase != "playing":
        raise Illegal("PHASE", "The game is not being played now.")
    return table


@post("/tables/{table_id:str}/leave", opt=doc(Done, body=Nothing, refuses=(403, 409)))
async def leave(request: Asked) -> Reply:
    """Leave a running game: your seat is away, and the host may let a bot play it.

    Come back whenever you like.
    """
    await read(request, Nothing)
    return await act(request, lambda table, at, who: events.Left(at=at, seat=own_seat(table, who)))


@post("/tables/{table_id:str}/return", opt=doc(Done, body=Nothing, refuses=(403, 409)))
async def come_back(request: Asked) -> Reply:
    """Take your seat back, from a bot if one plays it."""
    await read(request, Nothing)
    return await act(request, lambda table, at, who: events.Returned(at=at, seat=own_seat(table, who)))


@post("/tables/{table_id:str}/hurry", opt=doc(Done, body=Nothing, refuses=(403, 409)))
async def hurry(request: Asked) -> Reply:
    """Start the next hand without waiting for the others (a host who is ready)."""
    await read(request, Nothing)
    return await act(request, lambda table, at, who: events.Hurried(at=at, seat=own_seat(table, who)))


@post("/tables/{table_id:str}/cover", opt=doc(Done, body=CoverBody, refuses=(403, 404, 409)))
async def cover(request: Asked) -> Reply:
    """Let a bot play a seat whose person has left, has not looked at the table for a minute, or is slow (the host).

    Slow is who the game itself names as keeping the table waiting. While the host has not looked for a minute
    either, anyone who plays may.
    """
    house, body = services(request), await read(request, CoverBody)
    live = await house.table(request.path_params["table_id"])
    await house.people.flush()
    quiet = (await house.people.quiet([live.table.id])).get(live.table.id, set())

    def make(table: Table, at: int, who: str | None) -> events.Event:
        _may_cover(table, who, quiet)
        chair = table.chairs[body.seat] if body.seat < len(table.chairs) else None
        slow = table.phase == "playing" and body.seat in table.game.slow(table.state)
        if chair and chair.kind == "human" and not (chair.cover or chair.left or chair.who in quiet or slow):
            raise Illegal("NOT_AWAY", f"They were here less than {QUIET_MS // 1000} seconds ago.")
        return events.Covered(at=at, seat=body.seat, level=body.level)

    return await act(request, make)


def _may_cover(table: Table, who: str | None, quiet: Collection[str]) -> None:
    """Raise Illegal unless this is the host, or somebody who plays there while the host is quiet."""
    bots_allowed(table)
    own, host = seat_of(table, who), table.host
    chair = None if host is None else table.chairs[host]
    if own not in table.people() or (chair.who if chair else table.opened.host) not in quiet:
        host_only(table, who)


@post("/tables/{table_id:str}/agree", opt=doc(Done, body=Nothing, refuses=(403, 409)))
async def agree(request: Asked) -> Reply:
    """Agree to end the game early: once everyone who has not left does, each of them may close it.

    It then counts as nobody's loss.
    """
    await read(request, Nothing)
    return await act(request, lambda table, at, who: events.Agreed(at=at, seat=own_seat(table, who)))


@post("/tables/{table_id:str}/close", opt=doc(Done, body=Nothing, refuses=(403, 409)))
async def close(request: Asked) -> Reply:
    """End the table (the host; or anyone with a seat, once everyone who has not left agrees).

    Its seed is revealed and its record published, as every table's is.
    """
    await read(request, Nothing)

    def make(table: Table, at: int, who: str | None) -> events.Event:
        if not table.unanimous or seat_of(table, who) is None:
            host_only(table, who)
        return events.Closed(at=at, how="agreed" if table.unanimous else "host")

    return await act(request, make)


@post("/tables/{table_id:str}/receipt", opt=doc(Known, body=NoteBody, refuses=(400, 404)))
async def receipt(request: Asked) -> Reply:
    """Show the house a note it signed about this table.

    If the log lacks what the note vouches for, the log is an older copy and the future of the table has
    been seen: the table is closed as `restored`.
    """
    house = services(request)
    await house.person(request)
    body = await read(request, NoteBody)
    table_id = request.path_params["table_id"]
    try:
        note = notes.verify(body.note.encode(), house.signer.keys)
    except notes.NoteError as fault:
        raise Refused(400, "BAD_NOTE", f"That is no note of this house: {fault}.") from None
    if note.id != table_id:
        raise Refused(400, "BAD_NOTE", "That note is about another table.")
    if await house.tables.has(table_id, note.kind, note.digest):
        return reply(Known(known=True))
    await house.tables.act(table_id, lambda _, at: events.Closed(at=at, how="restored"))
    return reply(Known(known=False))


HANDLERS = [move, view, lines, helps, arrange, legal, offers, leave, come_back, hurry, cover, agree, close, receipt]
