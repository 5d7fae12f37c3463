"""Finds out whether a filter is narrow: whether an index gives a short list that includes all its matches."""

import sqlite3
from typing import Final

from backends.ports.filters import Contains, Eq, Filter, Ge, Gt, In, Le, Lt
from backends.sqlite.declarations import Declared, SqlValue
from backends.sqlite.filters import conjuncts, leaf, trigram_query
from backends.sqlite.statements import statement

NARROW: Final = 512

_BY_COLUMN = (
    "SELECT n.rid FROM nodes n INDEXED BY nodes_c{slot}"
    " WHERE n.ns = ? AND n.kind = ? AND n.dead = 0 AND n.indexed > {slot} AND {condition} LIMIT ?"
)
_BY_TEXT = (
    "SELECT n.rid FROM texts CROSS JOIN nodes n ON n.rid = texts.rowid"
    " WHERE texts MATCH ? AND n.ns = ? AND n.kind = ? AND n.dead = 0 LIMIT ?"
)


def candidates(
    connection: sqlite3.Connection, namespace: str, kind: str, where: Filter | None, declared: Declared
) -> list[int] | None:
    """Return the rows among which all matches are, at most 512; None when no index narrows the filter that far."""
    for term in conjuncts(where):
        query: str | None = None
        values: tuple[SqlValue, ...] = ()
        match term:
            case Eq() | In() | Lt() | Le() | Gt() | Ge() if declared.slots[term.field] < declared.indexed:
                clause = leaf(term, declared, "n")
                query = statement(_BY_COLUMN, slot=str(declared.slots[term.field]), condition=clause.sql)
                values = (namespace, kind, *clause.values)
            case Contains() if (needle := trigram_query(term, declared)) is not None:
                query, values = _BY_TEXT, (needle, namespace, kind)
            case _:
                continue
        rows: list[tuple[int]] = connection.execute(query, (*values, NARROW + 1)).fetchall()
        if len(rows) <= NARROW:
            return [row[0] for row in rows]
    return None
