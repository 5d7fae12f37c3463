"""The properties of a record's fields: one to compare, another to sort and index by, another to search in."""

from collections.abc import Mapping
from typing import Final

import orjson

from backends.engines.neo4j.filters import (
    LONG_TEXT,
    long_property,
    short_property,
    sort_key,
    sort_property,
    value_property,
)
from backends.kit.declarations import searched_text, storable_fields
from backends.ports.values import Fields, FieldSpec, Value

MAX_SHADOW_BYTES: Final = 32_766
"""The limit of a TEXT index. A larger value would make the write fail."""

Properties = dict[str, object]


def field_properties(fields: Fields, specs: Mapping[str, FieldSpec], *, owner: str) -> Properties:
    """Return the properties of a record's fields, with all of them as JSON. Raises `InvalidInput`."""
    kept = storable_fields(fields, specs, owner=owner)
    properties: Properties = {"fields": orjson.dumps(kept).decode()}
    for name, value in kept.items():
        plain = list(value) if isinstance(value, tuple) else value
        spec = specs[name]
        properties[value_property(spec)] = plain
        if spec.sort:
            properties[sort_property(spec)] = sort_key(plain)
        if spec.text:
            properties |= _searched(spec, value)
    return properties


def _searched(spec: FieldSpec, value: Value) -> Properties:
    if (folded := searched_text(value)) is None:
        return {}
    # A list, or a text that case folding lengthens, may be too long for the index: it is marked there and searched by a scan.
    if len(folded.encode()) <= MAX_SHADOW_BYTES:
        return {short_property(spec): folded}
    return {short_property(spec): LONG_TEXT, long_property(spec): folded}
