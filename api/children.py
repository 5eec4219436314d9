"""Processes that work beside this one: started again when they die, ended when this one ends. So are the servers.

Each has a session of its own, so a Ctrl-C in the terminal reaches only the parent, which then ends them
in order. On Linux they also end when the parent is killed.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg

from deploy.processes import Busy, Failed, Server

STOP_S = 12.0  # a child that has not ended by then is killed
STEADY_S = 20.0  # a child that lived for so long is well again
LOG_BYTES = 10_000_000  # a log longer than that is put aside at the next start

# Runs between us and the child: no core dumps (memory holds open seeds), and the end when the parent is killed: what
# was acknowledged is not lost by that, and a child that waits for servers that died with the parent might never end.
_LAUNCH = """
import os, resource, sys
parent, *command = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None, use_errno=True).prctl(1, 9, 0, 0, 0)
if os.getppid() != int(parent):
    sys.exit("the parent has ended")
os.execv(command[0], command)
"""


class Child:
    """A `faircut` subcommand in a process of its own, with an environment of its own."""

    def __init__(
        self, name: str, arguments: Sequence[str], environment: Mapping[str, str], log: Path, fds: Sequence[int] = ()
    ) -> None:
        self.name, self.log = name, log
        self._arguments, self._environment, self._fds = arguments, environment, fds
        self._process: subprocess.Popen[bytes] | None = None
        self._since, self._again, self._pause = 0.0, 0.0, 0.2
        self.deaths = 0  # in a row, each soon after the start

    def __repr__(self) -> str:
        return f"<child {self.name}>"

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def start(self) -> None:
        """Start the process."""
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
            self.log.replace(self.log.with_suffix(".old"))
        command = [sys.executable, "-m", "api.cli", *self._arguments]
        launch = [sys.executable, "-I", "-S", "-c", _LAUNCH, str(os.getpid()), *command]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  # our own program
                launch, env=dict(self._environment), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, pass_fds=self._fds,
            )  # fmt: skip
        self._since = time.monotonic()

    def tend(self) -> str | None:
        """Start the process again if it has died; what to say about it, if something is to be said."""
        now = time.monotonic()
        if self._process is None or self.pid is not None:
            if now - self._since > STEADY_S:
                self.deaths, self._pause = 0, 0.2
            return None
        if not self._again:
            self.deaths += 1
            self._again, self._pause = now + self._pause, min(self._pause * 2, 5.0)
            return f"{self.name} ended (exit code {self._process.returncode}) and is started again; see {self.log}"
        if now >= self._again:
            self._again = 0.0
            self.start()
        return None

    def stop(self) -> None:
        """End the process, by force if it takes too long."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def tail(self) -> str:
        """The end of what it said."""
        with contextlib.suppress(OSError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])
        return ""


class Kept:
    """A server of ours that is started again, on the same data, when it dies. `deaths`: in a row, as a child's."""

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.name = server, name
        self._since, self._again, self._pause = time.monotonic(), 0.0, 0.2
        self.deaths = 0

    def __repr__(self) -> str:
        return f"<kept {self.name}>"

    def tend(self) -> str | None:
        """Start the server again if it has died, and wait until it answers; what to say about it, if anything."""
        now = time.monotonic()
        if self.server.pid is not None:
            if now - self._since > STEADY_S:
                self.deaths, self._pause = 0, 0.2
            return None
        if not self._again:
            code = self.server.ended or 0
            return self._died(f"by signal {-code}" if code < 0 else f"exit code {code}")
        if now >= self._again:
            self._again = 0.0
            try:
                self.server.start()
            except (Busy, Failed, OSError, psycopg.Error) as fault:
                return self._died(str(fault).partition("\n")[0])
            self._since = time.monotonic()
        return None

    def _died(self, how: str) -> str:
        self.deaths += 1
        self._again, self._pause = time.monotonic() + self._pause, min(self._pause * 2, 5.0)
        return f"{self.name} ended ({how}) and is started again; see {self.server.log}"
