"""The servers beside the program: their data stays, they end with their owner, and show nobody a password."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from deploy import processes
from deploy.local import Busy, Failed, Nats, Postgres

ROOT = Path(__file__).parents[2]


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)  # between looks, until the deadline


def ended(pid: int) -> bool:
    return not processes.alive(pid)


def kept(url: str) -> int:
    """How many rows the table of this test has."""
    with psycopg.connect(url) as connection:
        return len(connection.execute("SELECT * FROM kept").fetchall())


OWNER = """
import sys
from pathlib import Path
from deploy import local
server = getattr(local, sys.argv[1])(Path(sys.argv[2]))
print(server.pid, server.url, flush=True)
sys.stdin.read()
"""


def owner(kind: str, folder: Path) -> "subprocess.Popen[str]":
    """A process that owns a server until its input ends."""
    return subprocess.Popen(
        [sys.executable, "-c", OWNER, kind, str(folder)], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip


# -- PostgreSQL


def test_what_was_stored_is_there_after_a_stop_and_after_a_crash(own_postgres: Postgres) -> None:
    with psycopg.connect(own_postgres.url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1")
    own_postgres.stop()
    assert own_postgres.pid is None
    own_postgres.start()
    assert kept(own_postgres.url) == 1
    own_postgres.kill()
    own_postgres.start()
    assert kept(own_postgres.url) == 1


def test_a_folder_has_one_owner(own_postgres: Postgres, own_nats: Nats) -> None:
    with pytest.raises(Busy):
        Postgres(own_postgres.folder.parent).start()
    with pytest.raises(Busy):
        Nats(own_nats.folder.parent).start()
    assert own_postgres.pid is not None
    assert own_nats.pid is not None


def test_a_stop_ends_all_of_it(own_postgres: Postgres, own_nats: Nats) -> None:
    pids = [own_postgres.pid, own_nats.pid]
    own_postgres.stop()
    own_nats.stop()
    assert all(pid is not None and ended(pid) for pid in pids)
    own_postgres.stop()
    own_nats.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the next start ends what was left behind")
@pytest.mark.parametrize("kind", ["postgres", "nats"])
def test_a_server_does_not_outlive_an_owner_that_is_killed(kind: str, work_folder: Path, pristine: Path) -> None:
    folder = work_folder / f"killed-{kind}"
    (folder / "postgres").mkdir(parents=True)
    subprocess.run(["cp", "-a", pristine / "data", folder / "postgres" / "data"], check=True)
    first = owner(kind, folder)
    assert first.stdout is not None
    pid, url = first.stdout.readline().split()
    first.kill()
    second = owner(kind, folder)  # at once, on the same data
    assert second.stdout is not None
    pid_2, url_2 = second.stdout.readline().split()
    assert ended(int(pid))
    assert pid_2 != pid
    assert url_2 == url
    second.communicate("")
    assert second.returncode == 0
    assert ended(int(pid_2))
    shutil.rmtree(folder)


def test_a_server_that_was_left_behind_is_ended_first(own_postgres: Postgres, own_nats: Nats) -> None:
    """As where the system does not tell children that their parent died."""
    for server in (own_postgres, own_nats):
        left, again = server.pid, type(server)(server.folder.parent)
        assert left is not None
        assert server._lock is not None
        server._lock.close()
        again.start()
        assert ended(left)
        again.stop()
        server._lock = None


def test_a_number_that_another_process_has_by_now_keeps_nobody_out(own_postgres: Postgres, own_nats: Nats) -> None:
    own_postgres.kill()
    own_nats.kill()
    for file in (own_postgres.data / "postmaster.pid", own_nats.folder / "pid"):
        lines = file.read_text().splitlines()
        file.write_text("\n".join([str(os.getpid()), *lines[1:]]))
    own_postgres.start()
    own_nats.start()
    psycopg.connect(own_postgres.url).close()


def test_a_long_folder_name_is_no_hindrance(pristine: Path, work_folder: Path) -> None:
    folder = work_folder / ("long" * 30) / ("name" * 30)
    folder.mkdir(parents=True)
    server = Postgres(folder)
    server.folder.mkdir()
    subprocess.run(["cp", "-a", pristine / "data", server.data], check=True)
    with server:
        server.start()
        psycopg.connect(server.url).close()
        assert not server.socket.is_relative_to(folder)
        assert stat.S_IMODE(server.socket.stat().st_mode) == 0o700
    shutil.rmtree(work_folder / ("long" * 30))
    assert not server.socket.exists()


def test_a_socket_folder_of_somebody_else_is_not_used(work_folder: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    server = Postgres(work_folder / "foreign")
    server.socket.mkdir(parents=True)
    os.chown(server.socket, 65534, 65534)
    with pytest.raises(Failed, match="somebody else"):
        server.start()


def test_programs_that_root_installed_for_itself_are_opened(tmp_path: Path) -> None:
    programs = tmp_path / "package" / "pginstall18" / "bin"
    libraries = tmp_path / "package.libs"
    programs.mkdir(parents=True)
    libraries.mkdir()
    for file, mode in ((programs / "postgres", 0o700), (libraries / "libpq.so", 0o600)):
        file.touch()
        file.chmod(mode)
    for folder in (libraries, programs, *programs.parents[:2]):
        folder.chmod(0o700)
    processes.let_run(programs)
    assert (programs / "postgres").stat().st_mode & 0o007 == 0o005
    assert (libraries / "libpq.so").stat().st_mode & 0o007 == 0o004
    assert all(folder.stat().st_mode & 0o001 for folder in (libraries, programs, *programs.parents[:2]))


def test_nobody_else_gets_at_the_data(own_postgres: Postgres, own_nats: Nats) -> None:
    for private in (own_postgres.data, own_postgres.socket, own_nats.folder / "store"):
        assert stat.S_IMODE(private.stat().st_mode) & 0o077 == 0
    with psycopg.connect(own_postgres.admin) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


def test_the_house_is_no_superuser(own_postgres: Postgres) -> None:
    with psycopg.connect(own_postgres.url) as connection:
        row = connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
    assert row == (False,)


def test_what_a_client_sends_is_in_no_log(own_postgres: Postgres) -> None:
    secret = "5eed" * 16
    with psycopg.connect(own_postgres.url, autocommit=True) as connection:
        connection.execute("CREATE TABLE hidden (word text PRIMARY KEY, raw bytea CHECK (raw <> word::bytea))")
        for statement, values in (
            (f"SELECT '{secret}'::int", ()),
            (f"INSERT INTO nowhere VALUES ('{secret}')", ()),
            ("INSERT INTO hidden VALUES (%s, %s)", (secret, secret.encode())),
            ("INSERT INTO hidden VALUES (%s, ''), (%s, '')", (secret, secret)),
            ("SELECT %s::text::int", (secret,)),
            ("SELECT 1 / (length(%s) - 64)", (secret,)),
        ):
            with pytest.raises(psycopg.Error):
                connection.execute(statement, values)
    own_postgres.stop()
    log = own_postgres.log.read_text()
    assert "ERROR" in log
    assert "duplicate key" in log
    known = "5eed5eed"
    # PostgreSQL names a value that it cannot read as a number in the error itself.
    assert [line for line in log.splitlines() if known in line and "invalid input syntax" not in line] == []


def test_servers_leave_no_core_and_see_none_of_our_environment(
    own_postgres: Postgres, own_nats: Nats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRCUT_SECRET", "5eed" * 16)
    own_postgres.stop()
    own_nats.stop()
    own_postgres.start()
    own_nats.start()
    for server in (own_postgres, own_nats):
        proc = Path(f"/proc/{server.pid}")
        limits = [line.split() for line in (proc / "limits").read_text().splitlines()]
        assert [line[4:6] for line in limits if line[1:3] == ["core", "file"]] == [["0", "0"]]
        assert b"5eed" not in (proc / "environ").read_bytes()


def test_it_runs_as_a_user_like_any(work_folder: Path) -> None:
    """Without root. As root, the test becomes another user that may still read our programs."""
    if os.getuid() != 0:
        pytest.skip("all other tests here run so")
    folder = work_folder / "user"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=+dac_read_search",
              "--ambient-caps=+dac_read_search"]  # fmt: skip
    if subprocess.run([*become, sys.executable, "-c", ""], capture_output=True, check=False).returncode:
        pytest.skip("root may not lend its rights here")
    made = subprocess.run(
        [*become, sys.executable, "-c", OWNER, "postgres", str(folder)], cwd=ROOT, input="", text=True,
        capture_output=True, check=False, env=os.environ | {"HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "postgresql://" in made.stdout
    assert (folder / "postgres" / "data").stat().st_uid == 65534
    shutil.rmtree(folder)


def test_ending_it_by_a_signal_ends_the_servers(work_folder: Path) -> None:
    folder = work_folder / "terminated"
    process = owner("nats", folder)
    assert process.stdout is not None
    pid = int(process.stdout.readline().split()[0])
    process.send_signal(signal.SIGTERM)
    process.wait()
    until(lambda: ended(pid))
    shutil.rmtree(folder)
