"""Every list of entities stops at the size of a reply, counts what it shows, and says how much there is."""

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from backends.ports.values import Json, JsonObject
from tests.support.toolsets.agent_graph import rows, toolset_in

REPLY_BYTES = 8_000_000
WORDS = "north south east west upper lower inner outer far near big small old".split()
NAMES = [f"{kind} {word}" for kind in ("Glacier", "Volcano") for word in WORDS]
DESCRIPTION = 'Ice, "as old" as\nthe hills. ' * 8_000
"""Of some 250 kB, with quotes and line ends, which take more room where they are escaped."""


async def fill(folder: Path) -> list[str]:
    """Create the entities, the first linked to all others; return their ids."""
    async with toolset_in(folder) as kg:
        ids = [await kg.create(name, description=DESCRIPTION) for name in NAMES]
        for other in ids[1:]:
            await kg.link(ids[0], other, "DEPENDS_ON")
    return ids


OBSERVED: JsonObject = {"phase": "observation", "taskContent": "glacier and volcano"}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return a data directory with large entities, and their ids."""
    folder = tmp_path_factory.mktemp("large")
    return folder, asyncio.run(fill(folder))


def count(body: JsonObject, *lists: str) -> int:
    return sum(len(rows(body, name)) for name in lists)


@pytest.mark.parametrize(
    ("tool", "arguments", "place", "lists", "counter"),
    [
        ("kg_find_entity", {"name": "o", "limit": 50}, (), ("entities",), "count"),
        ("kg_get_neighbors", {"entityId": "HUB", "limit": 100}, (), ("entities",), "entityCount"),
        ("kg_get_high_utility_entities", {"limit": 50}, (), ("entities",), "count"),
        ("kg_find_duplicates", {"threshold": 0.1}, (), ("duplicates",), "count"),
        ("kg_get_context", {"keywords": ["glacier", "volcano"]}, ("context",), ("entities",), "stats.entityCount"),
        ("kg_get_context", {}, ("context",), ("entities",), "stats.entityCount"),
        ("kg_get_phase_context", OBSERVED, ("phaseContext",), ("entities",), "entityCount"),
        ("kg_get_phase_context", {"phase": "planning", "entityIds": ["HUB"]}, ("phaseContext",), ("entities",), "entityCount"),
    ],
    ids=["find", "neighbors", "useful", "duplicates", "context", "most useful alone", "observation", "phase"],
)  # fmt: skip
async def test_a_list_stops_at_the_size_of_a_reply_and_says_how_much_there_is(
    filled: tuple[Path, list[str]],
    tool: str,
    arguments: JsonObject,
    place: Sequence[str],
    lists: Sequence[str],
    counter: str,
) -> None:
    folder, ids = filled
    sent = json.loads(json.dumps(arguments).replace("HUB", ids[0]))
    async with toolset_in(folder) as kg:
        reply = await kg.reply(tool, **sent)
    assert not reply.is_error
    body = reply.structured
    for step in place:
        body = cast("JsonObject", body[step])
    message = str(reply.structured["message"])
    ends = re.findall(r"; (\d+) of (\d+) shown, because a reply stops at about 8 MB", message)
    [(shown, among)] = [(int(one), int(other)) for one, other in ends]
    beside = count(body, *({"relationships", "highUtilityEntities"} & body.keys())) if place else 0
    assert count(body, *lists) + beside == shown < among
    counted: Json = reply.structured
    for step in counter.split("."):
        counted = cast("JsonObject", counted)[step]
    assert counted == count(body, *lists)
    for one in re.findall(r"found, the (\d+) most useful shown", f"{message} {reply.structured.get('summary')}"):
        assert int(one) == counted
    # A reply is sent as structured content and as text, in which quotes and line ends take more room.
    once = json.dumps(reply.structured, ensure_ascii=False, separators=(",", ":"))
    assert len(once.encode()) + len(json.dumps(once, ensure_ascii=False).encode()) < REPLY_BYTES
