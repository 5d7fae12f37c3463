"""One batch of nodes and edges: checked first, then written where its revisions are the higher ones."""

import math
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import orjson

from backends.jsontext import as_json
from backends.ports.errors import InvalidInput, NotFound
from backends.ports.graph import Edge, GraphBatch, Node
from backends.ports.ids import check_id, check_name
from backends.sqlite.declarations import Declared
from backends.sqlite.graph.kinds import declared_kind
from backends.sqlite.graph.texts import forget_texts, index_texts
from backends.sqlite.revisions import check_revision
from backends.sqlite.schema import SLOTS, slot_columns
from backends.sqlite.statements import json_list, statement

IdT = TypeVar("IdT", bound=str)
RecordT = TypeVar("RecordT", Node, Edge)

_SLOTS = ", ".join(slot_columns())
_PUT_NODE = statement(
    "INSERT INTO nodes(ns, id, kind, rev, dead, indexed, fields, props, {slots}) VALUES(?, ?, ?, ?, 0, ?, ?, ?{values})"
    " ON CONFLICT(ns, id) DO UPDATE SET kind = excluded.kind, rev = excluded.rev, dead = 0, indexed = excluded.indexed,"
    " fields = excluded.fields, props = excluded.props, {replaced} RETURNING rid",
    slots=_SLOTS,
    values=", ?" * SLOTS,
    replaced=", ".join(f"{name} = excluded.{name}" for name in slot_columns()),
)
_END_NODE = statement(
    "INSERT INTO nodes(ns, id, kind, rev, dead, indexed) VALUES(?, ?, '', ?, 1, 0)"
    " ON CONFLICT(ns, id) DO UPDATE SET rev = excluded.rev, dead = 1, indexed = 0, fields = NULL, props = NULL, {cleared}"
    " RETURNING rid",
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
EDGE_REVISIONS = "SELECT e.id, e.rev FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value"


def prepare(namespace: str, batch: GraphBatch) -> Callable[[sqlite3.Connection], None]:
    """Return the batch as a call for the writer. Raises `InvalidInput` for a broken rule."""
    for node in batch.nodes:
        check_id(node.id, what="a node id")
        check_revision(node.rev)
    for edge in batch.edges:
        _check_edge(edge)
    for identifier, rev in (*batch.deleted_nodes.items(), *batch.deleted_edges.items()):
        check_id(identifier, what="a deleted id")
        check_revision(rev)
    nodes, ended_nodes = _winners(batch.nodes, batch.deleted_nodes)
    edges, ended_edges = _winners(batch.edges, batch.deleted_edges)

    def apply(connection: sqlite3.Connection) -> None:
        # Nodes first: the ends that edges need may come with the same batch, dead or alive.
        _write_nodes(connection, namespace, nodes, ended_nodes)
        _check_ends(connection, namespace, batch.edges)
        _write_edges(connection, namespace, edges, ended_edges)

    return apply


def _check_edge(edge: Edge) -> None:
    check_id(edge.id, what="an edge id")
    check_id(edge.source, what="the id of an edge's source")
    check_id(edge.target, what="the id of an edge's target")
    check_name(edge.type, what="an edge type")
    check_revision(edge.rev)
    if not (math.isfinite(edge.confidence) and 0 <= edge.confidence <= 1):
        raise InvalidInput(f"a confidence is 0 to 1: {edge.confidence}")


def _winners(records: Iterable[RecordT], ended: Mapping[IdT, int]) -> tuple[dict[str, RecordT], dict[str, int]]:
    """Return what is left to write of each id: the record or the end with the highest revision."""
    best: dict[str, RecordT] = {}
    for record in records:
        if record.id not in best or best[record.id].rev < record.rev:
            best[record.id] = record
    ends = {str(key): rev for key, rev in ended.items() if key not in best or best[key].rev < rev}
    return {key: record for key, record in best.items() if key not in ends}, ends


def _newer(connection: sqlite3.Connection, query: str, namespace: str, wanted: Mapping[str, int]) -> list[str]:
    """Return the ids whose wanted revision is above the stored one."""
    stored: dict[str, int] = dict(connection.execute(query, (json_list(list(wanted)), namespace)).fetchall())
    return [key for key, rev in wanted.items() if stored.get(key, 0) < rev]


def _write_nodes(
    connection: sqlite3.Connection, namespace: str, nodes: Mapping[str, Node], ended: Mapping[str, int]
) -> None:
    kinds: dict[str, Declared] = {}
    for node in nodes.values():
        if node.kind not in kinds:
            kinds[node.kind] = declared_kind(connection, namespace, node.kind)
    wanted = {key: int(node.rev) for key, node in nodes.items()} | dict(ended)
    for key in _newer(connection, NODE_REVISIONS, namespace, wanted):
        if (node := nodes.get(key)) is None:
            rid: int = connection.execute(_END_NODE, (namespace, key, ended[key])).fetchone()[0]
            forget_texts(connection, rid)
        else:
            _put_node(connection, namespace, node, kinds[node.kind])


def _put_node(connection: sqlite3.Connection, namespace: str, node: Node, declared: Declared) -> None:
    kept = declared.kept(node.fields, owner=f"kind {node.kind!r}")
    values = (namespace, node.id, node.kind, node.rev, declared.indexed, orjson.dumps(kept).decode())
    props = as_json(node.props) if node.props else None
    row = connection.execute(_PUT_NODE, (*values, props, *declared.columns(kept))).fetchone()
    # Also without text fields: the node may have been of another kind before.
    index_texts(connection, row[0], declared, kept)


def _check_ends(connection: sqlite3.Connection, namespace: str, edges: Iterable[Edge]) -> None:
    ends: set[str] = {end for edge in edges for end in (edge.source, edge.target)}
    if not ends:
        return
    found = connection.execute(NODE_REVISIONS, (json_list(list(ends)), namespace))
    if missing := sorted(ends - {row[0] for row in found.fetchall()}):
        raise NotFound(f"edges need nodes that are not there: {', '.join(missing[:5])}", missing=tuple(missing))


def _write_edges(
    connection: sqlite3.Connection, namespace: str, edges: Mapping[str, Edge], ended: Mapping[str, int]
) -> None:
    wanted = {key: int(edge.rev) for key, edge in edges.items()} | dict(ended)
    for key in _newer(connection, EDGE_REVISIONS, namespace, wanted):
        if (edge := edges.get(key)) is None:
            connection.execute(_END_EDGE, (namespace, key, ended[key]))
        else:
            props = as_json(edge.props) if edge.props else None
            ends = (edge.source, edge.target, edge.type)
            connection.execute(_PUT_EDGE, (namespace, key, *ends, edge.rev, edge.confidence, props))
