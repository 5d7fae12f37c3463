"""Listings: sorted from a short list when the filter is narrow, else walked along the index of the first sort key."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from backends import cursors
from backends.ports.filters import Eq, Filter
from backends.ports.graph import Node, Order
from backends.ports.values import NodeId, Page, Revision
from backends.sqlite.declarations import Declared, SqlValue
from backends.sqlite.filters import Clause, compile_filter, conjuncts, without
from backends.sqlite.graph.kinds import declared_kind
from backends.sqlite.graph.ordering import SortKey, Stretch, sort_keys, stretches
from backends.sqlite.graph.probing import Short, candidates
from backends.sqlite.graph.rows import NODE_COLUMNS, node
from backends.sqlite.schema import GROUPED_SLOTS, ORDERED_SLOTS
from backends.sqlite.statements import json_list, statement

_OF_KIND = "n.ns = ? AND n.kind = ? AND n.dead = 0"
_FROM_LIST = (
    "SELECT {columns} FROM json_each(?) w CROSS JOIN nodes n ON n.rid = w.value"
    " WHERE {kind} AND {stretch} AND {where} ORDER BY {order} LIMIT ?"
)
_ALONG_INDEX = (
    "SELECT {columns} FROM nodes n INDEXED BY {index}"
    " WHERE {kind}{indexed} AND {stretch} AND {where} ORDER BY {order} LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class Question:
    """What `find` was asked."""

    namespace: str
    kind: str
    where: Filter | None
    order: Sequence[Order]
    after: str | None
    limit: int


def find(connection: sqlite3.Connection, question: Question) -> Page[Node]:
    """Return a page of live nodes."""
    declared = declared_kind(connection, question.namespace, question.kind)
    keys = sort_keys(question.order, declared)
    where = compile_filter(question.where, declared, "n")
    after = None if question.after is None else cursors.decode(question.after, [key.type for key in keys])
    walked = _walked(keys, question.where, declared)
    short = candidates(connection, question.namespace, question.kind, question.where, declared)
    if short is not None:
        # The index has proved one term of them all already.
        where = compile_filter(without(question.where, short.term), declared, "n")
    rows: list[tuple[SqlValue, ...]] = []
    for stretch in stretches(keys, after):
        wanted = question.limit + 1 - len(rows)
        if wanted:
            query, values = _query(question, keys, stretch, where, short, walked)
            rows += connection.execute(query, (*values, wanted)).fetchall()
    return _page(rows, question.limit, len(keys))


def _query(
    question: Question,
    keys: Sequence[SortKey],
    stretch: Stretch,
    where: Clause,
    short: Short | None,
    walked: tuple[str, str],
) -> tuple[str, tuple[SqlValue, ...]]:
    columns = ", ".join([NODE_COLUMNS, *(key.name for key in keys)])
    parts = {"columns": columns, "kind": _OF_KIND, "stretch": stretch.condition.sql, "order": stretch.order}
    values = (question.namespace, question.kind, *stretch.condition.values, *where.values)
    if short is not None:
        return statement(_FROM_LIST, where=where.sql, **parts), (json_list(short.rows), *values)
    index, indexed = walked
    return statement(_ALONG_INDEX, index=index, indexed=indexed, where=where.sql, **parts), values


def _walked(keys: Sequence[SortKey], where: Filter | None, declared: Declared) -> tuple[str, str]:
    """Return the index to walk, and the condition under which it has all rows."""
    if not keys:
        return "nodes_kind", ""
    first = keys[0]
    index = first.index
    if first.descending and first.slot in ORDERED_SLOTS:
        equal = [declared.slots[term.field] for term in conjuncts(where) if isinstance(term, Eq)]
        index = next((f"nodes_g{slot}_{first.slot}" for slot in equal if slot < GROUPED_SLOTS), index)
    return index, f" AND n.indexed > {first.slot}"


def _page(rows: Sequence[tuple[SqlValue, ...]], limit: int, keys: int) -> Page[Node]:
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
