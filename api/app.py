"""The API as one ASGI application."""

import contextlib
from collections.abc import AsyncIterator, Callable

import psycopg
from litestar import Litestar, get

from api import catalogue, guests, live, lobby, openapi, play, replays, site, tables
from api.errors import answer
from api.schemas import Health
from api.services import Services
from api.wire import Asked, Reply, doc, encode, reply, services
from replay.settings import Settings
from replay.tables import wall_ms


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


def build(settings: Settings, clock: Callable[[], int] = wall_ms) -> Litestar:
    """The application. It opens log, database and bus when it starts, and closes them when it stops."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        async with Services(settings, clock).running() as house:
            app.state["services"] = house
            yield

    rooms = (guests, catalogue, lobby, tables, play, live, replays, site)
    return Litestar(
        route_handlers=[health, schema, *(handler for room in rooms for handler in room.HANDLERS)],
        lifespan=[lifespan],
        exception_handlers={Exception: answer},
        request_max_body_size=None,  # `wire.body` sees to it
        openapi_config=None,
        logging_config=None,
        debug=False,
    )
