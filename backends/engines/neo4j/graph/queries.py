"""Listings and counts. A listing follows the index of its first sort key in up to three ranges: ties, later, missing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from backends.engines.neo4j.connection import Connection, counted
from backends.engines.neo4j.filters import Selection, Specs, select, sort_property, value_property
from backends.engines.neo4j.graph.rows import NODE_COLUMNS, VISIBLE, node
from backends.kit import cursors
from backends.kit.cursors import Key, Keys
from backends.kit.declarations import group_fields, sort_fields
from backends.kit.records import group_position
from backends.ports.filters import Filter
from backends.ports.graph import Group, Node, Order
from backends.ports.values import Page, Scalar

_FIND: Final = (
    "{nodes} WHERE n.ns = $v.ns AND n.kind = $v.kind AND {stretch} AND {where}"
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
class FindRequest:
    """The arguments of `find`."""

    kind: str
    where: Filter | None
    order: Sequence[Order]
    after: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class SortKey:
    """A property to sort by."""

    name: str
    type: str
    descending: bool

    @property
    def direction(self) -> str:
        """The property with its direction."""
        return f"{self.name} DESC" if self.descending else self.name

    @property
    def beyond(self) -> str:
        """The comparison that later values satisfy."""
        return "<" if self.descending else ">"


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned listing: the condition and order of each range, in order, and their values."""

    stretches: tuple[tuple[str, str], ...]
    selected: Selection
    keys: tuple[SortKey, ...]
    values: Mapping[str, object]


def find_plan(question: FindRequest, specs: Specs) -> Plan:
    """Return the plan of a listing. Raises `InvalidInput`."""
    fields = sort_fields(question.order, specs)
    keys = tuple(
        SortKey(f"n.{sort_property(spec)}", spec.type, order.descending)
        for spec, order in zip(fields, question.order, strict=True)
    )
    after = None if question.after is None else cursors.decode(question.after, [key.type for key in keys])
    selected = select(question.where, specs)
    return Plan(tuple(_stretches(keys, after)), selected, keys, {**selected.values, **_start(keys, after)})


async def find(connection: Connection, ns: str, question: FindRequest, planned: Plan) -> Page[Node]:
    """Return a page of live nodes."""
    columns = ", ".join([NODE_COLUMNS, *(key.name for key in planned.keys)])
    rows: list[tuple[Node, tuple[Key, ...]]] = []
    for stretch, order in planned.stretches:
        wanted = question.limit + 1 - len(rows)
        if wanted:
            chosen = planned.selected
            query = _FIND.format(
                nodes=chosen.nodes, stretch=stretch, where=chosen.condition, order=order, columns=columns
            )
            values = {**planned.values, "ns": ns, "kind": question.kind, "limit": wanted}
            rows += await connection.run(query, values, _row)
    items = tuple(found for found, _ in rows[: question.limit])
    if len(rows) <= question.limit:
        return Page(items, None)
    keys = rows[question.limit - 1][1]
    return Page(items, cursors.encode(keys, items[-1].id))


def _row(
    identifier: str, kind: str, fields: str, rev: int, props: str | None, *keys: Key
) -> tuple[Node, tuple[Key, ...]]:
    # A cursor holds booleans as numbers.
    return node(identifier, kind, fields, rev, props), tuple(int(key) if isinstance(key, bool) else key for key in keys)


def _start(keys: Sequence[SortKey], after: tuple[Keys, str] | None) -> Mapping[str, object]:
    """Return the values of the item after which the listing continues."""
    if after is None:
        return {"after": ""}
    values, identifier = after
    bound = {
        f"after{number}": _bound_key(key, value) for number, (key, value) in enumerate(zip(keys, values, strict=True))
    }
    return {**bound, "after": identifier}


def _stretches(keys: Sequence[SortKey], after: tuple[Keys, str] | None) -> Iterator[tuple[str, str]]:
    """Yield the condition and order of each range, from the start or after an item."""
    if not keys:
        yield "n.id > $v.after", "n.id"
        return
    first, rest = keys[0], keys[1:]
    later = ", ".join([*(f"{key.name} IS NULL, {key.direction}" for key in rest), "n.id"])
    # The order begins with the index's first properties, so that the planner recognises it.
    whole = f"n.ns, n.kind, {first.direction}, {later}"
    missing = f"{first.name} IS NULL AND "
    if after is None:
        yield f"{first.name} IS NOT NULL AND {_ANY_ID}", whole
        yield missing + _ANY_ID, later
        return
    tail = _after(rest, 1)
    if after[0][0] is None:
        yield missing + tail, later
        return
    yield f"{first.name} = $v.after0 AND {tail}", later
    yield f"{first.name} {first.beyond} $v.after0 AND {_ANY_ID}", whole
    yield missing + _ANY_ID, later


def _after(keys: Sequence[SortKey], number: int) -> str:
    """Return the condition that a node follows an item by these keys, the first being number `number`, and then by id."""
    if not keys:
        return "n.id > $v.after"
    name, value, rest = keys[0].name, f"$v.after{number}", _after(keys[1:], number + 1)
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
