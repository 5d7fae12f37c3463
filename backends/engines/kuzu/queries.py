"""Listings and counts. Each is one statement that scans all nodes of a kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backends.engines.kuzu.driver import Cell, Row, Session
from backends.engines.kuzu.filters import TRUE, Values, compile_filter
from backends.engines.kuzu.kinds import Declared
from backends.engines.kuzu.rows import NODE_COLUMNS, integer, node
from backends.kit import cursors
from backends.kit.cursors import Key
from backends.kit.declarations import group_fields
from backends.kit.pages import SortKey, after_condition, page, sort_keys
from backends.kit.queries import FindQuery
from backends.kit.records import group_position
from backends.ports.filters import Filter
from backends.ports.graph import Group, Node
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
class Listing:
    """A listing statement and the parsing of its rows into a page."""

    query: str
    values: Values
    keys: int
    limit: int

    def page(self, session: Session) -> Page[Node]:
        """Run the statement."""
        return page(session.run(self.query, self.values.bound), self.limit, item=node, cursor=self._cursor)

    def _cursor(self, last: Row) -> str:
        return cursors.encode(last[len(last) - self.keys :], str(last[0]))


def listing(asked: FindQuery, declared: Declared) -> Listing:
    """Return the statement of a listing. Raises `InvalidInput`."""
    keys = sort_keys(asked.order, declared.specs, lambda spec: f"n.{declared.column(spec.name)}")
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
    """Return the condition that a node follows the item of a cursor. Raises `InvalidInput` for a foreign one."""

    def bind(key: Key) -> str:
        return values.bind(float(key) if isinstance(key, int) else key)

    return after_condition(keys, *cursors.decode(cursor, [key.type for key in keys]), bind, id_column="n.id")


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
