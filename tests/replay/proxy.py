"""A wire to PostgreSQL that can be cut at a chosen moment."""

import contextlib
import select
import socket
import threading
from pathlib import Path


class Wire:
    """Passes bytes between clients and the server's socket.

    `lose_answer`: what a client sends next is delivered; the server's answer to it is dropped and the
    connection broken. `lose_request`: the connection is broken instead of delivering.
    """

    def __init__(self, folder: Path, server: Path) -> None:
        self.folder = folder
        self.server = server / ".s.PGSQL.5432"
        self.lose_answer = self.lose_request = False
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more clients."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        with client, server, contextlib.suppress(OSError):
            server.connect(str(self.server))
            while True:
                readable, _, _ = select.select([client, server], [], [])
                for source in readable:
                    data = source.recv(65536)
                    if not data or (source is client and self.lose_request):
                        self.lose_request = False
                        return
                    if source is server:
                        client.sendall(data)
                        continue
                    server.sendall(data)
                    if self.lose_answer:
                        self.lose_answer = False
                        server.recv(65536)
                        return
