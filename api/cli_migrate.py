"""`faircut migrate`: make the keys, the database and the streams ready. Once before anything else; safe to repeat.

Keys are made only for a house that has none: one whose database holds sealed seeds must be given its keys
back. Exit codes: 0 ready, 1 a server does not answer, 2 unusable settings or keys.
"""

import argparse
import asyncio
import sys

import nats.errors
import psycopg

from api import asides, people
from projections.decisions import load_key
from projections.engine import schema
from replay import bus, notes, seal
from replay.log import Log, Unavailable
from replay.schema import migrate
from replay.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """There are none: addresses and keys come from the environment."""


def run(_: argparse.Namespace) -> int:
    """Make everything ready. Exit code as above."""
    try:
        make_ready(Settings.from_environment())
    except KeyError as fault:
        return _said(f"{fault.args[0]} is not set", 2)
    except (psycopg.Error, Unavailable, nats.errors.Error, TimeoutError, ConnectionError) as fault:
        return _said(f"a server does not answer ({type(fault).__name__})", 1)
    except (ValueError, OSError, seal.KeyFault) as fault:
        return _said(str(fault), 2)
    return 0


def _said(words: str, code: int) -> int:
    print(f"faircut migrate: {words}", file=sys.stderr)
    return code


def make_ready(settings: Settings) -> None:
    """The database, then the keys, then the streams."""
    prepare_database(settings.database_url)
    asyncio.run(_keys_and_streams(settings))


def prepare_database(url: str) -> None:
    """All tables of the log, the read models, the relay and the people. Raises psycopg.Error."""
    migrate(url, [*people.TABLES, *asides.TABLES, *schema()])


async def _keys_and_streams(settings: Settings) -> None:
    log = Log(settings.database_url)
    try:
        make_keys(settings, log)
    finally:
        await log.close()
    client = await bus.connect(settings.nats_url, "faircut migrate")
    try:
        await bus.streams(client.jetstream())
    finally:
        await client.close()


def make_keys(settings: Settings, log: Log) -> None:
    """The keys of a new house; those of an old one must be there.

    Raises seal.KeyFault, notes.KeyFault, OSError.
    """
    settings.keys.mkdir(parents=True, exist_ok=True, mode=0o700)
    old = bool(log.ask(seal.key_ids))
    seal.Sealer.load(settings.keys / "seal.key", create=True, database=log)
    notes.Signer.load(settings.keys / "sign.key", settings.key_name, create=not old)
    load_key(settings.keys / "decide.key", create=True)
