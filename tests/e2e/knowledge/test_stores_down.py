"""A store that cannot be opened takes down the tools that need it and no other; they come back by themselves."""

import asyncio
import json
from contextlib import ExitStack

import pytest

from backends.ports.values import Json, JsonObject
from contracts.promises import promise
from contracts.tools.knowledge.client import KnowledgeClient
from contracts.tools.knowledge.replies import Availability, ErrorEnvelope
from tests.e2e.knowledge.conftest import Filed, Served
from tests.support.damage import blocked, cut_off

PATIENCE_S = 20.0

SERVICES = {
    "concept_tools": ("repository", "confidence_service"),
    "search_tools": ("neo4j_service", "chromadb_service", "embedding_service"),
    "relationship_tools": ("neo4j_service", "event_store", "outbox"),
    "analytics_tools": ("neo4j_service",),
}
SYSTEM = {"ping", "get_server_stats", "get_tool_availability"}
CONCEPT = {"create_concept", "get_concept", "update_concept", "delete_concept"}
GRAPH = {
    "search_concepts_exact",
    "get_recent_concepts",
    "create_relationship",
    "delete_relationship",
    "get_related_concepts",
    "get_prerequisites",
    "get_concept_chain",
    "list_hierarchy",
    "get_concepts_by_certainty",
}
MEANING = {"search_concepts_semantic"}
ALL = SYSTEM | CONCEPT | GRAPH | MEANING

DOWN = {
    "graph": ({"repository", "neo4j_service"}, CONCEPT | GRAPH),
    "vectors": ({"repository", "chromadb_service"}, CONCEPT | MEANING),
    # Each store notes its live generation itself, so that reading needs no log.
    "events": ({"repository", "event_store", "outbox"}, CONCEPT | {"create_relationship", "delete_relationship"}),
}
"""The services that are down without a store, and the tools that are then unavailable."""


def arguments_of(tool: str, filed: Filed) -> JsonObject:
    """Return arguments with which the tool succeeds while all is well."""
    pair: dict[str, Json] = {"source_id": filed.source, "target_id": filed.target}
    given: dict[str, JsonObject] = {
        "create_concept": {"name": "Lens", "explanation": "A lens bends light."},
        "get_concept": {"concept_id": filed.source},
        "update_concept": {"concept_id": filed.source, "topic": "stone"},
        "delete_concept": {"concept_id": filed.target},
        "search_concepts_semantic": {"query": "molten sand"},
        "create_relationship": {**pair, "relationship_type": "includes"},
        "delete_relationship": {**pair, "relationship_type": "prerequisite"},
        "get_related_concepts": {"concept_id": filed.source},
        "get_prerequisites": {"concept_id": filed.target},
        "get_concept_chain": {"start_concept_id": filed.source, "end_concept_id": filed.target},
    }
    return given.get(tool, {})


async def availability(client: KnowledgeClient) -> Availability:
    return await client.connection.ask(Availability, "get_tool_availability")


async def all_back(client: KnowledgeClient) -> None:
    """Wait until every tool is available again; nobody restarts anything."""
    async with asyncio.timeout(PATIENCE_S):
        while (await availability(client)).unavailable:
            await asyncio.sleep(0.1)


async def refuses(client: KnowledgeClient, tool: str, arguments: JsonObject, services: set[str]) -> None:
    """Check that a tool says which service is missing, in the whole documented envelope."""
    reply = await client.connection.call(tool, arguments)
    assert reply.is_error, (tool, reply.text)
    fields = dict(reply.structured)
    assert fields.pop("status", None) == ("error" if tool == "get_server_stats" else None)
    assert set(fields) == {"success", "error", "error_type", "message"}
    envelope = ErrorEnvelope.model_validate_json(json.dumps(fields))
    assert (envelope.error, envelope.error_type) == ("service_unavailable", "service_unavailable")
    assert any(f"({service} not initialized)" in envelope.message for service in services), envelope


async def lists(client: KnowledgeClient, services: set[str], unavailable: set[str]) -> None:
    """Check the whole reply of `get_tool_availability` while some services are down."""
    found = await availability(client)
    assert found.unavailable == sorted(unavailable)
    assert found.available == sorted(ALL - unavailable)
    assert found.total_tools == len(ALL) == 17
    assert found.service_status.model_dump() == {
        group: {service: service not in services for service in names} for group, names in SERVICES.items()
    }


@promise("knowledge:errors:service-unavailable", "knowledge:availability:some", "knowledge:stats:error")
@pytest.mark.parametrize("store", ["graph", "vectors", "events"])
async def test_tools_say_which_store_is_down_and_come_back_by_themselves(
    filed: Filed, served: Served, store: str
) -> None:
    services, unavailable = DOWN[store]
    # A concept is read from its events, whatever the indexes do; the statistics need nothing but the events.
    failing = unavailable | {"get_server_stats"} if store == "events" else unavailable - {"get_concept"}
    with ExitStack() as obstacle:
        obstacle.enter_context(blocked(filed.data / store))
        async with served("stdio") as client:
            await lists(client, services, unavailable)
            for tool in sorted(failing):
                await refuses(client, tool, arguments_of(tool, filed), services)
            readable = GRAPH | MEANING if store == "events" else MEANING
            for tool in sorted((SYSTEM | readable | {"get_concept"}) - failing):
                reply = await client.connection.call(tool, arguments_of(tool, filed))
                assert not reply.is_error, (tool, reply.text)
            obstacle.close()
            await all_back(client)
            assert (await client.read(filed.target)).name == "Glass", "nothing was deleted meanwhile"
            for tool in sorted(failing - {"delete_concept"}):
                reply = await client.connection.call(tool, arguments_of(tool, filed))
                assert not reply.is_error, (tool, reply.text)


@promise("knowledge:availability:some")
async def test_a_damaged_model_fails_only_semantic_searches(filed: Filed, served: Served) -> None:
    with ExitStack() as damage:
        async with served("stdio") as client:
            damage.enter_context(cut_off(filed.model / "model.onnx"))
            await lists(client, {"embedding_service"}, MEANING)
            damage.close()
            await all_back(client)
            found = await client.connection.call(
                "search_concepts_semantic", arguments_of("search_concepts_semantic", filed)
            )
            assert not found.is_error, found.text
