"""What an engine cannot express of a filter is finished here, exactly: ask for more, test in Python, until enough match."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from backends.ports.filters import And, Contains, Eq, Exists, Filter, Ge, Gt, Has, In, Le, Lt, Ne, Not, NotIn, Or
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from backends.ports.values import Fields, Value

AnswerT = TypeVar("AnswerT")

FACTOR = 4


async def widen(ask: Callable[[int], Awaitable[tuple[AnswerT, bool]]], *, first: int) -> AnswerT:
    """Return the answer to the first of ever larger questions that settles the matter.

    `ask` is given how many candidates to look at, `first` and then four times as many each time, and says besides its
    answer whether more candidates could not change it, at the latest when it has looked at all that there are.
    """
    wanted = first
    while True:
        answer, settled = await ask(wanted)
        if settled:
            return answer
        wanted *= FACTOR


def holds(where: Filter, fields: Fields) -> bool:
    """Say whether a record with `fields` matches."""
    match where:
        case And(terms=terms):
            return all(holds(term, fields) for term in terms)
        case Or(terms=terms):
            return any(holds(term, fields) for term in terms)
        case Not(term=term):
            return not holds(term, fields)
        case Ne(field=name, value=value):
            return fields.get(name) != value
        case NotIn(field=name, values=values):
            return fields.get(name) not in values
        case _:
            value = fields.get(where.field)
            return value is not None and value != () and _fits(where, value)


def _fits(where: Eq | In | Lt | Le | Gt | Ge | Exists | Has | Contains, value: Value) -> bool:
    """Say whether a value that is present fits; a checked filter compares like with like."""
    match where:
        case Exists():
            return True
        case Eq():
            return value == where.value
        case In():
            return value in where.values
        case Has():
            return isinstance(value, tuple) and where.value in value
        case Contains():
            return isinstance(value, str) and _contains(value, where.needle)
        case Lt() | Le() | Gt() | Ge():
            return isinstance(value, int | float) and _within(where, value)


def _contains(text: str, needle: str) -> bool:
    return len(text.encode()) <= MAX_INDEXED_BYTES and shadow(needle) in shadow(text)


def _within(where: Lt | Le | Gt | Ge, value: int | float) -> bool:
    match where:
        case Lt():
            return value < where.value
        case Le():
            return value <= where.value
        case Gt():
            return value > where.value
        case Ge():
            return value >= where.value
