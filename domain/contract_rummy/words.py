"""The log in sentences, and cards as people write them."""

from collections.abc import Callable, Iterable
from typing import Any

from domain.cards import Seat
from domain.contract_rummy.contracts import contract
from domain.figures import counted
from domain.game import Line

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}

Name = Callable[[Seat], str]


def show(card: str) -> str:
    """A card as people write it.

    >>> show("TH2"), show("*1")
    ('10♥', 'joker')
    """
    return "joker" if card[0] == "*" else card[0].replace("T", "10") + _SUITS[card[1]]


def row(cards: Iterable[str]) -> str:
    """Cards as people write them, in order."""
    return " ".join(map(show, cards))


def sentence(line: Line, name: Name) -> str:
    """A line of the log as a sentence."""
    who = name(line.seat) if line.seat is not None else "Nobody"
    return _SAID[line.kind](who, line.data, name)


def _dealt(_: str, data: dict[str, Any], name: Name) -> str:
    wanted = contract(data["deal"])
    asks = [f"{n} {what}{'s' if n > 1 else ''}" for n, what in ((wanted.sets, "set"), (wanted.runs, "run")) if n]
    dealer = name(Seat(data["dealer"]))
    dealt = f"{dealer} dealt {data['cards']} cards each and turned up {show(data['upcard'])}."
    return f"Hand {data['deal']}, {' and '.join(asks)}: {dealt}"


def _went_down(who: str, data: dict[str, Any], _: Name) -> str:
    won = [show(x["card"]) for x in data["swaps"]]
    swapped = f", winning a joker with {' and '.join(won)}" if won else ""
    return f"{who} went down with {' and '.join(row(meld['cards']) for meld in data['melds'])}{swapped}."


def _closed(_: str, data: dict[str, Any], name: Name) -> str:
    card = show(data["card"])
    if data["buyer"] is None:
        return f"Buying has closed: nobody buys {card}."
    return f"Buying has closed: {name(Seat(data['buyer']))} is to have {card}."


def _slow(_: str, data: dict[str, Any], name: Name) -> str:
    return f"The table waits for {' and '.join(name(Seat(i)) for i in data['seats'])}."


def _hand(_: str, data: dict[str, Any], name: Name) -> str:
    start = "Nobody went out" if data["out"] is None else f"{name(Seat(data['out']))} went out"
    scores = ", ".join(f"{name(Seat(i))} {points}" for i, points in enumerate(data["score"]))
    return f"{start}. Points held: {scores}."


def _over(_: str, data: dict[str, Any], name: Name) -> str:
    winners = " and ".join(name(Seat(i)) for i in data["winners"])
    return f"The game is over. {winners} won with {counted(min(data['totals']))}."


_SAID: dict[str, Callable[[str, dict[str, Any], Name], str]] = {
    "dealt": _dealt,
    "take": lambda who, data, _: f"{who} took {show(data['card'])}.",
    "draw": lambda who, _, __: f"{who} drew a card.",
    "decline": lambda who, data, _: f"{who} does not want {show(data['card'])} and waits for the stock.",
    "claim": lambda who, data, _: f"{who} would buy {show(data['card'])}.",
    "passed_for": lambda who, data, name: f"{who} passed for {name(Seat(data['seat']))}.",
    "slow": _slow,
    "closed": _closed,
    "bought": lambda who, data, _: f"{who} bought {show(data['card'])} and drew a card with it.",
    "go_down": _went_down,
    "lay_off": lambda who, data, _: f"{who} laid off {row(play['card'] for play in data['plays'])}.",
    "swap": lambda who, data, _: f"{who} won a joker with {show(data['card'])} and laid it off.",
    "go_out": lambda who, data, _: f"{who} went out with {' and '.join(row(m['cards']) for m in data['melds'])}.",
    "discard": lambda who, data, _: f"{who} discarded {show(data['card'])}.",
    "reshuffle": lambda _, data, __: f"{data['cards']} cards of the pile were shuffled into a new stock.",
    "dry": lambda _, __, ___: "The stock is out and nothing is left to remake it: the hand ends.",
    "stalled": lambda _, __, ___: "The stock has been remade too often: the hand ends.",
    "hand": _hand,
    "ready": lambda who, _, __: f"{who} asked for the next hand.",
    "over": _over,
}
PUBLIC = frozenset(_SAID)  # every kind of line; none names a card that is hidden, and a pass makes no line
