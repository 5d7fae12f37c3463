"""Walks and shortest paths, level by level over SQL hops in one snapshot."""

import sqlite3
from collections.abc import Iterable
from functools import partial
from typing import Final

from backends import traversal
from backends.ports.graph import Edge, Path, Walk
from backends.ports.values import EdgeId
from backends.sqlite.graph.hops import links, live
from backends.sqlite.graph.rows import EDGE_COLUMNS, EdgeRow, edge
from backends.sqlite.statements import json_list, statement
from backends.traversal import Way

EDGES_BY_ID: Final = statement(
    "SELECT {columns} FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value", columns=EDGE_COLUMNS
)


def walk(connection: sqlite3.Connection, namespace: str, start: str, way: Way, max_depth: int, limit: int) -> Walk:
    """Return what lies within reach of a live start; nothing for another one."""
    if not live(connection, namespace, [start]):
        return Walk((), truncated=False)
    reach = traversal.run(traversal.walk(start, way, max_depth, limit), partial(links, connection, namespace))
    return reach.walk(edges_by_id(connection, namespace, reach.edges))


def shortest_path(
    connection: sqlite3.Connection, namespace: str, source: str, target: str, way: Way, max_hops: int
) -> Path | None:
    """Return the best of the shortest paths between two live nodes."""
    if len(live(connection, namespace, {source, target})) < len({source, target}):
        return None
    search = traversal.shortest_path(source, target, way, max_hops)
    route = traversal.run(search, partial(links, connection, namespace))
    return None if route is None else route.path(edges_by_id(connection, namespace, route.edges))


def edges_by_id(connection: sqlite3.Connection, namespace: str, ids: Iterable[EdgeId]) -> dict[EdgeId, Edge]:
    """Return edges by id, seen or not."""
    rows: list[EdgeRow] = connection.execute(EDGES_BY_ID, (json_list(list(ids)), namespace)).fetchall()
    return {row[0]: edge(row) for row in rows}
