"""Walks, level by level, and shortest paths, found by the engine. Each runs in one snapshot."""

from collections.abc import Collection
from functools import partial
from typing import Final

from backends.engines.kuzu.driver import Cell, DriverError, Session
from backends.engines.kuzu.errors import exhausted
from backends.engines.kuzu.expand import links, live
from backends.engines.kuzu.query_strategy import QueryStrategy, each
from backends.engines.kuzu.rows import EDGE_COLUMNS, edge, key_of, keys_of, texts
from backends.kit import traversal
from backends.kit.traversal import Route, Way
from backends.ports.graph import SHORTEST_PATHS_COMPARED, Edge, Path, Walk
from backends.ports.values import EdgeId, Namespace, NodeId

EDGES_BY_KEY: Final = f"MATCH (e:Edge {{key: @key}}) RETURN {EDGE_COLUMNS}"
_SHORTEST: Final = (
    "MATCH (a:Node {{key: $source}})-[e:Link* ALL SHORTEST 1..{hops:d} (r, n | WHERE NOT r.hidden{types})]{arrow}"
    "(b:Node {{key: $target}}) RETURN properties(rels(e), 'id'), properties(rels(e), 'source'), properties(nodes(e), 'id')"
    " LIMIT {limit:d}"
)


def walk(
    session: Session, namespace: Namespace, start: str, way: Way, max_depth: int, limit: int, strategy: QueryStrategy
) -> Walk:
    """Return the nodes within reach of a live start; none for any other start."""
    if not live(session, namespace, [start], strategy):
        return Walk((), truncated=False)
    search = traversal.walk(start, way, max_depth, limit)
    reach = traversal.run(search, partial(links, session, namespace, strategy))
    return reach.walk(edges_by_id(session, namespace, reach.edges, strategy))


def shortest_path(
    session: Session, namespace: Namespace, source: str, target: str, way: Way, max_hops: int, strategy: QueryStrategy
) -> Path | None:
    """Return the best of up to 256 shortest paths between two live nodes. Among more, the best of those listed."""
    if len(live(session, namespace, {source, target}, strategy)) < len({source, target}):
        return None
    if source == target:
        return Path((NodeId(source),), ())
    try:
        route = _native(session, namespace, source, target, way, max_hops)
    except DriverError as error:
        if not exhausted(error):
            raise
        # There are too many paths to list within the buffer pool. The error has ended the snapshot.
        session.run("BEGIN TRANSACTION READ ONLY")
        search = traversal.shortest_path(source, target, way, max_hops)
        route = traversal.run(search, partial(links, session, namespace, strategy))
    return None if route is None else route.path(edges_by_id(session, namespace, route.edges, strategy))


def edges_by_id(
    session: Session, namespace: Namespace, ids: Collection[EdgeId], strategy: QueryStrategy
) -> dict[EdgeId, Edge]:
    """Return edges by id, hidden ones included."""
    rows = each(session, EDGES_BY_KEY, keys_of(namespace, ids), looped=strategy.keys_looped)
    return {found.id: found for found in map(edge, rows)}


def _native(session: Session, namespace: Namespace, source: str, target: str, way: Way, max_hops: int) -> Route | None:
    if way.types is not None and not way.types:
        return None
    query = _SHORTEST.format(
        hops=max_hops,
        types="" if way.types is None else " AND r.type IN $types",
        arrow="->" if way.direction == "out" else "-",
        limit=SHORTEST_PATHS_COMPARED + 1,
    )
    values: dict[str, Cell] = {"source": key_of(namespace, source), "target": key_of(namespace, target)}
    if way.types is not None:
        values["types"] = sorted(way.types)
    routes: list[tuple[int, tuple[str, ...], Route]] = []
    for edges, sources, middle in session.run(query, values):
        nodes = (source, *texts(middle), target)
        forward = sum(begin == node for begin, node in zip(texts(sources), nodes, strict=False))
        route = Route(tuple(map(NodeId, nodes)), tuple(map(EdgeId, texts(edges))))
        routes.append((-forward, route.edges, route))
    return min(routes, key=lambda found: found[:2])[2] if routes else None
