"""Nodes in rows: read, added, and changed column by column."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import orjson

from backends.engines.sqlite.declarations import Declared, SqlValue, column_value
from backends.engines.sqlite.graph.kinds import counted_by, declared_kind, forget_texts, index_texts
from backends.engines.sqlite.graph.totals import Tally
from backends.engines.sqlite.schema import slot_columns
from backends.engines.sqlite.statements import column, json_list, scalar, statement
from backends.kit.declarations import stored_fields
from backends.kit.records import parse_props, props_text
from backends.ports.graph import Node
from backends.ports.values import NodeId, Revision, Value

NODE_COLUMNS: Final = "n.id, n.kind, n.fields, n.rev, n.props"
NodeRow = tuple[NodeId, str, str, Revision, str | None]
NODE_REVISIONS: Final = "SELECT n.id, n.rev FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value"

_STORED: Final = (
    "SELECT n.id, n.rid, n.rev, n.kind, n.dead, n.fields"
    " FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value"
)
# Even a NULL column costs time: columns of undeclared fields are not named.
_ADD: Final = (
    "INSERT INTO nodes(rid, ns, id, dead, kind, indexed, rev, fields, props{slots})"
    " VALUES(?, ?, ?, 0, ?, ?, ?, ?, ?{values})"
)
_REVIVE: Final = statement(
    "UPDATE nodes SET dead = 0, kind = ?, indexed = ?, rev = ?, fields = ?, props = ?, {slots} WHERE rid = ?",
    slots=", ".join(f"{name} = ?" for name in slot_columns()),
)
# A statement updates every index that has a column it names, changed or not.
_CHANGE: Final = "UPDATE nodes SET rev = ?, fields = ?, props = ?{slots} WHERE rid = ?"
_DELETE: Final = statement(
    "INSERT INTO nodes(ns, id, kind, rev, dead, indexed) VALUES(?, ?, '', ?, 1, 0)"
    " ON CONFLICT(ns, id) DO UPDATE SET rev = excluded.rev, dead = 1, indexed = 0, fields = NULL, props = NULL, {cleared}",
    cleared=", ".join(f"{name} = NULL" for name in slot_columns()),
)
Row = tuple[SqlValue, ...]
Texts = tuple[str, int, Declared, Mapping[str, Value]]
"""The kind and the row of a node whose texts are to be indexed, its declaration, and its fields."""


class StoredNode(NamedTuple):
    """What is stored of a node."""

    rid: int
    rev: int
    kind: str
    dead: int
    fields: str | None


def node(row: NodeRow) -> Node:
    """Return the node of a row of `NODE_COLUMNS`."""
    identifier, kind, fields, rev, props = row
    return Node(identifier, kind, stored_fields(fields), rev, parse_props(props))


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
    rows = connection.execute(_STORED, (json_list([*nodes, *deleted]), namespace))
    stored = {row[0]: StoredNode(*row[1:]) for row in rows}
    counted = {kind: declared.totals for kind, declared in kinds.items()}
    for kind in {known.kind for known in stored.values() if not known.dead} - counted.keys():
        counted[kind] = counted_by(connection, namespace, kind)
    writing = _Writing(tally, counted, scalar(connection, "SELECT max(rid) FROM nodes"))
    for key, node in nodes.items():
        known = stored.get(key)
        if known is None or known.rev < node.rev:
            writing.put(node, kinds[node.kind], known)
    for key, rev in deleted.items():
        known = stored.get(key)
        if known is None or known.rev < rev:
            writing.delete(key, rev, known)
    writing.write(connection)


@dataclass(slots=True)
class _Writing:
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
    texts: list[Texts] = field(default_factory=list[Texts])

    def put(self, node: Node, declared: Declared, known: StoredNode | None) -> None:
        """Add a node that is to be written. Raises `InvalidInput`."""
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
            before = kept if known.fields == parts[1] else stored_fields(known.fields)
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
        """Add a node that is to be deleted."""
        self.deleted.append((self.tally.namespace, key, rev))
        if known is not None and not known.dead:
            self.forgotten.append(known.rid)
            self._uncount(known)

    def write(self, connection: sqlite3.Connection) -> None:
        """Execute the statements."""
        for count, rows in self.added.items():
            slots = "".join(f", {name}" for name in slot_columns()[:count])
            connection.executemany(statement(_ADD, slots=slots, values=", ?" * count), rows)
        connection.executemany(_REVIVE, self.revived)
        connection.executemany(_DELETE, self.deleted)
        for slots, rows in self.changed.items():
            columns = "".join(f", {column(slot)} = ?" for slot in slots)
            connection.executemany(statement(_CHANGE, slots=columns), rows)
        for rid in self.forgotten:
            forget_texts(connection, rid)
        for kind, rid, declared, fields in self.texts:
            index_texts(connection, (self.tally.namespace, kind), rid, declared, fields)

    def _count(self, kind: str, fields: Mapping[str, Value], change: int) -> None:
        self.tally.node(kind, self.counted[kind], fields, change)

    def _uncount(self, known: StoredNode) -> None:
        if not known.dead and known.fields is not None and self.counted[known.kind]:
            self._count(known.kind, stored_fields(known.fields), -1)

    def _index(self, kind: str, rid: int, declared: Declared, kept: Mapping[str, Value]) -> None:
        if declared.texts:
            self.texts.append((kind, rid, declared, kept))
