"""The system tools: ping, statistics, and which tools can run now."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from backends.ports.errors import StoreError
from toolsets.clock import iso_naive
from toolsets.knowledge.errors import ENVELOPE, translate_to
from toolsets.knowledge.runtime import Knowledge
from toolsets.knowledge.streams import CONCEPTS
from toolsets.knowledge.tools.fields import Success
from toolsets.replies import reply_of
from toolsets.sourcing.errors import store_errors
from toolsets.sourcing.generations import LiveGenerationUnknown
from toolsets.sourcing.health import event_counts, projection_counts
from toolsets.sourcing.lineage import LOG_IDENTITY_NAME
from toolsets.sourcing.projection_store import INCARNATION
from toolsets.spec import CallContext, Reply, ToolError
from toolsets.tools import NoArguments, Tool


class PingReply(BaseModel):
    """A sign of life."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    status: Literal["ok"] = "ok"
    message: str = "MCP Knowledge Server is running"
    server_name: str = "knowledge-server"
    timestamp: str


class EventCounts(BaseModel):
    """The number of events in the log."""

    total_events: int
    concept_events: int


class OutboxCounts(BaseModel):
    """Counts of (event, store) pairs."""

    pending: int
    processed: int
    failed: int


class StatsReply(Success):
    """The log, and how far the stores have followed it."""

    event_store: EventCounts
    outbox: OutboxCounts
    status: Literal["healthy", "error"] = "healthy"


class AvailabilityReply(Success):
    """The tools that can run now, and the state of the services."""

    available: tuple[str, ...]
    unavailable: tuple[str, ...]
    total_tools: int
    service_status: Mapping[str, Mapping[str, bool]]


GROUPS: Mapping[str, tuple[str, ...]] = {
    "concept_tools": ("repository", "confidence_service"),
    "search_tools": ("neo4j_service", "chromadb_service", "embedding_service"),
    "relationship_tools": ("neo4j_service", "event_store", "outbox"),
    "analytics_tools": ("neo4j_service",),
}

REQUIRED: Mapping[str, tuple[str, ...]] = {
    "ping": (),
    "get_server_stats": (),
    "get_tool_availability": (),
    "create_concept": ("repository",),
    "get_concept": ("repository",),
    "update_concept": ("repository",),
    "delete_concept": ("repository",),
    "search_concepts_semantic": ("embedding_service", "chromadb_service"),
    "search_concepts_exact": ("neo4j_service",),
    "get_recent_concepts": ("neo4j_service",),
    "create_relationship": ("neo4j_service", "event_store", "outbox"),
    "delete_relationship": ("neo4j_service", "event_store", "outbox"),
    "get_related_concepts": ("neo4j_service",),
    "get_prerequisites": ("neo4j_service",),
    "get_concept_chain": ("neo4j_service",),
    "list_hierarchy": ("neo4j_service",),
    "get_concepts_by_certainty": ("neo4j_service",),
}


async def ping(knowledge: Knowledge, arguments: NoArguments, context: CallContext) -> Reply:
    """Reply whatever the state of the stores."""
    return reply_of(PingReply(timestamp=iso_naive(knowledge.now())))


async def get_server_stats(knowledge: Knowledge, arguments: NoArguments, context: CallContext) -> Reply:
    """Count events and projections; an error reply has `status`, too."""
    try:
        log = await knowledge.log("event_store")
        with store_errors(translate_to("database_error", "Counting")):
            counts = await event_counts(log, knowledge.live_stores.projector)
            counted = await projection_counts(knowledge.live_stores, counts)
    except ToolError as error:
        reply = ENVELOPE.tool_error(error)
        return Reply({**reply.structured, "status": "error"}, is_error=True)
    return reply_of(
        StatsReply(
            event_store=EventCounts(total_events=sum(counts.values()), concept_events=counts[CONCEPTS]),
            outbox=OutboxCounts(pending=counted.pending, processed=counted.processed, failed=counted.failed),
        )
    )


async def get_tool_availability(knowledge: Knowledge, arguments: NoArguments, context: CallContext) -> Reply:
    """Query each store, and return which tools can run, under the names that the caller's surface serves."""
    up, unread = await services_up(knowledge)
    ready = {name for name, needs in REQUIRED.items() if all(up[need] and need not in unread for need in needs)}
    available = sorted(map(context.served_name, ready))
    unavailable = sorted(map(context.served_name, REQUIRED.keys() - ready))
    return reply_of(
        AvailabilityReply(
            available=tuple(available),
            unavailable=tuple(unavailable),
            total_tools=len(REQUIRED),
            service_status={group: {name: up[name] for name in names} for group, names in GROUPS.items()},
        )
    )


async def services_up(knowledge: Knowledge) -> tuple[Mapping[str, bool], Collection[str]]:
    """Return which services answer now, and which of them cannot be read until the event log answers."""
    live = knowledge.live_stores
    unread: set[str] = set()

    async def graph() -> None:
        try:
            await (await live.graph()).meta.get_meta(INCARNATION)
        except LiveGenerationUnknown:
            unread.add("neo4j_service")

    async def vectors() -> None:
        try:
            await (await live.vectors()).meta.get_meta(INCARNATION)
        except LiveGenerationUnknown:
            unread.add("chromadb_service")

    async def embedder() -> None:
        await (await live.stores.embedder()).embed(("ready?",))

    async def event_store() -> None:
        await (await live.log()).head()

    async def checkpoints() -> None:
        await (await live.log()).load_checkpoint(LOG_IDENTITY_NAME)

    up = {
        "neo4j_service": await _answers(graph),
        "chromadb_service": await _answers(vectors),
        "embedding_service": await _answers(embedder),
        "event_store": await _answers(event_store),
        "outbox": await _answers(checkpoints),
    }
    if not up["neo4j_service"]:
        live.invalidate("graph")
    if not up["chromadb_service"]:
        live.invalidate("vectors")
    repository = up["neo4j_service"] and up["chromadb_service"] and up["event_store"]
    return {**up, "repository": repository, "confidence_service": knowledge.settings.confidence}, unread


async def _answers(ask: Callable[[], Awaitable[None]]) -> bool:
    try:
        await ask()
    except StoreError:
        return False
    return True


TOOLS = (
    Tool("ping", "Ping", "Check that the server runs.", NoArguments, PingReply, ping),
    Tool(
        "get_server_stats",
        "Server statistics",
        "Count stored events and the index updates that are pending, processed or failed.",
        NoArguments,
        StatsReply,
        get_server_stats,
    ),
    Tool(
        "get_tool_availability",
        "Tool availability",
        "List which tools can run now and which backing services answer. Use it after a service_unavailable error.",
        NoArguments,
        AvailabilityReply,
        get_tool_availability,
    ),
)
