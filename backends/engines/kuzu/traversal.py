"""Traversal: the best edges of a node, walks level by level, and shortest paths found by the engine, each in one snapshot."""

from collections.abc import Collection, Iterator
from functools import partial
from typing import Final

from backends.engines.kuzu.driver import Cell, DriverError, Row, Session
from backends.engines.kuzu.errors import exhausted
from backends.engines.kuzu.query_strategy import QueryStrategy, each
from backends.engines.kuzu.rows import EDGE_COLUMNS, edge, key_of, keys_of, number, texts
from backends.kit import traversal
from backends.kit.traversal import EdgeFilter, HopRequest, Link, PathRefs
from backends.ports.graph import Edge, Expansion, GraphPath, Walk
from backends.ports.values import EdgeId, Namespace, NodeId

_LIVE: Final = "MATCH (x:Node {key: @key}) WHERE NOT x.dead RETURN x.id"
_ARROWS: Final = {"out": "-[e:Link]->", "in": "<-[e:Link]-", "both": "-[e:Link]-"}
_PASSABLE: Final = "NOT e.hidden AND e.confidence >= $least"
_TYPES: Final = " AND e.type IN $types"
_EDGES: Final = (
    "MATCH (a:Node {{key: $key}}){arrow}(b:Node) WHERE {passable} RETURN e.id, e.source, b.id, e.type, e.rev,"
    " e.confidence, e.props ORDER BY e.confidence DESC, b.id, e.id LIMIT {limit:d}"
)
_FROM_ONE: Final = "MATCH (a:Node {{key: $key}}){arrow}(b:Node) WHERE {passable} RETURN a.id, b.id, e.id, e.confidence"
_FROM_LIST: Final = (
    "MATCH (a:Node){arrow}(b:Node) WHERE a.key IN $keys AND {passable} RETURN a.id, b.id, e.id, e.confidence"
)
_FROM_MANY: Final = (
    "UNWIND $keys AS k MATCH (a:Node {{key: k}}) MATCH (a){arrow}(b:Node) WHERE {passable}"
    " RETURN a.id, b.id, e.id, e.confidence"
)

LISTED: Final = 256
"""How many shortest paths the engine lists. With more, the search goes level by level."""
EDGES_BY_KEY: Final = f"MATCH (e:Edge {{key: @key}}) RETURN {EDGE_COLUMNS}"
_SHORTEST: Final = (
    "MATCH (a:Node {{key: $source}})-[e:Link* ALL SHORTEST 1..{hops:d} (r, n | WHERE NOT r.hidden{types})]{arrow}"
    "(b:Node {{key: $target}}) RETURN properties(rels(e), 'id'), properties(rels(e), 'source'), properties(nodes(e), 'id')"
    " LIMIT {limit:d}"
)


def live(session: Session, namespace: Namespace, ids: Collection[str], strategy: QueryStrategy) -> list[str]:
    """Return the live nodes among `ids`."""
    return [str(row[0]) for row in each(session, _LIVE, keys_of(namespace, ids), looped=strategy.keys_looped)]


def expand(
    session: Session,
    namespace: Namespace,
    ids: Collection[str],
    edge_filter: EdgeFilter,
    limit: int,
    strategy: QueryStrategy,
) -> Expansion:
    """Return the best edges of each live node."""
    found: dict[NodeId, tuple[Edge, ...]] = {}
    cut: set[NodeId] = set()
    for key in map(NodeId, live(session, namespace, ids, strategy)):
        edges = around(session, namespace, key, edge_filter, limit + 1)
        if len(edges) > limit:
            cut.add(key)
        found[key] = tuple(edges[:limit])
    return Expansion(found, frozenset(cut))


def around(session: Session, namespace: Namespace, key: NodeId, edge_filter: EdgeFilter, limit: int) -> list[Edge]:
    """Return the best edges of a node in one statement. A node that is deleted or unknown has none."""
    passable, values = _passable(edge_filter)
    # A self-loop is found once per direction, so each edge may come twice.
    query = _EDGES.format(arrow=_ARROWS[edge_filter.direction], passable=passable, limit=len(edge_filter.sides) * limit)
    rows = session.run(query, {"key": key_of(namespace, key), **values})
    edges: dict[EdgeId, Edge] = {}
    for identifier, source, other, *rest in rows:
        ends = [key, other] if source == key else [other, key]
        made = edge([identifier, *ends, *rest])
        edges.setdefault(made.id, made)
    return [*edges.values()][:limit]


def links(session: Session, namespace: Namespace, strategy: QueryStrategy, request: HopRequest) -> Iterator[Link]:
    """Yield every link from the frontier to a live node. A self-loop may come twice."""
    passable, values = _passable(request.edge_filter)
    keys = [key_of(namespace, name) for name in request.frontier]
    for side in request.edge_filter.sides:
        parts = {"arrow": _ARROWS[side], "passable": passable}
        for near, far, edge_id, confidence in _found(session, keys, parts, values, strategy):
            yield Link(str(near), str(far), str(edge_id), number(confidence), forward=side == "out")


def _found(
    session: Session, keys: list[str], parts: dict[str, str], values: dict[str, Cell], strategy: QueryStrategy
) -> list[Row]:
    if len(keys) <= strategy.hops_looped:
        query = _FROM_ONE.format(**parts)
        return [row for key in keys for row in session.run(query, {"key": key, **values})]
    query = (_FROM_LIST if len(keys) <= strategy.hops_listed else _FROM_MANY).format(**parts)
    return session.run(query, {"keys": keys, **values})


def _passable(edge_filter: EdgeFilter) -> tuple[str, dict[str, Cell]]:
    """Return the condition that an edge is of a wanted type and leads to a live node, and its values."""
    values: dict[str, Cell] = {"least": float(edge_filter.min_confidence)}
    if edge_filter.types is None:
        return _PASSABLE, values
    if not edge_filter.types:
        return "false AND " + _PASSABLE, values
    return _PASSABLE + _TYPES, {**values, "types": sorted(edge_filter.types)}


def walk(
    session: Session,
    namespace: Namespace,
    start: str,
    edge_filter: EdgeFilter,
    max_depth: int,
    limit: int,
    strategy: QueryStrategy,
) -> Walk:
    """Return the nodes within reach of a live start; none for any other start."""
    if not live(session, namespace, [start], strategy):
        return Walk((), truncated=False)
    search = traversal.walk(start, edge_filter, max_depth, limit)
    result = traversal.run(search, partial(links, session, namespace, strategy))
    return result.walk(edges_by_id(session, namespace, result.edges, strategy))


def shortest_path(
    session: Session,
    namespace: Namespace,
    source: str,
    target: str,
    edge_filter: EdgeFilter,
    max_hops: int,
    strategy: QueryStrategy,
) -> GraphPath | None:
    """Return the best of the shortest paths between two live nodes."""
    if len(live(session, namespace, {source, target}, strategy)) < len({source, target}):
        return None
    if source == target:
        return GraphPath((NodeId(source),), ())
    try:
        found_paths = _native(session, namespace, source, target, edge_filter, max_hops)
    except DriverError as error:
        if not exhausted(error):
            raise
        # There are too many paths to list within the buffer pool. The error has ended the snapshot.
        session.run("BEGIN TRANSACTION READ ONLY")
        found_paths = None
    if found_paths is None or len(found_paths) > LISTED:
        # Level by level all of them are compared, because the best way onward from a node does not depend on how it was reached.
        search = traversal.shortest_path(source, target, edge_filter, max_hops)
        refs = traversal.run(search, partial(links, session, namespace, strategy))
    else:
        refs = min(found_paths, key=lambda found: found[:2])[2] if found_paths else None
    return None if refs is None else refs.path(edges_by_id(session, namespace, refs.edges, strategy))


def edges_by_id(
    session: Session, namespace: Namespace, ids: Collection[EdgeId], strategy: QueryStrategy
) -> dict[EdgeId, Edge]:
    """Return edges by id, hidden ones included."""
    rows = each(session, EDGES_BY_KEY, keys_of(namespace, ids), looped=strategy.keys_looped)
    return {found.id: found for found in map(edge, rows)}


def _native(
    session: Session, namespace: Namespace, source: str, target: str, edge_filter: EdgeFilter, max_hops: int
) -> list[tuple[int, tuple[str, ...], PathRefs]]:
    """Return up to `LISTED + 1` shortest paths, each with the negated number of its forward edges and its edge ids."""
    if edge_filter.types is not None and not edge_filter.types:
        return []
    query = _SHORTEST.format(
        hops=max_hops,
        types="" if edge_filter.types is None else " AND r.type IN $types",
        arrow="->" if edge_filter.direction == "out" else "-",
        limit=LISTED + 1,
    )
    values: dict[str, Cell] = {"source": key_of(namespace, source), "target": key_of(namespace, target)}
    if edge_filter.types is not None:
        values["types"] = sorted(edge_filter.types)
    found_paths: list[tuple[int, tuple[str, ...], PathRefs]] = []
    for edges, sources, middle in session.run(query, values):
        nodes = (source, *texts(middle), target)
        forward = sum(begin == node for begin, node in zip(texts(sources), nodes, strict=False))
        refs = PathRefs(tuple(map(NodeId, nodes)), tuple(map(EdgeId, texts(edges))))
        found_paths.append((-forward, refs.edges, refs))
    return found_paths
