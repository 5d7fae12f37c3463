"""Words looked for in a field that has few values, all of which are known, are looked for among those."""

import sqlite3
from collections.abc import Callable
from typing import TypeAlias

from backends.ports.filters import And, Contains, Filter, In, Not, Or, check_filter
from backends.ports.text import shadow
from backends.sqlite.declarations import Declared
from backends.sqlite.graph.totals import few_values

Known: TypeAlias = Callable[[str], tuple[str, ...] | None]


def with_known_values(
    connection: sqlite3.Connection, of_kind: tuple[str, str], where: Filter | None, declared: Declared
) -> Filter | None:
    """Return a filter that matches the same nodes, by values instead of words where these are known.

    Raises `InvalidInput` for a filter that breaks a rule.
    """
    if where is None or declared.texts.isdisjoint(declared.totals):
        return where
    return _told(
        check_filter(where, declared.specs), lambda field: few_values(connection, *of_kind, declared.totals, field)
    )


def _told(where: Filter, known: Known) -> Filter:
    match where:
        case And(terms=terms):
            return And(tuple(_told(term, known) for term in terms))
        case Or(terms=terms):
            return Or(tuple(_told(term, known) for term in terms))
        case Not(term=term):
            return Not(_told(term, known))
        case Contains(field=field, needle=needle) if (values := known(field)) is not None:
            sought = shadow(needle)
            return In(field, tuple(value for value in values if sought in shadow(value)))
        case _:
            return where
