"""JSON as text: what a store keeps whole and never looks into."""

import math
from collections.abc import Mapping

import orjson

from backends.ports.errors import InvalidInput
from backends.ports.values import Json, JsonObject


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


def props_text(props: JsonObject) -> str | None:
    """Return a record's props as text, None for none. Raises `InvalidInput`."""
    return as_json(props) if props else None


def parse_props(text: str | None) -> JsonObject:
    """Return the props that `props_text` wrote."""
    props: JsonObject = orjson.loads(text) if text else {}
    return props
