"""The system tools: ping, statistics, and which tools can run now."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from backends.ports.errors import StoreError
from toolsets.clock import iso_naive
from toolsets.knowledge.errors import failure
from toolsets.knowledge.runtime import Knowledge
from toolsets.knowledge.streams import CONCEPTS
from toolsets.knowledge.tools.fields import Success
from toolsets.making import NoArguments, Tool
from toolsets.reply import Refused, answer
from toolsets.sourcing.sites import pointer_name
from toolsets.sourcing.stats import event_counts, outbox
from toolsets.sourcing.targets import INCARNATION
from toolsets.spec import CallContext, Reply


class PingReply(BaseModel):
    """A sign of life."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    status: Literal["ok"] = "ok"
    message: str = "MCP Knowledge Server is running"
    server_name: str = "knowledge-server"
    timestamp: str


class EventCounts(BaseModel):
    """Facts in the log."""

    total_events: int
    concept_events: int


class OutboxCounts(BaseModel):
    """Pairs of fact and store."""

    pending: int
    processed: int
    failed: int


class StatsReply(Success):
    """The log and how far the stores follow it."""

    event_store: EventCounts
    outbox: OutboxCounts
    status: Literal["healthy", "error"] = "healthy"


class AvailabilityReply(Success):
    """What can run now."""

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
    """Answer, whatever the stores do."""
    return answer(PingReply(timestamp=iso_naive(knowledge.now())))


async def get_server_stats(knowledge: Knowledge, arguments: NoArguments, context: CallContext) -> Reply:
    """Count facts and projections; a failure is an error reply that also carries `status`."""
    try:
        log = await knowledge.log("event_store")
    except Refused as refused:
        raise _with_status(refused.reply) from refused
    try:
        counts = await event_counts(log, knowledge.sites.projector)
        counted = await outbox(knowledge.sites, counts)
    except StoreError as error:
        raise _with_status(failure("database_error", "Counting", error).reply) from error
    return answer(
        StatsReply(
            event_store=EventCounts(total_events=sum(counts.values()), concept_events=counts[CONCEPTS]),
            outbox=OutboxCounts(pending=counted.pending, processed=counted.processed, failed=counted.failed),
        )
    )


def _with_status(reply: Reply) -> Refused:
    return Refused(Reply({**reply.structured, "status": "error"}, is_error=True))


async def get_tool_availability(knowledge: Knowledge, arguments: NoArguments, context: CallContext) -> Reply:
    """Ask each store, and say which tools can run."""
    up = await services_up(knowledge)
    available = sorted(name for name, needs in REQUIRED.items() if all(up[need] for need in needs))
    unavailable = sorted(REQUIRED.keys() - set(available))
    return answer(
        AvailabilityReply(
            available=tuple(available),
            unavailable=tuple(unavailable),
            total_tools=len(REQUIRED),
            service_status={group: {name: up[name] for name in names} for group, names in GROUPS.items()},
        )
    )


async def services_up(knowledge: Knowledge) -> Mapping[str, bool]:
    """Return which of the documented services answer now."""
    sites = knowledge.sites

    async def graph() -> None:
        await (await sites.graph()).notes.get_meta(INCARNATION)

    async def vectors() -> None:
        await (await sites.vectors()).notes.get_meta(INCARNATION)

    async def embedder() -> None:
        await (await sites.stores.embedder()).embed(("ready?",))

    async def event_store() -> None:
        await (await sites.log()).head()

    async def outbox_notes() -> None:
        await (await sites.log()).load_checkpoint(pointer_name(sites.projector))

    up = {
        "neo4j_service": await _answers(graph),
        "chromadb_service": await _answers(vectors),
        "embedding_service": await _answers(embedder),
        "event_store": await _answers(event_store),
        "outbox": await _answers(outbox_notes),
    }
    if not up["neo4j_service"]:
        sites.doubt("graph")
    if not up["chromadb_service"]:
        sites.doubt("vectors")
    repository = up["neo4j_service"] and up["chromadb_service"] and up["event_store"]
    return {**up, "repository": repository, "confidence_service": knowledge.settings.confidence}


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
