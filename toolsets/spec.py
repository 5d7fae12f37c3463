"""All that a toolset may tell the gateway: the hook, and the descriptions that it returns."""

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, TypeVar

import click
import pluggy
from pydantic import BaseModel

from backends.ports.adapter import Stores
from backends.ports.values import Json, JsonObject, Micros
from toolsets.reports import Progress, Rebuildable, no_progress

PROJECT = "entrepot"
ENTRY_POINTS = "entrepot.toolsets"
COMMAND_POINTS = "entrepot.commands"
"""The group in which a distribution may name its toolsets' commands, each with the module of the toolset that brings it."""
DEADLINE_S = 30.0
"""How long a call may take where its tool says nothing else."""

SettingsT = TypeVar("SettingsT", bound=BaseModel)

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


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
    served_names: Mapping[str, str] = field(default_factory=dict[str, str])
    """The toolset's tools that the surface of the call serves under another name: that name, by the documented one."""

    def served_name(self, tool: str) -> str:
        """Return the name by which the caller knows a tool of the toolset."""
        return self.served_names.get(tool, tool)


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a reply."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool answers: the structured content, whether it is an error, and protocol metadata.

    The gateway sends `structured` as JSON text too. `text` replaces that text where a document
    prescribes another form (a bare array). `images` follow the text, in their order.
    """

    structured: JsonObject
    is_error: bool = False
    text: str | None = None
    meta: JsonObject = field(default_factory=dict[str, Json])
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Effects:
    """What a call does to the world outside the reply, in the protocol's terms; the world is closed for every tool."""

    read_only: bool
    destructive: bool = False
    idempotent: bool = False


ProblemKind: TypeAlias = Literal["unstorable", "missing", "unknown", "breach"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a call's arguments."""

    kind: ProblemKind
    field: str
    sentence: str
    """Names the field."""
    value: Json = None
    """What was sent, None when nothing was."""


class ToolError(Exception):
    """Ends a call with an error reply; raised by handlers and worded by the tool's envelope.

    `code` is one of the toolset's error codes, `message` a sentence for the caller, and `details` what the envelope
    can carry besides.
    """

    def __init__(self, code: str, message: str = "", **details: Json) -> None:
        super().__init__(message or code)
        self.code = code
        self.message = message
        self.details: JsonObject = details


class Envelope(Protocol):
    """How a tool words its errors; each toolset has its documented form."""

    @property
    def properties(self) -> JsonObject:
        """The schemas of the fields that every error reply has."""
        ...

    def invalid_arguments(self, problems: Sequence[Problem]) -> Reply:
        """Word arguments that break their rules: one problem or more, the most telling one first."""
        ...

    def tool_error(self, error: ToolError) -> Reply:
        """Word an error that a handler raised to end its call."""
        ...

    def timed_out(self, seconds: float) -> Reply:
        """Word a call that passed its deadline."""
        ...

    def failed(self, error: Exception) -> Reply:
        """Word an error that no handler caught: a `StoreError` in its own terms, anything else without its text."""
        ...

    def too_large(self, limit: int) -> Reply:
        """Word a reply that would have more than `limit` bytes and is not sent; what the call wrote is written."""
        ...


Port: TypeAlias = Literal["graph", "vectors", "events", "embedder", "language"]
"""What a store is asked for; the keys by which a configuration names stores."""

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


class ResourceNotFound(Exception):
    """Ends the reading of a templated resource that does not exist; its message is a sentence that names it."""


@dataclass(frozen=True, slots=True)
class ResourceTemplateSpec:
    """A family of resources under one URI template, such as `library://pictures/{id}`.

    `read` gets the values of the template's variables, decoded, and returns text, or bytes that are sent as a blob. It
    raises `ResourceNotFound` for values that name nothing. A value is never empty and has no NUL; it may hold anything
    else that a percent-encoded segment can, slashes and dots included.
    """

    uri_template: str
    """Level 1 of RFC 6570: literal text and `{name}`, each variable a whole segment between slashes."""
    name: str
    title: str
    description: str
    mime_type: str
    read: Callable[[Mapping[str, str], CallContext], Awaitable[str | bytes]]


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


class RouteEnvelope(Protocol):
    """How a route words what goes wrong before or around its own answer."""

    def refused(self, status: int, reason: str) -> HttpReply:
        """Word a request refused by the gateway: wrong method (405), too large (413), not authenticated (401), and so on.

        `status` is the gateway's; the reply may carry another one that a document prescribes. `reason` is a sentence for
        the caller. Called for every refusal on the route's path, before it is known who calls and with which method.
        """
        ...

    def timed_out(self, seconds: float) -> HttpReply:
        """Word a request that passed its deadline."""
        ...

    def failed(self, error: Exception) -> HttpReply:
        """Word an error that `answer` did not catch: a `StoreError` in its own terms, anything else without its text."""
        ...

    def too_large(self, limit: int) -> HttpReply:
        """Word a reply that would have more than `limit` bytes and is not sent; what the request wrote is written."""
        ...


@dataclass(frozen=True, slots=True)
class RouteSpec:
    """An HTTP route outside MCP, behind the same Host, Origin, body and authentication checks."""

    method: Literal["GET", "POST", "PUT", "DELETE"]
    """HEAD is answered by the route for GET."""
    path: str
    """Letters, digits and `. _ ~ -` between slashes, without variables; `/health` may be claimed, the gateway's others not."""
    answer: Callable[[HttpRequest], Awaitable[HttpReply]]
    """Gets the whole body. A reply of more than 8 MB of JSON is not sent."""
    envelope: RouteEnvelope | None = None
    """None: the gateway's own form, `{"error": CODE, "detail": SENTENCE}`."""
    deadline_s: float = DEADLINE_S


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A click command of a toolset.

    It is `entrepot <toolset> <command>`, and `entrepot <command>` where no built-in command, toolset or other toolset's
    command has that name. A distribution may name its commands in the entry-point group `entrepot.commands`, then all of
    them: a command is found there without importing the other toolsets. The options that choose profile, configuration
    and data directory are added by the gateway.
    """

    command: click.Command
    """A command or a group. Callbacks may be coroutine functions: they are awaited after the whole line was parsed.

    A callback prints with `click.echo`. It returns an exit code, or None for 0; click's exceptions end it as usual.
    """
    obj: object = None
    """What `click.pass_obj` hands to the callbacks."""
    makes_data_dir: bool = False
    """Whether it may be the first thing that is done with a data directory, which is then made."""


@dataclass(frozen=True, slots=True)
class BackgroundTask:
    """Work beside the calls, started after opening and cancelled at closing; it handles its own errors and backs off."""

    name: str
    run: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ToolsetHealth:
    """Whether a toolset can do its work now.

    `lag` counts projections still to be made, None where that is unknown; `problems` are sentences for the operator, and
    so are `notes`, about what is no reason to send calls elsewhere: work under way, files that cannot be read.
    """

    ok: bool
    lag: int | None = 0
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunningToolset:
    """A toolset joined to its stores."""

    tools: tuple[ToolSpec, ...] = ()
    resources: tuple[ResourceSpec, ...] = ()
    resource_templates: tuple[ResourceTemplateSpec, ...] = ()
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
    directory: Path | None = None
    """The toolset's own directory in the data directory, made when it is first used; None where it may keep no files."""

    def settings_as(self, model: type[SettingsT]) -> SettingsT:
        """Return the settings as an instance of the toolset's own model. Raises `TypeError` for another one's."""
        if not isinstance(self.settings, model):
            raise TypeError(f"the settings are a {type(self.settings).__name__}, not a {model.__name__}")
        return self.settings


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
    ports: frozenset[Port]
    """The stores that it cannot do without."""
    assemble: Callable[[Services], AbstractAsyncContextManager[RunningToolset]]
    optional_ports: frozenset[Port] = frozenset()
    """The stores that it uses where the configuration names one, such as a language model. It gets no others."""


class ToolsetHooks:
    """The hooks of Entrepot, group `entrepot.toolsets`."""

    @hookspec
    def entrepot_toolset(self) -> Toolset:
        """Return the toolset that this plugin brings."""
        raise NotImplementedError
