"""The API as an OpenAPI 3.1 document, made of the route handlers and of the types they take and give.

Schemas are msgspec's own, which is also what decodes and encodes, so the document cannot say anything
else than what is served. Each game's types stand under its name: `michigan_rummy.Move`,
`michigan_rummy.View` and so on.
"""

from collections.abc import Callable, Iterator
from http import HTTPStatus
from importlib.metadata import version
from inspect import getdoc
from typing import Any, TypeAlias

import msgspec
from litestar import Litestar
from litestar.routes import HTTPRoute

from api import schemas
from api.catalogue import parts
from api.wire import Doc
from domain.registry import GAMES, newest

ABOUT = """\
Rummy tables that anyone can audit. Make a guest with `POST /guests` and send its token as `Authorization: Bearer …`.

A move names the `key` of the decision it answers (in the table's `deciding`) and bears an `Idempotency-Key`: the same
key again gets the same answer and moves nothing. What you may know of is counted by `seen`.

Live: `POST /tables/{table_id}/tickets`, then open the WebSocket `/tables/{table_id}/feed?ticket=…&seen=N`. It sends
`StateFrame`, `SaysFrame` and `BeatFrame`, padded with spaces to a multiple of 256 bytes, and closes with 4401 for a
ticket that is none. Nothing is to be sent on it."""

Make: TypeAlias = Callable[..., Any]  # what makes an answer, by whose name and words it is described

_PATH = {
    "table_id": {"type": "string", "pattern": "^[0-9a-z]{16,32}$"},
    "seat": {"type": "integer", "minimum": 0, "maximum": 63},
    "name": {"type": "string", "enum": sorted(GAMES)},
}
_TEXT = {"type": "string"}


def document(app: Litestar) -> dict[str, Any]:
    """The document of an app."""
    routes = list(_routes(app))
    types = [schemas.Problem, schemas.StateFrame, schemas.BeatFrame, schemas.SaysFrame]
    types += [t for _, _, _, doc in routes for t in (doc.body, doc.answer) if t is not None]
    components = _components(types)
    paths: dict[str, dict[str, Any]] = {}
    for path, method, make, doc in routes:
        paths.setdefault(path, {})[method.lower()] = _operation(path, make, doc)
    for name in GAMES:
        components |= game_components(name)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Faircut", "version": version("faircut"), "description": ABOUT, "license": {
            "name": "Apache-2.0", "identifier": "Apache-2.0"}},
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }  # fmt: skip


def game_components(name: str) -> dict[str, Any]:
    """Schemas of a game's types, by their names in the document."""
    types = parts(newest(name))
    found, named = msgspec.json.schema_components(types.values(), ref_template=f"#/components/schemas/{name}.{{name}}")
    out = {f"{name}.{key}": value for key, value in named.items()}
    for p, schema in zip(types, found, strict=True):
        out.setdefault(f"{name}.{p.capitalize()}", schema)
    return out


def _components(types: list[Any]) -> dict[str, Any]:
    unique = list(dict.fromkeys(types))
    _, named = msgspec.json.schema_components(unique, ref_template="#/components/schemas/{name}")
    return dict(named)


def _routes(app: Litestar) -> Iterator[tuple[str, str, Make, Doc]]:
    for route in app.routes:
        if not isinstance(route, HTTPRoute):
            continue
        for handler in route.route_handlers:
            doc = handler.opt.get("doc")
            if isinstance(doc, Doc):
                for method in sorted({*map(str, handler.http_methods)} - {"HEAD"}):  # it answers as GET does
                    yield route.path_format, method, handler.fn, doc
                for ending, (make, other) in handler.opt.get("also", {}).items():
                    yield route.path_format + ending, "GET", make, other


def _operation(path: str, make: Make, doc: Doc) -> dict[str, Any]:
    words = getdoc(make) or ""
    first, _, more = words.partition("\n\n")
    told: dict[str, Any] = {
        "operationId": make.__name__, "summary": first.replace("\n", " "), "parameters": _parameters(path, doc),
        "responses": _responses(doc),
    }  # fmt: skip
    if more:
        told["description"] = more
    if doc.body is not None:
        needed = doc.body is not schemas.Nothing
        told["requestBody"] = {"required": needed, "content": {"application/json": {"schema": _ref(doc.body)}}}
    if doc.auth != "none":
        told["security"] = [{"token": []}] if doc.auth == "needed" else [{}, {"token": []}]
    return told


def _parameters(path: str, doc: Doc) -> list[dict[str, Any]]:
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    out = [{"name": n, "in": "path", "required": True, "schema": _PATH.get(n, _TEXT)} for n in names]
    out += [{"name": n, "in": "query", "description": about, "schema": _TEXT} for n, about in doc.query.items()]
    needed = doc.body is schemas.MoveBody
    return out + [
        {"name": n, "in": "header", "required": needed, "description": about,
         "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{8,64}$"}}
        for n, about in doc.headers.items()
    ]  # fmt: skip


def _responses(doc: Doc) -> dict[str, Any]:
    content = {doc.kind: {"schema": _ref(doc.answer) if doc.answer is not None else _TEXT}}
    out: dict[str, Any] = {str(doc.status): {"description": HTTPStatus(doc.status).phrase, "content": content}}
    refuses = {*doc.refuses, 503, *({401} if doc.auth != "none" else ()), *({400, 408, 413, 415} if doc.body else ())}
    for status in sorted(refuses):
        out[str(status)] = {"description": HTTPStatus(status).phrase}
        if status >= 400:
            out[str(status)]["content"] = {"application/problem+json": {"schema": _ref(schemas.Problem)}}
    return out


def _ref(kind: Any) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{kind.__name__}"}
