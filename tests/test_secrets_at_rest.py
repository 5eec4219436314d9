"""A running house is searched for what nobody may find: seeds, keys, streams, the order of the stock, tokens."""

import base64
import contextlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from api.cli_migrate import make_ready
from bots import worker
from deploy.local import Nats, Postgres
from domain.chance import Stream
from projections import engine
from replay.live import Live
from tests.api.house import Person, Served, Working, settings_for, wait


def spellings(secret: bytes) -> list[bytes]:
    """As it is, in hex, in both base64s without what surrounds them changes."""
    return [secret, secret.hex().encode(), base64.b64encode(secret)[:40], base64.urlsafe_b64encode(secret)[:40]]


def secrets_of(live: Live) -> dict[str, bytes]:
    """What a table must not tell, by name."""
    vault: Any = live.vault
    stream: Any = Stream(vault._key, "deal:1")
    stock = live.table.state.stock
    return {
        "seed": vault._seed, "key": vault._key, "stream": stream._key,
        "stock": '","'.join(stock[-6:]).encode(), "stock too": ", ".join(map(repr, stock[-6:])).encode(),
    }  # fmt: skip


def texts(person: Person, table: str) -> Iterator[bytes]:
    """Everything that the house answers to a seat."""
    for path in ("", "/view", "/lines", "/helps", "/legal", "/opening", "/nothing"):
        yield person.http.get(f"/tables/{table}{path}").content
    for path in ("/tables", "/replays", f"/replays/{table}", "/healthz", "/schema", "/games", "/me"):
        yield person.http.get(path).content
    yield person.http.post(f"/tables/{table}/moves", json={"move": {"type": "discard", "card": "ZZ"}}).content


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """All that lies in a folder, but for the keys that are meant to be there."""
    for path in folder.rglob("*"):
        if path.is_file() and "keys" not in path.relative_to(folder).parts:
            with contextlib.suppress(FileNotFoundError):  # the servers go on working meanwhile
                yield str(path), path.read_bytes()


def raised(live: Live) -> str:
    """A traceback that shows every local variable, as a debug page would."""
    try:
        table, vault, state, lock = live.table, live.vault, live.table.state, live.lock
        raise RuntimeError(f"{table} {vault} {state} {lock} {live}")
    except RuntimeError:
        _, fault, where = sys.exc_info()
        shown = traceback.TracebackException(RuntimeError, fault, where, capture_locals=True)  # type: ignore[arg-type]
        return "".join(shown.format())


def test_a_running_houses_secrets_lie_nowhere(
    own_postgres: Postgres, own_nats: Nats, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    settings = settings_for(own_postgres.to("ready"), own_nats.credentials("server"), tmp_path / "keys")
    make_ready(settings)
    bot = own_nats.credentials("bot")
    with (
        Served(settings) as house,
        Working(lambda stop: engine.work(settings, stop)),
        Working(lambda stop: worker.work(bot, stop, 1)),
    ):
        ada = house.person("Ada")
        table = ada.open("michigan_rummy", 2)["id"]
        ada.sit(table, 0)
        ada.bot(table, "easy")
        ada.start(table)
        ada.cut(table)
        wait(lambda: ada.owes(ada.table(table)) is not None)
        asked = ada.owes(ada.table(table))
        assert asked
        ada.move(table, asked["key"], {"type": "draw"})
        live = house.services.tables.peek(table)
        assert live
        token = ada.http.headers["authorization"].split("_")[-1]
        secrets = secrets_of(live)
        answers = [*texts(ada, table), *texts(house.person("Eve"), table), raised(live).encode()]
        answers += [repr(thing).encode() for thing in (house.services, house.app, live, live.told, live.commands)]
        with psycopg.connect(own_postgres.to("ready")) as connection:
            answers.append(repr(connection.execute("SELECT * FROM pg_stat_activity").fetchall()).encode())
        kept = list(files(own_postgres.folder)) + list(files(own_nats.folder))
        commit = live.table.opened.commit.encode()
        assert [path for path, data in kept if commit in data], "the search does not see what is stored"
        assert any(commit in answer for answer in answers)
        for name, secret in [*secrets.items(), ("token", token.encode())]:
            forms = [secret] if name.startswith(("stock", "token")) else spellings(secret)
            for form in forms:
                assert not any(form in answer for answer in answers), f"an answer tells the {name}"
                assert not [path for path, data in kept if form in data], f"a file holds the {name}"
                assert form.decode("latin-1") not in caplog.text, f"a log line tells the {name}"
