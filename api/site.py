"""The page: static files, and a policy under which a browser runs nothing else.

Only these files are ever compressed: they hold nothing of anybody. Each is read, packed and named by its digest once.
"""

import gzip
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from litestar import HttpMethod, route

from api.wire import Asked, Refused, Reply, header

KINDS = {
    "html": b"text/html; charset=utf-8", "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8", "svg": b"image/svg+xml",
    "webmanifest": b"application/manifest+json", "txt": b"text/plain; charset=utf-8",
}  # fmt: skip
FOLDERS = ("", "vendor/")  # of `api/web` that are served
SHELL = "index.html"
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    b"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
PERMISSIONS = (
    b"accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), "
    b"midi=(), payment=(), usb=()"
)
_NEVER = re.compile(r"q\s*=\s*0(\.0*)?")
_ALWAYS = (
    (b"content-security-policy", POLICY),
    (b"permissions-policy", PERMISSIONS),
    (b"cache-control", b"no-cache"),
    (b"vary", b"accept-encoding"),
)


class File(NamedTuple):
    """A file as it is served: its bytes, packed too where that is shorter, and the digest that names them."""

    kind: bytes
    plain: bytes
    packed: bytes | None
    digest: str


@cache
def pages() -> dict[str, File]:
    """All files of the site, by their path below `/web/`."""
    top = files("api.web")
    return {
        f"{folder}{file.name}": _file(file)
        for folder in FOLDERS
        for file in _inside(top / folder if folder else top)
        if file.is_file() and file.name.rpartition(".")[2] in KINDS
    }


def _inside(folder: Traversable) -> Iterator[Traversable]:
    return folder.iterdir() if folder.is_dir() else iter(())


def _file(file: Traversable) -> File:
    plain = file.read_bytes()
    packed = gzip.compress(plain, 9, mtime=0)
    short = len(packed) < len(plain)
    kind = KINDS[file.name.rpartition(".")[2]]
    return File(kind, plain, packed if short else None, hashlib.sha256(plain).hexdigest()[:32])


def page(name: str, request: Asked | None = None) -> Reply:
    """One file of the site as a browser asks for it: packed if it can unpack, 304 if it has it. Raises Refused."""
    file = pages().get(name)
    if file is None:
        raise Refused(404, "NOT_FOUND", "There is nothing here.")
    packed = file.packed if request and unpacks(header(request, b"accept-encoding")) else None
    etag = f'"{file.digest}-gz"' if packed else f'"{file.digest}"'
    headers = [*_ALWAYS, (b"etag", etag.encode())]
    if request and known(header(request, b"if-none-match"), etag):
        return Reply(304, b"", file.kind, headers)
    if packed is None:
        return Reply(200, file.plain, file.kind, headers)
    return Reply(200, packed, file.kind, [*headers, (b"content-encoding", b"gzip")])


def known(sent: str | None, etag: str) -> bool:
    """Whether an If-None-Match names what would be sent."""
    return sent is not None and any(one.strip().removeprefix("W/") in (etag, "*") for one in sent.split(","))


def unpacks(sent: str | None) -> bool:
    """Whether an Accept-Encoding takes gzip: by name, or by `*` if it is not named."""
    takes: dict[str, bool] = {}
    for part in (sent or "").lower().split(","):
        coding, _, weight = (piece.strip() for piece in part.partition(";"))
        takes[coding] = not _NEVER.fullmatch(weight)
    return takes.get("gzip", takes.get("x-gzip", takes.get("*", False)))


_READ = [HttpMethod.GET, HttpMethod.HEAD]


@route(["/", "/play/{table_id:str}", "/learn/{game:str}"], http_method=_READ)
async def shell(request: Asked) -> Reply:
    """The page itself, whose address says what it shows: the lobby, a table to play at, how a game is played."""
    return page(SHELL, request)


@route("/web/{name:str}", http_method=_READ)
async def asset(request: Asked) -> Reply:
    """What the page is made of."""
    return page(request.path_params["name"], request)


@route("/web/vendor/{name:str}", http_method=_READ)
async def vendored(request: Asked) -> Reply:
    """What others have made that the page uses."""
    return page(f"vendor/{request.path_params['name']}", request)


HANDLERS = [shell, asset, vendored]
