"""Phrases for the validation errors of pydantic, in the terms of JSON instead of Python's."""

from typing import Final, cast, get_args

from pydantic_core import ErrorDetails
from pydantic_core.core_schema import ErrorType

_FIXED = {
    "string_type": "should be a text",
    "string_unicode": "should be a text",
    "int_type": "should be an integer",
    "int_from_float": "should be an integer",
    "int_parsing": "should be an integer",
    "int_parsing_size": "should be an integer",
    "float_type": "should be a number",
    "float_parsing": "should be a number",
    "finite_number": "should be a finite number",
    "bool_type": "should be true or false",
    "bool_parsing": "should be true or false",
    "list_type": "should be a list",
    "tuple_type": "should be a list",
    "set_type": "should be a list",
    "frozen_set_type": "should be a list",
    "dict_type": "should be an object",
    "model_type": "should be an object",
    "model_attributes_type": "should be an object",
    "none_required": "should be null",
    "path_type": "should be a path",
    "missing": "is required",
    "extra_forbidden": "is not known",
}
"""The rule that a value breaks in the terms of JSON, by pydantic's type of error."""

_BOUNDS = {
    "greater_than_equal": "should be greater than or equal to {ge}",
    "greater_than": "should be greater than {gt}",
    "less_than_equal": "should be less than or equal to {le}",
    "less_than": "should be less than {lt}",
    "multiple_of": "should be a multiple of {multiple_of}",
    "literal_error": "should be {expected}",
    "enum": "should be {expected}",
    "string_pattern_mismatch": "should match pattern '{pattern}'",
}
_LENGTHS = {
    "string_too_short": ("at least", "min_length", "character"),
    "string_too_long": ("at most", "max_length", "character"),
    "too_short": ("at least", "min_length", "item"),
    "too_long": ("at most", "max_length", "item"),
}
_BY_PYDANTIC: Final = frozenset(cast("tuple[str, ...]", get_args(ErrorType)))
"""The types of error that pydantic raises by itself; all others are `PydanticCustomError`, whose message is the rule."""


def rule_of(detail: ErrorDetails) -> str:
    """Return the rule that a value breaks, as the rest of a sentence that begins with the value's name."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in _FIXED:
        return _FIXED[kind]
    if kind in _BOUNDS:
        return _BOUNDS[kind].format_map(context)
    if kind in _LENGTHS:
        actual = context.get("actual_length")
        suffix = "" if actual is None else f", not {actual}"
        return f"should have {length_rule(kind, cast('int', context[_LENGTHS[kind][1]]))}{suffix}"
    if kind in ("value_error", "assertion_error"):
        return f"is wrong: {context.get('error')}"
    return "is not valid" if kind in _BY_PYDANTIC else detail["msg"]


def length_rule(kind: str, length: int) -> str:
    """Return the limit of a length as a phrase, for an error type of `_LENGTHS`."""
    bound, _, unit = _LENGTHS[kind]
    return f"{bound} {length} {unit}{'' if length == 1 else 's'}"
