"""The PostgreSQL adapter: the event log in a space of a database."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import psycopg
from pydantic import BaseModel

from backends.engines.postgres.connection import ConnectionPool
from backends.engines.postgres.errors import translate
from backends.engines.postgres.events import PostgresEventLog
from backends.engines.postgres.schema import migrations, prepare
from backends.engines.postgres.settings import PostgresSettings
from backends.kit.lifecycle import open_or_close
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import StoreError
from backends.ports.events import EventLog
from backends.ports.options import parse_options
from backends.ports.values import Json

_HEALTH: Final = "SELECT current_setting('server_version'), version, current_setting('fsync') FROM entrepot"


class PostgresEngine(Engine):
    """A space on a server; connections are opened on demand."""

    def __init__(self, connections: ConnectionPool) -> None:
        self.connections = connections
        self._events = PostgresEventLog(connections)

    async def open(self) -> None:
        """Migrate the space. Raises `InvalidInput`, `Unavailable` and `Unusable`."""
        connection = await self.connections.connect()
        try:
            await prepare(connection, self.connections.space, self.connections.place, migrations())
        except psycopg.Error as error:
            raise translate(error, self.connections.place) from error
        finally:
            await connection.close()

    async def events(self) -> EventLog:
        """Return the log of the space."""
        return self._events

    async def health(self) -> Health:
        """Ask the server for its version."""
        try:
            async with self.connections.use() as connection:
                row = await (await connection.execute(_HEALTH)).fetchone()
        except StoreError as error:
            return Health(ok=False, detail=str(error))
        server, version, fsync = row or ("?", "?", "on")
        if isinstance(version, int) and version > (known := len(migrations())):
            problem = f"was upgraded by a newer version of Entrepot (schema {version}, this one knows {known})"
            return Health(
                ok=False, detail=f"{self.connections.place}: the space {problem}; start again with that version"
            )
        detail = f"{self.connections.place} answers; space {self.connections.space!r}"
        if fsync == "off":
            detail += "; fsync is off there, so events may be lost in a power failure"
        return Health(ok=True, detail=detail, versions={"postgresql": server, "schema": str(version)})

    async def close(self) -> None:
        """Finish running calls and close the connections."""
        await self._events.close()
        await self.connections.close()


class PostgresAdapter:
    """The event log for several gateways."""

    name = "postgres"
    capabilities = Capabilities(ports=frozenset({"events"}), durable="fsync", processes="many")
    settings: type[BaseModel] = PostgresSettings

    async def open(self, options: Mapping[str, Json], directory: Path) -> PostgresEngine:
        """Open the space that the options name; it is created on first use. The data directory is not used."""
        return await open_or_close(PostgresEngine(ConnectionPool(parse_options(PostgresSettings, options))))


ADAPTER: Final = PostgresAdapter()
