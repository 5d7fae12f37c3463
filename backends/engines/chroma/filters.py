"""Compiles filters to Chroma's. Negation is pushed down to the fields; parts that Chroma cannot express are applied in Python."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from backends.engines.chroma.driver import Where
from backends.kit.declarations import check_filter_fields
from backends.kit.normal_form import Condition, Junction, NormalForm, normal_form
from backends.ports.filters import Eq, Exists, Filter, Ge, Gt, Has, In, Le, Lt
from backends.ports.values import FieldSpec, Scalar, Value

MOST_VALUES: Final = 10_000
"""The most values in one query. The engine's SQL takes about 32,000, and may contain a number twice."""
NO_ELEMENT: Final = "!"
"""Stored for an empty list: the engine rejects empty lists, and keeps the old elements of an omitted list."""

Clause: TypeAlias = Where | bool
_RANGES: Final = {Lt: "$lt", Le: "$lte", Gt: "$gt", Ge: "$gte"}
_OPPOSITES: Final = {Lt: "$gte", Le: "$gt", Gt: "$lte", Ge: "$lt"}


@dataclass(frozen=True, slots=True)
class CompiledFilter:
    """A filter for the engine. `where` finds all matching records, and others unless it is exact."""

    wanted: Filter | None = None
    where: Where | None = None
    exact: bool = True
    """Whether all records found by `where` match."""
    nothing: bool = False
    """Whether no record can match, so that no query is needed."""


def key_of(name: str) -> str:
    """Return the metadata key of a field's value. No field name results in a key of the adapter's own."""
    return f"f_{name}"


def flag_of(name: str) -> str:
    """Return the metadata key that marks a field as present."""
    return f"h_{name}"


def element(text: str) -> str:
    """Return the stored form of a list element."""
    return f"={text}"


def compile_filter(where: Filter | None, specs: Mapping[str, FieldSpec]) -> CompiledFilter:
    """Return the filter for the engine. Raises `InvalidInput` for an invalid filter."""
    if where is None:
        return CompiledFilter()
    compiler = _Compiler(specs)
    clause = compiler.clause(normal_form(check_filter_fields(where, specs)))
    if isinstance(clause, bool):
        return CompiledFilter(where, None, exact=compiler.exact, nothing=not clause)
    return CompiledFilter(where, clause, exact=compiler.exact)


class _Compiler:
    """Compiles one filter. `exact` becomes false when a part is left out."""

    def __init__(self, specs: Mapping[str, FieldSpec]) -> None:
        self.exact = True
        self._specs = specs
        self._values_left = MOST_VALUES

    def clause(self, form: NormalForm) -> Clause:
        """Return a condition that finds at least the records for which `form` holds."""
        if isinstance(form, Junction):
            return _joined([self.clause(part) for part in form.parts], every=form.every)
        return self._leaf(form.condition, holds=form.holds)

    def _leaf(self, term: Condition, *, holds: bool) -> Clause:
        key = key_of(term.field)
        match term:
            case Eq(value=value):
                return {key: {"$eq" if holds else "$ne": self._value(term.field, value)}}
            case In():
                return self._membership(term, holds=holds)
            case Exists():
                return _present(term.field, wanted=holds)
            case Has(value=value):
                return {key: {"$contains" if holds else "$not_contains": element(value)}}
            case Lt() | Le() | Gt() | Ge():
                return self._range(term, holds=holds)
            case _:
                self.exact = False
                return True

    def _membership(self, term: In, *, holds: bool) -> Clause:
        if not term.values:
            return not holds
        self._values_left -= len(term.values)
        if self._values_left < 0:
            self.exact = False
            return True
        values = [self._value(term.field, value) for value in term.values]
        return {key_of(term.field): {"$in" if holds else "$nin": values}}

    def _range(self, term: Lt | Le | Gt | Ge, *, holds: bool) -> Clause:
        key, bound = key_of(term.field), self._bound(term)
        if holds:
            return {key: {_RANGES[type(term)]: bound}}
        return _joined([_present(term.field, wanted=False), {key: {_OPPOSITES[type(term)]: bound}}], every=False)

    def _bound(self, term: Lt | Le | Gt | Ge) -> int | float:
        """Return a bound with the field's type: the engine keeps integers and floats in different columns."""
        if self._specs[term.field].type == "float":
            return float(term.value)
        return math.ceil(term.value) if isinstance(term, Lt | Ge) else math.floor(term.value)

    def _value(self, name: str, value: Scalar) -> Value:
        return float(value) if self._specs[name].type == "float" and not isinstance(value, str) else value


def _present(name: str, *, wanted: bool) -> Where:
    # The engine's $ne also matches records without the key.
    return {flag_of(name): {"$eq" if wanted else "$ne": True}}


def _joined(parts: list[Clause], *, every: bool) -> Clause:
    """Join clauses with AND (`every`) or OR. Constants are folded, because the engine has none."""
    if any(part is (not every) for part in parts):
        return not every
    clauses = [part for part in parts if not isinstance(part, bool)]
    if not clauses:
        return every
    return clauses[0] if len(clauses) == 1 else {"$and" if every else "$or": clauses}
