"""Filters in negation normal form: for engines that cannot negate a condition, or whose conditions may be null."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

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

Condition: TypeAlias = Eq | In | Lt | Le | Gt | Ge | Exists | Has | Contains | InIgnoringCase
"""A condition on one field that does not hold for a missing value. `Ne` and `NotIn` are `Eq` and `In` that must not hold."""


@dataclass(frozen=True, slots=True)
class SignedCondition:
    """A condition on one field that must hold, or must not."""

    condition: Condition
    holds: bool


@dataclass(frozen=True, slots=True)
class Junction:
    """Parts that must all hold (`every`), or of which at least one must. No part is a junction of the same sort."""

    parts: "tuple[SignedCondition | Junction, ...]"
    every: bool


NormalForm: TypeAlias = SignedCondition | Junction


def normal_form(where: Filter, *, holds: bool = True) -> NormalForm:
    """Return `where`, or its opposite if `holds` is false, with negations only at conditions.

    An `And` or `Or` of one part is that part; one without parts is an empty junction, which holds if `every`.
    """
    match where:
        case Not(term=term):
            return normal_form(term, holds=not holds)
        case And(terms=terms) | Or(terms=terms):
            every = isinstance(where, And) == holds
            parts = tuple(part for term in terms for part in parts_of(normal_form(term, holds=holds), every=every))
            return parts[0] if len(parts) == 1 else Junction(parts, every)
        case Ne(field=field, value=value):
            return SignedCondition(Eq(field, value), not holds)
        case NotIn(field=field, values=values):
            return SignedCondition(In(field, values), not holds)
        case _:
            return SignedCondition(where, holds)


def parts_of(form: NormalForm, *, every: bool) -> Iterator[NormalForm]:
    """Yield the parts that must all hold (`every`), or of which one must; the form itself if it is no such junction."""
    if isinstance(form, Junction) and form.every == every:
        yield from form.parts
    else:
        yield form
