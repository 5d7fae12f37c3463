"""The graph port over one namespace."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

from backends.engines.neo4j.connection import Connection
from backends.engines.neo4j.graph import expand, queries, writes
from backends.engines.neo4j.graph.kinds import Kinds
from backends.engines.neo4j.graph.rows import BY_ID, EDGE_COLUMNS, LIVE, NODE_COLUMNS, VISIBLE, edge, node
from backends.engines.neo4j.meta import Meta
from backends.engines.neo4j.schema import DatabaseSchema
from backends.kit import traversal
from backends.kit.batches import Changes, changes_of
from backends.kit.pages import page_by_id, start_of
from backends.kit.queries import FindQuery
from backends.kit.traversal import EdgeFilter
from backends.ports.errors import Timeout
from backends.ports.filters import Filter
from backends.ports.graph import (
    MAX_HOPS,
    Direction,
    Edge,
    Expansion,
    GraphBatch,
    GraphPath,
    Group,
    KindSpec,
    Node,
    Order,
    Walk,
)
from backends.ports.values import EdgeId, NodeId, Page, Revision

DROPPED_AT_ONCE: Final = 2_000
"""Nodes of one transaction, which the server keeps in memory until its end."""
_DECLARATION_TRIES: Final = 3
"""A try fails if the cached declaration is outdated; a second one only if it changes again meanwhile."""

RowT = TypeVar("RowT")

_OF_NODES: Final = f"UNWIND $v.ids AS id MATCH (n:EntrepotNode {{ns: $v.ns, id: id}}) {BY_ID}"
_OF_EDGES: Final = (
    "UNWIND $v.ids AS id MATCH (a)-[e:ENTREPOT_EDGE {ns: $v.ns, id: id}]->(b) USING INDEX SEEK e:ENTREPOT_EDGE(ns, id)"
)
_NODES: Final = f"{_OF_NODES} WHERE {LIVE} RETURN {NODE_COLUMNS}"
_EDGES: Final = f"{_OF_EDGES} WHERE {VISIBLE} RETURN {EDGE_COLUMNS}"
_NODE_REVISIONS: Final = f"{_OF_NODES} RETURN n.id, n.rev"
_EDGE_REVISIONS: Final = (
    f"{_OF_EDGES} RETURN e.id AS id, e.rev AS rev"
    " UNION ALL UNWIND $v.ids AS id MATCH (g:EntrepotGoneEdge {ns: $v.ns, id: id}) RETURN g.id AS id, g.rev AS rev"
)
_SCAN: Final = (
    f"MATCH (a)-[e:ENTREPOT_EDGE]->(b) WHERE e.ns = $v.ns AND e.id > $v.after AND {VISIBLE}"
    f" WITH e ORDER BY e.ns, e.id LIMIT $v.limit RETURN {EDGE_COLUMNS}"
)
_DROPS: Final = (
    "MATCH (n:EntrepotNote) WHERE n.ns = $v.ns AND n.key IS NOT NULL WITH n LIMIT $v.limit DELETE n RETURN count(*)",
    "MATCH (n:EntrepotGoneEdge) WHERE n.ns = $v.ns AND n.id IS NOT NULL WITH n LIMIT $v.limit DELETE n RETURN count(*)",
    "MATCH ()-[e:ENTREPOT_EDGE]->() WHERE e.ns = $v.ns AND e.id IS NOT NULL WITH e LIMIT $v.limit DELETE e RETURN count(*)",
    "MATCH (n:EntrepotNode) WHERE n.ns = $v.ns AND n.id IS NOT NULL WITH n LIMIT $v.limit DETACH DELETE n RETURN count(*)",
    "MATCH (n:EntrepotSpace {ns: $v.ns}) DELETE n RETURN 0",
)


class Neo4jGraph:
    """The graph of one namespace. `ns` is its name in the database."""

    conditional_writes = True

    def __init__(self, connection: Connection, schema: DatabaseSchema, ns: str) -> None:
        self._connection = connection
        self._ns = ns
        self._kinds = Kinds(connection, schema, ns)
        self._meta = Meta(connection, ns)

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Create the fields' indexes, then declare each kind in one transaction."""
        await self._kinds.ensure(kinds)

    async def apply(self, batch: GraphBatch) -> None:
        """Apply the batch in one transaction."""
        changes = changes_of(batch)
        for _ in range(_DECLARATION_TRIES):
            try:
                return await self._apply(changes)
            except writes.StaleDeclaration:
                self._kinds.forget()
        raise Timeout("other processes kept changing the declared kinds; try again")

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Read nodes by their key."""
        return {found.id: found for found in await self._by_id(_NODES, ids, node)}

    async def get_edges(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Edge]:
        """Read edges by their key."""
        return {found.id: found for found in await self._by_id(_EDGES, ids, edge)}

    async def node_revisions(self, ids: Collection[NodeId]) -> Mapping[NodeId, Revision]:
        """Read the revisions of nodes, tombstones included."""
        return {key: rev for key, rev in await self._by_id(_NODE_REVISIONS, ids, _node_revision) if rev is not None}

    async def edge_revisions(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Revision]:
        """Read the revisions of edges, tombstones included."""
        return {key: rev for key, rev in await self._by_id(_EDGE_REVISIONS, ids, _edge_revision) if rev is not None}

    async def find(
        self,
        kind: str,
        where: Filter | None = None,
        *,
        order: Sequence[Order] = (),
        after: str | None = None,
        limit: int = 100,
    ) -> Page[Node]:
        """List nodes along an index."""
        query = FindQuery(self._ns, kind, where, order, after, limit)
        listing = await self._kinds.checked([kind], lambda specs: queries.listing(query, specs[kind]))
        return await queries.find(self._connection, query, listing)

    async def scan_edges(self, *, after: str | None = None, limit: int = 1_000) -> Page[Edge]:
        """List edges along their key."""
        values = {"ns": self._ns, "after": start_of(after), "limit": limit + 1}
        return page_by_id(await self._connection.run(_SCAN, values, edge), limit)

    async def expand(
        self,
        ids: Collection[NodeId],
        *,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit_per_node: int = 256,
    ) -> Expansion:
        """Read and limit the edges of all nodes in one statement."""
        wanted = set(ids)
        edge_filter = EdgeFilter(direction, types, min_confidence)
        return await expand.expand(self._connection, self._ns, wanted, edge_filter, limit_per_node)

    async def walk(
        self,
        start: NodeId,
        *,
        max_depth: int,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit: int = 1_000,
    ) -> Walk:
        """Walk level by level, with one statement each."""
        edge_filter = EdgeFilter(direction, types, min_confidence)
        if not await expand.live(self._connection, self._ns, [start]):
            return Walk((), truncated=False)
        links = expand.Links(self._connection, self._ns)
        result = await traversal.run_awaited(traversal.walk(start, edge_filter, max_depth, limit), links)
        return result.walk(links.edges(result.edges))

    async def shortest_path(
        self,
        source: NodeId,
        target: NodeId,
        *,
        directed: bool = False,
        types: Collection[str] | None = None,
        max_hops: int = MAX_HOPS,
    ) -> GraphPath | None:
        """Search from both ends, with one statement per level."""
        edge_filter = EdgeFilter("out" if directed else "both", types)
        ends = {source, target}
        if len(await expand.live(self._connection, self._ns, ends)) < len(ends):
            return None
        links = expand.Links(self._connection, self._ns)
        refs = await traversal.run_awaited(traversal.shortest_path(source, target, edge_filter, max_hops), links)
        return None if refs is None else refs.path(links.edges(refs.edges))

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        """Count along the index by kind."""
        planned = await self._kinds.checked([kind], lambda specs: queries.count_plan(by, where, specs[kind]))
        return await queries.count_nodes(self._connection, self._ns, kind, planned)

    async def count_edges(self) -> Mapping[str, int]:
        """Count along the edges' key."""
        return await queries.count_edges(self._connection, self._ns)

    async def get_meta(self, key: str) -> str | None:
        """Read a meta value."""
        return await self._meta.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Store a meta value in one statement; with `if_absent` one of several processes wins."""
        return await self._meta.set(key, value, if_absent=if_absent)

    async def drop(self) -> None:
        """Remove the namespace, a batch per transaction."""
        for query in _DROPS:
            values = {"ns": self._ns, "limit": DROPPED_AT_ONCE}
            while any(count == DROPPED_AT_ONCE for count in await self._connection.run(query, values, int)):
                pass
        self._kinds.forget()

    async def _apply(self, changes: Changes) -> None:
        kinds = {node.kind for node in changes.nodes.values()}
        batch = await self._kinds.checked(kinds, lambda specs: writes.rows(self._ns, changes, specs))
        await writes.write(self._connection, self._ns, batch)

    async def _by_id(
        self, query: str, ids: Collection[NodeId] | Collection[EdgeId], parse: Callable[..., RowT]
    ) -> list[RowT]:
        wanted = sorted(set(ids))
        return await self._connection.run(query, {"ns": self._ns, "ids": wanted}, parse) if wanted else []


# What another client deletes while a statement reads it has no properties any more.
def _node_revision(key: str, rev: int | None) -> tuple[NodeId, Revision | None]:
    return NodeId(key), None if rev is None else Revision(rev)


def _edge_revision(key: str, rev: int | None) -> tuple[EdgeId, Revision | None]:
    return EdgeId(key), None if rev is None else Revision(rev)
