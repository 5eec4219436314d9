"""The API as one ASGI application."""

import contextlib
import gc
import re
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import psycopg
from litestar import HttpMethod, Litestar, Request, get, route

from api import again, catalogue, guests, live, lobby, openapi, play, replays, says, site, tables
from api.errors import answer
from api.schemas import Health
from api.services import Services
from api.wire import Asked, Reply, doc, encode, header, reply, services
from replay.log import Unavailable
from replay.settings import Settings
from replay.tables import wall_ms

HEALTH_S = 2.0  # a database that has not answered by then is away
YOUNG = 50_000  # objects made and kept before the collector looks for cycles among them; moves make hardly any


@route("/healthz", http_method=[HttpMethod.GET, HttpMethod.HEAD], opt=doc(Health, auth="none", refuses=(503,)))
async def health(request: Asked) -> Reply:
    """Whether database and bus answer; 503 if one does not. Moves are taken while only the bus is away."""
    house = services(request)
    try:
        await house.pool.ask(lambda connection: connection.execute("SELECT 1"), HEALTH_S)
        database = True
    except (Unavailable, psycopg.Error, OSError):
        database = False
    found = Health(database=database, bus=house.link.up)
    return reply(found, 200 if found.database and found.bus else 503)


@get("/schema", opt=doc(kind="application/json", auth="none"))
async def schema(request: Asked) -> Reply:
    """This API as an OpenAPI 3.1 document."""
    state = request.app.state
    if "document" not in state:
        state["document"] = encode(openapi.document(request.app))
    return Reply(200, state["document"])


class App(Litestar):
    """The framework's application, with a shorter way to what is asked most by far.

    A move in its plain form goes straight to its handler: the framework's own way there costs a tenth of a
    worker's moves a second. The handler, its answers and its refusals are the same on both ways, and every
    other spelling of the request takes the framework's.
    """

    _MOVES = re.compile(r"/tables/([0-9a-z]+)/moves")
    _HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]+)?")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        plain = self._MOVES.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if plain:
            request: Asked = Request(scope, receive, send)
            if self._HOST.fullmatch(header(request, b"host") or ""):
                scope["app"] = scope["litestar_app"] = self
                scope["path_params"] = {"table_id": plain[1]}
                await (await _move(request))(scope, receive, send)
                return
        await super().__call__(scope, receive, send)


async def _move(request: Asked) -> Reply:
    try:
        return await play.move.fn(request)  # type: ignore[no-any-return]
    except Exception as fault:
        return answer(request, fault)  # type: ignore[no-any-return]


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Garbage collection that costs moves little: what the process is made of is left out, the rest seldom seen."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def build(settings: Settings, clock: Callable[[], int] = wall_ms) -> Litestar:
    """The application. It opens log, database and bus when it starts, and closes them when it stops."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        async with Services(settings, clock).running() as house:
            app.state["services"] = house
            with seldom_collected():
                yield

    rooms = (guests, catalogue, lobby, tables, play, again, says, live, replays, site)
    return App(
        route_handlers=[health, schema, *(handler for room in rooms for handler in room.HANDLERS)],
        lifespan=[lifespan],
        exception_handlers={Exception: answer},
        request_max_body_size=None,  # `wire.body` sees to it
        openapi_config=None,
        logging_config=None,
        debug=False,
    )
