"""A whole house to look at: API, engine and bots that hardly think, over servers of its own."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from api.cli_migrate import make_ready
from bots import worker
from deploy.local import Nats, Postgres
from domain import pace
from projections import engine
from replay.settings import Settings
from tests.api.house import Served, Working, settings_for

__all__ = ["at_work", "lively"]


@contextmanager
def at_work(settings: Settings, bots: Path | str) -> Iterator[Served]:
    """API, engine and a bot worker on a database and a bus that are ready; its bots hardly think."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pace, "USUAL_MS", 0)
        patch.setattr(pace, "PACE_MS", {})
        with (
            Served(settings) as house,
            Working(lambda stop: engine.work(settings, stop)),
            Working(lambda stop: worker.work(str(bots), stop, 1)),
        ):
            yield house


@contextmanager
def lively() -> Iterator[Served]:
    """The same with servers of its own, for what is no test."""
    with tempfile.TemporaryDirectory(prefix="faircut-page-") as folder:
        work = Path(folder)
        with Postgres(work / "pg") as postgres, Nats(work / "nats") as nats:
            postgres.start()
            nats.start()
            with psycopg.connect(postgres.to("postgres", "postgres"), autocommit=True) as connection:
                connection.execute("CREATE DATABASE lively OWNER faircut")
            settings = settings_for(postgres.to("lively"), nats.credentials("server"), work / "keys")
            make_ready(settings)
            with at_work(settings, nats.credentials("bot")) as house:
                yield house
