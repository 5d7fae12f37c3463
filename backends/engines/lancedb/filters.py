"""Compiles filters to SQL conditions that are never null: negation is pushed down to the leaves, which handle null.

The engine cannot bind values in conditions, so each value passes `literal` and each name is that of a declared field.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Final

from backends.kit.declarations import check_filter_fields
from backends.kit.normal_form import Condition, Junction, NormalForm, normal_form
from backends.ports.filters import Contains, Eq, Exists, Filter, Ge, Gt, Has, In, InIgnoringCase, Le, Lt
from backends.ports.values import FieldSpec, Scalar

TRUE: Final = "true"
FALSE: Final = "false"

_Bound = Lt | Le | Gt | Ge


def column(field: str) -> str:
    """Return the column of a field. The prefix avoids clashes with the record's own columns and SQL keywords."""
    return f"f_{field}"


def literal(value: Scalar) -> str:
    """Return a value as an SQL literal."""
    match value:
        case bool():
            return TRUE if value else FALSE
        case str():
            # Inside a quoted literal only the quote is special.
            return "'" + value.replace("'", "''") + "'"
        case int():
            return str(value)
        case float():
            # Adding zero turns -0.0 into 0.0, which the engine would distinguish.
            return repr(value + 0.0)


def members(values: Iterable[Scalar]) -> str:
    """Return values as the list that follows IN."""
    return f"({', '.join(literal(value) for value in values)})"


def compile_filter(where: Filter | None, specs: Mapping[str, FieldSpec]) -> str:
    """Return the condition, `TRUE` for no filter. Raises `InvalidInput` for an invalid filter."""
    return TRUE if where is None else _compile(normal_form(check_filter_fields(where, specs)), specs)


def both(one: str, other: str) -> str:
    """Return the conjunction of two conditions."""
    if TRUE in (one, other):
        return other if one == TRUE else one
    return f"({one}) AND ({other})"


def _compile(form: NormalForm, specs: Mapping[str, FieldSpec]) -> str:
    if isinstance(form, Junction):
        return _joined([_compile(part, specs) for part in form.parts], every=form.every)
    return _leaf(form.condition, specs[form.condition.field], wanted=form.holds)


def _joined(parts: list[str], *, every: bool) -> str:
    neutral, decisive = (TRUE, FALSE) if every else (FALSE, TRUE)
    if decisive in parts:
        return decisive
    kept = [f"({part})" for part in parts if part != neutral]
    return (" AND " if every else " OR ").join(kept) or neutral


def _leaf(term: Condition, spec: FieldSpec, *, wanted: bool) -> str:
    """Return the condition for one field, with an explicit null test where a missing value decides."""
    name = column(spec.name)
    match term:
        case Exists():
            return f"{name} IS NOT NULL" if wanted else f"{name} IS NULL"
        case Eq(value=value):
            return _present(f"{name} = {_value(value, spec)}", f"{name} != {_value(value, spec)}", name, wanted=wanted)
        case In(values=values):
            return _membership(values, spec, name, wanted=wanted)
        case Has(value=value):
            found = f"array_has({name}, {literal(value)})"
            return _present(found, f"NOT {found}", name, wanted=wanted)
        case Contains() | InIgnoringCase():
            raise AssertionError("check_filter_fields admits it only for text fields, which a collection has not")
        case _:
            return _present(*_bounds(term, spec, name), name, wanted=wanted)


def _present(holds: str, fails: str, name: str, *, wanted: bool) -> str:
    """Return a condition on a value; it does not hold for a missing one."""
    return holds if wanted else f"{name} IS NULL OR {fails}"


def _membership(values: tuple[Scalar, ...], spec: FieldSpec, name: str, *, wanted: bool) -> str:
    if not values:
        return FALSE if wanted else TRUE
    listed = f"({', '.join(_value(value, spec) for value in values)})"
    return _present(f"{name} IN {listed}", f"{name} NOT IN {listed}", name, wanted=wanted)


def _bounds(term: _Bound, spec: FieldSpec, name: str) -> tuple[str, str]:
    """Return the comparison and its opposite. Bounds of integers are rounded, because the engine refuses fractions there."""
    upward = isinstance(term, Lt | Ge)
    limit: int | float = term.value
    if spec.type == "int":
        limit = math.ceil(limit) if upward else math.floor(limit)
    sign, opposite = {Lt: ("<", ">="), Le: ("<=", ">"), Gt: (">", "<="), Ge: (">=", "<")}[type(term)]
    bound = _value(limit, spec)
    return f"{name} {sign} {bound}", f"{name} {opposite} {bound}"


def _value(value: Scalar, spec: FieldSpec) -> str:
    return literal(float(value) if spec.type == "float" and isinstance(value, int) else value)
