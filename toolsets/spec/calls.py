"""A call of a tool: its context, its reply, and the envelope of its errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from backends.ports.values import Json, JsonObject
from toolsets.reports import Progress, no_progress

DEADLINE_S = 30.0
"""The deadline of a call whose tool sets no other one."""


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
