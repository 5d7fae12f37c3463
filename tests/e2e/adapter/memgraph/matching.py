"""Filters, order and cursors, over records in memory."""

import base64
from collections.abc import Mapping, Sequence
from functools import cmp_to_key

import orjson

from backends.ports.errors import InvalidInput
from backends.ports.filters import And, Contains, Eq, Exists, Filter, Ge, Gt, Has, In, Le, Lt, Ne, Not, NotIn, Or
from backends.ports.graph import MAX_SORT_KEYS, Node, Order
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from backends.ports.values import Fields, FieldSpec, Scalar

Key = tuple[Scalar | None, ...]


def matches(where: Filter | None, fields: Fields) -> bool:
    """Say whether fields meet a filter that was checked."""
    match where:
        case None:
            return True
        case And(terms):
            return all(matches(term, fields) for term in terms)
        case Or(terms):
            return any(matches(term, fields) for term in terms)
        case Not(term):
            return not matches(term, fields)
        case Ne(name, value):
            return name not in fields or fields[name] != value
        case NotIn(name, values):
            return name not in fields or fields[name] not in values
        case _:
            return where.field in fields and _meets(where, fields)


def _meets(where: Eq | In | Lt | Le | Gt | Ge | Exists | Has | Contains, fields: Fields) -> bool:
    value = fields[where.field]
    match where:
        case Exists():
            return True
        case Eq(_, wanted):
            return value == wanted
        case In(_, values):
            return value in values
        case Has(_, element):
            return isinstance(value, tuple) and element in value
        case Contains(_, needle):
            return isinstance(value, str) and _searched(value) and shadow(needle) in shadow(value)
        case _:
            return isinstance(value, int | float) and _in_bound(where, value)


def _in_bound(where: Lt | Le | Gt | Ge, value: float) -> bool:
    match where:
        case Lt(_, bound):
            return value < bound
        case Le(_, bound):
            return value <= bound
        case Gt(_, bound):
            return value > bound
        case Ge(_, bound):
            return value >= bound


def _searched(text: str) -> bool:
    return len(text.encode()) <= MAX_INDEXED_BYTES


def check_order(order: Sequence[Order], specs: Mapping[str, FieldSpec]) -> None:
    """Raise `InvalidInput` for more than 4 sort keys, doubles, and fields not flagged sort."""
    if len(order) > MAX_SORT_KEYS or len({key.field for key in order}) != len(order):
        raise InvalidInput(f"a listing has at most {MAX_SORT_KEYS} sort keys, each field once")
    for key in order:
        if key.field not in specs or not specs[key.field].sort:
            raise InvalidInput(f"cannot sort by {key.field!r}")


def place_of(node: Node, order: Sequence[Order]) -> tuple[Key, str]:
    """Return the sort keys of a node and its id."""
    values = tuple(node.fields.get(key.field) for key in order)
    return tuple(value for value in values if not isinstance(value, tuple)), node.id


def sorted_nodes(nodes: Sequence[Node], order: Sequence[Order]) -> list[Node]:
    """Return nodes by the sort keys, missing last, and by id."""
    return sorted(nodes, key=cmp_to_key(lambda one, two: compare(place_of(one, order), place_of(two, order), order)))


def compare(one: tuple[Key, str], two: tuple[Key, str], order: Sequence[Order]) -> int:
    """Return which place comes first: below 0 for `one`, above 0 for `two`."""
    for key, mine, theirs in zip(order, one[0], two[0], strict=True):
        if mine == theirs:
            continue
        if mine is None or theirs is None:
            return 1 if mine is None else -1
        below = mine < theirs if isinstance(mine, str) and isinstance(theirs, str) else _below(mine, theirs)
        return -1 if below != key.descending else 1
    return (one[1] > two[1]) - (one[1] < two[1])


def _below(mine: Scalar, theirs: Scalar) -> bool:
    return not isinstance(mine, str) and not isinstance(theirs, str) and mine < theirs


def cursor_of(place: tuple[Key, str]) -> str:
    """Return a place as opaque text."""
    return base64.urlsafe_b64encode(orjson.dumps([*place[0], place[1]])).decode()


def cursor_read(text: str, types: Sequence[str]) -> tuple[Key, str]:
    """Return the place that a cursor names. Raises `InvalidInput` for any other text."""
    wanted = {"str": str, "bool": bool, "int": int, "float": float}
    try:
        parts: list[Scalar | None] = orjson.loads(base64.b64decode(text.encode("ascii"), b"-_", validate=True))
        fits = all(
            part is None or type(part) is wanted[kind] for part, kind in zip(parts, [*types, "str"], strict=True)
        )
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"not a cursor of this listing: {text[:60]!r}") from error
    identifier = parts[-1]
    if not fits or not isinstance(identifier, str):
        raise InvalidInput(f"not a cursor of this listing: {text[:60]!r}")
    return tuple(parts[:-1]), identifier
