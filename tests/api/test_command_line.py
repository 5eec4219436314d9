"""Whatever is wrong with a command line or a setting: a clear sentence, the right exit code, no secret or traceback."""

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from api.cli_migrate import make_keys
from replay.log import Log
from tests.api.house import Served, settings_for

SECRET = "s3cret-w0rd"
MALFORMED = [f"postgresql://u:{SECRET}@[bad", f"garbage {SECRET}", f"postgresql://u:{SECRET}@h/db?{SECRET}=1"]
AWAY = f"postgresql://u:{SECRET}@127.0.0.1:9/db"
BUS = f"nats://u:{SECRET}@127.0.0.1:9"


def called(*words: str, **settings: str) -> tuple[int, str]:
    """Exit code of a `faircut` command, and all that it says."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FAIRCUT_")}
    done = subprocess.run(
        [sys.executable, "-m", "api.cli", *words], env=environment | settings, capture_output=True, timeout=60,
        check=False,
    )  # fmt: skip
    said = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
    assert "Traceback" not in said
    assert SECRET not in said
    return done.returncode, said


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A folder with files that are no use."""
    (tmp_path / "junk").write_bytes(b"junk\n")
    (tmp_path / "state").mkdir()
    for name in ("logs", "keys", "postgres"):
        (tmp_path / f"with-{name}").mkdir()
        (tmp_path / f"with-{name}" / name).touch()
    return tmp_path


# -- play and audit ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--key", "junk"], "line 1"), (["--key", "nowhere"], "No such file"), (["--key", ""], "no file is named"),
        (["--key", "/dev/zero"], "64 KiB"), (["--key", "."], "directory"), (["--name", "A\udcffda"], "name is no text"),
        (["--set", "target=\udcff"], "set is no text"), (["--url", "http://127.0.0.1:9\udcff"], "url is no text"),
        (["--url", "http://[::1"], "http://[::1"), (["--url", "http://127.0.0.1:9"], "cannot be reached"),
        (["--url", "no address"], "cannot be reached"),
    ],
)  # fmt: skip
def test_play_says_what_is_wrong(odd: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], why: str) -> None:
    monkeypatch.syspath_prepend(os.getcwd())
    code, said = called("play", *[str(odd / word) if word in ("junk", "nowhere") else word for word in words],
                        XDG_STATE_HOME=str(odd / "state"))  # fmt: skip
    assert code == 2
    assert why in said
    assert ("cannot be reached" in said) == (why == "cannot be reached")


@pytest.mark.parametrize(
    ("game", "setting", "words"),
    [
        *(("michigan_rummy", f"target{value}", "target can be 500 or 300: --set target=500")
          for value in ("=--5", "=²", "=-", "=" + "9" * 5000, "=400", "")),
        ("michigan_rummy", "nothing=1", "Michigan Rummy has no such option: take discard_out, target or bot_pace."),
        ("rummy", "deadline=59", "deadline can be a number from 60 to 604800: --set deadline=86400"),
        ("rummy", "deadline=soon", "deadline can be a number from 60 to 604800: --set deadline=86400"),
    ],
)  # fmt: skip
def test_an_option_that_the_game_has_not_is_answered_with_those_that_it_has(
    house: Served, odd: Path, game: str, setting: str, words: str
) -> None:
    bots = ["--bots", "easy,easy", "--set", setting, "--url", house.url]
    code, said = called("play", game, *bots, XDG_STATE_HOME=str(odd / "state"))
    assert code == 1
    assert said.strip() == words


class _Elsewhere(BaseHTTPRequestHandler):
    """A server that is no house: a page for everything under /page, nothing elsewhere."""

    def do_GET(self) -> None:
        body = b"<html>hello</html>"
        self.send_response(200 if self.path.startswith("/page") else 404)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("path", ["", "/nope", "/page"])
def test_an_address_that_is_no_house_is_said(odd: Path, path: str) -> None:
    with HTTPServer(("127.0.0.1", 0), _Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}{path}"
        code, said = called("play", "--url", url, XDG_STATE_HOME=str(odd / "state"))
        server.shutdown()
    assert code == 1
    assert "is it the address of a Faircut house?" in said


@pytest.mark.parametrize("option", ["--key", "--note"])
@pytest.mark.parametrize("file", ["", "/dev/zero", "nowhere", ".", "/proc/self/mem"])
def test_audit_never_goes_on_without_a_file_that_was_named(option: str, file: str) -> None:
    code, said = called("audit", "tests/golden", option, file)
    assert code == 2
    assert len(said.splitlines()) == 1
    assert said.startswith("faircut audit: ")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("audit RECORD --at 20", 141), ("audit RECORD --json", 141), ("case tests/cases/rummy", 141),
        ("simulate rummy --seats easy,easy,easy --games 1", 141), ("audit --help", 0),
    ],
)  # fmt: skip
def test_when_nobody_reads_on_nothing_is_said(tmp_path: Path, words: str, code: int) -> None:
    """The code is what a shell shows for a program that SIGPIPE has ended."""
    if "RECORD" in words:
        games = tmp_path / "games"
        called("simulate", "thai_rummy", "--seats", "easy,easy", "--games", "1", "--out", str(games))
        words = words.replace("RECORD", str(next(games.glob("*.faircut"))))
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as unread:
        done = subprocess.run(
            [sys.executable, "-m", "api.cli", *words.split()], stdout=unread, stderr=subprocess.PIPE, timeout=60,
            check=False,
        )  # fmt: skip
    assert done.returncode == code
    assert not done.stderr


# -- run and the house's parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["run", "api"])
@pytest.mark.parametrize("port", ["99999", "-1", "x", "65536", "²"])
def test_a_port_that_is_none_is_said(odd: Path, command: str, port: str) -> None:
    code, said = called(command, "--port", port)
    assert code == 2
    assert "0 to 65535" in said
    urls = {"FAIRCUT_DATABASE_URL": AWAY, "FAIRCUT_NATS_URL": BUS, "FAIRCUT_KEYS": str(odd)}
    code, said = called(command, **({} if command == "run" else urls), FAIRCUT_PORT=port)
    assert code == 2
    assert "FAIRCUT_PORT" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("folder", ["junk", "junk/inside", "with-logs", "with-postgres", "/proc/nothing", "/dev/null"])
def test_a_data_folder_that_is_no_use_is_said(odd: Path, folder: str) -> None:
    code, said = called("run", "--port", "0", "--data", str(odd / folder))
    assert code == 2
    assert said.splitlines()[-1].startswith("faircut run: ")


@pytest.mark.parametrize("host", ["x" * 300, "300.1.1.1", "203.0.113.7"])
def test_an_address_that_cannot_be_listened_on_is_said(odd: Path, host: str) -> None:
    code, said = called("run", "--data", str(odd / "data"), "--port", "0", "--host", host)
    assert code == 2
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("command", ["engine", "migrate", "api", "run"])
@pytest.mark.parametrize("url", MALFORMED)
def test_a_malformed_database_url_is_said_and_not_shown(odd: Path, command: str, url: str) -> None:
    more = ["--data", str(odd / "data"), "--port", "0"] if command == "run" else []
    code, said = called(command, *more, FAIRCUT_DATABASE_URL=url, FAIRCUT_NATS_URL=BUS, FAIRCUT_KEYS=str(odd / "k"))
    assert code == (1 if command == "engine" else 2)
    assert said.strip() == (
        f"faircut {command}: FAIRCUT_DATABASE_URL is no address of a PostgreSQL database: postgresql://…"
    )


@pytest.mark.parametrize("url", [f"nats://u:pa/{SECRET}@h:4222", f"u:{SECRET}@h:4222", f"nats://u:{SECRET}@[h"])
def test_a_malformed_address_of_the_bus_is_not_shown(odd: Path, database: str, url: str) -> None:
    code, _ = called("bots", FAIRCUT_NATS_BOT_URL=url)
    assert code == 1
    for command, expected in (("migrate", 2), ("engine", 1)):
        settings = {"FAIRCUT_DATABASE_URL": database, "FAIRCUT_KEYS": str(odd / "k"), "FAIRCUT_NATS_URL": url}
        code, _ = called(command, **settings)
        assert code == expected


def test_a_database_that_is_away_is_said(odd: Path, postgres, database: str) -> None:  # type: ignore[no-untyped-def]
    settings = settings_for(database, BUS, odd / "k")
    log = Log(database)
    make_keys(settings, log)
    log._connections.close()
    for url, why in ((AWAY, "does not answer"), (postgres.to("postgres"), "faircut migrate")):
        code, said = called("api", "--port", "0", FAIRCUT_DATABASE_URL=url, FAIRCUT_NATS_URL=BUS,
                            FAIRCUT_KEYS=str(odd / "k"), FAIRCUT_KEY_NAME=settings.key_name)  # fmt: skip
        assert code == 1
        assert why in said
        assert len(said.splitlines()) == 1
    code, said = called("engine", FAIRCUT_DATABASE_URL=AWAY, FAIRCUT_NATS_URL=BUS, FAIRCUT_KEYS=str(odd / "k"))
    assert code == 1
    assert "cannot be reached" in said
