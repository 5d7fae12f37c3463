"""Named values and leases: rows that are compared and set in one statement, leases by the server's clock."""

from typing import Final

from backends.ports.errors import Conflict
from backends.ports.events import Lease
from backends.postgres.connections import Connection

_FIRST: Final = (
    "INSERT INTO checkpoints (name, value, revision) VALUES (%(name)s, %(value)s, 1) ON CONFLICT DO NOTHING"
    " RETURNING revision"
)
_NEXT: Final = (
    "UPDATE checkpoints SET value = %(value)s, revision = revision + 1"
    " WHERE name = %(name)s AND revision = %(expected)s RETURNING revision"
)
_TAKE: Final = (
    "INSERT INTO leases AS l (name, owner, token, expires)"
    " VALUES (%s, %s, 1, clock_timestamp() + make_interval(secs => %s)) ON CONFLICT (name) DO UPDATE"
    " SET owner = excluded.owner, token = l.token + 1, expires = excluded.expires"
    " WHERE l.owner = excluded.owner OR l.expires <= clock_timestamp() RETURNING token"
)
_RENEW: Final = (
    "UPDATE leases SET expires = clock_timestamp() + make_interval(secs => %s)"
    " WHERE name = %s AND owner = %s AND token = %s AND expires > clock_timestamp()"
)
_RELEASE: Final = "UPDATE leases SET expires = '-infinity' WHERE name = %s AND owner = %s AND token = %s"


async def save_checkpoint(connection: Connection, name: str, value: str, expected: int) -> int:
    """Save a value whose revision is still `expected`; return its new revision. Raises `Conflict`."""
    values = {"name": name, "value": value, "expected": expected}
    row = await (await connection.execute(_NEXT if expected else _FIRST, values)).fetchone()
    if row is None:
        raise Conflict(f"checkpoint {name!r} is not at revision {expected}", key=name)
    return int(row[0])


async def take(connection: Connection, name: str, owner: str, ttl_s: float) -> Lease | None:
    """Give the lease to `owner` with a higher token than any before; None while somebody else holds it."""
    row = await (await connection.execute(_TAKE, (name, owner, ttl_s))).fetchone()
    return None if row is None else Lease(name, owner, int(row[0]))


async def renew(connection: Connection, lease: Lease, ttl_s: float) -> bool:
    """Extend the lease if its token still holds and it has not run out."""
    changed = await connection.execute(_RENEW, (ttl_s, lease.name, lease.owner, lease.token))
    return changed.rowcount > 0


async def release(connection: Connection, lease: Lease) -> None:
    """Let the lease run out now, if it is still this one."""
    await connection.execute(_RELEASE, (lease.name, lease.owner, lease.token))
