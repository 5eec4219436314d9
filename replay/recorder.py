"""How events lie in PostgreSQL: the library's recorder with our own append, and its mapper.

The stored `state` is an event's canonical bytes and nothing else; `topic` is its tag. All rows of an
append, and what becomes of the tables' timer rows, are one call of one function, so one round trip and one
commit.
"""

from collections.abc import Sequence
from struct import Struct as Packing
from typing import Any, NamedTuple

import msgspec
import psycopg
from eventsourcing.persistence import Mapper, StoredEvent, Transcoder
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from msgspec import Struct
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, Format
from psycopg.pq.abc import PGresult
from psycopg.sql import SQL, Composed, Identifier

GAP = "23F01"  # our SQLSTATE: an event whose predecessor is not there
LOCK = 0x46414952  # advisory lock under which events are appended, one transaction at a time


class Envelope(Struct, frozen=True):
    """One stored event as the library knows it: its table's id, its version there, its canonical bytes."""

    originator_id: str
    originator_version: int
    raw: bytes


class _Tagged(Struct):
    type: str


_tagged = msgspec.json.Decoder(_Tagged)


def topic(raw: bytes) -> str:
    """The tag of an event's bytes. Raises ValueError if they are not a JSON object with one."""
    try:
        return _tagged.decode(raw).type
    except msgspec.DecodeError:
        raise ValueError("an event is a JSON object with a type") from None


class Canonical(Transcoder):
    """Stands where the library wants a transcoder: our bytes are canonical before they get here."""

    def encode(self, obj: Any) -> bytes:
        if not isinstance(obj, bytes):
            raise TypeError("events are stored as the bytes they are")
        return obj

    def decode(self, data: bytes) -> Any:
        return data


class EnvelopeMapper(Mapper[str]):
    """Between envelopes and rows. Nothing is compressed, encrypted or named by a Python path."""

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        raw = self.transcoder.encode(domain_event.raw)
        return StoredEvent(domain_event.originator_id, domain_event.originator_version, topic(raw), raw)

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        raw = self.transcoder.decode(stored_event.state)
        return Envelope(str(stored_event.originator_id), stored_event.originator_version, raw)


class Timer(NamedTuple):
    """When a table is next due: the timer's key and the wall-clock time, ms since 1970."""

    key: str
    due_at: int


class Rows:
    """What one save stores: events column by column, and timers by table (None deletes one)."""

    __slots__ = ("ids", "states", "timers", "topics", "versions")

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.versions: list[int] = []
        self.topics: list[str] = []
        self.states: list[bytes] = []
        self.timers: dict[str, Timer | None] = {}


class Recorder(PostgresApplicationRecorder):
    """The library's recorder, with one function that locks, checks, inserts, moves timers and notifies.

    Positions (notification ids) come in the order of commits: who reads on from a position it has seen
    misses none. They are not gapless. An advisory lock does it, not a lock on the table, which would wait
    for every ANALYZE and VACUUM.
    """

    def __init__(self, datastore: PostgresDatastore, *, events_table_name: str = "stored_events") -> None:
        super().__init__(datastore, events_table_name=events_table_name)
        names: dict[str, Composed | Identifier | SQL] = {
            "function": Identifier(datastore.schema, f"{events_table_name}_append"),
            "table": Identifier(datastore.schema, events_table_name),
            "channel": Identifier(self.channel_name),
            "timers": Identifier(datastore.schema, "timers"),
            "lock": SQL(str(LOCK)),
        }
        self.sql_create_statements[self.create_insert_function_statement_index] = _FUNCTION.format(**names)
        self._append_statement = (
            SQL("SELECT {function}($1, $2, $3, $4, $5, $6, $7)").format(**names).as_bytes()
        )
        self.select_statement = (
            SQL(
                "SELECT originator_version, state FROM {table}"
                " WHERE originator_id = %s AND originator_version > %s AND originator_version <= %s"
                " ORDER BY originator_version"
            )
            .format(**names)
            .as_bytes()
        )
        self.follow_statement = (
            SQL(
                "SELECT notification_id, originator_id, originator_version, state FROM {table}"
                " WHERE notification_id > %s ORDER BY notification_id LIMIT %s"
            )
            .format(**names)
            .as_bytes()
        )

    def prepare(self, connection: psycopg.Connection[Any]) -> None:
        """Make a connection ready for `append`. Raises psycopg.Error."""
        types = (TEXTS, BIGINTS, TEXTS, BYTEAS, TEXTS, TEXTS, BIGINTS)
        result = connection.pgconn.prepare(_APPEND, self._append_statement, types)
        if result.error_field(DiagnosticField.SQLSTATE) != b"42P05":  # it has been prepared already
            _raise_fault(connection, result)

    def append(self, connection: psycopg.Connection[Any], rows: Rows) -> list[int]:
        """Store all rows or none, on a prepared autocommit connection; positions. On the disk when it returns.

        Raises psycopg.errors.UniqueViolation for a version that is taken, psycopg.DatabaseError with SQLSTATE GAP for
        one whose predecessor is missing, psycopg.OperationalError if the database did not answer.
        """
        timers = rows.timers
        columns = (
            texts(rows.ids), bigints(rows.versions), texts(rows.topics), byteas(rows.states), texts(list(timers)),
            texts([timer and timer.key for timer in timers.values()]),
            bigints([timer.due_at if timer else 0 for timer in timers.values()]),
        )  # fmt: skip
        # Not by psycopg's own execute, whose work for one statement is as much as ours for a whole save.
        result = connection.pgconn.exec_prepared(_APPEND, columns, [Format.BINARY] * 7, Format.BINARY)
        _raise_fault(connection, result)
        positions = result.get_value(0, 0)
        assert positions is not None
        return [position for _, position in _BIGINT.iter_unpack(positions[_HEAD.size :])]

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """The library's way in, for whoever saves through it: the same function, the library's errors."""
        rows = Rows()
        for event in stored_events:
            rows.ids.append(str(event.originator_id))
            rows.versions.append(event.originator_version)
            rows.topics.append(event.topic)
            rows.states.append(event.state)
        with self.datastore.get_connection() as connection:
            self.prepare(connection)
            return self.append(connection, rows)


_FUNCTION = SQL("""
CREATE OR REPLACE FUNCTION {function}(
    ids text[], versions bigint[], topics text[], states bytea[],
    t_ids text[], t_keys text[], t_dues bigint[]
) RETURNS bigint[] LANGUAGE plpgsql AS $body$
DECLARE
    positions bigint[];
BEGIN
    SET LOCAL lock_timeout = '10s';
    PERFORM pg_advisory_xact_lock({lock});
    WITH fresh AS (
        INSERT INTO {table} (originator_id, originator_version, topic, state)
        SELECT * FROM unnest(ids, versions, topics, states)
        RETURNING notification_id
    ) SELECT array_agg(notification_id) INTO positions FROM fresh;
    IF EXISTS (
        SELECT FROM unnest(ids, versions) AS own(id, version)
        WHERE version <> 1 AND NOT EXISTS (
            SELECT FROM {table} WHERE originator_id = own.id AND originator_version = own.version - 1)
    ) THEN
        RAISE EXCEPTION 'an event is missing before one of these' USING ERRCODE = '23F01';
    END IF;
    IF cardinality(t_ids) > 0 THEN
        DELETE FROM {timers} USING unnest(t_ids, t_keys) AS own(id, key)
        WHERE table_id = own.id AND own.key IS NULL;
        INSERT INTO {timers} AS old (table_id, key, due_at)
        SELECT * FROM unnest(t_ids, t_keys, t_dues) AS own(table_id, key, due_at) WHERE own.key IS NOT NULL
        ON CONFLICT (table_id) DO UPDATE SET key = excluded.key, due_at = excluded.due_at;
    END IF;
    NOTIFY {channel};
    RETURN positions;
END
$body$
""")

TEXTS, BIGINTS, BYTEAS = 1009, 1016, 1001  # type numbers of text[], bigint[], bytea[]
_APPEND = b"faircut_append"
_HEAD = Packing("!iiIii")  # dimensions, nulls?, type of the elements, how many, number of the first
_SIZE = Packing("!i")
_BIGINT = Packing("!iq")
_NULL = _SIZE.pack(-1)


def texts(items: Sequence[str | None]) -> bytes:
    """A text[] in PostgreSQL's binary form."""
    parts = [_HEAD.pack(1, 1, 25, len(items), 1)]
    for item in items:
        if item is None:
            parts.append(_NULL)
        else:
            raw = item.encode()
            parts += (_SIZE.pack(len(raw)), raw)
    return b"".join(parts)


def byteas(items: Sequence[bytes]) -> bytes:
    """A bytea[] in PostgreSQL's binary form."""
    parts = [_HEAD.pack(1, 0, 17, len(items), 1)]
    for raw in items:
        parts += (_SIZE.pack(len(raw)), raw)
    return b"".join(parts)


def bigints(items: Sequence[int]) -> bytes:
    """A bigint[] in PostgreSQL's binary form."""
    return _HEAD.pack(1, 0, 20, len(items), 1) + b"".join([_BIGINT.pack(8, item) for item in items])


def _raise_fault(connection: psycopg.Connection[Any], result: PGresult) -> None:
    """Raise what the database answered unless it is what was asked for."""
    if result.status in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK):
        return
    if connection.pgconn.status != ConnStatus.OK:
        raise psycopg.OperationalError("the connection is lost")
    raise error_from_result(result, encoding="utf-8")
