"""What was acknowledged survives `kill -9` at any moment."""

import asyncio
import random
from pathlib import Path

from tests.support.knowledge import ask, create, drained, names_in, part, rows
from tests.support.raw import HttpCaller
from tests.support.servers import Running, ours_http

KILLS = 20
WRITERS = 6


async def write_until_killed(server: Running, area: str, acknowledged: dict[str, str], attempted: set[str]) -> None:
    """Create concepts as fast as the server allows, noting those it confirmed."""

    async def writer(number: int) -> None:
        caller = server.caller()
        for count in range(15):
            name = f"{area} writer {number} concept {count}"
            attempted.add(name)
            reply = await create(caller, name, area=area)
            assert reply["success"], reply
            acknowledged[name] = str(reply["concept_id"])

    await asyncio.gather(*(writer(number) for number in range(WRITERS)), return_exceptions=True)


async def check_survivors(caller: HttpCaller, area: str, acknowledged: dict[str, str], attempted: set[str]) -> None:
    for name, concept in acknowledged.items():
        found = await ask(caller, "get_concept", {"concept_id": concept, "include_history": True})
        assert found["success"], (name, found)
        stored = part(found, "concept")
        assert stored["name"] == name
        assert len(rows(stored, "explanation_history")) == 1
    await drained(caller)
    names = await names_in(caller, area)
    assert len(names) == len(set(names)), "nothing is there twice"
    assert set(acknowledged) <= set(names) <= attempted
    for name in random.Random(area).sample(sorted(acknowledged), min(2, len(acknowledged))):
        hits = await ask(caller, "search_concepts_semantic", {"query": f"All about {name}.", "area": area, "limit": 3})
        assert name in str(hits["results"])


async def test_acknowledged_concepts_survive_twenty_kills(tmp_path: Path) -> None:
    moments = random.Random(20)
    total = 0
    for kill in range(KILLS):
        area, acknowledged, attempted = f"kill {kill}", dict[str, str](), set[str]()
        async with ours_http(tmp_path) as server:
            writing = asyncio.create_task(write_until_killed(server, area, acknowledged, attempted))
            await asyncio.sleep(moments.uniform(0.3, 0.9))
            server.process.kill()
            await writing
        async with ours_http(tmp_path) as server:
            caller = server.caller()
            await check_survivors(caller, area, acknowledged, attempted)
            total += len(await names_in(caller, area))
            hierarchy = await ask(caller, "list_hierarchy")
            assert hierarchy["total_concepts"] == total
    assert total > KILLS, "the kills hit a burst of writes"
