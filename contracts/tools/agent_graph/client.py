"""The agent_graph tools, called with typed replies."""

import json
from dataclasses import dataclass

from backends.ports.values import Json, JsonObject
from contracts.client import McpConnection
from contracts.tools.agent_graph.replies import (
    ContextReply,
    Entity,
    ErrorEnvelope,
    ExtractionReply,
    FindReply,
    Merged,
    MergeReply,
    Neighbors,
    One,
    PathReply,
    PhaseContext,
    PhaseReply,
    Relationship,
    RelationshipReply,
)

UNKNOWN = f"ent_{0:032x}"
CHANNELLED = {
    "kg_find_entity",
    "kg_get_high_utility_entities",
    "kg_get_context",
    "kg_get_phase_context",
    "kg_create_entity",
    "kg_create_relationship",
    "kg_extract_from_text",
    "kg_extract_from_memory",
    "kg_find_duplicates",
}


@dataclass(frozen=True, slots=True)
class AgentGraphClient:
    """Calls tools over a connection, in `channel` unless another one is named."""

    connection: McpConnection
    channel: str

    def with_channel(self, tool: str, arguments: JsonObject) -> dict[str, Json]:
        """Return arguments with the channel, if the tool takes one."""
        return {"channelId": self.channel, **arguments} if tool in CHANNELLED else dict(arguments)

    async def entity(self, name: str, kind: str = "technology", **more: Json) -> Entity:
        """Create an entity."""
        arguments = self.with_channel("kg_create_entity", {"name": name, "type": kind, **more})
        return (await self.connection.ask(One, "kg_create_entity", **arguments)).entity

    async def make(self, name: str, kind: str = "technology", **more: Json) -> str:
        """Create an entity and return its id."""
        return (await self.entity(name, kind, **more)).id

    async def read(self, entity_id: str) -> Entity:
        """Return an entity; that counts as a read."""
        return (await self.connection.ask(One, "kg_get_entity", entityId=entity_id)).entity

    async def link(self, source: str, target: str, kind: str = "RELATED_TO", **more: Json) -> Relationship:
        """Create a relationship."""
        ends: dict[str, Json] = {"fromEntityId": source, "toEntityId": target, "type": kind, **more}
        arguments = self.with_channel("kg_create_relationship", ends)
        return (await self.connection.ask(RelationshipReply, "kg_create_relationship", **arguments)).relationship

    async def find(self, name: str, **more: Json) -> FindReply:
        """Find entities by name."""
        arguments = self.with_channel("kg_find_entity", {"name": name, **more})
        found = await self.connection.ask(FindReply, "kg_find_entity", **arguments)
        assert found.count == len(found.entities) <= found.total_found
        return found

    async def found(self, name: str, **more: Json) -> list[str]:
        """Return the names of the entities found by name, in the order of the reply."""
        return [entity.name for entity in (await self.find(name, **more)).entities]

    async def neighbors(self, entity_id: str, **more: Json) -> Neighbors:
        """Return an entity's neighbours."""
        reply = await self.connection.ask(Neighbors, "kg_get_neighbors", entityId=entity_id, **more)
        assert reply.entity_count == len(reply.entities)
        assert reply.relationship_count == len(reply.relationships)
        return reply

    async def path(self, start: str, target: str, **more: Json) -> list[str] | None:
        """Return the ids on a path, None if there is none."""
        reply = await self.connection.ask(PathReply, "kg_find_path", fromEntityId=start, toEntityId=target, **more)
        assert reply.found is (reply.path is not None)
        if reply.path is None:
            assert reply.hop_count == 0
            return None
        assert reply.hop_count == len(reply.path.relationship_ids) == len(reply.path.entity_ids) - 1
        return reply.path.entity_ids

    async def context(self, **more: Json) -> ContextReply:
        """Return a context."""
        reply = await self.connection.ask(ContextReply, "kg_get_context", **self.with_channel("kg_get_context", more))
        assert reply.stats == reply.context.stats
        assert reply.stats.entity_count == len(reply.context.entities)
        assert reply.stats.relationship_count == len(reply.context.relationships)
        return reply

    async def phase(self, phase: str, **more: Json) -> PhaseContext:
        """Return the context of a phase."""
        arguments = self.with_channel("kg_get_phase_context", {"phase": phase, **more})
        reply = await self.connection.ask(PhaseReply, "kg_get_phase_context", **arguments)
        body = reply.phase_context
        assert (reply.entity_count, reply.relationship_count) == (len(body.entities), len(body.relationships))
        assert (reply.summary, reply.execution_time_ms) == (body.summary, body.execution_time_ms)
        assert body.phase == phase
        return body

    async def extract(self, text: str, **more: Json) -> ExtractionReply:
        """Extract and store a text."""
        arguments = self.with_channel("kg_extract_from_text", {"text": text, **more})
        reply = await self.connection.ask(ExtractionReply, "kg_extract_from_text", **arguments)
        assert reply.entities_extracted == reply.result.entities_extracted == len(reply.result.entities)
        assert reply.relationships_extracted == reply.result.relationships_extracted == len(reply.result.relationships)
        assert reply.execution_time_ms == reply.result.execution_time_ms
        return reply

    async def merge(self, target: str, *sources: str) -> Merged:
        """Merge entities into one."""
        arguments: dict[str, Json] = {"targetEntityId": target, "sourceEntityIds": list(sources)}
        return (await self.connection.ask(MergeReply, "kg_merge_entities", **arguments)).result

    async def refused(self, tool: str, arguments: JsonObject) -> ErrorEnvelope:
        """Call a tool that must refuse, and return the error."""
        reply = await self.connection.call(tool, self.with_channel(tool, arguments))
        assert reply.is_error, reply.text
        refusal = ErrorEnvelope.model_validate_json(json.dumps(reply.structured))
        assert refusal.error in refusal.message
        return refusal
