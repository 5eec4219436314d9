"""Positions: a game set up in any state from a few named fields, the rest as at a fresh deal's first turn.

The fields are those of the game's `Position`, whose type hints say what each holds. Cards may be written as
one string, `"AH1 9C1"`, or as a list. Once a place for cards is named, every such place that is not named is
empty, so the pack is the cards named. A meld takes id, kind and layers from its place and cards unless it names
them, and `next_id` follows the highest. All chance comes from `KEY`, so a position set up twice goes on in the
same way.
"""

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from domain import chance
from domain.cards import Card, Ms, is_card
from domain.game import Game, Illegal
from domain.melds import Style, laid

AnyGame = Game[Any, Any, Any, Any]

KEY = chance.h(chance.tag("case"))  # the table key of all positions, known to everyone

WIDE = Style(high=25)  # runs as any game may lay them, round the corner too


class CaseError(ValueError):
    """A file that is no case. The message says where and why."""


def set_up(game: AnyGame, options: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    """The game's state at a position. `named`: fields of the position; `null` lists those that are null.

    Without `seats` there are as many as `hands` has, else the fewest the game takes. Raises CaseError.
    """
    try:
        chosen = msgspec.convert(options, game.Options)
        seats = seats_of(game, named)
        game.check(chosen, seats)
        fresh = game.position(game.start(chosen, seats, Ms(0), chance.Chance(KEY)).state)
    except (msgspec.ValidationError, Illegal) as fault:
        raise CaseError(f"options: {fault}") from None
    position = _position(game, fresh, seats, named)
    try:
        state = game.place(chosen, position)
        again = game.position(state)
    except Exception as fault:  # place() owes an answer only for positions that can come up
        raise CaseError(f"position: the game cannot hold it: {type(fault).__name__}: {fault}") from fault
    for field in msgspec.structs.fields(type(again)):
        if getattr(again, field.name) != getattr(position, field.name):
            raise CaseError(f"position.{field.name}: the game cannot hold this beside the other fields")
    pack(game, state)
    return state


def pack(game: AnyGame, state: Any) -> list[Card]:
    """All cards of all places, sorted. Raises CaseError for one that is no card or lies in two places."""
    found: dict[Card, str] = {}
    for zone, cards in game.zones(state).items():
        for card in cards:
            if not is_card(card):
                raise CaseError(f"position: {card!r} in {zone} is no card")
            if card in found:
                raise CaseError(f"position: {card} lies in {found[card]} and in {zone}")
            found[card] = zone
    return sorted(found)


def seats_of(game: AnyGame, named: Mapping[str, Any]) -> int:
    """How many seats a position has, as far as it says. Raises CaseError."""
    hands = named.get("hands")
    seats = named.get("seats", len(hands) if isinstance(hands, list) else game.seats[0])
    if type(seats) is not int:
        raise CaseError("position.seats: a number is wanted")
    if isinstance(hands, list) and len(hands) != seats:
        raise CaseError(f"position.hands: {len(hands)} hands for {seats} seats")
    return seats


def _position(game: AnyGame, fresh: Struct, seats: int, named: Mapping[str, Any]) -> Any:
    hints = {field.name: field.type for field in msgspec.structs.fields(game.Position)}
    given = dict(named)
    given |= dict.fromkeys(_names(given.pop("null", []), "position.null"))
    if "seats" not in hints:
        given.pop("seats", None)
    known_only(given, hints, "position")
    whole = msgspec.to_builtins(fresh)
    if any(_is_place(hints[name]) for name in given):
        whole |= {name: _bare(whole[name], seats) for name, hint in hints.items() if _is_place(hint)}
        whole |= {name: None for name, hint in hints.items() if {Card, NoneType} <= set(_members(hint))}
    first_id = whole.get("next_id", 0)
    for name, value in given.items():
        where = f"position.{name}"
        if name == "melds" and isinstance(value, list):
            value = [_meld(hints[name], raw, first_id + i, f"{where}[{i}]") for i, raw in enumerate(value)]
        whole[name] = spelled(hints[name], value, where)
    if "next_id" in hints and "next_id" not in given and given.get("melds"):
        whole["next_id"] = 1 + max(meld["id"] for meld in whole["melds"])
    try:
        return msgspec.convert(whole, game.Position)
    except msgspec.ValidationError as fault:
        raise CaseError(f"position: {fault}") from None


def _names(value: Any, where: str) -> list[str]:
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return value
    raise CaseError(f"{where}: a list of names is wanted")


def known_only(given: Mapping[str, Any], known: Mapping[str, Any], where: str) -> None:
    """Raise CaseError for the first given field that is not known."""
    for name in given:
        if name not in known:
            raise CaseError(f"{where}.{name}: no such field; there are {', '.join(sorted(known))}")


def _members(hint: Any) -> tuple[Any, ...]:
    """The alternatives of a type hint without its annotations: one for most."""
    if get_origin(hint) is Annotated:
        return _members(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return tuple(part for arg in get_args(hint) for part in _members(arg))
    return (hint,)


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Struct)


def _holds(hint: Any) -> bool:
    """Whether a value of the type may contain cards."""
    for part in _members(hint):
        if part is Card or any(_holds(arg) for arg in get_args(part)):
            return True
        if _is_struct(part) and any(_holds(field.type) for field in msgspec.structs.fields(part)):
            return True
    return False


def _is_place(hint: Any) -> bool:
    """Whether the type is that of a place where cards lie, rather than of one card that is named."""
    return _holds(hint) and Card not in _members(hint)


def _bare(value: Any, seats: int) -> Any:
    """A place with its cards taken away. What has a hand, or perhaps a card, for each seat keeps its length."""
    if not isinstance(value, list | tuple):
        return None
    by_seat = len(value) == seats and all(part is None or isinstance(part, list | tuple) for part in value)
    return [None if part is None else [] for part in value] if by_seat else []


def _meld(hint: Any, raw: Any, number: int, where: str) -> Any:
    """A meld with what follows from its place and cards: id, kind, rank or suit and position, layers."""
    if not isinstance(raw, dict) or "cards" not in raw:
        raise CaseError(f"{where}: a meld names its cards")
    cards: Any = raw["cards"].split() if isinstance(raw["cards"], str) else raw["cards"]
    if not isinstance(cards, list) or not all(isinstance(card, str) and is_card(card) for card in cards):
        raise CaseError(f"{where}.cards: not all of these are cards")
    facts: dict[str, Any] = {"id": number}
    if "owner" in raw:
        facts["by"] = [raw["owner"]] * len(cards)
    try:
        lies = msgspec.to_builtins(laid(cards, WIDE))
        del lies["owner"], lies["by"]
    except ValueError:
        if "kind" not in raw:
            raise CaseError(f"{where}.cards: these lie as no meld") from None
        lies = {}
    if raw.get("kind", lies.get("kind")) == lies.get("kind"):
        facts = lies | facts
    item = next((arg for part in _members(hint) for arg in get_args(part) if arg is not Ellipsis), Any)
    known = {name for part in _members(item) if _is_struct(part) for name in _fields(part)}
    return {name: value for name, value in facts.items() if name in known} | raw | {"cards": cards}


def _fields(struct: type[Struct]) -> dict[str, Any]:
    """Type hint of each field, the tag's included, by the name it is written under."""
    hints = {field.encode_name: field.type for field in msgspec.structs.fields(struct)}
    tag_field = _config(struct).tag_field
    return hints | ({tag_field: str} if tag_field else {})


def _perhaps_null(struct: type[Struct]) -> list[str]:
    """Fields that must be given and may be null, which TOML cannot write: left out they are null."""
    fields = msgspec.structs.fields(struct)
    return [field.encode_name for field in fields if field.required and NoneType in _members(field.type)]


def _config(struct: Any) -> msgspec.structs.StructConfig:
    return struct.__struct_config__  # type: ignore[no-any-return]


def _choose(hint: Any, value: Any) -> Any:
    """The alternative of a type hint that a builtin value is meant for, or Any if that is not clear."""
    parts = [part for part in _members(hint) if part is not NoneType]
    if isinstance(value, dict):
        structs = [part for part in parts if _is_struct(part)]
        tagged = [part for part in structs if value.get(_config(part).tag_field or "") == _config(part).tag]
        parts = tagged if len(structs) > 1 else structs or parts
    elif isinstance(value, list | str):
        parts = [part for part in parts if get_origin(part) in (tuple, list, frozenset)] or parts
    return parts[0] if len(parts) == 1 else Any


def spelled(hint: Any, value: Any, where: str = "", strict: bool = True) -> Any:
    """The value with every string of cards split into a list where the type hint wants cards.

    A field of a struct that is left out is null if it may be.
    Raises CaseError for a field that a struct does not have, unless not `strict` (moves malformed on purpose).
    """
    part = _choose(hint, value)
    args = [arg for arg in get_args(part) if arg is not Ellipsis]
    if isinstance(value, str) and Card in args:
        return value.split()
    if isinstance(value, list) and args:
        inner = args if len(args) == len(value) else [args[0]] * len(value)
        return [spelled(inner[i], v, f"{where}[{i}]", strict) for i, v in enumerate(value)]
    if isinstance(value, dict) and _is_struct(part):
        hints = _fields(part)
        if strict:
            known_only(value, hints, where)
            value = dict.fromkeys(_perhaps_null(part)) | value
        return {k: spelled(hints.get(k, Any), v, f"{where}.{k}", strict) for k, v in value.items()}
    if isinstance(value, dict) and len(args) == 2:
        return {k: spelled(args[1], v, f"{where}.{k}", strict) for k, v in value.items()}
    return value
