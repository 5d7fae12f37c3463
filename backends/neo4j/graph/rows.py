"""How nodes and edges lie in properties, and are read back from columns."""

from typing import Final

from backends.declarations import stored_fields
from backends.jsontext import parse_props
from backends.ports.graph import Edge, Node
from backends.ports.values import EdgeId, NodeId, Revision

# A deleted node keeps its id and revision but has no kind, so that no index by kind has it.
LIVE: Final = "n.kind IS NOT NULL"
VISIBLE: Final = "a.kind IS NOT NULL AND b.kind IS NOT NULL"
"""The condition that both ends of an edge are live."""

BY_ID: Final = "USING INDEX SEEK n:EntrepotNode(ns, id)"
"""Said aloud: where liveness is asked for, too, the planner may walk the index by kind through the whole namespace."""

NODE_COLUMNS: Final = "n.id, n.kind, n.fields, n.rev, n.props"
EDGE_COLUMNS: Final = "e.id, startNode(e).id, endNode(e).id, e.type, e.rev, e.confidence, e.props"


def node(identifier: str, kind: str, fields: str, rev: int, props: str | None) -> Node:
    """Return the node of `NODE_COLUMNS`."""
    return Node(NodeId(identifier), kind, stored_fields(fields), Revision(rev), parse_props(props))


def edge(identifier: str, source: str, target: str, kind: str, rev: int, confidence: float, props: str | None) -> Edge:
    """Return the edge of `EDGE_COLUMNS`."""
    ends = (NodeId(source), NodeId(target))
    return Edge(EdgeId(identifier), *ends, kind, Revision(rev), confidence, parse_props(props))
