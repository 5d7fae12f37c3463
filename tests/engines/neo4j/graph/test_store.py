"""Another client deletes records while they are read."""

from collections.abc import Callable
from typing import TypeVar

from pydantic import SecretStr

from backends.engines.neo4j.connection import Connection, Values
from backends.engines.neo4j.graph.store import Neo4jGraph
from backends.engines.neo4j.schema import DatabaseSchema
from backends.engines.neo4j.settings import Neo4jSettings
from backends.ports.values import EdgeId, NodeId

RowT = TypeVar("RowT")


class _Deleting(Connection):
    """A connection to a server on which another client deletes one of two records while they are read."""

    async def run(
        self, query: str, values: Values, parse: Callable[..., RowT], *, timeout_s: float | None = None
    ) -> list[RowT]:
        return [parse("a", 1), parse("b", None)]


async def test_records_deleted_while_they_are_read_have_no_revision() -> None:
    connection = _Deleting(Neo4jSettings(uri="bolt://localhost", user="neo4j", password=SecretStr("none")))
    graph = Neo4jGraph(connection, DatabaseSchema(connection), "emptied")
    assert await graph.node_revisions([NodeId("a"), NodeId("b")]) == {"a": 1}
    assert await graph.edge_revisions([EdgeId("a"), EdgeId("b")]) == {"a": 1}
