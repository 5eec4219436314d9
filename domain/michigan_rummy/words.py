"""The log in sentences."""

from collections.abc import Iterable
from typing import Any

from domain.cards import Seat
from domain.game import Line
from domain.melds import Meld
from domain.michigan_rummy.state import Way
from domain.words import Name, Sentences, counted, laid_on, row, show, signed, who


def sentence(line: Line, name: Name) -> str:
    """A line of the log as a sentence."""
    return _SAID[line.kind](line, line.data, name)


def _dealt(line: Line, data: dict[str, Any], name: Name) -> str:
    dealer = name(Seat(data["dealer"]))
    return f"Hand {data['deal']}: {dealer} dealt {data['cards']} cards each and turned up {show(data['upcard'])}."


def _took(line: Line, data: dict[str, Any], name: Name) -> str:
    cards = data["cards"]
    must = f", and must meld {show(cards[0])}" if len(cards) > 1 else ""
    return f"{who(line, name)} took {row(cards)} from the pile{must}."


def _melded(line: Line, data: dict[str, Any], name: Name) -> str:
    parts = [f"melded {' and '.join(row(meld['cards']) for meld in data['melds'])}"] if data["melds"] else []
    if data["plays"]:
        parts.append(f"played {laid_on(data['plays'], line.seat, name)}")
    return f"{who(line, name)} {' and '.join(parts)} for {counted(data['points'])}."


def _hand(line: Line, data: dict[str, Any], name: Name) -> str:
    start = "Nobody went out" if data["out"] is None else f"{name(Seat(data['out']))} went out"
    scores = ", ".join(f"{name(Seat(i))} {signed(points)}" for i, points in enumerate(data["score"]))
    return f"{start}. Scores: {scores}."


def _over(line: Line, data: dict[str, Any], name: Name) -> str:
    winners = " and ".join(name(Seat(i)) for i in data["winners"])
    return f"The game is over. {winners} won with {counted(max(data['totals']))}."


_SAID: Sentences = {
    "dealt": _dealt,
    "draw": lambda line, _, name: f"{who(line, name)} drew a card.",
    "drew": lambda line, data, name: f"{who(line, name)} drew {show(data['card'])}.",
    "take": _took,
    "meld": _melded,
    "discard": lambda line, data, name: f"{who(line, name)} discarded {show(data['card'])}.",
    "reshuffle": lambda _, data, name: f"{data['cards']} cards of the pile were shuffled into a new stock.",
    "stalled": lambda _, data, name: "The hand has stalled and ends here.",
    "hand": _hand,
    "ready": lambda line, _, name: f"{who(line, name)} asked for the next hand.",
    "over": _over,
}


def told(way: Way | None, top: bool, melds: Iterable[Meld]) -> str:
    """How the card of a pick would be melded, for the seat that looks at it."""
    if top:
        return "The top card is free to take."
    if way is None:
        return "You could not meld this card now."
    if way.how == "new":
        return f"Makes a new meld with {row(way.uses)}."
    on = next(m for m in melds if m.id == way.move.plays[0].meld)
    after = f" after {row(way.uses)}" if way.uses else ""
    return f"Goes on the {on.kind} {row(on.cards)} of seat {on.owner}{after}."
