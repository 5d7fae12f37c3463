"""The extraction tools: what a text or a memory says, stored in one step."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from backends.ports.values import Json
from toolsets.agent_graph import storing
from toolsets.agent_graph.errors import Refusal
from toolsets.agent_graph.runtime import AgentGraph, done
from toolsets.agent_graph.storing import Plan, Stored
from toolsets.agent_graph.tools.fields import (
    Body,
    EntityBody,
    InChannel,
    Name,
    RelationshipBody,
    Success,
    counted,
    elapsed_ms,
    entity_body,
    relationship_body,
)
from toolsets.apart import apart
from toolsets.making import REPEATABLE, Tool
from toolsets.parsing import Filled
from toolsets.reply import Number, answer
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.sourcing.writing import Written
from toolsets.spec import CallContext, Reply

EXTRACTION_S = 120.0
"""A language model takes its time; the rules read 200 kB in seconds."""


class ExtractFromText(InChannel):
    """A text to read."""

    text: Annotated[Filled, Field(description="Prose, up to 256 kB.")]
    source_id: Annotated[Name | None, Field(description="Where the text is from, such as a task or a page.")] = None


class ExtractFromMemory(InChannel):
    """A memory to read."""

    memory_id: Name
    memory_content: Annotated[Filled, Field(description="The memory's text; it is not looked up by id.")]


class Extracted(Body):
    """What a text yielded: entities and edges as they are stored now, new or not."""

    entities: tuple[EntityBody, ...]
    relationships: tuple[RelationshipBody, ...]
    entities_extracted: int
    relationships_extracted: int
    execution_time_ms: Number


class Linked(Extracted):
    """What a memory yielded, and whether anything was tied to it."""

    linked_to_memory: bool


class Doubled(Success):
    """The counters of a result, said beside it once more."""

    nothing: ClassVar[Mapping[str, Json]] = {"result": None}

    entities_extracted: int
    relationships_extracted: int
    execution_time_ms: Number


class ExtractionReply(Doubled):
    """What a text yielded."""

    result: Extracted | None


class MemoryReply(Doubled):
    """What a memory yielded."""

    result: Linked | None


async def extract_from_text(graph: AgentGraph, arguments: ExtractFromText, context: CallContext) -> Reply:
    """Store what a text says."""
    channel = graph.channel(arguments.channel_id, context)
    extracted, written = await _extracted(graph, channel, arguments.text, arguments.source_id or context.tool, context)
    reply = ExtractionReply(
        result=extracted,
        entities_extracted=extracted.entities_extracted,
        relationships_extracted=extracted.relationships_extracted,
        execution_time_ms=extracted.execution_time_ms,
        message=_message(extracted, written),
    )
    return answer(reply, meta=written.note)


async def extract_from_memory(graph: AgentGraph, arguments: ExtractFromMemory, context: CallContext) -> Reply:
    """Store what a memory says; each entity and edge keeps the memory's id."""
    channel = graph.channel(arguments.channel_id, context)
    text, memory = arguments.memory_content, arguments.memory_id
    extracted, written = await _extracted(graph, channel, text, memory, context)
    anything = bool(extracted.entities or extracted.relationships)
    linked = Linked(
        entities=extracted.entities,
        relationships=extracted.relationships,
        entities_extracted=extracted.entities_extracted,
        relationships_extracted=extracted.relationships_extracted,
        execution_time_ms=extracted.execution_time_ms,
        linked_to_memory=anything,
    )
    reply = MemoryReply(
        result=linked,
        entities_extracted=linked.entities_extracted,
        relationships_extracted=linked.relationships_extracted,
        execution_time_ms=linked.execution_time_ms,
        message=_message(linked, written),
    )
    return answer(reply, meta=written.note)


async def _extracted(
    graph: AgentGraph, channel: str, text: str, source: str, context: CallContext
) -> tuple[Extracted, Written[Stored]]:
    """Read a text, store what it says, and return it as it stands now."""
    started = graph.now()
    extraction = await graph.extractor.extract(text)
    drafts = storing.drafts_of(extraction, channel, source)
    if not storing.fits(drafts, extraction):
        raise Refusal("Invalid arguments", "the text says more than can be stored at once; send it in parts")
    async with graph.graph() as store:
        known = await storing.found_by_alias(store, drafts)
    plan = Plan(channel, source, extraction, drafts, tuple(graph.new_id() for _ in drafts), known)

    def decide(histories: Histories) -> Decision[Stored]:
        return storing.store(histories, plan)

    written = await graph.write(decide, context, streams=plan.streams)
    entities = await graph.entities_of(written, written.value.entities)
    relationships = await graph.relationships_of(written, written.value.relationships)

    def body() -> Extracted:
        return Extracted(
            entities=tuple(entity_body(entity) for entity in entities),
            relationships=tuple(relationship_body(edge) for edge in relationships),
            entities_extracted=len(entities),
            relationships_extracted=len(relationships),
            execution_time_ms=elapsed_ms(started, graph.now),
        )

    return await apart(body, size=len(entities) + len(relationships)), written


def _message(extracted: Extracted, written: Written[Stored]) -> str:
    entities = counted(extracted.entities_extracted, "entity", "entities")
    relationships = counted(extracted.relationships_extracted, "relationship", "relationships")
    return done(f"Extracted {entities} and {relationships}", written)


TOOLS = (
    Tool(
        "kg_extract_from_text",
        "Extract from text",
        "Store the entities and relationships that a text names. What the channel has already is reused, not doubled.",
        ExtractFromText,
        ExtractionReply,
        extract_from_text,
        REPEATABLE,
        EXTRACTION_S,
    ),
    Tool(
        "kg_extract_from_memory",
        "Extract from memory",
        "Store what a memory says and tie it to the memory's id. Repeating the call adds nothing.",
        ExtractFromMemory,
        MemoryReply,
        extract_from_memory,
        REPEATABLE,
        EXTRACTION_S,
    ),
)
