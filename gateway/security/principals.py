"""The sender of a request: the authenticated principal, and the channel that the connection is bound to."""

from collections.abc import Mapping

from starlette.types import Scope

MAX_CALLER_TEXT = 200
"""The most characters of a text that a caller states about itself, which is stored with every event it causes."""

_PRINCIPAL = "entrepot.principal"


def set_principal(scope: Scope, principal: str) -> None:
    """Record the sender of a request after its token was checked."""
    scope[_PRINCIPAL] = principal


def principal_of(scope: Scope) -> str | None:
    """Return the sender of a request, None if no token is required."""
    found = scope.get(_PRINCIPAL)
    return found if isinstance(found, str) else None


def user_agent_of(headers: Mapping[str, str]) -> str | None:
    """Return the user agent of a request, cut like every text that a caller states about itself; None without one."""
    return headers.get("user-agent", "")[:MAX_CALLER_TEXT] or None


def channel_of(scope: Scope) -> str | None:
    """Return the value of the header `X-Channel-Id`, None without it.

    It is decoded as UTF-8, which clients send, or else as Latin-1, the former default of HTTP.
    """
    sent = next((value for name, value in scope["headers"] if name == b"x-channel-id"), None)
    if not isinstance(sent, bytes):
        return None
    try:
        return sent.decode()
    except UnicodeDecodeError:
        return sent.decode("latin-1")
