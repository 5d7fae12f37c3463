"""Listings: one statement, which looks at every node of the kind and keeps the first ones of the order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backends import cursors
from backends.kuzu.driver import Row, Session
from backends.kuzu.filters import TRUE, Values, compile_filter
from backends.kuzu.kinds import Declared
from backends.kuzu.rows import NODE_COLUMNS, node
from backends.ports.filters import Filter
from backends.ports.graph import Node, Order
from backends.ports.values import Namespace, Page
from backends.questions import check_order

_FIND: Final = (
    "MATCH (n:Node) WHERE n.ns = $ns AND n.kind = $kind AND NOT n.dead AND {where} AND {after}"
    " RETURN {columns} ORDER BY {order} LIMIT {limit:d}"
)


@dataclass(frozen=True, slots=True)
class SortKey:
    """A column to sort by."""

    column: str
    type: str
    descending: bool

    @property
    def order(self) -> str:
        """The key as a part of ORDER BY: missing values last in either direction."""
        return f"{self.column} IS NULL, {self.column} {'DESC' if self.descending else 'ASC'}"

    @property
    def beyond(self) -> str:
        """The comparison that holds for values that come later."""
        return "<" if self.descending else ">"


@dataclass(frozen=True, slots=True)
class Question:
    """What `find` was asked."""

    namespace: Namespace
    kind: str
    where: Filter | None
    order: Sequence[Order]
    after: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class Listing:
    """A statement to run, and how its rows become a page."""

    query: str
    values: Values
    keys: int
    limit: int

    def page(self, session: Session) -> Page[Node]:
        """Run the statement."""
        rows = session.run(self.query, self.values.bound)
        items = tuple(map(node, rows[: self.limit]))
        return Page(items, self._cursor(rows[self.limit - 1]) if len(rows) > self.limit else None)

    def _cursor(self, last: Row) -> str:
        return cursors.encode(last[len(last) - self.keys :], str(last[0]))


def listing(asked: Question, declared: Declared) -> Listing:
    """Return the listing that was asked for. Raises `InvalidInput`."""
    keys = [
        SortKey(f"n.{declared.column(spec.name)}", spec.type, key.descending)
        for spec, key in zip(check_order(asked.order, declared.specs), asked.order, strict=True)
    ]
    values = Values(ns=asked.namespace, kind=asked.kind)
    query = _FIND.format(
        where=compile_filter(asked.where, declared, values),
        after=TRUE if asked.after is None else _later(keys, asked.after, values),
        columns=", ".join([NODE_COLUMNS, *(key.column for key in keys)]),
        order=", ".join([*(key.order for key in keys), "n.id"]),
        limit=asked.limit + 1,
    )
    return Listing(query, values, len(keys), asked.limit)


def _later(keys: Sequence[SortKey], cursor: str, values: Values) -> str:
    cells, identifier = cursors.decode(cursor, [key.type for key in keys])
    return _after(keys, cells, identifier, values)


def _after(keys: Sequence[SortKey], cells: cursors.Keys, identifier: str, values: Values) -> str:
    """Return the condition of coming after an item by these keys and then by id."""
    if not keys:
        return f"n.id > {values.bind(identifier)}"
    key, value = keys[0], cells[0]
    rest = _after(keys[1:], cells[1:], identifier, values)
    if value is None:
        return f"({key.column} IS NULL AND {rest})"
    bound = values.bind(value if isinstance(value, str) else float(value))
    return f"({key.column} IS NULL OR {key.column} {key.beyond} {bound} OR ({key.column} = {bound} AND {rest}))"
