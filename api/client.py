"""A client that trusts nobody: it draws its own cut, checks what the house signed, and only then opens it.

Used by `faircut play` and by tests; a page served by an operator could leak a cut, a program of your own does not.
"""

import os
import secrets
from typing import Any, Self

import httpx
import msgspec

from domain import chance, events
from replay.notes import KeyFault, Keys, NoteError, verify


class Refused(Exception):
    """The house said no: the code for programs, the words for people."""

    def __init__(self, status: int, code: str, words: str) -> None:
        super().__init__(f"{code}: {words}")
        self.status, self.code, self.words = status, code, words


class Distrust(Exception):
    """What the house showed does not hold together: the cut stays here."""


class Client:
    """One person at one house. `keys` vouch for its signature; without them those that it publishes are taken."""

    def __init__(self, url: str, keys: Keys | None = None, token: str | None = None) -> None:
        self.http = httpx.Client(base_url=url, timeout=30)
        self.keys = keys or self._published()
        self._cuts: dict[str, tuple[int, bytes, str]] = {}  # by table: seat, cut, promise
        if token:
            self.http.headers["authorization"] = f"Bearer {token}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def __repr__(self) -> str:
        return f"<Client of {self.http.base_url}>"

    def _published(self) -> Keys:
        answer = self.http.get("/.well-known/faircut/keys")
        try:
            return Keys.parse(answer.raise_for_status().content)
        except (httpx.HTTPStatusError, KeyFault):
            where = f"{self.http.base_url} publishes no keys that can be read"
            raise Distrust(f"{where}: is it the address of a Faircut house?") from None

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The decoded answer. Raises Refused."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.http.request(method, path, json=body, headers=named)
        if answer.status_code >= 400:
            problem = answer.json() if "json" in answer.headers.get("content-type", "") else {}
            raise Refused(answer.status_code, problem.get("code", "?"), problem.get("detail", answer.reason_phrase))
        return answer.json() if "json" in answer.headers.get("content-type", "") else answer.text

    def guest(self, name: str) -> str:
        """Become a guest; the token, which this client uses from now on."""
        token: str = self.call("POST", "/guests", {"name": name})["token"]
        self.http.headers["authorization"] = f"Bearer {token}"
        return token

    def open(self, game: str, seats: int, options: dict[str, Any] | None = None) -> dict[str, Any]:
        """Open a table and be its host."""
        body = {"game": game, "seats": seats, "options": options or {}}
        opened: dict[str, Any] = self.call("POST", "/tables", body)["table"]
        return opened

    def table(self, table: str) -> dict[str, Any]:
        """The table as this person sees it."""
        seen: dict[str, Any] = self.call("GET", f"/tables/{table}")["table"]
        return seen

    def sit(self, table: str, seat: int) -> dict[str, Any]:
        """Take a seat, promising a cut that stays here until the start has been checked. Raises Refused, Distrust."""
        opening = self.call("GET", f"/tables/{table}/opening")
        d_1 = self._digests(table, opening, "opened")[0]
        cut = os.urandom(32)
        promise = chance.promise(d_1, seat, cut).hex()
        done: dict[str, Any] = self.call("POST", f"/tables/{table}/seats/{seat}", {"promise": promise})["table"]
        self._cuts[table] = seat, cut, promise
        return done

    def bot(self, table: str, level: str) -> dict[str, Any]:
        """Sit a bot down on the first free seat (the host)."""
        done: dict[str, Any] = self.call("POST", f"/tables/{table}/bots", {"level": level})["table"]
        return done

    def start(self, table: str) -> dict[str, Any]:
        """Close the seats (the host)."""
        done: dict[str, Any] = self.call("POST", f"/tables/{table}/start")["table"]
        return done

    def cut(self, table: str) -> dict[str, Any]:
        """Open the promised cut, once the signed start is seen to hold the promise. Raises Refused, Distrust."""
        seat, cut, promise = self._cuts[table]
        opening = self.call("GET", f"/tables/{table}/opening")
        if not opening["started"]:
            raise Distrust("the house shows no signed start: the cut is not due")
        digests = self._digests(table, opening, "started")
        started = [events.decode_strict(text.encode()) for text in opening["events"][: len(digests)]][-1]
        if not isinstance(started, events.Started) or seat >= len(started.cuts) or started.cuts[seat] != promise:
            raise Distrust("the signed start does not hold the promise of this seat's cut")
        done: dict[str, Any] = self.call("POST", f"/tables/{table}/cut", {"cut": cut.hex()})["table"]
        return done

    def move(self, table: str, key: str | None, move: dict[str, Any], command: str | None = None) -> dict[str, Any]:
        """Make a move; the whole answer, with its receipt. Raises Refused."""
        command = command or secrets.token_hex(16)
        body = {"key": key, "move": move}
        done: dict[str, Any] = self.call("POST", f"/tables/{table}/moves", body, idempotency_key=command)
        return done

    def legal(self, table: str) -> list[dict[str, Any]]:
        """Moves that this person's seat may make now."""
        moves: list[dict[str, Any]] = self.call("GET", f"/tables/{table}/legal")["legal"]
        return moves

    def helps(self, table: str) -> dict[str, Any]:
        """Hints for this person's seat."""
        found: dict[str, Any] = self.call("GET", f"/tables/{table}/helps")["helps"]
        return found

    def _digests(self, table: str, opening: dict[str, Any], kind: str) -> list[bytes]:
        """d_1, … up to the event of a kind, worked out from the events shown and found in the signed note of it."""
        d, digests = chance.first_digest(table), []
        for text in opening["events"]:
            raw = text.encode()
            try:
                event = events.decode_strict(raw)
            except (ValueError, msgspec.ValidationError) as fault:
                raise Distrust(f"an event that the house shows is malformed: {fault}") from None
            d = chance.node(d, chance.leaf(chance.ZERO, raw))
            digests.append(d)
            if type(event).__name__.lower() == kind:
                break
        try:
            note = verify(opening[kind].encode(), self.keys, kind)  # type: ignore[arg-type]
        except NoteError as fault:
            raise Distrust(f"the signed {kind} note does not hold: {fault}") from None
        if note.id != table or note.digest != d:
            raise Distrust(f"the signed {kind} note is not of the events that the house shows")
        return digests
