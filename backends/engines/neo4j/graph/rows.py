"""Conversion of columns to nodes and edges."""

from typing import Final

from backends.engines.neo4j.errors import ChangedWhileRead
from backends.kit.declarations import parse_fields
from backends.kit.records import parse_props
from backends.ports.graph import Edge, Node
from backends.ports.values import EdgeId, NodeId, Revision

# A deleted node keeps its id and revision but has no kind, so no index by kind contains it.
LIVE: Final = "n.kind IS NOT NULL"
VISIBLE: Final = "a.kind IS NOT NULL AND b.kind IS NOT NULL"
"""The condition that both ends of an edge are live."""

BY_ID: Final = "USING INDEX SEEK n:EntrepotNode(ns, id)"
"""An index hint: with a condition on the kind the planner might scan the whole namespace by kind."""

NODE_COLUMNS: Final = "n.id, n.kind, n.fields, n.rev, n.props"
EDGE_COLUMNS: Final = "e.id, startNode(e).id, endNode(e).id, e.type, e.rev, e.confidence, e.props"


def node(identifier: str, kind: str | None, fields: str | None, rev: int, props: str | None) -> Node:
    """Return the node of a row of `NODE_COLUMNS`. Raises `ChangedWhileRead`."""
    if kind is None or fields is None:
        raise ChangedWhileRead(f"node {identifier!r} was deleted while it was read")
    return Node(NodeId(identifier), kind, parse_fields(fields), Revision(rev), parse_props(props))


def edge(identifier: str, source: str, target: str, kind: str, rev: int, confidence: float, props: str | None) -> Edge:
    """Return the edge of a row of `EDGE_COLUMNS`."""
    ends = (NodeId(source), NodeId(target))
    return Edge(EdgeId(identifier), *ends, kind, Revision(rev), confidence, parse_props(props))
