"""Listings: sorted from a short list when the filter is narrow, else walked along the index of the first sort key.

How far one would have to walk for words is not known, so after some rows all that have the words are sorted instead.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from backends import cursors
from backends.ports.filters import Eq, Filter
from backends.ports.graph import Node, Order
from backends.ports.values import NodeId, Page, Revision
from backends.sqlite.declarations import Declared, SqlValue
from backends.sqlite.filters import TRUE, Clause, compile_filter, conjuncts, first_needle, leaf, without
from backends.sqlite.graph.kinds import declared_kind
from backends.sqlite.graph.known import with_known_values
from backends.sqlite.graph.ordering import SortKey, Stretch, sort_keys, stretches
from backends.sqlite.graph.probing import candidates
from backends.sqlite.graph.rows import NODE_COLUMNS, node
from backends.sqlite.schema import GROUPED_SLOTS, ORDERED_SLOTS
from backends.sqlite.statements import json_list, statement

WALKED: Final = 4_096
"""The rows of an index that are looked at before all that an index of texts has found is sorted."""

_OF_KIND = "n.ns = ? AND n.kind = ? AND n.dead = 0"
_FROM_LIST = (
    "SELECT {columns} FROM json_each(?) w CROSS JOIN nodes n ON n.rid = w.value"
    " WHERE {kind} AND {stretch} AND {where} ORDER BY {order} LIMIT ?"
)
_FROM_TEXTS = (
    "SELECT {columns} FROM texts CROSS JOIN nodes n ON n.rid = texts.rowid"
    " WHERE texts MATCH ? AND {kind} AND {stretch} AND {where} ORDER BY {order} LIMIT ?"
)
_ALONG_INDEX = (
    "SELECT {columns} FROM nodes n INDEXED BY {index}"
    " WHERE {kind} AND {also} AND {stretch} AND {where} ORDER BY {order} LIMIT ?"
)
# What is joined crosswise comes in the order of what is before the join.
_BEGINNING = (
    "SELECT {columns} FROM (SELECT n.rid FROM nodes n INDEXED BY {index} WHERE {kind} AND {also} AND {stretch}"
    " ORDER BY {order} LIMIT {most}) w CROSS JOIN nodes n ON n.rid = w.rid WHERE {where} LIMIT ?"
)
_GOES_ON = "SELECT 1 FROM nodes n INDEXED BY {index} WHERE {kind} AND {also} AND {stretch} LIMIT 1 OFFSET {most}"
Row = tuple[SqlValue, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What `find` was asked."""

    namespace: str
    kind: str
    where: Filter | None
    order: Sequence[Order]
    after: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class _Walk:
    """An index in the order of the first sort key, and what its rows meet, so that they come in that order."""

    index: str
    also: Clause


@dataclass(frozen=True, slots=True)
class _Reading:
    """The ways to read a stretch of a listing; each returns at most so many rows, in order."""

    connection: sqlite3.Connection
    of_kind: tuple[str, str]
    columns: str

    def from_list(self, rows: str, where: Clause, stretch: Stretch, wanted: int) -> list[Row]:
        """Sort what a short list has."""
        return self._rows(
            _FROM_LIST, stretch, (rows, *self.of_kind, *stretch.condition.values, *where.values, wanted), where
        )

    def along(self, walk: _Walk, where: Clause, stretch: Stretch, wanted: int) -> list[Row]:
        """Walk along an index until there are enough."""
        values = (*self.of_kind, *walk.also.values, *stretch.condition.values, *where.values, wanted)
        return self._rows(_ALONG_INDEX, stretch, values, where, walk)

    def of_many(
        self, walk: _Walk, where: Clause, needle: str, rest: Clause, stretch: Stretch, wanted: int
    ) -> list[Row]:
        """Walk along an index where matches may be many and near, and sort all of them where they are few or far."""
        begun = (*self.of_kind, *walk.also.values, *stretch.condition.values)
        rows = self._rows(_BEGINNING, stretch, (*begun, *where.values, wanted), where, walk)
        if len(rows) == wanted or not self._rows(_GOES_ON, stretch, begun, where, walk):
            return rows
        values = (needle, *self.of_kind, *stretch.condition.values, *rest.values, wanted)
        return self._rows(_FROM_TEXTS, stretch, values, rest)

    def _rows(self, query: str, stretch: Stretch, values: Row, where: Clause, walk: _Walk | None = None) -> list[Row]:
        parts = {} if walk is None else {"index": walk.index, "also": walk.also.sql, "most": str(WALKED)}
        condition, order = stretch.condition.sql, stretch.order
        whole = statement(
            query, columns=self.columns, kind=_OF_KIND, stretch=condition, where=where.sql, order=order, **parts
        )
        return self.connection.execute(whole, values).fetchall()


def find(connection: sqlite3.Connection, question: Question) -> Page[Node]:
    """Return a page of live nodes."""
    declared = declared_kind(connection, question.namespace, question.kind)
    keys = sort_keys(question.order, declared)
    read = _way(connection, question, keys, declared)
    after = None if question.after is None else cursors.decode(question.after, [key.type for key in keys])
    rows: list[Row] = []
    for stretch in stretches(keys, after):
        wanted = question.limit + 1 - len(rows)
        if wanted:
            rows += read(stretch, wanted)
    return _page(rows, question.limit, len(keys))


def _way(
    connection: sqlite3.Connection, question: Question, keys: Sequence[SortKey], declared: Declared
) -> Callable[[Stretch, int], list[Row]]:
    """Return the way to read what was asked. Raises `InvalidInput` for a filter that breaks a rule."""
    of_kind = (question.namespace, question.kind)
    reading = _Reading(connection, of_kind, ", ".join([NODE_COLUMNS, *(key.name for key in keys)]))
    asked = with_known_values(connection, of_kind, question.where, declared)
    where = compile_filter(asked, declared, "n")
    short = candidates(connection, question.namespace, question.kind, asked, declared)
    if short is not None:
        # The index has proved one term of them all already.
        rest = compile_filter(without(asked, short.term), declared, "n")
        return partial(reading.from_list, json_list(short.rows), rest)
    walk = _walked(keys, asked, declared)
    if (needle := first_needle(asked, declared)) is None:
        return partial(reading.along, walk, where)
    rest = compile_filter(without(asked, needle.term), declared, "n")
    return partial(reading.of_many, walk, where, needle.query, rest)


def _walked(keys: Sequence[SortKey], where: Filter | None, declared: Declared) -> _Walk:
    """Return the index to walk, and the condition under which it has all rows."""
    if not keys:
        return _Walk("nodes_kind", TRUE)
    first = keys[0]
    indexed = Clause(f"n.indexed > {first.slot}")
    if first.descending and first.slot in ORDERED_SLOTS:
        for term in conjuncts(where):
            if isinstance(term, Eq) and (slot := declared.slots[term.field]) < GROUPED_SLOTS:
                equal = leaf(term, declared, "n")
                return _Walk(f"nodes_g{slot}_{first.slot}", Clause(f"{indexed.sql} AND {equal.sql}", equal.values))
    return _Walk(first.index, indexed)


def _page(rows: Sequence[Row], limit: int, keys: int) -> Page[Node]:
    items = tuple(_node(row) for row in rows[:limit])
    if len(rows) <= limit:
        return Page(items, None)
    last = rows[limit - 1]
    return Page(items, cursors.encode(last[len(last) - keys :], items[-1].id))


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
