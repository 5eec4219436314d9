"""The OpenAPI document and the catalogue say what is served, for every game there is."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from api import schemas, site
from domain.registry import GAMES, newest
from tests.api.house import Served, seated


@pytest.fixture(scope="module")
def document(house: Served) -> dict[str, Any]:
    answer = house.watcher().http.get("/schema")
    assert answer.headers["content-type"] == "application/json"
    found: dict[str, Any] = answer.json()
    return found


def refs(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for value in part.values():
            yield from refs(value)
    elif isinstance(part, list):
        for value in part:
            yield from refs(value)


def test_the_document_holds_together(document: dict[str, Any]) -> None:
    assert document["openapi"] == "3.1.0"
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(refs(document)) <= known
    operations = [op for path in document["paths"].values() for op in path.values()]
    assert len({op["operationId"] for op in operations}) == len(operations)
    assert all(op["summary"] for op in operations)


def test_every_resource_is_described(document: dict[str, Any], house: Served) -> None:
    pages = {path for handler in site.HANDLERS for path in handler.paths}
    for route in house.app.routes:
        if route.path not in pages and not route.path.endswith("/feed"):
            assert route.path_format in document["paths"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("part", ["Move", "View", "Options", "Helps"])
def test_a_games_schemas_are_its_types(name: str, part: str, document: dict[str, Any]) -> None:
    """The document's schema of each is msgspec's own, but for the names of what it refers to."""
    found = document["components"]["schemas"]

    def spelled(schema: Any, prefix: str) -> Any:
        return json.loads(json.dumps(schema).replace(f'"{prefix}', '"#'))

    own = json.loads(msgspec.json.encode(msgspec.json.schema(getattr(newest(name), part))))
    named = own.pop("$defs", {})
    if own.get("$ref") != f"#/$defs/{part}":
        assert spelled(found[f"{name}.{part}"], f"#/components/schemas/{name}.") == spelled(own, "#/$defs/")
    for key, schema in named.items():
        assert spelled(found[f"{name}.{key}"], f"#/components/schemas/{name}.") == spelled(schema, "#/$defs/")


def test_no_request_sets_a_seed_a_key_or_a_position(document: dict[str, Any]) -> None:
    bodies = {
        op["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for path in document["paths"].values() for op in path.values() if "requestBody" in op
    }  # fmt: skip
    fields = {field for body in bodies for field in document["components"]["schemas"][body].get("properties", {})}
    fields |= {p["name"] for path in document["paths"].values() for op in path.values() for p in op["parameters"]}
    assert "promise" in fields
    assert not fields & {"seed", "position", "state", "stock", "hands", "deal", "chance", "blind", "at", "by", "who"}


def test_the_catalogue_names_games_options_and_rules(house: Served) -> None:
    client = house.watcher()
    games = client.call("GET", "/games")["games"]
    assert [game["name"] for game in games] == list(GAMES)
    for told in games:
        game = newest(told["name"])
        assert client.call("GET", f"/games/{told['name']}") == told
        assert (told["title"], told["rules"], told["seats"]) == (game.title, game.rules, list(game.seats))
        defaults = {option["name"]: option["default"] for option in told["options"]}
        assert msgspec.convert(defaults, game.Options) == game.Options()
        for option in told["options"]:
            assert option["title"]
            assert option["description"]
            for value in option["values"]:
                msgspec.convert(defaults | {option["name"]: value}, game.Options)
        rules = client.http.get(f"/games/{told['name']}/rules")
        assert rules.headers["content-type"].startswith("text/markdown")
        assert rules.text.startswith("# ")


def test_answers_have_the_shape_that_is_promised(house: Served) -> None:
    table, crowd = seated(house)
    ada = crowd[0]
    told = {
        "/me": schemas.Me, "/games": schemas.Games, "/tables": schemas.Lobby, "/replays": schemas.Replays,
        f"/tables/{table}": schemas.Seated, f"/tables/{table}/view": schemas.ViewAnswer,
        f"/tables/{table}/lines": schemas.Lines, f"/tables/{table}/opening": schemas.Opening,
        f"/tables/{table}/helps": schemas.HelpsAnswer, f"/tables/{table}/legal": schemas.LegalAnswer,
        "/healthz": schemas.Health,
    }  # fmt: skip
    for path, kind in told.items():
        msgspec.json.decode(ada.http.get(path).content, type=kind)


@pytest.mark.parametrize("path", ["/tables/TABLE", "/tables/TABLE/view"])
def test_an_answer_that_is_known_already_is_not_sent_again(path: str, house: Served) -> None:
    table, crowd = seated(house)
    path = path.replace("TABLE", table)
    first = crowd[0].http.get(path)
    again = crowd[0].http.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = crowd[1].http.get(path, headers={"if-none-match": first.headers["etag"]})
    assert other.status_code == 200
    crowd[1].call("POST", f"/tables/{table}/agree")
    assert crowd[0].http.get(path, headers={"if-none-match": first.headers["etag"]}).status_code == 200
