"""Filters as conditions with bound values, and the parts of them that an index can answer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from backends.engines.sqlite.declarations import Declared, SqlValue, column_value
from backends.engines.sqlite.schema import column, json_list, statement
from backends.kit.declarations import check_filter_fields
from backends.ports.filters import (
    And,
    Contains,
    Eq,
    Exists,
    Filter,
    Ge,
    Gt,
    Has,
    In,
    InIgnoringCase,
    Le,
    Leaf,
    Lt,
    Ne,
    Not,
    NotIn,
    Or,
)
from backends.ports.text import shadow
from backends.ports.values import Scalar

MIN_TRIGRAM: Final = 3
"""The index holds runs of three characters, so it cannot find shorter texts."""
LONGEST_PHRASE: Final = 256
"""The most characters that the text index searches for, as its time grows with them; longer needles are cut."""
BETWEEN: Final = "\n"
"""Separates the elements of a list in the text index, which rejects NUL."""
_BOUND_ONE_BY_ONE: Final = 64
"""Each number of values is a statement of its own to compile and cache, so longer lists are one value."""
_COMPARISONS: Final = {Lt: "<", Le: "<=", Gt: ">", Ge: ">="}


@dataclass(frozen=True, slots=True)
class SqlCondition:
    """A condition that is true or false, never null, with the values of its `?`."""

    sql: str
    values: tuple[SqlValue, ...] = ()


TRUE: Final = SqlCondition("?", (1,))
"""Bound: for a constant SQLite drops the rest of a condition, and with it the part that allows a partial index."""
FALSE: Final = SqlCondition("?", (0,))


def compile_filter(where: Filter | None, declared: Declared, alias: str) -> SqlCondition:
    """Return the condition on the row called `alias`. Raises `InvalidInput` for a filter that does not fit the fields."""
    if where is None:
        return TRUE
    return compile_checked(check_filter_fields(where, declared.specs), declared, alias)


def compile_checked(where: Filter | None, declared: Declared, alias: str) -> SqlCondition:
    """Return the condition on the row called `alias` for a filter that fits the fields."""
    match where:
        case None:
            return TRUE
        case And(terms=terms):
            return _joined(" AND ", TRUE, (compile_checked(term, declared, alias) for term in terms))
        case Or(terms=terms):
            return _joined(" OR ", FALSE, (compile_checked(term, declared, alias) for term in terms))
        case Not(term=term):
            inner = compile_checked(term, declared, alias)
            return SqlCondition(f"NOT ({inner.sql})", inner.values)
        case _:
            return leaf(where, declared, alias)


def conjuncts(where: Filter | None) -> Iterator[Leaf | Or | Not]:
    """Yield the conditions that a matching record must all meet."""
    if isinstance(where, And):
        for term in where.terms:
            yield from conjuncts(term)
    elif where is not None:
        yield where


def without(where: Filter | None, proved: Filter | None) -> Filter | None:
    """Return `where` without its conjunct `proved`, which holds already; None if nothing is left."""
    if where is proved or proved is None:
        return None if where is proved else where
    if isinstance(where, And):
        left = tuple(rest for term in where.terms if (rest := without(term, proved)) is not None)
        return And(left) if left else None
    return where


def leaf(term: Leaf, declared: Declared, alias: str) -> SqlCondition:
    """Return the condition for one field."""
    name = column(declared.slots[term.field], alias)
    match term:
        case Eq(value=value):
            return SqlCondition(f"{name} IS ?", (column_value(value),))
        case Ne(value=value):
            return SqlCondition(f"{name} IS NOT ?", (column_value(value),))
        case In() | NotIn():
            return _membership(term, name)
        case Exists():
            return SqlCondition(f"{name} IS NOT NULL")
        case Has(value=value):
            return SqlCondition(statement("EXISTS(SELECT 1 FROM json_each({c}) WHERE value = ?)", c=name), (value,))
        case Contains() | InIgnoringCase():
            return _searched(term, declared, alias)
        case _:
            return SqlCondition(f"({name} IS NOT NULL AND {name} {_COMPARISONS[type(term)]} ?)", (term.value,))


@dataclass(frozen=True, slots=True)
class Needle:
    """A term that the text index answers, and the full-text query for it."""

    proved: Contains | None
    query: str


def first_needle(where: Filter | None, declared: Declared) -> Needle | None:
    """Return the first conjunct that the text index answers."""
    for term in conjuncts(where):
        if isinstance(term, Contains) and (query := trigram_query(term, declared)) is not None:
            return Needle(proved_by_query(term), query)
    return None


def proved_by_query(term: Contains) -> Contains | None:
    """Return the term if a row that the query for its needle finds contains all of it; None for a very long needle."""
    return term if len(shadow(term.needle)) <= LONGEST_PHRASE else None


def trigram_query(term: Contains, declared: Declared) -> str | None:
    """Return the full-text query that finds all rows for which `term` holds, and no others unless `proved_by_query` says so.

    None if the needle is too short, or if it might span two elements of a list.
    """
    needle = shadow(term.needle)
    if len(needle) < MIN_TRIGRAM or (BETWEEN in needle and declared.is_list(term.field)):
        return None
    return _phrase(term.field, needle[:LONGEST_PHRASE], declared)


def near_query(term: InIgnoringCase, declared: Declared) -> str | None:
    """Return the full-text query that finds all rows for which `term` on a text field holds, and perhaps others.

    None if one of the texts is too short.
    """
    texts = [shadow(value) for value in term.values]
    if declared.is_list(term.field) or not texts or any(len(text) < MIN_TRIGRAM for text in texts):
        return None
    return " OR ".join(_phrase(term.field, text, declared) for text in texts)


def elements_of(of_kind: tuple[str, str], term: InIgnoringCase, declared: Declared) -> SqlCondition:
    """Return the query of the rows of a kind for which `term` on a list field holds, each once."""
    members = _members(tuple(map(shadow, term.values))) if term.values else SqlCondition("()")
    rows = statement(
        "SELECT DISTINCT rid FROM elements WHERE ns = ? AND kind = ? AND slot = ? AND text IN {m}", m=members.sql
    )
    return SqlCondition(rows, (*of_kind, declared.slots[term.field], *members.values))


def index_condition(where: Filter | None, declared: Declared, alias: str) -> str:
    """Return a condition that holds for every match of a filter, and by which its first indexed comparison can use its index.

    An index has only the rows with the field, and SQLite uses it only if the query itself says so.
    """
    for term in conjuncts(where):
        if isinstance(term, (Eq, In, Lt, Le, Gt, Ge)):
            slot = declared.slots.get(term.field, declared.indexed)
            if slot < declared.indexed:
                return f" AND {alias}.indexed > {slot}"
    return ""


def first_folded(where: Filter | None, declared: Declared) -> InIgnoringCase | None:
    """Return the first conjunct that the index of elements answers."""
    for term in conjuncts(where):
        if isinstance(term, InIgnoringCase) and declared.is_list(term.field):
            return term
    return None


def short_needle(term: Contains, declared: Declared, alias: str) -> SqlCondition | None:
    """Return `term` as a condition on the texts called `alias`, for a needle too short for the index; None for others."""
    needle = shadow(term.needle)
    if not 0 < len(needle) < MIN_TRIGRAM or (BETWEEN in needle and declared.is_list(term.field)):
        return None
    text = column(declared.slots[term.field], alias)
    # GLOB rejects rows faster than instr does, but treats some characters as equal.
    pattern = "".join(f"[{character}]" if character in "*?[" else character for character in needle)
    return SqlCondition(statement("{text} GLOB ? AND instr({text}, ?) > 0", text=text), (f"*{pattern}*", needle))


def _phrase(field: str, needle: str, declared: Declared) -> str:
    quoted = needle[:LONGEST_PHRASE].replace('"', '""')
    return f'c{declared.slots[field]:d} : "{quoted}"'


def _searched(term: Contains | InIgnoringCase, declared: Declared, alias: str) -> SqlCondition:
    """Return the condition that the shadow of a text, or of an element of a list, meets a term."""
    is_list = declared.is_list(term.field)
    text = "t.text" if is_list else column(declared.slots[term.field], "t")
    if isinstance(term, Contains):
        meets = SqlCondition(statement("instr({text}, ?) > 0", text=text), (shadow(term.needle),))
    elif not term.values:
        return FALSE
    else:
        members = _members(tuple(map(shadow, term.values)))
        meets = SqlCondition(statement("{text} IN {members}", text=text, members=members.sql), members.values)
    if is_list:
        found = "EXISTS(SELECT 1 FROM elements t WHERE t.rid = {alias}.rid AND t.slot = ? AND {meets})"
        bound = (declared.slots[term.field], *meets.values)
        return SqlCondition(statement(found, alias=alias, meets=meets.sql), bound)
    # Read from the table behind the index: for single rows the index itself is five times slower.
    found = "EXISTS(SELECT 1 FROM texts_content t WHERE t.id = {alias}.rid AND {meets})"
    return SqlCondition(statement(found, alias=alias, meets=meets.sql), meets.values)


def _joined(operator: str, empty: SqlCondition, parts: Iterable[SqlCondition]) -> SqlCondition:
    clauses = tuple(parts)
    if not clauses:
        return empty
    sql = operator.join(f"({clause.sql})" for clause in clauses)
    return SqlCondition(f"({sql})", tuple(value for clause in clauses for value in clause.values))


def _membership(term: In | NotIn, name: str) -> SqlCondition:
    wanted = isinstance(term, In)
    if not term.values:
        return FALSE if wanted else TRUE
    members = _members(term.values)
    if wanted:
        # The sign prevents SQLite from reading all non-null rows of an index instead of those of the members.
        return SqlCondition(f"(+{name} IS NOT NULL AND {name} IN {members.sql})", members.values)
    return SqlCondition(f"({name} IS NULL OR {name} NOT IN {members.sql})", members.values)


def _members(values: tuple[Scalar, ...]) -> SqlCondition:
    bound = tuple(column_value(value) for value in values)
    texts = [value for value in bound if isinstance(value, str)]
    # A long list is passed as JSON, which preserves texts and integers exactly, but not every float.
    if len(bound) > _BOUND_ONE_BY_ONE and len(texts) == len(bound):
        return SqlCondition("(SELECT value FROM json_each(?))", (json_list(texts),))
    integers = [value for value in bound if isinstance(value, int)]
    if len(bound) > _BOUND_ONE_BY_ONE and len(integers) == len(bound):
        return SqlCondition("(SELECT value FROM json_each(?))", (json_list(integers),))
    return SqlCondition(f"({', '.join('?' * len(bound))})", bound)
