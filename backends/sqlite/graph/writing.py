"""One batch of nodes and edges: checked first, then written where its revisions are the higher ones."""

import sqlite3
from collections.abc import Callable, Mapping
from typing import Final

from backends.batches import check_batch
from backends.jsontext import props_text
from backends.ports.errors import NotFound
from backends.ports.graph import Edge, GraphBatch
from backends.sqlite.declarations import SqlValue
from backends.sqlite.graph.nodes import write_nodes
from backends.sqlite.graph.totals import Tally
from backends.sqlite.statements import json_list

NODE_REVISIONS: Final = "SELECT n.id, n.rev FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value"
EDGE_REVISIONS: Final = "SELECT e.id, e.rev FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value"
_KNOWN: Final = "SELECT n.id FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value"

_STORED: Final = (
    "SELECT e.id, e.rowid, e.rev, e.dead, e.source, e.target, e.type, e.confidence"
    " FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value"
)
_ADD: Final = (
    "INSERT INTO edges(ns, id, rev, dead, props, source, target, type, confidence) VALUES(?, ?, ?, 0, ?, ?, ?, ?, ?)"
)
# The indexes hold where an edge lies, and are kept up by each statement that names it, changed or not.
_RENEW: Final = "UPDATE edges SET rev = ?, props = ? WHERE rowid = ?"
_MOVE: Final = (
    "UPDATE edges SET dead = 0, rev = ?, props = ?, source = ?, target = ?, type = ?, confidence = ? WHERE rowid = ?"
)
_END: Final = (
    "INSERT INTO edges(ns, id, source, target, type, rev, dead, confidence) VALUES(?, ?, '', '', '', ?, 1, 0)"
    " ON CONFLICT(ns, id) DO UPDATE SET rev = excluded.rev, dead = 1, props = NULL WHERE excluded.rev > rev"
)
StoredEdge = tuple[int, int, int, str, str, str, float]
"""Row, revision, whether it ended, source, target, type, confidence."""


def prepare(namespace: str, batch: GraphBatch) -> Callable[[sqlite3.Connection], None]:
    """Return the batch as a call for the writer. Raises `InvalidInput` for a broken rule."""
    changes = check_batch(batch)

    def apply(connection: sqlite3.Connection) -> None:
        tally = Tally(namespace)
        # Nodes first: the ends that edges need may come with the same batch, dead or alive.
        write_nodes(connection, changes.nodes, changes.ended_nodes, tally)
        stored = _stored_edges(connection, namespace, [*changes.edges, *changes.ended_edges])
        # Nodes are never forgotten: what stored edges end in is known.
        known = {end for edge in stored.values() for end in edge[3:5]}
        _check_ends(connection, namespace, changes.ends - known)
        _write_edges(connection, changes.edges, changes.ended_edges, stored, tally)
        tally.write(connection)

    return apply


def _check_ends(connection: sqlite3.Connection, namespace: str, ends: frozenset[str]) -> None:
    if not ends:
        return
    found = connection.execute(_KNOWN, (json_list(list(ends)), namespace))
    if missing := sorted(ends - {row[0] for row in found.fetchall()}):
        raise NotFound(f"edges need nodes that are not there: {', '.join(missing[:5])}", missing=tuple(missing))


def _stored_edges(connection: sqlite3.Connection, namespace: str, ids: list[str]) -> dict[str, StoredEdge]:
    if not ids:
        return {}
    rows: list[tuple[str, *StoredEdge]] = connection.execute(_STORED, (json_list(ids), namespace)).fetchall()
    return {row[0]: row[1:] for row in rows}


def _write_edges(
    connection: sqlite3.Connection,
    edges: Mapping[str, Edge],
    ended: Mapping[str, int],
    stored: Mapping[str, StoredEdge],
    tally: Tally,
) -> None:
    namespace = tally.namespace
    added: list[tuple[SqlValue, ...]] = []
    renewed: list[tuple[SqlValue, ...]] = []
    moved: list[tuple[SqlValue, ...]] = []
    for key, edge in edges.items():
        known = stored.get(key)
        place = (edge.source, edge.target, edge.type, edge.confidence)
        if known is None:
            added.append((namespace, key, edge.rev, props_text(edge.props), *place))
            tally.edge(edge.type, 1)
        elif known[1] < edge.rev:
            if known[2:] == (0, *place):
                renewed.append((edge.rev, props_text(edge.props), known[0]))
            else:
                moved.append((edge.rev, props_text(edge.props), *place, known[0]))
                _uncount(known, tally)
                tally.edge(edge.type, 1)
    for key, rev in ended.items():
        known = stored.get(key)
        if known is not None and known[1] < rev:
            _uncount(known, tally)
    ends = [(namespace, key, rev) for key, rev in ended.items()]
    for query, values in ((_ADD, added), (_RENEW, renewed), (_MOVE, moved), (_END, ends)):
        if values:
            connection.executemany(query, values)


def _uncount(known: StoredEdge, tally: Tally) -> None:
    if not known[2]:
        tally.edge(known[5], -1)
