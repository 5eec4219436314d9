"""The log in sentences."""

from collections.abc import Sequence
from typing import Any

from domain.cards import Seat
from domain.game import Line
from domain.thai_rummy.state import Way
from domain.words import Name, Sentences, counted, laid_on, row, show, signed, who


def sentence(line: Line, name: Name) -> str:
    """A line of the log as a sentence."""
    return _SAID[line.kind](line, line.data, name)


def _dealt(line: Line, data: dict[str, Any], name: Name) -> str:
    dealer = name(Seat(data["dealer"]))
    return f"Hand {data['deal']}: {dealer} dealt {data['cards']} cards each and turned up {show(data['upcard'])}."


def _take(line: Line, data: dict[str, Any], name: Name) -> str:
    laid = f"laid {row(data['meld']['cards'])} for {counted(data['points'])}"
    return f"{who(line, name)} took {row(data['cards'])} from the pile and {laid}."


def _extend(line: Line, data: dict[str, Any], name: Name) -> str:
    return f"{who(line, name)} laid {laid_on([data], line.seat, name)} for {counted(data['points'])}."


def _discard(line: Line, data: dict[str, Any], name: Name) -> str:
    gift = ", which fits a meld on the table: a gift" if data["gift"] else ""
    return f"{who(line, name)} discarded {show(data['card'])}{gift}."


def _hand(line: Line, data: dict[str, Any], name: Name) -> str:
    start = "Nobody went out" if data["out"] is None else f"{name(Seat(data['out']))} went out"
    scores = ", ".join(f"{name(Seat(i))} {signed(points)}" for i, points in enumerate(data["score"]))
    return f"{start}. Scores: {scores}."


def _over(line: Line, data: dict[str, Any], name: Name) -> str:
    winners = [Seat(seat) for seat in data["winners"]]
    points = data["totals"][winners[0]]
    return f"The game is over. {' and '.join(map(name, winners))} won with {counted(points)}."


_SAID: Sentences = {
    "dealt": _dealt,
    "draw": lambda line, _, name: f"{who(line, name)} drew a card.",
    "drew": lambda line, data, name: f"{who(line, name)} drew {show(data['card'])}.",
    "take": _take,
    "pass": lambda line, _, name: f"{who(line, name)} passed.",
    "meld": lambda line, data, name: (
        f"{who(line, name)} laid {row(data['meld']['cards'])} for {counted(data['points'])}."
    ),
    "extend": _extend,
    "discard": _discard,
    "out": lambda line, _, name: f"{who(line, name)} laid the last card face down.",
    "passed_out": lambda _, data, name: "Everyone has passed: the hand ends here.",
    "hand": _hand,
    "ready": lambda line, _, name: f"{who(line, name)} asked for the next hand.",
    "over": _over,
}


def told(ways: Sequence[Way], above: int) -> str:
    """What a card of the pile would bring, for the seat that looks at it. `above`: cards that lie on it."""
    if not ways:
        return "You could not lay this card in a new meld with a card of your hand."
    with_it = f" and the {above} above" if above > 1 else " and the one above" if above else ""
    return f"Take it{with_it}, and lay {row(ways[0].cards)} for {ways[0].points} points."
