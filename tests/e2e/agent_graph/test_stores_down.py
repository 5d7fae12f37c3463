"""A store that is damaged or gone: documented errors, nothing half-done, and everything back with the store."""

from pathlib import Path

import pytest

from contracts.promises import promise
from tests.support.agent_graph import create, found, link, succeeded
from tests.support.damage import table_gone
from tests.support.knowledge import ask, part, result_of, rows
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http

QUOTA = """
[stores.embedded]
kind = "sqlite"
max_pages = 130
"""


@promise("agent_graph:write:pending")
async def test_a_graph_that_is_full_delays_projections_and_loses_nothing(tmp_path: Path) -> None:
    settings = tmp_path / "entrepot.toml"
    settings.write_text(QUOTA, encoding="utf-8")
    data = tmp_path / "data"
    async with ours_http(data, "--config", str(settings), toolsets="agent_graph") as server:
        names = await create_until_pending(server.caller())
    async with ours_http(data, toolsets="agent_graph") as server:
        for name in names[-3:]:
            assert await found(server.caller(), name, exact=True) == [name]


async def create_until_pending(caller: HttpCaller) -> list[str]:
    """Create entities until a reply says that indexing is pending; return all names."""
    names: list[str] = []
    for number in range(600):
        name = f"entity {number}"
        arguments = {"name": name, "type": "concept", "description": f"All about {name}. " * 20}
        result = await result_of(caller, "kg_create_entity", arguments)
        reply = part(result, "structuredContent")
        assert reply["success"], reply
        names.append(name)
        if reply["message"] != "Entity created":
            assert reply["message"] == "Entity created; indexing is pending"
            assert part(result, "_meta")["entrepot/indexing"] == "pending"
            kept = await succeeded(caller, "kg_get_entity", entityId=part(reply, "entity")["id"])
            assert part(kept, "entity")["name"] == name
            return names
    pytest.fail("the disk never filled up")


@promise("agent_graph:errors:stores")
async def test_a_damaged_graph_is_reported_and_reads_by_id_work(tmp_path: Path) -> None:
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        caller = server.caller()
        a, b = await create(caller, "a"), await create(caller, "b")
        await link(caller, a, b)
        # What the text names is there, so that its node is read.
        await create(caller, "Ada")
        with table_gone(tmp_path / "graph.db", "nodes"):
            for tool, arguments in (
                ("kg_find_entity", {"name": "a"}),
                ("kg_get_neighbors", {"entityId": a}),
                ("kg_get_context", {}),
                ("kg_extract_from_text", {"text": "Ada uses Python."}),
            ):
                reply = await ask(caller, tool, arguments)
                assert not reply["success"]
                assert reply["error"] in ("Storage failed", "Service unavailable"), reply
                assert "nodes" not in str(reply), "an error names no table"
            assert part(await succeeded(caller, "kg_get_entity", entityId=a), "entity")["name"] == "a"
        assert await found(caller, "a", exact=True) == ["a"]
        assert (await succeeded(caller, "kg_get_neighbors", entityId=a))["entityCount"] == 1


@promise("agent_graph:errors:stores")
async def test_a_log_that_vanishes_refuses_writes_until_it_is_back(tmp_path: Path) -> None:
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        caller = server.caller()
        a, b = await create(caller, "a"), await create(caller, "b")
        (tmp_path / "events.db").rename(tmp_path / "elsewhere.db")
        for tool, arguments in (
            ("kg_create_entity", {"name": "refused", "type": "task"}),
            ("kg_create_relationship", {"fromEntityId": a, "toEntityId": b, "type": "USES"}),
            ("kg_merge_entities", {"targetEntityId": a, "sourceEntityIds": [b]}),
        ):
            reply = await ask(caller, tool, arguments)
            assert not reply["success"]
            assert reply["error"] in ("Storage failed", "Service unavailable"), reply
        (tmp_path / "elsewhere.db").rename(tmp_path / "events.db")
        await create(caller, "accepted")
        assert await found(caller, "refused") == []
        assert rows(await succeeded(caller, "kg_get_neighbors", entityId=a), "relationships") == []
