"""Pages of a sorted listing: its sort keys, the index ranges to read, the condition after an item, and the cursor."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from backends.kit import cursors
from backends.kit.cursors import Key, Keys
from backends.kit.declarations import sort_fields
from backends.ports.graph import Order
from backends.ports.values import FieldSpec, Page


class Identified(Protocol):
    """A record with an id."""

    @property
    def id(self) -> str:
        """The id, unique within the listing."""
        ...


RowT = TypeVar("RowT")
ItemT = TypeVar("ItemT")
IdentifiedT = TypeVar("IdentifiedT", bound=Identified)


@dataclass(frozen=True, slots=True)
class SortKey:
    """A declared field to sort by, and the column in which the engine's statements sort it."""

    column: str
    type: str
    """The type of the field, by which `cursors.decode` checks its value."""
    descending: bool

    @property
    def direction(self) -> str:
        """`ASC` or `DESC`."""
        return "DESC" if self.descending else "ASC"

    @property
    def order(self) -> str:
        """The key as part of ORDER BY; missing values come last in either direction."""
        return f"{self.column} IS NULL, {self.column} {self.direction}"

    @property
    def beyond(self) -> str:
        """The comparison that later values satisfy."""
        return "<" if self.descending else ">"


def sort_keys(
    order: Sequence[Order], specs: Mapping[str, FieldSpec], column: Callable[[FieldSpec], str]
) -> tuple[SortKey, ...]:
    """Return the keys of an order; `column` gives a field's column. Raises `InvalidInput` for a field not flagged sort."""
    fields = sort_fields(order, specs)
    return tuple(SortKey(column(spec), spec.type, key.descending) for spec, key in zip(fields, order, strict=True))


@dataclass(frozen=True, slots=True)
class IndexRange:
    """A part of a listing with a simple condition on the first key, so that an index on that key can serve it."""

    first: Literal["any", "present", "equal", "later", "missing"]
    """The value of the first key: any, not missing, equal to that of the item before the page, later, or missing."""
    continued: bool
    """Whether it has only the rows that follow the item by the other keys and by id."""
    order: str
    """The ORDER BY clause: all keys if the value of the first one varies, otherwise the others; then the id."""


def index_ranges(keys: Sequence[SortKey], after: tuple[Keys, str] | None, *, id_column: str) -> Sequence[IndexRange]:
    """Return the index ranges of a listing in their order, from the start or after the item of a decoded cursor.

    Together they contain every remaining row of the listing once.
    """
    if not keys:
        return (IndexRange("any", after is not None, id_column),)
    others = ", ".join([*(key.order for key in keys[1:]), id_column])
    # The first key without `IS NULL`, as an index has it.
    whole = f"{keys[0].column} {keys[0].direction}, {others}"
    missing = IndexRange("missing", continued=False, order=others)
    if after is None:
        return (IndexRange("present", continued=False, order=whole), missing)
    if after[0][0] is None:
        return (IndexRange("missing", continued=True, order=others),)
    later = IndexRange("later", continued=False, order=whole)
    return (IndexRange("equal", continued=True, order=others), later, missing)


def after_condition(
    keys: Sequence[SortKey], values: Keys, identifier: str, bind: Callable[[Key], str], *, id_column: str
) -> str:
    """Return the condition that a row follows an item by `keys`, which has `values`, and then by id.

    `bind` binds a value and returns its parameter. It is called in the order of the parameters in the text.
    """
    if not keys:
        return f"{id_column} > {bind(identifier)}"
    column, value = keys[0].column, values[0]
    if value is None:
        return f"({column} IS NULL AND {after_condition(keys[1:], values[1:], identifier, bind, id_column=id_column)})"
    beyond, equal = bind(value), bind(value)
    rest = after_condition(keys[1:], values[1:], identifier, bind, id_column=id_column)
    return f"({column} IS NULL OR {column} {keys[0].beyond} {beyond} OR ({column} = {equal} AND {rest}))"


def start_of(after: str | None) -> str:
    """Return the id after which a listing by id continues, "" for its start. Raises `InvalidInput` for a foreign cursor."""
    return "" if after is None else cursors.decode(after, ())[1]


def page_by_id(found: Sequence[IdentifiedT], limit: int) -> Page[IdentifiedT]:
    """Return the page of a listing by id; `found` has one item more than `limit` if the listing continues."""
    return page(found, limit, item=lambda row: row, cursor=lambda row: cursors.encode((), row.id))


def page(
    found: Sequence[RowT], limit: int, *, item: Callable[[RowT], ItemT], cursor: Callable[[RowT], str]
) -> Page[ItemT]:
    """Return the page of the first `limit` rows, each as its `item`.

    `found` has one row more than `limit` if the listing continues; then the page has the `cursor` of its last row.
    """
    return Page(tuple(map(item, found[:limit])), cursor(found[limit - 1]) if len(found) > limit else None)
