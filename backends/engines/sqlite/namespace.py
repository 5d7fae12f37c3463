"""A namespace in a file, as one port opened it: its calls and its meta values."""

import sqlite3
from typing import TypeVar

from backends.engines.sqlite.connection import Call, Database
from backends.engines.sqlite.errors import replaced
from backends.ports.values import Namespace

_GET = "SELECT value FROM meta WHERE ns = ? AND key = ?"
_KEEP = "INSERT INTO meta(ns, key, value) VALUES(?, ?, ?) ON CONFLICT(ns, key) DO NOTHING"
_SET = "INSERT INTO meta(ns, key, value) VALUES(?, ?, ?) ON CONFLICT(ns, key) DO UPDATE SET value = excluded.value"

ResultT = TypeVar("ResultT")


class OpenNamespace:
    """A namespace whose calls fail once the file was replaced.

    The caller then asks for the port again and finds another incarnation.
    """

    def __init__(self, database: Database, namespace: Namespace) -> None:
        self.namespace = namespace
        self.incarnation = database.incarnation
        """The incarnation of the file that the port belongs to."""
        self._database = database

    async def read(self, call: Call[ResultT]) -> ResultT:
        """Run a call as `Database.read` does. Raises `Unavailable` for a file that was replaced."""
        return await self._database.read(self._checked(call))

    async def snapshot(self, call: Call[ResultT]) -> ResultT:
        """Run a call as `Database.snapshot` does. Raises `Unavailable` for a file that was replaced."""
        return await self._database.snapshot(self._checked(call))

    async def write(self, call: Call[ResultT]) -> ResultT:
        """Run a call as `Database.write` does. Raises `Unavailable` for a file that was replaced."""
        return await self._database.write(self._checked(call))

    async def get_meta(self, key: str) -> str | None:
        """Return a meta value, None if there is none."""
        return await self.read(lambda connection: self.meta_value(connection, key))

    async def set_meta(self, key: str, value: str, *, if_absent: bool) -> str:
        """Store a meta value and return the one now in effect."""

        def keep(connection: sqlite3.Connection) -> str:
            connection.execute(_KEEP if if_absent else _SET, (self.namespace, key, value))
            return self.meta_value(connection, key) or value

        return await self.write(keep)

    def meta_value(self, connection: sqlite3.Connection, key: str) -> str | None:
        """Return a meta value inside a call, None if there is none."""
        row: tuple[str] | None = connection.execute(_GET, (self.namespace, key)).fetchone()
        return None if row is None else row[0]

    def _checked(self, call: Call[ResultT]) -> Call[ResultT]:
        def checked(connection: sqlite3.Connection) -> ResultT:
            if self._database.incarnation != self.incarnation:
                raise replaced(self._database.path)
            return call(connection)

        return checked
