"""The page, and what every answer says about itself."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from api import site
from api.services import Services
from replay.tables import command_for
from tests.api.house import Served, seated, wait

WEB = Path(site.__file__).parent / "web"


@pytest.mark.parametrize("path", ["/", "/web/api.html"])
def test_a_page_needs_nothing_from_elsewhere(house: Served, path: str) -> None:
    http = house.watcher().http
    page = http.get(path)
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
    assert re.findall(r'<script[^>]+src="([^"]+)"', text), "no script at all"


@pytest.mark.parametrize("name", sorted(file.name for file in WEB.glob("*.js")))
def test_a_script_reads_no_text_as_html_and_goes_nowhere_else(name: str) -> None:
    script = (WEB / name).read_text()
    for never in ("innerHTML", "outerHTML", "insertAdjacentHTML", "unsafeHTML", "document.write", "http://", "https://"):
        assert never not in script, never
    named = re.findall(r'^(?:import|export)\b[^;]*?\bfrom "([^"]+)"', script, re.MULTILINE)
    for found in [*named, *re.findall(r'\bimport\(["`]([^"`]+)', script)]:
        assert found.startswith("./"), f"{found} is somewhere else"


def test_commands_on_the_page_are_those_of_a_fresh_checkout(house: Served) -> None:
    found = re.findall(r"(\S*)faircut (?:play|audit|run)\b", house.watcher().http.get("/web/api.html").text)
    assert len(found) >= 3
    assert all(before.endswith(".venv/bin/") for before in found)


async def bot_plays(services: Services, table_id: str) -> None:
    """Let the bot in seat 1 move until the other seat is asked."""
    live = await services.tables.get(table_id)
    while live.table.owed[0].decision.seat == 1:
        move = msgspec.to_builtins(live.table.game.fallback(live.table.state, 1))
        key = live.table.owed[0].decision.key
        await services.tables.move(table_id, 1, move, key=key, command=command_for(key), by="bot")


@pytest.mark.skipif(shutil.which("curl") is None, reason="runs the page's own commands, which use curl")
def test_the_steps_on_the_page_do_what_they_say(house: Served) -> None:
    page = house.watcher().http.get("/web/api.html").text
    shown = re.findall(r"<li><p>.*?<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL)
    guest, table, start, move, record = (html.unescape(re.sub(r"<b.*?></b>", house.url, step)) for step in shown)
    assert "table.deciding" in page
    said: list[str] = []  # what the reader has typed or set so far

    def typed(lines: str) -> list[Any]:
        """The answers to a step's requests."""
        settings = [line for line in lines.splitlines() if re.match(r"[A-Z]+=", line)]
        asked = "\n".join(line for line in lines.splitlines() if line not in settings)
        said.extend(settings)
        curls = [line for line in re.split(r"\n(?=curl)", asked) if line.startswith("curl")]
        return [
            json.loads(subprocess.run(["sh", "-c", "\n".join([*said, curl])], capture_output=True, check=True).stdout)
            for curl in curls
        ]

    first, rest = guest.rsplit("\n", 1)
    token = typed(first)[0]["token"]
    typed(rest.replace("fc_…", token))
    first, rest = table.split("\n", 1)
    opened = typed(first)[0]["table"]["id"]
    assert typed(rest.replace("the-id-of-the-table", opened))[-1]["table"]["you"] == 0
    assert typed(start)[-1]["table"]["phase"] == "playing"
    look, legal, post = re.split(r"\n(?=curl)", move)

    def mine() -> dict[str, Any] | None:
        seen = typed(look)[0]["table"]
        return next((asked for asked in seen["deciding"] if asked["seat"] == seen["you"] and asked["key"]), None)

    house.do(lambda services: bot_plays(services, opened))
    question = wait(mine)
    assert {"type": "draw"} in typed(legal)[0]["legal"]
    assert typed(post.replace("the-key", question["key"]))[0]["lines"]
    assert typed('curl -s $TABLE/close -H "$ME" -X POST')[0]["table"]["phase"] == "closed"
    fetch = record.splitlines()[0]
    text = subprocess.run(["sh", "-c", "\n".join([*said, fetch])], capture_output=True, check=True).stdout
    assert b"revealed" in text


@pytest.mark.parametrize(
    "name", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "__init__.py", "nothing.js", ".", "app.js/x"]
)
def test_nothing_else_is_served_with_the_page(house: Served, name: str) -> None:
    assert house.watcher().http.get(f"/web/{name}").status_code == 404


@pytest.mark.parametrize(
    "path", ["/schema", "/games", "/tables", "/tables/TABLE", "/tables/none", "/nothing",
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
