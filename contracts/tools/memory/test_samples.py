"""The documented sample requests give their documented replies.

Where a sample contradicts its own document, `samples.json` holds the reading instead and names it; words with `$` match
by shape.
"""

import json
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from contracts.client import McpConnection
from contracts.compare import differences
from contracts.promises import promise
from contracts.tools.memory.client import MemoryClient


class Sample(BaseModel):
    """A documented call: what exists before it, what is asked, and what is answered."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    tool: str
    request: dict[str, JsonValue]
    reply: dict[str, JsonValue]
    entities: list[dict[str, JsonValue]] = []
    relationships: list[dict[str, JsonValue]] = []
    reading: str | None = None
    is_error: bool = False


class SummarySample(BaseModel):
    """A documented summary; the numbers must be made true first."""

    title: str
    request: dict[str, JsonValue]
    reply: dict[str, JsonValue]
    reading: str | None = None


FOLDER = files("contracts.tools.memory")
SAMPLES = TypeAdapter(list[Sample]).validate_json(FOLDER.joinpath("samples.json").read_bytes())
SUMMARIES = TypeAdapter(list[SummarySample]).validate_json(FOLDER.joinpath("summaries.json").read_bytes())
ENTITIES = {"person": 20, "concept": 15, "organization": 15}
RELATIONSHIPS = {"KNOWS": 25, "EXPERT_IN": 20, "WORKS_FOR": 15, "RELATED_TO": 15}
OTHERS = {"prompt_engineer": (25, 30), "research_papers": (75, 120)}


@promise("memory:samples:replies")
async def test_the_sample_requests_give_their_sample_replies(fresh_connection: McpConnection) -> None:
    """They run one after the other, as a reader would try them; varying values are matched by shape."""
    for sample in SAMPLES:
        for entity in sample.entities:
            await fresh_connection.call("create_entity", entity)
        for relationship in sample.relationships:
            await fresh_connection.call("create_relationship", relationship)
        reply = await fresh_connection.call(sample.tool, sample.request)
        assert reply.is_error == sample.is_error, sample.title
        assert differences(sample.reply, reply.structured) == [], sample.title


async def fill(client: MemoryClient, entities: dict[str, int], relationships: dict[str, int]) -> None:
    """Store so many entities and relationships of each type."""
    names = [f"{kind} {number}" for kind, count in entities.items() for number in range(count)]
    for name in names:
        await client.store(name, kind=name.split(" ")[0])
    pairs = ((one, other) for one in names for other in names if one != other)
    for kind, count in relationships.items():
        for _, (one, other) in zip(range(count), pairs, strict=False):
            await client.link(one, other, kind)


@promise("memory:samples:summaries", "memory:summary:single", "memory:summary:all")
async def test_the_sample_summaries_come_out_once_their_numbers_are_true(fresher_connection: McpConnection) -> None:
    """The largest type comes first, the types add up, and all databases have totals only."""
    await fill(MemoryClient(fresher_connection, ""), ENTITIES, RELATIONSHIPS)
    for database, (entities, relationships) in OTHERS.items():
        await fill(MemoryClient(fresher_connection, "", database), {"thing": entities}, {"KNOWS": relationships})
    for sample in SUMMARIES:
        reply = await fresher_connection.call("get_graph_summary", sample.request)
        assert reply.structured == sample.reply, json.dumps(reply.structured)
