"""The page, and what every answer says about itself."""

import re

import pytest

from tests.api.house import Served, seated


def test_the_page_needs_nothing_from_elsewhere(house: Served) -> None:
    http = house.watcher().http
    page = http.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in page.headers["content-security-policy"]
    text = page.text
    assert not re.search(r"<script(?![^>]*\bsrc=)", text), "an inline script"
    assert "<style" not in text
    assert not re.search(r"\son[a-z]+=|\sstyle=", text), "an inline handler or style"
    for found in re.findall(r'(?:src|href)="([^"]+)"', text):
        assert found.startswith(("/", "#")), f"{found} is somewhere else"
        if found.startswith("/"):
            assert http.get(found).status_code == 200, found
    script = http.get("/web/page.js").text
    assert "innerHTML =" not in script
    assert "http://" not in script
    assert "https://" not in script


@pytest.mark.parametrize(
    "name", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "__init__.py", "nothing.js", ".", "page.js/x"]
)
def test_nothing_else_is_served_with_the_page(house: Served, name: str) -> None:
    assert house.watcher().http.get(f"/web/{name}").status_code == 404


@pytest.mark.parametrize(
    "path", ["/", "/web/page.js", "/schema", "/games", "/tables", "/tables/TABLE", "/tables/none", "/nothing",
             "/healthz", "/.well-known/faircut/keys", "/me"]
)  # fmt: skip
def test_every_answer_is_guarded_and_none_is_compressed(house: Served, path: str) -> None:
    table, crowd = seated(house)
    answer = crowd[0].http.get(path.replace("TABLE", table), headers={"accept-encoding": "gzip, br, zstd, deflate"})
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "cache-control" in answer.headers
    assert "content-encoding" not in answer.headers
    assert "server" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers


def test_a_token_is_not_to_be_stored_on_the_way(house: Served) -> None:
    answer = house.watcher().http.post("/guests", json={"name": "Ada"})
    assert answer.headers["cache-control"] == "no-store"
    secret = answer.json()["token"].split("_", 2)[2]
    assert len(secret) >= 43  # 256 bits


def test_the_keys_are_verifier_keys_a_line_each(house: Served) -> None:
    answer = house.watcher().http.get("/.well-known/faircut/keys")
    assert answer.headers["content-type"].startswith("text/plain")
    assert re.fullmatch(r"faircut\.test/records\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}\n", answer.text)
