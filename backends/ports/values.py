"""The values that cross a port: identifiers, times, JSON, typed fields and pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NewType, TypeAlias, TypeVar

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = Mapping[str, Json]

Micros = NewType("Micros", int)
"""Microseconds since 1970-01-01T00:00:00Z."""

Namespace = NewType("Namespace", str)
"""A part of a store that shares nothing with its other parts; created by `backends.ports.ids.namespace`."""

NodeId = NewType("NodeId", str)
EdgeId = NewType("EdgeId", str)
RecordId = NewType("RecordId", str)
Revision = NewType("Revision", int)
"""The version of the one stream that a projected record is a function of; starts at 1."""

Scalar: TypeAlias = bool | int | float | str
Value: TypeAlias = Scalar | tuple[str, ...]
"""A field's value. There is no null: a missing field is absent from its mapping. An empty tuple counts as missing."""

Fields: TypeAlias = Mapping[str, Value]

FieldType: TypeAlias = Literal["str", "int", "float", "bool", "strs"]

MAX_FIELDS = 16
"""SQLite and Kuzu keep them in columns that every row has; more would need another schema."""
MAX_PAGE = 1_000
"""The most items on a page."""
MAX_INTEGER = 2**53 - 1
"""Larger integers lose digits in engines that store numbers as doubles."""
INTEGER_RANGE = "-(2^53 - 1) to 2^53 - 1"
"""The integers that a field can have, for messages."""


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One typed field of a kind or of a collection.

    `sort` fields can be sorted by and are indexed for equality and ranges (strings of at most 2,000 bytes).
    `text` fields (type `str` or `strs`, graph only) can be searched with `Contains` and `InIgnoringCase`.
    """

    name: str
    type: FieldType
    sort: bool = False
    text: bool = False


ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True)
class Page(Generic[ItemT]):
    """A page of an ordered listing; `after` continues it and is None at the end."""

    items: tuple[ItemT, ...]
    after: str | None
