"""The documented sample requests give their documented replies.

Where a sample contradicts its own document, `samples.json` holds the reading instead and names it. `$concept:KEY`
stands for the id of a concept that the sample takes for granted; other words with `$` match by shape.
"""

from collections.abc import Mapping
from importlib.resources import files

import pytest
from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from backends.ports.values import Json
from contracts.client import McpConnection
from contracts.compare import differences
from contracts.connections import Connections
from contracts.promises import promise
from contracts.tools.knowledge.replies import RelationshipReply, WriteReply

CONCEPT = "$concept:"


class Sample(BaseModel):
    """A documented call: what exists before it, what is asked, and what is answered."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    tool: str
    request: dict[str, JsonValue]
    reply: dict[str, JsonValue]
    concepts: dict[str, dict[str, JsonValue]] = {}
    relationships: list[tuple[str, str, str]] = []
    reading: str | None = None


SAMPLES = TypeAdapter(list[Sample]).validate_json(
    files("contracts.tools.knowledge").joinpath("samples.json").read_bytes()
)


@pytest.fixture(scope="module")
async def empty_connection(connections: Connections) -> McpConnection:
    """Connect to a server of the samples' own, so that they find nothing but themselves."""
    return await connections.open("knowledge")


@promise("knowledge:samples:replies")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.title.replace(" ", "-"))
async def test_a_sample_request_gives_its_sample_reply(empty_connection: McpConnection, sample: Sample) -> None:
    """Ids, times and other values that vary are matched by shape."""
    ids: dict[str, str] = {}
    for key, concept in sample.concepts.items():
        ids[key] = (await empty_connection.ask(WriteReply, "create_concept", **concept)).concept_id
    for source, target, kind in sample.relationships:
        ends: dict[str, Json] = {"source_id": ids[source], "target_id": ids[target]}
        await empty_connection.ask(RelationshipReply, "create_relationship", **ends, relationship_type=kind)
    reply = await empty_connection.call(
        sample.tool, {name: _filled(value, ids) for name, value in sample.request.items()}
    )
    assert not reply.is_error
    made = reply.structured.get("concept_id")
    for concept_id in {*ids.values(), *([made] if isinstance(made, str) else [])}:
        await empty_connection.call("delete_concept", {"concept_id": concept_id})
    assert differences(_filled(sample.reply, ids), reply.structured) == []


def _filled(value: JsonValue, ids: Mapping[str, str]) -> Json:
    match value:
        case str():
            return ids[value.removeprefix(CONCEPT)] if value.startswith(CONCEPT) else value
        case dict():
            return {name: _filled(part, ids) for name, part in value.items()}
        case list():
            return [_filled(part, ids) for part in value]
        case _:
            return value
