"""Listings and counts. A listing follows the index of its first sort key in up to three index ranges: equal, later, missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from backends.engines.neo4j.connection import Connection, counted
from backends.engines.neo4j.filters import Selection, Specs, select, sort_property, value_property
from backends.engines.neo4j.graph.rows import NODE_COLUMNS, VISIBLE, node
from backends.kit import cursors
from backends.kit.cursors import Key, Keys
from backends.kit.declarations import group_fields
from backends.kit.pages import IndexRange, SortKey, index_ranges, page, sort_keys
from backends.kit.queries import FindQuery
from backends.kit.records import group_position
from backends.ports.filters import Filter
from backends.ports.graph import Group, Node
from backends.ports.values import Page, Scalar

_FIND: Final = (
    "{nodes} WHERE n.ns = $v.ns AND n.kind = $v.kind AND {index_range} AND {where}"
    " WITH n ORDER BY {order} LIMIT $v.limit RETURN {columns}"
)
_ANY_ID: Final = "n.id IS NOT NULL"
_COUNT_NODES: Final = (
    "{nodes} WHERE n.ns = $v.ns AND n.kind = $v.kind AND n.id IS NOT NULL AND {where} RETURN count(*){columns}"
)
_COUNT_EDGES: Final = (
    f"MATCH (a)-[e:ENTREPOT_EDGE]->(b) WHERE e.ns = $v.ns AND e.id IS NOT NULL AND {VISIBLE} RETURN e.type, count(*)"
)


@dataclass(frozen=True, slots=True)
class Listing:
    """A listing: the condition and order of each index range, in order, and their values."""

    index_ranges: tuple[tuple[str, str], ...]
    selected: Selection
    keys: tuple[SortKey, ...]
    values: Mapping[str, object]


def listing(query: FindQuery, specs: Specs) -> Listing:
    """Return the statements of a listing. Raises `InvalidInput`."""
    keys = sort_keys(query.order, specs, lambda spec: f"n.{sort_property(spec)}")
    after = None if query.after is None else cursors.decode(query.after, [key.type for key in keys])
    selected = select(query.where, specs)
    parts = tuple(
        (_condition(index_range, keys), _order(index_range))
        for index_range in index_ranges(keys, after, id_column="n.id")
    )
    return Listing(parts, selected, keys, {**selected.values, **_start(keys, after)})


async def find(connection: Connection, query: FindQuery, listing: Listing) -> Page[Node]:
    """Return a page of live nodes."""
    columns = ", ".join([NODE_COLUMNS, *(key.column for key in listing.keys)])
    rows: list[tuple[Node, tuple[Key, ...]]] = []
    for index_range, order in listing.index_ranges:
        wanted = query.limit + 1 - len(rows)
        if wanted:
            chosen = listing.selected
            statement = _FIND.format(
                nodes=chosen.nodes, index_range=index_range, where=chosen.condition, order=order, columns=columns
            )
            values = {**listing.values, "ns": query.namespace, "kind": query.kind, "limit": wanted}
            rows += await connection.run(statement, values, _row)
    return page(rows, query.limit, item=lambda row: row[0], cursor=lambda last: cursors.encode(last[1], last[0].id))


def _row(
    identifier: str, kind: str | None, fields: str | None, rev: int, props: str | None, *keys: Key
) -> tuple[Node, tuple[Key, ...]]:
    return node(identifier, kind, fields, rev, props), keys


def _start(keys: Sequence[SortKey], after: tuple[Keys, str] | None) -> Mapping[str, object]:
    """Return the values of the item after which the listing continues."""
    if after is None:
        return {"after": ""}
    values, identifier = after
    bound = {
        f"after{number}": _bound_key(key, value) for number, (key, value) in enumerate(zip(keys, values, strict=True))
    }
    return {**bound, "after": identifier}


def _order(index_range: IndexRange) -> str:
    # The order begins with the index's first properties, so that the planner recognises it.
    return f"n.ns, n.kind, {index_range.order}" if index_range.first in ("present", "later") else index_range.order


def _condition(index_range: IndexRange, keys: Sequence[SortKey]) -> str:
    # The first page of a listing by id is the page after "".
    tail = _after(keys[1:], 1) if index_range.continued or not keys else _ANY_ID
    match index_range.first:
        case "any":
            return tail
        case "present":
            return f"{keys[0].column} IS NOT NULL AND {tail}"
        case "missing":
            return f"{keys[0].column} IS NULL AND {tail}"
        case "equal":
            return f"{keys[0].column} = $v.after0 AND {tail}"
        case "later":
            return f"{keys[0].column} {keys[0].beyond} $v.after0 AND {tail}"


def _after(keys: Sequence[SortKey], number: int) -> str:
    """Return the condition that a node follows an item by these keys, the first being number `number`, and then by id."""
    if not keys:
        return "n.id > $v.after"
    name, value, rest = keys[0].column, f"$v.after{number}", _after(keys[1:], number + 1)
    # The same text whether or not the item has the key, because each new text is planned.
    return (
        f"CASE WHEN {value} IS NULL THEN {name} IS NULL AND {rest}"
        f" ELSE coalesce({name} {keys[0].beyond} {value}, true) OR ({name} = {value} AND {rest}) END"
    )


def _bound_key(key: SortKey, value: Key) -> Key:
    return bool(value) if key.type == "bool" and value is not None else value


def count_plan(by: Sequence[str], where: Filter | None, specs: Specs) -> tuple[str, Mapping[str, object]]:
    """Return the counting statement and its values. Raises `InvalidInput`."""
    columns = "".join(f", n.{value_property(spec)}" for spec in group_fields(by, specs))
    selected = select(where, specs)
    return _COUNT_NODES.format(nodes=selected.nodes, where=selected.condition, columns=columns), selected.values


async def count_nodes(
    connection: Connection, ns: str, kind: str, planned: tuple[str, Mapping[str, object]]
) -> list[Group]:
    """Count live nodes per combination of fields."""
    query, values = planned
    return sorted(await connection.run(query, {**values, "ns": ns, "kind": kind}, _group), key=group_position)


async def count_edges(connection: Connection, ns: str) -> dict[str, int]:
    """Return the number of visible edges per type, sorted by type."""
    rows = await connection.run(_COUNT_EDGES, {"ns": ns}, counted)
    return dict(sorted(rows))


def _group(count: int, *key: Scalar | None) -> Group:
    return Group(key, count)
