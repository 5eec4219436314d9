"""Tables that have ended, their records, and the keys that their notes are verified with."""

import asyncio
import hashlib
import re
from collections.abc import Mapping
from typing import Any, cast

import msgspec
from litestar import get

from api import frames, schemas, site
from api.lobby import LIMIT, page
from api.services import Services
from api.wire import TEXT, Asked, Refused, Reply, doc, encode, header, number, reply, services
from domain.chance import TABLE_ID
from domain.registry import newest
from projections import results
from projections.views import BOT_NAMES, NOBODY
from replay import record
from replay.tables import NoSuchTable

_VARY = (b"vary", b"accept")
_WEIGHT = re.compile(r"[01](\.[0-9]{0,3})?")
_QUERY = {
    "game": "tables of this game only",
    "before": "the answer's `before`, for the next page",
    "limit": f"tables on a page, {LIMIT} unless said, at most {results.PAGE}",
}


@get("/replays", opt=doc(schemas.Replays, auth="none", query=_QUERY, refuses=(400, 404)))
async def replays_listed(request: Asked) -> Reply:
    """Tables that have ended and that anyone may know of, latest first.

    Voided and closed ones are among them.
    """
    house, asked = services(request), request.query_params
    game = newest(asked["game"]).name if "game" in asked else None
    limit = max(1, number(request, "limit", LIMIT, results.PAGE))
    before_it = page(asked.get("before"))
    found = await house.pool.ask(
        lambda connection: results.finished(connection, house.clock(), game=game, before=before_it, limit=limit)
    )
    last = found[-1] if len(found) == limit else None
    before = f"{last.ended_at}.{last.id}" if last else None
    return reply(schemas.Replays(replays=await _shown(house, found), before=before))


async def _shown(house: Services, found: list[results.Result]) -> list[schemas.Replay]:
    whos = {s.who for result in found for s in result.seats if s and s.kind == "human"}
    names = await house.people.called(whos | {result.host for result in found if result.host})
    return [_told(result, names) for result in found]


def _told(r: results.Result, names: Mapping[str, str]) -> schemas.Replay:
    return schemas.Replay(
        id=r.id, game=r.game, rules=r.rules, options=r.options, how=r.how, places=r.places, totals=r.totals,
        sides=r.sides, host=names.get(r.host, NOBODY) if r.host else None, opened_at=r.opened_at,
        started_at=r.started_at, ended_at=r.ended_at, events=r.events,
        seats=tuple(_seat(sitter, names) for sitter in r.seats),
    )  # fmt: skip


def _seat(sitter: results.Sitter | None, names: Mapping[str, str]) -> schemas.ReplaySeat | None:
    if sitter is None:
        return None
    name = BOT_NAMES[sitter.level] if sitter.level else names.get(sitter.who, NOBODY)
    return schemas.ReplaySeat(
        kind=sitter.kind, name=name, level=sitter.level, cut=sitter.cut, covered=sitter.covered, left=sitter.left
    )


async def replay_frames(request: Asked) -> Reply:
    """A finished table event by event, with all hands open: the block of events in which the asked one is.

    Blocks have a fixed size; the answer says which, and how many events there are.
    """
    table_id = request.path_params["table_id"].partition(".")[0]
    n = number(request, "from", 1, record.MAX_EVENTS)
    house, shelf = services(request), _shelf(request)
    kept = shelf.kept(table_id)  # once anyone may have it, they may for ever
    if kept is None or await house.people.called(kept.names) != kept.names:
        text = await _record(house, table_id)
        whos = await asyncio.to_thread(frames.people, text)
        kept = await shelf.make(table_id, text, await house.people.called(whos))
    first, rows = kept.block(n)
    told, events = _told(kept.result, kept.names), cast(Any, msgspec.Raw(rows))
    body = encode(frames.ReplayFrames(replay=told, marks=kept.marks, first=first, block=frames.BLOCK, events=events))
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    named = [(b"etag", etag.encode())]
    if site.known(header(request, b"if-none-match"), etag):
        return Reply(304, b"", headers=named)
    return Reply(200, body, headers=named)


_FRAMES = doc(frames.ReplayFrames, auth="none", query={"from": "an event; its block of events is the answer"},
              refuses=(304, 400, 404))["doc"]  # fmt: skip


@get(
    "/replays/{table_id:str}",
    opt={**doc(kind="text/plain", auth="none", refuses=(404,)), "also": {".json": (replay_frames, _FRAMES)}},
)
async def replay(request: Asked) -> Reply:
    """The signed record of a table, once it has ended and everyone may see that: a text file to audit offline.

    Whoever would rather have HTML gets a page that shows the game; `.txt` behind the id is always the record, and
    `.json` the table event by event with all hands open.
    """
    table_id, dot, form = request.path_params["table_id"].partition(".")
    if dot and form not in ("txt", "json"):
        raise Refused(404, "NOT_FOUND", "There is nothing here.")
    if form == "json":
        return await replay_frames(request)
    if not dot and prefers_page(header(request, b"accept")):
        return site.page(site.SHELL, request).plus(*_VARY)
    answer = Reply(200, await _record(services(request), table_id), TEXT)
    return answer if dot else answer.plus(*_VARY)


async def _record(house: Services, table_id: str) -> bytes:
    """The record of a table that everyone may have. Raises Refused, NoSuchTable."""
    if not TABLE_ID.fullmatch(table_id):
        raise NoSuchTable
    stored = await house.pool.ask(lambda connection: results.record_of(connection, table_id, house.clock()))
    if stored is None:  # the read model may be a moment late
        live = await house.table(table_id)
        if not live.shown(None, house.clock()).table.revealed:
            raise Refused(404, "NO_SUCH_RECORD", "There is no record of this table yet.")
        stored = record.write(await house.tables.entries(table_id), house.signer)
    return stored


def _shelf(request: Asked) -> frames.Shelf:
    state = request.app.state
    if "shelf" not in state:
        state["shelf"] = frames.Shelf()
    found: frames.Shelf = state["shelf"]
    return found


def prefers_page(accept: str | None) -> bool:
    """Whether an Accept header would rather have HTML than plain text. Without a preference it is the record."""
    found = {"text/html": (0, 0.0), "text/plain": (0, 0.0)}  # how exactly each is named, and how much it is liked
    for part in (accept or "*/*").split(","):
        kind, *parameters = (word.strip().lower() for word in part.split(";"))
        liked = next((q[2:] for q in parameters if q.startswith("q=")), "1")
        weight = float(liked) if _WEIGHT.fullmatch(liked) else 0.0
        for name, (exact, _) in found.items():
            exactness = {name: 3, "text/*": 2, "*/*": 1}.get(kind, 0)
            if exactness > exact:
                found[name] = exactness, weight
    page, text = found["text/html"], found["text/plain"]
    return page[1] > text[1] or (page[1] == text[1] > 0 and page[0] > text[0])


@get("/.well-known/faircut/keys", opt=doc(kind="text/plain", auth="none"))
async def keys(request: Asked) -> Reply:
    """The keys that this house signs notes with: C2SP verifier keys, one a line."""
    return Reply(200, services(request).signer.verifier_line().encode() + b"\n", TEXT)


HANDLERS = [replays_listed, replay, keys]
