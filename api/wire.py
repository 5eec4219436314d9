"""Bodies in, answers out: what every resource of the API does the same way.

Bodies are read strictly (a string is no number, an unknown field is refused) and answers are never
compressed: a length that depends on a secret next to what somebody else chose would tell of it.
"""

import asyncio
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec
from litestar import Request
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send

from api.schemas import Nothing, Problem

if TYPE_CHECKING:
    from api.services import Services

Asked: TypeAlias = Request[Any, Any, Any]
T = TypeVar("T")

MAX_BODY = 64 * 1024  # bytes
BODY_S = 10.0  # a body that has not come whole by then is no longer waited for
KEY = re.compile(r"[A-Za-z0-9_-]{8,64}")
JSON = b"application/json"
PROBLEM = b"application/problem+json"
TEXT = b"text/plain; charset=utf-8"

_ALWAYS = [
    (b"cache-control", b"private, no-cache"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]

_encoder = msgspec.json.Encoder()
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


class Refused(Exception):
    """A request that cannot be served: status, code and words for whoever sent it."""

    def __init__(self, status: int, code: str, words: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(code)
        self.status, self.code, self.words, self.headers = status, code, words, headers


_SLOW = Refused(408, "SLOW", "The body did not come in time.", (b"connection", b"close"))
_TOO_LARGE = Refused(413, "TOO_LARGE", "The body is larger than 64 KiB.")


def too_fast(wait_ms: int, words: str) -> Refused:
    """The refusal of somebody who has to wait."""
    return Refused(429, "TOO_FAST", words, (b"retry-after", b"%d" % max(1, -(-wait_ms // 1000))))


class Reply(ASGIResponse):
    """An answer whose bytes are ready: status, headers that every answer has, its own, body."""

    def __init__(
        self, status: int, body: bytes, kind: bytes = JSON, headers: Sequence[tuple[bytes, bytes]] = ()
    ) -> None:
        self.status_code, self.body = status, body
        self._start: list[tuple[bytes, bytes]] = []
        if status != 304:
            self._start += ((b"content-type", kind), (b"content-length", b"%d" % len(body)))
        own = {name for name, _ in headers} if headers else ()
        self._start += [pair for pair in _ALWAYS if pair[0] not in own] if own else _ALWAYS
        self._start += headers

    def plus(self, name: bytes, value: bytes) -> "Reply":
        """This answer with one header more."""
        self._start = [*self._start, (name, value)]
        return self

    def to_asgi_response(self, *_: Any, **__: Any) -> "Reply":
        """What the framework asks of an exception handler's answer."""
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self._start})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


def reply(value: Any, status: int = 200, headers: Sequence[tuple[bytes, bytes]] = ()) -> Reply:
    """An answer in JSON."""
    return Reply(status, _encoder.encode(value), JSON, headers)


def encode(value: Any) -> bytes:
    """JSON as answers and frames have it."""
    return _encoder.encode(value)


def problem(status: int, code: str, words: str, headers: Sequence[tuple[bytes, bytes]] = ()) -> Reply:
    """A refusal as problem details."""
    told = Problem(title=HTTPStatus(status).phrase, status=status, detail=words, code=code)
    return Reply(status, _encoder.encode(told), PROBLEM, headers)


def header(request: Any, name: bytes) -> str | None:
    """A header of a request or socket, by its name in lower case: the first, as text."""
    for key, value in request.scope["headers"]:
        if key == name:
            return str(value, "latin-1")
    return None


async def body(request: Asked) -> bytes:
    """The whole body. Raises Refused once it has more than MAX_BODY bytes or says that it will, or is too slow."""
    said = header(request, b"content-length")
    if said is not None and not (said.isdigit() and int(said) <= MAX_BODY):
        raise _TOO_LARGE
    try:
        async with asyncio.timeout(BODY_S):
            return await _received(request)
    except TimeoutError:
        raise _SLOW from None


async def _received(request: Asked) -> bytes:
    got = b""
    while True:
        message: Any = await request.receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "BAD", "The body broke off.")
        got = got + message["body"] if got else message["body"]
        if len(got) > MAX_BODY:
            raise _TOO_LARGE
        if not message.get("more_body", False):
            return bytes(got)


async def read(request: Asked, kind: type[T]) -> T:
    """The body as one of the API's structs. Raises Refused: 400, 413, 415."""
    raw = await body(request)
    if not raw and kind is Nothing:
        return kind()
    sent = header(request, b"content-type") or ""
    if sent != "application/json" and sent.partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "MEDIA_TYPE", "Send the body as application/json.")
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    try:
        return decoder.decode(raw)  # type: ignore[no-any-return]
    except msgspec.ValidationError as fault:
        raise Refused(400, "BAD", f"The body does not fit: {fault}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Refused(400, "BAD_JSON", "The body is not JSON.") from None


def number(request: Asked, name: str, default: int, most: int) -> int:
    """A number of the query string, 0 to `most`. Raises Refused."""
    sent = request.query_params.get(name)
    if sent is None:
        return default
    if not (sent.isascii() and sent.isdigit()) or len(sent) > 16 or int(sent) > most:
        raise Refused(400, "BAD", f"{name} is a whole number from 0 to {most}.")
    return int(sent)


def seat(request: Asked) -> int:
    """The seat in the path. Raises Refused."""
    sent = request.path_params["seat"]
    if not (sent.isascii() and sent.isdigit()) or len(sent) > 2:
        raise Refused(404, "NO_SUCH_SEAT", "This table has no such seat.")
    return int(sent)


def command(request: Asked, required: bool = True) -> str | None:
    """The Idempotency-Key. Raises Refused if it is malformed, or missing though required."""
    sent = header(request, b"idempotency-key")
    if sent is None and not required:
        return None
    if sent is None or not KEY.fullmatch(sent):
        raise Refused(400, "BAD_KEY", "Send an Idempotency-Key of 8 to 64 letters, digits, _ or -.")
    return sent


def tagged(request: Asked, tag: str, value: Any) -> Reply:
    """An answer with an ETag, or 304 if the asker has it."""
    etag = [(b"etag", f'"{tag}"'.encode())]
    known = header(request, b"if-none-match")
    if known and f'"{tag}"' in [t.strip() for t in known.split(",")]:
        return Reply(304, b"", JSON, etag)
    return reply(value, headers=etag)


def services(request: Any) -> "Services":
    """The services of the app that serves a request or a socket."""
    found: Services = request.app.state["services"]
    return found


class Doc(msgspec.Struct, frozen=True, kw_only=True):
    """What the OpenAPI document says of a resource.

    `auth`: whether it needs a token, or looks at one if there is one.
    """

    answer: Any = None
    body: Any = None
    status: int = 200
    kind: str = "application/json"
    auth: str = "needed"
    query: dict[str, str] = {}
    headers: dict[str, str] = {}
    refuses: tuple[int, ...] = ()


def doc(answer: Any = None, **more: Any) -> dict[str, Any]:
    """`opt` of a route handler: its description."""
    return {"doc": Doc(answer=answer, **more)}
