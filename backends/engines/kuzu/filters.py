"""Compiles filters to conditions with bound values. A condition is true or false, never null."""

from collections.abc import Iterable
from typing import Final

from backends.engines.kuzu.driver import Cell
from backends.engines.kuzu.kinds import Declared
from backends.kit.declarations import check_filter_fields, whole_element
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
    Lt,
    Ne,
    Not,
    NotIn,
    Or,
)
from backends.ports.text import shadow
from backends.ports.values import Scalar

TRUE: Final = "true"
FALSE: Final = "false"
_COMPARISONS: Final = {Lt: "<", Le: "<=", Gt: ">", Ge: ">="}


class Values:
    """The bound values of a statement, numbered in binding order."""

    def __init__(self, **named: Cell) -> None:
        self.bound: dict[str, Cell] = dict(named)

    def bind(self, value: Cell) -> str:
        """Bind a value and return its parameter."""
        name = f"v{len(self.bound):d}"
        self.bound[name] = value
        return f"${name}"


def compile_filter(where: Filter | None, declared: Declared, values: Values) -> str:
    """Return the condition on the node `n`. Raises `InvalidInput` for an invalid filter."""
    if where is None:
        return TRUE
    return _compile(check_filter_fields(where, declared.specs), declared, values)


def cell(value: Scalar) -> Cell:
    """Return a field's value as stored in its column: numbers and booleans as floats, which represent all of them exactly."""
    return value if isinstance(value, str) else float(value)


def _compile(where: Filter, declared: Declared, values: Values) -> str:
    match where:
        case And(terms=terms):
            return _joined(" AND ", TRUE, (_compile(term, declared, values) for term in terms))
        case Or(terms=terms):
            return _joined(" OR ", FALSE, (_compile(term, declared, values) for term in terms))
        case Not(term=term):
            return f"(NOT {_compile(term, declared, values)})"
        case Ne(field=field, value=value):
            return f"(NOT {_leaf(Eq(field, value), declared, values)})"
        case NotIn(field=field, values=members):
            return f"(NOT {_leaf(In(field, members), declared, values)})"
        case _:
            return _leaf(where, declared, values)


def _joined(operator: str, empty: str, parts: Iterable[str]) -> str:
    conditions = tuple(parts)
    return f"({operator.join(conditions)})" if conditions else empty


def _leaf(
    term: Eq | In | Lt | Le | Gt | Ge | Exists | Has | Contains | InIgnoringCase, declared: Declared, values: Values
) -> str:
    name = f"n.{declared.column(term.field)}"
    slot = f"{declared.slot(term.field):d}"
    match term:
        case Eq(value=value):
            return f"({name} IS NOT NULL AND {name} = {values.bind(cell(value))})"
        case In(values=members):
            bound = [cell(member) for member in members]
            return f"({name} IS NOT NULL AND {name} IN {values.bind(bound)})" if bound else FALSE
        case Exists():
            return _has(slot, values) if name == "n.lists" else f"({name} IS NOT NULL)"
        case Has(value=value):
            return _has(f"{slot}:{value}", values)
        case Contains(needle=needle):
            text = f"n.{declared.shadow_column(term.field)}"
            # The engine's CONTAINS is false for an empty needle, but every text contains it.
            found = f" AND {text} CONTAINS {values.bind(shadow(needle))}" if needle else ""
            return f"({text} IS NOT NULL{found})"
        case InIgnoringCase(values=members):
            return _folded(term.field, members, declared, values)
        case _:
            bound = values.bind(float(term.value))
            return f"({name} IS NOT NULL AND {name} {_COMPARISONS[type(term)]} {bound})"


def _folded(field: str, members: tuple[str, ...], declared: Declared, values: Values) -> str:
    if not members:
        return FALSE
    text = f"n.{declared.shadow_column(field)}"
    if declared.specs[field].type == "strs":
        elements: list[Cell] = [whole_element(member) for member in members]
        return f"({text} IS NOT NULL AND any(w IN {values.bind(elements)} WHERE {text} CONTAINS w))"
    texts: list[Cell] = [shadow(member) for member in members]
    return f"({text} IS NOT NULL AND {text} IN {values.bind(texts)})"


def _has(entry: str, values: Values) -> str:
    return f"(n.lists IS NOT NULL AND list_contains(n.lists, {values.bind(entry)}))"
