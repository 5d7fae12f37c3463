"""Statements: generated identifiers are inserted into templates; values are always bound."""

import re
import sqlite3
from typing import Final

import orjson

from backends.ports.errors import InvalidInput

_COLUMN: Final = re.compile(r"(?:[a-z]\.)?c(?:1[0-5]|[0-9])")


def statement(template: str, /, **pieces: str) -> str:
    """Return `template` with its named pieces, which are parts of statements from this package, never a caller's text."""
    return template.format(**pieces)


def column(slot: int, alias: str = "") -> str:
    """Return the column of a slot; no other identifier depends on a declaration. Raises `InvalidInput` for no such slot."""
    name = f"{alias}.c{slot:d}" if alias else f"c{slot:d}"
    if _COLUMN.fullmatch(name) is None:
        raise InvalidInput(f"no such slot: {name!r}")
    return name


def json_list(values: "list[str] | list[int] | tuple[str, ...] | tuple[int, ...]") -> str:
    """Return values as a JSON array, to be bound as one value and read by `json_each`."""
    return orjson.dumps(values).decode()


def scalar(connection: sqlite3.Connection, query: str, *values: str | int) -> int:
    """Return the integer that the query yields, 0 if it yields nothing."""
    row = connection.execute(query, values).fetchone()
    return 0 if row is None or row[0] is None else int(row[0])
