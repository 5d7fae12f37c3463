"""Who a request comes from, once its token was checked."""

from starlette.types import Scope

_KEY = "entrepot.principal"


def mark(scope: Scope, principal: str) -> None:
    """Note on the request who sent it."""
    scope[_KEY] = principal


def principal_of(scope: Scope) -> str | None:
    """Return who sent the request; None where nobody had to say."""
    found = scope.get(_KEY)
    return found if isinstance(found, str) else None
