"""One hop: the edges at nodes, cut per node, and all links that lead on from a frontier."""

import sqlite3
from collections.abc import Collection, Iterator
from functools import cache
from typing import Final

from backends.ports.graph import Direction, Edge, Expansion
from backends.ports.values import NodeId
from backends.sqlite.graph.rows import EDGE_COLUMNS, EdgeRow, edge
from backends.sqlite.statements import json_list, statement
from backends.traversal import Hop, Link, Way

LIVE: Final = "SELECT n.id FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value WHERE n.dead = 0"
_ENDS: Final = {"out": ("source", "target"), "in": ("target", "source")}
_NODE = "SELECT n.id, '', '', '', 0, -1.0, NULL FROM nodes n WHERE n.ns = ?1 AND n.id = ?2 AND n.dead = 0"
_EDGES = (
    "SELECT * FROM (SELECT {columns} FROM edges e INDEXED BY edges_{side} WHERE e.ns = ?1 AND e.{near} = ?2"
    " AND e.dead = 0 AND e.confidence >= ?3{types}{loops}"
    " AND EXISTS(SELECT 1 FROM nodes o WHERE o.ns = e.ns AND o.id = e.{far} AND o.dead = 0)"
    " ORDER BY e.confidence DESC, e.{far}, e.id LIMIT ?4)"
)
_TYPED = " AND e.type IN (SELECT value FROM json_each(?5))"
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
    """Return the best edges at each live node, by one statement for each."""
    found: dict[NodeId, tuple[Edge, ...]] = {}
    cut: set[NodeId] = set()
    query = _around(way.direction, typed=way.types is not None)
    bounds = (way.min_confidence, limit + 1, *_type_values(way))
    for key in map(NodeId, ids):
        rows: list[EdgeRow] = connection.execute(query, (namespace, key, *bounds)).fetchall()
        # By confidence, the other end and the edge's id, as each side is already; the node itself comes last.
        rows.sort(key=lambda row: (-row[5], row[2] if row[1] == key else row[1], row[0]))
        if not rows or rows.pop()[5] >= 0:
            continue
        if len(rows) > limit:
            cut.add(key)
        found[key] = tuple(map(edge, rows[:limit]))
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


@cache
def _around(direction: Direction, *, typed: bool) -> str:
    """Return the statement that reads a node, as a row with a confidence below all, and the edges at its sides."""
    sides = Way(direction, None).sides
    edges = [
        statement(
            _EDGES,
            columns=EDGE_COLUMNS,
            side=side,
            near=_ENDS[side][0],
            far=_ENDS[side][1],
            types=_TYPED if typed else "",
            loops=" AND e.source <> e.target" if side == "in" and direction == "both" else "",
        )
        for side in sides
    ]
    return " UNION ALL ".join([_NODE, *edges])


def _type_values(way: Way) -> tuple[str, ...]:
    """Return the value of the condition on types, if there is one."""
    return () if way.types is None else (json_list(sorted(way.types)),)
