"""The maintenance tools: find duplicates, merge entities, record outcomes."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, ClassVar

import anyio.from_thread
from pydantic import Field

from backends.ports.values import Json, NodeId
from toolsets.agent_graph import entity as entities
from toolsets.agent_graph import merge, queries
from toolsets.agent_graph.duplicates.model import Named, Pairs
from toolsets.agent_graph.duplicates.pairs import find_pairs
from toolsets.agent_graph.entity import Entity
from toolsets.agent_graph.merge import Merge
from toolsets.agent_graph.projections import BY_AGE, ENTITY, entity_in
from toolsets.agent_graph.runtime import AgentGraph, check_entity_id
from toolsets.agent_graph.streams import adjacency_stream, entity_stream
from toolsets.agent_graph.tools.fields import (
    CamelArguments,
    Confidence,
    EntityBody,
    EntityId,
    InChannel,
    Success,
    entity_body,
)
from toolsets.concurrency import BoundedThreads, run_cpu
from toolsets.replies import CamelBody, Number, counted, cut_sentence, fitting_rows, reply_of
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.spec import CallContext, Effects, Reply
from toolsets.tools import CHANGES, Tool

MAX_MERGED = 100
"""A merge is one batch of events, which has those of all edges of its sources."""
MAX_REWARDED = 100
"""An outcome is one batch of events, one for each entity."""
MOST_PAIRS = 500
"""The most pairs in a reply. Merging the first pairs changes the others, so a longer list has little use."""
DUPLICATES_S = 120.0
"""Longer than other tools: it reads all names of a channel and compares them."""
_PAGE = 1_000
"""The largest page of the ports."""
_threads = BoundedThreads("comparisons of names", 1)


class FindDuplicates(InChannel):
    """The least similarity of names."""

    threshold: Annotated[
        Confidence,
        Field(description="1: equal but for what means nothing in a name: case, accents, punctuation, legal forms."),
    ] = 0.8


class MergeEntities(CamelArguments):
    """The entities to merge, and the one that stays."""

    target_entity_id: Annotated[EntityId, Field(description="Stays.")]
    source_entity_ids: Annotated[
        tuple[EntityId, ...],
        Field(min_length=1, max_length=MAX_MERGED, strict=False, description="Gone afterwards."),
    ]


class RecordOutcome(CamelArguments):
    """An outcome, and the entities that contributed to it."""

    entity_ids: Annotated[tuple[EntityId, ...], Field(min_length=1, max_length=MAX_REWARDED, strict=False)]
    reward: Annotated[float, Field(ge=-1, le=1, description="1: they helped; -1: they misled.")]


class Duplicate(CamelBody):
    """Two entities that may be the same; the first is the older one."""

    entity1: EntityBody
    entity2: EntityBody
    similarity: Number


class DuplicatesReply(Success):
    """Pairs, the most alike first."""

    nothing: ClassVar[Mapping[str, Json]] = {"duplicates": []}

    duplicates: tuple[Duplicate, ...]
    count: int
    message: str


class Merged(CamelBody):
    """The result of a merge."""

    success: bool
    merged_entity: EntityBody | None
    relationships_transferred: int
    aliases_merged: tuple[str, ...]
    error: str | None = Field(default=None, exclude_if=lambda text: text is None)


class MergeReply(Success):
    """The reply to a merge."""

    nothing: ClassVar[Mapping[str, Json]] = {"result": None}

    result: Merged | None
    message: str


class OutcomeReply(Success):
    """The entities after an outcome."""

    nothing: ClassVar[Mapping[str, Json]] = {"entities": []}

    entities: tuple[EntityBody, ...]
    count: int
    message: str


async def find_duplicates(toolset: AgentGraph, arguments: FindDuplicates, context: CallContext) -> Reply:
    """Compare all names of a channel in a worker thread."""
    channel = toolset.channel(arguments.channel_id, context)
    named = await _named(toolset, channel, context)

    reported = 0

    def report(done_: int, total: int) -> None:
        nonlocal reported
        anyio.from_thread.check_cancelled()
        if done_ > reported:
            reported = done_
            anyio.from_thread.run(context.progress, len(named) + done_, len(named) + total, "comparing names")

    def compare() -> Pairs:
        return find_pairs(named, threshold=arguments.threshold, limit=MOST_PAIRS, progress=report)

    pairs = await _threads.run(compare)
    async with toolset.graph() as graph:
        nodes = await graph.get_nodes([NodeId(id_) for pair in pairs.pairs for id_ in (pair.first, pair.second)])
    found = {id_: toolset.read_counts.entity_in(node) for id_, node in nodes.items()}
    return await run_cpu(partial(_duplicates_reply, pairs, found), size=len(pairs.pairs))


def _duplicates_reply(pairs: Pairs, entities: Mapping[NodeId, Entity]) -> Reply:
    bodies = {id_: entity_body(entity) for id_, entity in entities.items()}
    alike = [
        Duplicate(entity1=bodies[first], entity2=bodies[second], similarity=pair.similarity)
        for pair in pairs.pairs
        if (first := NodeId(pair.first)) in bodies and (second := NodeId(pair.second)) in bodies
    ]
    duplicates = fitting_rows(alike)
    message = f"Found {counted(len(alike), 'pair', 'pairs')}{cut_sentence(len(duplicates), len(alike))}"
    more = "; there are more, merge these first" if pairs.truncated else ""
    return reply_of(DuplicatesReply(duplicates=duplicates, count=len(duplicates), message=message + more))


async def merge_entities(toolset: AgentGraph, arguments: MergeEntities, context: CallContext) -> Reply:
    """Merge several entities into one, all or none; sources that were merged before are left out."""
    bound = toolset.bound(context)
    target, sources = arguments.target_entity_id, tuple(dict.fromkeys(arguments.source_entity_ids))
    for entity_id in (target, *sources):
        check_entity_id(entity_id)

    def decide(histories: Histories) -> Decision[Merge]:
        return merge.merge(histories, target, sources, bound, toolset.read_counts.with_unrecorded_reads)

    streams = [entity_stream(target), *(make(id_) for id_ in sources for make in (entity_stream, adjacency_stream))]
    written = await toolset.write(decide, context, streams=streams)
    outcome = written.value
    toolset.read_counts.transfer(outcome.sources, outcome.target)
    [entity] = await toolset.entities_of(written, (outcome.target,))
    merged = Merged(
        success=True,
        merged_entity=entity_body(entity),
        relationships_transferred=outcome.moved,
        aliases_merged=outcome.aliases_added,
    )
    merges = f"Merged {counted(len(outcome.sources), 'entity', 'entities')}"
    message = written.message(merges if outcome.sources else "Merged already")
    return reply_of(MergeReply(result=merged, message=message), meta=written.meta)


async def record_outcome(toolset: AgentGraph, arguments: RecordOutcome, context: CallContext) -> Reply:
    """Move utilities towards an outcome."""
    bound = toolset.bound(context)
    ids = tuple(dict.fromkeys(arguments.entity_ids))
    for entity_id in ids:
        check_entity_id(entity_id)

    def decide(histories: Histories) -> Decision[None]:
        return entities.reward(histories, ids, arguments.reward, bound)

    written = await toolset.write(decide, context, streams=[entity_stream(entity_id) for entity_id in ids])
    shown = tuple(entity_body(entity) for entity in await toolset.entities_of(written, ids))
    message = written.message(f"Recorded for {counted(len(shown), 'entity', 'entities')}")
    return reply_of(OutcomeReply(entities=shown, count=len(shown), message=message), meta=written.meta)


async def _named(toolset: AgentGraph, channel: str, context: CallContext) -> list[Named]:
    """Return the names of the entities of a channel, the oldest first, read in pages."""
    named: list[Named] = []
    after: str | None = None
    while True:
        async with toolset.graph() as graph:
            page = await graph.find(ENTITY, queries.in_channel(channel), order=BY_AGE, after=after, limit=_PAGE)
        for node in page.items:
            entity = entity_in(node)
            named.append(Named(entity.id, entity.type, (entity.name, *entity.aliases)))
        if page.items:
            await context.progress(len(named), None, "reading names")
        if (after := page.after) is None:
            return named


TOOLS = (
    Tool(
        "kg_find_duplicates",
        "Find duplicates",
        "List pairs of entities of one type whose names are so alike that they may mean the same.",
        FindDuplicates,
        DuplicatesReply,
        find_duplicates,
        deadline_s=DUPLICATES_S,
    ),
    Tool(
        "kg_merge_entities",
        "Merge entities",
        "Merge entities into one: the target gets the sources' names as aliases and their relationships; the sources are gone.",
        MergeEntities,
        MergeReply,
        merge_entities,
        CHANGES,
    ),
)

EXTENSIONS = (
    Tool(
        "kg_record_outcome",
        "Record outcome",
        "Say how well some entities served, so that the useful ones come first.",
        RecordOutcome,
        OutcomeReply,
        record_outcome,
        Effects(read_only=False),
    ),
)
