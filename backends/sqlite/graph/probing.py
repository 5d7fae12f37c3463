"""Finds out whether a filter is narrow: whether an index gives a short list that includes all its matches."""

import sqlite3
from dataclasses import dataclass
from typing import Final

from backends.ports.filters import Contains, Eq, Filter, Ge, Gt, In, Le, Lt
from backends.sqlite.declarations import Declared
from backends.sqlite.filters import Leaf, conjuncts, leaf, short_needle, trigram_query
from backends.sqlite.statements import statement

NARROW: Final = 512

_BY_COLUMN = (
    "SELECT {wanted} FROM nodes n INDEXED BY nodes_c{slot}"
    " WHERE n.ns = ? AND n.kind = ? AND n.dead = 0 AND n.indexed > {slot} AND {condition} {cut}"
)
_BY_TEXT = (
    "SELECT n.rid FROM texts CROSS JOIN nodes n ON n.rid = texts.rowid"
    " WHERE texts MATCH ? AND n.ns = ? AND n.kind = ? AND n.dead = 0 LIMIT ?"
)
# All texts of the kind are looked at, but nothing else of its nodes, and no more than it takes to find too many.
_BY_LOOKING = (
    "SELECT n.rid FROM nodes n INDEXED BY nodes_kind CROSS JOIN texts_content t ON t.id = n.rid"
    " WHERE n.ns = ? AND n.kind = ? AND n.dead = 0 AND {condition} LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class Short:
    """The rows among which all matches are, at most 512, and the term that all of them meet."""

    rows: tuple[int, ...]
    term: Filter


def candidates(
    connection: sqlite3.Connection, namespace: str, kind: str, where: Filter | None, declared: Declared
) -> Short | None:
    """Return the short list of the first term that narrows that far; None when there is no such term.

    What an index answers is asked first; a needle that is too short for one is looked for in the texts themselves.
    """
    terms = sorted(
        conjuncts(where), key=lambda term: isinstance(term, Contains) and trigram_query(term, declared) is None
    )
    for term in terms:
        match term:
            case Eq() | In() | Lt() | Le() | Gt() | Ge() if declared.slots[term.field] < declared.indexed:
                rows = _by_column(connection, (namespace, kind), term, declared)
            case Contains() if (needle := trigram_query(term, declared)) is not None:
                rows = connection.execute(_BY_TEXT, (needle, namespace, kind, NARROW + 1)).fetchall()
            case Contains() if (clause := short_needle(term, declared, "t")) is not None:
                looking = statement(_BY_LOOKING, condition=clause.sql)
                rows = connection.execute(looking, (namespace, kind, *clause.values, NARROW + 1)).fetchall()
            case _:
                continue
        if rows is not None and len(rows) <= NARROW:
            return Short(tuple(row[0] for row in rows), term)
    return None


def _by_column(
    connection: sqlite3.Connection, of_kind: tuple[str, str], term: Leaf, declared: Declared
) -> list[tuple[int]] | None:
    """Return the rows that meet a term, None for too many."""
    clause = leaf(term, declared, "n")
    slot = str(declared.slots[term.field])
    values = (*of_kind, *clause.values, NARROW)
    # Whether there are too many is asked first: to fetch what is then thrown away costs the more.
    probe = statement(_BY_COLUMN, wanted="1", slot=slot, condition=clause.sql, cut="LIMIT 1 OFFSET ?")
    if connection.execute(probe, values).fetchone() is not None:
        return None
    query = statement(_BY_COLUMN, wanted="n.rid", slot=slot, condition=clause.sql, cut="LIMIT ?")
    return connection.execute(query, values).fetchall()
