"""From exceptions to problem details: a code and words, never a traceback or anything from inside."""

import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import psycopg
import psycopg_pool
from litestar.exceptions import HTTPException

from api.wire import Asked, Refused, Reply, problem
from domain.canon import NotCanonical
from domain.game import Illegal
from replay.log import Unavailable

log = logging.getLogger(__name__)

STATUS = {  # of refusals by code; every other one is a conflict with how the table stands: 409
    "BAD": 400, "OPTIONS": 400, "NO_SUCH_TABLE": 404, "NO_SUCH_GAME": 404, "NO_SUCH_SEAT": 404, "NO_SUCH_RECORD": 404,
    "NO_SUCH_HELP": 404,
    "NOT_SEATED": 403, "NOT_HOST": 403, "BUSY": 503,
}  # fmt: skip
AGAIN = (b"retry-after", b"1")

_WORDS = {
    400: ("BAD", "The request is malformed."),
    404: ("NOT_FOUND", "There is nothing here."),
    405: ("METHOD", "This resource does not know that method."),
    413: ("TOO_LARGE", "The body is larger than 64 KiB."),
    415: ("MEDIA_TYPE", "Send the body as application/json."),
}


def refused(_: Asked, fault: Refused) -> Reply:
    """A request that a resource turned down."""
    return problem(fault.status, fault.code, fault.words, fault.headers)


def illegal(_: Asked, fault: Illegal) -> Reply:
    """A refusal by the rules of a game or of a table's life."""
    status = STATUS.get(fault.code, 409)
    return problem(status, fault.code, fault.words, [AGAIN] if status == 503 else ())


def malformed(_: Asked, __: NotCanonical) -> Reply:
    """Text that no event may hold."""
    return problem(400, "BAD", "Text in a move is plain ASCII without quotes and backslashes.")


def unavailable(_: Asked, __: Exception) -> Reply:
    """The database does not answer: the same request may be sent again."""
    return problem(503, "UNAVAILABLE", "The house cannot store anything just now: try again.", [AGAIN])


def http(_: Asked, fault: HTTPException) -> Reply:
    """What the framework itself turns down. Its own words are not passed on."""
    status = fault.status_code if 400 <= fault.status_code < 500 else 500
    if status == 500:
        return unexpected(_, fault)
    code, words = _WORDS.get(status, (HTTPStatus(status).name, HTTPStatus(status).phrase + "."))
    return problem(status, code, words)


def unexpected(_: Asked, fault: Exception) -> Reply:
    """A bug of ours.

    The log gets the places it passed, not its message, which might hold what nobody may see.
    """
    places, at = [], fault.__traceback__
    while at is not None:
        places.append(f"{at.tb_frame.f_code.co_filename.rpartition('/')[2]}:{at.tb_lineno}")
        at = at.tb_next
    log.error("unexpected %s at %s", type(fault).__name__, " > ".join(places))
    return problem(500, "INTERNAL", "Something went wrong here. It has been noted.")


_KINDS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], Callable[[Any, Any], Reply]], ...] = (
    (Refused, refused),
    (Illegal, illegal),
    (NotCanonical, malformed),
    ((Unavailable, psycopg.OperationalError, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed), unavailable),
    (HTTPException, http),
    (Exception, unexpected),
)


def answer(request: Asked, fault: Exception) -> Any:
    """The answer (a Reply) to a request that ended in an exception, whatever it was."""
    return next(make(request, fault) for kinds, make in _KINDS if isinstance(fault, kinds))
