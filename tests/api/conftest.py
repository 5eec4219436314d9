"""Houses to test: one that a worker's tests share, each at tables of its own, and one for a test alone."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from api.cli_migrate import make_ready
from deploy.local import Nats, Postgres
from replay.settings import Settings
from tests.api.house import Served, settings_for

_numbers = itertools.count(1)


def _settings(postgres: Postgres, nats: Nats, keys: Path) -> Settings:
    name = f"house_{next(_numbers)}"
    with psycopg.connect(postgres.to("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE ready")
    found = settings_for(postgres.to(name), nats.credentials("server"), keys)
    make_ready(found)
    return found


@pytest.fixture
def settings(postgres: Postgres, own_nats: Nats, tmp_path: Path) -> Settings:
    """A database, a bus and keys that are ready, for a test alone."""
    return _settings(postgres, own_nats, tmp_path / "keys")


@pytest.fixture
def served(settings: Settings) -> Iterator[Served]:
    """An API process for a test alone."""
    with Served(settings) as process:
        yield process


@pytest.fixture(scope="session")
def house(postgres: Postgres, work_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An API process that tests share. Whoever moves its clock or stops it takes `served`."""
    with Nats(work_folder / "house") as nats:
        nats.start()
        with Served(_settings(postgres, nats, tmp_path_factory.mktemp("house") / "keys")) as process:
            yield process
