"""Compiles filters to SQL without nulls: negation is pushed down to the leaves, where a missing field decides.

The engine's conditions cannot be bound, so each value passes `literal`, and each name is a checked field's.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Final

from backends.ports.filters import And, Contains, Eq, Exists, Filter, Ge, Gt, Has, In, Le, Lt, Ne, Not, NotIn, Or
from backends.ports.filters import check_filter as check
from backends.ports.ids import check_name
from backends.ports.values import FieldSpec, Scalar

TRUE: Final = "true"
FALSE: Final = "false"

_Leaf = Eq | Ne | In | NotIn | Lt | Le | Gt | Ge | Exists | Has | Contains
_Bound = Lt | Le | Gt | Ge


def column(field: str) -> str:
    """Return the column of a field; the prefix keeps it apart from the record's own columns and from SQL's words."""
    return f"f_{check_name(field, what='a field name')}"


def literal(value: Scalar) -> str:
    """Return a value as SQL that means nothing but that value."""
    match value:
        case bool():
            return TRUE if value else FALSE
        case str():
            # Between quotes, a quote is the only character that means something.
            return "'" + value.replace("'", "''") + "'"
        case int():
            return str(value)
        case float():
            # Adding zero makes 0.0 of -0.0, which the engine would tell apart.
            return repr(value + 0.0)


def members(values: Iterable[Scalar]) -> str:
    """Return values as the SQL list that follows IN."""
    return f"({', '.join(literal(value) for value in values)})"


def compile_filter(where: Filter | None, specs: Mapping[str, FieldSpec]) -> str:
    """Return the condition, `TRUE` for no filter. Raises `InvalidInput` for a filter that breaks a rule."""
    return TRUE if where is None else _compile(check(where, specs), specs, wanted=True)


def both(one: str, other: str) -> str:
    """Return the condition that both hold."""
    if TRUE in (one, other):
        return other if one == TRUE else one
    return f"({one}) AND ({other})"


def _compile(where: Filter, specs: Mapping[str, FieldSpec], *, wanted: bool) -> str:
    """Return the condition that `where` holds, or with `wanted` false that it does not."""
    match where:
        case Not(term=term):
            return _compile(term, specs, wanted=not wanted)
        case And(terms=terms) | Or(terms=terms):
            every = isinstance(where, And) == wanted
            parts = [_compile(term, specs, wanted=wanted) for term in terms]
            return _joined(parts, every=every)
        case _:
            return _leaf(where, specs[where.field], wanted=wanted)


def _joined(parts: list[str], *, every: bool) -> str:
    neutral, decisive = (TRUE, FALSE) if every else (FALSE, TRUE)
    if decisive in parts:
        return decisive
    kept = [f"({part})" for part in parts if part != neutral]
    return (" AND " if every else " OR ").join(kept) or neutral


def _leaf(term: _Leaf, spec: FieldSpec, *, wanted: bool) -> str:
    """Return the condition for one field; where it is about a missing one, null is decided for in words."""
    name = column(spec.name)
    match term:
        case Ne(field=field, value=value):
            return _leaf(Eq(field, value), spec, wanted=not wanted)
        case NotIn(field=field, values=values):
            return _leaf(In(field, values), spec, wanted=not wanted)
        case Exists():
            return f"{name} IS NOT NULL" if wanted else f"{name} IS NULL"
        case Eq(value=value):
            return _present(f"{name} = {_value(value, spec)}", f"{name} != {_value(value, spec)}", name, wanted=wanted)
        case In(values=values):
            return _membership(values, spec, name, wanted=wanted)
        case Has(value=value):
            found = f"array_has({name}, {literal(value)})"
            return _present(found, f"NOT {found}", name, wanted=wanted)
        case Contains():
            raise AssertionError("check_filter admits Contains only for text fields, which a collection has not")
        case _:
            return _present(*_bounds(term, spec, name), name, wanted=wanted)


def _present(holds: str, fails: str, name: str, *, wanted: bool) -> str:
    """Return a condition on a value that may be missing: a missing one does not hold."""
    return holds if wanted else f"{name} IS NULL OR {fails}"


def _membership(values: tuple[Scalar, ...], spec: FieldSpec, name: str, *, wanted: bool) -> str:
    if not values:
        return FALSE if wanted else TRUE
    listed = f"({', '.join(_value(value, spec) for value in values)})"
    return _present(f"{name} IN {listed}", f"{name} NOT IN {listed}", name, wanted=wanted)


def _bounds(term: _Bound, spec: FieldSpec, name: str) -> tuple[str, str]:
    """Return the comparison and its opposite; the engine refuses fractions for integers, so they are rounded first."""
    upward = isinstance(term, Lt | Ge)
    limit: int | float = term.value
    if spec.type == "int":
        limit = math.ceil(limit) if upward else math.floor(limit)
    sign, opposite = {Lt: ("<", ">="), Le: ("<=", ">"), Gt: (">", "<="), Ge: (">=", "<")}[type(term)]
    bound = _value(limit, spec)
    return f"{name} {sign} {bound}", f"{name} {opposite} {bound}"


def _value(value: Scalar, spec: FieldSpec) -> str:
    return literal(float(value) if spec.type == "float" and isinstance(value, int) else value)
