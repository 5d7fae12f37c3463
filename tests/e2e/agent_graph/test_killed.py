"""What was acknowledged survives `kill -9` at any moment, and a merge is never seen half-way."""

import asyncio
import random
from pathlib import Path

from contracts.promises import promise
from tests.support.agent_graph import create, found, link, succeeded
from tests.support.knowledge import ask, part, rows, together
from tests.support.raw import HttpCaller
from tests.support.servers import Running, ours_http

KILLS = 8
WRITERS = 4
EACH = 12
MOMENTS_S = (0.1, 0.9)
TEXT = "{name} uses Python and Docker. {name} is a member of Debian."


class Told:
    """What was acknowledged before a server was killed."""

    def __init__(self) -> None:
        self.entities: dict[str, str] = {}
        self.edges: dict[str, str] = {}
        self.merged: dict[str, str] = {}
        self.begun: set[str] = set()


async def write_until_killed(server: Running, burst: str, told: Told) -> None:
    """Create, link, extract and merge as fast as the server allows; only its end may cut it short."""

    async def writer(number: int) -> None:
        caller = server.caller()
        former: str | None = None
        for count in range(EACH):
            name = f"{burst} writer {number} entity {count}"
            try:
                entity = await create(caller, name)
                told.entities[name] = entity
                if former is not None:
                    told.edges[await link(caller, entity, former)] = entity
                if count % 4 == 3:
                    await merge(caller, name, entity)
                await succeeded(caller, "kg_extract_from_text", text=TEXT.format(name=f"Ada {burst.title()}son"))
            except (OSError, EOFError):
                return
            former = entity

    async def merge(caller: HttpCaller, name: str, target: str) -> None:
        source = await create(caller, f"{name} doubled")
        await link(caller, source, target, "USES")
        told.begun.add(source)
        await succeeded(caller, "kg_merge_entities", targetEntityId=target, sourceEntityIds=[source])
        told.merged[source] = target

    await together(writer(number) for number in range(WRITERS))


async def survived(caller: HttpCaller, told: Told) -> None:
    """Check all that was acknowledged, and that a merge that was not is there whole or not at all."""
    for name, entity in told.entities.items():
        kept = part(await succeeded(caller, "kg_get_entity", entityId=entity), "entity")
        assert kept["name"] == name
        assert name in await found(caller, name, exact=True)
    for edge, end in told.edges.items():
        reply = await succeeded(caller, "kg_get_neighbors", entityId=end, limit=100)
        assert edge in [row["id"] for row in rows(reply, "relationships")]
    for source in told.begun:
        found_now = await ask(caller, "kg_get_entity", {"entityId": source})
        led_to = part(found_now, "entity")["id"] if found_now["success"] else None
        if source in told.merged:
            assert led_to == told.merged[source]
            kept = part(await succeeded(caller, "kg_get_entity", entityId=told.merged[source]), "entity")
            assert f"{kept['name']} doubled" in rows(kept, "aliases")
        elif led_to == source:
            assert (await succeeded(caller, "kg_get_neighbors", entityId=source))["relationshipCount"] == 1


@promise("agent_graph:durable:killed")
async def test_what_was_acknowledged_survives_kills(tmp_path: Path) -> None:
    moments = random.Random(8)
    told = Told()
    for kill in range(KILLS):
        async with ours_http(tmp_path, toolsets="agent_graph") as server:
            writing = asyncio.create_task(write_until_killed(server, f"burst{kill}", told))
            await asyncio.sleep(moments.uniform(*MOMENTS_S))
            while kill == KILLS - 1 and not told.merged:  # however slow the machine is, a merge was acknowledged
                await asyncio.sleep(0.02)
            server.process.kill()
            await writing
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        await survived(server.caller(), told)
        for name in ("Python", "Docker", "Debian"):
            assert len(await found(server.caller(), name, exact=True)) <= 1
    assert len(told.entities) > KILLS
    assert told.merged
