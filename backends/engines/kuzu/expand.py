"""One hop: the best edges of a node, and all links from a frontier."""

from collections.abc import Collection, Iterator
from typing import Final

from backends.engines.kuzu.driver import Cell, Row, Session
from backends.engines.kuzu.query_strategy import QueryStrategy, each
from backends.engines.kuzu.rows import edge, key_of, keys_of, number
from backends.kit.traversal import Hop, Link, Way
from backends.ports.graph import Edge, Expansion
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


def live(session: Session, namespace: Namespace, ids: Collection[str], strategy: QueryStrategy) -> list[str]:
    """Return the live nodes among `ids`."""
    return [str(row[0]) for row in each(session, _LIVE, keys_of(namespace, ids), looped=strategy.keys_looped)]


def expand(
    session: Session, namespace: Namespace, ids: Collection[str], way: Way, limit: int, strategy: QueryStrategy
) -> Expansion:
    """Return the best edges of each live node."""
    found: dict[NodeId, tuple[Edge, ...]] = {}
    cut: set[NodeId] = set()
    for key in map(NodeId, live(session, namespace, ids, strategy)):
        edges = around(session, namespace, key, way, limit + 1)
        if len(edges) > limit:
            cut.add(key)
        found[key] = tuple(edges[:limit])
    return Expansion(found, frozenset(cut))


def around(session: Session, namespace: Namespace, key: NodeId, way: Way, limit: int) -> list[Edge]:
    """Return the best edges of a node in one statement. A node that is deleted or unknown has none."""
    passable, values = _passable(way)
    # A self-loop is found once per direction, so each edge may come twice.
    query = _EDGES.format(arrow=_ARROWS[way.direction], passable=passable, limit=len(way.sides) * limit)
    rows = session.run(query, {"key": key_of(namespace, key), **values})
    edges: dict[EdgeId, Edge] = {}
    for identifier, source, other, *rest in rows:
        ends = [key, other] if source == key else [other, key]
        made = edge([identifier, *ends, *rest])
        edges.setdefault(made.id, made)
    return [*edges.values()][:limit]


def links(session: Session, namespace: Namespace, strategy: QueryStrategy, hop: Hop) -> Iterator[Link]:
    """Yield every link from the frontier to a live node. A self-loop may come twice."""
    passable, values = _passable(hop.way)
    keys = [key_of(namespace, name) for name in hop.frontier]
    for side in hop.way.sides:
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


def _passable(way: Way) -> tuple[str, dict[str, Cell]]:
    """Return the condition that an edge is of a wanted type and leads to a live node, and its values."""
    values: dict[str, Cell] = {"least": float(way.min_confidence)}
    if way.types is None:
        return _PASSABLE, values
    if not way.types:
        return "false AND " + _PASSABLE, values
    return _PASSABLE + _TYPES, {**values, "types": sorted(way.types)}
