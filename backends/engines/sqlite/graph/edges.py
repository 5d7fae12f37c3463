"""Edges in rows: read, added, and moved in the indexes only where their place changes."""

import sqlite3
from collections.abc import Mapping
from typing import Final

from backends.engines.sqlite.declarations import SqlValue
from backends.engines.sqlite.graph.totals import Tally
from backends.engines.sqlite.statements import json_list, statement
from backends.kit.batches import Changes
from backends.kit.records import parse_props, props_text
from backends.ports.errors import NotFound
from backends.ports.graph import Edge
from backends.ports.values import EdgeId, NodeId, Revision

EDGE_COLUMNS: Final = "e.id, e.source, e.target, e.type, e.rev, e.confidence, e.props"
EdgeRow = tuple[EdgeId, NodeId, NodeId, str, Revision, float, str | None]
# Both ends of an edge are always known, and few nodes are deleted: one lookup among those replaces two among all nodes.
LIVE_END: Final = (
    "NOT EXISTS(SELECT 1 FROM nodes d INDEXED BY nodes_dead WHERE d.ns = e.ns AND d.id = e.{end} AND d.dead = 1)"
)
VISIBLE: Final = " AND ".join(("e.dead = 0", statement(LIVE_END, end="source"), statement(LIVE_END, end="target")))
"""The condition that an edge and both its ends are live."""
EDGE_REVISIONS: Final = "SELECT e.id, e.rev FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value"
_KNOWN: Final = "SELECT n.id FROM json_each(?) w CROSS JOIN nodes n ON n.ns = ? AND n.id = w.value"

_STORED: Final = (
    "SELECT e.id, e.rowid, e.rev, e.dead, e.source, e.target, e.type, e.confidence"
    " FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value"
)
_ADD: Final = (
    "INSERT INTO edges(ns, id, rev, dead, props, source, target, type, confidence) VALUES(?, ?, ?, 0, ?, ?, ?, ?, ?)"
)
# A statement updates every index that has a column it names, changed or not.
_RENEW: Final = "UPDATE edges SET rev = ?, props = ? WHERE rowid = ?"
_MOVE: Final = (
    "UPDATE edges SET dead = 0, rev = ?, props = ?, source = ?, target = ?, type = ?, confidence = ? WHERE rowid = ?"
)
_DELETE: Final = (
    "INSERT INTO edges(ns, id, source, target, type, rev, dead, confidence) VALUES(?, ?, '', '', '', ?, 1, 0)"
    " ON CONFLICT(ns, id) DO UPDATE SET rev = excluded.rev, dead = 1, props = NULL WHERE excluded.rev > rev"
)
StoredEdge = tuple[int, int, int, str, str, str, float]
"""Row, revision, whether it is deleted, source, target, type, confidence."""


def edge(row: EdgeRow) -> Edge:
    """Return the edge of a row of `EDGE_COLUMNS`."""
    identifier, source, target, kind, rev, confidence, props = row
    return Edge(identifier, source, target, kind, rev, confidence, parse_props(props))


def write_edges(connection: sqlite3.Connection, changes: Changes, tally: Tally) -> None:
    """Write edges and tombstones where the stored revision is lower; the batch's nodes are written before.

    Raises `NotFound` with the ends that are missing.
    """
    stored = _stored_edges(connection, tally.namespace, [*changes.edges, *changes.deleted_edges])
    # Nodes are never forgotten: the ends of stored edges are known.
    known = {end for edge in stored.values() for end in edge[3:5]}
    _check_ends(connection, tally.namespace, changes.ends - known)
    _write_edges(connection, changes.edges, changes.deleted_edges, stored, tally)


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
    for key, rev in deleted.items():
        known = stored.get(key)
        if known is not None and known[1] < rev:
            _uncount(known, tally)
    tombstones = [(namespace, key, rev) for key, rev in deleted.items()]
    for query, values in ((_ADD, added), (_RENEW, renewed), (_MOVE, moved), (_DELETE, tombstones)):
        if values:
            connection.executemany(query, values)


def _uncount(known: StoredEdge, tally: Tally) -> None:
    if not known[2]:
        tally.edge(known[5], -1)
