"""Which properties a record's fields become: one to compare, one more to sort and index by, one more to search in."""

from collections.abc import Mapping
from typing import Final

import orjson

from backends.declarations import kept_fields
from backends.neo4j.filters import LONG_TEXT, long_property, short_property, sort_key, sort_property, value_property
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from backends.ports.values import Fields, FieldSpec, Value

MAX_SHADOW_BYTES: Final = 32_766
"""What a TEXT index takes; a larger value would make the write fail."""

Properties = dict[str, object]


def field_properties(fields: Fields, specs: Mapping[str, FieldSpec], *, owner: str) -> Properties:
    """Return the properties of a record's fields, with all of them as JSON. Raises `InvalidInput`."""
    kept = kept_fields(fields, specs, owner=owner)
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
    if not isinstance(value, str) or len(value.encode()) > MAX_INDEXED_BYTES:
        return {}
    # Folding may lengthen a text: what the index cannot take is found there as a long one, and looked through.
    folded = shadow(value)
    if len(folded.encode()) <= MAX_SHADOW_BYTES:
        return {short_property(spec): folded}
    return {short_property(spec): LONG_TEXT, long_property(spec): folded}
