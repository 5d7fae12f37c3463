"""The memory toolset on real engines, called as the gateway calls it."""

import asyncio
import io
import json
import random
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import click

from backends.ports.adapter import Stores
from backends.ports.values import Json, JsonObject
from tests.support.toolsets.knowledge import rows, separate_stores_in, stores_in
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
        """Run `entrepot databases` as the gateway does; return exit code and what it says."""
        [spec] = self.running.commands
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            try:
                with spec.command.make_context("databases", [*words], obj=spec.obj, help_option_names=["-h"]) as ctx:
                    code = await cast("Awaitable[int | None]", spec.command.invoke(ctx))
            except click.exceptions.Exit as ended:
                code = ended.exit_code
            except click.UsageError as error:
                code = error.exit_code
                click.echo(error.format_message())
        return code or 0, said.getvalue().rstrip("\n")

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
async def memory_in(
    directory: Path, *databases: str, background: bool = False, own: Path | None = None
) -> AsyncGenerator[Instance]:
    """Run the toolset on a data directory, with its background work if asked for; with graph and vectors of its `own`."""
    async with stores_in(directory) if own is None else separate_stores_in(directory, own) as stores:
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
