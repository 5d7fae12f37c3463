"""A store that breaks under a running server: each tool says so in its documented code, and works again once it is repaired."""

import json

import pytest

from backends.ports.values import JsonObject
from contracts.promises import promise
from contracts.tools.knowledge.client import KnowledgeClient
from contracts.tools.knowledge.replies import ErrorEnvelope
from tests.e2e.knowledge.conftest import AREA, Filed, Served
from tests.support.damage import cut_off, table_gone

Calls = list[tuple[str, JsonObject]]


def graph_readers() -> Calls:
    """Return a call of each tool that lists concepts of the graph."""
    return [
        ("search_concepts_exact", {"name": "sand"}),
        ("get_recent_concepts", {}),
        ("get_concepts_by_certainty", {}),
        ("list_hierarchy", {}),
    ]


def graph_walks(filed: Filed) -> Calls:
    """Return a call of each tool that follows edges."""
    return [
        ("get_related_concepts", {"concept_id": filed.source}),
        ("get_prerequisites", {"concept_id": filed.target}),
        ("get_concept_chain", {"start_concept_id": filed.source, "end_concept_id": filed.target}),
    ]


def writes(filed: Filed) -> Calls:
    """Return a call of each tool that writes; carried out in this order, all succeed."""
    pair: JsonObject = {"source_id": filed.source, "target_id": filed.target}
    return [
        ("create_concept", {"name": "Lens", "explanation": "A lens bends light.", "area": AREA}),
        ("update_concept", {"concept_id": filed.source, "explanation": "Sand is what stone becomes."}),
        ("create_relationship", {**pair, "relationship_type": "includes"}),
        ("delete_relationship", {**pair, "relationship_type": "prerequisite"}),
        ("delete_concept", {"concept_id": filed.target}),
    ]


async def error_of(client: KnowledgeClient, tool: str, arguments: JsonObject) -> ErrorEnvelope:
    """Call a tool that must fail; return its error, which has exactly the documented fields and no details."""
    reply = await client.connection.call(tool, arguments)
    assert reply.is_error, reply.text
    assert set(reply.structured) == {"success", "error", "error_type", "message"}
    envelope = ErrorEnvelope.model_validate_json(json.dumps(reply.structured))
    assert envelope.error_type == envelope.error
    return envelope


async def works(client: KnowledgeClient, calls: Calls) -> None:
    for tool, arguments in calls:
        reply = await client.connection.call(tool, arguments)
        assert not reply.is_error, (tool, reply.text)


@promise("knowledge:errors:neo4j-error")
async def test_each_tool_that_reads_a_damaged_graph_says_neo4j_error_until_it_is_repaired(
    filed: Filed, served: Served
) -> None:
    graph, walks = filed.database("graph"), graph_walks(filed)
    # The hierarchy is counted from totals, which lie in a table of their own.
    everything: Calls = [*walks, *(call for call in graph_readers() if call[0] != "list_hierarchy")]
    async with served("http") as client:
        for table, calls in (("edges", walks), ("nodes", everything)):
            with table_gone(graph, table):
                for tool, arguments in calls:
                    error = await error_of(client, tool, arguments)
                    assert error.error == "neo4j_error", (tool, error)
                    assert "graph.db" not in error.message, "where files lie is for the server's log"
                assert (await client.read(filed.source)).name == "Sand"
                found = await client.connection.call("search_concepts_semantic", {"query": "molten sand"})
                assert "Sand" in found.text, "names are read from the log while the graph is down"
        await works(client, everything)


@promise("knowledge:errors:chromadb-error")
async def test_a_search_of_damaged_vectors_says_chromadb_error_until_they_are_repaired(
    filed: Filed, served: Served
) -> None:
    async with served("http") as client:
        with table_gone(filed.database("vectors"), "records"):
            for _ in range(2):
                error = await error_of(client, "search_concepts_semantic", {"query": "molten sand"})
                assert error.error == "chromadb_error"
                assert "vectors.db" not in error.message
            await works(client, graph_readers())
        await works(client, [("search_concepts_semantic", {"query": "molten sand"})])


@promise("knowledge:errors:database-error")
@pytest.mark.parametrize("table", ["events", "batches"])
async def test_each_write_to_a_damaged_log_says_database_error_and_nothing_happened(
    filed: Filed, served: Served, table: str
) -> None:
    """Without `events` the streams cannot be read; without `batches` they can, and it is the append that fails."""
    async with served("http") as client:
        before = await client.events()
        with table_gone(filed.database("events"), table):
            for tool, arguments in writes(filed):
                error = await error_of(client, tool, arguments)
                assert error.error == "database_error", (tool, error)
                assert "events.db" not in error.message
            assert [row.name for row in await client.exact()] == ["Glass", "Sand"]
            if table == "events":
                assert (await error_of(client, "get_concept", {"concept_id": filed.source})).error == "database_error"
        assert await client.events() == before
        assert (await client.read(filed.source)).explanation == "Sand is ground stone."
        await works(client, writes(filed))


@promise("knowledge:stats:error")
async def test_statistics_of_a_damaged_log_are_an_error_with_status_error(filed: Filed, served: Served) -> None:
    async with served("http") as client:
        with table_gone(filed.database("events"), "prefixes"):
            reply = await client.connection.call("get_server_stats", {})
            assert reply.is_error
            message = reply.structured["message"]
            assert "events.db" not in str(message)
            assert reply.structured == {
                "success": False,
                "error": "database_error",
                "error_type": "database_error",
                "message": message,
                "status": "error",
            }
        assert await client.events() > 0


@promise("knowledge:errors:internal-error", "knowledge:errors:embedding-error")
async def test_only_calls_that_embed_fail_with_a_damaged_model(filed: Filed, served: Served) -> None:
    async with served("stdio") as client:
        before = await client.events()
        with cut_off(filed.model / "model.onnx"):
            create: JsonObject = {"name": "Lens", "explanation": "A lens bends light.", "area": AREA}
            update: JsonObject = {"concept_id": filed.source, "explanation": "Sand is what stone becomes."}
            for tool, arguments, code in (
                ("create_concept", create, "internal_error"),
                ("update_concept", update, "internal_error"),
                ("search_concepts_semantic", {"query": "molten sand"}, "embedding_error"),
            ):
                assert (await error_of(client, tool, arguments)).error == code
            assert await client.events() == before
            assert (await client.read(filed.source)).explanation == "Sand is ground stone."
            assert [row.name for row in await client.exact()] == ["Glass", "Sand"]
        await works(client, [("create_concept", create), ("search_concepts_semantic", {"query": "molten sand"})])
