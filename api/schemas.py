"""What the API takes and gives, as closed structs: a field that is not named here is refused."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from domain.events import Hex32, Level
from domain.game import Hidden
from domain.offers import Offer
from domain.registry import GAMES, newest
from projections.views import LineView, TableView

_GAMES = sorted(GAMES)
_MOVES = {"anyOf": [{"$ref": f"#/components/schemas/{name}.Move"} for name in _GAMES]}
_OPTIONS = {"anyOf": [{"$ref": f"#/components/schemas/{name}.Options"} for name in _GAMES]}
_VIEWS = {"anyOf": [{"$ref": f"#/components/schemas/{name}.View"} for name in _GAMES] + [{"type": "null"}]}
_ARRANGED = {"anyOf": [{"$ref": f"#/components/schemas/{name}.Arranged"} for name in _GAMES
                       if newest(name).Arranged is not None] + [{"type": "null"}]}  # fmt: skip
_HELPS = {"anyOf": [{"$ref": f"#/components/schemas/{name}.Helps"} for name in _GAMES]}

Name = Annotated[str, Meta(min_length=1, max_length=24)]
Emote = Literal["hello", "thanks", "nice", "wow", "oops", "laugh"]
SeatNumber = Annotated[int, Meta(ge=0, le=63)]
Move = Annotated[dict[str, Any], Meta(extra_json_schema=_MOVES)]


class _Body(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class GuestBody(_Body, frozen=True):
    """How a guest wants to be called: letters, marks, digits, spaces and `.,'_-`."""

    name: Name


class NameBody(_Body, frozen=True):
    """How you want to be called from now on, as in `GuestBody`."""

    name: Name


class OpenBody(_Body, frozen=True):
    """A table to open. An option that is left out has its default; watchers see `watch_delay` ms late."""

    game: Annotated[str, Meta(max_length=64)]
    seats: Annotated[int, Meta(ge=1, le=63)]
    options: Annotated[dict[str, Any], Meta(max_length=64, extra_json_schema=_OPTIONS)] = {}
    watch_delay: Annotated[int, Meta(ge=0, le=3_600_000)] = 0


class SitBody(_Body, frozen=True):
    """The promise of a cut, as hex; null lets the house cut for you (then nobody can vouch that it did not choose)."""

    promise: Hex32 | None


class BotBody(_Body, frozen=True):
    """A bot to sit down: on the first free seat if none is named."""

    level: Level
    seat: SeatNumber | None = None


class CutBody(_Body, frozen=True):
    """The promised cut, as hex.

    Send it only once you hold the signed `started` note and found your promise in it.
    """

    cut: Hex32


class MoveBody(_Body, frozen=True):
    """A move and the key of the decision that it answers (in the table's `deciding`); a few kinds answer none."""

    move: Move
    key: Annotated[str, Meta(max_length=256)] | None = None


class OffersBody(_Body, frozen=True):
    """Cards picked from your hand."""

    picked: Annotated[tuple[Annotated[str, Meta(max_length=4)], ...], Meta(max_length=220)] = ()


class CoverBody(_Body, frozen=True):
    """An away seat and the bot that is to play it."""

    seat: SeatNumber
    level: Level


class SaysBody(_Body, frozen=True):
    """One of the two: a line of 1 to 140 characters that can be seen, or an emote."""

    text: Annotated[str, Meta(max_length=1000)] | None = None
    emote: Emote | None = None


class WatchersBody(_Body, frozen=True):
    """Whether watchers may talk at the table."""

    allowed: bool


class NoteBody(_Body, frozen=True):
    """A signed note of this house, as text."""

    note: Annotated[str, Meta(max_length=1024)]


class Nothing(_Body, frozen=True):
    """An empty object; no body at all will do as well."""


class Guest(Hidden, frozen=True, kw_only=True):
    """A new person. The token is shown this once: send it as `Authorization: Bearer …`."""

    person: str
    name: str
    token: str


class Me(Struct, frozen=True, kw_only=True):
    """Who a token stands for."""

    person: str
    name: str
    guest: bool


class Option(Struct, frozen=True, kw_only=True):
    """One choice of a table: one of its `values`, or if there are none a whole number from `minimum` to `maximum`."""

    name: str
    title: str
    description: str
    values: tuple[str | int, ...]
    minimum: int | None
    maximum: int | None
    default: str | int


class GameCard(Struct, frozen=True, kw_only=True):
    """A game of the catalogue. `bots`: at how many seats bots may play; `keyless`: types of move that name no key.

    `schemas`: JSON schemas of `move`, `view`, `helps`, `options`, perhaps `arranged`."""

    name: str
    title: str
    teaser: str
    rules: int
    seats: tuple[int, ...]
    bots: tuple[int, ...]
    keyless: tuple[str, ...]
    options: tuple[Option, ...]
    schemas: dict[str, dict[str, Any]]


class Games(Struct, frozen=True, kw_only=True):
    """The catalogue."""

    games: tuple[GameCard, ...]


class Receipt(Hidden, frozen=True, kw_only=True):
    """Proof that the house took your event: its bytes as text, blind and leaf as hex, and the signed `receipt` note."""

    event: str
    blind: str
    leaf: str
    note: str


class Done(Hidden, frozen=True, kw_only=True):
    """What a command did: your receipt, the lines it made for you, and the table as you see it after it."""

    seen: int
    receipt: Receipt
    lines: list[LineView]
    table: TableView


class LobbySeat(Struct, frozen=True, kw_only=True):
    """A seat as the lobby shows it.

    `level`: of the bot there; `cover`: of the bot that plays for its person.
    """

    kind: Literal["human", "bot"]
    name: str
    level: Level | None
    cover: Level | None
    left: bool


class LobbyTable(Struct, frozen=True, kw_only=True):
    """A table in the lobby.

    `opened_at`: wall-clock ms since 1970; `host`: whoever opened it; a free seat is null.
    """

    id: str
    game: str
    rules: int
    options: Annotated[dict[str, Any], Meta(extra_json_schema=_OPTIONS)]
    phase: Literal["open", "cutting", "playing"]
    host: str | None
    seats: tuple[LobbySeat | None, ...]
    watch_delay: int
    opened_at: int


class Lobby(Struct, frozen=True, kw_only=True):
    """Tables, newest first. `before`: asks for the next page, null on the last."""

    tables: list[LobbyTable]
    before: str | None


class ReplaySeat(Struct, frozen=True, kw_only=True):
    """Who held a seat at the end. `level`: of a bot. `cut`: whether its cut is in the chance: audits name who has none.

    `covered`: whether a bot played the seat at any point, for a person; `left`: whether its person had left.
    """

    kind: Literal["human", "bot"]
    name: str
    level: Level | None
    cut: bool
    covered: bool
    left: bool


class Replay(Struct, frozen=True, kw_only=True):
    """A table that has ended. `how`: played, resigned, deadline, voided, or what it was closed for.

    `places` (1 is best, ties share), `totals` and `sides` by seat; null if the game was not finished.
    `events`: in its record, at `/replays/{id}`. Times are wall-clock ms since 1970.
    """

    id: str
    game: str
    rules: int
    options: Annotated[dict[str, Any], Meta(extra_json_schema=_OPTIONS)]
    how: str
    places: tuple[int, ...] | None
    totals: tuple[int, ...] | None
    sides: tuple[int, ...] | None
    host: str | None
    seats: tuple[ReplaySeat | None, ...]
    opened_at: int
    started_at: int | None
    ended_at: int
    events: int


class Replays(Struct, frozen=True, kw_only=True):
    """Tables that have ended, latest first. `before`: asks for the next page, null on the last."""

    replays: list[Replay]
    before: str | None


class Seated(Hidden, frozen=True, kw_only=True):
    """A table and which of its people have been quiet for a minute (presence is no event: it moves no feed number).

    `next`: the table that follows, once this one has ended and somebody plays again; `watchers_say`: whether
    watchers may talk.
    """

    table: TableView
    quiet: tuple[int, ...]
    next: str | None
    watchers_say: bool


class ViewAnswer(Hidden, frozen=True, kw_only=True):
    """The game's own view and the viewer's feed number."""

    seen: int
    view: Annotated[Any, Meta(extra_json_schema=_VIEWS)]


class Lines(Hidden, frozen=True, kw_only=True):
    """Lines that came after a feed number, oldest first, and the viewer's feed number now."""

    seen: int
    lines: list[LineView]


class HelpsAnswer(Hidden, frozen=True, kw_only=True):
    """Hints for your own seat, from what it sees."""

    seen: int
    helps: Annotated[Any, Meta(extra_json_schema=_HELPS)]


class ArrangedAnswer(Hidden, frozen=True, kw_only=True):
    """A careful way to lay your hand besides what you keep; null if there is none."""

    seen: int
    arranged: Annotated[Any, Meta(extra_json_schema=_ARRANGED)]


class LegalAnswer(Hidden, frozen=True, kw_only=True):
    """Moves your seat may make now: all of one part, and one compound way where no single part will do.

    `more`: whether there are further ones that were left out.
    """

    seen: int
    legal: Annotated[list[Any], Meta(extra_json_schema={"items": _MOVES})]
    more: bool


class Offers(Hidden, frozen=True, kw_only=True):
    """What your seat may do with the picked cards, and the key of the question that is open to it, if one is."""

    seen: int
    key: str | None
    offers: tuple[Offer, ...]


class Opening(Hidden, frozen=True, kw_only=True):
    """What a client checks before it cuts: the signed notes of d_1 and d_s, and the events up to `started` as text."""

    opened: str
    started: str | None
    events: list[str]


class Ticket(Hidden, frozen=True, kw_only=True):
    """Opens one WebSocket on this table, within `expires_in` seconds."""

    ticket: str
    expires_in: int


class Known(Struct, frozen=True, kw_only=True):
    """Whether the log has what a note vouches for. If it has not, the table has been closed as `restored`."""

    known: bool


class Health(Struct, frozen=True, kw_only=True):
    """Whether the servers behind the API answer."""

    database: bool
    bus: bool


class Problem(Struct, frozen=True, kw_only=True):
    """Why a request was refused (RFC 9457): `code` is for programs and does not change, `detail` is for people."""

    type: Literal["about:blank"] = "about:blank"
    title: str
    status: int
    detail: str
    code: str


class StateFrame(Hidden, frozen=True, kw_only=True, tag="state", tag_field="type"):
    """A live feed's frame: the table as you see it now, and every line since the last such frame.

    It comes with the same `seen` and no lines when only `next`, `watchers_say` or somebody's name has changed.
    """

    seen: int
    lines: list[LineView]
    table: TableView
    quiet: tuple[int, ...]
    next: str | None
    watchers_say: bool


class BeatFrame(Struct, frozen=True, kw_only=True, tag="beat", tag_field="type"):
    """A live feed's heartbeat, every fifteen seconds: nothing has happened that you may know of."""

    quiet: tuple[int, ...]


class SaysFrame(Hidden, frozen=True, kw_only=True, tag="says", tag_field="type"):
    """A live feed's frame: somebody said something, as a text or an emote. The last few come again on every connect.

    `from`: their seat, null for a watcher; `who`: a random name of theirs, the same for as long as they are at this
    table; `id`: of this alone; `at`: wall-clock ms since 1970.
    """

    id: str
    from_: int | None = field(name="from")
    who: str
    name: str
    text: str | UnsetType = UNSET
    emote: Emote | UnsetType = UNSET
    at: int
