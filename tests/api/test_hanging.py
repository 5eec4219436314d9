"""A database that hangs and clients that are slow: nobody waits without end, and all goes on afterwards."""

import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api import app, pool, wire
from api.cli_migrate import make_ready
from deploy.local import Nats, Postgres
from replay import connections
from tests.api.house import Person, Refused, Served, play_on, seated, settings_for, to_draw, version, wait


@contextlib.contextmanager
def hanging(postgres: Postgres, sessions: bool) -> Iterator[None]:
    """The server stands still: with all its sessions, or so that only new ones are not let in."""
    assert postgres.pid
    stopped = [postgres.pid]
    if sessions:
        for proc in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if proc.name.isdigit() and (proc / "stat").read_text().rpartition(")")[2].split()[1] == str(stopped[0]):
                    stopped.append(int(proc.name))
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is waited for a database or a client, shortened."""
    for module, name in ((app, "HEALTH_S"), (pool, "ANSWER_S"), (connections, "WAIT_S"), (wire, "BODY_S")):
        monkeypatch.setattr(module, name, 1.0)


@pytest.fixture
def own_served(own_postgres: Postgres, own_nats: Nats, tmp_path: Path, impatient: None) -> Iterator[Served]:
    """An API process whose database is for this test alone."""
    settings = settings_for(own_postgres.to("ready"), own_nats.credentials("server"), tmp_path / "keys")
    make_ready(settings)
    with Served(settings) as process:
        yield process


def unavailable(answer: httpx.Response) -> bool:
    return answer.status_code == 503 and answer.json()["code"] == "UNAVAILABLE"


@pytest.mark.skipif(not Path("/proc").exists(), reason="finds a server's sessions through /proc")
@pytest.mark.parametrize("sessions", [True, False])
def test_a_database_that_hangs_keeps_nobody_waiting(own_served: Served, own_postgres: Postgres, sessions: bool) -> None:
    table, crowd = seated(own_served)
    seat, key = to_draw(table, crowd)
    ada, http = crowd[seat], own_served.watcher().http
    wait(lambda: http.get("/healthz").status_code == 200)
    before = version(own_served, table)
    with hanging(own_postgres, sessions):
        if sessions:
            assert http.get("/healthz").json() == {"database": False, "bus": True}
            assert http.get("/healthz").status_code == 503
            for _ in range(12):  # more than there are connections
                assert unavailable(http.post("/guests", json={"name": "Ben"}))
            assert unavailable(http.get("/tables"))
            assert unavailable(http.get("/replays"))
            assert unavailable(ada.http.post("/tables", json={"game": "michigan_rummy", "seats": 2}))
            for _ in range(2):
                with pytest.raises(Refused) as no:
                    ada.move(table, key, {"type": "draw"}, command="a-move-of-mine")
                assert (no.value.status, no.value.code) == (503, "UNAVAILABLE")
        else:  # whoever is connected goes on; nobody who is not is kept waiting
            assert http.get("/healthz").status_code in (200, 503)
            assert http.get("/replays").status_code in (200, 503)
    wait(lambda: http.get("/healthz").status_code == 200)
    wait(lambda: drawn(ada, table, key))
    assert version(own_served, table) == before + 1  # once, however often it was sent
    play_on(table, crowd, 3)
    assert own_served.person("Cleo").open("michigan_rummy", 2)["phase"] == "open"


def drawn(person: Person, table: str, key: str) -> bool:
    """Whether the move is in: sent again until the house takes it."""
    body = {"key": key, "move": {"type": "draw"}}
    headers = {"idempotency-key": "a-move-of-mine"}
    status = person.http.post(f"/tables/{table}/moves", json=body, headers=headers).status_code
    assert status in (200, 503)
    return status == 200


def test_a_health_check_may_ask_for_the_head_alone(house: Served) -> None:
    http = house.watcher().http
    wait(lambda: http.get("/healthz").status_code == 200)
    head = http.head("/healthz")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(http.get("/healthz").content))


@pytest.mark.parametrize("path", ["/guests", "/tables/TABLE/moves", "/tables"])
@pytest.mark.parametrize("sent", [b"", b'{"name": '])
def test_a_body_that_does_not_come_is_not_waited_for(house: Served, impatient: None, path: str, sent: bytes) -> None:
    table, crowd = seated(house)
    head = (
        f"POST {path.replace('TABLE', table)} HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n"
        f"authorization: {crowd[0].http.headers['authorization']}\r\nidempotency-key: a-command-of-mine\r\n"
        "content-length: 100\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", house.port), timeout=30) as client:
        client.sendall(head.encode() + sent)
        answer = b""
        while data := client.recv(4096):  # until the house hangs up
            answer += data
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"SLOW"' in answer
