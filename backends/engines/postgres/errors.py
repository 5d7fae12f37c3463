"""Translates psycopg's errors into the ports' errors, with messages that name the server."""

from typing import Final

import psycopg

from backends.ports.errors import Conflict, InvalidInput, StoreError, Timeout, Unavailable, Unusable

_BY_CODE: Final[dict[str, tuple[type[StoreError], str]]] = {
    "57014": (Timeout, "the statement took too long and was stopped; try again, or raise timeout_s"),
    "42501": (
        Unusable,
        "this user may not read and write the space; as its owner: GRANT USAGE ON SCHEMA ..., SELECT, INSERT, UPDATE,"
        " DELETE ON ALL TABLES IN SCHEMA ..., USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA ...;"
        " to create it: GRANT CREATE ON DATABASE ...",
    ),
    "25006": (Unavailable, "it is read-only, like a standby; name the primary in the uri"),
}
_BY_CLASS: Final[dict[str, tuple[type[StoreError], str]]] = {
    "08": (Unavailable, "the connection was lost"),
    "22": (InvalidInput, "a value cannot be stored"),
    "23": (Conflict, "another program wrote the same rows"),
    "3F": (Unusable, "the schema of the space is missing; restore it from a backup"),
    "40": (Unavailable, "another transaction interfered; try again"),
    "42": (Unusable, "the tables of the space are not as Entrepot made them; restore them from a backup"),
    "53": (Unavailable, "it is short of disk, memory or connections; make room and try again"),
    "57": (Unavailable, "it is starting up or shutting down"),
    "58": (Unavailable, "reading or writing its disk failed"),
    "XX": (Unusable, "it reports that its data are damaged; restore them from a backup"),
}
_REFUSED: Final[tuple[tuple[str, str], ...]] = (
    ("password authentication failed", "set the right user and password"),
    ("no password supplied", "set the password"),
    ("authentication failed", "set a user that may log in"),
    ("pg_hba.conf", "let this user in from here in the server's pg_hba.conf, or choose another"),
    ("role", "create the user, or name another in the uri"),
    ("database", "create the database, or name another in the uri"),
)
"""Parts of the messages of servers that refuse a connection, and the remedies; libpq gives no code for these."""
_FOR_NOW: Final[tuple[tuple[str, str], ...]] = (
    ("too many", "has no free connection: {said}. Close some, lower max_connections, or raise the limit"),
    ("slots are reserved", "has no free connection: {said}. Close some, lower max_connections, or raise the limit"),
    ("starting up", "is starting up: {said}. Try again"),
    ("recovery mode", "is starting up: {said}. Try again"),
    ("not yet accepting connections", "is starting up: {said}. Try again"),
    ("shutting down", "is shutting down: {said}. Start it again"),
)
"""Parts of the messages of servers that respond but accept no connections now, and what they mean."""
_FOR_GOOD: Final = ("authentication failed", "no password supplied", "pg_hba.conf", "does not exist", "not permitted")


def translate(error: psycopg.Error, server: str) -> StoreError:
    """Return the store error for a call that failed on an open connection; `server` names the server."""
    code = error.sqlstate
    if code is None:
        kind, meaning = Unavailable, "the connection was lost"
        if isinstance(error, psycopg.DataError):
            kind, meaning = InvalidInput, "a value cannot be stored"
    else:
        kind, meaning = _BY_CODE.get(code) or _BY_CLASS.get(code[:2], (StoreError, "it answered with an error"))
    return kind(f"{server}: {meaning} ({_said(error)})")


def refusal(error: psycopg.Error, server: str) -> StoreError:
    """Return the store error for a failed connection; `InvalidInput` if the options must change."""
    said = _said(error)
    if any(words in said for words in _FOR_GOOD):
        remedy = next((remedy for words, remedy in _REFUSED if words in said), "check the uri")
        return InvalidInput(f"{server} refuses the connection: {said}; {remedy}")
    for words, meaning in _FOR_NOW:
        if words in said:
            return Unavailable(f"{server} {meaning.format(said=said)}")
    return Unavailable(f"{server} does not answer: {said}. Start it, or correct the uri")


def _said(error: psycopg.Error) -> str:
    words = " ".join(str(error).split())
    return words.rpartition("FATAL: ")[2].strip() or words
