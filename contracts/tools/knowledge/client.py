"""The knowledge tools, called with typed replies."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from backends.ports.values import Json, JsonObject
from contracts.client import McpConnection
from contracts.tools.knowledge.replies import (
    Chain,
    Concept,
    ConceptReply,
    ErrorEnvelope,
    Neighbours,
    Prerequisites,
    RelationshipReply,
    Row,
    Rows,
    Stats,
    WriteReply,
)

UNKNOWN = "00000000-0000-4000-8000-000000000000"


@dataclass(frozen=True, slots=True)
class KnowledgeClient:
    """Calls tools over a connection; concepts are filed under `area` unless another one is named."""

    connection: McpConnection
    area: str

    async def file(self, name: str, explanation: str = "A concept made for a test.", /, **more: Json) -> str:
        """Create a concept and return its id."""
        arguments: dict[str, Json] = {"name": name, "explanation": explanation, "area": self.area, **more}
        return (await self.connection.ask(WriteReply, "create_concept", **arguments)).concept_id

    async def read(self, concept_id: str, *, include_history: bool = False) -> Concept:
        """Return a concept."""
        found = await self.connection.ask(
            ConceptReply, "get_concept", concept_id=concept_id, include_history=include_history
        )
        return found.concept

    async def link(self, source: str, target: str, kind: str = "prerequisite", **more: Json) -> str:
        """Create a relationship and return its id."""
        linked = await self.connection.ask(
            RelationshipReply, "create_relationship", source_id=source, target_id=target, relationship_type=kind, **more
        )
        return linked.relationship_id

    async def related(self, concept_id: str, **more: Json) -> list[tuple[str, str, str, float]]:
        """Return name, type, direction and strength of each neighbour, in the order of the reply."""
        reply = await self.connection.ask(Neighbours, "get_related_concepts", concept_id=concept_id, **more)
        assert reply.total == len(reply.results)
        assert reply.message == f"Found {reply.total} related concepts"
        return [(row.name, row.relationship_type, row.direction, row.strength) for row in reply.results]

    async def prerequisites(self, concept_id: str, **more: Json) -> list[tuple[str, int]]:
        """Return name and depth of each prerequisite, in the order of the reply."""
        reply = await self.connection.ask(Prerequisites, "get_prerequisites", concept_id=concept_id, **more)
        assert reply.total == len(reply.prerequisites)
        assert reply.message == f"Found {reply.total} prerequisites"
        return [(row.name, row.depth) for row in reply.prerequisites]

    async def chain(self, start: str, end: str, **more: Json) -> list[tuple[str, str | None]]:
        """Return name and type to the next of each concept on the path."""
        reply = await self.connection.ask(
            Chain, "get_concept_chain", start_concept_id=start, end_concept_id=end, **more
        )
        assert reply.length == len(reply.path) - 1
        assert reply.message == f"Found path of length {reply.length}"
        return [(step.name, step.relationship_to_next) for step in reply.path]

    async def exact(self, **criteria: Json) -> list[Row]:
        """Return what an exact search finds, in `area` unless the criteria name another."""
        reply = await self.connection.ask(Rows, "search_concepts_exact", **{"area": self.area, **criteria})
        assert reply.total == len(reply.results)
        assert reply.message == f"Found {reply.total} concepts matching criteria"
        return reply.results

    async def refused(self, tool: str, arguments: JsonObject) -> ErrorEnvelope:
        """Call a tool that must refuse, and return the error; nothing may have been written."""
        [envelope] = await self.refusals(tool, arguments)
        return envelope

    async def refusals(self, tool: str, *attempts: JsonObject) -> Sequence[ErrorEnvelope]:
        """Call a tool that must refuse each time, and return the errors; nothing may have been written."""
        before = await self.events()
        envelopes: list[ErrorEnvelope] = []
        for arguments in attempts:
            reply = await self.connection.call(tool, arguments)
            assert reply.is_error, (arguments, reply.text)
            envelope = ErrorEnvelope.model_validate_json(json.dumps(reply.structured))
            assert envelope.error == envelope.error_type
            envelopes.append(envelope)
        assert await self.events() == before
        return envelopes

    async def events(self) -> int:
        """Return how many events the server has recorded."""
        return (await self.connection.ask(Stats, "get_server_stats")).event_store.total_events
