"""Filters evaluated in Python: their reference semantics, for parts that an engine cannot express and for tests."""

from collections.abc import Collection
from typing import assert_never

from backends.ports.filters import (
    And,
    Contains,
    Eq,
    Exists,
    Filter,
    Ge,
    Gt,
    Has,
    In,
    InIgnoringCase,
    Le,
    Leaf,
    Lt,
    Ne,
    Not,
    NotIn,
    Or,
)
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from backends.ports.values import Fields, Value


def matches(where: Filter | None, fields: Fields) -> bool:
    """Return whether a record with `fields` matches a checked filter; None matches every record.

    Logic has two values: a missing field, or an empty list, is equal to nothing, in no set, has no elements, contains
    nothing and is within no bound.
    """
    match where:
        case None:
            return True
        case And(terms=terms):
            return all(matches(term, fields) for term in terms)
        case Or(terms=terms):
            return any(matches(term, fields) for term in terms)
        case Not(term=term):
            return not matches(term, fields)
        case Ne(field=name, value=value):
            return fields.get(name) != value
        case NotIn(field=name, values=values):
            return fields.get(name) not in values
        case _:
            value = fields.get(where.field)
            return value is not None and value != () and _fits(where, value)


def _fits(where: Leaf, value: Value) -> bool:
    """Return whether a present value fits; a checked filter compares values of one type."""
    match where:
        case Exists():
            return True
        case Eq():
            return value == where.value
        case Ne():
            return value != where.value
        case In():
            return value in where.values
        case NotIn():
            return value not in where.values
        case Has():
            return isinstance(value, tuple) and where.value in value
        case Contains() | InIgnoringCase():
            return any(_is_found(where, text) for text in _texts(value))
        case Lt() | Le() | Gt() | Ge():
            return isinstance(value, int | float) and _within(where, value)
        case _:
            assert_never(where)


def contains(text: str, needle: str) -> bool:
    """Return whether the shadow of `text` contains the shadow of `needle`; a text over 32 kB is not searched."""
    size = len(text.encode())
    # A shadow has at most three code points for two bytes, and at least one for four code points.
    return size <= MAX_INDEXED_BYTES and len(needle) <= 6 * size and shadow(needle) in shadow(text)


def equals_folded(text: str, values: Collection[str]) -> bool:
    """Return whether the shadow of `text` equals that of one of `values`; a text over 32 kB is not searched."""
    return len(text.encode()) <= MAX_INDEXED_BYTES and shadow(text) in map(shadow, values)


def _is_found(where: Contains | InIgnoringCase, text: str) -> bool:
    if isinstance(where, InIgnoringCase):
        return equals_folded(text, where.values)
    return contains(text, where.needle)


def _texts(value: Value) -> tuple[str, ...]:
    """Return the texts of a text field: its value, or the elements of a list."""
    if isinstance(value, tuple):
        return value
    return (value,) if isinstance(value, str) else ()


def _within(where: Lt | Le | Gt | Ge, value: int | float) -> bool:
    match where:
        case Lt():
            return value < where.value
        case Le():
            return value <= where.value
        case Gt():
            return value > where.value
        case Ge():
            return value >= where.value
