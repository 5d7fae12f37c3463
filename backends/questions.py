"""Checks of what a graph is asked, the same for every engine, and the order of its groups."""

from collections.abc import Collection, Mapping, Sequence

from backends.ports.errors import InvalidInput
from backends.ports.graph import MAX_GROUP_FIELDS, MAX_SORT_KEYS, Direction, Group, Order
from backends.ports.ids import check_id, check_name
from backends.ports.values import FieldSpec, Scalar
from backends.traversal import Way

MAX_PAGE = 1_000
MAX_STARTS = 256


def between(what: str, value: int, most: int) -> None:
    """Raise `InvalidInput` unless a number is 1 to `most`."""
    if not 1 <= value <= most:
        raise InvalidInput(f"{what} must be 1 to {most}: {value}")


def check_starts(ids: Collection[str]) -> set[str]:
    """Return the nodes to expand. Raises `InvalidInput` for a bad id and for more than 256."""
    if len(ids) > MAX_STARTS:
        raise InvalidInput(f"at most {MAX_STARTS} nodes are expanded at once")
    return {check_id(key, what="a node id") for key in ids}


def check_way(direction: Direction, types: Collection[str] | None, min_confidence: float = 0.0) -> Way:
    """Return which edges may be walked. Raises `InvalidInput`."""
    for kind in types or ():
        check_name(kind, what="an edge type")
    if direction not in ("out", "in", "both"):
        raise InvalidInput(f"a direction is out, in or both: {direction!r:.60}")
    if not 0 <= min_confidence <= 1:
        raise InvalidInput(f"min_confidence is 0 to 1: {min_confidence}")
    return Way(direction, types, min_confidence)


def check_order(order: Sequence[Order], specs: Mapping[str, FieldSpec]) -> list[FieldSpec]:
    """Return the fields to sort by. Raises `InvalidInput` for more than 4, doubles, and fields not flagged sort."""
    if len(order) > MAX_SORT_KEYS or len({key.field for key in order}) != len(order):
        raise InvalidInput(f"a listing has at most {MAX_SORT_KEYS} sort keys, each field once")
    fields: list[FieldSpec] = []
    for key in order:
        spec = specs.get(key.field)
        if spec is None or not spec.sort:
            raise InvalidInput(f"cannot sort by {key.field!r:.60}: no field of that name is flagged sort")
        fields.append(spec)
    return fields


def check_groups(by: Sequence[str], specs: Mapping[str, FieldSpec]) -> list[FieldSpec]:
    """Return the fields to count by. Raises `InvalidInput` for more than 3, doubles, and lists."""
    if len(by) > MAX_GROUP_FIELDS or len(set(by)) != len(by):
        raise InvalidInput(f"nodes are counted by at most {MAX_GROUP_FIELDS} fields, each once")
    fields: list[FieldSpec] = []
    for name in by:
        spec = specs.get(name)
        if spec is None or spec.type == "strs":
            raise InvalidInput(f"cannot count by {name!r:.60}: no single-valued field of that name")
        fields.append(spec)
    return fields


def group_position(group: Group) -> tuple[tuple[bool, Scalar], ...]:
    """Return the sort key of a group: by its values, missing ones last."""
    # Values of one field have one type, and a missing one is compared by its flag only.
    return tuple((value is None, 0 if value is None else value) for value in group.key)
