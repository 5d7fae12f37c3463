"""A toolset that uses every part of the hook."""

import gc
import logging
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
import anyio.to_thread
import click
import demo_engine
from pydantic import BaseModel, ConfigDict

from backends.ports.errors import StoreError, Unusable
from backends.ports.values import Json, JsonObject
from toolsets.reports import Progress, RebuildReport
from toolsets.spec import (
    BackgroundTask,
    CallContext,
    CommandSpec,
    Effects,
    HttpReply,
    HttpRequest,
    Problem,
    ReadOnlyFlag,
    Reply,
    ResourceSpec,
    RouteSpec,
    RunningToolset,
    Services,
    ToolError,
    Toolset,
    ToolsetHealth,
    ToolSpec,
    hookimpl,
)

ANY: JsonObject = {"type": "object"}
COMPUTING_S = 30

log = logging.getLogger(__name__)


class DemoSettings(BaseModel):
    """The toolset's own settings."""

    model_config = ConfigDict(extra="forbid")

    greeting: str = "hello"


class DemoEnvelope:
    """How the toolset words errors."""

    @property
    def properties(self) -> JsonObject:
        """The fields of an error."""
        return {"success": {"type": "boolean"}, "error": {"type": "string"}}

    def invalid_arguments(self, problems: Sequence[Problem]) -> Reply:
        """Return the reply to arguments that break their rules."""
        return Reply({"success": False, "error": problems[0].sentence}, is_error=True)

    def tool_error(self, error: ToolError) -> Reply:
        """Return the reply to an error that a handler raised."""
        return Reply({"success": False, "error": error.code}, is_error=True)

    def timed_out(self, seconds: float) -> Reply:
        """Return the reply to a call that took too long."""
        return Reply({"success": False, "error": "timeout", "seconds": seconds}, is_error=True)

    def failed(self, error: Exception) -> Reply:
        """Return the reply to an error."""
        code = error.code if isinstance(error, StoreError) else "internal_error"
        return Reply({"success": False, "error": code}, is_error=True)

    def too_large(self, limit: int) -> Reply:
        """Return the reply in place of one that is too large."""
        return Reply({"success": False, "error": "too_large", "limit": limit}, is_error=True)


class Demo:
    """The toolset's calls."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._turn = anyio.Lock()
        self.ticks = 0

    async def echo(self, arguments: Mapping[str, Json], context: CallContext) -> Reply:
        """Return the arguments, and who called."""
        caller: JsonObject = {
            "tool": context.tool,
            "request_id": context.request_id,
            "principal": context.principal,
            "client": context.client,
            "channel": context.channel,
            "agent": context.headers.get("user-agent"),
        }
        settings = DemoSettings.model_validate(self._services.settings, from_attributes=True)
        shown: JsonObject = {"message": settings.greeting, "arguments": dict(arguments), "caller": caller}
        return Reply({"success": True, **shown}, meta={"demo/ticks": self.ticks})

    async def names(self, arguments: Mapping[str, Json], context: CallContext) -> Reply:
        """Return a bare array."""
        return Reply({"result": ["a", "b"]}, text='["a","b"]')

    async def sleep(self, arguments: Mapping[str, Json], context: CallContext) -> Reply:
        """Never end."""
        await anyio.sleep_forever()
        raise AssertionError

    async def compute(self, arguments: Mapping[str, Json], context: CallContext) -> Reply:
        """Occupy a thread that nothing can cancel."""
        await anyio.to_thread.run_sync(time.sleep, COMPUTING_S)
        return Reply({"done": True})

    async def queue(self, arguments: Mapping[str, Json], context: CallContext) -> Reply:
        """Wait for its turn: one call a tenth of a second."""
        async with self._turn:
            await anyio.sleep(0.1)
        return Reply({"done": True})

    async def crash(self, arguments: Mapping[str, Json], context: CallContext) -> Reply:
        """Break in a way nobody foresaw."""
        raise RuntimeError("secret of the house")

    async def shelf(self, arguments: Mapping[str, Json], context: CallContext) -> Reply:
        """Use a store."""
        embedder = await self._services.stores.embedder()
        return Reply({"success": True, "model": str(embedder.identity), "embedded": len(demo_engine.EMBEDDED)})

    async def count(self, arguments: Mapping[str, Json], context: CallContext) -> Reply:
        """Tell how far it is."""
        for done in range(1, 4):
            await context.progress(done, 3, f"step {done}")
        return Reply({"success": True})

    async def noise(self, arguments: Mapping[str, Json], context: CallContext) -> Reply:
        """Print where nothing must be printed."""
        print("stray print")
        await anyio.run_process([sys.executable, "-c", "print('stray child')"], stdout=None, stderr=None)
        return Reply({"success": True, "stdin": sys.stdin.read()})

    async def tidy(self, arguments: Mapping[str, Json], context: CallContext) -> Reply:
        """Say whether garbage is collected."""
        return Reply({"success": True, "collecting": gc.isenabled()})

    async def read(self, context: CallContext) -> str:
        """Return the resource."""
        return f"{context.tool}: {self.ticks} ticks"

    async def answer(self, request: HttpRequest) -> HttpReply:
        """Answer the route."""
        if request.query.get("fail"):
            raise RuntimeError("secret of the house")
        return HttpReply(201, {"length": len(request.body), "principal": request.context.principal})

    async def tick(self) -> None:
        """Run beside the calls."""
        self.ticks += 1

    async def open(self) -> None:
        """Look whether the model is one it knows."""
        embedder = await self._services.stores.embedder()
        if embedder.identity.model != "shelf":
            raise Unusable("The shelf holds another model; run entrepot rebuild.")

    async def health(self) -> ToolsetHealth:
        """Say whether the store answers."""
        try:
            await self._services.stores.embedder()
        except StoreError as error:
            return ToolsetHealth(ok=False, lag=2, problems=(str(error),))
        return ToolsetHealth(ok=True)

    async def rebuild(self, progress: Progress, destination: object = None) -> RebuildReport:
        """Build nothing, visibly."""
        await progress(1, 1)
        return RebuildReport(7, 1, 2, 3, 4, "digest", "digest" if destination is None else None, 5)


@click.command("say", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1)
@click.pass_obj
async def say(demo: Demo, words: Sequence[str]) -> int:
    """Say words; no words are trouble."""
    log.debug("saying %d words", len(words))
    if "crash" in words:
        raise ZeroDivisionError("of a command")
    click.echo(" ".join([*words, *(["tick"] * demo.ticks)]))
    return 0 if words else 1


@click.group("notes")
@click.pass_obj
def notes(_: Demo) -> None:
    """Notes of the shelf."""


@notes.command("add")
@click.option("--text", required=True)
@click.option("--pretend", is_flag=True, cls=ReadOnlyFlag)
@click.pass_obj
async def add(_: Demo, text: str, *, pretend: bool) -> None:
    """Add a note, or pretend to."""
    click.echo(f"{'would add' if pretend else 'added'} {text}")


def tool(
    name: str,
    call: Callable[[Mapping[str, Json], CallContext], Awaitable[Reply]],
    properties: Mapping[str, Json] | None = None,
    deadline_s: float = 30.0,
) -> ToolSpec:
    """Describe a tool."""
    schema: JsonObject = {"type": "object", "properties": properties or {}}
    title, description = name.title(), call.__doc__ or ""
    return ToolSpec(name, title, description, schema, ANY, Effects(read_only=True), call, DemoEnvelope(), deadline_s)


TYPED: JsonObject = {
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "ratio": {"anyOf": [{"type": "number"}, {"type": "null"}]},
    "flag": {"type": "boolean"},
    "items": {"type": "array", "items": {"type": "string"}},
}


@asynccontextmanager
async def assemble(services: Services) -> AsyncGenerator[RunningToolset, None]:
    """Join the toolset to its stores."""
    demo = Demo(services)
    resource = ResourceSpec("demo://ticks", "ticks", "Ticks", "How often it ticked.", "text/plain", demo.read)
    broken = replace(resource, uri="demo://broken", name="broken", read=broken_read)
    yield RunningToolset(
        tools=(
            tool("echo", demo.echo, TYPED),
            tool("names", demo.names),
            tool("sleep", demo.sleep, deadline_s=0.2),
            tool("rest", demo.sleep),
            tool("compute", demo.compute),
            tool("queue", demo.queue),
            tool("crash", demo.crash),
            tool("shelf", demo.shelf),
            tool("count", demo.count),
            tool("noise", demo.noise),
            tool("tidy", demo.tidy),
        ),
        resources=(resource, broken),
        routes=(RouteSpec("POST", "/demo", demo.answer),),
        commands=(CommandSpec(say, demo), CommandSpec(notes, demo, makes_data_dir=True)),
        open=demo.open,
        background=(BackgroundTask("tick", demo.tick),),
        health=demo.health,
        rebuild=demo,
    )


async def broken_read(_context: CallContext) -> str:
    """Fail to read."""
    raise RuntimeError("secret of the house")


@hookimpl
def entrepot_toolset() -> Toolset:
    """Bring the toolset."""
    return Toolset("demo", "Demo", "Use echo.", DemoSettings, frozenset({"embedder"}), assemble)
