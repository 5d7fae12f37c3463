"""The documented replies of the knowledge tools, field by field; nothing may be missing and nothing added."""

from typing import Literal, TypeAlias

from pydantic import Field, JsonValue

from contracts.shapes import Shape

Code: TypeAlias = Literal[
    "validation_error",
    "invalid_input",
    "missing_required",
    "concept_not_found",
    "relationship_not_found",
    "path_not_found",
    "service_unavailable",
    "neo4j_error",
    "chromadb_error",
    "embedding_error",
    "database_error",
    "internal_error",
]
Kind: TypeAlias = Literal["PREREQUISITE", "RELATES_TO", "INCLUDES"]

TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"


class Success(Shape):
    """The fields of every reply except that of ping."""

    success: Literal[True]


class Details(Shape):
    """The subject of an error."""

    field: str | None = None
    invalid_value: JsonValue = None
    resource_id: str | None = None


class ErrorEnvelope(Shape):
    """An error."""

    success: Literal[False]
    error: Code
    error_type: Code
    message: str = Field(min_length=1)
    details: Details = Details()


class Ping(Shape):
    """The reply of ping."""

    status: Literal["ok"]
    message: str
    server_name: str
    timestamp: str


class EventCounts(Shape):
    """The number of recorded events."""

    total_events: int
    concept_events: int


class OutboxCounts(Shape):
    """The numbers of pending, processed and failed projections."""

    pending: int
    processed: int
    failed: int


class Stats(Success):
    """The reply of get_server_stats."""

    event_store: EventCounts
    outbox: OutboxCounts
    status: Literal["healthy"]


class ServiceStatus(Shape):
    """The available services by group of tools."""

    concept_tools: dict[Literal["repository", "confidence_service"], bool]
    search_tools: dict[Literal["neo4j_service", "chromadb_service", "embedding_service"], bool]
    relationship_tools: dict[Literal["neo4j_service", "event_store", "outbox"], bool]
    analytics_tools: dict[Literal["neo4j_service"], bool]


class Availability(Success):
    """The reply of get_tool_availability."""

    available: list[str]
    unavailable: list[str]
    total_tools: int
    service_status: ServiceStatus


class WriteReply(Success):
    """The reply of a tool that writes a concept."""

    concept_id: str
    message: str


class Explanation(Shape):
    """An explanation and when it was given."""

    explanation: str
    timestamp: str = Field(pattern=TIME)


class Concept(Shape):
    """A concept in full."""

    concept_id: str
    name: str
    explanation: str
    area: str | None
    topic: str | None
    subtopic: str | None
    certainty_score: float
    created_at: str = Field(pattern=TIME)
    last_modified: str = Field(pattern=TIME)
    explanation_history: list[Explanation] | None = None


class ConceptReply(Success):
    """The reply of get_concept."""

    concept: Concept
    message: str


class SemanticHit(Shape):
    """A concept found by meaning."""

    concept_id: str
    name: str
    similarity: float = Field(ge=0, le=1)
    area: str | None
    topic: str | None
    certainty_score: float


class Row(Shape):
    """A concept in a listing."""

    concept_id: str
    name: str
    area: str | None
    topic: str | None
    subtopic: str | None
    certainty_score: float
    created_at: str = Field(pattern=TIME)


class RecentRow(Shape):
    """A recently created concept."""

    concept_id: str
    name: str
    area: str | None
    topic: str | None
    created_at: str = Field(pattern=TIME)


class SemanticHits(Success):
    """The reply of search_concepts_semantic."""

    results: list[SemanticHit]
    total: int
    message: str


class Rows(Success):
    """The reply of search_concepts_exact and of get_concepts_by_certainty."""

    results: list[Row]
    total: int
    message: str


class RecentRows(Success):
    """The reply of get_recent_concepts."""

    results: list[RecentRow]
    total: int
    message: str


class RelationshipReply(Success):
    """The reply of a tool that writes a relationship."""

    relationship_id: str = Field(pattern=r"^rel-[0-9a-f]{12}$")
    message: str


class Neighbour(Shape):
    """A concept at the other end of a relationship."""

    concept_id: str
    name: str
    relationship_type: Kind
    direction: Literal["incoming", "outgoing"]
    strength: float


class Neighbours(Success):
    """The reply of get_related_concepts."""

    results: list[Neighbour]
    total: int
    message: str


class Prerequisite(Shape):
    """A prerequisite of a concept."""

    concept_id: str
    name: str
    depth: int


class Prerequisites(Success):
    """The reply of get_prerequisites."""

    prerequisites: list[Prerequisite]
    total: int
    message: str


class Step(Shape):
    """A concept on a path."""

    concept_id: str
    name: str
    relationship_to_next: Kind | None


class Chain(Success):
    """The reply of get_concept_chain."""

    path: list[Step]
    length: int
    message: str


class Subtopic(Shape):
    """A level of the hierarchy."""

    name: str
    concept_count: int


class Topic(Subtopic):
    """A level with levels below it."""

    subtopics: list[Subtopic]


class Area(Subtopic):
    """The broadest level."""

    topics: list[Topic]


class Hierarchy(Success):
    """The reply of list_hierarchy."""

    areas: list[Area]
    total_concepts: int
    message: str
