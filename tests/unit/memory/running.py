"""The memory toolset on real engines, called as the gateway calls it."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from backends.ports.adapter import Stores
from backends.ports.values import Json, JsonObject
from tests.unit.knowledge.running import rows, stores_in
from toolsets.clock import system_now
from toolsets.memory.plugin import assemble
from toolsets.memory.settings import MemorySettings
from toolsets.spec import CallContext, RunningToolset, Services


@dataclass(frozen=True, slots=True)
class Instance:
    """One running toolset, as one process would have it."""

    running: RunningToolset
    stores: Stores

    async def ask(self, tool: str, /, **arguments: Json) -> JsonObject:
        """Call a tool and return what it answers, success or error."""
        [spec] = [each for each in self.running.tools if each.name == tool]
        return (await spec.call(arguments, CallContext(tool))).structured

    async def store(self, database: str, name: str, *observations: str) -> JsonObject:
        return await self.ask(
            "create_entity", database=database, name=name, entity_type="thing", observations=list(observations)
        )

    async def names(self, database: str, query: str) -> list[str]:
        found = await self.ask("search_entities", database=database, query=query, limit=1_000)
        return [str(row["name"]) for row in rows(found, "entities")]

    async def command(self, *words: str) -> tuple[int, str]:
        """Run `entrepot databases`; return exit code and what it says."""
        said: list[str] = []
        [command] = self.running.commands
        return await command.run(words, said.append), "\n".join(said)

    async def attached(self) -> dict[str, bool]:
        """Return which databases there are, and which of them are attached."""
        [resource] = self.running.resources
        listed = json.loads(await resource.read(CallContext("")))["databases"]
        return {str(row["name"]): bool(row["is_attached"]) for row in cast("list[JsonObject]", listed)}

    async def key(self, name: str) -> str:
        """Return the key of the first database that ever had a name."""
        events = await (await self.stores.events()).read_all("memory/databases/")
        return next(str(event.data["key"]) for event in events if event.data.get("name") == name)


@asynccontextmanager
async def memory_in(directory: Path, *databases: str, background: bool = False) -> AsyncGenerator[Instance]:
    """Run the toolset on a data directory, with its background work if asked for."""
    async with stores_in(directory) as stores:
        services = Services(stores, system_now, random.Random(), MemorySettings(databases=databases))
        async with assemble(services) as running:
            assert running.open is not None
            await running.open()
            tasks = [asyncio.ensure_future(task.run()) for task in running.background] if background else []
            try:
                yield Instance(running, stores)
            finally:
                for task in tasks:
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
