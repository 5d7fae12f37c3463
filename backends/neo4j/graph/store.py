"""The graph port over one namespace: checks what was asked and sends it to the server."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

from backends import cursors, traversal
from backends.batches import Changes, check_batch
from backends.neo4j.connection import Connection
from backends.neo4j.graph import counting, finding, hops, writing
from backends.neo4j.graph.kinds import Kinds
from backends.neo4j.graph.rows import BY_ID, EDGE_COLUMNS, LIVE, NODE_COLUMNS, VISIBLE, edge, node
from backends.neo4j.notes import Notes
from backends.neo4j.schema import Schema
from backends.ports.errors import Timeout
from backends.ports.filters import Filter
from backends.ports.graph import (
    MAX_EXPANSION,
    MAX_HOPS,
    Direction,
    Edge,
    Expansion,
    GraphBatch,
    Group,
    KindSpec,
    Node,
    Order,
    Path,
    Walk,
)
from backends.ports.ids import check_id, check_name
from backends.ports.values import EdgeId, NodeId, Page, Revision
from backends.questions import MAX_PAGE, between, check_starts, check_way

DROPPED_AT_ONCE: Final = 2_000
_DECLARED_ANEW: Final = 3

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
    """The graph of one namespace; `ns` is what it is called in the database."""

    conditional_writes = True

    def __init__(self, connection: Connection, schema: Schema, ns: str) -> None:
        self._connection = connection
        self._ns = ns
        self._kinds = Kinds(connection, schema, ns)
        self._notes = Notes(connection, ns)

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Declare kinds, each in one transaction, after its indexes are there."""
        await self._kinds.ensure(kinds)

    async def apply(self, batch: GraphBatch) -> None:
        """Apply the batch in one transaction."""
        changes = check_batch(batch)
        for _ in range(_DECLARED_ANEW):
            try:
                return await self._apply(changes)
            except writing.StaleDeclaration:
                self._kinds.forget()
        raise Timeout("kinds were declared anew by others all the while; try again")

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Read nodes by their key."""
        return {found.id: found for found in await self._by_id(_NODES, ids, node)}

    async def get_edges(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Edge]:
        """Read edges by their key."""
        return {found.id: found for found in await self._by_id(_EDGES, ids, edge)}

    async def node_revisions(self, ids: Collection[NodeId]) -> Mapping[NodeId, Revision]:
        """Read the revisions of nodes, tombstones included."""
        return dict(await self._by_id(_NODE_REVISIONS, ids, _node_revision))

    async def edge_revisions(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Revision]:
        """Read the revisions of edges, tombstones included."""
        return dict(await self._by_id(_EDGE_REVISIONS, ids, _edge_revision))

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
        check_name(kind, what="a kind")
        between("limit", limit, MAX_PAGE)
        question = finding.Question(kind, where, order, after, limit)
        planned = await self._kinds.checked([kind], lambda specs: finding.plan(question, specs[kind]))
        return await finding.find(self._connection, self._ns, question, planned)

    async def scan_edges(self, *, after: str | None = None, limit: int = 1_000) -> Page[Edge]:
        """List edges along their key."""
        between("limit", limit, MAX_PAGE)
        start = "" if after is None else cursors.decode(after, ())[1]
        edges = await self._connection.run(_SCAN, {"ns": self._ns, "after": start, "limit": limit + 1}, edge)
        items = tuple(edges[:limit])
        return Page(items, cursors.encode((), items[-1].id) if len(edges) > limit else None)

    async def expand(
        self,
        ids: Collection[NodeId],
        *,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit_per_node: int = 256,
    ) -> Expansion:
        """Read and cut the edges of all nodes in one statement."""
        wanted = check_starts(ids)
        between("limit_per_node", limit_per_node, MAX_EXPANSION)
        way = check_way(direction, types, min_confidence)
        return await hops.expand(self._connection, self._ns, wanted, way, limit_per_node)

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
        """Walk level by level, one statement each."""
        check_id(start, what="a node id")
        between("max_depth", max_depth, MAX_HOPS)
        between("limit", limit, MAX_EXPANSION)
        way = check_way(direction, types, min_confidence)
        if not await hops.live(self._connection, self._ns, [start]):
            return Walk((), truncated=False)
        links = hops.Links(self._connection, self._ns)
        reach = await traversal.run_awaited(traversal.walk(start, way, max_depth, limit), links)
        return reach.walk(links.edges(reach.edges))

    async def shortest_path(
        self,
        source: NodeId,
        target: NodeId,
        *,
        directed: bool = False,
        types: Collection[str] | None = None,
        max_hops: int = MAX_HOPS,
    ) -> Path | None:
        """Search from both ends, one statement a level."""
        check_id(source, what="a node id")
        check_id(target, what="a node id")
        between("max_hops", max_hops, MAX_HOPS)
        way = check_way("out" if directed else "both", types)
        ends = {source, target}
        if len(await hops.live(self._connection, self._ns, ends)) < len(ends):
            return None
        links = hops.Links(self._connection, self._ns)
        route = await traversal.run_awaited(traversal.shortest_path(source, target, way, max_hops), links)
        return None if route is None else route.path(links.edges(route.edges))

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        """Count along the index of the kind."""
        check_name(kind, what="a kind")
        planned = await self._kinds.checked([kind], lambda specs: counting.plan(by, where, specs[kind]))
        return await counting.count_nodes(self._connection, self._ns, kind, planned)

    async def count_edges(self) -> Mapping[str, int]:
        """Count along the key of the edges."""
        return await counting.count_edges(self._connection, self._ns)

    async def get_meta(self, key: str) -> str | None:
        """Read a note."""
        return await self._notes.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Keep a note in one statement, so that one of several processes wins."""
        return await self._notes.set(key, value, if_absent=if_absent)

    async def drop(self) -> None:
        """Remove the namespace, some thousand records in a transaction."""
        for query in _DROPS:
            values = {"ns": self._ns, "limit": DROPPED_AT_ONCE}
            while any(count == DROPPED_AT_ONCE for count in await self._connection.run(query, values, int)):
                pass
        self._kinds.forget()

    async def _apply(self, changes: Changes) -> None:
        kinds = {check_name(node.kind, what="a kind") for node in changes.nodes.values()}
        batch = await self._kinds.checked(kinds, lambda specs: writing.rows(self._ns, changes, specs))
        await writing.write(self._connection, self._ns, batch)

    async def _by_id(
        self, query: str, ids: Collection[NodeId] | Collection[EdgeId], parse: Callable[..., RowT]
    ) -> list[RowT]:
        wanted = sorted({check_id(key, what="an id") for key in ids})
        return await self._connection.run(query, {"ns": self._ns, "ids": wanted}, parse) if wanted else []


def _node_revision(key: str, rev: int) -> tuple[NodeId, Revision]:
    return NodeId(key), Revision(rev)


def _edge_revision(key: str, rev: int) -> tuple[EdgeId, Revision]:
    return EdgeId(key), Revision(rev)
