"""The tool that counts, and the resource that lists databases."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Literal

from pydantic import Field

from backends.ports.errors import StoreError
from toolsets.making import Tool
from toolsets.memory.runtime import Desk, Memory
from toolsets.memory.summary import Counts, counted
from toolsets.memory.tools.fields import Body
from toolsets.parsing import Arguments, Filled
from toolsets.reply import Refused, answer
from toolsets.spec import CallContext, Reply

URI = "kuzu://databases/list"


class GetSummary(Arguments):
    """Of which database."""

    database: Annotated[
        Filled | None,
        # Null is named by the document, where elsewhere it only counts as not sent.
        Field(
            description="Leave it out for the totals of all databases.",
            json_schema_extra={"type": ["string", "null"]},
        ),
    ] = None


class TypeCount(Body):
    """A type and how often it occurs."""

    type: str
    count: int


class Totals(Body):
    """The size of a database."""

    entities: int
    relationships: int


class Stats(Totals):
    """The size of a database, and how many types there are."""

    entity_types: int
    relationship_types: int


class SingleReply(Body):
    """One database; the types most used come first."""

    scope: Literal["single_database"] = "single_database"
    database: str
    stats: Stats
    entity_types: tuple[TypeCount, ...]
    relationship_types: tuple[TypeCount, ...]


class AllReply(Body):
    """All databases."""

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
    """Count one database, or all."""
    if arguments.database is None:
        totals = await _totals(memory)
        return answer(AllReply(databases=totals, total_databases=len(totals)))
    each = await _counts(await memory.database(arguments.database))
    stats = Stats(
        entities=each.entities,
        relationships=each.relationships,
        entity_types=len(each.entity_types),
        relationship_types=len(each.relationship_types),
    )
    return answer(
        SingleReply(
            database=arguments.database,
            stats=stats,
            entity_types=tuple(TypeCount(type=kind, count=count) for kind, count in each.entity_types),
            relationship_types=tuple(TypeCount(type=kind, count=count) for kind, count in each.relationship_types),
        )
    )


async def databases_list(memory: Memory) -> str:
    """Return the list of databases as JSON, the primary one attached if it can be."""
    live = await memory.live()
    primary = memory.settings.primary
    with suppress(StoreError):  # then the list says that it is not attached
        await memory.attachments.attach(live[primary])
    rows = tuple(
        DatabaseRow(
            name=name,
            description=f"Database: {name}",
            is_primary=name == primary,
            is_attached=memory.attachments.is_attached(database),
        )
        for name, database in live.items()
    )
    body = DatabasesBody(databases=rows, count=len(rows), primary_database=primary)
    return json.dumps(body.model_dump(mode="json"), ensure_ascii=False)


async def _totals(memory: Memory) -> Mapping[str, Totals]:
    """Count all databases; one that goes away meanwhile is left out."""
    totals: dict[str, Totals] = {}
    for name, database in (await memory.live()).items():
        try:
            each = await _counts(await memory.database(name))
        except Refused:
            if (await memory.live()).get(name) == database:
                raise
        else:
            totals[name] = Totals(entities=each.entities, relationships=each.relationships)
    return totals


async def _counts(desk: Desk) -> Counts:
    await desk.graph()
    with desk.reading("graph", "Counting the graph"):
        return await desk.sourced.counted(desk.counts, desk.database.space.prefix, counted)


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
