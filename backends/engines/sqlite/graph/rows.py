"""Nodes and edges as rows: the columns that are read, and their conversion."""

from typing import Final

from backends.engines.sqlite.schema import statement
from backends.kit.declarations import parse_fields
from backends.kit.records import parse_props
from backends.ports.graph import Edge, Node
from backends.ports.values import EdgeId, NodeId, Revision

NODE_COLUMNS: Final = "n.id, n.kind, n.fields, n.rev, n.props"
NodeRow = tuple[NodeId, str, str, Revision, str | None]
EDGE_COLUMNS: Final = "e.id, e.source, e.target, e.type, e.rev, e.confidence, e.props"
EdgeRow = tuple[EdgeId, NodeId, NodeId, str, Revision, float, str | None]
# Both ends of an edge are always known and few nodes are deleted: one lookup among those replaces two among all nodes.
LIVE_END: Final = (
    "NOT EXISTS(SELECT 1 FROM nodes d INDEXED BY nodes_dead WHERE d.ns = e.ns AND d.id = e.{end} AND d.dead = 1)"
)
VISIBLE: Final = " AND ".join(("e.dead = 0", statement(LIVE_END, end="source"), statement(LIVE_END, end="target")))
"""The condition that an edge and both its ends are live."""


def node(row: NodeRow) -> Node:
    """Return the node of a row of `NODE_COLUMNS`."""
    identifier, kind, fields, rev, props = row
    return Node(identifier, kind, parse_fields(fields), rev, parse_props(props))


def edge(row: EdgeRow) -> Edge:
    """Return the edge of a row of `EDGE_COLUMNS`."""
    identifier, source, target, edge_type, rev, confidence, props = row
    return Edge(identifier, source, target, edge_type, rev, confidence, parse_props(props))
