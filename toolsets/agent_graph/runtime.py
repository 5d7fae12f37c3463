"""The running toolset, which its handlers share."""

import logging
import re
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from typing import TypeVar

import anyio

from backends.ports.errors import StoreError
from backends.ports.events import StreamName
from backends.ports.graph import Graph
from backends.ports.text import MAX_NAME_POINTS, text_problem
from backends.ports.values import NodeId
from toolsets.agent_graph import entity as entities
from toolsets.agent_graph.entity import Counted, Entity, RecordedReads, UnknownEntity, known_entity, last_form
from toolsets.agent_graph.errors import tool_error
from toolsets.agent_graph.extraction.extractors import choose_extractor
from toolsets.agent_graph.projections import PROJECTOR, entity_in
from toolsets.agent_graph.read_counts import ReadCounts
from toolsets.agent_graph.relationship import Relationship, relationship_of
from toolsets.agent_graph.settings import AgentGraphSettings
from toolsets.agent_graph.streams import entity_stream, relationship_stream
from toolsets.concurrency import run_cpu
from toolsets.ids import uuid4
from toolsets.sourcing.aggregate import Decide, Decision, Histories, History, UnreadableEvent, size_of
from toolsets.sourcing.sourced import SourcedStores
from toolsets.sourcing.write_path import Written
from toolsets.spec import CallContext, Services

ValueT = TypeVar("ValueT")

LAST_FLUSH_S = 2.0
"""Shutdown waits for it; reads that are lost only count less in lists by use."""
_ID = re.compile(r"ent_[0-9a-f]{32}")
COUNTING = CallContext(tool="access counts")

_logger = logging.getLogger(__name__)


class AgentGraph:
    """The agent_graph toolset connected to its stores; creating it opens nothing."""

    def __init__(self, services: Services) -> None:
        self.settings = services.settings_as(AgentGraphSettings)
        self.now = services.now
        self.sourced = SourcedStores(services, PROJECTOR)
        self.live_stores = self.sourced.live_stores
        self.read_counts = ReadCounts(services.now, monotonic)
        self.extractor = choose_extractor(services.stores.language, spacy_pipeline=self.settings.spacy_pipeline)

    def new_id(self) -> str:
        """Return a new id for an entity."""
        return f"ent_{uuid4(self.live_stores.rng).replace('-', '')}"

    def channel(self, sent: str | None, context: CallContext) -> str:
        """Return the channel of a call: the one its connection is bound to, the one sent, or the configured one.

        Raises `ToolError` for a channel that is not that of the connection, and when there is none.
        """
        bound = self.bound(context)
        if bound is not None:
            if sent not in (None, bound):
                raise tool_error("Invalid arguments", "channelId must be left out or be this connection's channel")
            return bound
        if not (channel := sent or self.settings.channel):
            raise tool_error("channelId is required", "send channelId, or configure a channel")
        return channel

    def bound(self, context: CallContext) -> str | None:
        """Return the channel that a connection is bound to, None if it may see all. Raises `ToolError` for an unusable one."""
        channel = context.channel
        if channel is None:
            return None
        if not channel.strip() or len(channel) > MAX_NAME_POINTS or text_problem(channel) is not None:
            raise tool_error("channelId is required", "the connection's X-Channel-Id is empty or cannot be used")
        return channel.strip()

    @asynccontextmanager
    async def graph(self) -> AsyncGenerator[Graph]:
        """Yield the live graph; if it fails inside the block, it is reopened before its next use."""
        with self.sourced.invalidating("graph"):
            yield (await self.live_stores.graph()).graph

    async def entity(self, entity_id: str, context: CallContext) -> Entity:
        """Return the recorded state of an entity; for a merged one, that of its target. Raises `UnknownEntity`."""
        return (await self.entities((entity_id,), context))[entity_id]

    async def entities(self, ids: Sequence[str], context: CallContext) -> Mapping[str, Entity]:
        """Return the recorded state of entities by id; the id of a merged one leads to its target.

        Raises `UnknownEntity` for the first id whose entity does not exist or is not visible to the caller.
        """
        bound = self.bound(context)
        wanted = tuple(dict.fromkeys(ids))
        for entity_id in wanted:
            check_entity_id(entity_id)
        found = await self._stored_states(wanted)
        while merged := {id_: entity.into for id_, entity in found.items() if entity.into is not None}:
            targets = await self._stored_states(tuple(dict.fromkeys(merged.values())))
            found.update({id_: targets[into] for id_, into in merged.items()})
        for entity_id in wanted:
            if bound not in (None, found[entity_id].channel):
                raise UnknownEntity(entity_id)
        return found

    async def entities_of(self, written: Written[ValueT], ids: Sequence[str]) -> list[Entity]:
        """Return the entities of a write in the order of `ids`; one merged since then in its last state before the merge."""
        histories = await self._histories(written.changed, [entity_stream(entity_id) for entity_id in ids])
        entities = await run_cpu(lambda: list(map(last_form, histories)), size=size_of(histories))
        return [self.read_counts.with_unrecorded_reads(entity) for entity in entities if entity is not None]

    async def relationships_of(self, written: Written[ValueT], ids: Sequence[str]) -> list[Relationship]:
        """Return the relationships of a write in the order of `ids`."""
        streams = [relationship_stream(relationship_id) for relationship_id in ids]
        histories = await self._histories(written.changed, streams)
        relationships = await run_cpu(lambda: list(map(relationship_of, histories)), size=size_of(histories))
        return [relationship for relationship in relationships if relationship is not None]

    async def write(
        self, decide: Decide[ValueT], context: CallContext, *, streams: Collection[StreamName]
    ) -> Written[ValueT]:
        """Carry out a decision; `streams` are the streams that it reads."""
        return await self.sourced.writes.write(decide, context, streams=streams)

    async def count_reads(self) -> None:
        """Record reads every `access_flush_s` seconds until cancelled; reads that cannot be recorded wait for the next time."""
        failed = False
        while True:
            await anyio.sleep(self.settings.access_flush_s)
            try:
                # Shielded: cancelled between the write and the removal, counts would be recorded twice.
                with anyio.CancelScope(shield=True):
                    await self.flush()
                failed = False
            except (StoreError, UnreadableEvent) as error:
                if not failed:
                    _logger.warning("recording reads failed; they remain counted and are retried: %s", error)
                failed = True

    async def flush(self) -> None:
        """Record the reads counted so far. Reads that arrive meanwhile wait, so that this ends."""
        for _ in range(self.read_counts.batches):
            counted = self.read_counts.take_batch()

            def decide(
                histories: Histories, counted: Sequence[Counted] = counted
            ) -> Decision[tuple[RecordedReads, ...]]:
                decision = entities.record_reads(histories, counted)
                # This may run in a worker thread.
                self.read_counts.set_versions(decision.value)
                return decision

            try:
                await self.write(decide, COUNTING, streams=[entity_stream(entity_id) for entity_id, _, _ in counted])
                self.read_counts.mark_recorded()
            finally:
                self.read_counts.restore()

    async def record_last_reads(self) -> None:
        """Record the reads since the last time, for at most two seconds; a failure is logged."""
        with anyio.move_on_after(LAST_FLUSH_S, shield=True):
            try:
                await self.flush()
            except (StoreError, UnreadableEvent) as error:
                _logger.warning("the last reads could not be recorded: %s", error)

    async def _histories(self, known: Mapping[StreamName, History], streams: Sequence[StreamName]) -> list[History]:
        """Return the events of streams: from `known`, as a write left them, or else from the log."""
        by_stream = dict(known)
        if unchanged := [stream for stream in streams if stream not in by_stream]:
            by_stream.update(await self.live_stores.read_streams(unchanged))
        return [by_stream[stream] for stream in streams]

    async def _stored_states(self, ids: Sequence[str]) -> dict[str, Entity]:
        """Return the recorded state of entities by id, even of merged ones. Raises `UnknownEntity` for an unknown id.

        A node that has the last version of its stream is used; the other streams are read from the log.
        """
        nodes = await self.sourced.current_nodes({NodeId(entity_id): entity_stream(entity_id) for entity_id in ids})
        found = {str(node.id): entity_in(node) for node in nodes.values()}
        if behind := [entity_id for entity_id in ids if entity_id not in found]:
            histories = await self._histories({}, [entity_stream(entity_id) for entity_id in behind])
            latest = await run_cpu(lambda: list(map(known_entity, behind, histories)), size=size_of(histories))
            found.update(zip(behind, latest, strict=True))
        return {entity_id: found[entity_id] for entity_id in ids}


def check_entity_id(entity_id: str) -> None:
    """Raise `UnknownEntity` for an id that `new_id` cannot have made."""
    if _ID.fullmatch(entity_id) is None:
        raise UnknownEntity(entity_id)
