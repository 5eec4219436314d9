"""What the API is measured beside: the same framework and server; the handler decodes the same body and no more."""

import socket
import sys
from typing import Any

import uvicorn
from litestar import Litestar, post
from msgspec import Struct


class Body(Struct, forbid_unknown_fields=True):
    """As a move's."""

    move: dict[str, Any]
    key: str | None = None


@post("/tables/{table_id:str}/moves", status_code=200)
async def move(table_id: str, data: Body) -> dict[str, bool]:
    """Decode, and that is all."""
    return {"ok": True}


app = Litestar([move], openapi_config=None, logging_config=None)

if __name__ == "__main__":
    config = uvicorn.Config(app, loop="uvloop", http="httptools", access_log=False, log_level="warning")
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
