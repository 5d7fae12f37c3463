"""Checks that a record's fields are those its kind or collection declares."""

import math
from collections.abc import Mapping, Sequence

from backends.ports.errors import InvalidInput
from backends.ports.ids import check_name
from backends.ports.text import MAX_SORT_BYTES, MAX_TEXT_BYTES, text_problem
from backends.ports.values import MAX_FIELDS, MAX_INTEGER, Fields, FieldSpec, Value


def check_field_specs(specs: Sequence[FieldSpec], *, owner: str) -> Mapping[str, FieldSpec]:
    """Return the specs by name. Raises `InvalidInput` for a bad or doubled name, more than 16, or a flag that does not fit."""
    by_name = {check_name(spec.name, what="a field name"): spec for spec in specs}
    if len(by_name) != len(specs) or len(specs) > MAX_FIELDS:
        raise InvalidInput(f"{owner} may have at most {MAX_FIELDS} fields, each name once")
    for spec in specs:
        if spec.text and spec.type != "str":
            raise InvalidInput(f"field {spec.name!r} of {owner} is flagged text but is {spec.type}")
        if spec.sort and spec.type == "strs":
            raise InvalidInput(f"field {spec.name!r} of {owner} is a list and cannot be flagged sort")
    return by_name


def check_fields(fields: Fields, specs: Mapping[str, FieldSpec], *, owner: str) -> None:
    """Raise `InvalidInput` for an undeclared field, a value of another type, NaN or infinity, or an over-long text."""
    for name, value in fields.items():
        spec = specs.get(name)
        if spec is None:
            raise InvalidInput(f"{owner} has no field {name!r:.60}")
        if not _fits(value, spec):
            raise InvalidInput(f"field {name!r} of {owner} is {spec.type}; this is {type(value).__name__}")


def _fits(value: Value, spec: FieldSpec) -> bool:
    match value:
        case str():
            most = MAX_SORT_BYTES if spec.sort else MAX_TEXT_BYTES
            # Nearly every text is known to be good by this alone: neither surrogates nor NUL are printable.
            if len(value) <= most // 4 and value.isprintable():
                return spec.type == "str"
            if problem := text_problem(value, max_bytes=most):
                raise InvalidInput(f"field {spec.name!r} {problem}")
            return spec.type == "str"
        case bool():
            return spec.type == "bool"
        case int():
            return spec.type in ("int", "float") and -MAX_INTEGER <= value <= MAX_INTEGER
        case float():
            return spec.type == "float" and math.isfinite(value)
        case tuple():
            for element in value:
                if problem := text_problem(element, max_bytes=MAX_SORT_BYTES):
                    raise InvalidInput(f"an element of field {spec.name!r} {problem}")
            return spec.type == "strs"
