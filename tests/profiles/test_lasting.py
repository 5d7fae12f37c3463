"""What was acknowledged lasts: through kills, through several gateways at once, through the loss of what can be made again."""

import asyncio
import itertools
import random
import shutil
from pathlib import Path

import pytest

from backends.ports.values import JsonObject
from contracts.servers import Combination
from tests.profiles.conftest import Start
from tests.support.commands import rebuild
from tests.support.knowledge import ask, create, drained, names_in, part, rows, together
from tests.support.raw import HttpCaller
from tests.support.servers import Running

KILLS = 3
WRITERS = 4
EACH = 25
MOMENTS_S = (0.4, 1.2)
TASKS = 8
EDITS = 4


async def write_until_killed(server: Running, area: str) -> set[str]:
    """Create concepts until the server is gone; return the names it acknowledged."""
    acknowledged: set[str] = set()

    async def writer(number: int) -> None:
        caller = server.caller()
        for count in range(EACH):
            name = f"{area} writer {number} concept {count}"
            try:
                reply = await create(caller, name, area=area)
            except (OSError, EOFError):
                return
            assert reply["success"], reply
            acknowledged.add(name)

    await together(writer(number) for number in range(WRITERS))
    return acknowledged


async def test_what_was_acknowledged_survives_kills(start: Start) -> None:
    """Three servers are killed in the middle of writing; the fourth has it all, once the relay has caught up."""
    moments = random.Random(5)
    acknowledged: dict[str, set[str]] = {}
    for kill in range(KILLS):
        async with start() as server:
            await drained(server.caller())
            writing = asyncio.create_task(write_until_killed(server, f"kill {kill}"))
            await asyncio.sleep(moments.uniform(*MOMENTS_S))
            server.process.kill()
            acknowledged[f"kill {kill}"] = await writing
    async with start() as server:
        caller = server.caller()
        await drained(caller)
        for area, names in acknowledged.items():
            found = await names_in(caller, area)
            assert len(found) == len(set(found)), "nothing is there twice"
            assert names <= set(found)
            for name in random.Random(area).sample(sorted(names), min(2, len(names))):
                hits = await ask(caller, "search_concepts_semantic", {"query": f"All about {name}.", "area": area})
                assert name in [row["name"] for row in rows(hits)]


async def edit(caller: HttpCaller, concept: str, task: int) -> None:
    """Edit a concept several times."""
    for count in range(EDITS):
        change = {"concept_id": concept, "explanation": f"Edit {count} of task {task}."}
        reply = await ask(caller, "update_concept", change)
        assert reply["success"], reply


async def test_two_gateways_share_the_engines(start: Start, many: bool) -> None:
    """No update is lost and both answer alike in the end; engines that admit one process say so to the second gateway."""
    async with start() as first:
        concept = str((await create(first.caller(), "shared", area="both"))["concept_id"])
        if not many:
            with pytest.raises(RuntimeError, match="the server ended"):
                await start().__aenter__()
            assert (await ask(first.caller(), "get_concept", {"concept_id": concept}))["success"]
            return
        async with start() as second:
            servers = (first, second)
            await together(edit(servers[task % 2].caller(), concept, task) for task in range(TASKS))
            await together(create(servers[n % 2].caller(), f"concept {n}", area="both") for n in range(2 * TASKS))
            for server in servers:
                await drained(server.caller())
            views = [await view(server.caller(), concept) for server in servers]
            assert views[0] == views[1]
            history = rows(part(views[0], "concept"), "explanation_history")
            assert len({str(entry["explanation"]) for entry in history}) == 1 + TASKS * EDITS
            assert len(await names_in(first.caller(), "both")) == 1 + 2 * TASKS


async def view(caller: HttpCaller, concept: str) -> JsonObject:
    """Return what a gateway says of a concept and of the others, in every store."""
    found = await ask(caller, "get_concept", {"concept_id": concept, "include_history": True})
    listed = await ask(caller, "search_concepts_exact", {"area": "both", "limit": 100})
    hits = await ask(caller, "search_concepts_semantic", {"query": "Edit of a task", "area": "both", "limit": 50})
    return {"concept": found["concept"], "listed": listed["results"], "hits": hits["results"]}


async def test_a_store_that_was_lost_is_rebuilt_with_an_equal_digest(
    start: Start, engines: Combination, variables: dict[str, str], tmp_path: Path
) -> None:
    """All but the events is thrown away, on servers by moving to another space; the same is there afterwards."""
    async with start() as server:
        caller = server.caller()
        ids = [str((await create(caller, f"concept {n}", area=f"area {n % 3}"))["concept_id"]) for n in range(20)]
        for source, target in itertools.pairwise(ids):
            edge = {"source_id": source, "target_id": target, "relationship_type": "prerequisite"}
            assert (await ask(caller, "create_relationship", edge))["success"]
        await ask(caller, "delete_concept", {"concept_id": ids[7]})
        await drained(caller)
        before = await picture(caller, ids)
    toolset = ("--profile", engines.profile, "--toolset", "knowledge")
    whole = part(await rebuild(tmp_path, *toolset, variables=variables), "knowledge")
    assert whole["digest"] == whole["former_digest"]
    lose_projections(tmp_path, variables)
    again = part(await rebuild(tmp_path, *toolset, variables=variables), "knowledge")
    assert again["digest"] == whole["digest"]
    async with start() as server:
        await drained(server.caller())
        assert await picture(server.caller(), ids) == before


async def picture(caller: HttpCaller, ids: list[str]) -> JsonObject:
    """Return what the stores hold, as the tools see it."""
    return {
        "listed": [await names_in(caller, f"area {n}") for n in range(3)],
        "prerequisites": (await ask(caller, "get_prerequisites", {"concept_id": ids[6], "depth": 5}))["prerequisites"],
        "hits": (await ask(caller, "search_concepts_semantic", {"query": "concept 3", "limit": 5}))["results"],
        "hierarchy": (await ask(caller, "list_hierarchy"))["areas"],
    }


def lose_projections(data: Path, variables: dict[str, str]) -> None:
    """Throw away every store of the data directory but the events, and leave the space on servers; events stay in theirs."""
    for entry in data.iterdir():
        if entry.name.startswith("events.db") or entry.name == "events":
            continue
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    for name in variables:
        if name.endswith("__SPACE") and "POSTGRES" not in name:
            variables[name] += "x"
