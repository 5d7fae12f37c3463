"""What was acknowledged survives `kill -9` at any moment."""

import asyncio
import random
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.knowledge import ask, create, drained, names_in, part, rows, together
from tests.support.raw import HttpCaller
from tests.support.servers import Running, ours_http

KILLS = 20
WRITERS = 6
EACH = 15
MOMENTS_S = (0.05, 0.6)


@dataclass(frozen=True, slots=True)
class Burst:
    """What one server was told before it was killed: the names tried, and those confirmed with their ids."""

    area: str
    attempted: set[str] = field(default_factory=set[str])
    acknowledged: dict[str, str] = field(default_factory=dict[str, str])


async def write_until_killed(server: Running, burst: Burst) -> None:
    """Create concepts as fast as the server allows; only the end of the server may cut it short."""

    async def writer(number: int) -> None:
        caller = server.caller()
        for count in range(EACH):
            name = f"{burst.area} writer {number} concept {count}"
            burst.attempted.add(name)
            try:
                reply = await create(caller, name, area=burst.area)
            except (OSError, EOFError):
                return
            assert reply["message"] == "Created", reply
            burst.acknowledged[name] = str(reply["concept_id"])

    await together(writer(number) for number in range(WRITERS))


async def survived(caller: HttpCaller, burst: Burst) -> None:
    """Check what was acknowledged, before anything can have been made up for: its reply said that it is indexed."""
    for name, concept in burst.acknowledged.items():
        found = await ask(caller, "get_concept", {"concept_id": concept, "include_history": True})
        assert found["success"], (name, found)
        stored = part(found, "concept")
        assert stored["name"] == name
        assert len(rows(stored, "explanation_history")) == 1
    names = await names_in(caller, burst.area)
    assert len(names) == len(set(names)), "nothing is there twice"
    assert set(burst.acknowledged) <= set(names) <= burst.attempted
    for name in random.Random(burst.area).sample(sorted(burst.acknowledged), min(2, len(burst.acknowledged))):
        await found_by_meaning(caller, name, burst.area)


async def found_by_meaning(caller: HttpCaller, name: str, area: str) -> None:
    hits = await ask(caller, "search_concepts_semantic", {"query": f"All about {name}.", "area": area, "limit": 3})
    assert name in [row["name"] for row in rows(hits)]


async def whole(caller: HttpCaller, bursts: list[Burst]) -> None:
    """Check all that is there, also what was recorded and never acknowledged: it is everywhere, and counted once."""
    await drained(caller)
    total = 0
    for burst in bursts:
        await survived(caller, burst)
        names = await names_in(caller, burst.area)
        total += len(names)
        for name in set(names) - set(burst.acknowledged):
            await found_by_meaning(caller, name, burst.area)
    hierarchy = await ask(caller, "list_hierarchy")
    assert hierarchy["total_concepts"] == total
    statistics = await ask(caller, "get_server_stats")
    assert part(statistics, "event_store")["concept_events"] == total


async def test_acknowledged_concepts_survive_twenty_kills(tmp_path: Path) -> None:
    """Each server checks what the one before it left, then is killed itself."""
    moments = random.Random(20)
    bursts: list[Burst] = []
    for kill in range(KILLS):
        async with ours_http(tmp_path) as server:
            if bursts:
                await survived(server.caller(), bursts[-1])
            bursts.append(Burst(f"kill {kill}"))
            writing = asyncio.create_task(write_until_killed(server, bursts[-1]))
            await asyncio.sleep(moments.uniform(*MOMENTS_S))
            server.process.kill()
            await writing
    async with ours_http(tmp_path) as server:
        await whole(server.caller(), bursts)
    interrupted = [burst for burst in bursts if 0 < len(burst.acknowledged) < WRITERS * EACH]
    assert len(interrupted) >= KILLS / 2, "most kills hit the middle of a burst"
