"""A server as a child of this process: started, stopped, and found again when its owner was killed."""

import atexit
import contextlib
import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Self

STOP_S = 30.0  # a server that has not ended by then is killed
LOG_BYTES = 10_000_000  # a log longer than that is put aside at the next start

# Runs between us and the server: no core dumps, the server's own user, a signal when its parent dies.
_LAUNCH = """
import ctypes, os, resource, sys
parent, on_death, uid, gid, *command = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
if int(uid) != os.getuid():
    os.setgroups([])
    os.setgid(int(gid))
    os.setuid(int(uid))
if sys.platform == "linux":
    ctypes.CDLL(None, use_errno=True).prctl(1, int(on_death), 0, 0, 0)
if os.getppid() != int(parent):
    sys.exit("the parent has ended")
os.umask(0o077)
os.execv(command[0], command)
"""

# The kernel sends that signal when the *thread* that made the child ends: this one stays to the end.
_spawner = ThreadPoolExecutor(1, "servers")


class Busy(Exception):
    """Another process runs the servers of this folder."""


class Failed(Exception):
    """A server did not start; the message ends with the last lines of its log."""


class Server(ABC):
    """A server process on a folder of its own. `start` after `kill` or `stop` goes on with the same data."""

    name: str
    _stop_signal: signal.Signals
    _now_signal = signal.SIGKILL

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve() / self.name
        self.log = self.folder / "log"
        self._lock: IO[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()

    def __repr__(self) -> str:
        return f"<{self.name} in {self.folder}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """Process id of the running server, or None."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def start(self) -> None:
        """Start on what the folder holds. Raises Busy, Failed."""
        if self.pid is not None:
            return
        self._take()
        try:
            self._end_orphan()
            self._prepare()
            self._run()
        except BaseException:
            self.stop()
            raise
        atexit.register(self.stop)

    def stop(self, now: bool = False) -> None:
        """End the server cleanly, by force if that takes too long, and give the folder free.

        `now`: without tidying up; the next start recovers as after a crash.
        """
        if os.getpid() != self._owner:
            return  # a fork of the owner
        atexit.unregister(self.stop)
        if self._process is not None and self._process.poll() is None:
            first = self._now_signal if now else self._stop_signal
            end(self._process.pid, first, self._process.poll)
        self._process = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def ended(self) -> int | None:
        """Exit code of a server that ended without our telling it to; below 0: the signal that ended it."""
        return self._process.poll() if self._process is not None else None

    def kill(self) -> None:
        """End the server as a crash does: SIGKILL, nothing written any more."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _take(self) -> None:
        if self._lock is not None:
            return
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = (self.folder / "lock").open("a")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise Busy(f"another process runs {self.name} in {self.folder}") from None
        self._lock = lock

    def _spawn(self, command: list[str], uid: int, gid: int) -> None:
        launch = [sys.executable, "-I", "-S", "-c", _LAUNCH, str(os.getpid()), str(int(self._stop_signal))]
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
        with open(self.log, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)) as log:
            self._process = _spawner.submit(
                subprocess.Popen, [*launch, str(uid), str(gid), *command], env=environment, cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            ).result()  # fmt: skip

    def _await(self, ready: Callable[[], bool], deadline: float) -> bool:
        """Whether the server answers; False if it ended instead."""
        while self.pid is not None:
            if ready():
                return True
            if time.monotonic() > deadline:
                raise Failed(f"{self.name} does not answer\n{self._tail()}")
            time.sleep(0.01)  # between looks, until the deadline
        return False

    def _tail(self) -> str:
        with contextlib.suppress(OSError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])
        return ""

    def _keep_log_short(self) -> None:
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
            self.log.replace(self.log.with_suffix(".old"))

    @abstractmethod
    def _end_orphan(self) -> None:
        """End what a killed owner left running on the folder."""

    @abstractmethod
    def _prepare(self) -> None:
        """Make the folder ready for a start."""

    @abstractmethod
    def _run(self) -> None:
        """Start the server and wait until it answers."""


def taken(folder: Path) -> bool:
    """Whether a process owns the server of a folder just now."""
    try:
        with (folder / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # there is no such folder yet
        return False
    return False


def let_through(path: Path) -> None:
    """Let other users pass (not list) the folders above a path."""
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & 0o001:
            os.chmod(folder, mode & 0o7777 | 0o001)


def let_run(programs: Path) -> None:
    """Let other users run the programs, where root has installed them for itself alone."""
    let_through(programs / "postgres")
    if (programs / "postgres").stat().st_mode & 0o005 == 0o005:
        return
    package = programs.parents[1]
    for tree in (programs.parent, package.with_name(f"{package.name}.libs")):
        for path in (tree, *tree.rglob("*")):
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode):
                os.chmod(path, stat.S_IMODE(mode) | (0o005 if mode & 0o100 else 0o004))


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked for its exit code does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc/self").exists()


def runs(pid: int, program: str, folder: Path) -> bool:
    """Whether a process is this program in this folder: numbers of dead ones are given out again."""
    if not alive(pid):
        return False
    proc = Path(f"/proc/{pid}")
    try:
        if proc.exists():
            comm = (proc / "comm").read_text().strip()
            return comm == program and (proc / "cwd").resolve() == folder.resolve()
        command = ["ps", "-o", "command=", "-p", str(pid)]
        shown = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return False
    return program in shown.stdout and str(folder) in shown.stdout


def end(pid: int, first: signal.Signals, ended: Callable[[], int | None]) -> None:
    """Ask a process to end, then make it, and wait until it has."""
    for how, patience in ((first, STOP_S), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, how)
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if ended() is not None:
                return
            time.sleep(0.01)  # between looks, until patience ends: not every process is a child to wait for
