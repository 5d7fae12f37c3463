"""Which properties a record's fields become: one to compare, one more to sort and index by, one more to search in."""

from collections.abc import Mapping
from typing import Final

import orjson

from backends.declarations import kept_fields
from backends.neo4j.filters import sort_key
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
        properties[f"f_{name}"] = plain
        if specs[name].sort:
            properties[f"s_{name}"] = sort_key(plain)
        if specs[name].text:
            properties |= _searched(name, value)
    return properties


def _searched(name: str, value: Value) -> Properties:
    if not isinstance(value, str) or len(value.encode()) > MAX_INDEXED_BYTES:
        return {}
    # Folding may lengthen a text: what the index cannot take is looked through without it.
    folded = shadow(value)
    indexable = len(folded.encode()) <= MAX_SHADOW_BYTES
    return {f"t_{name}": folded} if indexable else {f"u_{name}": folded, "long": True}
