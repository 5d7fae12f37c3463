"""Counts of nodes per combination of fields, and of edges per type.

Totals are stored and updated in the transaction that changes the records, so that reading them takes constant time. Other
counts scan an index or the columns.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import orjson

from backends.engines.sqlite.declarations import Declared, SqlValue
from backends.engines.sqlite.filters import (
    SqlCondition,
    compile_checked,
    conjuncts,
    elements_of,
    first_folded,
    first_needle,
    index_condition,
    proved_by_query,
    short_needle,
    trigram_query,
    without,
)
from backends.engines.sqlite.schema import column, statement
from backends.kit.declarations import check_filter_fields, group_fields, parse_fields
from backends.kit.records import group_position
from backends.ports.filters import And, Contains, Filter, In, InIgnoringCase, Not, Or
from backends.ports.graph import Group
from backends.ports.text import shadow
from backends.ports.values import Scalar, Value

ValuesOf: TypeAlias = Callable[[str], tuple[str, ...] | None]

FEW: Final = 256
"""The most values of a field that are compared one by one."""
EDGES: Final = ""
"""The kind under which edges are counted; no kind has this name."""

_ADD = (
    "INSERT INTO totals(ns, kind, key, count) VALUES(?, ?, ?, ?)"
    " ON CONFLICT(ns, kind, key) DO UPDATE SET count = count + excluded.count"
)
_TIDY = "DELETE FROM totals WHERE ns = ? AND kind = ? AND key = ? AND count = 0"
_READ = "SELECT key, count FROM totals WHERE ns = ? AND kind = ?"
_FORGET = "DELETE FROM totals WHERE ns = ? AND kind = ?"
_STORED = "SELECT fields FROM nodes WHERE ns = ? AND kind = ? AND dead = 0"

_GROUPS = "SELECT count(*){columns} FROM nodes n{index} WHERE n.ns = ? AND n.kind = ? AND n.dead = 0{also} AND {where}{groups}"
_OF_TEXT = (
    "SELECT count(*){columns} FROM texts CROSS JOIN nodes n ON n.rid = texts.rowid"
    " WHERE texts MATCH ? AND n.ns = ? AND n.kind = ? AND n.dead = 0 AND {where}{groups}"
)
# The text index is read once for all terms that it answers; the others are tested where it found nothing.
_EITHER = "({rest}) AND (n.rid IN (SELECT rowid FROM texts WHERE texts MATCH ?) OR {others})"
_OF_ELEMENTS = "SELECT count(*){columns} FROM ({rows}) f CROSS JOIN nodes n ON n.rid = f.rid WHERE {where}{groups}"
_BY_READING = (
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


@dataclass(slots=True)
class Tally:
    """The changes that a transaction makes to the counts of a namespace."""

    namespace: str
    changes: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    """By kind and key."""

    def node(self, kind: str, totals: Sequence[str], fields: Mapping[str, Value], change: int) -> None:
        """Count a node of a kind with `totals`, if it has any."""
        if totals:
            self._change((kind, _key(totals, fields)), change)

    def edge(self, edge_type: str, change: int) -> None:
        """Count an edge."""
        self._change((EDGES, edge_type), change)

    def write(self, connection: sqlite3.Connection) -> None:
        """Store the changes."""
        rows = [(self.namespace, *counter, change) for counter, change in self.changes.items() if change]
        if rows:
            connection.executemany(_ADD, rows)
        if less := [row[:3] for row in rows if row[3] < 0]:
            connection.executemany(_TIDY, less)

    def _change(self, counter: tuple[str, str], change: int) -> None:
        self.changes[counter] = self.changes.get(counter, 0) + change


def recount(connection: sqlite3.Connection, namespace: str, kind: str, totals: Sequence[str]) -> None:
    """Replace the counts of a kind by those for `totals`."""
    connection.execute(_FORGET, (namespace, kind))
    tally = Tally(namespace)
    if totals:
        for [fields] in connection.execute(_STORED, (namespace, kind)):
            tally.node(kind, totals, parse_fields(fields), 1)
    tally.write(connection)


def nodes_by(
    connection: sqlite3.Connection, namespace: str, kind: str, totals: Sequence[str], by: Sequence[str]
) -> Counter[tuple[Scalar | None, ...]]:
    """Return the counts of a kind's nodes by some of its totals."""
    positions = [totals.index(name) for name in by]
    counts: Counter[tuple[Scalar | None, ...]] = Counter()
    for key, count in connection.execute(_READ, (namespace, kind)):
        values: list[Scalar | None] = orjson.loads(key)
        counts[tuple(values[position] for position in positions)] += count
    return counts


def few_values(
    connection: sqlite3.Connection, namespace: str, kind: str, totals: Sequence[str], name: str
) -> tuple[str, ...] | None:
    """Return the distinct texts of a field in a kind's nodes; None if the field is no total or has too many."""
    if name not in totals:
        return None
    rows = connection.execute(f"{_READ} LIMIT ?", (namespace, kind, FEW + 1)).fetchall()
    if len(rows) > FEW:
        return None
    position = totals.index(name)
    values = {orjson.loads(key)[position] for key, _ in rows}
    return tuple(value for value in values if isinstance(value, str))


def with_known_values(
    connection: sqlite3.Connection, of_kind: tuple[str, str], where: Filter | None, declared: Declared
) -> Filter | None:
    """Return a filter that matches the same nodes, with values instead of needles for totals with few values."""
    if where is None or declared.texts.isdisjoint(declared.totals):
        return where
    return _by_values(where, lambda field: few_values(connection, *of_kind, declared.totals, field))


def _by_values(where: Filter, known: ValuesOf) -> Filter:
    match where:
        case And(terms=terms):
            return And(tuple(_by_values(term, known) for term in terms))
        case Or(terms=terms):
            return Or(tuple(_by_values(term, known) for term in terms))
        case Not(term=term):
            return Not(_by_values(term, known))
        case Contains(field=field, needle=needle) if (values := known(field)) is not None:
            sought = shadow(needle)
            return In(field, tuple(value for value in values if sought in shadow(value)))
        case InIgnoringCase(field=field, values=wanted) if (values := known(field)) is not None:
            shadows = set(map(shadow, wanted))
            return In(field, tuple(value for value in values if shadow(value) in shadows))
        case _:
            return where


def edges_by_type(connection: sqlite3.Connection, namespace: str) -> dict[str, int]:
    """Return the counts of live edges, whether their ends are live or not."""
    return dict(connection.execute(_READ, (namespace, EDGES)).fetchall())


def _key(totals: Sequence[str], fields: Mapping[str, Value]) -> str:
    return orjson.dumps([fields.get(name) for name in totals]).decode()


def count_nodes(
    connection: sqlite3.Connection,
    of_kind: tuple[str, str],
    declared: Declared,
    by: Sequence[str],
    where: Filter | None,
) -> list[Group]:
    """Count live nodes per combination of fields."""
    grouped = group_fields(by, declared.specs)
    if where is not None:
        check_filter_fields(where, declared.specs)
    if where is None and declared.totals and set(by) <= set(declared.totals):
        counts = nodes_by(connection, *of_kind, declared.totals, by)
        kept = [Group(key, count) for key, count in counts.items()] if by else [Group((), counts.total())]
        return sorted(kept, key=group_position)
    asked = with_known_values(connection, of_kind, where, declared)
    query, values = _statement(of_kind, asked, by, declared)
    rows: list[tuple[int, *tuple[SqlValue, ...]]] = connection.execute(query, values).fetchall()
    types = [spec.type for spec in grouped]
    found = [Group(tuple(map(_scalar, row[1:], types)), row[0]) for row in rows]
    return sorted(found, key=group_position)


def count_edges(connection: sqlite3.Connection, namespace: str) -> dict[str, int]:
    """Count visible edges per type, types by name."""
    live = edges_by_type(connection, namespace)
    hidden: dict[str, int] = dict(connection.execute(_HIDDEN, {"ns": namespace}).fetchall())
    counts = {edge_type: count - hidden.get(edge_type, 0) for edge_type, count in live.items()}
    return {edge_type: count for edge_type, count in sorted(counts.items()) if count}


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
    # A substring is looked up in the text index, not in every node of the kind.
    if (needle := first_needle(where, declared)) is not None:
        rest = compile_checked(without(where, needle.proved), declared, "n")
        return statement(_OF_TEXT, where=rest.sql, **parts), (needle.query, *of_kind, *rest.values)
    if (either := _first_either(where, declared)) is not None:
        rest = compile_checked(without(where, either.term), declared, "n")
        if not either.others.terms:
            return statement(_OF_TEXT, where=rest.sql, **parts), (either.query, *of_kind, *rest.values)
        others = compile_checked(either.others, declared, "n")
        sql = statement(_EITHER, rest=rest.sql, others=others.sql)
        clause = SqlCondition(sql, (*rest.values, either.query, *others.values))
    index, also = _covering(by, where, declared)
    also += index_condition(where, declared, "n")
    needles = list(_short_needles(of_kind, where, declared))
    also += "".join(short.sql for short in needles)
    values = (*of_kind, *(value for short in needles for value in short.values), *clause.values)
    return statement(_GROUPS, index=index, also=also, where=clause.sql, **parts), values


@dataclass(frozen=True, slots=True)
class _Either:
    """A disjunction: the full-text query for the substrings that the text index answers, and the other terms."""

    term: Or
    query: str
    others: Or


def _first_either(where: Filter | None, declared: Declared) -> _Either | None:
    """Return the first conjunct that is a disjunction with a substring that the text index answers."""
    for term in conjuncts(where):
        if isinstance(term, Or):
            queries = {index: query for index, each in enumerate(term.terms) if (query := _exact_query(each, declared))}
            others = Or(tuple(each for index, each in enumerate(term.terms) if index not in queries))
            if queries:
                return _Either(term, " OR ".join(queries.values()), others)
    return None


def _exact_query(term: Filter, declared: Declared) -> str | None:
    """Return the full-text query that finds the rows for which `term` holds, and no others; None if there is none."""
    if not isinstance(term, Contains) or proved_by_query(term) is None:
        return None
    return trigram_query(term, declared)


def _short_needles(of_kind: tuple[str, str], where: Filter | None, declared: Declared) -> Iterator[SqlCondition]:
    """Yield conditions that every match meets and that need only the texts."""
    for term in conjuncts(where):
        if isinstance(term, Contains) and (clause := short_needle(term, declared, "t")) is not None:
            yield SqlCondition(statement(_BY_READING, condition=clause.sql), (*of_kind, *clause.values))


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
