"""Writes of nodes and edges: the changed columns of rows where the stored revision is lower."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import orjson

from backends.engines.sqlite.declarations import Declared, SqlValue, column_value
from backends.engines.sqlite.graph.counts import Tally
from backends.engines.sqlite.graph.kinds import counted_by, declared_kind, forget_texts, index_texts
from backends.engines.sqlite.schema import column, json_list, scalar, slot_columns, statement
from backends.kit.batches import Changes, check_ends
from backends.kit.declarations import parse_fields
from backends.kit.records import props_text
from backends.ports.graph import Edge, Node
from backends.ports.values import Value

NODE_REVISIONS: Final = "SELECT n.id, n.rev FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value"

_STORED_NODES: Final = (
    "SELECT n.id, n.rid, n.rev, n.kind, n.dead, n.fields"
    " FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value"
)
# Even a NULL column costs time, so columns of undeclared fields are not named.
_ADD_NODE: Final = (
    "INSERT INTO nodes(rid, ns, id, dead, kind, indexed, rev, fields, props{slots})"
    " VALUES(?, ?, ?, 0, ?, ?, ?, ?, ?{values})"
)
_REVIVE_NODE: Final = statement(
    "UPDATE nodes SET dead = 0, kind = ?, indexed = ?, rev = ?, fields = ?, props = ?, {slots} WHERE rid = ?",
    slots=", ".join(f"{name} = ?" for name in slot_columns()),
)
# A statement updates every index that has a column it names, changed or not.
_CHANGE_NODE: Final = "UPDATE nodes SET rev = ?, fields = ?, props = ?{slots} WHERE rid = ?"
_DELETE_NODE: Final = statement(
    "INSERT INTO nodes(ns, id, kind, rev, dead, indexed) VALUES(?, ?, '', ?, 1, 0)"
    " ON CONFLICT(ns, id) DO UPDATE SET rev = excluded.rev, dead = 1, indexed = 0, fields = NULL, props = NULL, {cleared}",
    cleared=", ".join(f"{name} = NULL" for name in slot_columns()),
)
Row = tuple[SqlValue, ...]
IndexedTexts = tuple[str, int, Declared, Mapping[str, Value]]
"""The kind and the row of a node whose texts are to be indexed, its declaration, and its fields."""

EDGE_REVISIONS: Final = "SELECT e.id, e.rev FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value"
_KNOWN: Final = "SELECT n.id FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value"
_STORED_EDGES: Final = (
    "SELECT e.id, e.rowid, e.rev, e.dead, e.source, e.target, e.type, e.confidence"
    " FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value"
)
_ADD_EDGE: Final = (
    "INSERT INTO edges(ns, id, rev, dead, props, source, target, type, confidence) VALUES(?, ?, ?, 0, ?, ?, ?, ?, ?)"
)
# A statement updates every index that has a column it names, changed or not.
_RENEW_EDGE: Final = "UPDATE edges SET rev = ?, props = ? WHERE rowid = ?"
_MOVE_EDGE: Final = (
    "UPDATE edges SET dead = 0, rev = ?, props = ?, source = ?, target = ?, type = ?, confidence = ? WHERE rowid = ?"
)
_DELETE_EDGE: Final = (
    "INSERT INTO edges(ns, id, source, target, type, rev, dead, confidence) VALUES(?, ?, '', '', '', ?, 1, 0)"
    " ON CONFLICT(ns, id) DO UPDATE SET rev = excluded.rev, dead = 1, props = NULL WHERE excluded.rev > rev"
)

StoredEdge = tuple[int, int, int, str, str, str, float]
"""Row, revision, whether it is deleted, source, target, type, confidence."""


class StoredNode(NamedTuple):
    """The stored state of a node."""

    rid: int
    rev: int
    kind: str
    dead: int
    fields: str | None


def write_nodes(
    connection: sqlite3.Connection, nodes: Mapping[str, Node], deleted: Mapping[str, int], tally: Tally
) -> None:
    """Write nodes and tombstones where the stored revision is lower.

    Raises `InvalidInput` for an undeclared kind and for fields that do not fit it.
    """
    namespace = tally.namespace
    if not nodes and not deleted:
        return
    kinds = {kind: declared_kind(connection, namespace, kind) for kind in {node.kind for node in nodes.values()}}
    rows = connection.execute(_STORED_NODES, (json_list([*nodes, *deleted]), namespace))
    stored = {row[0]: StoredNode(*row[1:]) for row in rows}
    counted = {kind: declared.totals for kind, declared in kinds.items()}
    for kind in {known.kind for known in stored.values() if not known.dead} - counted.keys():
        counted[kind] = counted_by(connection, namespace, kind)
    node_writes = _NodeWrites(tally, counted, scalar(connection, "SELECT max(rid) FROM nodes"))
    for key, node in nodes.items():
        known = stored.get(key)
        if known is None or known.rev < node.rev:
            node_writes.put(node, kinds[node.kind], known)
    for key, rev in deleted.items():
        known = stored.get(key)
        if known is None or known.rev < rev:
            node_writes.delete(key, rev, known)
    node_writes.write(connection)


@dataclass(slots=True)
class _NodeWrites:
    """The rows of a batch by the statement that writes them, and the texts to index and to remove from the index."""

    tally: Tally
    counted: Mapping[str, tuple[str, ...]]
    """The totals of each kind."""
    last: int
    """The highest row id; new nodes get the next ones, which their texts need before they are inserted."""
    added: dict[int, list[Row]] = field(default_factory=dict[int, list[Row]])
    """By the number of columns that the kind declares."""
    revived: list[Row] = field(default_factory=list[Row])
    changed: dict[tuple[int, ...], list[Row]] = field(default_factory=dict[tuple[int, ...], list[Row]])
    """By the columns that change."""
    deleted: list[Row] = field(default_factory=list[Row])
    forgotten: list[int] = field(default_factory=list[int])
    texts: list[IndexedTexts] = field(default_factory=list[IndexedTexts])

    def put(self, node: Node, declared: Declared, known: StoredNode | None) -> None:
        """Add a node to be written. Raises `InvalidInput`."""
        kept = declared.kept(node.fields, owner=f"kind {node.kind!r}")
        parts = (node.rev, orjson.dumps(kept).decode(), props_text(node.props))
        if known is None:
            self.last += 1
            columns = [column_value(kept.get(name)) for name in declared.slots]
            values = (self.last, self.tally.namespace, node.id, node.kind, declared.indexed, *parts, *columns)
            self.added.setdefault(len(columns), []).append(values)
            self._index(node.kind, self.last, declared, kept)
            self._count(node.kind, kept, 1)
        elif known.dead or known.kind != node.kind or known.fields is None:
            values = (node.kind, declared.indexed, *parts, *declared.columns(kept))
            self.revived.append((*values, known.rid))
            self.forgotten.append(known.rid)
            self._index(node.kind, known.rid, declared, kept)
            self._uncount(known)
            self._count(node.kind, kept, 1)
        else:
            before = kept if known.fields == parts[1] else parse_fields(known.fields)
            names = [name for name in declared.slots if before.get(name) != kept.get(name)]
            slots = tuple(declared.slots[name] for name in names)
            values = (*parts, *(column_value(kept.get(name)) for name in names), known.rid)
            self.changed.setdefault(slots, []).append(values)
            if any(name in names for name in declared.totals):
                self._count(node.kind, before, -1)
                self._count(node.kind, kept, 1)
            if not declared.texts.isdisjoint(names):
                self.forgotten.append(known.rid)
                self._index(node.kind, known.rid, declared, kept)

    def delete(self, key: str, rev: int, known: StoredNode | None) -> None:
        """Add a node to be deleted."""
        self.deleted.append((self.tally.namespace, key, rev))
        if known is not None and not known.dead:
            self.forgotten.append(known.rid)
            self._uncount(known)

    def write(self, connection: sqlite3.Connection) -> None:
        """Execute the statements."""
        for count, rows in self.added.items():
            slots = "".join(f", {name}" for name in slot_columns()[:count])
            connection.executemany(statement(_ADD_NODE, slots=slots, values=", ?" * count), rows)
        for query, rows in ((_REVIVE_NODE, self.revived), (_DELETE_NODE, self.deleted)):
            if rows:
                connection.executemany(query, rows)
        for slots, rows in self.changed.items():
            columns = "".join(f", {column(slot)} = ?" for slot in slots)
            connection.executemany(statement(_CHANGE_NODE, slots=columns), rows)
        for rid in self.forgotten:
            forget_texts(connection, rid)
        for kind, rid, declared, fields in self.texts:
            index_texts(connection, (self.tally.namespace, kind), rid, declared, fields)

    def _count(self, kind: str, fields: Mapping[str, Value], change: int) -> None:
        self.tally.node(kind, self.counted[kind], fields, change)

    def _uncount(self, known: StoredNode) -> None:
        if not known.dead and known.fields is not None and self.counted[known.kind]:
            self._count(known.kind, parse_fields(known.fields), -1)

    def _index(self, kind: str, rid: int, declared: Declared, kept: Mapping[str, Value]) -> None:
        if declared.texts:
            self.texts.append((kind, rid, declared, kept))


def write_edges(connection: sqlite3.Connection, changes: Changes, tally: Tally) -> None:
    """Write edges and tombstones where the stored revision is lower; the batch's nodes must be written first.

    Raises `NotFound` with the ends that are missing.
    """
    stored = _stored_edges(connection, tally.namespace, [*changes.edges, *changes.deleted_edges])
    # Nodes are never removed, so the ends of stored edges exist.
    known = {end for edge in stored.values() for end in edge[3:5]}
    _check_ends(connection, tally.namespace, changes.ends - known)
    _write_edges(connection, changes.edges, changes.deleted_edges, stored, tally)


def _check_ends(connection: sqlite3.Connection, namespace: str, ends: frozenset[str]) -> None:
    if not ends:
        return
    found = connection.execute(_KNOWN, (json_list(list(ends)), namespace))
    check_ends(ends - {row[0] for row in found.fetchall()})


def _stored_edges(connection: sqlite3.Connection, namespace: str, ids: list[str]) -> dict[str, StoredEdge]:
    if not ids:
        return {}
    rows: list[tuple[str, *StoredEdge]] = connection.execute(_STORED_EDGES, (json_list(ids), namespace)).fetchall()
    return {row[0]: row[1:] for row in rows}


def _write_edges(
    connection: sqlite3.Connection,
    edges: Mapping[str, Edge],
    deleted: Mapping[str, int],
    stored: Mapping[str, StoredEdge],
    tally: Tally,
) -> None:
    namespace = tally.namespace
    added: list[tuple[SqlValue, ...]] = []
    renewed: list[tuple[SqlValue, ...]] = []
    moved: list[tuple[SqlValue, ...]] = []
    for key, edge in edges.items():
        known = stored.get(key)
        columns = (edge.source, edge.target, edge.type, edge.confidence)
        if known is None:
            added.append((namespace, key, edge.rev, props_text(edge.props), *columns))
            tally.edge(edge.type, 1)
        elif known[1] < edge.rev:
            if known[2:] == (0, *columns):
                renewed.append((edge.rev, props_text(edge.props), known[0]))
            else:
                moved.append((edge.rev, props_text(edge.props), *columns, known[0]))
                _uncount(known, tally)
                tally.edge(edge.type, 1)
    for key, rev in deleted.items():
        known = stored.get(key)
        if known is not None and known[1] < rev:
            _uncount(known, tally)
    tombstones = [(namespace, key, rev) for key, rev in deleted.items()]
    for query, values in ((_ADD_EDGE, added), (_RENEW_EDGE, renewed), (_MOVE_EDGE, moved), (_DELETE_EDGE, tombstones)):
        if values:
            connection.executemany(query, values)


def _uncount(known: StoredEdge, tally: Tally) -> None:
    if not known[2]:
        tally.edge(known[5], -1)
