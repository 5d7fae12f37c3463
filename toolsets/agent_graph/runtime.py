"""The running toolset: what its handlers share."""

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
from toolsets.agent_graph.accesses import Accesses
from toolsets.agent_graph.entity import Counted, Entity, Landing, UnknownEntity, last_form, live_entity
from toolsets.agent_graph.errors import Refusal
from toolsets.agent_graph.extraction.choosing import choose_extractor
from toolsets.agent_graph.projections import AgentGraphProjector, entity_in
from toolsets.agent_graph.relationship import Relationship, relationship_of
from toolsets.agent_graph.settings import AgentGraphSettings
from toolsets.agent_graph.streams import entity_stream, relationship_stream
from toolsets.apart import apart
from toolsets.ids import uuid4
from toolsets.sourcing.aggregate import Decide, Decision, Histories, History, UnreadableEvent, size_of
from toolsets.sourcing.sourced import Sourced
from toolsets.sourcing.writing import Written
from toolsets.spec import CallContext, Services

ValueT = TypeVar("ValueT")

LAST_FLUSH_S = 2.0
_ID = re.compile(r"ent_[0-9a-f]{32}")
COUNTING = CallContext(tool="access counts")

_logger = logging.getLogger(__name__)


class AgentGraph:
    """The agent_graph toolset joined to its stores; opens nothing by itself."""

    def __init__(self, services: Services) -> None:
        self.settings = AgentGraphSettings.model_validate(services.settings.model_dump())
        self.now = services.now
        self.sourced = Sourced(services, AgentGraphProjector())
        self.sites = self.sourced.sites
        self.accesses = Accesses(services.now, monotonic)
        self.extractor = choose_extractor(services.stores.language, spacy_pipeline=self.settings.spacy_pipeline)

    def new_id(self) -> str:
        """Return an id for an entity."""
        return f"ent_{uuid4(self.sites.chance).replace('-', '')}"

    def channel(self, sent: str | None, context: CallContext) -> str:
        """Return the channel of a call: the one its connection is bound to, the one sent, or the configured one.

        Refuses a call that names another channel than its connection's, and one that has none.
        """
        bound = self.bound(context)
        if bound is not None:
            if sent not in (None, bound):
                raise Refusal("Invalid arguments", "channelId must be left out or be this connection's channel")
            return bound
        if not (channel := sent or self.settings.channel):
            raise Refusal("channelId is required", "send channelId, or configure a channel")
        return channel

    def bound(self, context: CallContext) -> str | None:
        """Return the channel that a connection is bound to, None for one that may see all. Refuses an unusable one."""
        channel = context.channel
        if channel is None:
            return None
        if not channel.strip() or len(channel) > MAX_NAME_POINTS or text_problem(channel) is not None:
            raise Refusal("channelId is required", "the connection's X-Channel-Id is empty or cannot be used")
        return channel.strip()

    @asynccontextmanager
    async def graph(self) -> AsyncGenerator[Graph]:
        """Open the live graph for the block; one that fails inside is opened again before its next use."""
        with self.sourced.doubting("graph"):
            yield (await self.sites.graph()).graph

    async def entity(self, entity_id: str, context: CallContext) -> Entity:
        """Return an entity as it is recorded now. Raises `UnknownEntity` for one the caller may not see."""
        [entity] = await self.entities((entity_id,), context)
        return entity

    async def entities(self, ids: Sequence[str], context: CallContext) -> list[Entity]:
        """Return entities as they are recorded now, in the order asked for, each once.

        A node that shows its stream's last version is taken; the other streams are read. Raises `UnknownEntity`
        for the first one the caller may not see.
        """
        bound = self.bound(context)
        wanted = tuple(dict.fromkeys(ids))
        for entity_id in wanted:
            check_form(entity_id)
        shown = await self._projected(wanted)
        log = await self.sites.log()
        versions = await log.versions([entity_stream(entity_id) for entity_id in wanted])
        behind = [id_ for id_ in wanted if id_ not in shown or shown[id_].version < versions[entity_stream(id_)]]
        if behind:
            histories = await self._standing({}, [entity_stream(entity_id) for entity_id in behind])
            latest = await apart(lambda: list(map(live_entity, behind, histories)), size=size_of(histories))
            shown.update(zip(behind, latest, strict=True))
        for entity_id in wanted:
            if bound not in (None, shown[entity_id].channel):
                raise UnknownEntity(entity_id)
        return [shown[entity_id] for entity_id in wanted]

    async def entities_of(self, written: Written[ValueT], ids: Sequence[str]) -> list[Entity]:
        """Return entities that a write was about, in the order asked for; one that a rival merged since, as it was."""
        histories = await self._standing(written.changed, [entity_stream(entity_id) for entity_id in ids])
        entities = await apart(lambda: list(map(last_form, histories)), size=size_of(histories))
        return [self.accesses.shown(entity) for entity in entities if entity is not None]

    async def relationships_of(self, written: Written[ValueT], ids: Sequence[str]) -> list[Relationship]:
        """Return relationships that a write was about, in the order asked for."""
        streams = [relationship_stream(relationship_id) for relationship_id in ids]
        histories = await self._standing(written.changed, streams)
        relationships = await apart(lambda: list(map(relationship_of, histories)), size=size_of(histories))
        return [relationship for relationship in relationships if relationship is not None]

    async def write(
        self, decide: Decide[ValueT], context: CallContext, *, streams: Collection[StreamName]
    ) -> Written[ValueT]:
        """Carry out a decision; `streams` are those it will ask for."""
        return await self.sourced.writes.write(decide, context, streams=streams)

    async def count_reads(self) -> None:
        """Record reads every so often, until cancelled; what cannot be recorded is kept for the next time."""
        failed = False
        while True:
            await anyio.sleep(self.settings.access_flush_s)
            try:
                # Shielded: counts that were recorded without being forgotten would be recorded once more.
                with anyio.CancelScope(shield=True):
                    await self.flush()
                failed = False
            except (StoreError, UnreadableEvent) as error:
                if not failed:
                    _logger.warning("reads are counted on, recording them failed: %s", error)
                failed = True

    async def flush(self) -> None:
        """Record the reads counted so far, but not those that are counted meanwhile: there may be no end of them."""
        for _ in range(self.accesses.batches):
            counted = self.accesses.taken()

            def decide(histories: Histories, counted: Sequence[Counted] = counted) -> Decision[tuple[Landing, ...]]:
                decision = entities.count_accesses(histories, counted)
                # Perhaps in a thread, for many at once; it only puts another mapping in the place of the former one.
                self.accesses.landing(decision.value)
                return decision

            try:
                await self.write(decide, COUNTING, streams=[entity_stream(entity_id) for entity_id, _, _ in counted])
                self.accesses.recorded()
            finally:
                self.accesses.kept()

    async def release(self) -> None:
        """Record the last reads and let another process go on at once."""
        with anyio.move_on_after(LAST_FLUSH_S, shield=True):
            try:
                await self.flush()
            except (StoreError, UnreadableEvent) as error:
                _logger.warning("the last reads could not be recorded: %s", error)
        await self.sourced.release()

    async def _standing(self, known: Mapping[StreamName, History], streams: Sequence[StreamName]) -> list[History]:
        """Return streams; those that are not known, as a write left them, are read."""
        standing = dict(known)
        if unchanged := [stream for stream in streams if stream not in standing]:
            read = await (await self.sites.log()).read_streams(unchanged)
            standing.update({stream: tuple(events) for stream, events in read.items()})
        return [standing.get(stream, ()) for stream in streams]

    async def _projected(self, ids: Collection[str]) -> dict[str, Entity]:
        """Return what the graph shows of entities; nothing while it does not answer."""
        try:
            async with self.graph() as graph:
                nodes = await graph.get_nodes([NodeId(entity_id) for entity_id in ids])
        except StoreError as error:
            _logger.warning("entities are read from the log, the graph failed: %s", error)
            return {}
        return {node.id: entity_in(node) for node in nodes.values()}


def check_form(entity_id: str) -> None:
    """Raise `UnknownEntity` for an id that no entity can have: all there are were made by `new_id`."""
    if _ID.fullmatch(entity_id) is None:
        raise UnknownEntity(entity_id)


def done(message: str, written: Written[ValueT]) -> str:
    """Return the reply's message for a write."""
    return message if written.indexed else f"{message}; indexing is pending"
