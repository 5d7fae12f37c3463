"""The graph port over graph.db: checks what was asked and sends it to a thread."""

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

from backends.ports.errors import InvalidInput
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
from backends.sqlite import cursors
from backends.sqlite.connection import Database
from backends.sqlite.graph import counting, finding, hops, traverse, writing
from backends.sqlite.graph.kinds import check_kinds, declare_kind
from backends.sqlite.graph.rows import EDGE_COLUMNS, NODE_COLUMNS, VISIBLE, edge, node
from backends.sqlite.notes import Notes
from backends.sqlite.statements import json_list, statement

MAX_PAGE: Final = 1_000
MAX_STARTS: Final = 256
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

    def __init__(self, database: Database, namespace: Namespace) -> None:
        self._database = database
        self._namespace = namespace
        self._notes = Notes(database, namespace)

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Declare kinds in one transaction."""
        wanted = check_kinds(kinds)

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
        _between("limit", limit, MAX_PAGE)
        question = finding.Question(self._namespace, kind, where, order, after, limit)
        return await self._database.snapshot(lambda connection: finding.find(connection, question))

    async def scan_edges(self, *, after: str | None = None, limit: int = 1_000) -> Page[Edge]:
        """List edges along their key."""
        _between("limit", limit, MAX_PAGE)
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
        if len(ids) > MAX_STARTS:
            raise InvalidInput(f"at most {MAX_STARTS} nodes are expanded at once")
        _between("limit_per_node", limit_per_node, MAX_EXPANSION)
        way = self._way(direction, types, min_confidence)
        wanted = {check_id(key, what="a node id") for key in ids}
        return await self._database.snapshot(lambda connection: hops.expand(connection, wanted, way, limit_per_node))

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
        _between("max_depth", max_depth, MAX_HOPS)
        _between("limit", limit, MAX_EXPANSION)
        way = self._way(direction, types, min_confidence)
        return await self._database.snapshot(lambda connection: traverse.walk(connection, start, way, max_depth, limit))

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
        _between("max_hops", max_hops, MAX_HOPS)
        way = self._way("out" if directed else "both", types, 0.0)
        return await self._database.snapshot(
            lambda connection: traverse.shortest_path(connection, source, target, way, max_hops)
        )

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        """Count by an index that covers the fields, or over the columns."""
        check_name(kind, what="a kind")
        return await self._database.snapshot(
            lambda connection: counting.count_nodes(connection, self._namespace, kind, by, where)
        )

    async def count_edges(self) -> Mapping[str, int]:
        """Count the edges less those that hang on a deleted node."""
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
        some_edges = "DELETE FROM edges WHERE rowid IN (SELECT rowid FROM edges WHERE ns = ? LIMIT ?)"
        if connection.execute(some_edges, values).rowcount:
            return True
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

    def _way(self, direction: Direction, types: Collection[str] | None, min_confidence: float) -> hops.Way:
        for kind in types or ():
            check_name(kind, what="an edge type")
        if direction not in ("out", "in", "both"):
            raise InvalidInput(f"a direction is out, in or both: {direction!r:.60}")
        if not 0 <= min_confidence <= 1:
            raise InvalidInput(f"min_confidence is 0 to 1: {min_confidence}")
        return hops.Way(self._namespace, direction, types, min_confidence)


def _ids(ids: Collection[NodeId] | Collection[EdgeId]) -> str:
    return json_list(sorted({check_id(key, what="an id") for key in ids}))


def _between(what: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise InvalidInput(f"{what} must be 1 to {most}: {value}")
