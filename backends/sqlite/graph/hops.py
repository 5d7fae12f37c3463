"""One hop: the edges at nodes, cut per node, and all links that lead on from a frontier."""

import sqlite3
from collections.abc import Collection, Iterator
from typing import Final

from backends.ports.graph import Direction, Edge, Expansion
from backends.ports.values import NodeId
from backends.sqlite.declarations import SqlValue
from backends.sqlite.graph.rows import EDGE_COLUMNS, edge
from backends.sqlite.statements import json_list, statement
from backends.traversal import Hop, Link, Way

LIVE: Final = "SELECT n.id FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value WHERE n.dead = 0"
_ENDS: Final = {"out": ("source", "target"), "in": ("target", "source")}
_EDGES = (
    "SELECT {columns} FROM edges e INDEXED BY edges_{side} WHERE e.ns = ? AND e.{near} = ? AND e.dead = 0"
    " AND e.confidence >= ?{types}{loops}"
    " AND EXISTS(SELECT 1 FROM nodes o WHERE o.ns = e.ns AND o.id = e.{far} AND o.dead = 0)"
    " ORDER BY e.confidence DESC, e.{far}, e.id LIMIT ?"
)
_LINKS = (
    "SELECT e.{near}, e.{far}, e.id, e.confidence FROM json_each(?) w CROSS JOIN edges e INDEXED BY edges_{side}"
    " ON e.ns = ? AND e.{near} = w.value AND e.dead = 0 WHERE e.confidence >= ?{types}"
)
_TYPES = " AND e.type IN (SELECT value FROM json_each(?))"


def live(connection: sqlite3.Connection, namespace: str, ids: Collection[str]) -> list[str]:
    """Return the live nodes among `ids`."""
    rows: list[tuple[str]] = connection.execute(LIVE, (json_list(list(ids)), namespace)).fetchall()
    return [row[0] for row in rows]


def expand(connection: sqlite3.Connection, namespace: str, ids: Collection[str], way: Way, limit: int) -> Expansion:
    """Return the best edges at each live node."""
    found: dict[NodeId, tuple[Edge, ...]] = {}
    cut: set[NodeId] = set()
    for name in live(connection, namespace, ids):
        key = NodeId(name)
        edges = [edge for side in way.sides for edge in _edges(connection, namespace, key, side, way, limit + 1)]
        if len(way.sides) > 1:
            edges.sort(key=lambda edge: (-edge.confidence, edge.target if edge.source == key else edge.source, edge.id))
        if len(edges) > limit:
            cut.add(key)
        found[key] = tuple(edges[:limit])
    return Expansion(found, frozenset(cut))


def links(connection: sqlite3.Connection, namespace: str, hop: Hop) -> Iterator[Link]:
    """Yield every link from the frontier to a live node; a self-loop may come twice."""
    way = hop.way
    for side in way.sides:
        near, far = _ENDS[side]
        query = statement(_LINKS, side=side, near=near, far=far, types=_TYPES if way.types is not None else "")
        values = (json_list(list(hop.frontier)), namespace, way.min_confidence, *_type_values(way))
        rows: list[tuple[str, str, str, float]] = connection.execute(query, values).fetchall()
        # Links come together in few nodes; each of these is looked up once.
        there = set(live(connection, namespace, {row[1] for row in rows}))
        for near_end, far_end, edge_id, confidence in rows:
            if far_end in there:
                yield Link(near_end, far_end, edge_id, confidence, forward=side == "out")


def _edges(
    connection: sqlite3.Connection, namespace: str, key: NodeId, side: Direction, way: Way, limit: int
) -> list[Edge]:
    near, far = _ENDS[side]
    query = statement(
        _EDGES,
        columns=EDGE_COLUMNS,
        side=side,
        near=near,
        far=far,
        types=_TYPES if way.types is not None else "",
        loops=" AND e.source <> e.target" if side == "in" and way.direction == "both" else "",
    )
    values: tuple[SqlValue, ...] = (namespace, key, way.min_confidence, *_type_values(way), limit)
    return [edge(row) for row in connection.execute(query, values)]


def _type_values(way: Way) -> tuple[str, ...]:
    """Return the value of the condition on types, if there is one."""
    return () if way.types is None else (json_list(sorted(way.types)),)
