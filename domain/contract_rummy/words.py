"""The log in sentences."""

from typing import Any

from domain.cards import Seat
from domain.contract_rummy.contracts import contract
from domain.game import Line
from domain.words import Name, Sentences, counted, laid_on, row, show, who


def sentence(line: Line, name: Name) -> str:
    """A line of the log as a sentence."""
    return _SAID[line.kind](line, line.data, name)


def _dealt(_: Line, data: dict[str, Any], name: Name) -> str:
    wanted = contract(data["deal"])
    asks = [f"{n} {what}{'s' if n > 1 else ''}" for n, what in ((wanted.sets, "set"), (wanted.runs, "run")) if n]
    dealer = name(Seat(data["dealer"]))
    dealt = f"{dealer} dealt {data['cards']} cards each and turned up {show(data['upcard'])}."
    return f"Hand {data['deal']}, {' and '.join(asks)}: {dealt}"


def _went_down(line: Line, data: dict[str, Any], name: Name) -> str:
    won = [show(x["card"]) for x in data["swaps"]]
    swapped = f", winning a joker with {' and '.join(won)}" if won else ""
    return f"{who(line, name)} went down with {_melds(data)}{swapped}."


def _melds(data: dict[str, Any]) -> str:
    return " and ".join(row(meld["cards"]) for meld in data["melds"])


def _swap(line: Line, data: dict[str, Any], name: Name) -> str:
    won = laid_on([data], line.seat, name)
    joker = laid_on([{"card": data["joker"], "meld": data["to"], "owner": data["to_owner"]}], line.seat, name)
    return f"{who(line, name)} laid {won} and its {joker}."


def _closed(_: Line, data: dict[str, Any], name: Name) -> str:
    card = show(data["card"])
    if data["buyer"] is None:
        return f"Buying has closed: nobody buys {card}."
    return f"Buying has closed: {name(Seat(data['buyer']))} is to have {card}."


def _slow(_: Line, data: dict[str, Any], name: Name) -> str:
    return f"The table waits for {' and '.join(name(Seat(i)) for i in data['seats'])}."


def _hand(_: Line, data: dict[str, Any], name: Name) -> str:
    start = "Nobody went out" if data["out"] is None else f"{name(Seat(data['out']))} went out"
    scores = ", ".join(f"{name(Seat(i))} {points}" for i, points in enumerate(data["score"]))
    return f"{start}. Points held: {scores}."


def _over(_: Line, data: dict[str, Any], name: Name) -> str:
    winners = " and ".join(name(Seat(i)) for i in data["winners"])
    return f"The game is over. {winners} won with {counted(min(data['totals']))}."


_SAID: Sentences = {
    "dealt": _dealt,
    "take": lambda line, data, name: f"{who(line, name)} took {show(data['card'])}.",
    "draw": lambda line, _, name: f"{who(line, name)} drew a card.",
    "decline": lambda line, data, name: (
        f"{who(line, name)} does not want {show(data['card'])} and waits for the stock."
    ),
    "claim": lambda line, data, name: f"{who(line, name)} would buy {show(data['card'])}.",
    "passed_for": lambda line, data, name: f"{who(line, name)} passed for {name(Seat(data['seat']))}.",
    "slow": _slow,
    "closed": _closed,
    "bought": lambda line, data, name: f"{who(line, name)} bought {show(data['card'])} and drew a card with it.",
    "go_down": _went_down,
    "lay_off": lambda line, data, name: f"{who(line, name)} laid off {laid_on(data['plays'], line.seat, name)}.",
    "swap": _swap,
    "go_out": lambda line, data, name: f"{who(line, name)} went out with {_melds(data)}.",
    "discard": lambda line, data, name: f"{who(line, name)} discarded {show(data['card'])}.",
    "reshuffle": lambda _, data, __: f"{data['cards']} cards of the pile were shuffled into a new stock.",
    "dry": lambda _, __, ___: "The stock is out and nothing is left to remake it: the hand ends.",
    "stalled": lambda _, __, ___: "The stock has been remade too often: the hand ends.",
    "hand": _hand,
    "ready": lambda line, _, name: f"{who(line, name)} asked for the next hand.",
    "over": _over,
}
PUBLIC = frozenset(_SAID)  # every kind of line; none names a card that is hidden, and a pass makes no line
