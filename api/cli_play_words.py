"""What `faircut play` shows and understands: cards as people write them, moves and the table in words."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from domain.cards import face, is_card, is_joker
from domain.events import LEVELS

ASIDES = ("buy_pref", "pass_for", "resign")  # moves that leave open what a seat is asked
_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def shown(card: str) -> str:
    """A card as people write it.

    >>> shown("TD1"), shown("*2"), shown("9C1")
    ('10♦', 'joker', '9♣')
    """
    return "joker" if is_joker(card) else card[0].replace("T", "10") + _SUITS[card[1]]


def plain(value: Any) -> str:
    """A part of a view or a move on one line.

    >>> plain(["TD1", "*2", "9C1"]), plain([{"id": 3, "cards": ["QS1", "QH2"]}]), plain([])
    ('10♦ joker 9♣', '#3 Q♠ Q♥', '–')
    """
    if isinstance(value, dict):
        if "cards" in value:
            return (f"#{value['id']} " if "id" in value else "") + plain(value["cards"])
        return " ".join(f"{name} {plain(part)}" for name, part in value.items())
    if isinstance(value, list):
        joint = "  " if any(isinstance(part, dict | list) for part in value) else " "
        return joint.join(plain(part) for part in value) or "–"
    return shown(value) if isinstance(value, str) and is_card(value) else str(value)


def spoken(move: dict[str, Any], view: dict[str, Any]) -> str:
    """A move in words.

    >>> spoken({"type": "take", "at": 1}, {"pile": ["2S1", "TD1", "*1"]})
    'take 10♦ joker'
    >>> spoken({"type": "lay_off", "plays": [{"card": "9C1", "meld": 2}]}, {})
    'lay off card 9♣ meld 2'
    """
    if move["type"] == "take" and "at" in move and view.get("pile"):
        meld = f" and lay {plain(move['meld'])}" if move.get("meld") else ""
        return f"take {plain(view['pile'][move['at'] :])}{meld}"
    bare = ("type", "melds", "card", "cards", "plays")
    parts = [("" if name in bare else f"{name} ") + plain(value) for name, value in move.items()]
    return " ".join(parts).replace("_", " ")


def in_order(moves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Moves with those last that answer no question."""
    return sorted(moves, key=lambda move: move["type"] in ASIDES)


def only(moves: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The move that answers the question, if there is but one."""
    answers = [move for move in moves if move["type"] not in ASIDES]
    return answers[0] if len(answers) == 1 else None


def meant(text: str, hand: Sequence[str]) -> dict[str, Any]:
    """A move typed as JSON. Cards of the hand may be named without their pack. Raises ValueError.

    >>> meant('{"type":"meld","cards":["TD","10♦","joker","9C2"]}', ["*1", "TD1", "TD2", "9C2"])
    {'type': 'meld', 'cards': ['TD1', 'TD2', '*1', '9C2']}
    """
    move = json.loads(text)
    if not isinstance(move, dict):
        raise ValueError("a move is an object")
    left = list(hand)

    def card(name: str) -> str:
        found = next((one for one in left if name in (one, face(one), shown(one))), None)
        if found:
            left.remove(found)
        return found or name

    def full(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: full(part) for name, part in value.items()}
        if isinstance(value, list):
            return [full(part) for part in value]
        return card(value) if isinstance(value, str) else value

    return {name: value if name == "type" else full(value) for name, value in move.items()}


# -- what a game offers -----------------------------------------------------------------------------------------------


def any_of(values: Sequence[Any]) -> str:
    """Values as a choice in words.

    >>> any_of([3, 4]), any_of(["a", "b", "c"])
    ('3 or 4', 'a, b or c')
    """
    *first, last = map(str, values)
    return f"{', '.join(first)} or {last}" if first else last


def _span(values: Sequence[int]) -> str:
    steps = list(values) == list(range(values[0], values[-1] + 1))
    return f"{values[0]} to {values[-1]}" if steps and len(values) > 2 else any_of(values)


def seats_amiss(game: dict[str, Any], levels: Sequence[str], people: int) -> str | None:
    """Why a game of the catalogue cannot be played by these bots and so many people, and what can; None if it can."""
    seats = game["bots"] if levels else game["seats"]
    if len(levels) + people in seats:
        return None
    if not game["bots"]:
        return f"{game['title']} is for people only."
    count = min(game["bots"], key=lambda n: abs(n - people - len(levels))) - people
    row = (list(levels) + [LEVELS[-1]] * count)[:count]
    watch = "" if people else "--watch "
    return f"{game['title']} with bots needs {_span(game['bots'])} seats: {watch}--bots {','.join(row)}"


def options_amiss(game: dict[str, Any], options: dict[str, Any]) -> Iterator[str]:
    """What a game of the catalogue has not among these options, and what it has."""
    offered = {option["name"]: option for option in game["options"]}
    for name, value in options.items():
        if name not in offered:
            yield f"{game['title']} has no such option: take {any_of(list(offered))}."
            continue
        option = offered[name]
        low, high, values = option.get("minimum"), option.get("maximum"), option["values"]
        if values and value not in values:
            yield f"{name} can be {any_of(values)}: --set {name}={values[0]}"
        elif not values and low is not None and high is not None and not (type(value) is int and low <= value <= high):
            yield f"{name} can be a number from {low} to {high}: --set {name}={option['default']}"
