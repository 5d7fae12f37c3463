"""A rebuild covers all databases, under a running server, and answers as before."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

from contracts.promises import promise
from tests.e2e.knowledge.test_rebuilt import Session, replies
from tests.support.commands import rebuild
from tests.support.knowledge import ask, part
from tests.support.memory import link, names, settings, store
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http

DATABASES = ("memory", "other")


async def fill(caller: HttpCaller) -> None:
    """Store entities, observations and edges in both databases."""
    rng = random.Random(3)
    for database in DATABASES:
        for number in range(15):
            await store(caller, database, f"entity {number}", f"told in {database} of {number}")
        for number in rng.sample(range(15), 5):
            more = {"database": database, "entity_name": f"entity {number}", "observations": ["more of it"]}
            await ask(caller, "add_observations", more)
        for _ in range(30):
            source, target = rng.sample(range(15), 2)
            await link(caller, database, f"entity {source}", f"entity {target}")


def session() -> Session:
    """Return calls that read everything in every way."""
    calls: Session = [("get_graph_summary", {})]
    for database in DATABASES:
        calls.append(("get_graph_summary", {"database": database}))
        calls.append(("search_entities", {"database": database, "query": "entity", "limit": 100}))
        calls.append(("semantic_search", {"database": database, "query": "told of 3", "limit": 100, "threshold": 0.0}))
        calls += [
            ("get_related_entities", {"database": database, "entity_name": f"entity {number}", "limit": 100})
            for number in range(15)
        ]
    return calls


@promise("memory:rebuild:equal")
async def test_replies_and_digests_are_equal_after_a_rebuild_under_a_running_server(tmp_path: Path) -> None:
    flags = settings(tmp_path, "other")
    async with ours_http(tmp_path, *flags, toolsets="memory") as server:
        caller = server.caller()
        await fill(caller)
        before = await replies(caller, session())
        report = part(await rebuild(tmp_path, "--toolset", "memory", *flags), "memory")
        assert report["digest"] == report["former_digest"]
        assert (report["embedded"], report["vectors"]) == (0, 30)
        caller = server.caller()  # the server closes connections that were idle during the rebuild
        assert await replies(caller, session()) == before
        await store(caller, "other", "written after the switch")
        assert await names(caller, "other", "after the switch") == ["written after the switch"]


@promise("memory:rebuild:equal")
async def test_stores_that_are_lost_come_back_with_the_dates_of_creation(tmp_path: Path) -> None:
    flags = settings(tmp_path, "other")
    async with ours_http(tmp_path, *flags, toolsets="memory") as server:
        await fill(server.caller())
        await server.callers[0].close()
    with closing(sqlite3.connect(tmp_path / "events.db")) as log, log:
        log.execute("UPDATE events SET at = 1705312800000000")  # 15 January 2024
    log.close()
    for file in (*tmp_path.glob("graph.db*"), *tmp_path.glob("vectors.db*")):
        file.unlink()
    await rebuild(tmp_path, "--toolset", "memory", *flags)
    async with ours_http(tmp_path, *flags, toolsets="memory") as server:
        found = await ask(server.caller(), "search_entities", {"database": "other", "query": "entity 3"})
        assert "'created_date': '2024-01-15'" in str(found)
        assert "told in other of 3" in str(found)
