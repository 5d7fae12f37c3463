"""The stored form of records: JSON as text, and the order of groups."""

import math
from collections.abc import Mapping

import orjson

from backends.ports.errors import InvalidInput
from backends.ports.graph import Group
from backends.ports.values import Json, JsonObject, Scalar


def as_json(value: Json) -> str:
    """Return a value as JSON text. Raises `InvalidInput` for lone surrogates, NaN and infinity."""
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


def props_text(props: JsonObject) -> str | None:
    """Return a record's props as text, None for none. Raises `InvalidInput`."""
    return as_json(props) if props else None


def parse_props(text: str | None) -> JsonObject:
    """Return the props that `props_text` wrote."""
    props: JsonObject = orjson.loads(text) if text else {}
    return props


def group_position(group: Group) -> tuple[tuple[bool, Scalar], ...]:
    """Return the sort key of a group in `count_nodes`: its values, missing ones last."""
    # Values of a field have one type, and missing ones are compared only by the flag.
    return tuple((value is None, 0 if value is None else value) for value in group.key)
