"""Where this house's servers and keys are, from the environment (README, "Settings").

Nothing of it is printed: addresses may hold passwords.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from domain.game import Hidden


def database(url: str) -> str:
    """The address of a database. Raises ValueError, whose words show no part of it, if it is none."""
    try:
        conninfo_to_dict(url)
    except (psycopg.Error, ValueError):
        raise ValueError("FAIRCUT_DATABASE_URL is no address of a PostgreSQL database: postgresql://…") from None
    return url


def port(text: str) -> int:
    """A port to listen on. Raises ValueError."""
    if not (text.isascii() and text.isdigit()) or len(text) > 5 or int(text) > 65535:
        raise ValueError("a port is a number from 0 to 65535")
    return int(text)


def port_from(env: Mapping[str, str]) -> int:
    """FAIRCUT_PORT, else 8000. Raises ValueError."""
    try:
        return port(env.get("FAIRCUT_PORT", "8000"))
    except ValueError as fault:
        raise ValueError(f"FAIRCUT_PORT: {fault}") from None


class Settings(Hidden, frozen=True, kw_only=True):
    """Addresses of the servers, the folder of the keys, and how the API presents itself."""

    database_url: str
    nats_url: str  # the servers' own account
    nats_bot_url: str | None = None  # a bot worker's account; it gets no other setting
    keys: Path  # seal.key, sign.key and decide.key lie here, mode 0600
    key_name: str = "faircut.local/records"
    host: str = "127.0.0.1"
    port: int = 8000

    @classmethod
    def from_environment(cls) -> "Settings":
        """Raises KeyError naming a variable that is not set, ValueError for one that is no use."""
        env = os.environ
        return cls(
            database_url=database(env["FAIRCUT_DATABASE_URL"]),
            nats_url=env["FAIRCUT_NATS_URL"],
            nats_bot_url=env.get("FAIRCUT_NATS_BOT_URL"),
            keys=Path(env["FAIRCUT_KEYS"]),
            key_name=env.get("FAIRCUT_KEY_NAME", "faircut.local/records"),
            host=env.get("FAIRCUT_HOST", "127.0.0.1"),
            port=port_from(env),
        )
