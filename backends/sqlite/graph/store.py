"""The graph port over graph.db: checks what was asked and sends it to a thread."""

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

from backends import cursors
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
from backends.ports.values import EdgeId, Namespace, NodeId, Page, Revision
from backends.questions import MAX_PAGE, between, check_starts, check_way
from backends.sqlite.connection import Database
from backends.sqlite.graph import counting, finding, hops, traverse, writing
from backends.sqlite.graph.kinds import declarations, declare_kind
from backends.sqlite.graph.rows import EDGE_COLUMNS, NODE_COLUMNS, VISIBLE, edge, node
from backends.sqlite.graph.totals import Tally
from backends.sqlite.notes import Notes
from backends.sqlite.statements import json_list, statement

DROPPED_AT_ONCE: Final = 2_000

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

    def __init__(self, database: Database, namespace: Namespace) -> None:
        self._database = database
        self._namespace = namespace
        self._notes = Notes(database, namespace)

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Declare kinds in one transaction."""
        wanted = declarations(kinds)

        def declare(connection: sqlite3.Connection) -> None:
            for kind, declared in wanted.items():
                declare_kind(connection, self._namespace, kind, declared)

        await self._database.write(declare)

    async def apply(self, batch: GraphBatch) -> None:
        """Apply the batch in one transaction."""
        await self._database.write(writing.prepare(self._namespace, batch))

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Read nodes by their key."""
        wanted = _ids(ids)
        nodes = await self._database.read(
            lambda connection: [node(row) for row in connection.execute(_NODES, (wanted, self._namespace))]
        )
        return {found.id: found for found in nodes}

    async def get_edges(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Edge]:
        """Read edges by their key."""
        wanted = _ids(ids)
        edges = await self._database.read(
            lambda connection: [edge(row) for row in connection.execute(_EDGES, (wanted, self._namespace))]
        )
        return {found.id: found for found in edges}

    async def node_revisions(self, ids: Collection[NodeId]) -> Mapping[NodeId, Revision]:
        """Read the revisions of nodes, tombstones included."""
        return await self._revisions(writing.NODE_REVISIONS, ids, NodeId)

    async def edge_revisions(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Revision]:
        """Read the revisions of edges, tombstones included."""
        return await self._revisions(writing.EDGE_REVISIONS, ids, EdgeId)

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
        check_name(kind, what="a kind")
        between("limit", limit, MAX_PAGE)
        question = finding.Question(self._namespace, kind, where, order, after, limit)
        return await self._database.snapshot(lambda connection: finding.find(connection, question))

    async def scan_edges(self, *, after: str | None = None, limit: int = 1_000) -> Page[Edge]:
        """List edges along their key."""
        between("limit", limit, MAX_PAGE)
        start = "" if after is None else cursors.decode(after, ())[1]
        values = (self._namespace, start, limit + 1)
        edges = await self._database.read(lambda connection: [edge(row) for row in connection.execute(_SCAN, values)])
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
        """Read each node's edges along an index that has them in the promised order."""
        wanted = check_starts(ids)
        between("limit_per_node", limit_per_node, MAX_EXPANSION)
        way = check_way(direction, types, min_confidence)
        # One node is read by one statement, which sees one state by itself.
        ask = self._database.read if len(wanted) == 1 else self._database.snapshot
        return await ask(lambda connection: hops.expand(connection, self._namespace, wanted, way, limit_per_node))

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
        check_id(start, what="a node id")
        between("max_depth", max_depth, MAX_HOPS)
        between("limit", limit, MAX_EXPANSION)
        way = check_way(direction, types, min_confidence)
        return await self._database.snapshot(
            lambda connection: traverse.walk(connection, self._namespace, start, way, max_depth, limit)
        )

    async def shortest_path(
        self,
        source: NodeId,
        target: NodeId,
        *,
        directed: bool = False,
        types: Collection[str] | None = None,
        max_hops: int = MAX_HOPS,
    ) -> Path | None:
        """Search from both ends in one snapshot."""
        check_id(source, what="a node id")
        check_id(target, what="a node id")
        between("max_hops", max_hops, MAX_HOPS)
        way = check_way("out" if directed else "both", types)
        return await self._database.snapshot(
            lambda connection: traverse.shortest_path(connection, self._namespace, source, target, way, max_hops)
        )

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        """Read the counts that the kind keeps, or count along an index or over the columns."""
        check_name(kind, what="a kind")
        return await self._database.snapshot(
            lambda connection: counting.count_nodes(connection, self._namespace, kind, by, where)
        )

    async def count_edges(self) -> Mapping[str, int]:
        """Read the counts of edges, and take off those that hang on a deleted node."""
        return await self._database.snapshot(lambda connection: counting.count_edges(connection, self._namespace))

    async def get_meta(self, key: str) -> str | None:
        """Read a note."""
        return await self._notes.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Keep a note in one transaction, so that one of several processes wins."""
        return await self._notes.set(key, value, if_absent=if_absent)

    async def drop(self) -> None:
        """Remove the namespace some thousand rows at a time, so that nobody else waits long."""
        while await self._database.write(self._drop_some):
            pass

    def _drop_some(self, connection: sqlite3.Connection) -> bool:
        values = (self._namespace, DROPPED_AT_ONCE)
        for table in ("kinds", "meta"):
            connection.execute(statement("DELETE FROM {table} WHERE ns = ?", table=table), (self._namespace,))
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
        # No edge is left, and no kind whose nodes are still counted.
        connection.execute("DELETE FROM totals WHERE ns = ?", (self._namespace,))
        rows: list[tuple[int]] = connection.execute("SELECT rid FROM nodes WHERE ns = ? LIMIT ?", values).fetchall()
        for table, key in (("texts", "rowid"), ("nodes", "rid")):
            query = statement("DELETE FROM {table} WHERE {key} = ?", table=table, key=key)
            connection.executemany(query, rows)
        return bool(rows)

    async def _revisions(self, query: str, ids: Collection[KeyT], made: Callable[[str], KeyT]) -> dict[KeyT, Revision]:
        wanted = [check_id(key, what="an id") for key in ids]
        rows: list[tuple[str, int]] = await self._database.read(
            lambda connection: connection.execute(query, (json_list(wanted), self._namespace)).fetchall()
        )
        return {made(key): Revision(rev) for key, rev in rows}


def _ids(ids: Collection[NodeId] | Collection[EdgeId]) -> str:
    return json_list(sorted({check_id(key, what="an id") for key in ids}))
