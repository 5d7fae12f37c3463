"""Listings and counts. Each is one statement that scans all nodes of a kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backends.engines.kuzu.driver import Cell, Row, Session
from backends.engines.kuzu.filters import TRUE, Values, compile_filter
from backends.engines.kuzu.kinds import Declared
from backends.engines.kuzu.rows import NODE_COLUMNS, integer, node
from backends.kit import cursors
from backends.kit.declarations import group_fields, sort_fields
from backends.kit.records import group_position
from backends.ports.filters import Filter
from backends.ports.graph import Group, Node, Order
from backends.ports.values import Namespace, Page, Scalar

_FIND: Final = (
    "MATCH (n:Node) WHERE n.ns = $ns AND n.kind = $kind AND NOT n.dead AND {where} AND {after}"
    " RETURN {columns} ORDER BY {order} LIMIT {limit:d}"
)
_COUNT_NODES: Final = (
    "MATCH (n:Node) WHERE n.ns = $ns AND n.kind = $kind AND NOT n.dead AND {where} RETURN count(*){columns}"
)
_COUNT_EDGES: Final = "MATCH (a:Node)-[e:Link]->(:Node) WHERE a.ns = $ns AND NOT e.hidden RETURN e.type, count(*)"


@dataclass(frozen=True, slots=True)
class SortKey:
    """A column to sort by."""

    column: str
    type: str
    descending: bool

    @property
    def order(self) -> str:
        """The key as part of ORDER BY; missing values come last in either direction."""
        return f"{self.column} IS NULL, {self.column} {'DESC' if self.descending else 'ASC'}"

    @property
    def beyond(self) -> str:
        """The comparison that later values satisfy."""
        return "<" if self.descending else ">"


@dataclass(frozen=True, slots=True)
class FindRequest:
    """The arguments of `find`."""

    namespace: Namespace
    kind: str
    where: Filter | None
    order: Sequence[Order]
    after: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class Listing:
    """A listing statement and the parsing of its rows into a page."""

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


def listing(asked: FindRequest, declared: Declared) -> Listing:
    """Return the statement of a listing. Raises `InvalidInput`."""
    keys = [
        SortKey(f"n.{declared.column(spec.name)}", spec.type, key.descending)
        for spec, key in zip(sort_fields(asked.order, declared.specs), asked.order, strict=True)
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
    """Return the condition that a node follows an item, by these keys and then by id."""
    if not keys:
        return f"n.id > {values.bind(identifier)}"
    key, value = keys[0], cells[0]
    rest = _after(keys[1:], cells[1:], identifier, values)
    if value is None:
        return f"({key.column} IS NULL AND {rest})"
    bound = values.bind(value if isinstance(value, str) else float(value))
    return f"({key.column} IS NULL OR {key.column} {key.beyond} {bound} OR ({key.column} = {bound} AND {rest}))"


@dataclass(frozen=True, slots=True)
class NodeCount:
    """A counting statement and the parsing of its rows into groups."""

    query: str
    values: Values
    types: Sequence[str]

    def groups(self, session: Session) -> list[Group]:
        """Run the statement."""
        rows = session.run(self.query, self.values.bound)
        groups = (Group(tuple(map(_scalar, row[1:], self.types)), integer(row[0])) for row in rows)
        return sorted(groups, key=group_position)


def node_count(
    namespace: Namespace, kind: str, declared: Declared, by: Sequence[str], where: Filter | None
) -> NodeCount:
    """Return the statement that counts live nodes per combination of fields. Raises `InvalidInput`."""
    types = [spec.type for spec in group_fields(by, declared.specs)]
    values = Values(ns=namespace, kind=kind)
    condition = compile_filter(where, declared, values)
    columns = "".join(f", n.{declared.column(name)}" for name in by)
    return NodeCount(_COUNT_NODES.format(where=condition, columns=columns), values, types)


def count_edges(session: Session, namespace: Namespace) -> dict[str, int]:
    """Return the number of visible edges per type, sorted by type."""
    rows = session.run(_COUNT_EDGES, {"ns": namespace})
    return dict(sorted((str(kind), integer(count)) for kind, count in rows))


def _scalar(cell: Cell, kind: str) -> Scalar | None:
    match cell:
        case str():
            return cell
        case int() | float() if kind == "bool":
            return bool(cell)
        case int() | float():
            return int(cell) if kind == "int" else float(cell)
        case _:
            return None
