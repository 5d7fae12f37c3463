"""Rivals: what is done at the same moment ends as if one had come after the other."""

import asyncio
import random
from pathlib import Path

from tests.support.toolsets.agent_graph import Instance, part, rows, toolset_in

CLIENTS = 8


async def test_one_name_filed_by_many_is_one_entity_with_all_aliases(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as one, toolset_in(tmp_path) as other:
        ids = await asyncio.gather(
            *((one, other)[number % 2].create("Contested", aliases=[f"alias {number}"]) for number in range(CLIENTS))
        )
        assert len(set(ids)) == 1
        assert sorted(map(str, rows(await one.entity(ids[0]), "aliases"))) == [f"alias {n}" for n in range(CLIENTS)]


async def test_one_text_extracted_by_many_at_once_is_stored_once(tmp_path: Path) -> None:
    text = "Sarah Chen from Google is leading the TensorFlow migration project. The team uses Python and Docker."
    async with toolset_in(tmp_path) as one, toolset_in(tmp_path) as other:
        replies = await asyncio.gather(
            *((one, other)[number % 2].ask("kg_extract_from_text", text=text) for number in range(CLIENTS))
        )
        found = {tuple(str(row["id"]) for row in rows(part(reply, "result"), "entities")) for reply in replies}
        assert len(found) == 1
        assert len(await one.names("kg_get_high_utility_entities", limit=50)) == 6


async def test_a_hub_linked_by_many_has_every_edge(kg: Instance) -> None:
    hub = await kg.create("hub")
    spokes = [await kg.create(f"spoke {number}") for number in range(CLIENTS)]
    await asyncio.gather(*(kg.link(hub, spoke) for spoke in spokes))
    ids = await asyncio.gather(*(kg.link(spokes[0], spokes[1], "USES") for _ in spokes))
    assert len(set(ids)) == 1
    assert (await kg.ask("kg_get_neighbors", entityId=hub, limit=100))["entityCount"] == CLIENTS


async def test_a_merge_raced_by_edits_of_its_source_ends_in_one_of_the_serial_outcomes(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as one, toolset_in(tmp_path) as other:
        for _ in range(12):
            await _assert_serial(one, other)


async def _assert_serial(one: Instance, other: Instance) -> None:
    """Merge while an edge is attached to the source and an alias is added to it; hold what comes out to a serial order."""
    tag = f"{random.getrandbits(40):x}"
    target, source, end = [await one.create(f"{name} {tag}") for name in ("target", "source", "end")]
    merging = one.reply("kg_merge_entities", targetEntityId=target, sourceEntityIds=[source])
    linking = other.reply("kg_create_relationship", fromEntityId=source, toEntityId=end, type="USES")
    naming = other.reply("kg_create_entity", name=f"source {tag}", type="technology", aliases=[f"late {tag}"])
    merged, linked, named = await asyncio.gather(merging, linking, naming)
    assert not merged.is_error, merged.structured
    assert (await one.entity(source))["id"] == target
    edges = rows(await one.ask("kg_get_neighbors", entityId=target), "relationships")
    if linked.is_error:
        assert linked.structured["error"] == "Entity not found"
        assert list(edges) == []
    else:
        assert [(edge["fromEntityId"], edge["toEntityId"]) for edge in edges] == [(target, end)]
    assert not named.is_error, named.structured
    assert f"late {tag}" in rows(await one.entity(target), "aliases")
    assert await one.names("kg_find_entity", name=f"late {tag}", exact=True) == [f"target {tag}"]


async def test_rival_merges_leave_each_entity_in_one_place(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as one, toolset_in(tmp_path) as other:
        for _ in range(8):
            a, b, c, end = [await one.create(f"{name} {random.getrandbits(40):x}") for name in "abcd"]
            await one.link(b, end)
            await asyncio.gather(
                one.reply("kg_merge_entities", targetEntityId=a, sourceEntityIds=[b]),
                other.reply("kg_merge_entities", targetEntityId=c, sourceEntityIds=[b]),
            )
            [edge] = rows(await one.ask("kg_get_neighbors", entityId=end), "relationships")
            assert edge["fromEntityId"] in (a, c)


async def test_a_ring_of_merges_at_once_ends_with_one_survivor(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as one, toolset_in(tmp_path) as other:
        a, b = await one.create("a"), await one.create("b")
        await one.link(a, b)
        replies = await asyncio.gather(
            one.reply("kg_merge_entities", targetEntityId=a, sourceEntityIds=[b]),
            other.reply("kg_merge_entities", targetEntityId=b, sourceEntityIds=[a]),
        )
        assert not any(reply.is_error for reply in replies)
        kept = {str((await one.entity(entity))["id"]) for entity in (a, b)}
        assert len(kept) == 1
        assert kept < {a, b}
