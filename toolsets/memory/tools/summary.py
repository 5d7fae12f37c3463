"""The summary tool, and the resource that lists the databases."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from backends.ports.errors import StoreError
from toolsets.arguments import Arguments, Filled
from toolsets.concurrency import gather_bounded
from toolsets.memory.database import Database
from toolsets.memory.runtime import Memory, OpenDatabase
from toolsets.memory.summary import Counts, counts_of
from toolsets.memory.tools.fields import ListReply, cut_message
from toolsets.replies import MAX_PAGE_BYTES, Body, fitting_rows, reply_of
from toolsets.spec import CallContext, Reply, ToolError
from toolsets.tools import Tool

URI = "kuzu://databases/list"


class GetSummary(Arguments):
    """The database to count."""

    database: Annotated[
        Filled | None,
        # The document allows null for this argument; for others null merely counts as not sent.
        Field(
            description="Leave it out for the totals of all databases.",
            json_schema_extra={"type": ["string", "null"]},
        ),
    ] = None


class TypeCount(Body):
    """A type and its count."""

    type: str
    count: int


class Totals(Body):
    """The size of a database."""

    entities: int
    relationships: int


class Stats(Totals):
    """The size of a database, and the number of its types."""

    entity_types: int
    relationship_types: int


class SingleReply(ListReply):
    """The counts of one database, the largest first; `stats` are complete even if the lists were cut."""

    scope: Literal["single_database"] = "single_database"
    database: str
    stats: Stats
    entity_types: tuple[TypeCount, ...]
    relationship_types: tuple[TypeCount, ...]


class AllReply(Body):
    """The totals of all databases."""

    scope: Literal["all_databases"] = "all_databases"
    databases: Mapping[str, Totals]
    total_databases: int


class DatabaseRow(Body):
    """A database in the list."""

    name: str
    description: str
    is_primary: bool
    is_attached: bool


class DatabasesBody(Body):
    """The list of databases."""

    databases: tuple[DatabaseRow, ...]
    count: int
    primary_database: str


async def get_graph_summary(memory: Memory, arguments: GetSummary, context: CallContext) -> Reply:
    """Count one database, or all of them."""
    if arguments.database is None:
        totals = await _totals(memory)
        return reply_of(AllReply(databases=totals, total_databases=len(totals)))
    async with memory.database(arguments.database) as opened:
        counts = await _counts(opened)
        stats = Stats(
            entities=counts.entities,
            relationships=counts.relationships,
            entity_types=len(counts.entity_types),
            relationship_types=len(counts.relationship_types),
        )
        entity_types, relationship_types = _shown(counts.entity_types), _shown(counts.relationship_types)
        number = len(entity_types) + len(relationship_types)
        return reply_of(
            SingleReply(
                database=opened.database.name,
                stats=stats,
                entity_types=entity_types,
                relationship_types=relationship_types,
                message=cut_message(number, stats.entity_types + stats.relationship_types, "type", "types"),
            )
        )


def _shown(counts: Sequence[tuple[str, int]]) -> tuple[TypeCount, ...]:
    """Return the first counts, as many as fit into half a reply."""
    return fitting_rows([TypeCount(type=kind, count=count) for kind, count in counts], MAX_PAGE_BYTES // 2)


async def databases_list(memory: Memory) -> str:
    """Return the list of databases as JSON; the primary one is opened if possible."""
    live = await memory.live()
    primary = memory.settings.primary
    with suppress(StoreError):  # the list then shows it as not attached
        await memory.open_databases.open(live[primary])
    rows = tuple(
        DatabaseRow(
            name=name,
            description=f"Database: {name}",
            is_primary=name == primary,
            is_attached=memory.open_databases.is_open(database),
        )
        for name, database in live.items()
    )
    body = DatabasesBody(databases=rows, count=len(rows), primary_database=primary)
    return json.dumps(body.model_dump(mode="json"), ensure_ascii=False)


async def _totals(memory: Memory) -> Mapping[str, Totals]:
    """Return the totals of all databases, except those deleted meanwhile."""
    live = await memory.live()
    each = await gather_bounded(partial(_total, memory, database) for database in live.values())
    return {name: totals for name, totals in zip(live, each, strict=True) if totals is not None}


async def _total(memory: Memory, database: Database) -> Totals | None:
    """Return the totals of a database, None if it was deleted meanwhile."""
    try:
        async with memory.database(database.name) as opened:
            counts = await _counts(opened)
    except ToolError:
        if (await memory.live()).get(database.name) == database:
            raise
        return None
    return Totals(entities=counts.entities, relationships=counts.relationships)


async def _counts(opened: OpenDatabase) -> Counts:
    await opened.graph()
    with opened.reading("graph", "Counting the graph"):
        return await opened.sourced.cached_count(opened.counts, opened.database.keyspace.prefix, counts_of)


TOOLS = (
    Tool(
        "get_graph_summary",
        "Graph summary",
        "Count the entities and relationships of a database by type, or the totals of all databases.",
        GetSummary,
        (SingleReply, AllReply),
        get_graph_summary,
    ),
)
