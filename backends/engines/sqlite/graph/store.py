"""The graph port over graph.db: each call becomes a call in a thread."""

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

from backends.engines.sqlite.connection import OpenNamespace
from backends.engines.sqlite.graph import counts, listings, traversal
from backends.engines.sqlite.graph.counts import Tally
from backends.engines.sqlite.graph.kinds import declarations, declare_kind, declared_kind, forget_listings
from backends.engines.sqlite.graph.rows import EDGE_COLUMNS, NODE_COLUMNS, VISIBLE, edge, node
from backends.engines.sqlite.graph.writes import EDGE_REVISIONS, NODE_REVISIONS, write_edges, write_nodes
from backends.engines.sqlite.schema import json_list, statement
from backends.kit.batches import changes_of
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
from backends.ports.values import EdgeId, NodeId, Page, Revision

DROPPED_AT_ONCE: Final = 2_000
"""Rows of one transaction; other writes get their turn before the next."""

KeyT = TypeVar("KeyT", NodeId, EdgeId)

_NODES = statement(
    "SELECT {columns} FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value WHERE n.dead = 0",
    columns=NODE_COLUMNS,
)
_EDGES = statement(
    "SELECT {columns} FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value WHERE {visible}",
    columns=EDGE_COLUMNS,
    visible=VISIBLE,
)
_SCAN = statement(
    "SELECT {columns} FROM edges e WHERE e.ns = ? AND e.id > ? AND {visible} ORDER BY e.id LIMIT ?",
    columns=EDGE_COLUMNS,
    visible=VISIBLE,
)


class SqliteGraph:
    """The graph of one namespace."""

    conditional_writes = True

    def __init__(self, calls: OpenNamespace) -> None:
        self._calls = calls
        self._namespace = calls.namespace

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Declare kinds in one transaction."""
        wanted = declarations(kinds)

        def declare(connection: sqlite3.Connection) -> None:
            for kind, declared in wanted.items():
                declare_kind(connection, self._namespace, kind, declared)

        await self._calls.write(declare)

    async def apply(self, batch: GraphBatch) -> None:
        """Apply the batch in one transaction."""
        changes = changes_of(batch)

        def write(connection: sqlite3.Connection) -> None:
            tally = Tally(self._namespace)
            # Nodes first: an edge may need an end from the same batch, live or deleted.
            write_nodes(connection, changes.nodes, changes.deleted_nodes, tally)
            write_edges(connection, changes, tally)
            tally.write(connection)

        await self._calls.write(write)

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Read nodes by their key."""
        wanted = _ids(ids)
        nodes = await self._calls.read(
            lambda connection: [node(row) for row in connection.execute(_NODES, (wanted, self._namespace))]
        )
        return {found.id: found for found in nodes}

    async def get_edges(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Edge]:
        """Read edges by their key."""
        wanted = _ids(ids)
        edges = await self._calls.read(
            lambda connection: [edge(row) for row in connection.execute(_EDGES, (wanted, self._namespace))]
        )
        return {found.id: found for found in edges}

    async def node_revisions(self, ids: Collection[NodeId]) -> Mapping[NodeId, Revision]:
        """Read the revisions of nodes, tombstones included."""
        return await self._revisions(NODE_REVISIONS, ids, NodeId)

    async def edge_revisions(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Revision]:
        """Read the revisions of edges, tombstones included."""
        return await self._revisions(EDGE_REVISIONS, ids, EdgeId)

    async def find(
        self,
        kind: str,
        where: Filter | None = None,
        *,
        order: Sequence[Order] = (),
        after: str | None = None,
        limit: int = 100,
    ) -> Page[Node]:
        """List nodes in one snapshot."""
        query = FindQuery(self._namespace, kind, where, order, after, limit)
        return await self._calls.snapshot(lambda connection: listings.find(connection, query))

    async def scan_edges(self, *, after: str | None = None, limit: int = 1_000) -> Page[Edge]:
        """List edges along their key."""
        values = (self._namespace, start_of(after), limit + 1)
        edges = await self._calls.read(lambda connection: [edge(row) for row in connection.execute(_SCAN, values)])
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
        """Read each node's edges along an index that has the required order."""
        wanted = set(ids)
        edge_filter = EdgeFilter(direction, types, min_confidence)
        # One node is read by one statement, which needs no transaction.
        ask = self._calls.read if len(wanted) == 1 else self._calls.snapshot
        return await ask(
            lambda connection: traversal.expand(connection, self._namespace, wanted, edge_filter, limit_per_node)
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
        return await self._calls.snapshot(
            lambda connection: traversal.walk(connection, self._namespace, start, edge_filter, max_depth, limit)
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
        """Search from both ends in one snapshot."""
        edge_filter = EdgeFilter("out" if directed else "both", types)
        return await self._calls.snapshot(
            lambda connection: traversal.shortest_path(
                connection, self._namespace, source, target, edge_filter, max_hops
            )
        )

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        """Read the stored totals of the kind, or count along an index or over the columns."""
        of_kind = (self._namespace, kind)
        return await self._calls.snapshot(
            lambda connection: counts.count_nodes(connection, of_kind, declared_kind(connection, *of_kind), by, where)
        )

    async def count_edges(self) -> Mapping[str, int]:
        """Read the stored counts of edges, without those that end at a deleted node."""
        return await self._calls.snapshot(lambda connection: counts.count_edges(connection, self._namespace))

    async def get_meta(self, key: str) -> str | None:
        """Return a meta value, None if there is none."""
        return await self._calls.get_meta(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Store a meta value in one transaction, so that the first of several processes wins."""
        return await self._calls.set_meta(key, value, if_absent=if_absent)

    async def drop(self) -> None:
        """Remove `DROPPED_AT_ONCE` rows in a transaction, so that other writers do not wait long."""
        while await self._calls.write(self._drop_some):
            pass

    def _drop_some(self, connection: sqlite3.Connection) -> bool:
        values = (self._namespace, DROPPED_AT_ONCE)
        for table in ("kinds", "meta"):
            connection.execute(statement("DELETE FROM {table} WHERE ns = ?", table=table), (self._namespace,))
        forget_listings(connection, self._namespace)
        edges: list[tuple[int, str, int]] = connection.execute(
            "SELECT rowid, type, dead FROM edges WHERE ns = ? LIMIT ?", values
        ).fetchall()
        if edges:
            connection.executemany("DELETE FROM edges WHERE rowid = ?", [edge[:1] for edge in edges])
            tally = Tally(self._namespace)
            for _, kind, dead in edges:
                tally.edge(kind, dead - 1)
            tally.write(connection)
            return True
        # No edge is left, and no kind with totals.
        connection.execute("DELETE FROM totals WHERE ns = ?", (self._namespace,))
        rows: list[tuple[int]] = connection.execute("SELECT rid FROM nodes WHERE ns = ? LIMIT ?", values).fetchall()
        for table, key in (("texts", "rowid"), ("elements", "rid"), ("nodes", "rid")):
            query = statement("DELETE FROM {table} WHERE {key} = ?", table=table, key=key)
            connection.executemany(query, rows)
        return bool(rows)

    async def _revisions(self, query: str, ids: Collection[KeyT], made: Callable[[str], KeyT]) -> dict[KeyT, Revision]:
        wanted = json_list(list(ids))
        rows: list[tuple[str, int]] = await self._calls.read(
            lambda connection: connection.execute(query, (wanted, self._namespace)).fetchall()
        )
        return {made(key): Revision(rev) for key, rev in rows}


def _ids(ids: Collection[NodeId] | Collection[EdgeId]) -> str:
    return json_list(sorted(set(ids)))
