"""How nodes and edges lie in rows."""

from typing import Final

from backends.declarations import stored_fields
from backends.jsontext import parse_props
from backends.ports.graph import Edge, Node
from backends.ports.values import EdgeId, NodeId, Revision

NODE_COLUMNS: Final = "n.id, n.kind, n.fields, n.rev, n.props"
EDGE_COLUMNS: Final = "e.id, e.source, e.target, e.type, e.rev, e.confidence, e.props"
NodeRow = tuple[NodeId, str, str, Revision, str | None]
EdgeRow = tuple[EdgeId, NodeId, NodeId, str, Revision, float, str | None]

VISIBLE: Final = (
    "e.dead = 0 AND EXISTS(SELECT 1 FROM nodes s WHERE s.ns = e.ns AND s.id = e.source AND s.dead = 0)"
    " AND EXISTS(SELECT 1 FROM nodes o WHERE o.ns = e.ns AND o.id = e.target AND o.dead = 0)"
)
"""The condition that an edge and both its ends are live."""


def node(row: NodeRow) -> Node:
    """Return the node of a row of `NODE_COLUMNS`."""
    identifier, kind, fields, rev, props = row
    return Node(identifier, kind, stored_fields(fields), rev, parse_props(props))


def edge(row: EdgeRow) -> Edge:
    """Return the edge of a row of `EDGE_COLUMNS`."""
    identifier, source, target, kind, rev, confidence, props = row
    return Edge(identifier, source, target, kind, rev, confidence, parse_props(props))
