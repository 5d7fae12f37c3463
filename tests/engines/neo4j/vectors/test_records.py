"""Two engines write the same records of one database concurrently: the highest revision wins."""

import anyio
import pytest

from backends.engines.neo4j.vectors.records import MAX_WORD, words
from backends.ports.graph import GraphBatch
from backends.ports.values import FieldSpec, NodeId, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord
from contracts.corpus import seeded
from contracts.ports.graph_records import THING, node
from contracts.ports.vector_records import axis
from tests.engines.neo4j.conftest import Open
from tests.engines.neo4j.samples import NAMES, REVISIONS, RIVALRY


async def test_concurrent_engines_leave_the_highest_revision_in_a_collection(on_server: Open) -> None:
    spec = CollectionSpec("things", 16, "model@1/16", (FieldSpec("rank", "int", sort=True),))
    async with on_server() as one, on_server() as two:
        stores = [await one.vectors(RIVALRY), await two.vectors(RIVALRY)]
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
        vectors, graph = await one.vectors(RIVALRY), await one.graph(RIVALRY)
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
            vectors, graph = await two.vectors(RIVALRY), await two.graph(RIVALRY)
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


@pytest.mark.parametrize(
    ("text", "found"),
    [("It's ONE_two", ["it", "s", "one", "two"]), ("", []), ("?!", []), ("x" * 300, ["x" * MAX_WORD])],
)
def test_words_are_split_alike_for_the_index_and_for_searches(text: str, found: list[str]) -> None:
    assert words(text) == found
