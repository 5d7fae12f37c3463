"""The tool and the resource that count databases."""

import json
from pathlib import Path

import anyio
import pytest

from backends.ports.graph import Graph
from tests.support.toolsets.knowledge import rows
from tests.support.toolsets.memory import memory_in
from toolsets.memory.summary import Counts, counts_of
from toolsets.memory.tools import summary
from toolsets.spec import CallContext


async def test_types_are_counted_the_largest_first_and_then_by_name(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        for name, kind in (("a", "tool"), ("b", "person"), ("c", "person"), ("d", "animal")):
            await instance.ask("create_entity", name=name, entity_type=kind)
        for target in ("b", "c"):
            await instance.ask(
                "create_relationship", from_entity="a", to_entity=target, relationship_type="is known to"
            )
        assert await instance.ask("get_graph_summary", database="memory") == {
            "scope": "single_database",
            "database": "memory",
            "stats": {"entities": 4, "relationships": 2, "entity_types": 3, "relationship_types": 1},
            "entity_types": [
                {"type": "person", "count": 2},
                {"type": "animal", "count": 1},
                {"type": "tool", "count": 1},
            ],
            "relationship_types": [{"type": "is known to", "count": 2}],
        }


async def test_long_types_are_cut_and_the_totals_are_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "MAX_PAGE_BYTES", 4_000)
    async with memory_in(tmp_path) as instance:
        for number in range(12):
            await instance.ask("create_entity", name=f"e{number}", entity_type=f"{number:02} " + "\u3042" * 80)
        await instance.ask("create_relationship", from_entity="e0", to_entity="e1", relationship_type="KNOWS")
        found = await instance.ask("get_graph_summary", database="memory")
    assert found["stats"] == {"entities": 12, "relationships": 1, "entity_types": 12, "relationship_types": 1}
    assert len(rows(found, "entity_types")) == 7
    assert len(rows(found, "relationship_types")) == 1
    assert found["message"] == "13 types found; 8 of 13 shown, because a reply stops at about 8 MB"


async def test_all_databases_have_totals(tmp_path: Path) -> None:
    async with memory_in(tmp_path, "archive") as instance:
        await instance.store("archive", "Alice")
        assert await instance.ask("get_graph_summary") == {
            "scope": "all_databases",
            "databases": {
                "memory": {"entities": 0, "relationships": 0},
                "archive": {"entities": 1, "relationships": 0},
            },
            "total_databases": 2,
        }


async def test_databases_are_counted_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first count goes on once the second one has begun."""
    begun: list[Graph] = []
    both = anyio.Event()

    async def noted(graph: Graph) -> Counts:
        begun.append(graph)
        if len(begun) == 2:
            both.set()
        with anyio.fail_after(10):
            await both.wait()
        return await counts_of(graph)

    monkeypatch.setattr(summary, "counts_of", noted)
    async with memory_in(tmp_path, "archive") as instance:
        assert (await instance.ask("get_graph_summary"))["total_databases"] == 2


async def test_the_list_shows_which_database_is_the_primary_one(tmp_path: Path) -> None:
    async with memory_in(tmp_path, "archive") as instance:
        [resource] = [each for each in instance.running.resources if each.uri == "kuzu://databases/list"]
        body = json.loads(await resource.read(CallContext("resource")))
        assert (body["count"], body["primary_database"]) == (2, "memory")
        assert [(row["name"], row["is_primary"]) for row in body["databases"]] == [("memory", True), ("archive", False)]
        assert body["databases"][0]["is_attached"]
