"""Opening live feeds: tickets and sockets."""

import logging
from typing import Any
from urllib.parse import urlsplit

from litestar import WebSocket, post, websocket

from api.feed import Feed
from api.people import TICKET_MS
from api.schemas import Nothing, Ticket
from api.wire import Asked, Reply, doc, header, read, reply, services
from replay.tables import NoSuchTable

log = logging.getLogger(__name__)

NO_TICKET, NO_TALK, AWAY = 4401, 4400, 1013  # close codes: no valid ticket; the client spoke; try again later


@post("/tables/{table_id:str}/tickets", opt=doc(Ticket, body=Nothing, status=201, auth="looked at"))
async def ticket(request: Asked) -> Reply:
    """A single-use ticket for this table's live feed, good for half a minute.

    A watcher needs no token for one.
    """
    house = services(request)
    await read(request, Nothing)
    viewer = await house.viewer(request)
    secret = await house.people.ticket(viewer.person, viewer.live.table.id)
    return reply(Ticket(ticket=secret, expires_in=TICKET_MS // 1000), 201, [(b"cache-control", b"no-store")])


def same_origin(socket: WebSocket[Any, Any, Any]) -> bool:
    """Whether a browser's page of ours opens the socket, or no browser at all."""
    origin = header(socket, b"origin")
    return origin is None or urlsplit(origin).netloc.lower() == (header(socket, b"host") or "").lower()


@websocket("/tables/{table_id:str}/feed")
async def feed(socket: WebSocket[Any, Any, Any]) -> None:
    """The live feed (`ticket`: from POST …/tickets; `seen`: the feed number you know, for the lines since)."""
    if not same_origin(socket):
        await socket.send({"type": "websocket.close", "code": 1008, "reason": ""})  # 403: never accepted
        return
    house = services(socket)
    table_id, sent = socket.path_params["table_id"], socket.query_params.get("seen")
    await socket.accept()
    try:
        granted = await house.people.redeem(socket.query_params.get("ticket", ""), table_id)
        live = await house.table(table_id) if granted else None
    except NoSuchTable:
        live = None
    except Exception as fault:
        log.warning("a feed could not begin: %s", type(fault).__name__)
        await socket.close(AWAY)
        return
    if granted is None or live is None:
        await socket.close(NO_TICKET)
    elif sent is not None and not (sent.isascii() and sent.isdigit() and len(sent) < 16):
        await socket.close(NO_TALK)
    else:
        one = Feed(house.hub, live, granted[0], socket.send_text)
        await _serve(socket, one, int(sent) if sent else None)


async def _serve(socket: WebSocket[Any, Any, Any], one: Feed, since: int | None) -> None:
    one.hub.add(one)
    try:
        await one.begin(since)
        one.look()
        message = await socket.receive()
        if message["type"] != "websocket.disconnect":
            await socket.close(NO_TALK)
    except OSError:
        log.debug("a reader went away")
    finally:
        one.hub.remove(one)


HANDLERS = [ticket, feed]
