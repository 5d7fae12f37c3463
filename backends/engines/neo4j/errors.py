"""Translates the driver's errors into the ports' errors, with messages that name the server."""

from typing import Final

from neo4j.exceptions import AuthError, DriverError, Neo4jError, ServiceUnavailable, SessionExpired, TransientError

from backends.engines.neo4j.settings import Neo4jSettings
from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable, Unusable

_TIMED_OUT: Final = ("TransactionTimedOut", "Transaction.Terminated", "LockClientStopped", "LockAcquisitionTimeout")
_READ_ONLY: Final = ("Security.Forbidden", "ReadOnly", "WriteOnReadOnlyAccess", "NotALeader")
_MADE_BY_ANOTHER: Final = "EquivalentSchemaRuleAlreadyExists"
_NO_INDEX: Final = "Schema.IndexNotFound"
_DOWN: Final = ("DatabaseUnavailable", "OutOfMemory", "Expired", "OutOfDisk")


_LOCKED: Final = "AuthenticationRateLimit"


class IndexGone(StoreError):
    """A statement uses an index that another process has removed."""


class ChangedWhileRead(StoreError):
    """A record was deleted after a statement had found it and before it read the record's columns.

    The server reads what is committed at each step of a statement.
    """


def is_refusal(error: Exception) -> bool:
    """Return whether the server refused the login, or lets nobody log in as this user after too many refusals."""
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    return code.endswith(_LOCKED) or (isinstance(error, AuthError) and "Forbidden" not in code)


def is_gone(error: Exception) -> bool:
    """Return whether the connection broke, so that a new one may work."""
    return isinstance(error, (ServiceUnavailable, SessionExpired))


def is_passing(error: Exception) -> bool:
    """Return whether an immediate retry may work: after a deadlock, a change of leader, or a concurrent index creation.

    `IF NOT EXISTS` sees committed indexes and fails if another transaction is about to commit the same one.
    """
    return isinstance(error, Neo4jError) and (error.is_retryable() or (error.code or "").endswith(_MADE_BY_ANOTHER))


def translate(error: Neo4jError | DriverError, settings: Neo4jSettings, *, opening: bool = False) -> StoreError:
    """Return the store error for a driver's error. A wrong option is `InvalidInput` only while `opening`."""
    if isinstance(error, DriverError):
        return Unavailable(f"Neo4j at {settings.uri} does not answer: {_first_line(error)}")
    code = error.code or ""
    refused = InvalidInput if opening else Unusable
    if code.endswith(_LOCKED):
        return Unavailable(
            f"Neo4j at {settings.uri} refuses user {settings.user!r} for some seconds after too many failed logins; check "
            "user and password"
        )
    if is_refusal(error):
        return refused(
            f"Neo4j at {settings.uri} refuses user {settings.user!r} with this password; set user and password"
        )
    if code.endswith("DatabaseNotFound"):
        return refused(f"Neo4j at {settings.uri} has no database {settings.database!r}; create it or set database")
    if any(part in code for part in _READ_ONLY):
        return refused(
            f"Neo4j at {settings.uri} lets user {settings.user!r} only read database {settings.database!r}; "
            "grant the user write access to data and schema, or make the database writable"
        )
    return _of_the_call(error, code, settings)


def _of_the_call(error: Neo4jError, code: str, settings: Neo4jSettings) -> StoreError:
    if any(part in code for part in _TIMED_OUT):
        return Timeout(f"Neo4j at {settings.uri} took too long and was stopped; try again")
    if code.endswith(_NO_INDEX):
        return IndexGone(f"Neo4j at {settings.uri}: {_first_line(error)}")
    if any(part in code for part in _DOWN):
        return Unavailable(f"Neo4j at {settings.uri} cannot serve now: {_first_line(error)}")
    if isinstance(error, TransientError):
        return Timeout(f"Neo4j at {settings.uri} is busy with other requests: {_first_line(error)}")
    return StoreError(f"Neo4j at {settings.uri}: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
