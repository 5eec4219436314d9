"""The process around the application: uvicorn as this house runs it."""

from collections.abc import Callable

import uvicorn

from api.app import build
from api.gather import Protocol
from replay.settings import Settings
from replay.tables import wall_ms

GRACE_S = 5  # for requests that are being answered when the process is told to stop


def server(settings: Settings, clock: Callable[[], int] = wall_ms) -> uvicorn.Server:
    """A server for `serve(sockets=…)` or `run(sockets=…)`.

    No access log: a feed's address holds its ticket. No compression on sockets, and clients have next to
    nothing to say.
    """
    return uvicorn.Server(
        uvicorn.Config(
            build(settings, clock), loop="uvloop", http=Protocol, ws="websockets-sansio", lifespan="on",
            access_log=False, log_level="warning", server_header=False, ws_per_message_deflate=False, ws_max_size=1024,
            timeout_graceful_shutdown=GRACE_S, timeout_keep_alive=30, proxy_headers=False,
        )
    )  # fmt: skip
