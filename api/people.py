"""Who is who: people, their tokens and tickets, and under which random name each sits at a table.

None of it is in the log, which knows a person only by a `who` that is random for one table. A token is
kept as its SHA-256 and compared in constant time; it is shown once and never stands in a URL.
"""

import hashlib
import hmac
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from api.pool import Pool
from api.recent import Recent
from domain.game import Hidden
from domain.table import Table
from projections.views import BOT_NAMES, NOBODY

TICKET_MS = 30_000
QUIET_MS = 60_000  # a person of whom nothing has been heard for so long may be covered
AGO_MS = 1_000  # how old an answer about who is quiet may be
KEPT = 20_000  # tokens, and tables' names, that a process remembers

TABLES = (
    """
    CREATE TABLE IF NOT EXISTS people (
        id text PRIMARY KEY,
        name text NOT NULL,
        kind text NOT NULL,  -- guest
        created bigint NOT NULL  -- wall clock, ms since 1970, as in all of these
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS tokens (
        id text PRIMARY KEY,
        person text NOT NULL REFERENCES people ON DELETE CASCADE,
        hash bytea NOT NULL,
        created bigint NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS sitters (
        table_id text NOT NULL,
        person text NOT NULL REFERENCES people ON DELETE CASCADE,
        who text NOT NULL UNIQUE,
        touched bigint NOT NULL,  -- when the person last looked at the table
        PRIMARY KEY (table_id, person)
    )
    """,
    "CREATE INDEX IF NOT EXISTS sitters_person ON sitters (person)",
    """
    CREATE TABLE IF NOT EXISTS openings (
        person text NOT NULL REFERENCES people ON DELETE CASCADE,
        key text NOT NULL,
        table_id text NOT NULL,
        PRIMARY KEY (person, key)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS tickets (
        hash bytea PRIMARY KEY,
        table_id text NOT NULL,
        person text REFERENCES people ON DELETE CASCADE,
        expires bigint NOT NULL
    )
    """,
)

# Letters, marks and numbers that show nothing: fillers, joiners, variation selectors, blanks among the hieroglyphs.
BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\ufffc\U00013441\U00013442"
    "\U000e0100-\U000e01ef]"
)
_MARKS = 3  # on one letter, in any script, are read; more pile up
_TOKEN = re.compile(r"fc_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")


class Person(NamedTuple):
    """Somebody with a token."""

    id: str
    name: str
    guest: bool


class Newcomer(Hidden, frozen=True):
    """A person just made and the token, which is nowhere else."""

    person: Person
    token: str


class BadName(ValueError):
    """A name that cannot be shown; the message says why."""


def clean_name(name: str) -> str:
    """The name as it is kept and shown. Raises BadName."""
    name = " ".join(unicodedata.normalize("NFC", name).split(" "))
    if name != name.strip() or not name or len(name) > 24:
        raise BadName("A name has 1 to 24 characters and no space at its ends.")
    if BLANK.search(name):
        raise BadName("A name has no characters in it that cannot be seen.")
    if piled(name):
        raise BadName("A name has no more marks on a letter than can be read.")
    if _ours(name):
        raise BadName("The house itself uses that name: choose another.")
    for sign in name:
        kind = unicodedata.category(sign)
        if kind[0] not in "LMN" and sign not in " .,'’_-":
            raise BadName("A name is made of letters, digits, spaces and . , ' _ - signs.")
    if not any(unicodedata.category(sign)[0] in "LN" for sign in name):
        raise BadName("A name has a letter or digit in it.")
    return name


def piled(text: str) -> bool:
    """Whether a letter bears more marks than can be read: those that take no room of their own."""
    marks = "".join("m" if unicodedata.category(sign) in ("Mn", "Me") else " " for sign in text)
    return "m" * (_MARKS + 1) in marks


def _sound(name: str) -> str:
    """A name's letters and numbers alone, however they are written: what a reader takes it for."""
    plain = unicodedata.normalize("NFKD", name).translate(_LETTERS)
    plain = unicodedata.normalize("NFKD", plain.casefold())
    return "".join(sign for sign in plain if unicodedata.category(sign)[0] in "LN")


def _ours(name: str) -> bool:
    """Whether a reader takes a name for one of the house's own, numbered or not."""
    sound = _sound(name)
    return any(one.translate(_DIGITS) in _OURS for one in (sound, sound.rstrip("0123456789")))


# Cyrillic and Greek letters, then digits, that look like the Latin letters of the names below.
_LETTERS = str.maketrans(
    "\u0430\u0410\u0432\u0412\u044c\u0441\u0421\u0501\u0435\u0415\u04bb\u043d\u041d\u0456\u0406\u043c\u041c"
    "\u043e\u041e\u0433\u0455\u0405\u0442\u0422\u0443\u0423\u04af\u04ae"
    "\u03b1\u0391\u0392\u03b5\u0395\u0397\u03b9\u0399\u039c\u03bf\u039f\u03c4\u03a4\u03c5\u03a5",
    "aabbbccdeehhhiimmoorssttyyyyaabeehiimoottuy",
)
_DIGITS = str.maketrans("0135", "oies")
_SPEAKERS = ("You", "House", "The house", "Faircut")  # as which the page speaks of its reader and of itself
_OURS = {_sound(name) for name in (*BOT_NAMES.values(), NOBODY, *_SPEAKERS)}


def digest(secret: str) -> bytes:
    """What is stored of a token or ticket. They have 256 random bits, so that a plain hash is enough."""
    return hashlib.sha256(secret.encode()).digest()


class People:
    """The side tables of one database.

    Raises Unavailable, psycopg.OperationalError or PoolTimeout while it does not answer.
    """

    def __init__(self, pool: Pool, clock: Callable[[], int]) -> None:
        self._pool, self._clock = pool, clock
        self._tokens: Recent[str, tuple[bytes, Person]] = Recent(KEPT)
        self._called: Recent[str, str] = Recent(KEPT)  # people's names by their ids
        self._renamings = 0  # what was read before one of them is not kept
        self._sitters: Recent[tuple[str, str], str] = Recent(KEPT)
        self._names: Recent[str, dict[str, str]] = Recent(KEPT)
        self._looked: dict[tuple[str, str], int] = {}
        self._quiet: Recent[str, tuple[int, set[str]]] = Recent(KEPT)

    # -- people -------------------------------------------------------------------------------------------------------

    async def guest(self, name: str) -> Newcomer:
        """A new guest. Raises BadName."""
        person = Person(secrets.token_hex(8), clean_name(name), True)
        token_id, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
        now, kept = self._clock(), digest(secret)
        await self._pool.rows(
            "WITH made AS (INSERT INTO people (id, name, kind, created) VALUES (%s, %s, 'guest', %s) RETURNING id)"
            " INSERT INTO tokens (id, person, hash, created) SELECT %s, id, %s, %s FROM made",
            person.id, person.name, now, token_id, kept, now,
        )  # fmt: skip
        self._tokens.put(token_id, (kept, person))
        self._called.put(person.id, person.name)
        return Newcomer(person, f"fc_{token_id}_{secret}")

    async def holder(self, token: str) -> Person | None:
        """Whose token this is."""
        match = _TOKEN.fullmatch(token)
        if not match:
            return None
        token_id, secret = match.groups()
        known = self._tokens.get(token_id)
        name = self._called.get(known[1].id) if known else None
        if known is None or name is None:
            before = self._renamings
            rows = await self._pool.rows(
                "SELECT hash, people.id, name, kind FROM tokens JOIN people ON people.id = person WHERE tokens.id = %s",
                token_id,
            )
            if not rows:
                return None
            kept, person, name, kind = rows[0]
            known = bytes(kept), Person(person, name, kind == "guest")
            self._tokens.put(token_id, known)
            if before == self._renamings:
                self._called.put(person, name)
        return known[1]._replace(name=name) if hmac.compare_digest(known[0], digest(secret)) else None

    async def rename(self, person: Person, name: str) -> Person:
        """The person under another name. Raises BadName. Tell `renamed` here and elsewhere."""
        name = clean_name(name)
        await self._pool.rows("UPDATE people SET name = %s WHERE id = %s", name, person.id)
        return person._replace(name=name)

    async def renamed(self, person_id: str) -> list[str]:
        """A person is called otherwise now: at which tables that shows."""
        self._renamings += 1
        self._called.drop(person_id)
        found = [row[0] for row in await self._pool.rows("SELECT table_id FROM sitters WHERE person = %s", person_id)]
        for table_id in found:
            self._names.drop(table_id)
        return found

    def forget_names(self) -> None:
        """What people are called may have changed without our hearing of it."""
        self._renamings += 1
        self._called.clear()
        self._names.clear()

    # -- tables -------------------------------------------------------------------------------------------------------

    async def who(self, person: Person, table_id: str) -> str | None:
        """Under which name a person sits, or once sat, at a table."""
        known = self._sitters.get((table_id, person.id))
        if known is None:
            rows = await self._pool.rows(
                "SELECT who FROM sitters WHERE table_id = %s AND person = %s", table_id, person.id
            )
            if not rows:
                return None
            known = rows[0][0]
            self._sitters.put((table_id, person.id), known)
        return known

    async def admit(self, person: Person, table_id: str) -> str:
        """As `who`, made now if need be: random, for this table alone."""
        known = await self.who(person, table_id)
        if known is not None:
            return known
        await self._pool.rows(
            "INSERT INTO sitters (table_id, person, who, touched) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
            table_id, person.id, secrets.token_hex(12), self._clock(),
        )  # fmt: skip
        known = await self.who(person, table_id)
        assert known is not None
        return known

    async def opening(self, person: Person, key: str, table_id: str) -> str:
        """The table that a person opened under an Idempotency-Key: this one, unless there is one already."""
        rows = await self._pool.rows(
            "INSERT INTO openings (person, key, table_id) VALUES (%s, %s, %s)"
            " ON CONFLICT (person, key) DO UPDATE SET key = excluded.key RETURNING table_id",
            person.id, key, table_id,
        )  # fmt: skip
        return str(rows[0][0])

    async def names(self, table: Table) -> Mapping[str, str]:
        """What the people who sit at a table are called, by their `who`."""
        known = self._names.get(table.id)
        if known is not None and all(c is None or c.kind == "bot" or c.who in known for c in table.chairs):
            return known
        before = self._renamings
        rows = await self._pool.rows(
            "SELECT who, name FROM sitters JOIN people ON people.id = person WHERE table_id = %s", table.id
        )
        found: dict[str, str] = dict(rows)
        for chair in table.chairs:
            if chair and chair.kind == "human":
                found.setdefault(chair.who, NOBODY)  # no longer kept: ask no more
        if before == self._renamings:
            self._names.put(table.id, found)
        return found

    async def called(self, whos: Iterable[str]) -> dict[str, str]:
        """What people are called, by their `who` at any tables."""
        wanted = list(whos)
        if not wanted:
            return {}
        return dict(
            await self._pool.rows(
                "SELECT who, name FROM sitters JOIN people ON people.id = person WHERE who = ANY(%s)", wanted
            )
        )

    # -- presence -----------------------------------------------------------------------------------------------------

    def look(self, table_id: str, who: str) -> None:
        """A person looks at a table. Moves do not count: a secret one must not show in who is present."""
        self._looked[table_id, who] = self._clock()

    async def flush(self) -> None:
        """Store who has looked at which table."""
        looked, self._looked = self._looked, {}
        if looked:
            tables, whos = zip(*looked, strict=True)
            await self._pool.rows(
                "UPDATE sitters SET touched = greatest(touched, seen.at)"
                " FROM unnest(%s::text[], %s::text[], %s::bigint[]) AS seen (table_id, who, at)"
                " WHERE sitters.table_id = seen.table_id AND sitters.who = seen.who",
                list(tables), list(whos), list(looked.values()),
            )  # fmt: skip

    async def quiet_at(self, table_id: str) -> set[str]:
        """As `quiet` for one table, a second old at most: asked with every look at it."""
        now, known = self._clock(), self._quiet.get(table_id)
        if known is None or now - known[0] > AGO_MS:
            known = now, (await self.quiet([table_id])).get(table_id, set())
            self._quiet.put(table_id, known)
        return known[1]

    async def quiet(self, table_ids: list[str]) -> dict[str, set[str]]:
        """Who of each table's people has not looked at it for a minute."""
        since = self._clock() - QUIET_MS
        out: dict[str, set[str]] = {}
        for table_id, who in await self._pool.rows(
            "SELECT table_id, who FROM sitters WHERE table_id = ANY(%s) AND touched <= %s", table_ids, since
        ):
            if self._looked.get((table_id, who), since) <= since:
                out.setdefault(table_id, set()).add(who)
        return out

    # -- tickets ------------------------------------------------------------------------------------------------------

    async def ticket(self, person: Person | None, table_id: str) -> str:
        """A secret that opens one feed of a table, once, within half a minute."""
        secret, now = secrets.token_urlsafe(32), self._clock()
        await self._pool.rows(
            "WITH old AS (DELETE FROM tickets WHERE expires < %s)"
            " INSERT INTO tickets (hash, table_id, person, expires) VALUES (%s, %s, %s, %s)",
            now, digest(secret), table_id, person.id if person else None, now + TICKET_MS,
        )  # fmt: skip
        return secret

    async def redeem(self, ticket: str, table_id: str) -> tuple[Person | None] | None:
        """Whose ticket this was (a watcher's may be nobody's); None if it is none.

        It is used up, whatever comes of it.
        """
        rows = await self._pool.rows(
            "WITH used AS (DELETE FROM tickets WHERE hash = %s RETURNING table_id, person, expires)"
            " SELECT table_id, used.person, expires, name, kind FROM used LEFT JOIN people ON people.id = used.person",
            digest(ticket),
        )
        if not rows or rows[0][0] != table_id or rows[0][2] < self._clock():
            return None
        _, person, _, name, kind = rows[0]
        return (Person(person, name, kind == "guest") if person else None,)
