"""The rows and keys of nodes and edges."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from backends.engines.kuzu.driver import Cell, Row
from backends.kit.declarations import parse_fields
from backends.kit.records import parse_props
from backends.ports.graph import Edge, Node
from backends.ports.values import EdgeId, Namespace, NodeId, Revision

NODE_COLUMNS: Final = "n.id, n.kind, n.fields, n.rev, n.props"
EDGE_COLUMNS: Final = "e.id, e.source, e.target, e.type, e.rev, e.confidence, e.props"


def key_of(namespace: Namespace, identifier: str) -> str:
    """Return the primary key. A namespace contains no slash, so keys of two namespaces never collide."""
    return f"{namespace}/{identifier}"


def keys_of(namespace: Namespace, ids: Iterable[str]) -> list[Mapping[str, Cell]]:
    """Return one row with the key for each id."""
    return [{"key": key_of(namespace, identifier)} for identifier in ids]


def node(row: Row) -> Node:
    """Return the node of a row that begins with `NODE_COLUMNS`."""
    identifier, kind, fields, rev, props = row[:5]
    return Node(
        NodeId(str(identifier)), str(kind), parse_fields(str(fields)), Revision(integer(rev)), parse_props(text(props))
    )


def edge(row: Row) -> Edge:
    """Return the edge of a row of `EDGE_COLUMNS`."""
    identifier, source, target, kind, rev, confidence, props = row
    return Edge(
        EdgeId(str(identifier)),
        NodeId(str(source)),
        NodeId(str(target)),
        str(kind),
        Revision(integer(rev)),
        number(confidence),
        parse_props(text(props)),
    )


def text(cell: Cell) -> str | None:
    """Return a text, None if it is missing."""
    return cell if isinstance(cell, str) else None


def texts(cell: Cell) -> list[str]:
    """Return a list of texts."""
    return [str(part) for part in cell] if isinstance(cell, Collection) and not isinstance(cell, str) else []


def number(cell: Cell) -> float:
    """Return a number."""
    return float(cell) if isinstance(cell, int | float) else 0.0


def integer(cell: Cell) -> int:
    """Return an integer."""
    return int(cell) if isinstance(cell, int | float) else 0
