"""Compiles filters to Cypher conditions over the properties of a node `n`, values bound."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from backends.ports.filters import And, Contains, Eq, Exists, Filter, Ge, Gt, Has, In, Le, Lt, Ne, Not, NotIn, Or
from backends.ports.filters import check_filter as check
from backends.ports.ids import check_name
from backends.ports.text import shadow
from backends.ports.values import FieldSpec, Scalar

Leaf = Eq | Ne | In | NotIn | Lt | Le | Gt | Ge | Exists | Has | Contains
ScalarT = TypeVar("ScalarT")
Specs = Mapping[str, FieldSpec]

_INDEXED: Final = (Eq, In, Lt, Le, Gt, Ge, Exists, Has, Contains)
_PLANNED: Final = 4
_COMPARISONS: Final = {Lt: "<", Le: "<=", Gt: ">", Ge: ">="}


@dataclass(slots=True)
class Bound:
    """The values of a statement, each under a name of our own."""

    values: dict[str, object] = field(default_factory=dict[str, object])

    def bind(self, value: object) -> str:
        """Return the parameter that stands for a value."""
        name = f"p{len(self.values)}"
        self.values[name] = value
        return f"${name}"


def value_property(spec: FieldSpec) -> str:
    """Return the property that holds a field's value."""
    return f"f_{check_name(spec.name, what='a field name')}"


def sort_property(spec: FieldSpec) -> str:
    """Return the property that holds a sortable field's sort key, and is indexed."""
    return f"s_{check_name(spec.name, what='a field name')}"


def sort_key(value: ScalarT) -> ScalarT | str:
    """Return what stands for a value where order counts.

    In memory, Neo4j compares texts by their UTF-16 units. The bytes of UTF-8, as characters, are in code-point
    order whichever way they are compared; for ASCII nothing changes.
    """
    return value.encode().decode("latin-1") if isinstance(value, str) else value


def compile_filter(where: Filter | None, specs: Specs, bound: Bound) -> str:
    """Return the condition on `n`; where it is null it does not hold. Raises `InvalidInput` for a filter that breaks a rule."""
    if where is None:
        return "true"
    return _conjunction(check(where, specs), specs, bound)


def _conjunction(where: Filter, specs: Specs, bound: Bound) -> str:
    """Return some conditions that an index may answer, and all others in one that the planner takes as it is.

    It would rearrange them, which takes a tenth of a second for a few that are nested, and minutes for 200.
    """
    indexed: list[str] = []
    others: list[str] = []
    for term in _conjuncts(where):
        if isinstance(term, _INDEXED) and len(indexed) < _PLANNED:
            # At the top, null is as good as false.
            indexed.append(_leaf(term, specs, bound))
        else:
            others.append(_term(term, specs, bound))
    if others:
        indexed.append(f"CASE WHEN {' AND '.join(others)} THEN true ELSE false END")
    return " AND ".join(indexed) or "true"


def _conjuncts(where: Filter) -> Iterator[Leaf | Or | Not]:
    if isinstance(where, And):
        for term in where.terms:
            yield from _conjuncts(term)
    else:
        yield where


def _term(where: Filter, specs: Specs, bound: Bound) -> str:
    """Return a condition that is true or false, never null."""
    match where:
        case And(terms=terms):
            return f"({' AND '.join(_term(term, specs, bound) for term in terms) or 'true'})"
        case Or(terms=terms):
            return f"({' OR '.join(_term(term, specs, bound) for term in terms) or 'false'})"
        case Not(term=term):
            return f"NOT {_term(term, specs, bound)}"
        case Exists() | Ne() | NotIn():
            return f"({_leaf(where, specs, bound)})"
        case _:
            return f"coalesce({_leaf(where, specs, bound)}, false)"


def _leaf(term: Leaf, specs: Specs, bound: Bound) -> str:
    """Return the condition for one field, null where the field is missing and the condition needs it."""
    spec = specs[term.field]
    name = f"n.{sort_property(spec) if spec.sort else value_property(spec)}"

    def bind(value: Scalar) -> str:
        return bound.bind(sort_key(value) if spec.sort else value)

    match term:
        case Eq(value=value):
            return f"{name} = {bind(value)}"
        case Ne(value=value):
            return f"({name} IS NULL OR {name} <> {bind(value)})"
        case In(values=values):
            return f"{name} IN {_bind_all(values, spec, bound)}"
        case NotIn(values=values):
            return f"({name} IS NULL OR NOT {name} IN {_bind_all(values, spec, bound)})"
        case Exists():
            return f"{name} IS NOT NULL"
        case Has(value=value):
            return f"{bound.bind(value)} IN {name}"
        case Contains(needle=needle):
            return _contains(spec, bound.bind(shadow(needle)))
        case _:
            return f"{name} {_COMPARISONS[type(term)]} {bind(term.value)}"


def _bind_all(values: tuple[Scalar, ...], spec: FieldSpec, bound: Bound) -> str:
    return bound.bind([sort_key(value) if spec.sort else value for value in values])


def _contains(spec: FieldSpec, needle: str) -> str:
    # Shadows that are too long for the index lie in a property of their own.
    return f"(coalesce(n.t_{spec.name}, n.u_{spec.name}) CONTAINS {needle})"
