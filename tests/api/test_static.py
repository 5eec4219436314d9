"""The page's files as a browser gets them: where they are, packed or not, known already or not, under which policy."""

import gzip
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

from api import site
from tests.api.house import Served, seated

WEB = Path(site.__file__).parent / "web"
FILES = sorted(
    str(file.relative_to(WEB))
    for file in WEB.rglob("*")
    if file.is_file() and file.suffix in (".css", ".js", ".svg", ".html", ".webmanifest", ".txt")
)


def asked(house: Served, path: str, method: str = "GET", **headers: str) -> Any:
    """An answer as it comes over the wire, not unpacked."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with house.watcher().http.stream(method, path, headers={"accept-encoding": "identity"} | named) as answer:
        return answer, b"".join(answer.iter_raw())


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_the_same_plain_and_packed(house: Served, name: str) -> None:
    on_disk = (WEB / name).read_bytes()
    answer, body = asked(house, f"/web/{name}")
    assert (answer.status_code, body) == (200, on_disk)
    assert "content-encoding" not in answer.headers
    packed, body = asked(house, f"/web/{name}", accept_encoding="br, gzip;q=0.8")
    if packed.headers.get("content-encoding") == "gzip":
        assert len(body) < len(on_disk)
        assert gzip.decompress(body) == on_disk
        assert packed.headers["etag"] != answer.headers["etag"]
    else:
        assert body == on_disk
    for one in (answer, packed):
        assert re.fullmatch(r'"[^"]+"', one.headers["etag"]), "a strong tag"
        assert one.headers["vary"].lower() == "accept-encoding"
        assert one.headers["cache-control"] == "no-cache"
        assert one.headers["x-content-type-options"] == "nosniff"


def test_most_of_the_page_is_sent_packed(house: Served) -> None:
    for name in ("index.html", "style.css"):
        answer, _ = asked(house, f"/web/{name}", accept_encoding="gzip")
        assert answer.headers["content-encoding"] == "gzip", name


@pytest.mark.parametrize(
    "sent", ["identity", "", "br, zstd", "gzip;q=0", "gzip; q=0.000", "*;q=0", "gzip;q=0, *", "gzipped"]
)
def test_who_cannot_unpack_gets_it_plain(house: Served, sent: str) -> None:
    answer, body = asked(house, "/", accept_encoding=sent)
    assert "content-encoding" not in answer.headers
    assert body == (WEB / "index.html").read_bytes()


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_a_file_that_is_known_is_not_sent_again(house: Served, encoding: str) -> None:
    tag = asked(house, "/web/style.css", accept_encoding=encoding)[0].headers["etag"]
    for sent in (tag, f'"old", {tag}', f"W/{tag}", "*"):
        answer, body = asked(house, "/web/style.css", accept_encoding=encoding, if_none_match=sent)
        assert (answer.status_code, body) == (304, b"")
        assert answer.headers["etag"] == tag
        assert answer.headers["vary"].lower() == "accept-encoding"
    other = asked(house, "/web/style.css", accept_encoding=encoding, if_none_match='"old"')[0]
    assert other.status_code == 200
    assert asked(house, "/web/app.js", accept_encoding=encoding, if_none_match=tag)[0].status_code == 200


def test_the_tag_follows_from_what_the_file_holds(house: Served) -> None:
    tag = asked(house, "/web/style.css")[0].headers["etag"]
    assert tag.strip('"') in hashlib.sha256((WEB / "style.css").read_bytes()).hexdigest()


@pytest.mark.parametrize("path", ["/", "/play/0123456789abcdef01234567", "/play/none", "/learn/rummy", "/learn/none"])
def test_the_pages_addresses_all_answer_the_shell(house: Served, path: str) -> None:
    answer, body = asked(house, path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert body == (WEB / "index.html").read_bytes()
    head, nothing = asked(house, path, "HEAD")
    assert (head.status_code, nothing) == (200, b"")
    assert head.headers["content-length"] == str(len(body))


def test_what_a_page_may_do(house: Served) -> None:
    headers = asked(house, "/play/0123456789abcdef01234567")[0].headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy == {
        "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self' blob:",
        "connect-src": "'self'", "manifest-src": "'self'", "base-uri": "'none'", "form-action": "'none'",
        "frame-ancestors": "'none'",
    }  # fmt: skip
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    for feature in ("camera", "microphone", "geolocation", "payment"):
        assert f"{feature}=()" in headers["permissions-policy"]


@pytest.mark.parametrize(
    "name", ["", "vendor", "vendor/", "%2e%2e/app.py", "vendor/%2e%2e/style.css", "vendor/..%2fstyle.css",
             "vendor/nothing.js", "vendor/a/b.js", "vendor%2fnothing.js", "__pycache__/x.js"]
)  # fmt: skip
def test_nothing_but_the_sites_files_is_served(house: Served, name: str) -> None:
    assert asked(house, f"/web/{name}")[0].status_code == 404


def test_nothing_that_is_somebodys_is_packed(house: Served) -> None:
    table, crowd = seated(house)
    for path in ("/me", "/tables", "/games", "/schema", f"/tables/{table}", f"/tables/{table}/view"):
        answer = crowd[0].http.get(path, headers={"accept-encoding": "gzip"})
        assert "content-encoding" not in answer.headers


def test_the_vendor_folder_is_part_of_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, house: Served) -> None:
    """Files of the subfolder are found beside those of the top, endings that are not served are left out."""
    (tmp_path / "vendor").mkdir()
    for name in ("index.html", "vendor/lib.js", "vendor/lib.LICENSE", "vendor/lib.LICENSE.txt", "app.webmanifest"):
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(site, "files", lambda _: tmp_path)
    site.pages.cache_clear()
    try:
        assert set(site.pages()) == {"index.html", "vendor/lib.js", "vendor/lib.LICENSE.txt", "app.webmanifest"}
        answer, body = asked(house, "/web/vendor/lib.js")
        assert (answer.status_code, body) == (200, b"vendor/lib.js")
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
        assert asked(house, "/web/app.webmanifest")[0].headers["content-type"] == "application/manifest+json"
        assert asked(house, "/web/vendor/lib.LICENSE")[0].status_code == 404
    finally:
        site.pages.cache_clear()
