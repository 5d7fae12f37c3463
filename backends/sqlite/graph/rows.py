"""How nodes and edges lie in rows."""

from typing import Final

from backends.declarations import stored_fields
from backends.jsontext import parse_props
from backends.ports.graph import Edge, Node
from backends.ports.values import EdgeId, NodeId, Revision
from backends.sqlite.statements import statement

NODE_COLUMNS: Final = "n.id, n.kind, n.fields, n.rev, n.props"
EDGE_COLUMNS: Final = "e.id, e.source, e.target, e.type, e.rev, e.confidence, e.props"
NodeRow = tuple[NodeId, str, str, Revision, str | None]
EdgeRow = tuple[EdgeId, NodeId, NodeId, str, Revision, float, str | None]

# Ends are always known, dead or alive, and the dead are few: one look into their small index answers what two into all would.
LIVE_END: Final = (
    "NOT EXISTS(SELECT 1 FROM nodes d INDEXED BY nodes_dead WHERE d.ns = e.ns AND d.id = e.{end} AND d.dead = 1)"
)
VISIBLE: Final = " AND ".join(("e.dead = 0", statement(LIVE_END, end="source"), statement(LIVE_END, end="target")))
"""The condition that an edge and both its ends are live."""


def node(row: NodeRow) -> Node:
    """Return the node of a row of `NODE_COLUMNS`."""
    identifier, kind, fields, rev, props = row
    return Node(identifier, kind, stored_fields(fields), rev, parse_props(props))


def edge(row: EdgeRow) -> Edge:
    """Return the edge of a row of `EDGE_COLUMNS`."""
    identifier, source, target, kind, rev, confidence, props = row
    return Edge(identifier, source, target, kind, rev, confidence, parse_props(props))
