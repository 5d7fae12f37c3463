"""A rebuild makes an equal generation beside the live one, with reads and writes going on, and switches to it."""

import asyncio
import random
from pathlib import Path

from backends.ports.graph import GraphBatch
from backends.ports.values import JsonObject, NodeId, Revision
from tests.unit.knowledge.running import Instance, stores_in, toolset_in
from toolsets.knowledge.projections import KnowledgeProjector
from toolsets.sourcing.sites import generation_namespace
from toolsets.spec import RebuildReport, no_progress


async def rebuilt(instance: Instance) -> RebuildReport:
    assert instance.running.rebuild is not None
    return await instance.running.rebuild.rebuild(no_progress)


async def fill(instance: Instance) -> list[str]:
    chance = random.Random(5)
    ids = [await instance.create(f"c{n}", area=f"a{n % 3}") for n in range(20)]
    for id_ in chance.sample(ids, 6):
        await instance.ask("update_concept", concept_id=id_, explanation=f"Edited {chance.random()}.")
    for _ in range(25):
        source, target = chance.sample(ids, 2)
        await instance.link(source, target, chance.choice(["prerequisite", "includes"]), round(chance.random(), 2))
    for id_ in chance.sample(ids, 3):
        await instance.ask("delete_concept", concept_id=id_)
    return ids


async def session(instance: Instance, ids: list[str]) -> list[JsonObject]:
    replies = [await instance.ask("search_concepts_exact", limit=100), await instance.ask("list_hierarchy")]
    replies.append(await instance.ask("search_concepts_semantic", query="edited", limit=50))
    for id_ in ids:
        replies.append(await instance.ask("get_related_concepts", concept_id=id_, limit=50))
        replies.append(await instance.ask("get_prerequisites", concept_id=id_, depth=5))
    return replies


async def test_a_rebuild_gives_equal_digests_and_answers_as_before(knowledge: Instance) -> None:
    ids = await fill(knowledge)
    before = await session(knowledge, ids)
    report = await rebuilt(knowledge)
    assert report.digest == report.former_digest
    assert (report.generation, report.nodes, report.vectors, report.embedded) == (2, 17, 17, 0)
    assert await session(knowledge, ids) == before
    again = await rebuilt(knowledge)
    assert (again.generation, again.digest) == (3, report.digest)
    assert await session(knowledge, ids) == before


async def test_other_processes_follow_and_a_restart_stays_on_the_new_generation(tmp_path: Path) -> None:
    async with toolset_in(tmp_path, relay=True) as server:
        await fill(server)
        async with toolset_in(tmp_path) as command:
            await rebuilt(command)
        await server.create("after the switch")
        await server.drained()
        assert await server.names(name="after the switch") == ["after the switch"]
    async with toolset_in(tmp_path, relay=True) as restarted:
        await restarted.drained()
        assert await restarted.names(name="after the switch") == ["after the switch"]
        assert (await restarted.outbox())[::2] == (0, 0)


async def test_reads_and_writes_go_on_while_it_runs(tmp_path: Path) -> None:
    async with toolset_in(tmp_path, relay=True) as instance:
        ids = await fill(instance)
        running = asyncio.create_task(rebuilt(instance))
        written = 0
        while not running.done():
            await instance.create(f"meanwhile {written}", area="new")
            written += 1
            assert len(await instance.names(area="new")) == written
            assert (await instance.ask("get_related_concepts", concept_id=ids[0]))["success"] in (True, False)
        await running
        await instance.drained()
        assert len(await instance.names(area="new")) == written
        again = await rebuilt(instance)
        assert again.digest == again.former_digest


async def test_a_lost_record_is_back_after_a_rebuild(knowledge: Instance) -> None:
    id_ = await knowledge.create("lost")
    graph = await knowledge.stores.graph(generation_namespace(KnowledgeProjector(), 1))
    await graph.apply(GraphBatch(deleted_nodes={NodeId(id_): Revision(99)}))
    assert await knowledge.names() == []
    report = await rebuilt(knowledge)
    assert report.digest != report.former_digest
    assert await knowledge.names() == ["lost"]


async def test_it_fills_other_stores_without_switching(tmp_path: Path) -> None:
    async with toolset_in(tmp_path / "here") as instance:
        await fill(instance)
        assert instance.running.rebuild is not None
        async with stores_in(tmp_path / "there") as other:
            report = await instance.running.rebuild.rebuild(no_progress, other)
        assert (report.digest, report.generation, report.embedded) == (report.former_digest, 1, 0)
        assert (await rebuilt(instance)).generation == 2
