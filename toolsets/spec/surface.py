"""What clients can list: the tools and resources of a toolset."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from backends.ports.values import Json, JsonObject
from toolsets.spec.calls import DEADLINE_S, CallContext, Envelope, Reply


@dataclass(frozen=True, slots=True)
class Effects:
    """The side effects of a call in the protocol's terms; no tool reaches beyond its own stores (`openWorldHint` is false)."""

    read_only: bool
    destructive: bool = False
    idempotent: bool = False


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
