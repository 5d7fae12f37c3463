"""Totals: nodes per combination of fields, edges per type."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backends.kuzu.driver import Cell, Session
from backends.kuzu.filters import Values, compile_filter
from backends.kuzu.kinds import Declared
from backends.kuzu.rows import integer
from backends.ports.filters import Filter
from backends.ports.graph import Group
from backends.ports.values import Namespace, Scalar
from backends.questions import check_groups, group_position

_NODES: Final = "MATCH (n:Node) WHERE n.ns = $ns AND n.kind = $kind AND NOT n.dead AND {where} RETURN count(*){columns}"
_EDGES: Final = "MATCH (a:Node)-[e:Link]->(:Node) WHERE a.ns = $ns AND NOT e.hidden RETURN e.type, count(*)"


@dataclass(frozen=True, slots=True)
class NodeCount:
    """A statement to run, and how its rows become groups."""

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
    """Return the count of live nodes per combination of fields. Raises `InvalidInput`."""
    types = [spec.type for spec in check_groups(by, declared.specs)]
    values = Values(ns=namespace, kind=kind)
    condition = compile_filter(where, declared, values)
    columns = "".join(f", n.{declared.column(name)}" for name in by)
    return NodeCount(_NODES.format(where=condition, columns=columns), values, types)


def count_edges(session: Session, namespace: Namespace) -> dict[str, int]:
    """Count visible edges per type, types by name."""
    rows = session.run(_EDGES, {"ns": namespace})
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
