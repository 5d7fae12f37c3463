"""The interface between a toolset and the gateway: the hook, and the descriptions that it returns."""

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, TypeVar, cast

import click
import pluggy
from pydantic import BaseModel

from backends.ports.adapter import Stores
from backends.ports.capabilities import PortName
from backends.ports.values import Json, JsonObject, Micros
from toolsets.reports import Progress, Rebuildable, no_progress

PROJECT = "entrepot"
ENTRY_POINTS = "entrepot.toolsets"
COMMAND_POINTS = "entrepot.commands"
"""The group in which a distribution may name its toolsets' commands, each with the module of the toolset that brings it."""
DEADLINE_S = 30.0
"""The deadline of a call whose tool sets no other one."""

SettingsT = TypeVar("SettingsT", bound=BaseModel)

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@dataclass(frozen=True, slots=True)
class DefaultFrom:
    """Annotates a field of a toolset's settings whose default an environment variable decides, unless it is empty.

    The field's `default_factory` reads the variable; `entrepot config explain` names it as the source.
    """

    variable: str


@dataclass(frozen=True, slots=True)
class CallContext:
    """Who makes a call, and how; recorded as the cause of the facts that the call writes."""

    tool: str
    """The documented name of the tool; for a resource its URI, for a route its method and path."""
    request_id: str = ""
    principal: str | None = None
    """Who was authenticated; None where no token is configured, and on stdio."""
    client: str | None = None
    """The client's name and version as it states them, or its user agent (routes, HTTP with handshake); not authenticated."""
    channel: str | None = None
    """The header X-Channel-Id, which binds the connection to one channel; None without it."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Lower-case names; empty on stdio."""
    deadline_s: float = DEADLINE_S
    """Seconds that the call may take from its start, not a point in time."""
    progress: Progress = no_progress
    served_names: Mapping[str, str] = field(default_factory=dict[str, str])
    """The names under which the caller's surface serves renamed tools of the toolset, by documented name."""

    def served_name(self, tool: str) -> str:
        """Return the name by which the caller knows a tool of the toolset."""
        return self.served_names.get(tool, tool)


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a reply."""

    data: bytes
    """The bytes of the file; the gateway encodes them in base64."""
    mime_type: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a tool: its structured content, whether it is an error, and protocol metadata.

    The gateway also sends `structured` as JSON text. `text` replaces that text where a document prescribes another form
    (a bare array). `images` follow the text in the given order.
    """

    structured: JsonObject
    is_error: bool = False
    text: str | None = None
    meta: JsonObject = field(default_factory=dict[str, Json])
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Effects:
    """The side effects of a call in the protocol's terms; no tool reaches beyond its own stores (`openWorldHint` is false)."""

    read_only: bool
    destructive: bool = False
    idempotent: bool = False


ProblemKind: TypeAlias = Literal["unstorable", "missing", "unknown", "breach"]


@dataclass(frozen=True, slots=True)
class Problem:
    """A rule that the arguments of a call break."""

    kind: ProblemKind
    field: str
    """The name of the argument, with the path inside it; empty if the call as a whole is wrong."""
    sentence: str
    """A sentence for the caller that begins with the field."""
    value: Json = None
    """The value that was sent, None if none was."""


class ToolError(Exception):
    """Ends a call with an error reply, made by the tool's envelope; raised by handlers.

    `code` is one of the toolset's error codes, `message` a sentence for the caller, and `details` are further fields for
    the envelope.
    """

    def __init__(self, code: str, message: str = "", **details: Json) -> None:
        super().__init__(message or code)
        self.code = code
        self.message = message
        self.details: JsonObject = details


class Envelope(Protocol):
    """The error replies of a tool; each toolset has its documented form."""

    @property
    def properties(self) -> JsonObject:
        """The schemas of the fields that every error reply has."""
        ...

    def invalid_arguments(self, problems: Sequence[Problem]) -> Reply:
        """Return the reply to arguments that break their rules: one problem or more, the most useful one first."""
        ...

    def tool_error(self, error: ToolError) -> Reply:
        """Return the reply to an error that a handler raised to end its call."""
        ...

    def timed_out(self, seconds: float) -> Reply:
        """Return the reply to a call that passed its deadline."""
        ...

    def failed(self, error: Exception) -> Reply:
        """Return the reply to an error that no handler caught; only a `StoreError` may be described by its text."""
        ...

    def too_large(self, limit: int) -> Reply:
        """Return the reply in place of one of more than `limit` bytes, which is not sent; what the call wrote is saved."""
        ...


ToolCall: TypeAlias = Callable[[Mapping[str, Json], CallContext], Awaitable[Reply]]
"""Parses arguments strictly and returns a reply; the toolset's envelope replies to bad arguments, which are never raised."""


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
    """Seconds after which a call is cancelled and `Envelope.timed_out` replies."""


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
    """Raised by `read` for a templated resource that does not exist; its message is a sentence that names it."""


@dataclass(frozen=True, slots=True)
class ResourceTemplateSpec:
    """A family of resources under one URI template, such as `library://pictures/{id}`.

    `read` gets the decoded values of the template's variables and returns text, or bytes, which are sent as a blob. It
    raises `ResourceNotFound` if no resource has these values. A value is never empty and contains no NUL, but may contain
    anything else that can be percent-encoded, including slashes and dots.
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
    """The path of the route, as `RouteSpec.path` has it."""
    query: Mapping[str, str]
    """The decoded parameters of the query; of a repeated key the last value."""
    body: bytes
    context: CallContext


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A JSON answer to an HTTP request."""

    status: int
    body: Json


class RouteEnvelope(Protocol):
    """The replies of a route to failures that occur before or around its handler."""

    def refused(self, status: int, reason: str) -> HttpReply:
        """Return the reply to a request that the gateway refuses: wrong method (405), too large (413), not authenticated (401).

        `status` is the gateway's; the reply may carry another one if a document prescribes it. `reason` is a sentence for
        the caller. Called for every refusal on the route's path, before the caller and the method are known.
        """
        ...

    def timed_out(self, seconds: float) -> HttpReply:
        """Return the reply to a request that passed its deadline."""
        ...

    def failed(self, error: Exception) -> HttpReply:
        """Return the reply to an error that the handler did not catch; only a `StoreError` may be described by its text."""
        ...

    def too_large(self, limit: int) -> HttpReply:
        """Return the reply in place of one of more than `limit` bytes, which is not sent; what the request wrote is saved."""
        ...


@dataclass(frozen=True, slots=True)
class RouteSpec:
    """An HTTP route outside MCP, behind the same Host, Origin, body and authentication checks."""

    method: Literal["GET", "POST", "PUT", "DELETE"]
    """The route for GET also serves HEAD."""
    path: str
    """Letters, digits and `. _ ~ -` between slashes, without variables. Of the gateway's own paths only `/health` is free."""
    handler: Callable[[HttpRequest], Awaitable[HttpReply]]
    """Receives the whole body. A reply of more than 8 MB of JSON is replaced by `RouteEnvelope.too_large`."""
    envelope: RouteEnvelope | None = None
    """None stands for the gateway's own form, `{"error": CODE, "detail": SENTENCE}`."""
    deadline_s: float = DEADLINE_S


READ_ONLY = "entrepot.read_only"
"""The key in a click context's `meta` that a `ReadOnlyFlag` sets."""


class ReadOnlyFlag(click.Option):
    """A flag such as `click.option("--dry-run", is_flag=True, cls=ReadOnlyFlag)`: stores are read-only, no file is created.

    The callbacks of groups above the command are called twice, because the line is parsed before stores are chosen.
    """

    def process_value(self, ctx: click.Context, value: object) -> object:
        """Return the value; note that the flag is set."""
        found = cast("object", super().process_value(ctx, value))
        if found:
            ctx.meta[READ_ONLY] = True
        return found


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A click command of a toolset.

    It runs as `entrepot <toolset> <command>`, and as `entrepot <command>` unless a built-in command, a toolset or another
    toolset's command has that name. A distribution may name its commands, then all of them, in the entry-point group
    `entrepot.commands`: a command is then found without importing the other toolsets. The gateway adds the options for
    profile, configuration and data directory.
    """

    command: click.Command
    """A command or a group. A callback may be a coroutine function, which is awaited after the whole line is parsed.

    A callback prints with `click.echo`. It returns an exit code, or None for 0, and may raise click's exceptions. A flag of
    the class `ReadOnlyFlag`, such as `--dry-run`, makes the stores read-only.
    """
    obj: object = None
    """The object that `click.pass_obj` passes to the callbacks."""
    makes_data_dir: bool = False
    """Whether the command creates a missing data directory instead of refusing it."""


@dataclass(frozen=True, slots=True)
class BackgroundTask:
    """Work in the background, started after opening and cancelled at closing; it handles its own errors and backs off."""

    name: str
    run: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ToolsetHealth:
    """Whether a toolset can do its work now.

    `lag` counts pending projections, None if unknown. `problems` and `notes` are sentences for the operator; a note does
    not make the toolset unhealthy: work in progress, files that cannot be read.
    """

    ok: bool
    lag: int | None = 0
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunningToolset:
    """A toolset connected to its stores."""

    tools: tuple[ToolSpec, ...] = ()
    resources: tuple[ResourceSpec, ...] = ()
    resource_templates: tuple[ResourceTemplateSpec, ...] = ()
    routes: tuple[RouteSpec, ...] = ()
    commands: tuple[CommandSpec, ...] = ()
    background: tuple[BackgroundTask, ...] = ()
    open: Callable[[], Awaitable[None]] | None = None
    """Prepare the stores before anything is served. Raises `StoreError`; permanent ones but `Undecodable` abort the start."""
    health: Callable[[], Awaitable[ToolsetHealth]] | None = None
    rebuild: Rebuildable | None = None


@dataclass(frozen=True, slots=True)
class Services:
    """The dependencies of a toolset, which tests can replace."""

    stores: Stores
    now: Callable[[], Micros]
    rng: random.Random
    """Random source for ids and jitter."""
    settings: BaseModel
    """An instance of the toolset's own `settings` model."""
    directory: Path | None = None
    """The toolset's own directory in the data directory, created on first use; None if it may keep no files."""

    def settings_as(self, model: type[SettingsT]) -> SettingsT:
        """Return the settings as an instance of the toolset's own model. Raises `TypeError` for another one's."""
        if not isinstance(self.settings, model):
            raise TypeError(f"the settings are a {type(self.settings).__name__}, not a {model.__name__}")
        return self.settings


@dataclass(frozen=True, slots=True)
class Toolset:
    """A toolset before it runs.

    `assemble` is cheap and opens nothing: the first call or background task opens the stores, so that tools can be listed,
    and can reply that they are unavailable, while an engine is down. The context manager that it returns starts nothing;
    leaving it finishes pending work.
    """

    name: str
    """`[a-z][a-z0-9_]*`: a table of the configuration, a path, a prefix of tools and a command."""
    title: str
    instructions: str
    """A few lines for the model: which tool to use when. They begin with the toolset's name, since others may follow."""
    settings: type[BaseModel]
    ports: frozenset[PortName]
    """The ports that must have a store."""
    assemble: Callable[[Services], AbstractAsyncContextManager[RunningToolset]]
    optional_ports: frozenset[PortName] = frozenset()
    """The ports that it uses if the configuration names a store for them, such as a language model. It gets no others."""


class ToolsetHooks:
    """The hooks of Entrepot, group `entrepot.toolsets`."""

    @hookspec
    def entrepot_toolset(self) -> Toolset:
        """Return the toolset of this plugin."""
        raise NotImplementedError
