"""Another client empties the database while an engine has it open."""

from collections.abc import Callable
from typing import TypeVar

from pydantic import SecretStr

from backends.engines.neo4j.connection import Connection, Values
from backends.engines.neo4j.graph.store import Neo4jGraph
from backends.engines.neo4j.schema import Schema
from backends.engines.neo4j.settings import Neo4jSettings
from backends.ports.ids import namespace
from backends.ports.values import EdgeId, NodeId
from contracts.ports.graph_records import THING, fill, ids, node
from tests.engines.neo4j.conftest import Open

RowT = TypeVar("RowT")


async def test_kinds_that_were_lost_are_declared_again(on_server: Open) -> None:
    async with on_server() as one, on_server() as other:
        graph, emptying = await one.graph(namespace("emptied")), await other.graph(namespace("emptied"))
        await graph.ensure([THING])
        await fill(graph, node("a"))
        await emptying.drop()
        await graph.ensure([THING])
        await fill(graph, node("b"))
        assert set(await graph.get_nodes(ids("a", "b"))) == {"b"}
        assert [str(found.id) for found in (await graph.find(THING.name)).items] == ["b"]
        await graph.drop()


class _Deleting(Connection):
    """A connection to a server on which another client deletes one of two records while they are read."""

    async def run(
        self, query: str, values: Values, parse: Callable[..., RowT], *, timeout_s: float | None = None
    ) -> list[RowT]:
        return [parse("a", 1), parse("b", None)]


async def test_records_deleted_while_they_are_read_have_no_revision() -> None:
    connection = _Deleting(Neo4jSettings(uri="bolt://localhost", user="neo4j", password=SecretStr("none")))
    graph = Neo4jGraph(connection, Schema(connection), "emptied")
    assert await graph.node_revisions([NodeId("a"), NodeId("b")]) == {"a": 1}
    assert await graph.edge_revisions([EdgeId("a"), EdgeId("b")]) == {"a": 1}
