"""The order of a listing, over records in memory."""

from collections.abc import Sequence
from functools import cmp_to_key

from backends.kit.cursors import Keys
from backends.ports.graph import Node, Order

Place = tuple[Keys, str]
"""The sort keys of a node and its id."""


def place_of(node: Node, order: Sequence[Order]) -> Place:
    values = tuple(node.fields.get(key.field) for key in order)
    return tuple(value for value in values if not isinstance(value, tuple)), node.id


def sorted_nodes(nodes: Sequence[Node], order: Sequence[Order]) -> list[Node]:
    """Return nodes by the sort keys, missing last, and by id."""
    return sorted(nodes, key=cmp_to_key(lambda one, two: compare(place_of(one, order), place_of(two, order), order)))


def compare(one: Place, two: Place, order: Sequence[Order]) -> int:
    """Return which place comes first: below 0 for `one`, above 0 for `two`."""
    for key, mine, theirs in zip(order, one[0], two[0], strict=True):
        if mine == theirs:
            continue
        if mine is None or theirs is None:
            return 1 if mine is None else -1
        below = mine < theirs if isinstance(mine, str) and isinstance(theirs, str) else _below(mine, theirs)
        return -1 if below != key.descending else 1
    return (one[1] > two[1]) - (one[1] < two[1])


def _below(mine: str | float, theirs: str | float) -> bool:
    return not isinstance(mine, str) and not isinstance(theirs, str) and mine < theirs
