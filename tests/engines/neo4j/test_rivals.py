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


async def test_records_that_are_deleted_while_they_are_read_are_left_out(on_server: Open) -> None:
    """The server reads what is committed at each step of a statement, and may find a record before its deletion."""
    spec = CollectionSpec("things", 16, "model@1/16")
    names = [RecordId(f"r{number}") for number in range(300)]
    done = anyio.Event()
    async with on_server() as one, on_server() as two:
        vectors, graph = await one.vectors(PLACE), await one.graph(PLACE)
        await vectors.ensure(spec)
        await graph.ensure([THING])

        async def change() -> None:
            for rev in range(1, 41, 2):
                records = [VectorRecord(name, axis(0, 16), "a text", Revision(rev)) for name in names]
                await vectors.upsert("things", records)
                await graph.apply(GraphBatch(tuple(node(name, rev=rev, rank=rev) for name in names)))
                await vectors.delete("things", dict.fromkeys(names, Revision(rev + 1)))
                await graph.apply(GraphBatch(deleted_nodes={NodeId(name): Revision(rev + 1) for name in names}))
            done.set()

        async def read() -> None:
            vectors, graph = await two.vectors(PLACE), await two.graph(PLACE)
            while not done.is_set():
                assert all(item.text == "a text" for item in (await vectors.scan("things", limit=300)).items)
                assert all(item.fields["rank"] for item in (await graph.find("thing", limit=300)).items)
                assert all(item.rev for item in (await graph.get_nodes([*map(NodeId, names)])).values())

        async with anyio.create_task_group() as group:
            group.start_soon(change)
            for _ in range(3):
                group.start_soon(read)
        await graph.drop()
        await vectors.drop("things")
