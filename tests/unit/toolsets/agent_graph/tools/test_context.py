"""The part of the graph that keywords, a task or a phase needs."""

import pytest

from tests.support.toolsets.agent_graph import Instance, part, rows
from toolsets.agent_graph.tools import context


@pytest.mark.parametrize("phase", ["observation", "reasoning", "planning", "action", "reflection"])
async def test_a_phase_is_of_the_channel_of_what_it_names(kg: Instance, phase: str) -> None:
    """The default channel is none of the caller's choosing, so nothing of it comes beside what was named."""
    at_home = await kg.create("at home")
    await kg.entity(at_home)
    a, b = await kg.create("a", channelId="red"), await kg.create("b", channelId="red")
    found = part(
        await kg.ask("kg_get_phase_context", phase=phase, taskContent="at home", entityIds=[a, b]), "phaseContext"
    )
    assert {a, b} <= {str(row["id"]) for row in rows(found, "entities")}
    assert {str(row["channelId"]) for row in rows(found, "entities")} == {"red"}
    for ids, channel in (([a, at_home], {}), ([a], {"channelId": "blue"})):
        refused = await kg.refused("kg_get_phase_context", phase=phase, entityIds=ids, **channel)
        assert refused == "Entity not found"


async def test_a_context_has_the_entities_of_its_words_the_most_useful_ones_and_the_edges_among_them(
    kg: Instance,
) -> None:
    redis, valkey, kafka = await kg.create("Redis"), await kg.create("Valkey"), await kg.create("Kafka")
    edge = await kg.link(valkey, redis)
    reply = await kg.ask("kg_get_context", keywords=["redis", "valk"])
    body = part(reply, "context")
    assert {str(row["id"]) for row in rows(body, "entities")} == {redis, valkey}
    assert [row["id"] for row in rows(body, "relationships")] == [edge]
    assert {str(row["id"]) for row in rows(body, "highUtilityEntities")} == {redis, valkey, kafka}
    assert reply["stats"] == body["stats"] == {"entityCount": 2, "relationshipCount": 1}
    assert reply["message"] == "Found 2 entities and 1 relationship"


async def test_entities_of_a_task_are_those_that_were_found_in_it(kg: Instance) -> None:
    await kg.create("Kafka")
    await kg.ask("kg_extract_from_text", text="GitLab uses PostgreSQL.", sourceId="task-7")
    body = part(await kg.ask("kg_get_context", taskId="task-7"), "context")
    assert {str(row["name"]) for row in rows(body, "entities")} == {"GitLab", "PostgreSQL"}
    by_hand = part(await kg.ask("kg_get_context", taskId="kg_create_entity"), "context")
    assert rows(by_hand, "entities") == [], "the name of a tool is no task"


async def test_a_phase_says_how_large_and_how_old_its_context_is(kg: Instance) -> None:
    await kg.create("Redis")
    reply = await kg.ask("kg_get_phase_context", phase="observation", taskContent="Why is Redis slow?")
    body = part(reply, "phaseContext")
    assert (body["phase"], reply["entityCount"], reply["relationshipCount"]) == ("observation", 1, 0)
    assert reply["summary"] == body["summary"]
    assert reply["message"] == "Found 1 entity and 0 relationships for the observation phase"
    assert float(str(reply["executionTimeMs"])) >= 0


async def test_what_a_context_shows_is_read(kg: Instance) -> None:
    redis = await kg.create("Redis")
    await kg.ask("kg_get_context", keywords=["redis"])
    assert (await kg.entity(redis))["accessCount"] == 2, "this read and that of the context"


async def test_what_the_size_of_a_reply_cuts_from_a_context_is_not_read(
    kg: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [await kg.create(f"Redis {number}") for number in range(5)]
    monkeypatch.setattr(context, "MAX_PAGE_BYTES", 1_000)
    shown = int(str(part(await kg.ask("kg_get_context", keywords=["redis"]), "stats")["entityCount"]))
    assert 0 < shown < len(ids)
    reads = [int(str((await kg.entity(id_))["accessCount"])) for id_ in ids]
    assert sum(reads) == len(ids) + shown


async def test_blanks_around_a_keyword_are_ignored(kg: Instance) -> None:
    redis = await kg.create("Redis")
    body = part(await kg.ask("kg_get_context", keywords=[" redis "]), "context")
    assert [row["id"] for row in rows(body, "entities")] == [redis]
