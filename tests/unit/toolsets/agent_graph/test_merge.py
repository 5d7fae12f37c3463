"""Merging against a plain model: after any history each edge is where a dictionary would have it."""

import itertools
import random
from pathlib import Path

import pytest

from backends.ports.values import Json, JsonObject, Micros
from tests.support.histories import Fact, history_of
from tests.support.toolsets.agent_graph import Instance, part, rows, toolset_in
from toolsets.agent_graph.facts import ABSORBED, CREATED
from toolsets.agent_graph.merge import merge
from toolsets.agent_graph.streams import adjacency_stream, entity_stream
from toolsets.clock import system_now
from toolsets.sourcing.aggregate import Histories

KINDS = ("USES", "BLOCKS")
Edges = dict[tuple[str, str, str], float]


def merged(edges: Edges, target: str, sources: list[str]) -> Edges:
    """Return edges after a merge: moved, loops gone, of doubles the surer one."""
    after: Edges = {}
    for (source, kind, end), confidence in edges.items():
        moved = (target if source in sources else source, kind, target if end in sources else end)
        if moved[0] != moved[2]:
            after[moved] = max(confidence, after.get(moved, 0.0))
    return after


async def shown(kg: Instance, ids: list[str]) -> Edges:
    """Return all edges that the graph shows."""
    edges: Edges = {}
    for entity in ids:
        reply = await kg.ask("kg_get_neighbors", entityId=entity, limit=100)
        for edge in rows(reply, "relationships"):
            ends = (str(edge["fromEntityId"]), str(edge["type"]), str(edge["toEntityId"]))
            edges[ends] = float(str(edge["confidence"]))
    return edges


@pytest.mark.parametrize("seed", range(4))
async def test_any_history_of_links_and_merges_ends_as_the_model_says(kg: Instance, seed: int) -> None:
    rng = random.Random(seed)
    ids: list[str] = [await kg.create(f"entity {number}") for number in range(9)]
    aliases = {entity: {f"entity {number}"} for number, entity in enumerate(ids)}
    model: Edges = {}
    for _ in range(40):
        if rng.random() < 0.8 or len(ids) < 4:
            source, end = rng.sample(ids, 2)
            kind, confidence = rng.choice(KINDS), round(rng.random(), 3)
            await kg.link(source, end, kind, confidence=confidence)
            model[source, kind, end] = max(confidence, model.get((source, kind, end), 0.0))
            continue
        chosen: list[str] = rng.sample(ids, rng.choice((2, 3)))
        target, sources = chosen[0], chosen[1:]
        before = set(model)
        model = merged(model, target, sources)
        reply = part(await kg.ask("kg_merge_entities", targetEntityId=target, sourceEntityIds=sources), "result")
        assert reply["relationshipsTransferred"] == len(set(model) - before)
        ids = [entity for entity in ids if entity not in sources]
        aliases[target].update(*(aliases[source] for source in sources))
    assert await shown(kg, ids) == model
    for entity in ids:
        kept = await kg.entity(entity)
        assert {str(kept["name"]), *map(str, rows(kept, "aliases"))} == aliases[entity]
        for name in aliases[entity]:
            assert await kg.create(name.upper()) == entity


async def test_extraction_goes_on_where_there_is_no_room_for_aliases(kg: Instance) -> None:
    names: list[Json] = [f"{number} ".ljust(500, "\u3042") for number in range(100)]
    more: list[Json] = [*(f"more {number} ".ljust(500, "\u3042") for number in range(75)), "x" * 500, "y" * 500]
    entity = await kg.create("PostgreSQL", aliases=names)
    assert await kg.create("PostgreSQL", aliases=more) == entity
    aliases = rows(await kg.entity(entity), "aliases")
    text = f"PostgreSQL, also known as {'Elephant' * 50}, was developed by Michael Stonebraker."
    before = await kg.ask("kg_extract_from_memory", memoryId="m1", memoryContent=text)
    assert entity in {str(row["id"]) for row in rows(part(before, "result"), "entities")}
    assert rows(await kg.entity(entity), "aliases") == aliases
    context = part(await kg.ask("kg_get_context", taskId="m1"), "context")
    assert entity in {str(row["id"]) for row in rows(context, "entities")}


async def test_each_edge_is_noted_at_its_ends(kg: Instance) -> None:
    hub = await kg.create("hub")
    for number in range(5):
        await kg.link(hub, await kg.create(f"spoke {number}"))
    log = await kg.stores.events()
    assert (await log.versions([adjacency_stream(hub)]))[adjacency_stream(hub)] == 5


async def test_a_source_that_nobody_read_does_not_change_the_time_of_the_last_read(tmp_path: Path) -> None:
    seconds = itertools.count(system_now(), 1_000_000)

    def now() -> Micros:
        return Micros(next(seconds))

    async with toolset_in(tmp_path, now=now) as kg:
        target = await kg.create("target")
        read_at = (await kg.entity(target))["lastAccessed"]
    async with toolset_in(tmp_path, now=now) as kg:
        source = await kg.create("source")
        merging = await kg.ask("kg_merge_entities", targetEntityId=target, sourceEntityIds=[source])
        assert part(part(merging, "result"), "mergedEntity")["lastAccessed"] == read_at


def test_sources_read_before_and_after_a_concurrent_merge_write_each_stream_once() -> None:
    """`b` has absorbed `a` meanwhile, and with it the claim to its name; the stale version of `a` loses the race."""

    def begun(name: str) -> Fact:
        return CREATED, {"channel": "c", "name": name, "type": "technology", "confidence": 0.8, "source": "t"}

    absorbed: JsonObject = {
        "merged": ["a"],
        "aliases": ["one"],
        "confidence": 0.8,
        "utility": 0.5,
        "accesses": 0,
        "accessed_at": 1,
        "sources": ["t"],
        "held": ["one"],
    }
    lives: dict[str, list[Fact]] = {
        "a": [begun("one")],
        "b": [begun("other"), (ABSORBED, absorbed)],
        "c": [begun("target")],
    }
    read = {entity_stream(id_): history_of(entity_stream(id_), *facts) for id_, facts in lives.items()}
    read |= {adjacency_stream(id_): () for id_ in lives}
    decision = merge(Histories(read), "c", ("a", "b"), None, lambda entity: entity)
    streams = [change.stream for change in decision.changes]
    assert len(streams) == len(set(streams))


@pytest.mark.parametrize("tool", ["kg_create_relationship", "kg_record_outcome"])
async def test_a_write_to_a_merged_entity_names_the_one_to_use(kg: Instance, tool: str) -> None:
    """It is the one that is live now, and no other channel is told of it."""
    first, second, last, end = [await kg.create(f"entity {name}", channelId="red") for name in "abcd"]
    for target, source in ((second, first), (last, second)):
        await kg.ask("kg_merge_entities", targetEntityId=target, sourceEntityIds=[source])
    calls: dict[str, dict[str, Json]] = {
        "kg_create_relationship": {"fromEntityId": first, "toEntityId": end, "type": "USES"},
        "kg_record_outcome": {"entityIds": [first], "reward": 1},
    }
    refused = await kg.reply(tool, **calls[tool])
    assert refused.structured["error"] == "Entity not found"
    assert refused.structured["message"] == f"Entity not found: {first} was merged into {last}; use that id"
    abroad = await kg.bound("blue").reply(tool, **calls[tool])
    assert abroad.structured["message"] == f"Entity not found: {first}"
