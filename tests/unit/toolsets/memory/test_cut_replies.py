"""Every list of entities stops at the size of a reply, counts what it shows, and says how much there is."""

import asyncio
import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest

from backends.engines.sqlite.graph.store import SqliteGraph
from backends.ports.filters import Filter
from backends.ports.graph import Node, Order
from backends.ports.values import JsonObject, NodeId, Page
from tests.support.toolsets.knowledge import rows
from tests.support.toolsets.memory import memory_in
from toolsets import replies

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


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_entities", {"query": "glacier"}),
        ("semantic_search", {"query": "Glacier", "threshold": 0.0}),
        ("get_related_entities", {"entity_name": "Glacier 0"}),
    ],
)
async def test_a_list_reads_no_more_entities_than_about_what_fits(
    filled: Path, monkeypatch: pytest.MonkeyPatch, tool: str, arguments: JsonObject
) -> None:
    monkeypatch.setattr(replies, "FIRST_PAGE", 4)
    read: list[int] = []
    get_nodes, find = SqliteGraph.get_nodes, SqliteGraph.find

    async def noted_nodes(graph: SqliteGraph, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        read.append(len(ids))
        return await get_nodes(graph, ids)

    async def noted_find(
        graph: SqliteGraph,
        kind: str,
        where: Filter | None = None,
        *,
        order: Sequence[Order] = (),
        after: str | None = None,
        limit: int = 100,
    ) -> Page[Node]:
        page = await find(graph, kind, where, order=order, after=after, limit=limit)
        read.append(len(page.items))
        return page

    async with memory_in(filled) as instance:
        monkeypatch.setattr(SqliteGraph, "get_nodes", noted_nodes)
        monkeypatch.setattr(SqliteGraph, "find", noted_find)
        reply = await instance.ask(tool, database="memory", limit=100, **arguments)
    assert len(rows(reply, "entities")) < sum(read) <= len(rows(reply, "entities")) + 2


async def test_pages_of_a_search_continue_one_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With names first, then types, then observations, and never more than the limit."""
    monkeypatch.setattr(replies, "FIRST_PAGE", 2)
    async with memory_in(tmp_path) as instance:
        for number in range(5):
            await instance.store("memory", f"Ice {number}", "cold")
            await instance.store("memory", f"Snow {number}", "like ice")
        expected = [f"{name} {number}" for name in ("Ice", "Snow") for number in range(5)]
        for limit in (1, 2, 3, 5, 7, 10, 20):
            found = await instance.ask("search_entities", database="memory", query="ice", limit=limit)
            assert [row["name"] for row in rows(found, "entities")] == expected[:limit]
            near = await instance.ask("semantic_search", database="memory", query="ice", threshold=0.0, limit=limit)
            assert len(rows(near, "entities")) == min(limit, 10)
