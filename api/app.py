"""The API as one ASGI application."""

import contextlib
import gc
import re
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import psycopg
from litestar import Litestar, Request, get

from api import catalogue, guests, live, lobby, openapi, play, replays, site, tables
from api.errors import answer
from api.schemas import Health
from api.services import Services
from api.wire import Asked, Reply, doc, encode, header, reply, services
from replay.settings import Settings
from replay.tables import wall_ms

YOUNG = 50_000  # objects made and kept before the collector looks for cycles among them; moves make hardly any


@get("/healthz", opt=doc(Health, auth="none", refuses=(503,)))
async def health(request: Asked) -> Reply:
    """Whether database and bus answer; 503 if one does not. Moves are taken while only the bus is away."""
    house = services(request)
    try:
        async with house.pool.connection(timeout=2) as connection:
            await connection.execute("SELECT 1")
        database = True
    except (psycopg.Error, OSError):
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
        if plain is None:
            await super().__call__(scope, receive, send)
            return
        scope["app"] = scope["litestar_app"] = self
        scope["path_params"] = {"table_id": plain[1]}
        request: Asked = Request(scope, receive, send)
        if not self._HOST.fullmatch(header(request, b"host") or ""):
            await super().__call__(scope, receive, send)
            return
        try:
            told = await play.move.fn(request)
        except Exception as fault:
            told = answer(request, fault)
        await told(scope, receive, send)


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Garbage collection that costs moves little: what the process is made of is left out, the rest seldom looked at."""
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

    rooms = (guests, catalogue, lobby, tables, play, live, replays, site)
    return App(
        route_handlers=[health, schema, *(handler for room in rooms for handler in room.HANDLERS)],
        lifespan=[lifespan],
        exception_handlers={Exception: answer},
        request_max_body_size=None,  # `wire.body` sees to it
        openapi_config=None,
        logging_config=None,
        debug=False,
    )
