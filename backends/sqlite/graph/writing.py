"""One batch of nodes and edges: checked first, then written where its revisions are the higher ones."""

import sqlite3
from collections.abc import Callable, Mapping

import orjson

from backends.batches import Changes, check_batch
from backends.jsontext import props_text
from backends.ports.errors import NotFound
from backends.ports.graph import GraphBatch, Node
from backends.sqlite.declarations import Declared, SqlValue
from backends.sqlite.graph.kinds import declared_kind
from backends.sqlite.graph.texts import forget_texts, index_texts
from backends.sqlite.schema import SLOTS, slot_columns
from backends.sqlite.statements import json_list, statement

_SLOTS = ", ".join(slot_columns())
_PUT_NODE = statement(
    "INSERT INTO nodes(ns, id, kind, rev, dead, indexed, fields, props, {slots}) VALUES(?, ?, ?, ?, 0, ?, ?, ?{values})"
    " ON CONFLICT(ns, id) DO UPDATE SET kind = excluded.kind, rev = excluded.rev, dead = 0, indexed = excluded.indexed,"
    " fields = excluded.fields, props = excluded.props, {replaced}",
    slots=_SLOTS,
    values=", ?" * SLOTS,
    replaced=", ".join(f"{name} = excluded.{name}" for name in slot_columns()),
)
_END_NODE = statement(
    "INSERT INTO nodes(ns, id, kind, rev, dead, indexed) VALUES(?, ?, '', ?, 1, 0)"
    " ON CONFLICT(ns, id) DO UPDATE SET rev = excluded.rev, dead = 1, indexed = 0, fields = NULL, props = NULL, {cleared}",
    cleared=", ".join(f"{name} = NULL" for name in slot_columns()),
)
_PUT_EDGE = (
    "INSERT INTO edges(ns, id, source, target, type, rev, dead, confidence, props) VALUES(?, ?, ?, ?, ?, ?, 0, ?, ?)"
    " ON CONFLICT(ns, id) DO UPDATE SET source = excluded.source, target = excluded.target, type = excluded.type,"
    " rev = excluded.rev, dead = 0, confidence = excluded.confidence, props = excluded.props"
)
_END_EDGE = (
    "INSERT INTO edges(ns, id, source, target, type, rev, dead, confidence) VALUES(?, ?, '', '', '', ?, 1, 0)"
    " ON CONFLICT(ns, id) DO UPDATE SET rev = excluded.rev, dead = 1, props = NULL"
)
NODE_REVISIONS = "SELECT n.id, n.rev FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value"
_PLACES = "SELECT n.id, n.rid FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value"
EDGE_REVISIONS = "SELECT e.id, e.rev FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value"


def prepare(namespace: str, batch: GraphBatch) -> Callable[[sqlite3.Connection], None]:
    """Return the batch as a call for the writer. Raises `InvalidInput` for a broken rule."""
    changes = check_batch(batch)

    def apply(connection: sqlite3.Connection) -> None:
        # Nodes first: the ends that edges need may come with the same batch, dead or alive.
        _write_nodes(connection, namespace, changes)
        _check_ends(connection, namespace, changes.ends)
        _write_edges(connection, namespace, changes)

    return apply


def _newer(connection: sqlite3.Connection, query: str, namespace: str, wanted: Mapping[str, int]) -> dict[str, bool]:
    """Return the ids whose wanted revision is above the stored one, and whether there is one."""
    stored: dict[str, int] = dict(connection.execute(query, (json_list(list(wanted)), namespace)).fetchall())
    return {key: key in stored for key, rev in wanted.items() if stored.get(key, 0) < rev}


def _write_nodes(connection: sqlite3.Connection, namespace: str, changes: Changes) -> None:
    kinds: dict[str, Declared] = {}
    for node in changes.nodes.values():
        if node.kind not in kinds:
            kinds[node.kind] = declared_kind(connection, namespace, node.kind)
    newer = _newer(connection, NODE_REVISIONS, namespace, changes.node_revisions)
    nodes = [node for key, node in changes.nodes.items() if key in newer]
    connection.executemany(_PUT_NODE, [_values(namespace, node, kinds[node.kind]) for node in nodes])
    ended = [(namespace, key, rev) for key, rev in changes.ended_nodes.items() if key in newer]
    connection.executemany(_END_NODE, ended)
    # Also those without text fields: a node may have been of another kind before.
    for _, rid in _places(connection, namespace, [key for key, known in newer.items() if known]):
        forget_texts(connection, rid)
    texts = {str(node.id): node for node in nodes if kinds[node.kind].has_texts}
    for key, rid in _places(connection, namespace, [*texts]):
        index_texts(connection, rid, kinds[texts[key].kind], texts[key].fields)


def _values(namespace: str, node: Node, declared: Declared) -> tuple[SqlValue, ...]:
    kept = declared.kept(node.fields, owner=f"kind {node.kind!r}")
    values = (namespace, node.id, node.kind, node.rev, declared.indexed, orjson.dumps(kept).decode())
    return (*values, props_text(node.props), *declared.columns(kept))


def _places(connection: sqlite3.Connection, namespace: str, keys: list[str]) -> list[tuple[str, int]]:
    """Return the rows that nodes are in."""
    return connection.execute(_PLACES, (json_list(keys), namespace)).fetchall() if keys else []


def _check_ends(connection: sqlite3.Connection, namespace: str, ends: frozenset[str]) -> None:
    if not ends:
        return
    found = connection.execute(NODE_REVISIONS, (json_list(list(ends)), namespace))
    if missing := sorted(ends - {row[0] for row in found.fetchall()}):
        raise NotFound(f"edges need nodes that are not there: {', '.join(missing[:5])}", missing=tuple(missing))


def _write_edges(connection: sqlite3.Connection, namespace: str, changes: Changes) -> None:
    newer = _newer(connection, EDGE_REVISIONS, namespace, changes.edge_revisions)
    edges = [
        (namespace, key, edge.source, edge.target, edge.type, edge.rev, edge.confidence, props_text(edge.props))
        for key, edge in changes.edges.items()
        if key in newer
    ]
    connection.executemany(_PUT_EDGE, edges)
    ended = [(namespace, key, rev) for key, rev in changes.ended_edges.items() if key in newer]
    connection.executemany(_END_EDGE, ended)
