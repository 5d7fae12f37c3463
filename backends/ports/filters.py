"""The filter language of the ports: an AST with two-valued logic, its limits and its type check.

A missing field is not equal to anything, is in no set, has no element, contains nothing and is
neither below nor above a number; `Not` is plain negation, so `Not(Eq(f, v))` and `Ne(f, v)` both
hold for a record without `f`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from backends.ports.errors import InvalidInput
from backends.ports.ids import check_name
from backends.ports.text import check_text
from backends.ports.values import MAX_INTEGER, FieldSpec, Scalar

MAX_DEPTH = 16
MAX_NODES = 200
MAX_SET = 1_000


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
    """The field is present and equal to one of `values` (at most 1,000; none is never true)."""

    field: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class NotIn:
    """The field is missing or equal to none of `values` (at most 1,000; none is always true)."""

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
    """The shadow of the text field contains the shadow of `needle` (graph only; an empty needle matches any text)."""

    field: str
    needle: str


@dataclass(frozen=True, slots=True)
class And:
    """All of `terms` hold; no terms is true."""

    terms: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of `terms` holds; no terms is false."""

    terms: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """`term` does not hold."""

    term: "Filter"


Filter: TypeAlias = Eq | Ne | In | NotIn | Lt | Le | Gt | Ge | Exists | Has | Contains | And | Or | Not


def check_filter(where: Filter, fields: Mapping[str, FieldSpec]) -> Filter:
    """Return `where`, which every adapter checks before compiling it.

    Raises `InvalidInput` beyond depth 16 or 200 nodes, for a name that is not a field, and for a
    value or operator that does not fit the field's type.
    """
    pending: list[tuple[Filter, int]] = [(where, 1)]
    seen = 0
    while pending:
        term, depth = pending.pop()
        seen += 1
        if depth > MAX_DEPTH or seen > MAX_NODES:
            raise InvalidInput(f"a filter has at most {MAX_NODES} nodes and depth {MAX_DEPTH}")
        match term:
            case And() | Or():
                pending.extend((part, depth + 1) for part in term.terms)
            case Not():
                pending.append((term.term, depth + 1))
            case _:
                _check_leaf(term, fields)
    return where


def _check_leaf(
    term: Eq | Ne | In | NotIn | Lt | Le | Gt | Ge | Exists | Has | Contains, fields: Mapping[str, FieldSpec]
) -> None:
    field = fields.get(check_name(term.field, what="a field name"))
    if field is None:
        raise InvalidInput(f"no field {term.field!r} here")
    match term:
        case Exists():
            return
        case Eq() | Ne():
            _check_value(term.value, field)
        case In() | NotIn():
            if len(term.values) > MAX_SET:
                raise InvalidInput(f"a set in a filter has at most {MAX_SET} values")
            for value in term.values:
                _check_value(value, field)
        case Lt() | Le() | Gt() | Ge():
            _check_bound(term.value, field)
        case Has() | Contains():
            _check_part(term, field)
        case _:
            assert_never(term)


def _check_bound(value: int | float, field: FieldSpec) -> None:
    """Refuse a bound on a field that is no number; an integer field may have a fractional bound."""
    if field.type not in ("int", "float"):
        raise InvalidInput(f"field {field.name!r} is not a number")
    if isinstance(value, bool) or not math.isfinite(value) or abs(value) > MAX_INTEGER:
        raise InvalidInput(f"{value!r} is no bound for field {field.name!r}")


def _check_part(term: Has | Contains, field: FieldSpec) -> None:
    match term:
        case Has(value=part):
            fits = field.type == "strs"
        case Contains(needle=part):
            fits = field.text
    if not fits:
        raise InvalidInput(f"{type(term).__name__} does not fit field {field.name!r}")
    check_text(part, what=f"a part of {field.name!r}")


def _check_value(value: Scalar, field: FieldSpec) -> None:
    """Refuse a value of another type than the field's; an integer fits a float field."""
    match value:
        case bool():
            fits = field.type == "bool"
        case int():
            fits = field.type in ("int", "float") and abs(value) <= MAX_INTEGER
        case float():
            fits = field.type == "float" and math.isfinite(value)
        case str():
            fits = field.type == "str"
            check_text(value, what=f"a value for {field.name!r}")
    if not fits:
        raise InvalidInput(f"{value!r:.60} does not fit field {field.name!r} of type {field.type}")
