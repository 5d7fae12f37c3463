"""The skills toolset on real engines, called as the gateway calls it."""

import json
import random
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from backends.ports.adapter import Stores
from backends.ports.values import Json, JsonObject, Micros
from backends.stores import OpenStores
from contracts.reply_checks import reply_check
from toolsets.clock import system_now
from toolsets.skills.plugin import assemble
from toolsets.skills.settings import SkillsSettings
from toolsets.spec import CallContext, HttpReply, HttpRequest, Reply, RunningToolset, Services

TABLES: Mapping[str, Mapping[str, Json]] = {"db": {"kind": "sqlite"}, "model": {"kind": "minilm"}}


@dataclass(frozen=True)
class Instance:
    """One running toolset, as one process would have it."""

    running: RunningToolset
    stores: Stores

    async def reply(self, tool: str, /, **arguments: Json) -> Reply:
        """Call a tool; every reply, also an error, must fit the schema that the tool publishes."""
        spec = next(each for each in self.running.tools if each.name == tool)
        reply = await spec.call(arguments, CallContext(tool, request_id="r1", principal="tester", client="tests"))
        wire = json.loads(json.dumps(reply.structured, allow_nan=False))
        reply_check(spec.output_schema).validate(wire)
        assert reply.is_error == ("error" in wire)
        return reply

    async def ask(self, tool: str, /, **arguments: Json) -> JsonObject:
        return (await self.reply(tool, **arguments)).structured

    async def learn(self, problem: str, answer: str, **more: Json) -> JsonObject:
        """Create a skill from a chat; return the reply."""
        reply = await self.ask("create_skill", conversation=chat(problem, answer), **more)
        assert "skill_id" in reply, reply
        return reply

    async def request(
        self, method: str, path: str, body: bytes = b"", kind: str = "application/json", encoding: str = ""
    ) -> HttpReply:
        """Send a request to a route, as the gateway passes it on."""
        route = next(each for each in self.running.routes if (each.method, each.path) == (method, path))
        context = CallContext(f"{method} {path}", headers={"content-type": kind, "content-encoding": encoding})
        return await route.handler(HttpRequest(method, path, {}, body, context))


def chat(problem: str, answer: str) -> str:
    return f"Customer: {problem}\nAgent: {answer}\nCustomer: That solved it, thank you!"


@asynccontextmanager
async def stores_in(
    directory: Path, tables: Mapping[str, Mapping[str, Json]] = TABLES, language: str | None = None
) -> AsyncGenerator[Stores]:
    """Open the embedded engines in a directory."""
    house = OpenStores({name: dict(table) for name, table in tables.items()}, directory)
    try:
        more = {} if language is None else {"language": language}
        yield house.stores(graph="db", vectors="db", events="db", embedder="model", **more)
    finally:
        await house.close()


@asynccontextmanager
async def joined(stores: Stores, now: Callable[[], Micros] = system_now) -> AsyncGenerator[Instance]:
    """Join the toolset to stores, without background work: what the write path does is all there is."""
    async with assemble(Services(stores, now, random.Random(), SkillsSettings())) as running:
        yield Instance(running, stores)


@asynccontextmanager
async def toolset_in(directory: Path) -> AsyncGenerator[Instance]:
    """Run the toolset on a data directory."""
    async with stores_in(directory) as stores, joined(stores) as instance:
        yield instance
