"""Real servers for tests: a PostgreSQL and a NATS a worker, a database a test; more for tests that kill."""

import contextlib
import fcntl
import itertools
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from deploy.local import Nats, Postgres
from replay.schema import migrate

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def work_folder() -> Iterator[Path]:
    """A folder of this worker with a short name (sockets need one), removed at the end.

    So are those of earlier runs that were killed: nobody holds their locks.
    """
    for lock in Path(tempfile.gettempdir()).glob("faircut-test-*/lock"):
        with contextlib.suppress(OSError), lock.open("a") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.parent)
    folder = Path(tempfile.mkdtemp(prefix="faircut-test-"))
    with (folder / "mine").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        (folder / "mine").rename(folder / "lock")
        yield folder
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def pristine(work_folder: Path) -> Path:
    """A stopped PostgreSQL's folder, with a migrated database `ready`: a copy starts in a moment."""
    with Postgres(work_folder / "pristine") as server:
        server.start()
        with psycopg.connect(server.to("postgres", "postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE ready OWNER faircut")
        migrate(server.to("ready"))
        return server.folder


@pytest.fixture(scope="session")
def postgres(work_folder: Path, pristine: Path) -> Iterator[Postgres]:
    """This worker's PostgreSQL. Tests that stop or kill it take `own_postgres`."""
    with _copied(pristine, work_folder / "shared") as server:
        yield server
        server.stop(now=True)


@pytest.fixture
def own_postgres(work_folder: Path, pristine: Path) -> Iterator[Postgres]:
    """A PostgreSQL for this test alone, its database `ready` migrated (`own_postgres.to("ready")`)."""
    folder = work_folder / f"own-{next(_numbers)}"
    with _copied(pristine, folder) as server:
        yield server
        server.stop(now=True)
    shutil.rmtree(folder)


@pytest.fixture
def database(postgres: Postgres) -> Iterator[str]:
    """URL of a migrated, empty database for this test alone."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(postgres.to("postgres", "postgres"), autocommit=True) as connection:  # it may end what vacuums
        connection.execute(f"CREATE DATABASE {name} OWNER faircut TEMPLATE ready")
        yield postgres.to(name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def nats_server(work_folder: Path) -> Iterator[Nats]:
    """This worker's NATS, for what only connects. A house takes `own_nats`: of two houses on one bus each would answer
    the other's bots, and refuse what it does not know.
    """
    with Nats(work_folder / "shared") as server:
        server.start()
        yield server


@pytest.fixture
def own_nats(work_folder: Path) -> Iterator[Nats]:
    """A NATS server for this test alone."""
    folder = work_folder / f"own-{next(_numbers)}"
    with Nats(folder) as server:
        server.start()
        yield server
    shutil.rmtree(folder)


def _copied(pristine: Path, folder: Path) -> Postgres:
    folder.mkdir(exist_ok=True)
    server = Postgres(folder)
    server.folder.mkdir(exist_ok=True)
    subprocess.run(["cp", "-a", pristine / "data", server.data], check=True)
    server.start()
    return server
