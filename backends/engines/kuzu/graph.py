"""The graph port over one file."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from backends.engines.kuzu import queries, traversal, writes
from backends.engines.kuzu.connection import DatabaseFile
from backends.engines.kuzu.driver import Row, Session
from backends.engines.kuzu.kinds import Declared, Kinds
from backends.engines.kuzu.query_strategy import each
from backends.engines.kuzu.rows import EDGE_COLUMNS, NODE_COLUMNS, edge, integer, key_of, keys_of, node, text
from backends.kit.declarations import specs_by_kind
from backends.kit.pages import page_by_id, start_of
from backends.kit.queries import FindQuery
from backends.kit.traversal import EdgeFilter
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
from backends.ports.values import EdgeId, Namespace, NodeId, Page, Revision

DROPPED_AT_ONCE: Final = 2_000
"""Rows of one transaction; other writes wait for its end, and get their turn before the next."""

# Dropping deleted rows in Python is cheaper than a condition in the statement.
_NODES: Final = f"MATCH (n:Node {{key: @key}}) RETURN {NODE_COLUMNS}, n.dead"
_EDGES: Final = f"MATCH (e:Edge {{key: @key}}) WHERE NOT e.dead RETURN {EDGE_COLUMNS}"
_SCAN: Final = (
    "MATCH (a:Node)-[e:Link]->(b:Node) WHERE a.ns = $ns AND NOT e.hidden AND e.id > $after"
    " RETURN e.id, e.source, b.id, e.type, e.rev, e.confidence, e.props ORDER BY e.id LIMIT {limit:d}"
)
_GET_META: Final = "MATCH (n:Note {key: $key}) RETURN n.text"
_SET_META: Final = "MERGE (n:Note {key: $key}) SET n.ns = $ns, n.text = $text"
_DROP: Final = "MATCH (x:{table}) WHERE x.ns = $ns WITH x LIMIT {limit:d} DETACH DELETE x RETURN count(*)"


class KuzuGraph:
    """The graph of one namespace."""

    conditional_writes = True

    def __init__(self, database: DatabaseFile, kinds: Kinds, namespace: Namespace) -> None:
        self._database = database
        self._kinds = kinds
        self._namespace = namespace
        self._strategy = database.strategy

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Declare kinds in one transaction. Nothing is written if nothing changes."""
        wanted = specs_by_kind(kinds)
        if not self._kinds.changes(self._namespace, wanted):
            return
        changed: dict[str, Declared] = {}

        def save(session: Session) -> None:
            # Computed again, because another declaration may have been committed while this one waited.
            changed.update(self._kinds.changes(self._namespace, wanted))
            self._kinds.save(session, self._namespace, changed)

        await self._database.write(save, after=lambda: self._kinds.keep(self._namespace, changed))

    async def apply(self, batch: GraphBatch) -> None:
        """Apply the batch in one transaction."""
        if batch != GraphBatch():
            await self._database.write(
                lambda session: writes.prepare(self._namespace, batch, self._kinds, self._strategy).apply(session)
            )

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Read nodes by their key."""
        nodes = [node(row) for row in await self._by_key(_NODES, ids) if not row[-1]]
        return {found.id: found for found in nodes}

    async def get_edges(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Edge]:
        """Read edges by their key, then drop those with a deleted end."""
        keys = keys_of(self._namespace, set(ids))
        looped = self._strategy.keys_looped

        def read(session: Session) -> dict[EdgeId, Edge]:
            edges = [edge(row) for row in each(session, _EDGES, keys, looped=looped)]
            ends = {end for found in edges for end in (found.source, found.target)}
            alive = set(traversal.live(session, self._namespace, ends, self._strategy))
            return {found.id: found for found in edges if {found.source, found.target} <= alive}

        return await self._database.snapshot(read)

    async def node_revisions(self, ids: Collection[NodeId]) -> Mapping[NodeId, Revision]:
        """Read the revisions of nodes, tombstones included."""
        rows = await self._by_key(writes.NODE_REVISIONS, ids)
        return {NodeId(str(key)): Revision(integer(rev)) for key, rev in rows}

    async def edge_revisions(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Revision]:
        """Read the revisions of edges, tombstones included."""
        rows = await self._by_key(writes.EDGE_REVISIONS, ids)
        return {EdgeId(str(key)): Revision(integer(rev)) for key, rev in rows}

    async def find(
        self,
        kind: str,
        where: Filter | None = None,
        *,
        order: Sequence[Order] = (),
        after: str | None = None,
        limit: int = 100,
    ) -> Page[Node]:
        """List nodes with one statement."""
        declared = self._declared(kind)
        asked = FindQuery(self._namespace, kind, where, order, after, limit)
        return await self._database.read(queries.listing(asked, declared).page)

    async def scan_edges(self, *, after: str | None = None, limit: int = 1_000) -> Page[Edge]:
        """List the edges whose ends are live."""
        query, values = _SCAN.format(limit=limit + 1), {"ns": self._namespace, "after": start_of(after)}
        edges = await self._database.read(lambda session: [edge(row) for row in session.run(query, values)])
        return page_by_id(edges, limit)

    async def expand(
        self,
        ids: Collection[NodeId],
        *,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit_per_node: int = 256,
    ) -> Expansion:
        """Read the best edges of each node."""
        wanted = set(ids)
        edge_filter = EdgeFilter(direction, types, min_confidence)
        if len(wanted) == 1:
            # Only a live node has visible edges, and a single statement needs no snapshot.
            [only] = map(NodeId, wanted)
            edges = await self._database.read(
                lambda session: traversal.around(session, self._namespace, only, edge_filter, limit_per_node + 1)
            )
            if edges:
                cut = frozenset({only} if len(edges) > limit_per_node else ())
                return Expansion({only: tuple(edges[:limit_per_node])}, cut)
        return await self._database.snapshot(
            lambda session: traversal.expand(
                session, self._namespace, wanted, edge_filter, limit_per_node, self._strategy
            )
        )

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
        """Walk level by level in one snapshot."""
        edge_filter = EdgeFilter(direction, types, min_confidence)
        return await self._database.snapshot(
            lambda session: traversal.walk(
                session, self._namespace, start, edge_filter, max_depth, limit, self._strategy
            )
        )

    async def shortest_path(
        self,
        source: NodeId,
        target: NodeId,
        *,
        directed: bool = False,
        types: Collection[str] | None = None,
        max_hops: int = MAX_HOPS,
    ) -> GraphPath | None:
        """Let the engine list the shortest paths, then choose the best."""
        edge_filter = EdgeFilter("out" if directed else "both", types)
        return await self._database.snapshot(
            lambda session: traversal.shortest_path(
                session, self._namespace, source, target, edge_filter, max_hops, self._strategy
            )
        )

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        """Count nodes grouped by the columns of the fields."""
        counted = queries.node_count(self._namespace, kind, self._declared(kind), by, where)
        return await self._database.read(counted.groups)

    async def count_edges(self) -> Mapping[str, int]:
        """Count the edges whose ends are live."""
        return await self._database.read(lambda session: queries.count_edges(session, self._namespace))

    async def get_meta(self, key: str) -> str | None:
        """Read a meta value."""
        wanted = self._meta_key(key)
        rows = await self._database.read(lambda session: session.run(_GET_META, {"key": wanted}))
        return text(rows[0][0]) if rows else None

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Store a meta value in one transaction; with `if_absent` the first of several writers wins."""
        wanted = self._meta_key(key)

        def keep(session: Session) -> str:
            held = session.run(_GET_META, {"key": wanted})
            if held and if_absent:
                return str(held[0][0])
            session.run(_SET_META, {"key": wanted, "ns": self._namespace, "text": value})
            return value

        return await self._database.write(keep)

    async def drop(self) -> None:
        """Remove the namespace in batches, so that other writers do not wait long."""
        while await self._database.write(self._drop_some, after=lambda: self._kinds.forget(self._namespace)):
            pass

    def _drop_some(self, session: Session) -> bool:
        gone = 0
        for table in ("Kind", "Note", "Edge", "Node"):
            query = _DROP.format(table=table, limit=DROPPED_AT_ONCE)
            gone = max(gone, *(integer(row[0]) for row in session.run(query, {"ns": self._namespace})), 0)
        return gone >= DROPPED_AT_ONCE

    def _meta_key(self, key: str) -> str:
        return key_of(self._namespace, key)

    def _declared(self, kind: str) -> Declared:
        return self._kinds.declared(self._namespace, kind)

    async def _by_key(self, query: str, ids: Collection[NodeId] | Collection[EdgeId]) -> list[Row]:
        keys = keys_of(self._namespace, set(ids))
        return await self._database.read(lambda session: each(session, query, keys, looped=self._strategy.keys_looped))
