"""The log in sentences."""

from typing import Any

from domain.cards import Seat
from domain.game import Line
from domain.words import Name, Sentences, counted, laid_on, row, show, signed, who


def sentence(line: Line, name: Name) -> str:
    """A line of the log as a sentence."""
    return _SAID[line.kind](line, line.data, name)


def _dealt(_: Line, data: dict[str, Any], name: Name) -> str:
    dealer = name(Seat(data["dealer"]))
    return f"Hand {data['deal']}: {dealer} dealt {data['cards']} cards each and turned up {show(data['upcard'])}."


def _hand(_: Line, data: dict[str, Any], name: Name) -> str:
    start = "The hand was blocked" if data["out"] is None else f"{name(Seat(data['out']))} went out"
    left = ", ".join(f"{name(Seat(i))} {points}" for i, points in enumerate(data["held"]))
    scores = ", ".join(f"{name(Seat(i))} {signed(points)}" for i, points in enumerate(data["score"]) if points)
    return f"{start}. Points left in hand: {left}. Scores: {scores or 'none'}."


def _over(_: Line, data: dict[str, Any], name: Name) -> str:
    winners = " and ".join(name(Seat(i)) for i in data["winners"])
    best = max(data["totals"][i] for i in data["winners"])
    return f"The game is over. {winners} won with {counted(best)}."


_SAID: Sentences = {
    "dealt": _dealt,
    "draw": lambda line, _, name: f"{who(line, name)} drew a card.",
    "drew": lambda line, data, name: f"{who(line, name)} drew {show(data['card'])}.",
    "take": lambda line, data, name: f"{who(line, name)} took {show(data['card'])} from the pile.",
    "meld": lambda line, data, name: f"{who(line, name)} melded {row(data['cards'])}.",
    "lay_off": lambda line, data, name: f"{who(line, name)} laid off {laid_on(data['plays'], line.seat, name)}.",
    "discard": lambda line, data, name: f"{who(line, name)} discarded {show(data['card'])}.",
    "reshuffle": lambda _, data, name: f"{data['cards']} cards of the pile were shuffled into a new stock.",
    "stalled": lambda _, data, name: f"{data['turns']} turns in a row passed without a draw: the hand ends here.",
    "end_hand": lambda line, _, name: f"{who(line, name)} ended the hand: there was nothing left to draw.",
    "hand": _hand,
    "resigned": lambda line, _, name: f"{who(line, name)} resigned.",
    "deadline": lambda line, _, name: f"{who(line, name)} let the deadline pass and loses the game.",
    "over": _over,
}
