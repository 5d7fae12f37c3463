"""The agent_graph toolset on real engines, called as the gateway calls it."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from backends.ports.adapter import Stores
from backends.ports.values import Json, JsonObject, Micros
from backends.stores import OpenStores
from contracts.reply_checks import ReplyCheck, reply_check
from toolsets.agent_graph.plugin import assemble
from toolsets.agent_graph.settings import AgentGraphSettings
from toolsets.clock import system_now
from toolsets.spec import CallContext, Reply, RunningToolset, Services, ToolSpec


@dataclass
class Instance:
    """One running toolset, as one process would have it; calls come from a connection bound to `channel`, if any."""

    running: RunningToolset
    stores: Stores
    channel: str | None = None
    tools: dict[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    schemas: dict[str, ReplyCheck] = field(default_factory=dict[str, ReplyCheck])

    def __post_init__(self) -> None:
        self.tools = {tool.name: tool for tool in self.running.tools}
        self.schemas = {tool.name: reply_check(tool.output_schema) for tool in self.running.tools}

    def bound(self, channel: str) -> "Instance":
        """Return the same toolset seen from a connection that is bound to a channel."""
        return Instance(self.running, self.stores, channel)

    async def reply(self, tool: str, /, **arguments: Json) -> Reply:
        """Call a tool; every reply, also an error, must fit the schema that the tool publishes."""
        context = CallContext(tool, request_id="r1", client="tests", channel=self.channel)
        reply = await self.tools[tool].call(arguments, context)
        wire = json.loads(json.dumps(reply.structured, allow_nan=False))
        self.schemas[tool].validate(wire)
        assert reply.is_error == (wire.get("success") is False)
        return reply

    async def ask(self, tool: str, /, **arguments: Json) -> JsonObject:
        """Call a tool that must succeed."""
        reply = await self.reply(tool, **arguments)
        assert not reply.is_error, reply.structured
        return reply.structured

    async def refused(self, tool: str, /, **arguments: Json) -> str:
        """Call a tool that must refuse; return the error."""
        reply = await self.reply(tool, **arguments)
        assert reply.is_error, reply.structured
        assert str(reply.structured["error"]) in str(reply.structured["message"])
        return str(reply.structured["error"])

    async def create(self, name: str, kind: str = "technology", **more: Json) -> str:
        """Create an entity; return its id."""
        return str(part(await self.ask("kg_create_entity", name=name, type=kind, **more), "entity")["id"])

    async def link(self, source: str, target: str, kind: str = "RELATED_TO", **more: Json) -> str:
        """Create a relationship; return its id."""
        made = await self.ask("kg_create_relationship", fromEntityId=source, toEntityId=target, type=kind, **more)
        return str(part(made, "relationship")["id"])

    async def entity(self, entity_id: str) -> JsonObject:
        """Return an entity; that counts as a read."""
        return part(await self.ask("kg_get_entity", entityId=entity_id), "entity")

    async def names(self, tool: str, /, **arguments: Json) -> list[str]:
        """Return the names of the entities in a reply, in its order."""
        return [str(row["name"]) for row in rows(await self.ask(tool, **arguments), "entities")]


def part(reply: JsonObject, key: str) -> JsonObject:
    return cast("JsonObject", reply[key])


def rows(reply: JsonObject, key: str) -> Sequence[JsonObject]:
    return cast("Sequence[JsonObject]", reply[key])


@asynccontextmanager
async def stores_in(directory: Path, **options: Json) -> AsyncGenerator[Stores]:
    """Open the embedded engine in a directory."""
    house = OpenStores({"db": {"kind": "sqlite", **options}}, directory)
    try:
        yield house.stores(graph="db", vectors=None, events="db", embedder=None)
    finally:
        await house.close()


@asynccontextmanager
async def toolset_in(
    directory: Path,
    *,
    settings: AgentGraphSettings | None = None,
    now: Callable[[], Micros] = system_now,
    relay: bool = False,
) -> AsyncGenerator[Instance]:
    """Run the toolset on a data directory, with its background work if asked for."""
    async with stores_in(directory) as stores:
        chosen = settings or AgentGraphSettings(channel="default", extensions=True)
        async with assemble(Services(stores, now, random.Random(), chosen)) as running:
            tasks = [asyncio.ensure_future(task.run()) for task in running.background] if relay else []
            try:
                yield Instance(running, stores)
            finally:
                for task in tasks:
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
