"""The memory tools, called with typed replies."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_types import TextResourceContents

from backends.ports.values import Json, JsonObject
from contracts.client import McpConnection
from contracts.tools.memory.replies import (
    Databases,
    EntityReply,
    ErrorEnvelope,
    FoundEntity,
    FoundList,
    Observed,
    Related,
    RelatedList,
    RelationshipReply,
    Similar,
    SimilarList,
    Summaries,
    Summary,
)

LIST = "kuzu://databases/list"


ECHOED = 2_000
"""Characters of the query that a reply repeats."""


@dataclass(frozen=True, slots=True)
class MemoryClient:
    """Calls tools over a connection; `mark` is a word unique to the test."""

    connection: McpConnection
    mark: str
    database: str = "memory"

    def name(self, word: str) -> str:
        """Return a name unique to the test."""
        return f"{word} {self.mark}"

    async def store(
        self, name: str, observations: Sequence[str] = (), kind: str = "thing", **more: Json
    ) -> EntityReply:
        """Create an entity."""
        arguments: dict[str, Json] = {
            "database": self.database,
            "name": name,
            "entity_type": kind,
            "observations": list(observations),
            **more,
        }
        return await self.connection.ask(EntityReply, "create_entity", **arguments)

    async def link(self, source: str, target: str, kind: str = "KNOWS", confidence: float = 1.0) -> RelationshipReply:
        """Create a relationship."""
        return await self.connection.ask(
            RelationshipReply,
            "create_relationship",
            database=self.database,
            from_entity=source,
            to_entity=target,
            relationship_type=kind,
            confidence=confidence,
        )

    async def observe(self, name: str, observations: Sequence[str]) -> Observed:
        """Add observations."""
        return await self.connection.ask(
            Observed, "add_observations", database=self.database, entity_name=name, observations=list(observations)
        )

    async def search(self, query: str, **more: Json) -> list[FoundEntity]:
        """Return the entities that a search by words finds."""
        reply = await self.connection.ask(FoundList, "search_entities", database=self.database, query=query, **more)
        assert (reply.query, reply.database, reply.count) == (query[:ECHOED], self.database, len(reply.entities))
        return reply.entities

    async def similar(self, query: str, **more: Json) -> list[Similar]:
        """Return the entities that a search by meaning finds."""
        reply = await self.connection.ask(SimilarList, "semantic_search", database=self.database, query=query, **more)
        assert (reply.query, reply.database, reply.count) == (query[:ECHOED], self.database, len(reply.entities))
        assert reply.method == "vector_similarity"
        return reply.entities

    async def related(self, name: str, **more: Json) -> list[Related]:
        """Return the related entities."""
        reply = await self.connection.ask(
            RelatedList, "get_related_entities", database=self.database, entity_name=name, **more
        )
        assert (reply.entity_name, reply.database, reply.count) == (name, self.database, len(reply.entities))
        for row in reply.entities:
            assert len(row.relationship_path) == len(row.confidence_path) == row.distance
        return reply.entities

    async def summary(self) -> Summary:
        """Return the summary of the database."""
        return await self.connection.ask(Summary, "get_graph_summary", database=self.database)

    async def summaries(self) -> Summaries:
        """Return the summary of all databases."""
        return await self.connection.ask(Summaries, "get_graph_summary")

    async def databases(self) -> Databases:
        """Return the list of databases."""
        [content] = (await self.connection.client.read_resource(LIST)).contents
        assert isinstance(content, TextResourceContents)
        assert (str(content.uri), content.mime_type) == (LIST, "application/json")
        return Databases.model_validate_json(content.text)

    async def refused(self, tool: str, arguments: JsonObject) -> str:
        """Call a tool that must refuse, and return the message; nothing may have been written."""
        [message] = await self.refusals(tool, arguments)
        return message

    async def refusals(self, tool: str, *attempts: JsonObject) -> Sequence[str]:
        """Call a tool that must refuse each time, and return the messages; nothing may have been written."""
        return [envelope.message for envelope in await self.envelopes(tool, *attempts)]

    async def envelopes(self, tool: str, *attempts: JsonObject) -> Sequence[ErrorEnvelope]:
        """Call a tool that must refuse each time, and return the errors; nothing may have been written."""
        before = await self.summaries()
        envelopes: list[ErrorEnvelope] = []
        for arguments in attempts:
            reply = await self.connection.call(tool, arguments)
            assert reply.is_error, (arguments, reply.text)
            envelopes.append(ErrorEnvelope.model_validate_json(json.dumps(reply.structured)))
        assert await self.summaries() == before
        return envelopes
