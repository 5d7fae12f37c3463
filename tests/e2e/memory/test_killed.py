"""What was acknowledged survives `kill -9` at any moment, in every database, also in those that nobody opens again."""

import asyncio
import random
from pathlib import Path

from contracts.promises import promise
from tests.support.knowledge import together
from tests.support.memory import link, names, settings, similar, store, totals
from tests.support.servers import Running, ours_http

KILLS = 6
DATABASES = ("memory", "left", "right")
EACH = 15


async def write_until_killed(server: Running, burst: str, acknowledged: dict[str, list[str]]) -> None:
    """Create and link entities in all databases as fast as the server allows; only its end may cut it short."""

    async def writer(database: str, number: int) -> None:
        caller = server.caller()
        former: str | None = None
        for count in range(EACH):
            name = f"{burst} writer {number} entity {count}"
            try:
                assert (await store(caller, database, name, f"All about {name}."))["status"] == "created"
                acknowledged[database].append(name)
                if former is not None:
                    assert (await link(caller, database, former, name))["status"] == "created"
            except (OSError, EOFError):
                return
            former = name

    await together(writer(database, number) for database in DATABASES for number in range(2))


@promise("memory:durable:killed", "memory:durable:caught-up")
async def test_acknowledged_entities_survive_kills_in_every_database(tmp_path: Path) -> None:
    flags = settings(tmp_path, "left", "right")
    moments = random.Random(6)
    acknowledged: dict[str, list[str]] = {database: [] for database in DATABASES}
    for kill in range(KILLS):
        async with ours_http(tmp_path, *flags, toolsets="memory") as server:
            writing = asyncio.create_task(write_until_killed(server, f"burst{kill}", acknowledged))
            await asyncio.sleep(moments.uniform(0.5, 1.5))
            server.process.kill()
            await writing
    async with ours_http(tmp_path, *flags, toolsets="memory") as server:
        caller = server.caller()
        await server.caught_up()  # what was recorded and never acknowledged may come in the midst of counting
        counted = await totals(caller)
        for database in DATABASES:
            found = await names(caller, database, "writer")
            assert len(found) == len(set(found)) == counted[database][0]
            assert set(acknowledged[database]) <= set(found)
            for name in random.Random(database).sample(acknowledged[database], 2):
                assert name in await similar(caller, database, f"{name} thing All about {name}.")
    assert all(len(found) > KILLS for found in acknowledged.values())
