"""Making a database ready: once, before anything else starts, and again at every start without harm."""

from collections.abc import Sequence

from psycopg.sql import Composed

from replay.connections import connect
from replay.log import House

_LOCK = 0x6D696772  # one migration at a time

TABLES = (
    # Written by the append of a table's event alone. Readers must not lock rows: the next append would wait for them.
    """
    CREATE TABLE IF NOT EXISTS timers (
        table_id text PRIMARY KEY,
        key text NOT NULL,
        due_at bigint NOT NULL  -- wall clock, ms since 1970
    )
    """,
    "CREATE INDEX IF NOT EXISTS timers_due_at ON timers (due_at)",
    """
    CREATE TABLE IF NOT EXISTS sealed (
        table_id text PRIMARY KEY,
        commit text NOT NULL,
        key_id text NOT NULL,
        nonce bytea NOT NULL,
        box bytea NOT NULL,
        created bigint NOT NULL  -- wall clock, ms since 1970
    )
    """,
    # Append-only: a slip of a hand or a program does not change the past.
    """
    CREATE OR REPLACE FUNCTION faircut_refuse() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
        RAISE EXCEPTION '% keeps what it holds', TG_TABLE_NAME USING ERRCODE = '23F02';
    END
    $body$
    """,
    """
    CREATE OR REPLACE TRIGGER faircut_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON faircut_events
    FOR EACH STATEMENT EXECUTE FUNCTION faircut_refuse()
    """,
)


def migrate(url: str, more: Sequence[str | Composed] = ()) -> None:
    """Make the log's tables and function, then run `more` statements, each of which must be safe to repeat.

    Several processes may do so at the same time. Raises psycopg.Error.
    """
    with connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        House(url, create=True).close()
        with connection.transaction():
            for statement in (*TABLES, *more):
                connection.execute(statement)
