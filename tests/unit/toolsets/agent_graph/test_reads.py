"""Reads are counted without a write each, recorded together, lost by no clean stop, and part of the entity's stream."""

import asyncio
from pathlib import Path

import pytest

from backends.ports.events import EventLog
from tests.support.toolsets.agent_graph import Instance, part, rows, toolset_in
from toolsets.agent_graph.settings import AgentGraphSettings

SETTINGS = AgentGraphSettings(channel="default", access_flush_s=0.01)


async def accesses(kg: Instance) -> list[dict[str, object]]:
    """Return what was recorded of reads."""
    log: EventLog = await kg.stores.events()
    return [dict(event.data) for event in await log.read_all("agent_graph/") if event.type.endswith("entity_accessed")]


async def test_reading_writes_nothing(kg: Instance) -> None:
    entity = await kg.create("read often")
    log = await kg.stores.events()
    head = await log.head()
    for expected in range(1, 21):
        assert (await kg.entity(entity))["accessCount"] == expected
    assert await log.head() == head


async def test_a_clean_stop_loses_no_read(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as kg:
        one, other = await kg.create("one"), await kg.create("other")
        for _ in range(3):
            await kg.entity(one)
        last = str((await kg.entity(other))["lastAccessed"])
    async with toolset_in(tmp_path) as kg:
        assert [fact["count"] for fact in await accesses(kg)] == [3, 1]
        assert (await kg.entity(one))["accessCount"] == 4
        found = await kg.ask("kg_find_entity", name="other")
        assert last in str(found)


async def test_reads_are_recorded_in_the_background(tmp_path: Path) -> None:
    async with toolset_in(tmp_path, settings=SETTINGS, relay=True) as kg:
        entity = await kg.create("recorded")
        log = await kg.stores.events()
        for _ in range(5):
            await kg.entity(entity)
        async with asyncio.timeout(20):
            while sum(int(str(fact["count"])) for fact in await accesses(kg)) < 5:
                await log.wait(await log.head(), timeout_s=0.05)
        assert (await kg.entity(entity))["accessCount"] == 6


async def test_each_read_is_shown_once_while_reads_are_being_recorded(tmp_path: Path) -> None:
    async with toolset_in(tmp_path, settings=SETTINGS, relay=True) as kg:
        entity, other = await kg.create("read often"), await kg.create("read once")
        await kg.entity(other)
        expected = 0
        async with asyncio.timeout(20):
            # On a busy disk one recording may take as long as a hundred reads.
            while expected < 100 or len(await accesses(kg)) <= 2:
                expected += 1
                assert (await kg.entity(entity))["accessCount"] == expected
                best = await kg.ask("kg_get_high_utility_entities", limit=2)
                assert [(row["name"], row["accessCount"]) for row in rows(best, "entities")] == [
                    ("read often", expected),
                    ("read once", 1),
                ]


async def test_reads_of_what_is_merged_meanwhile_go_to_the_target(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as kg:
        target, source = await kg.create("target"), await kg.create("source")
        async with toolset_in(tmp_path) as rival:
            await rival.entity(source)
            await rival.entity(target)
            await kg.ask("kg_merge_entities", targetEntityId=target, sourceEntityIds=[source])
        assert (await kg.entity(target))["accessCount"] == 3
    async with toolset_in(tmp_path) as kg:
        assert [fact["count"] for fact in await accesses(kg)] == [2, 1]


async def test_reads_follow_through_any_number_of_merges(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as kg:
        target, middle, source = await kg.create("target"), await kg.create("middle"), await kg.create("source")
        async with toolset_in(tmp_path) as rival:
            await rival.entity(source)
            await kg.ask("kg_merge_entities", targetEntityId=middle, sourceEntityIds=[source])
            await kg.ask("kg_merge_entities", targetEntityId=target, sourceEntityIds=[middle])
        assert (await kg.entity(target))["accessCount"] == 2


@pytest.mark.parametrize("recorded", [False, True])
async def test_utility_after_a_merge_counts_all_reads(tmp_path: Path, recorded: bool) -> None:
    async with toolset_in(tmp_path) as kg:
        target, source = await kg.create("target"), await kg.create("source")
        await kg.ask("kg_record_outcome", entityIds=[source], reward=1)
        for _ in range(9):
            await kg.entity(source)
        if not recorded:
            await kg.ask("kg_merge_entities", targetEntityId=target, sourceEntityIds=[source])
    async with toolset_in(tmp_path) as kg:
        if recorded:
            await kg.ask("kg_merge_entities", targetEntityId=target, sourceEntityIds=[source])
        merged = await kg.entity(target)
    assert merged["qValue"] == round((0.5 + 10 * 0.55) / 11, 4)
    assert merged["accessCount"] == 10


async def test_reads_change_no_time_of_change(kg: Instance) -> None:
    entity = await kg.create("unchanged")
    before = await kg.entity(entity)
    after = await kg.entity(entity)
    assert after["updatedAt"] == before["updatedAt"] == before["createdAt"]


async def test_an_outcome_moves_utility_a_tenth_of_the_way(kg: Instance) -> None:
    entity, other = await kg.create("helpful"), await kg.create("other")
    expected = 0.5
    for reward in (1, 1, -1, 0, -1, -1):
        expected += 0.1 * ((reward + 1) / 2 - expected)
        reply = await kg.ask("kg_record_outcome", entityIds=[entity], reward=reward)
        assert reply["count"] == 1
        assert (await kg.entity(entity))["qValue"] == round(expected, 4)
    assert part(await kg.ask("kg_get_entity", entityId=other), "entity")["qValue"] == 0.5
    assert await kg.names("kg_get_high_utility_entities") == ["other", "helpful"]
    assert await kg.refused("kg_record_outcome", entityIds=[entity], reward=1.1) == "Invalid arguments"
    assert await kg.refused("kg_record_outcome", entityIds=[entity, f"ent_{0:032x}"], reward=1) == "Entity not found"


async def test_a_low_utility_is_lowered_by_failure_and_never_raised(kg: Instance) -> None:
    entity = await kg.create("misleading")
    values = [0.5]
    for _ in range(30):
        await kg.ask("kg_record_outcome", entityIds=[entity], reward=-1)
        values.append(float(str((await kg.entity(entity))["qValue"])))
    assert values == sorted(values, reverse=True)
    assert values[-1] > 0
