"""Who sends a request: the principal whose token was checked, and the channel that the connection is bound to."""

from starlette.types import Scope

_PRINCIPAL = "entrepot.principal"


def set_principal(scope: Scope, principal: str) -> None:
    """Record who sent a request, once its token was checked."""
    scope[_PRINCIPAL] = principal


def principal_of(scope: Scope) -> str | None:
    """Return who sent a request; None where no token is needed."""
    found = scope.get(_PRINCIPAL)
    return found if isinstance(found, str) else None


def channel_of(scope: Scope) -> str | None:
    """Return the value of the header `X-Channel-Id`; None without it.

    It is read as UTF-8, which is what clients send, and as Latin-1, HTTP's former default, where it is not UTF-8.
    """
    sent = next((value for name, value in scope["headers"] if name == b"x-channel-id"), None)
    if not isinstance(sent, bytes):
        return None
    try:
        return sent.decode()
    except UnicodeDecodeError:
        return sent.decode("latin-1")
