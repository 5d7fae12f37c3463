"""Puts identifiers of our own making into statements; values are always bound."""

import math
import re
import sqlite3
from collections.abc import Mapping
from typing import Final

import orjson

from backends.ports.errors import InvalidInput
from backends.ports.values import Json

_COLUMN: Final = re.compile(r"(?:[a-z]\.)?c(?:1[0-5]|[0-9])")


def statement(template: str, /, **pieces: str) -> str:
    """Return `template` with its named pieces, which are statements' parts from this package and never a caller's text."""
    return template.format(**pieces)


def column(slot: int, alias: str) -> str:
    """Return the column of a slot, the only identifier that depends on a declaration. Raises `InvalidInput`."""
    name = f"{alias}.c{slot:d}"
    if _COLUMN.fullmatch(name) is None:
        raise InvalidInput(f"no such slot: {name!r}")
    return name


def as_json(value: Json) -> str:
    """Return a value as JSON text. Raises `InvalidInput` for what JSON cannot hold."""
    try:
        text = orjson.dumps(value).decode()
    except TypeError as error:
        raise InvalidInput(f"not storable as JSON: {error}") from error
    # NaN and infinity would silently become null.
    if "null" in text and not _finite(value):
        raise InvalidInput("not storable as JSON: a number is not finite")
    return text


def _finite(value: Json) -> bool:
    match value:
        case float():
            return math.isfinite(value)
        case Mapping():
            return all(map(_finite, value.values()))
        case str() | int() | None:
            return True
        case _:
            return all(map(_finite, value))


def json_list(values: "list[str] | list[int] | tuple[str, ...]") -> str:
    """Return values as a JSON array, to be bound once and unfolded by `json_each`."""
    return orjson.dumps(values).decode()


def scalar(connection: sqlite3.Connection, query: str, *values: str | int) -> int:
    """Return the one integer that the query yields, 0 when it yields nothing."""
    row = connection.execute(query, values).fetchone()
    return 0 if row is None or row[0] is None else int(row[0])
