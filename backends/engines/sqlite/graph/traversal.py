"""Hops: the edges of nodes, limited per node; the links of a frontier; and the walks and paths built from them."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import chain
from typing import Final

from backends.engines.sqlite.declarations import SqlValue
from backends.engines.sqlite.graph.rows import EDGE_COLUMNS, LIVE_END, EdgeRow, edge
from backends.engines.sqlite.schema import json_list, statement
from backends.kit import traversal
from backends.kit.traversal import EdgeFilter, HopRequest, Link, tied
from backends.ports.graph import Direction, Edge, Expansion, GraphPath, Walk
from backends.ports.values import EdgeId, NodeId

_ENDS: Final = {"out": ("source", "target"), "in": ("target", "source")}
_NODE = "SELECT n.id, '', '', '', 0, -1.0, NULL FROM nodes n WHERE n.ns = :ns AND n.id = :node AND n.dead = 0"
_EDGES = (
    "SELECT * FROM (SELECT {columns} FROM edges e INDEXED BY edges_{side} WHERE e.ns = :ns AND e.{near} = :node"
    " AND e.dead = 0 AND e.confidence >= :least{types}{loops}"
    " AND {live}"
    " ORDER BY e.confidence DESC, e.{far}, e.id LIMIT :limit)"
)
_LIVE = "SELECT n.id FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value WHERE n.dead = 0"
_FOUND = "SELECT e.{near}, e.{far}, e.id, e.confidence FROM"
_FROM_ANY = (
    " json_each(:frontier) w CROSS JOIN edges e INDEXED BY edges_{side}"
    " ON e.ns = :ns AND e.{near} = w.value AND e.dead = 0 WHERE e.confidence >= :least{types}"
)
_LINKS = f"{_FOUND}{_FROM_ANY}{{targets}} AND {{live}}"
_MANY = f"SELECT 1 FROM{_FROM_ANY} LIMIT 1 OFFSET :max_links"
_FROM_ONE = (
    f"{_FOUND} edges e INDEXED BY edges_{{side}}"
    " WHERE e.ns = :ns AND e.{near} = :node AND e.dead = 0 AND e.confidence >= :least{types} AND {live}"
    " ORDER BY e.confidence DESC, e.{far}, e.id"
)
_TIED = (
    "SELECT 1 FROM edges e INDEXED BY edges_{side} WHERE e.ns = :ns AND e.{near} = :node AND e.dead = 0"
    " AND e.confidence < :confidence AND e.confidence >= :tied LIMIT 1"
)
_TYPES = " AND e.type IN (SELECT value FROM json_each(:types))"
_TARGETS = " AND e.{far} IN (SELECT value FROM json_each(:targets))"
READ_ONE_BY_ONE: Final = 256
"""Up to this many nodes in a frontier it is cheaper to read each node alone, with no more links than are needed."""
_EDGES_BY_ID: Final = statement(
    "SELECT {columns} FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value", columns=EDGE_COLUMNS
)
LinkRow = tuple[str, str, str, float]


def _live(connection: sqlite3.Connection, namespace: str, ids: Collection[str]) -> list[str]:
    """Return the live nodes among `ids`."""
    rows: list[tuple[str]] = connection.execute(_LIVE, (json_list(list(ids)), namespace)).fetchall()
    return [row[0] for row in rows]


def expand(
    connection: sqlite3.Connection, namespace: str, ids: Collection[str], edge_filter: EdgeFilter, limit: int
) -> Expansion:
    """Return the best edges of each live node, with one statement per node."""
    found: dict[NodeId, tuple[Edge, ...]] = {}
    cut: set[NodeId] = set()
    query = _around(edge_filter.direction, typed=edge_filter.types is not None)
    values = {
        "ns": namespace,
        "least": edge_filter.min_confidence,
        "limit": limit + 1,
        "types": _type_names(edge_filter),
    }
    for key in map(NodeId, ids):
        rows: list[EdgeRow] = connection.execute(query, {**values, "node": key}).fetchall()
        # Each side is already in this order: confidence, other end, edge id. The row of the node itself comes last.
        rows.sort(key=lambda row: (-row[5], row[2] if row[1] == key else row[1], row[0]))
        if not rows or rows.pop()[5] >= 0:
            continue
        if len(rows) > limit:
            cut.add(key)
        found[key] = tuple(map(edge, rows[:limit]))
    return Expansion(found, frozenset(cut))


def walk(
    connection: sqlite3.Connection, namespace: str, start: str, edge_filter: EdgeFilter, max_depth: int, limit: int
) -> Walk:
    """Return the walk from `start`, which is empty if that is not a live node."""
    if not _live(connection, namespace, [start]):
        return Walk((), truncated=False)
    result = traversal.run(traversal.walk(start, edge_filter, max_depth, limit), partial(_links, connection, namespace))
    return result.walk(_edges_by_id(connection, namespace, result.edges))


def shortest_path(
    connection: sqlite3.Connection, namespace: str, source: str, target: str, edge_filter: EdgeFilter, max_hops: int
) -> GraphPath | None:
    """Return the best of the shortest paths, None if an end is not live."""
    if len(_live(connection, namespace, {source, target})) < len({source, target}):
        return None
    search = traversal.shortest_path(source, target, edge_filter, max_hops)
    refs = traversal.run(search, partial(_links, connection, namespace))
    return None if refs is None else refs.path(_edges_by_id(connection, namespace, refs.edges))


def _edges_by_id(connection: sqlite3.Connection, namespace: str, ids: Iterable[EdgeId]) -> dict[EdgeId, Edge]:
    """Return edges by id, whether visible or not."""
    rows: list[EdgeRow] = connection.execute(_EDGES_BY_ID, (json_list(list(ids)), namespace)).fetchall()
    return {row[0]: edge(row) for row in rows}


def _links(connection: sqlite3.Connection, namespace: str, request: HopRequest) -> Iterator[Link] | None:
    """Return the links from the frontier to live nodes, None if there are too many; a self-loop may come twice."""
    values = _values(namespace, request)
    if request.max_links is not None:
        for side in request.edge_filter.sides:
            if connection.execute(_statement(_MANY, side, request), values).fetchone() is not None:
                return None
    return _found(connection, request, values)


def _found(connection: sqlite3.Connection, request: HopRequest, values: Mapping[str, SqlValue]) -> Iterator[Link]:
    for side in request.edge_filter.sides:
        rows: Iterable[LinkRow]
        if request.limit_per_node is not None and len(request.frontier) <= READ_ONE_BY_ONE:
            query = partial(_of_one, connection, request, side, _statement(_FROM_ONE, side, request))
            rows = chain.from_iterable(query({**values, "node": node}) for node in request.frontier)
        else:
            rows = connection.execute(_statement(_LINKS, side, request), values)
        forward = side == "out"
        for near, far, edge_id, confidence in rows:
            yield Link(near, far, edge_id, confidence, forward)


def _of_one(
    connection: sqlite3.Connection, request: HopRequest, side: Direction, query: str, values: Mapping[str, SqlValue]
) -> Iterable[LinkRow]:
    rows = connection.execute(query, values)
    if request.limit_per_node is None:
        return rows
    # Most nodes have fewer links than are needed, so all of theirs are.
    begun: list[LinkRow] = rows.fetchmany(request.limit_per_node)
    if len(begun) < request.limit_per_node:
        return begun

    def less_is_tied(confidence: float) -> bool:
        bounds = {"confidence": confidence, "tied": tied(confidence)}
        return connection.execute(_statement(_TIED, side, request), {**values, **bounds}).fetchone() is not None

    return _first(chain(begun, rows), request.limit_per_node, less_is_tied)


def _first(rows: Iterable[LinkRow], ends: int, less_is_tied: Callable[[float], bool]) -> Iterator[LinkRow]:
    """Yield rows until there are `ends` different far ends, and then those whose confidence ties with the last."""
    seen: set[str] = set()
    above, last = 2.0, 2.0
    least: float | None = None
    for row in rows:
        if least is not None and row[3] < least:
            return
        yield row
        seen.add(row[1])
        if row[3] < last:
            above, last = last, row[3]
        if least is None and len(seen) == ends:
            if tied(above) > last and not less_is_tied(last):
                return
            least = tied(last)


def _statement(template: str, side: Direction, request: HopRequest) -> str:
    near, far = _ENDS[side]
    return statement(
        template,
        side=side,
        near=near,
        far=far,
        types="" if request.edge_filter.types is None else _TYPES,
        targets="" if request.targets is None else statement(_TARGETS, far=far),
        live=statement(LIVE_END, end=far),
    )


def _values(namespace: str, request: HopRequest) -> dict[str, SqlValue]:
    return {
        "ns": namespace,
        "frontier": json_list(list(request.frontier)),
        "least": request.edge_filter.min_confidence,
        "types": _type_names(request.edge_filter),
        "targets": None if request.targets is None else json_list(list(request.targets)),
        "max_links": request.max_links,
    }


@cache
def _around(direction: Direction, *, typed: bool) -> str:
    """Return the statement that reads a node, as a row with a confidence of -1, and its edges."""
    sides = EdgeFilter(direction, None).sides
    edges = [
        statement(
            _EDGES,
            columns=EDGE_COLUMNS,
            side=side,
            near=_ENDS[side][0],
            far=_ENDS[side][1],
            live=statement(LIVE_END, end=_ENDS[side][1]),
            types=_TYPES if typed else "",
            loops=" AND e.source <> e.target" if side == "in" and direction == "both" else "",
        )
        for side in sides
    ]
    return " UNION ALL ".join([_NODE, *edges])


def _type_names(edge_filter: EdgeFilter) -> str | None:
    return None if edge_filter.types is None else json_list(sorted(edge_filter.types))
