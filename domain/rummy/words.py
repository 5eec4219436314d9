"""The log in sentences, and cards as people write them."""

from collections.abc import Callable, Iterable
from typing import Any

from domain.cards import Seat
from domain.figures import counted, signed
from domain.game import Line

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}

Name = Callable[[Seat], str]


def show(card: str) -> str:
    """A card as people write it.

    >>> show("TH1")
    '10♥'
    """
    return card[0].replace("T", "10") + _SUITS[card[1]]


def row(cards: Iterable[str]) -> str:
    """Cards as people write them, in order."""
    return " ".join(map(show, cards))


def sentence(line: Line, name: Name) -> str:
    """A line of the log as a sentence."""
    who = name(line.seat) if line.seat is not None else "Nobody"
    return _SAID[line.kind](who, line.data, name)


def _dealt(_: str, data: dict[str, Any], name: Name) -> str:
    dealer = name(Seat(data["dealer"]))
    return f"Hand {data['deal']}: {dealer} dealt {data['cards']} cards each and turned up {show(data['upcard'])}."


def _hand(_: str, data: dict[str, Any], name: Name) -> str:
    start = "The hand was blocked" if data["out"] is None else f"{name(Seat(data['out']))} went out"
    left = ", ".join(f"{name(Seat(i))} {points}" for i, points in enumerate(data["held"]))
    scores = ", ".join(f"{name(Seat(i))} {signed(points)}" for i, points in enumerate(data["score"]) if points)
    return f"{start}. Points left in hand: {left}. Scores: {scores or 'none'}."


def _over(_: str, data: dict[str, Any], name: Name) -> str:
    winners = " and ".join(name(Seat(i)) for i in data["winners"])
    best = max(data["totals"][i] for i in data["winners"])
    return f"The game is over. {winners} won with {counted(best)}."


_SAID: dict[str, Callable[[str, dict[str, Any], Name], str]] = {
    "dealt": _dealt,
    "draw": lambda who, _, name: f"{who} drew a card.",
    "drew": lambda who, data, name: f"{who} drew {show(data['card'])}.",
    "take": lambda who, data, name: f"{who} took {show(data['card'])} from the pile.",
    "meld": lambda who, data, name: f"{who} melded {row(data['cards'])}.",
    "lay_off": lambda who, data, name: f"{who} laid off {row(play['card'] for play in data['plays'])}.",
    "discard": lambda who, data, name: f"{who} discarded {show(data['card'])}.",
    "reshuffle": lambda _, data, name: f"{data['cards']} cards of the pile were shuffled into a new stock.",
    "stalled": lambda _, data, name: f"{data['turns']} turns in a row passed without a draw: the hand ends here.",
    "end_hand": lambda who, _, name: f"{who} ended the hand: there was nothing left to draw.",
    "hand": _hand,
    "resigned": lambda who, _, name: f"{who} resigned.",
    "deadline": lambda who, _, name: f"{who} let the deadline pass and loses the game.",
    "over": _over,
}
