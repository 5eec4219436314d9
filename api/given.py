"""What a command line or the environment gives: files to read and ports to listen on, checked before they are used."""

import argparse
from pathlib import Path

from replay.settings import port

SMALL = 64 * 1024  # bytes that a file of keys or a note may have


class Unusable(Exception):
    """Something that was asked for cannot be done; the message says what."""


def small(path: str | Path, what: str) -> bytes:
    """The bytes of a file. Raises Unusable for one that cannot be read or that is larger than SMALL."""
    if not str(path):
        raise Unusable(f"no file is named for the {what}")
    try:
        with Path(path).open("rb") as file:
            found = file.read(SMALL + 1)
    except (OSError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else fault
        raise Unusable(f"the {what} in {path} cannot be read: {why}") from None
    if len(found) > SMALL:
        raise Unusable(f"the {what} in {path} cannot be read: it is larger than {SMALL // 1024} KiB")
    return found


def port_number(text: str) -> int:
    """A port, for argparse. Raises ArgumentTypeError."""
    try:
        return port(text)
    except ValueError as fault:
        raise argparse.ArgumentTypeError(str(fault)) from None
