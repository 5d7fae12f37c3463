"""The filter language of the ports: an AST with two-valued logic, and its limits.

A missing field equals nothing, is in no set, has no element, contains nothing and is neither below nor above a number.
`Not` is plain negation, so `Not(Eq(f, v))` and `Ne(f, v)` both hold for a record without `f`.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from backends.ports.errors import InvalidInput
from backends.ports.ids import check_name
from backends.ports.text import check_text
from backends.ports.values import INTEGER_RANGE, MAX_INTEGER, Scalar

MAX_DEPTH = 16
"""Engines parse nested conditions recursively, and Neo4j's statement for deep ones has as many levels."""
MAX_TERMS = 200
"""Well below what engines refuse: Chroma takes fewer than 1,000 alternatives."""
MAX_SET = 1_000
"""Most engines bind each value; Chroma takes about 33,000 in all."""


@dataclass(frozen=True, slots=True)
class Eq:
    """The field is present and equal to `value`."""

    field: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Ne:
    """The field is missing or differs from `value`."""

    field: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class In:
    """The field is present and equal to one of `values` (at most 1,000; without values it never holds)."""

    field: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class NotIn:
    """The field is missing or equal to none of `values` (at most 1,000; without values it always holds)."""

    field: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Lt:
    """The numeric field is present and below `value`."""

    field: str
    value: int | float


@dataclass(frozen=True, slots=True)
class Le:
    """The numeric field is present and at most `value`."""

    field: str
    value: int | float


@dataclass(frozen=True, slots=True)
class Gt:
    """The numeric field is present and above `value`."""

    field: str
    value: int | float


@dataclass(frozen=True, slots=True)
class Ge:
    """The numeric field is present and at least `value`."""

    field: str
    value: int | float


@dataclass(frozen=True, slots=True)
class Exists:
    """The field is present."""

    field: str


@dataclass(frozen=True, slots=True)
class Has:
    """The list field has `value` as an element."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Contains:
    """The shadow of the text, or of an element of the list field, contains the shadow of `needle`.

    For fields flagged text, which only a graph has. An empty needle matches any text that is present.
    """

    field: str
    needle: str


@dataclass(frozen=True, slots=True)
class InIgnoringCase:
    """The text, or an element of the list field, equals one of `values` with case folded: their shadows are equal.

    At most 1,000 values; without values it never holds. For fields flagged text, which only a graph has. Shadows are defined by
    `backends.ports.text.shadow`: `ß` equals `SS`, and a composed `é` equals a decomposed one, but `é` does not equal `e`.
    """

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class And:
    """All of `terms` hold; true without terms."""

    terms: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of `terms` holds; false without terms."""

    terms: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """`term` does not hold."""

    term: "Filter"


Leaf: TypeAlias = Eq | Ne | In | NotIn | Lt | Le | Gt | Ge | Exists | Has | Contains | InIgnoringCase
"""A condition on one field."""
Filter: TypeAlias = Leaf | And | Or | Not


def check_filter_shape(where: Filter) -> None:
    """Check everything that does not depend on a declaration. `backends.ports.checked` calls it for every filter.

    Raises `InvalidInput` beyond depth 16 or 200 nodes, for an invalid field name, a set of more than 1,000
    values, a text that cannot be stored, and a number that is not finite or has more than 53 bits.
    """
    pending: list[tuple[Filter, int]] = [(where, 1)]
    seen = 0
    while pending:
        term, depth = pending.pop()
        seen += 1
        if depth > MAX_DEPTH or seen > MAX_TERMS:
            raise InvalidInput(f"a filter has at most {MAX_TERMS} terms and depth {MAX_DEPTH}")
        match term:
            case And() | Or():
                pending.extend((part, depth + 1) for part in term.terms)
            case Not():
                pending.append((term.term, depth + 1))
            case _:
                _check_leaf(term)


def _check_leaf(term: Leaf) -> None:
    check_name(term.field, what="a field name")
    match term:
        case Exists():
            return
        case Eq() | Ne():
            _check_value(term.value, term.field)
        case In() | NotIn() | InIgnoringCase():
            if len(term.values) > MAX_SET:
                raise InvalidInput(f"a set in a filter has at most {MAX_SET} values")
            for value in term.values:
                _check_value(value, term.field)
        case Lt() | Le() | Gt() | Ge():
            # Compared first: an integer that no float can hold makes `isfinite` fail, and a huge one has no text.
            if isinstance(term.value, bool) or abs(term.value) > MAX_INTEGER or not math.isfinite(term.value):
                raise InvalidInput(f"a bound for field {term.field!r} must be a number from {INTEGER_RANGE}")
        case Has():
            check_text(term.value, what=f"a part of {term.field!r}")
        case Contains():
            check_text(term.needle, what=f"a part of {term.field!r}")
        case _:
            assert_never(term)


def _check_value(value: Scalar, field: str) -> None:
    match value:
        case str():
            check_text(value, what=f"a value for {field!r}")
        case bool():
            return
        case int():
            if abs(value) > MAX_INTEGER:
                raise InvalidInput(f"a value for {field!r} must be {INTEGER_RANGE} if it is an integer")
        case float():
            if not math.isfinite(value):
                raise InvalidInput(f"a value for {field!r} must be finite")
