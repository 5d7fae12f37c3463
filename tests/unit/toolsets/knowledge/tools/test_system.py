"""Counters, availability and ping."""

from typing import cast

from tests.support.toolsets.knowledge import Instance
from toolsets.spec import CallContext


async def test_the_counters_count_pairs_of_event_and_store(knowledge: Instance) -> None:
    assert await knowledge.outbox() == (0, 0, 0)
    a, b = await knowledge.create("A"), await knowledge.create("B")
    await knowledge.link(a, b)
    await knowledge.ask("update_concept", concept_id=a, name="C")
    stats = await knowledge.ask("get_server_stats")
    assert stats == {
        "success": True,
        "event_store": {"total_events": 4, "concept_events": 3},
        "outbox": {"pending": 0, "processed": 7, "failed": 0},
        "status": "healthy",
    }


async def test_all_tools_are_available_and_sorted(knowledge: Instance) -> None:
    reply = await knowledge.ask("get_tool_availability")
    assert reply["available"] == sorted(knowledge.tools)
    assert (reply["unavailable"], reply["total_tools"], reply["success"]) == ([], 17, True)


async def test_ping_answers_in_its_own_form(knowledge: Instance) -> None:
    reply = await knowledge.ask("ping")
    assert reply == {
        "status": "ok",
        "message": "MCP Knowledge Server is running",
        "server_name": "knowledge-server",
        "timestamp": reply["timestamp"],
    }
    assert len(str(reply["timestamp"])) == 26


async def test_tools_are_named_as_the_callers_surface_serves_them(knowledge: Instance) -> None:
    context = CallContext(
        "get_tool_availability", served_names={"create_relationship": "knowledge_create_relationship"}
    )
    reply = (await knowledge.tools["get_tool_availability"].call({}, context)).structured
    available = cast("list[str]", reply["available"])
    assert "knowledge_create_relationship" in available
    assert "create_relationship" not in available
    assert available == sorted(available)
