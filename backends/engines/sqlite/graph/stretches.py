"""A sorted listing as a few stretches, each along an index: ties with the cursor, later values, missing values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backends.engines.sqlite.declarations import Declared, SqlValue
from backends.engines.sqlite.filters import TRUE, Clause
from backends.engines.sqlite.statements import column
from backends.kit.cursors import Keys
from backends.kit.declarations import sort_fields
from backends.ports.graph import Order


@dataclass(frozen=True, slots=True)
class SortKey:
    """A column to sort by."""

    slot: int
    type: str
    descending: bool

    @property
    def name(self) -> str:
        """The column."""
        return column(self.slot, "n")

    @property
    def direction(self) -> str:
        """The direction in SQL."""
        return "DESC" if self.descending else "ASC"

    @property
    def index(self) -> str:
        """The index that has the column in this direction."""
        return f"nodes_{'d' if self.descending else 'c'}{self.slot}"

    @property
    def beyond(self) -> str:
        """The comparison that is true for later values."""
        return "<" if self.descending else ">"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a listing: the condition on its nodes, and their order."""

    condition: Clause
    order: str


def sort_keys(order: Sequence[Order], declared: Declared) -> tuple[SortKey, ...]:
    """Return the columns to sort by. Raises `InvalidInput` for fields not flagged sort."""
    fields = sort_fields(order, declared.specs)
    return tuple(
        SortKey(declared.slots[spec.name], spec.type, key.descending) for spec, key in zip(fields, order, strict=True)
    )


def stretches(keys: Sequence[SortKey], after: tuple[Keys, str] | None) -> Iterator[Stretch]:
    """Yield the stretches in their order, from the start or after an item."""
    if not keys:
        yield Stretch(TRUE if after is None else Clause("n.id > ?", (after[1],)), "n.id")
        return
    first, rest = keys[0], keys[1:]
    later = _order(rest)
    whole = f"{first.name} {first.direction}, {later}"
    if after is None:
        yield Stretch(Clause(f"{first.name} IS NOT NULL"), whole)
        yield Stretch(Clause(f"{first.name} IS NULL"), later)
        return
    values, identifier = after
    tail = _after(rest, values[1:], identifier)
    if values[0] is None:
        yield Stretch(Clause(f"{first.name} IS NULL AND {tail.sql}", tail.values), later)
        return
    yield Stretch(Clause(f"{first.name} = ? AND {tail.sql}", (values[0], *tail.values)), later)
    yield Stretch(Clause(f"{first.name} {first.beyond} ?", (values[0],)), whole)
    yield Stretch(Clause(f"{first.name} IS NULL"), later)


def _order(keys: Sequence[SortKey]) -> str:
    return ", ".join([*(f"{key.name} IS NULL, {key.name} {key.direction}" for key in keys), "n.id"])


def _after(keys: Sequence[SortKey], values: Sequence[SqlValue], identifier: str) -> Clause:
    """Return the condition for nodes after an item, by these keys and then by id."""
    if not keys:
        return Clause("n.id > ?", (identifier,))
    name, value = keys[0].name, values[0]
    rest = _after(keys[1:], values[1:], identifier)
    if value is None:
        return Clause(f"({name} IS NULL AND {rest.sql})", rest.values)
    sql = f"({name} IS NULL OR {name} {keys[0].beyond} ? OR ({name} = ? AND {rest.sql}))"
    return Clause(sql, (value, value, *rest.values))
