"""Named values and leases: small rows that are compared and set."""

import sqlite3
import time

from backends.appending import check_ttl
from backends.ports.errors import Conflict
from backends.ports.events import Lease


def save_checkpoint(connection: sqlite3.Connection, name: str, value: str, expected: int) -> int:
    """Save a value whose revision is still `expected`; return its new revision. Raises `Conflict`."""
    row: tuple[int] | None = connection.execute("SELECT revision FROM checkpoints WHERE name = ?", (name,)).fetchone()
    found = 0 if row is None else row[0]
    if found != expected:
        raise Conflict(f"checkpoint {name!r} is at revision {found}, not {expected}", key=name)
    connection.execute(
        "INSERT INTO checkpoints(name, value, revision) VALUES(?, ?, ?)"
        " ON CONFLICT(name) DO UPDATE SET value = excluded.value, revision = excluded.revision",
        (name, value, found + 1),
    )
    return found + 1


def expiry(ttl_s: float) -> float:
    """Return when a lease taken now runs out. Raises `InvalidInput` unless the time is above 0."""
    return time.time() + check_ttl(ttl_s)


def take(connection: sqlite3.Connection, name: str, owner: str, expires: float) -> Lease | None:
    """Give the lease to `owner` with a higher token than any before; None while somebody else holds it."""
    row: tuple[str, int, float] | None = connection.execute(
        "SELECT owner, token, expires FROM leases WHERE name = ?", (name,)
    ).fetchone()
    if row is not None and row[0] != owner and row[2] > time.time():
        return None
    token = 1 if row is None else row[1] + 1
    connection.execute(
        "INSERT INTO leases(name, owner, token, expires) VALUES(?, ?, ?, ?) ON CONFLICT(name) DO UPDATE"
        " SET owner = excluded.owner, token = excluded.token, expires = excluded.expires",
        (name, owner, token, expires),
    )
    return Lease(name, owner, token)


def renew(connection: sqlite3.Connection, lease: Lease, expires: float) -> bool:
    """Extend the lease if its token still holds and it has not run out."""
    changed = connection.execute(
        "UPDATE leases SET expires = ? WHERE name = ? AND owner = ? AND token = ? AND expires > ?",
        (expires, lease.name, lease.owner, lease.token, time.time()),
    )
    return changed.rowcount > 0


def release(connection: sqlite3.Connection, lease: Lease) -> None:
    """Let the lease run out now, if it is still this one."""
    connection.execute(
        "UPDATE leases SET expires = 0 WHERE name = ? AND owner = ? AND token = ?",
        (lease.name, lease.owner, lease.token),
    )
