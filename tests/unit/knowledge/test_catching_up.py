"""What the write path could not project is projected later: from the log, once, and never backwards."""

import asyncio
from pathlib import Path

from backends.ports.values import NodeId
from tests.unit.knowledge.running import Instance, rows, toolset_in
from toolsets.knowledge.projections import KnowledgeProjector
from toolsets.knowledge.streams import concept_stream
from toolsets.sourcing.sites import generation_namespace
from toolsets.sourcing.targets import GraphTarget

SPACE = generation_namespace(KnowledgeProjector(), 1)


def remove(directory: Path, store: str) -> None:
    for file in directory.glob(f"{store}.db*"):
        file.unlink()


async def some_concepts(instance: Instance) -> list[str]:
    """Create four concepts, edit one, delete one, link two; return the ids of the live ones."""
    ids = [await instance.create(f"concept {number}", area="kept") for number in range(4)]
    await instance.ask("update_concept", concept_id=ids[1], explanation="Edited.")
    await instance.link(ids[0], ids[1])
    await instance.ask("delete_concept", concept_id=ids[3])
    return ids[:3]


async def assert_all_there(instance: Instance, ids: list[str], *, others: int = 0) -> None:
    assert sorted(await instance.names(area="kept")) == [f"concept {number}" for number in range(3)]
    hits = await instance.ask("search_concepts_semantic", query="Edited.", limit=1)
    assert [row["concept_id"] for row in rows(hits)] == [ids[1]]
    assert (await instance.ask("search_concepts_semantic", query="anything"))["total"] == 3 + others
    assert (await instance.ask("get_related_concepts", concept_id=ids[0]))["total"] == 1


async def test_a_lost_graph_is_made_again_from_the_log(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as instance:
        ids = await some_concepts(instance)
    remove(tmp_path, "graph")
    async with toolset_in(tmp_path) as instance:
        assert await instance.outbox() == (7, 6, 0)
    async with toolset_in(tmp_path, relay=True) as instance:
        await instance.drained()
        assert await instance.outbox() == (0, 13, 0)
        await assert_all_there(instance, ids)


async def test_lost_vectors_are_made_again_from_the_log(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as instance:
        ids = await some_concepts(instance)
    remove(tmp_path, "vectors")
    async with toolset_in(tmp_path, relay=True) as instance:
        await instance.drained()
        await assert_all_there(instance, ids)


async def test_a_graph_deleted_while_running_delays_writes_and_loses_none(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as instance:
        ids = await some_concepts(instance)
        remove(tmp_path, "graph")
        reply = await instance.reply("create_concept", name="after", explanation="After the loss.")
        assert reply.structured["message"] == "Created; indexing is pending"
        assert reply.meta == {"entrepot/indexing": "pending"}
        found = await instance.ask("get_concept", concept_id=reply.structured["concept_id"])
        assert found["success"]
        pending, _, failed = await instance.outbox()
        assert (pending, failed) == (8, 0)
    async with toolset_in(tmp_path, relay=True) as instance:
        await instance.drained()
        assert await instance.names(name="after") == ["after"]
        await assert_all_there(instance, ids, others=1)


async def test_the_relay_notices_by_itself_that_a_store_was_lost(tmp_path: Path) -> None:
    async with toolset_in(tmp_path, relay=True) as instance:
        ids = await some_concepts(instance)
        remove(tmp_path, "graph")
        remove(tmp_path, "vectors")
        await instance.drained()
        await assert_all_there(instance, ids)


async def test_a_full_disk_delays_projections_and_loses_nothing(tmp_path: Path) -> None:
    async with toolset_in(tmp_path, max_pages=120) as instance:
        written = 0
        message = "Created"
        while message == "Created":
            reply = await instance.ask("create_concept", name=f"c{written}", explanation="word " * 60)
            message = str(reply["message"])
            written += 1
        assert message == "Created; indexing is pending"
        assert (await instance.outbox())[0] > 0
    async with toolset_in(tmp_path, relay=True) as instance:
        await instance.drained()
        assert (await instance.ask("list_hierarchy"))["total_concepts"] == written


async def test_a_late_projection_never_puts_an_old_state_over_a_new_one(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as instance:
        id_ = await instance.create("first")
        stream = concept_stream(id_)
        projector = KnowledgeProjector()
        old = projector.project(stream, tuple(await (await instance.log()).read_stream(stream)))
        await instance.ask("update_concept", concept_id=id_, name="second")
        graph = await instance.stores.graph(SPACE)
        await GraphTarget(graph, "x").write([old], {})
        assert await instance.names() == ["second"]
        assert (await graph.node_revisions([NodeId(id_)]))[NodeId(id_)] == 2


async def test_two_instances_on_one_directory_lose_nothing(tmp_path: Path) -> None:
    async with toolset_in(tmp_path, relay=True) as one, toolset_in(tmp_path, relay=True) as two:
        shared = await one.create("shared")
        names = await asyncio.gather(
            *(instance.ask("create_concept", name="contested", explanation="Mine.") for instance in (one, two) * 5),
        )
        assert sum(1 for reply in names if reply["success"]) == 1
        edits = await asyncio.gather(
            *(
                instance.ask("update_concept", concept_id=shared, explanation=f"Edit {n}.")
                for n in range(6)
                for instance in (one, two)
            ),
            *(
                instance.ask("create_concept", name=f"n{n}", explanation="x")
                for n, instance in enumerate((one, two) * 5)
            ),
        )
        assert all(reply["success"] for reply in edits)
        for instance in (one, two):
            await instance.drained()
            assert (await instance.ask("list_hierarchy"))["total_concepts"] == 12
            assert len(await instance.names()) == 12


async def test_a_hierarchy_kept_by_one_process_follows_the_writes_of_another(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as one, toolset_in(tmp_path) as two:
        await one.create("a")
        assert (await one.ask("list_hierarchy"))["total_concepts"] == 1
        await two.create("b")
        assert (await one.ask("list_hierarchy"))["total_concepts"] == 2


async def test_a_concept_still_to_be_indexed_is_known_to_every_tool(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as instance:
        first = await instance.create("first")
        remove(tmp_path, "graph")
        pending = await instance.create("pending")
        for tool in ("get_related_concepts", "get_prerequisites"):
            assert (await instance.ask(tool, concept_id=pending))["total"] == 0
        chain = {"start_concept_id": pending, "end_concept_id": pending}
        assert (await instance.ask("get_concept_chain", **chain))["length"] == 0
        assert (await instance.ask("get_concept_chain", **{**chain, "end_concept_id": first}))[
            "error"
        ] == "path_not_found"
        linked = await instance.link(first, pending)
        assert linked["message"] == "Relationship created; indexing is pending"
    async with toolset_in(tmp_path, relay=True) as instance:
        await instance.drained()
        assert (await instance.ask("get_prerequisites", concept_id=pending))["total"] == 1
