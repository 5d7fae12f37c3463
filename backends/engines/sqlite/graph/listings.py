"""Listings: a narrow filter gives a short list that is sorted; otherwise rows are read along an index, that of the declared
listing or that of the first sort key.

How many rows must be read until enough contain a substring is unknown, so after some rows all matches of the text index
are sorted instead.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from backends.engines.sqlite.declarations import Declared, SqlValue
from backends.engines.sqlite.filters import (
    TRUE,
    SqlCondition,
    compile_checked,
    conjuncts,
    elements_of,
    first_needle,
    leaf,
    near_query,
    proved_by_query,
    short_needle,
    trigram_query,
    without,
)
from backends.engines.sqlite.graph.counts import with_known_values
from backends.engines.sqlite.graph.kinds import declared_kind, listing_index
from backends.engines.sqlite.graph.rows import NODE_COLUMNS, node
from backends.engines.sqlite.schema import GROUPED_SLOTS, ORDERED_SLOTS, column, json_list, statement
from backends.kit import cursors
from backends.kit.cursors import Keys
from backends.kit.declarations import check_filter_fields
from backends.kit.pages import IndexRange, SortKey, after_condition, index_ranges, page, sort_keys
from backends.kit.queries import FindQuery
from backends.ports.filters import Contains, Eq, Filter, Ge, Gt, In, InIgnoringCase, Le, Leaf, Lt
from backends.ports.graph import Node
from backends.ports.values import NodeId, Page, Revision

MAX_SHORT_LIST: Final = 512
"""So many rows are read and sorted at once: with fewer more listings scan an index, with more a page costs more to sort."""

_BY_COLUMN = (
    "SELECT {wanted} FROM nodes n INDEXED BY nodes_c{slot}"
    " WHERE n.ns = ? AND n.kind = ? AND n.dead = 0 AND n.indexed > {slot} AND {condition} {cut}"
)
_BY_TEXT = (
    "SELECT n.rid FROM texts CROSS JOIN nodes n ON n.rid = texts.rowid"
    " WHERE texts MATCH ? AND n.ns = ? AND n.kind = ? AND n.dead = 0 LIMIT ?"
)
# Reads only the texts of the kind's nodes, and stops once there are too many matches.
_BY_READING = (
    "SELECT n.rid FROM nodes n INDEXED BY nodes_kind CROSS JOIN texts_content t ON t.id = n.rid"
    " WHERE n.ns = ? AND n.kind = ? AND n.dead = 0 AND {condition} LIMIT ?"
)
MAX_SCANNED: Final = 4_096
"""The rows that are read along an index before all matches of the text index are sorted instead."""
_OF_KIND = "n.ns = ? AND n.kind = ? AND n.dead = 0"
_FROM_LIST = (
    "SELECT {columns} FROM json_each(?) w CROSS JOIN nodes n ON n.rid = w.value"
    " WHERE {kind} AND {index_range} AND {where} ORDER BY {order} LIMIT ?"
)
_FROM_TEXTS = (
    "SELECT {columns} FROM texts CROSS JOIN nodes n ON n.rid = texts.rowid"
    " WHERE texts MATCH ? AND {kind} AND {index_range} AND {where} ORDER BY {order} LIMIT ?"
)
_ALONG_INDEX = (
    "SELECT {columns} FROM nodes n INDEXED BY {index}"
    " WHERE {kind} AND {also} AND {index_range} AND {where} ORDER BY {order} LIMIT ?"
)
# A CROSS JOIN keeps the order of its left side.
_BEGINNING = (
    "SELECT {columns} FROM (SELECT n.rid FROM nodes n INDEXED BY {index} WHERE {kind} AND {also} AND {index_range}"
    " ORDER BY {order} LIMIT {most}) w CROSS JOIN nodes n ON n.rid = w.rid WHERE {where} LIMIT ?"
)
_GOES_ON = "SELECT 1 FROM nodes n INDEXED BY {index} WHERE {kind} AND {also} AND {index_range} LIMIT 1 OFFSET {most}"
Row = tuple[SqlValue, ...]


@dataclass(frozen=True, slots=True)
class _SqlRange:
    """An index range of a listing in SQL: the condition on its nodes, and their order."""

    condition: SqlCondition
    order: str


def _in_sql(index_range: IndexRange, keys: Sequence[SortKey], after: tuple[Keys, str] | None) -> _SqlRange:
    bound: list[SqlValue] = []

    def bind(value: SqlValue) -> str:
        bound.append(value)
        return "?"

    terms: list[str] = []
    if index_range.first != "any":
        column, first = keys[0].column, None if after is None else after[0][0]
        match index_range.first:
            case "present":
                terms.append(f"{column} IS NOT NULL")
            case "missing":
                terms.append(f"{column} IS NULL")
            case "equal":
                terms.append(f"{column} = {bind(first)}")
            case "later":
                terms.append(f"{column} {keys[0].beyond} {bind(first)}")
    if index_range.continued and after is not None:
        terms.append(after_condition(keys[1:], after[0][1:], after[1], bind, id_column="n.id"))
    return _SqlRange(SqlCondition(" AND ".join(terms), tuple(bound)) if terms else TRUE, index_range.order)


@dataclass(frozen=True, slots=True)
class _IndexScan:
    """An index in the order of the first sort key, and the condition on its rows under which they have that order."""

    index: str
    also: SqlCondition
    listing: bool = False
    """Whether the index has the order of all sort keys."""


@dataclass(frozen=True, slots=True)
class _RangeReader:
    """The ways to read an index range of a listing; each returns at most `wanted` rows, in order."""

    connection: sqlite3.Connection
    of_kind: tuple[str, str]
    columns: str

    def from_list(self, rows: str, where: SqlCondition, index_range: _SqlRange, wanted: int) -> list[Row]:
        """Sort the rows of a short list."""
        return self._rows(
            _FROM_LIST, index_range, (rows, *self.of_kind, *index_range.condition.values, *where.values, wanted), where
        )

    def scan_index(self, scan: _IndexScan, where: SqlCondition, index_range: _SqlRange, wanted: int) -> list[Row]:
        """Read along an index until there are enough rows."""
        values = (*self.of_kind, *scan.also.values, *index_range.condition.values, *where.values, wanted)
        return self._rows(_ALONG_INDEX, index_range, values, where, scan)

    def scan_then_sort(
        self,
        scan: _IndexScan,
        where: SqlCondition,
        needle: str,
        rest: SqlCondition,
        index_range: _SqlRange,
        wanted: int,
    ) -> list[Row]:
        """Read some rows along an index, where many matches may be near; if they are too few, sort all matches."""
        begun = (*self.of_kind, *scan.also.values, *index_range.condition.values)
        rows = self._rows(_BEGINNING, index_range, (*begun, *where.values, wanted), where, scan)
        if len(rows) == wanted or not self._rows(_GOES_ON, index_range, begun, where, scan):
            return rows
        values = (needle, *self.of_kind, *index_range.condition.values, *rest.values, wanted)
        return self._rows(_FROM_TEXTS, index_range, values, rest)

    def _rows(
        self, query: str, index_range: _SqlRange, values: Row, where: SqlCondition, scan: _IndexScan | None = None
    ) -> list[Row]:
        parts = {} if scan is None else {"index": scan.index, "also": scan.also.sql, "most": str(MAX_SCANNED)}
        condition, order = index_range.condition.sql, index_range.order
        whole = statement(
            query, columns=self.columns, kind=_OF_KIND, index_range=condition, where=where.sql, order=order, **parts
        )
        return self.connection.execute(whole, values).fetchall()


def find(connection: sqlite3.Connection, query: FindQuery) -> Page[Node]:
    """Return a page of live nodes."""
    declared = declared_kind(connection, query.namespace, query.kind)
    keys = sort_keys(query.order, declared.specs, lambda spec: column(declared.slots[spec.name], "n"))
    read = _choose_reader(connection, query, keys, declared)
    after = None if query.after is None else cursors.decode(query.after, [key.type for key in keys])
    rows: list[Row] = []
    for index_range in index_ranges(keys, after, id_column="n.id"):
        wanted = query.limit + 1 - len(rows)
        if wanted:
            rows += read(_in_sql(index_range, keys, after), wanted)
    return page(
        rows,
        query.limit,
        item=_node,
        cursor=lambda last: cursors.encode(last[len(last) - len(keys) :], str(last[0])),
    )


def _choose_reader(
    connection: sqlite3.Connection, query: FindQuery, keys: Sequence[SortKey], declared: Declared
) -> Callable[[_SqlRange, int], list[Row]]:
    """Return the way to read the listing. Raises `InvalidInput` for a filter that does not fit the fields."""
    of_kind = (query.namespace, query.kind)
    reader = _RangeReader(connection, of_kind, ", ".join([NODE_COLUMNS, *(key.column for key in keys)]))
    if query.where is not None:
        check_filter_fields(query.where, declared.specs)
    asked = with_known_values(connection, of_kind, query.where, declared)
    where = compile_checked(asked, declared, "n")
    short = short_list(connection, query.namespace, query.kind, asked, declared)
    if short is not None and not short.rows:
        return lambda _range, _wanted: []
    scan = _choose_scan(query, keys, asked, declared)
    if short is not None and not (scan.listing and _is_range(short.term, query.order[0].field)):
        # The short list already meets its term, if it names one.
        rest = where if short.term is None else compile_checked(without(asked, short.term), declared, "n")
        return partial(reader.from_list, json_list(short.rows), rest)
    if (needle := first_needle(asked, declared)) is None:
        return partial(reader.scan_index, scan, where)
    rest = compile_checked(without(asked, needle.proved), declared, "n")
    return partial(reader.scan_then_sort, scan, where, needle.query, rest)


def _is_range(term: Filter | None, field: str) -> bool:
    """Return whether a term bounds a field: an index by that field has the rows of a short list next to each other."""
    return isinstance(term, Lt | Le | Gt | Ge) and term.field == field


@dataclass(frozen=True, slots=True)
class _ShortList:
    """A few rows that include all matches, and the term that all of them meet, if there is one."""

    rows: tuple[int, ...]
    term: Filter | None


def short_list(
    connection: sqlite3.Connection, namespace: str, kind: str, where: Filter | None, declared: Declared
) -> _ShortList | None:
    """Return the short list of the first term that is narrow enough; None if there is no such term.

    Terms that an index answers come first, list elements before all others; a needle that is too short for the index is
    searched for in the texts themselves.
    """

    def effort(term: Filter) -> int:
        if isinstance(term, InIgnoringCase):
            return 0
        return 2 if isinstance(term, Contains) and trigram_query(term, declared) is None else 1

    for term in sorted(conjuncts(where), key=effort):
        most, proved = MAX_SHORT_LIST, term
        match term:
            case Eq() | In() | Lt() | Le() | Gt() | Ge() if declared.slots[term.field] < declared.indexed:
                rows = _by_column(connection, (namespace, kind), term, declared)
            case InIgnoringCase(field=field) if declared.is_list(field):
                # Each of them is a match. How many nodes an index scan would read to find as many is unknown.
                most = MAX_SCANNED
                rows = _rows_of(connection, elements_of((namespace, kind), term, declared), most)
            case InIgnoringCase() if (near := near_query(term, declared)) is not None:
                rows, proved = (
                    connection.execute(_BY_TEXT, (near, namespace, kind, MAX_SHORT_LIST + 1)).fetchall(),
                    None,
                )
            case Contains() if (needle := trigram_query(term, declared)) is not None:
                rows, proved = (
                    connection.execute(_BY_TEXT, (needle, namespace, kind, MAX_SHORT_LIST + 1)).fetchall(),
                    proved_by_query(term),
                )
            case Contains() if (clause := short_needle(term, declared, "t")) is not None:
                looking = statement(_BY_READING, condition=clause.sql)
                rows = connection.execute(looking, (namespace, kind, *clause.values, MAX_SHORT_LIST + 1)).fetchall()
            case _:
                continue
        if rows is not None and len(rows) <= most:
            return _ShortList(tuple(row[0] for row in rows), proved)
    return None


def _rows_of(connection: sqlite3.Connection, query: SqlCondition, most: int) -> list[tuple[int]]:
    """Return the rows of a query, one more than `most` if there are too many."""
    return connection.execute(statement("{query} LIMIT ?", query=query.sql), (*query.values, most + 1)).fetchall()


def _by_column(
    connection: sqlite3.Connection, of_kind: tuple[str, str], term: Leaf, declared: Declared
) -> list[tuple[int]] | None:
    """Return the rows that meet a term, None if there are too many."""
    clause = leaf(term, declared, "n")
    slot = str(declared.slots[term.field])
    values = (*of_kind, *clause.values, MAX_SHORT_LIST)
    # Testing for too many first is cheaper than fetching rows that are then discarded.
    probe = statement(_BY_COLUMN, wanted="1", slot=slot, condition=clause.sql, cut="LIMIT 1 OFFSET ?")
    if connection.execute(probe, values).fetchone() is not None:
        return None
    query = statement(_BY_COLUMN, wanted="n.rid", slot=slot, condition=clause.sql, cut="LIMIT ?")
    return connection.execute(query, values).fetchall()


def _choose_scan(query: FindQuery, keys: Sequence[SortKey], where: Filter | None, declared: Declared) -> _IndexScan:
    """Return the index to read along, and the condition under which it has all rows."""
    if not keys:
        return _IndexScan("nodes_kind", TRUE)
    equal = {term.field: term for term in conjuncts(where) if isinstance(term, Eq)}
    if (found := listing_index((query.namespace, query.kind), query.order, equal, declared)) is not None:
        index, of_kind, terms = found
        clauses = [leaf(term, declared, "n") for term in terms]
        values = tuple(value for clause in clauses for value in clause.values)
        return _IndexScan(
            index, SqlCondition(" AND ".join([of_kind, *(clause.sql for clause in clauses)]), values), listing=True
        )
    first = keys[0]
    key_slot = declared.slots[query.order[0].field]
    indexed = SqlCondition(f"n.indexed > {key_slot}")
    if first.descending and key_slot in ORDERED_SLOTS:
        for term in conjuncts(where):
            if isinstance(term, Eq) and (slot := declared.slots[term.field]) < GROUPED_SLOTS:
                equal = leaf(term, declared, "n")
                return _IndexScan(
                    f"nodes_g{slot}_{key_slot}", SqlCondition(f"{indexed.sql} AND {equal.sql}", equal.values)
                )
    # Each sortable field has an index per direction.
    return _IndexScan(f"nodes_{'d' if first.descending else 'c'}{key_slot}", indexed)


def _node(row: Sequence[SqlValue]) -> Node:
    identifier, kind, fields, rev, props = row[:5]
    return node(
        (
            NodeId(str(identifier)),
            str(kind),
            str(fields),
            Revision(int(rev or 0)),
            None if props is None else str(props),
        )
    )
