"""What a player may do with cards in hand, said by the rules: a client draws offers and needs no rule of its own."""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from domain.cards import face, is_card
from domain.hidden import Hidden

LOOK = 512  # legal moves looked through at most where a game does not work out its own offers


class Offer(Hidden, frozen=True, kw_only=True):
    """A thing to do with the picked cards, or with none: `move` is what to send, null if it cannot be done.

    kind: type of the move. words: for a button, a few. why: a sentence that says why it cannot be done, null if it can.
    points: what it brings, where that is known. meld, end: the meld of the table that it goes on, and the end of a run.
    at: index in the pile. caution: a sentence to confirm first, for what the player may not mean.
    """

    kind: str
    words: str
    move: Any = None
    why: str | None = None
    points: int | None = None
    meld: int | None = None
    end: str | None = None
    at: int | None = None
    caution: str | None = None


NOTHING = "These cards do nothing together just now."


def plain(moves: Iterable[Any], picked: Collection[str]) -> tuple[Offer, ...]:
    """The offers among legal moves of a game that says no more: those that name just the picked cards."""
    found = []
    for move in islice(moves, LOOK):
        raw = msgspec.to_builtins(move)
        if set(named(raw)) == set(picked):
            found.append(Offer(kind=raw["type"], words=_words(raw), move=move))
    if picked and not found:
        return (Offer(kind="none", words="Nothing", why=NOTHING),)
    return tuple(found)


def named(raw: Any) -> Iterator[str]:
    """Every card that a move in its builtin form names."""
    if isinstance(raw, str):
        if is_card(raw):
            yield raw
    elif isinstance(raw, dict):
        for value in raw.values():
            yield from named(value)
    elif isinstance(raw, list | tuple):
        for value in raw:
            yield from named(value)


def _words(raw: dict[str, Any]) -> str:
    """A move's type and what it is given besides cards.

    >>> _words({"type": "bid", "amount": 5})
    'Bid 5'
    """
    more = [_said(value) for name, value in raw.items() if name != "type"]
    return " ".join([raw["type"].replace("_", " ").capitalize(), *(word for word in more if word)])


def _said(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return face(value) if is_card(value) else value.replace("_", " ")
    return " ".join(map(face, named(value)))
