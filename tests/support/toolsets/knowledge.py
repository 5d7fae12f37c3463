"""The knowledge toolset on real engines, called as the gateway calls it."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from backends.ports.adapter import Stores
from backends.ports.events import EventLog
from backends.ports.values import Json, JsonObject
from backends.stores import OpenStores
from contracts.reply_checks import ReplyCheck, reply_check
from toolsets.clock import system_now
from toolsets.knowledge.plugin import assemble
from toolsets.knowledge.settings import KnowledgeSettings
from toolsets.spec import CallContext, Reply, RunningToolset, Services, ToolSpec

PATIENCE_S = 20.0


@dataclass
class Instance:
    """One running toolset, as one process would have it."""

    running: RunningToolset
    stores: Stores
    tools: dict[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    schemas: dict[str, ReplyCheck] = field(default_factory=dict[str, ReplyCheck])

    def __post_init__(self) -> None:
        self.tools = {tool.name: tool for tool in self.running.tools}
        self.schemas = {tool.name: reply_check(tool.output_schema) for tool in self.running.tools}

    async def reply(self, tool: str, /, **arguments: Json) -> Reply:
        """Call a tool; every reply, also an error, must fit the schema that the tool publishes."""
        context = CallContext(tool, request_id="r1", principal="tester", client="tests")
        reply = await self.tools[tool].call(arguments, context)
        wire = json.loads(json.dumps(reply.structured, allow_nan=False))
        self.schemas[tool].validate(wire)
        assert reply.is_error == (wire.get("success") is False)
        return reply

    async def ask(self, tool: str, /, **arguments: Json) -> JsonObject:
        return (await self.reply(tool, **arguments)).structured

    async def create(self, name: str, **more: Json) -> str:
        """Create a concept whose explanation says its name; return its id."""
        reply = await self.ask("create_concept", **{"name": name, "explanation": f"All about {name}.", **more})
        assert reply["success"], reply
        return str(reply["concept_id"])

    async def link(self, source: str, target: str, kind: str = "prerequisite", strength: float = 1.0) -> JsonObject:
        return await self.ask(
            "create_relationship", source_id=source, target_id=target, relationship_type=kind, strength=strength
        )

    async def names(self, **criteria: Json) -> list[str]:
        return [str(row["name"]) for row in rows(await self.ask("search_concepts_exact", **{"limit": 100, **criteria}))]

    async def outbox(self) -> tuple[int, int, int]:
        counts = cast("dict[str, int]", (await self.ask("get_server_stats"))["outbox"])
        return counts["pending"], counts["processed"], counts["failed"]

    async def log(self) -> EventLog:
        return await self.stores.events()

    async def drained(self) -> None:
        """Wait until nothing is pending and nothing failed. Raises `TimeoutError`."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                pending, _, failed = await self.outbox()
                if pending == failed == 0:
                    return
                log = await self.log()
                await log.wait(await log.head(), timeout_s=0.05)


def rows(reply: JsonObject, key: str = "results") -> Sequence[JsonObject]:
    return cast("Sequence[JsonObject]", reply[key])


def store_tables(**options: Json) -> dict[str, dict[str, Json]]:
    return {"db": {"kind": "sqlite", **options}, "model": {"kind": "minilm"}}


@asynccontextmanager
async def stores_in(directory: Path, **options: Json) -> AsyncGenerator[Stores]:
    """Open the embedded engines in a directory."""
    house = OpenStores(store_tables(**options), directory)
    try:
        yield house.stores(graph="db", vectors="db", events="db", embedder="model")
    finally:
        await house.close()


@asynccontextmanager
async def separate_stores_in(log: Path, own: Path) -> AsyncGenerator[Stores]:
    """Open the embedded engines with the log in one directory, graph and vectors in two directories of another one."""
    tables: dict[str, dict[str, Json]] = {
        name: {"kind": "sqlite", "directory": str(own / name)} for name in ("graph", "vectors")
    }
    house = OpenStores({**store_tables(), **tables}, log)
    try:
        yield house.stores(graph="graph", vectors="vectors", events="db", embedder="model")
    finally:
        await house.close()


@asynccontextmanager
async def toolset_in(
    directory: Path, *, relay: bool = False, confidence: bool = True, extensions: bool = False, **options: Json
) -> AsyncGenerator[Instance]:
    """Run the toolset on a data directory, with its background work if asked for."""
    async with stores_in(directory, **options) as stores:
        services = Services(
            stores, system_now, random.Random(), KnowledgeSettings(confidence=confidence, extensions=extensions)
        )
        async with assemble(services) as running:
            tasks: list[asyncio.Task[None]] = (
                [asyncio.ensure_future(task.run()) for task in running.background] if relay else []
            )
            try:
                yield Instance(running, stores)
            finally:
                for task in tasks:
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
