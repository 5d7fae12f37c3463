"""The extraction tools: store what a text or a memory states, in one batch."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, ClassVar

from pydantic import Field

from backends.ports.values import Json
from toolsets.agent_graph import ingest
from toolsets.agent_graph.errors import tool_error
from toolsets.agent_graph.ingest import IngestPlan, StoredIds
from toolsets.agent_graph.runtime import AgentGraph
from toolsets.agent_graph.tools.fields import (
    EntityBody,
    InChannel,
    Name,
    RelationshipBody,
    Success,
    elapsed_ms,
    entity_body,
    relationship_body,
)
from toolsets.arguments import Filled
from toolsets.concurrency import run_cpu
from toolsets.replies import MAX_PAGE_BYTES, CamelBody, Number, counted, cut_sentence, fitting_rows, reply_of
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.sourcing.write_path import Written
from toolsets.spec import CallContext, Reply
from toolsets.tools import REPEATABLE, Tool

EXTRACTION_S = 120.0
"""The deadline allows for a slow language model; the rules read 256 kB in a second."""
_MENTIONS = 8
"""Entities of a text that take as long to draw up as an event takes to read; from 1,600 on, a thread does it."""
NOT_READ = "; the text was not read to its end, because it holds more names and verbs than prose does: send it in parts"


class ExtractFromText(InChannel):
    """A text to read."""

    text: Annotated[Filled, Field(description="Prose, up to 256 kB.")]
    source_id: Annotated[Name | None, Field(description="Where the text is from, such as a task or a page.")] = None


class ExtractFromMemory(InChannel):
    """A memory to read."""

    memory_id: Name
    memory_content: Annotated[Filled, Field(description="The memory's text; it is not looked up by id.")]


class Extracted(CamelBody):
    """The result of a text: entities and edges as they are stored now, new or not."""

    entities: tuple[EntityBody, ...]
    relationships: tuple[RelationshipBody, ...]
    entities_extracted: int
    relationships_extracted: int
    execution_time_ms: Number


class Linked(Extracted):
    """The result of a memory, and whether anything was linked to it."""

    linked_to_memory: bool


class ExtractionReply(Success):
    """The result of a text; its counters are repeated."""

    nothing: ClassVar[Mapping[str, Json]] = {"result": None}

    result: Extracted | None
    entities_extracted: int
    relationships_extracted: int
    execution_time_ms: Number
    message: str


class MemoryReply(Success):
    """The result of a memory; its counters are repeated."""

    nothing: ClassVar[Mapping[str, Json]] = {"result": None}

    result: Linked | None
    entities_extracted: int
    relationships_extracted: int
    execution_time_ms: Number
    message: str


async def extract_from_text(toolset: AgentGraph, arguments: ExtractFromText, context: CallContext) -> Reply:
    """Store the entities and relationships that a text states."""
    channel = toolset.channel(arguments.channel_id, context)
    source = arguments.source_id or context.tool
    extracted, note, written = await _extracted(toolset, channel, arguments.text, source, context)
    reply = ExtractionReply(
        result=extracted,
        entities_extracted=extracted.entities_extracted,
        relationships_extracted=extracted.relationships_extracted,
        execution_time_ms=extracted.execution_time_ms,
        message=_message(extracted, note, written),
    )
    return reply_of(reply, meta=written.meta)


async def extract_from_memory(toolset: AgentGraph, arguments: ExtractFromMemory, context: CallContext) -> Reply:
    """Store what a memory states; each entity and edge keeps the id of the memory as a source."""
    channel = toolset.channel(arguments.channel_id, context)
    text, memory = arguments.memory_content, arguments.memory_id
    extracted, note, written = await _extracted(toolset, channel, text, memory, context)
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
        message=_message(linked, note, written),
    )
    return reply_of(reply, meta=written.meta)


async def _extracted(
    toolset: AgentGraph, channel: str, text: str, source: str, context: CallContext
) -> tuple[Extracted, str, Written[StoredIds]]:
    """Extract and store a text; return the stored records, the end of the message, and the outcome of the write."""
    started = toolset.now()
    extraction = await toolset.extractor.extract(text)
    work = partial(ingest.drafts_of, extraction, channel, source)
    drafts = await run_cpu(work, size=len(extraction.entities) // _MENTIONS)
    if not ingest.fits(drafts, extraction):
        raise tool_error("Invalid arguments", "the text says more than can be stored at once; send it in parts")
    async with toolset.graph() as graph:
        known = await ingest.found_by_alias(graph, drafts)
    plan = IngestPlan(channel, source, extraction, drafts, tuple(toolset.new_id() for _ in drafts), known)

    def decide(histories: Histories) -> Decision[StoredIds]:
        return ingest.store(histories, plan)

    written = await toolset.write(decide, context, streams=plan.streams)
    entities = await toolset.entities_of(written, written.value.entities)
    relationships = await toolset.relationships_of(written, written.value.relationships)

    def body() -> tuple[Extracted, str]:
        entity_rows = fitting_rows([entity_body(entity) for entity in entities], MAX_PAGE_BYTES * 3 // 4)
        rows = fitting_rows([relationship_body(edge) for edge in relationships], MAX_PAGE_BYTES // 4)
        found, shown = len(entities) + len(relationships), len(entity_rows) + len(rows)
        extracted = Extracted(
            entities=entity_rows,
            relationships=rows,
            entities_extracted=len(entities),
            relationships_extracted=len(relationships),
            execution_time_ms=elapsed_ms(started, toolset.now),
        )
        return extracted, ("" if extraction.complete else NOT_READ) + cut_sentence(shown, found)

    return *(await run_cpu(body, size=len(entities) + len(relationships))), written


def _message(extracted: Extracted, note: str, written: Written[StoredIds]) -> str:
    entities = counted(extracted.entities_extracted, "entity", "entities")
    relationships = counted(extracted.relationships_extracted, "relationship", "relationships")
    return written.message(f"Extracted {entities} and {relationships}{note}")


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
