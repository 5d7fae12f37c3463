"""HTTP routes of a toolset outside MCP."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from backends.ports.values import Json
from toolsets.spec.calls import DEADLINE_S, CallContext


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
