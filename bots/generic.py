"""A bot for any game: plays anything legal, picked by a hash of what its seat sees. It never gives a game up."""

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from bots.levels import Ask

_encode = msgspec.json.Encoder(order="sorted").encode


def decide(ask: "Ask") -> dict[str, Any]:
    """One of the question's legal moves, or the fallback if it names none worth making."""
    moves = [move for move in ask.legal if move.get("type") != "resign"]
    if not moves:
        return ask.fallback
    return moves[number(ask) % len(moves)]


def number(ask: "Ask") -> int:
    """A number that looks random and is the same whenever the same seat sees the same."""
    return int.from_bytes(sha256(_encode([ask.seat, ask.kind, ask.key, ask.view])).digest()[:8], "big")
