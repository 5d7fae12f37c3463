"""The documented replies of the memory tools, field by field; nothing may be missing and nothing added."""

from typing import Literal

from pydantic import Field

from contracts.shapes import Shape


class ErrorEnvelope(Shape):
    """An error."""

    status: Literal["error"]
    message: str = Field(min_length=1)
    details: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])


class EntityReply(Shape):
    """The reply of create_entity; `message` comes with `exists`."""

    status: Literal["created", "exists"]
    database: str
    name: str
    type: str
    observations_count: int
    embedded: bool
    message: str | None = None


class RelationshipReply(Shape):
    """The reply of create_relationship."""

    status: Literal["created"]
    database: str
    source: str = Field(alias="from")
    target: str = Field(alias="to")
    relationship_type: str
    confidence: float


class Observed(Shape):
    """The reply of add_observations."""

    status: Literal["updated", "no_change"]
    database: str
    entity_name: str
    added_observations: list[str]
    total_observations: int
    reembedded: bool


class FoundEntity(Shape):
    """An entity that has the words."""

    name: str
    type: str
    observations: list[str]
    created_date: str = Field(pattern=r"^\d{4}-\d\d-\d\d$")


class FoundList(Shape):
    """The reply of search_entities."""

    query: str
    database: str
    entities: list[FoundEntity]
    count: int


class Similar(Shape):
    """An entity close in meaning."""

    name: str
    type: str
    observations: list[str]
    similarity: float = Field(ge=0, le=1)


class SimilarList(Shape):
    """The reply of semantic_search."""

    query: str
    database: str
    entities: list[Similar]
    count: int
    threshold: float
    method: Literal["vector_similarity", "manual_calculation"]


class Related(Shape):
    """An entity within reach."""

    name: str
    type: str
    observations: list[str]
    distance: int
    relationship_path: list[str]
    confidence_path: list[float]


class RelatedList(Shape):
    """The reply of get_related_entities."""

    entity_name: str
    database: str
    entities: list[Related]
    count: int
    max_depth: int


class Totals(Shape):
    """The size of a database."""

    entities: int
    relationships: int


class Stats(Totals):
    """The size of a database and its types."""

    entity_types: int
    relationship_types: int


class TypeCount(Shape):
    """A type and how often it occurs."""

    type: str
    count: int


class Summary(Shape):
    """The reply of get_graph_summary for one database."""

    scope: Literal["single_database"]
    database: str
    stats: Stats
    entity_types: list[TypeCount]
    relationship_types: list[TypeCount]


class Summaries(Shape):
    """The reply of get_graph_summary for all."""

    scope: Literal["all_databases"]
    databases: dict[str, Totals]
    total_databases: int


class DatabaseRow(Shape):
    """A database in the list."""

    name: str
    description: str
    is_primary: bool
    is_attached: bool


class Databases(Shape):
    """What the resource holds."""

    databases: list[DatabaseRow]
    count: int
    primary_database: str
