"""The Neo4j adapter: opens one database on a server and hands out graphs and vectors."""

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version as distribution_version
from pathlib import Path
from typing import Final

from neo4j.exceptions import ConfigurationError
from pydantic import BaseModel

from backends.engines.neo4j.connection import Connection, pair
from backends.engines.neo4j.graph.store import Neo4jGraph
from backends.engines.neo4j.schema import DatabaseSchema
from backends.engines.neo4j.settings import Neo4jSettings
from backends.engines.neo4j.vectors.store import Neo4jVectors
from backends.kit.lifecycle import open_or_close
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import InvalidInput, StoreError, Unusable
from backends.ports.graph import Graph
from backends.ports.options import parse_options
from backends.ports.values import Json, Namespace
from backends.ports.vectors import Vectors

OLDEST: Final = (5, 26)
"""The release with long-term support, and the oldest one that is tested."""
_VERSION: Final = (
    "CALL dbms.components() YIELD name, versions, edition WHERE name = 'Neo4j Kernel' RETURN versions[0], edition"
)


class Neo4jEngine(Engine):
    """A database on a server."""

    def __init__(self, settings: Neo4jSettings) -> None:
        self._settings = settings
        self._connection = Connection(settings)
        self._schema = DatabaseSchema(self._connection)
        self._graphs: dict[Namespace, Neo4jGraph] = {}
        self._vectors: dict[Namespace, Neo4jVectors] = {}

    async def open(self) -> None:
        """Log in, check the server's version, and create constraints and indexes."""
        try:
            self._connection.start()
        except (ConfigurationError, ValueError) as error:
            raise InvalidInput(f"option uri: {error}") from error
        with self._connection.opening():
            version, _ = await self._version()
            self._connection.version = _numbers(version)
            if self._connection.version < OLDEST:
                wanted = ".".join(map(str, OLDEST))
                raise Unusable(
                    f"Neo4j at {self._settings.uri} is {version}; it must be {wanted} or newer: upgrade the server"
                )
            await self._schema.open()

    async def graph(self, namespace: Namespace) -> Graph:
        """Return the graph of a namespace. Nothing is read or created."""
        # Kept, because it caches the declared kinds.
        name = f"{self._settings.space}/graph/{namespace}"
        return self._graphs.setdefault(namespace, Neo4jGraph(self._connection, self._schema, name))

    async def vectors(self, namespace: Namespace) -> Vectors:
        """Return the vectors of a namespace. Nothing is read or created."""
        name = f"{self._settings.space}/vectors/{namespace}"
        return self._vectors.setdefault(namespace, Neo4jVectors(self._connection, self._schema, name))

    async def health(self) -> Health:
        """Report whether the server returns its version."""
        try:
            version, edition = await self._version()
        except StoreError as error:
            return Health(ok=False, detail=str(error))
        versions = {"neo4j": f"{version} {edition}", "neo4j driver": distribution_version("neo4j")}
        return Health(
            ok=True, detail=f"database {self._settings.database} at {self._settings.uri} answers", versions=versions
        )

    async def close(self) -> None:
        """Close the connection pool. Repeatable."""
        await self._connection.close()

    async def _version(self) -> tuple[str, str]:
        found = await self._connection.run(_VERSION, {}, pair)
        return kernel(found, self._settings.uri)


class Neo4jAdapter:
    """A graph database server, for more than one machine or where Neo4j already runs."""

    name: Final = "neo4j"
    capabilities: Final = Capabilities(
        ports=frozenset({"graph", "vectors"}),
        durable="fsync",
        processes="many",
        conditional_writes=True,
        exact_dense=False,
    )
    settings: type[BaseModel] = Neo4jSettings

    async def open(self, options: Mapping[str, Json], directory: Path) -> Neo4jEngine:
        """Connect to the server. `directory` is not used."""
        return await open_or_close(Neo4jEngine(parse_options(Neo4jSettings, options)))


ADAPTER: Final = Neo4jAdapter()


def kernel(components: Sequence[tuple[str, str]], uri: str) -> tuple[str, str]:
    """Return the version and edition from a server's components. Raises `Unusable` if it is not Neo4j."""
    if not components:
        raise Unusable(f"what answers at {uri} is no Neo4j; set uri to one, {'.'.join(map(str, OLDEST))} or newer")
    return components[0]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
