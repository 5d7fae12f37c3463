"""A projection that fails loses nothing: the write stands, says so, is counted, and is projected after the repair."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from contracts.promises import promise
from tests.support.commands import entrepot
from tests.support.knowledge import ask, create, drained, names_in, outbox, part, result_of
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http

QUOTA = """
[stores.embedded]
kind = "sqlite"
max_pages = {pages}
"""


async def create_until_pending(caller: HttpCaller) -> dict[str, str]:
    """Create concepts until a reply says that indexing is pending; return all ids by name."""
    ids: dict[str, str] = {}
    for number in range(400):
        name = f"concept {number}"
        arguments = {"name": name, "explanation": f"All about {name}.", "area": "quota"}
        result = await result_of(caller, "create_concept", arguments)
        reply = part(result, "structuredContent")
        assert reply["success"], reply
        ids[name] = str(reply["concept_id"])
        if reply["message"] != "Created":
            assert reply["message"] == "Created; indexing is pending"
            assert part(result, "_meta")["entrepot/indexing"] == "pending"
            return ids
    pytest.fail("the disk never filled up")


@promise("knowledge:write:pending")
async def test_a_full_disk_under_the_projections_delays_them_and_loses_nothing(tmp_path: Path) -> None:
    settings = tmp_path / "entrepot.toml"
    settings.write_text(QUOTA.format(pages=200), encoding="utf-8")
    data = tmp_path / "data"
    async with ours_http(data, "--config", str(settings)) as server:
        caller = server.caller()
        ids = await create_until_pending(caller)
        last = list(ids)[-1]
        found = await ask(caller, "get_concept", {"concept_id": ids[last]})
        assert part(found, "concept")["name"] == last
        assert sum(await outbox(caller)) > 0
    told = await entrepot("check", "--data-dir", str(data))
    assert (told.returncode, "because no server leads the" in told.stdout) == (1, True), told.stdout
    async with ours_http(data) as server:
        caller = server.caller()
        await drained(caller)
        hits = await ask(caller, "search_concepts_semantic", {"query": f"All about {last}.", "limit": 3})
        assert last in str(hits["results"])
        hierarchy = await ask(caller, "list_hierarchy")
        assert hierarchy["total_concepts"] == len(ids)
    well = await entrepot("check", "--data-dir", str(data))
    assert well.returncode == 0, well.stdout


@pytest.mark.parametrize("lost", ["graph.db", "vectors.db"])
async def test_a_store_file_deleted_while_running_is_made_again_from_the_log(tmp_path: Path, lost: str) -> None:
    async with ours_http(tmp_path) as server:
        caller = server.caller()
        for number in range(5):
            await create(caller, f"before {number}", area="lost")
        (tmp_path / lost).unlink()
        reply = await create(caller, "after", area="lost")
        assert reply["success"], reply
        found = await ask(caller, "get_concept", {"concept_id": reply["concept_id"]})
        assert part(found, "concept")["name"] == "after"
        await drained(caller)
        assert await names_in(caller, "lost") == ["after", *(f"before {number}" for number in range(5))]
        hits = await ask(caller, "search_concepts_semantic", {"query": "All about before 3.", "limit": 1})
        assert "before 3" in str(hits["results"])


async def test_a_lost_store_is_made_again_at_the_next_start(tmp_path: Path) -> None:
    async with ours_http(tmp_path) as server:
        await create(server.caller(), "remembered", area="kept")
    for file in tmp_path.glob("graph.db*"):
        file.unlink()
    for file in tmp_path.glob("vectors.db*"):
        file.unlink()
    async with ours_http(tmp_path) as server:
        caller = server.caller()
        await drained(caller)
        assert await names_in(caller, "kept") == ["remembered"]


async def test_a_log_that_vanishes_refuses_writes_until_it_is_back(tmp_path: Path) -> None:
    async with ours_http(tmp_path) as server:
        caller = server.caller()
        await create(caller, "kept", area="log")
        (tmp_path / "events.db").rename(tmp_path / "elsewhere.db")
        reply = await create(caller, "refused", area="log")
        assert not reply["success"]
        assert reply["error"] == "database_error"
        (tmp_path / "elsewhere.db").rename(tmp_path / "events.db")
        assert (await create(caller, "accepted", area="log"))["success"]
        await drained(caller)
        assert await names_in(caller, "log") == ["accepted", "kept"]


async def test_a_damaged_graph_names_the_graph_and_leaves_the_rest_working(tmp_path: Path) -> None:
    async with ours_http(tmp_path) as server:
        await create(server.caller(), "whole", area="damage")
    with closing(sqlite3.connect(tmp_path / "graph.db")) as database:
        database.execute("DROP TABLE nodes")
    async with ours_http(tmp_path) as server:
        caller = server.caller()
        failed = await ask(caller, "get_recent_concepts")
        assert failed["error"] == "neo4j_error"
        found = await ask(caller, "search_concepts_semantic", {"query": "All about whole.", "limit": 1})
        assert "whole" in str(found["results"]), "names are read from the log while the graph is down"
        assert (await ask(caller, "ping"))["status"] == "ok"
