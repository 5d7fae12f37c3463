"""Notes kept with a store, per namespace."""

import sqlite3

from backends.engines.sqlite.connection import Handle
from backends.ports.values import Namespace

_GET = "SELECT value FROM meta WHERE ns = ? AND key = ?"
_KEEP = "INSERT INTO meta(ns, key, value) VALUES(?, ?, ?) ON CONFLICT(ns, key) DO NOTHING"
_SET = "INSERT INTO meta(ns, key, value) VALUES(?, ?, ?) ON CONFLICT(ns, key) DO UPDATE SET value = excluded.value"


class Meta:
    """The notes of one namespace in one file."""

    def __init__(self, handle: Handle, namespace: Namespace) -> None:
        self._file = handle
        self._namespace = namespace

    async def get(self, key: str) -> str | None:
        """Return a note."""
        return await self._file.read(lambda connection: self._get(connection, key))

    async def set(self, key: str, value: str, *, if_absent: bool) -> str:
        """Keep a note, and return the value that is stored now."""

        def keep(connection: sqlite3.Connection) -> str:
            connection.execute(_KEEP if if_absent else _SET, (self._namespace, key, value))
            return self._get(connection, key) or value

        return await self._file.write(keep)

    def _get(self, connection: sqlite3.Connection, key: str) -> str | None:
        row: tuple[str] | None = connection.execute(_GET, (self._namespace, key)).fetchone()
        return None if row is None else row[0]
