"""Every list of entities stops at the size of a reply, counts what it shows, and says how much there is."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from backends.ports.values import JsonObject
from tests.support.toolsets.knowledge import rows
from tests.support.toolsets.memory import memory_in

MANY = 24
OBSERVATION = 'Ice, "as old" as\nthe hills. ' * 8_000


async def fill(folder: Path) -> None:
    async with memory_in(folder) as instance:
        for number in range(MANY):
            assert (await instance.store("memory", f"Glacier {number}", OBSERVATION))["status"] == "created"
            if number:
                ends = {"from_entity": "Glacier 0", "to_entity": f"Glacier {number}", "relationship_type": "FEEDS"}
                assert (await instance.ask("create_relationship", database="memory", **ends))["status"] == "created"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data directory with large entities."""
    folder = tmp_path_factory.mktemp("large")
    asyncio.run(fill(folder))
    return folder


@pytest.mark.parametrize(
    ("tool", "arguments", "found"),
    [
        ("search_entities", {"query": "glacier", "limit": 100}, MANY),
        ("semantic_search", {"query": "Glacier", "limit": 100, "threshold": 0.0}, MANY),
        ("get_related_entities", {"entity_name": "Glacier 0", "limit": 100}, MANY - 1),
    ],
)
async def test_a_list_stops_at_the_size_of_a_reply_and_says_how_much_there_is(
    filled: Path, tool: str, arguments: JsonObject, found: int
) -> None:
    async with memory_in(filled) as instance:
        reply = await instance.ask(tool, database="memory", **arguments)
    shown = len(rows(reply, "entities"))
    assert 0 < shown < found
    assert reply["count"] == shown
    said = re.findall(
        r"(\d+) entities found; (\d+) of (\d+) shown, because a reply stops at about 8 MB", str(reply["message"])
    )
    assert [tuple(map(int, numbers)) for numbers in said] == [(found, shown, found)]
    once = json.dumps(reply, ensure_ascii=False)
    assert len(once.encode()) + len(json.dumps(once, ensure_ascii=False).encode()) < 8_000_000
