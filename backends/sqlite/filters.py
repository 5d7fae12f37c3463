"""Compiles filters to conditions with bound values, and finds the parts that an index can answer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from backends.ports.filters import And, Contains, Eq, Exists, Filter, Ge, Gt, Has, In, Le, Lt, Ne, Not, NotIn, Or
from backends.ports.filters import check_filter as check
from backends.ports.text import shadow
from backends.ports.values import Scalar
from backends.sqlite.declarations import Declared, SqlValue, column_value
from backends.sqlite.statements import column, json_list, statement

MIN_TRIGRAM: Final = 3
_BOUND_ONE_BY_ONE: Final = 64
_COMPARISONS: Final = {Lt: "<", Le: "<=", Gt: ">", Ge: ">="}

Leaf = Eq | Ne | In | NotIn | Lt | Le | Gt | Ge | Exists | Has | Contains


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition that is true or false, never null, with the values of its `?`."""

    sql: str
    values: tuple[SqlValue, ...] = ()


TRUE: Final = Clause("?", (1,))
"""Bound, because a constant makes SQLite drop the rest of a condition, and with it the one that admits an index."""
FALSE: Final = Clause("?", (0,))


def compile_filter(where: Filter | None, declared: Declared, alias: str) -> Clause:
    """Return the condition on the row called `alias`. Raises `InvalidInput` for a filter that breaks a rule."""
    if where is None:
        return TRUE
    return _compile(check(where, declared.specs), declared, alias)


def conjuncts(where: Filter | None) -> Iterator[Leaf | Or | Not]:
    """Yield conditions each of which a matching record must meet."""
    if isinstance(where, And):
        for term in where.terms:
            yield from conjuncts(term)
    elif where is not None:
        yield where


def without(where: Filter | None, proved: Filter) -> Filter | None:
    """Return what is left of a filter when one of its conjuncts is known to hold."""
    if where is proved:
        return None
    if isinstance(where, And):
        left = tuple(rest for term in where.terms if (rest := without(term, proved)) is not None)
        return And(left) if left else None
    return where


def leaf(term: Leaf, declared: Declared, alias: str) -> Clause:
    """Return the condition for one field."""
    name = column(declared.slots[term.field], alias)
    match term:
        case Eq(value=value):
            return Clause(f"{name} IS ?", (column_value(value),))
        case Ne(value=value):
            return Clause(f"{name} IS NOT ?", (column_value(value),))
        case In() | NotIn():
            return _membership(term, name)
        case Exists():
            return Clause(f"{name} IS NOT NULL")
        case Has(value=value):
            return Clause(statement("EXISTS(SELECT 1 FROM json_each({c}) WHERE value = ?)", c=name), (value,))
        case Contains(needle=needle):
            text = column(declared.slots[term.field], "t")
            # Read where the index keeps its texts: asked for one row at a time, the index itself is five times as slow.
            found = "EXISTS(SELECT 1 FROM texts_content t WHERE t.id = {alias}.rid AND instr({text}, ?) > 0)"
            return Clause(statement(found, alias=alias, text=text), (shadow(needle),))
        case _:
            return Clause(f"({name} IS NOT NULL AND {name} {_COMPARISONS[type(term)]} ?)", (term.value,))


@dataclass(frozen=True, slots=True)
class Needle:
    """A term that the index of texts answers, and the full-text query for it."""

    term: Contains
    query: str


def first_needle(where: Filter | None, declared: Declared) -> Needle | None:
    """Return the first conjunct that the index of texts answers."""
    for term in conjuncts(where):
        if isinstance(term, Contains) and (query := trigram_query(term, declared)) is not None:
            return Needle(term, query)
    return None


def trigram_query(term: Contains, declared: Declared) -> str | None:
    """Return the full-text query whose finds include all that `term` holds for; None when the needle is too short."""
    needle = shadow(term.needle)
    if len(needle) < MIN_TRIGRAM:
        return None
    quoted = needle.replace('"', '""')
    return f'c{declared.slots[term.field]:d} : "{quoted}"'


def short_needle(term: Contains, declared: Declared, alias: str) -> Clause | None:
    """Return the condition on the texts called `alias` that `term` is, for a needle too short for the index; None for others."""
    needle = shadow(term.needle)
    if not 0 < len(needle) < MIN_TRIGRAM:
        return None
    text = column(declared.slots[term.field], alias)
    # GLOB skips what cannot match faster than instr looks at it, but takes some characters for one another.
    pattern = "".join(f"[{character}]" if character in "*?[" else character for character in needle)
    return Clause(statement("{text} GLOB ? AND instr({text}, ?) > 0", text=text), (f"*{pattern}*", needle))


def _compile(where: Filter, declared: Declared, alias: str) -> Clause:
    match where:
        case And(terms=terms):
            return _joined(" AND ", TRUE, (_compile(term, declared, alias) for term in terms))
        case Or(terms=terms):
            return _joined(" OR ", FALSE, (_compile(term, declared, alias) for term in terms))
        case Not(term=term):
            inner = _compile(term, declared, alias)
            return Clause(f"NOT ({inner.sql})", inner.values)
        case _:
            return leaf(where, declared, alias)


def _joined(operator: str, empty: Clause, parts: Iterable[Clause]) -> Clause:
    clauses = tuple(parts)
    if not clauses:
        return empty
    sql = operator.join(f"({clause.sql})" for clause in clauses)
    return Clause(f"({sql})", tuple(value for clause in clauses for value in clause.values))


def _membership(term: In | NotIn, name: str) -> Clause:
    wanted = isinstance(term, In)
    if not term.values:
        return FALSE if wanted else TRUE
    members = _members(term.values)
    if wanted:
        return Clause(f"({name} IS NOT NULL AND {name} IN {members.sql})", members.values)
    return Clause(f"({name} IS NULL OR {name} NOT IN {members.sql})", members.values)


def _members(values: tuple[Scalar, ...]) -> Clause:
    bound = tuple(column_value(value) for value in values)
    texts = [value for value in bound if isinstance(value, str)]
    # A long list goes through JSON, which keeps texts and integers exactly but not every float.
    if len(bound) > _BOUND_ONE_BY_ONE and len(texts) == len(bound):
        return Clause("(SELECT value FROM json_each(?))", (json_list(texts),))
    integers = [value for value in bound if isinstance(value, int)]
    if len(bound) > _BOUND_ONE_BY_ONE and len(integers) == len(bound):
        return Clause("(SELECT value FROM json_each(?))", (json_list(integers),))
    return Clause(f"({', '.join('?' * len(bound))})", bound)
