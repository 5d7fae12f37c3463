"""The creation and migration of a space: step n is the file `migrations/n.sql`.

Appending is a stored function, so that the lock that orders all appends is not held during a round trip.
"""

from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from psycopg import sql

from backends.engines.postgres.connection import Connection
from backends.ports.errors import Unavailable, Unusable

OLDEST: Final = 13
"""As documented in docs/adapters/postgres.md; an older server is refused before anything is created in it."""

_SERVER: Final = """
SELECT current_setting('server_version_num')::int / 10000, current_setting('server_version'),
       current_setting('server_encoding'), pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'
"""
_SPACE: Final = """
SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = %(space)s),
       EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %(space)s),
       EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = %(space)s AND c.relname = 'entrepot')
"""


def check_server(major: int, version: str, encoding: str, place: str) -> None:
    """Raise `Unusable` for a server that is too old and for a database that cannot store every text."""
    if major < OLDEST:
        raise Unusable(f"{place} is PostgreSQL {version}; Entrepot needs {OLDEST} or later: upgrade the server")
    if encoding != "UTF8":
        raise Unusable(f"{place}: the database's encoding is {encoding}; create one with ENCODING 'UTF8'")


def migrations() -> Sequence[bytes]:
    """Return the migration steps in order; step n leads from version n - 1 to n and is any number of statements."""
    folder = files("backends.engines.postgres") / "migrations"
    steps = sorted(int(file.name.removesuffix(".sql")) for file in folder.iterdir() if file.name.endswith(".sql"))
    return [(folder / f"{step}.sql").read_bytes() for step in steps]


async def prepare(connection: Connection, space: str, place: str, steps: Sequence[bytes]) -> None:
    """Migrate the space to the version that `steps` lead to, all steps or none; several processes may try at once.

    Raises `Unusable` for a server, a database or a space that must not be used, `Unavailable` for a standby.
    """
    row = await (await connection.execute(_SERVER)).fetchone()
    major, version, encoding, standby, read_only = row or (0, "?", "?", False, False)
    check_server(major, version, encoding, place)
    if standby:
        raise Unavailable(f"{place} is a standby and read-only; name the primary in the uri")
    if read_only:
        raise Unusable(
            f"{place}: sessions of this user are read-only (default_transaction_read_only); allow it to write"
        )
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(1164866674, hashtext(%s))", (space,))
        found = await _version(connection, space, place, len(steps))
        for step in steps[found:]:
            await connection.execute(step)
        if found < len(steps):
            await connection.execute("UPDATE entrepot SET version = %s", (len(steps),))
    # A user with too few rights on a table gets the error now, not with the first append.
    await connection.execute("SELECT FROM events, streams, prefixes, batches, checkpoints, leases LIMIT 0 FOR UPDATE")


async def _version(connection: Connection, space: str, place: str, known: int) -> int:
    """Return the version of the space, 0 for an empty one; it is created if it does not exist."""
    exists, filled, ours = await (await connection.execute(_SPACE, {"space": space})).fetchone() or (
        False,
        False,
        False,
    )
    if not exists:
        await connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(space)))
    if not ours:
        if filled:
            raise Unusable(f"{place}: the schema {space!r} holds tables of another program; choose another space")
        return 0
    row = await (await connection.execute("SELECT version FROM entrepot")).fetchone()
    found = int(row[0]) if row else 0
    if found > known:
        raise Unusable(
            f"{place}: the space {space!r} was written by a newer version of Entrepot (schema {found}, this one knows "
            f"{known}); upgrade Entrepot or choose another space"
        )
    return found
