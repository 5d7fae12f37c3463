"""One hop: the best edges of nodes, and all links from a frontier."""

from collections.abc import Collection, Sequence
from typing import Final, cast

from backends.engines.neo4j.connection import Connection
from backends.engines.neo4j.graph.rows import BY_ID, EDGE_COLUMNS, edge
from backends.kit.traversal import EdgeFilter, HopRequest, Link
from backends.ports.graph import Edge, Expansion
from backends.ports.values import EdgeId, NodeId

_ARROWS: Final = {"out": ("-", "->"), "in": ("<-", "-"), "both": ("-", "-")}
_ONWARD: Final = "o.kind IS NOT NULL AND e.confidence >= $v.least AND ($v.types IS NULL OR e.type IN $v.types)"
_EXPAND: Final = (
    "UNWIND $v.ids AS id MATCH (n:EntrepotNode {{ns: $v.ns, id: id}}) {by_id} WHERE n.kind IS NOT NULL"
    " CALL (n) {{ MATCH (n){left}[e:ENTREPOT_EDGE]{right}(o) WHERE {onward}"
    " WITH e, o ORDER BY e.confidence DESC, o.id, e.id LIMIT $v.limit RETURN collect([{columns}]) AS edges }}"
    " RETURN id, edges"
)
_LINKS: Final = (
    "UNWIND $v.ids AS id MATCH (n:EntrepotNode {{ns: $v.ns, id: id}}){left}[e:ENTREPOT_EDGE]{right}(o) {by_id} WHERE {onward}"
    " RETURN id, o.id, startNode(e) = n, {columns}"
)
_LIVE: Final = (
    f"UNWIND $v.ids AS id MATCH (n:EntrepotNode {{ns: $v.ns, id: id}}) {BY_ID} WHERE n.kind IS NOT NULL RETURN id"
)

EdgeRow = tuple[str, str, str, str, int, float, str | None]


async def live(connection: Connection, ns: str, ids: Collection[str]) -> list[str]:
    """Return the live nodes among `ids`."""
    return await connection.run(_LIVE, {"ns": ns, "ids": list(ids)}, str)


async def expand(
    connection: Connection, ns: str, ids: Collection[str], edge_filter: EdgeFilter, limit: int
) -> Expansion:
    """Return the best edges of each live node."""
    values = _values(ns, ids, edge_filter) | {"limit": limit + 1}
    rows = await connection.run(_statement(_EXPAND, edge_filter), values, _expanded)
    found = {NodeId(key): edges[:limit] for key, edges in rows}
    return Expansion(found, frozenset(NodeId(key) for key, edges in rows if len(edges) > limit))


class Links:
    """Finds the links of hops and keeps the edges found on the way."""

    def __init__(self, connection: Connection, ns: str) -> None:
        self._connection = connection
        self._ns = ns
        self._seen: dict[str, EdgeRow] = {}

    async def __call__(self, request: HopRequest) -> list[Link]:
        """Return every link from the frontier to a live node."""
        values = _values(self._ns, request.frontier, request.edge_filter)
        return await self._connection.run(_statement(_LINKS, request.edge_filter), values, self._link)

    def edges(self, ids: Collection[EdgeId]) -> dict[EdgeId, Edge]:
        """Return edges found so far."""
        return {key: edge(*self._seen[key]) for key in ids}

    def _link(self, near: str, far: str, forward: bool, *columns: object) -> Link:  # noqa: FBT001 -- a column
        row = cast("EdgeRow", columns)
        self._seen[row[0]] = row
        return Link(near, far, row[0], row[5], forward=forward)


def _expanded(key: str, edges: Sequence[EdgeRow]) -> tuple[str, tuple[Edge, ...]]:
    return key, tuple(edge(*row) for row in edges)


def _statement(template: str, edge_filter: EdgeFilter) -> str:
    left, right = _ARROWS[edge_filter.direction]
    return template.format(left=left, right=right, onward=_ONWARD, columns=EDGE_COLUMNS, by_id=BY_ID)


def _values(ns: str, ids: Collection[str], edge_filter: EdgeFilter) -> dict[str, object]:
    types = None if edge_filter.types is None else list(edge_filter.types)
    return {"ns": ns, "ids": list(ids), "least": edge_filter.min_confidence, "types": types}
