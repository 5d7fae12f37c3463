"""The documented sample requests give their documented replies.

Where a sample contradicts its own document, `samples.json` holds the reading instead and names it. `$concept:KEY`
stands for the id of a concept that the sample takes for granted; other words with `$` match by shape.
"""

import re
from collections.abc import Mapping
from importlib.resources import files

import pytest
from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from backends.ports.values import Json
from contracts.client import Door
from contracts.doors import Doors
from contracts.promises import promise
from contracts.tools.knowledge.replies import Linked, Written

CONCEPT = "$concept:"
SHAPES: Mapping[str, re.Pattern[str]] = {
    "$uuid": re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
    "$time": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z?"),
    "$rel": re.compile(r"rel-[0-9a-f]{12}"),
    "$count": re.compile(r"[1-9]\d*"),
    "$similarity": re.compile(r"0\.\d{1,4}"),
}


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
async def empty_door(doors: Doors) -> Door:
    """Connect to a server of the samples' own, so that they find nothing but themselves."""
    return await doors.open("knowledge")


@promise("knowledge:samples:replies")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.title.replace(" ", "-"))
async def test_a_sample_request_gives_its_sample_reply(empty_door: Door, sample: Sample) -> None:
    """Ids, times and other values that vary are matched by shape."""
    ids: dict[str, str] = {}
    for key, concept in sample.concepts.items():
        ids[key] = (await empty_door.ask(Written, "create_concept", **concept)).concept_id
    for source, target, kind in sample.relationships:
        ends: dict[str, Json] = {"source_id": ids[source], "target_id": ids[target]}
        await empty_door.ask(Linked, "create_relationship", **ends, relationship_type=kind)
    reply = await empty_door.call(sample.tool, {name: _filled(value, ids) for name, value in sample.request.items()})
    assert not reply.is_error
    made = reply.structured.get("concept_id")
    for concept_id in {*ids.values(), *([made] if isinstance(made, str) else [])}:
        await empty_door.call("delete_concept", {"concept_id": concept_id})
    assert _differences(_filled(sample.reply, ids), reply.structured) == []


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


def _differences(wanted: Json, got: Json, place: str = "reply") -> list[str]:
    """Say where `got` is not what is wanted."""
    match wanted, got:
        case dict(), dict():
            if set(wanted) != set(got):
                return [f"{place}: fields {sorted(set(wanted) ^ set(got))}"]
            return [line for name in wanted for line in _differences(wanted[name], got[name], f"{place}.{name}")]
        case list(), list():
            if len(wanted) != len(got):
                return [f"{place}: {len(got)} items instead of {len(wanted)}"]
            pairs = enumerate(zip(wanted, got, strict=True))
            return [line for at, (one, two) in pairs for line in _differences(one, two, f"{place}[{at}]")]
        case str(), _ if wanted in SHAPES:
            return [] if SHAPES[wanted].fullmatch(str(got)) else [f"{place}: {got!r} is no {wanted}"]
        case _:
            return [] if wanted == got else [f"{place}: {got!r} instead of {wanted!r}"]
