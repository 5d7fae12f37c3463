"""Two engines write the same records of one database concurrently: the highest revision wins."""

import anyio

from backends.ports.graph import GraphBatch
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, NodeId, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord
from contracts.corpus import seeded
from contracts.ports.graph_records import THING, edge, edge_id, node
from contracts.ports.vector_records import axis
from tests.engines.neo4j.conftest import Open

PLACE = namespace("rivals")
NAMES = [f"n{number}" for number in range(6)]
REVISIONS = range(1, 13)


async def test_concurrent_engines_leave_the_highest_revision_in_a_graph(on_server: Open) -> None:
    batches = [
        GraphBatch(
            tuple(node(name, rev=rev, rank=rev) for name in names),
            (edge(names[0], names[1], rev=rev, confidence=rev / 100),),
        )
        for rev in REVISIONS
        for names in (NAMES, NAMES[::-1])
    ]
    seeded(1).shuffle(batches)
    async with on_server() as one, on_server() as two:
        graphs = [await one.graph(PLACE), await two.graph(PLACE)]
        async with anyio.create_task_group() as group:
            for graph in graphs:
                group.start_soon(graph.ensure, [THING])
        async with anyio.create_task_group() as group:
            for number, batch in enumerate(batches):
                group.start_soon(graphs[number % 2].apply, batch)
        last = max(REVISIONS)
        found = await graphs[0].get_nodes([NodeId(name) for name in NAMES])
        assert {str(key): (item.rev, item.fields["rank"]) for key, item in found.items()} == dict.fromkeys(
            NAMES, (last, last)
        )
        forward = edge_id(NAMES[0], NAMES[1])
        assert (await graphs[1].get_edges([forward]))[forward].confidence == last / 100
        await graphs[0].drop()


async def test_concurrent_engines_leave_the_highest_revision_in_a_collection(on_server: Open) -> None:
    spec = CollectionSpec("things", 16, "model@1/16", (FieldSpec("rank", "int", sort=True),))
    async with on_server() as one, on_server() as two:
        stores = [await one.vectors(PLACE), await two.vectors(PLACE)]
        async with anyio.create_task_group() as group:
            for store in stores:
                group.start_soon(store.ensure, spec)

        async def put(rev: int) -> None:
            names = NAMES if rev % 2 else NAMES[::-1]
            records = [
                VectorRecord(RecordId(name), axis(rev % 16), f"word{rev}", Revision(rev), {"rank": rev})
                for name in names
            ]
            await stores[rev % 2].upsert("things", records)

        async with anyio.create_task_group() as group:
            for rev in seeded(2).sample(REVISIONS, len(REVISIONS)):
                group.start_soon(put, rev)
        last = max(REVISIONS)
        found = await stores[0].get("things", [RecordId(name) for name in NAMES])
        assert {item.fields["rank"] for item in found.values()} == {last}
        assert len(await stores[1].keyword("things", f"word{last}", 10)) == len(NAMES)
        await stores[0].drop("things")
