"""Another client empties the database while an engine has it open."""

from backends.ports.ids import namespace
from contracts.ports.graph_records import THING, fill, ids, node
from tests.engines.neo4j.conftest import Open


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
