"""Where this house's servers and keys are, from the environment (README, "Settings").

Nothing of it is printed: addresses may hold passwords.
"""

import os
from pathlib import Path

from domain.game import Hidden


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
        """Raises KeyError naming a variable that is not set."""
        env = os.environ
        return cls(
            database_url=env["FAIRCUT_DATABASE_URL"],
            nats_url=env["FAIRCUT_NATS_URL"],
            nats_bot_url=env.get("FAIRCUT_NATS_BOT_URL"),
            keys=Path(env["FAIRCUT_KEYS"]),
            key_name=env.get("FAIRCUT_KEY_NAME", "faircut.local/records"),
            host=env.get("FAIRCUT_HOST", "127.0.0.1"),
            port=int(env.get("FAIRCUT_PORT", "8000")),
        )
