"""All that a toolset may tell the gateway: the hook, and the descriptions that it returns."""

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import pluggy
from pydantic import BaseModel

from backends.ports.adapter import Stores
from backends.ports.values import Json, JsonObject, Micros

PROJECT = "entrepot"
ENTRY_POINTS = "entrepot.toolsets"
DEADLINE_S = 30.0
"""How long a call may take where its tool says nothing else."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class Progress(Protocol):
    """Tells the client how far a call has come; does nothing for a client that did not ask."""

    async def __call__(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report `done` of `total` units of work."""
        ...


async def no_progress(done: float, total: float | None = None, message: str | None = None) -> None:
    """Be the progress of a client that did not ask."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """Who calls, and how; recorded as the cause of the facts that the call writes."""

    tool: str
    request_id: str = ""
    principal: str | None = None
    client: str | None = None
    channel: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Lower-case names; empty on stdio."""
    deadline_s: float = DEADLINE_S
    progress: Progress = no_progress


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool answers: the structured content, whether it is an error, and protocol metadata.

    The gateway sends `structured` as JSON text too. `text` replaces that text where a document
    prescribes another form (a bare array).
    """

    structured: JsonObject
    is_error: bool = False
    text: str | None = None
    meta: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Effects:
    """What a call does to the world outside the reply, in the protocol's terms; the world is closed for every tool."""

    read_only: bool
    destructive: bool = False
    idempotent: bool = False


class Envelope(Protocol):
    """How a toolset words the failures that happen around a handler."""

    def timed_out(self, seconds: float) -> Reply:
        """Word a call that passed its deadline."""
        ...

    def failed(self, error: Exception) -> Reply:
        """Word an error that no handler caught: a `StoreError` in its own terms, anything else without its text."""
        ...


ToolCall: TypeAlias = Callable[[Mapping[str, Json], CallContext], Awaitable[Reply]]
"""Parses arguments strictly and answers; bad arguments are answered in the toolset's own envelope, never raised."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool, as the client sees it, with the call behind it."""

    name: str
    title: str
    description: str
    input_schema: JsonObject
    output_schema: JsonObject
    effects: Effects
    call: ToolCall
    envelope: Envelope
    deadline_s: float = DEADLINE_S


@dataclass(frozen=True, slots=True)
class ResourceSpec:
    """A readable resource; `read` returns its text."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str
    read: Callable[[CallContext], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request to a route of a toolset."""

    method: str
    path: str
    query: Mapping[str, str]
    body: bytes
    context: CallContext


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A JSON answer to an HTTP request."""

    status: int
    body: Json


@dataclass(frozen=True, slots=True)
class RouteSpec:
    """An HTTP route outside MCP, behind the same Host, Origin, body and authentication checks."""

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    answer: Callable[[HttpRequest], Awaitable[HttpReply]]


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A command: words in, an exit code out; `say` prints a line for people or programs.

    It stands at `entrepot <toolset> <name>`, and at `entrepot <name>` where neither a command of ours, a toolset nor
    another toolset's command is called so.
    """

    name: str
    summary: str
    run: Callable[[Sequence[str], Callable[[str], None]], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class BackgroundTask:
    """Work beside the calls, started after opening and cancelled at closing; it handles its own errors and backs off."""

    name: str
    run: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ToolsetHealth:
    """Whether a toolset can do its work now.

    `lag` counts projections still to be made, `problems` are sentences for the operator.
    """

    ok: bool
    lag: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild did to a toolset's stores, with the digests of both generations when the old one could be read."""

    events: int
    nodes: int
    edges: int
    vectors: int
    embedded: int
    """How many vectors were computed again instead of being taken over."""
    digest: str
    former_digest: str | None
    generation: int


class Rebuildable(Protocol):
    """A toolset whose stores can be built again from its events."""

    async def rebuild(self, progress: Progress, target: Stores | None = None) -> RebuildReport:
        """Build a new generation beside the live one, compare digests, then switch to it.

        With `target` it fills those stores (another profile's) from the same events instead, and switches nothing.
        """
        ...


@dataclass(frozen=True, slots=True)
class RunningToolset:
    """A toolset joined to its stores."""

    tools: tuple[ToolSpec, ...] = ()
    resources: tuple[ResourceSpec, ...] = ()
    routes: tuple[RouteSpec, ...] = ()
    commands: tuple[CommandSpec, ...] = ()
    background: tuple[BackgroundTask, ...] = ()
    open: Callable[[], Awaitable[None]] | None = None
    """Get the stores ready before anything is served. Raises `StoreError`: one that waiting does not mend stops the start."""
    health: Callable[[], Awaitable[ToolsetHealth]] | None = None
    rebuild: Rebuildable | None = None


@dataclass(frozen=True, slots=True)
class Services:
    """What a toolset takes from outside so that tests can decide it."""

    stores: Stores
    now: Callable[[], Micros]
    random: random.Random
    """The source of ids and of every other chance."""
    settings: BaseModel
    """An instance of the toolset's own `settings` model."""


@dataclass(frozen=True, slots=True)
class Toolset:
    """A toolset before it runs.

    `assemble` is cheap and opens nothing: stores are opened by the first call or background task, so
    that tools can be listed, and answer their documented unavailable form, while an engine is down.
    The context manager it returns starts nothing; leaving it finishes what is under way.
    """

    name: str
    """`[a-z][a-z0-9_]*`: a table of the configuration, a path, a prefix of tools and a command."""
    title: str
    instructions: str
    """A few lines for the model: which tool to use when. They begin with what the toolset is, since others may stand beside."""
    settings: type[BaseModel]
    ports: frozenset[Literal["graph", "vectors", "events", "embedder", "language"]]
    """The stores that it cannot do without; a language model that it can do without is asked for, not listed."""
    assemble: Callable[[Services], AbstractAsyncContextManager[RunningToolset]]


class ToolsetHooks:
    """The hooks of Entrepot, group `entrepot.toolsets`."""

    @hookspec
    def entrepot_toolset(self) -> Toolset:
        """Return the toolset that this plugin brings."""
        raise NotImplementedError
