"""A house for each test that asks for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.cli_migrate import make_ready
from deploy.local import Nats
from replay.settings import Settings
from tests.api.house import Served, settings_for


@pytest.fixture
def settings(database: str, nats_server: Nats, tmp_path: Path) -> Settings:
    """A database, a bus and keys that are ready."""
    found = settings_for(database, nats_server.credentials("server"), tmp_path / "keys")
    make_ready(found)
    return found


@pytest.fixture
def served(settings: Settings) -> Iterator[Served]:
    """An API process."""
    with Served(settings) as process:
        yield process
