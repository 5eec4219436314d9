"""The socket that a house listens on, made before anything else so that a taken port is said at once."""

import errno
import socket


class PortTaken(OSError):
    """Something else listens on the address."""


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises PortTaken, OSError for an address that is not ours."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(2048)
    except (OSError, UnicodeError) as fault:
        made.close()
        if isinstance(fault, UnicodeError):
            raise OSError("the address to listen on is malformed") from None
        if fault.errno == errno.EADDRINUSE:
            raise PortTaken(f"something listens on {host}:{port} (this house already?)") from None
        raise
    return made
