"""Counts of nodes per combination of fields, and of edges per type."""

import sqlite3
from collections.abc import Iterator, Sequence

from backends.engines.sqlite.declarations import Declared, SqlValue
from backends.engines.sqlite.filters import (
    Clause,
    compile_checked,
    conjuncts,
    elements_of,
    first_folded,
    first_needle,
    index_condition,
    short_needle,
    without,
)
from backends.engines.sqlite.graph.kinds import declared_kind
from backends.engines.sqlite.graph.totals import edges_by_type, nodes_by, with_known_values
from backends.engines.sqlite.statements import column, statement
from backends.kit.declarations import check_filter_fields, group_fields
from backends.kit.records import group_position
from backends.ports.filters import Contains, Filter
from backends.ports.graph import Group
from backends.ports.values import Scalar

_GROUPS = "SELECT count(*){columns} FROM nodes n{index} WHERE n.ns = ? AND n.kind = ? AND n.dead = 0{also} AND {where}{groups}"
_OF_TEXT = (
    "SELECT count(*){columns} FROM texts CROSS JOIN nodes n ON n.rid = texts.rowid"
    " WHERE texts MATCH ? AND n.ns = ? AND n.kind = ? AND n.dead = 0 AND {where}{groups}"
)
_OF_ELEMENTS = "SELECT count(*){columns} FROM ({rows}) f CROSS JOIN nodes n ON n.rid = f.rid WHERE {where}{groups}"
_BY_LOOKING = (
    " AND n.rid IN (SELECT k.rid FROM nodes k INDEXED BY nodes_kind CROSS JOIN texts_content t ON t.id = k.rid"
    " WHERE k.ns = ? AND k.kind = ? AND k.dead = 0 AND {condition})"
)
# Few edges end at a deleted node: subtracting them is cheaper than checking both ends of every edge.
_HIDDEN = (
    "SELECT type, count(*) FROM ("
    "SELECT e.type AS type, e.id FROM nodes d INDEXED BY nodes_dead CROSS JOIN edges e INDEXED BY edges_out"
    " ON e.ns = d.ns AND e.source = d.id AND e.dead = 0 WHERE d.ns = :ns AND d.dead = 1"
    " UNION SELECT e.type, e.id FROM nodes d INDEXED BY nodes_dead CROSS JOIN edges e INDEXED BY edges_in"
    " ON e.ns = d.ns AND e.target = d.id AND e.dead = 0 WHERE d.ns = :ns AND d.dead = 1) GROUP BY type"
)


def count_nodes(
    connection: sqlite3.Connection, namespace: str, kind: str, by: Sequence[str], where: Filter | None
) -> list[Group]:
    """Count live nodes per combination of fields."""
    declared = declared_kind(connection, namespace, kind)
    grouped = group_fields(by, declared.specs)
    if where is not None:
        check_filter_fields(where, declared.specs)
    if where is None and declared.totals and set(by) <= set(declared.totals):
        counts = nodes_by(connection, namespace, kind, declared.totals, by)
        kept = [Group(key, count) for key, count in counts.items()] if by else [Group((), counts.total())]
        return sorted(kept, key=group_position)
    asked = with_known_values(connection, (namespace, kind), where, declared)
    query, values = _statement((namespace, kind), asked, by, declared)
    rows: list[tuple[int, *tuple[SqlValue, ...]]] = connection.execute(query, values).fetchall()
    types = [spec.type for spec in grouped]
    found = [Group(tuple(map(_scalar, row[1:], types)), row[0]) for row in rows]
    return sorted(found, key=group_position)


def count_edges(connection: sqlite3.Connection, namespace: str) -> dict[str, int]:
    """Count visible edges per type, types by name."""
    live = edges_by_type(connection, namespace)
    hidden: dict[str, int] = dict(connection.execute(_HIDDEN, {"ns": namespace}).fetchall())
    counts = {kind: count - hidden.get(kind, 0) for kind, count in live.items()}
    return {kind: count for kind, count in sorted(counts.items()) if count}


def _statement(
    of_kind: tuple[str, str], where: Filter | None, by: Sequence[str], declared: Declared
) -> tuple[str, tuple[SqlValue, ...]]:
    """Return the statement that counts, and its values."""
    clause = compile_checked(where, declared, "n")
    columns = "".join(f", {column(declared.slots[field], 'n')}" for field in by)
    parts = {"columns": columns, "groups": f" GROUP BY {columns[2:]}" if by else ""}
    if (folded := first_folded(where, declared)) is not None:
        rows = elements_of(of_kind, folded, declared)
        rest = compile_checked(without(where, folded), declared, "n")
        return statement(_OF_ELEMENTS, rows=rows.sql, where=rest.sql, **parts), (*rows.values, *rest.values)
    # A substring is looked up in the index of texts, not in every node of the kind.
    if (needle := first_needle(where, declared)) is not None:
        rest = compile_checked(without(where, needle.proved), declared, "n")
        return statement(_OF_TEXT, where=rest.sql, **parts), (needle.query, *of_kind, *rest.values)
    index, also = _covering(by, where, declared)
    also += index_condition(where, declared, "n")
    needles = list(_short_needles(of_kind, where, declared))
    also += "".join(short.sql for short in needles)
    values = (*of_kind, *(value for short in needles for value in short.values), *clause.values)
    return statement(_GROUPS, index=index, also=also, where=clause.sql, **parts), values


def _short_needles(of_kind: tuple[str, str], where: Filter | None, declared: Declared) -> Iterator[Clause]:
    """Yield conditions that every match meets and that only the texts are read for."""
    for term in conjuncts(where):
        if isinstance(term, Contains) and (clause := short_needle(term, declared, "t")) is not None:
            yield Clause(statement(_BY_LOOKING, condition=clause.sql), (*of_kind, *clause.values))


def _covering(by: Sequence[str], where: Filter | None, declared: Declared) -> tuple[str, str]:
    """Return an index that has every column to count by, and the condition under which it has all rows; "" if there is none."""
    if where is not None:
        return "", ""
    if not by:
        return " INDEXED BY nodes_kind", ""
    slots = [declared.slots[field] for field in by]
    # A single sortable field is counted along its own index.
    if len(slots) == 1 and slots[0] < declared.indexed:
        return f" INDEXED BY nodes_c{slots[0]}", f" AND n.indexed > {slots[0]}"
    return "", ""


def _scalar(value: SqlValue, kind: str) -> Scalar | None:
    if value is None or isinstance(value, bytes):
        return None
    return bool(value) if kind == "bool" else value
