"""The page at `/`: a few static files, and a policy under which a browser runs nothing else."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from litestar import get

from api.wire import Asked, Refused, Reply

KINDS = {
    "html": b"text/html; charset=utf-8", "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8", "svg": b"image/svg+xml",
}  # fmt: skip
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@cache
def pages() -> dict[str, bytes]:
    """All files of the site, by name."""
    return {
        file.name: file.read_bytes()
        for file in files("api.web").iterdir()
        if file.is_file() and file.name.rpartition(".")[2] in KINDS
    }


def page(name: str) -> Reply:
    """One file of the site. Raises Refused."""
    body = pages().get(name)
    if body is None:
        raise Refused(404, "NOT_FOUND", "There is nothing here.")
    return Reply(200, body, KINDS[name.rpartition(".")[2]], list(_headers()))


def _headers() -> Iterator[tuple[bytes, bytes]]:
    yield b"content-security-policy", POLICY
    yield b"cache-control", b"no-cache"


@get("/")
async def front(request: Asked) -> Reply:
    """The front page."""
    return page("index.html")


@get("/web/{name:str}")
async def asset(request: Asked) -> Reply:
    """What the page is made of."""
    return page(request.path_params["name"])


HANDLERS = [front, asset]
