"""Totals: nodes per combination of fields, edges per type."""

from collections.abc import Mapping, Sequence
from typing import Final

from backends.neo4j.connection import Connection, counted
from backends.neo4j.filters import Specs, select, value_property
from backends.neo4j.graph.rows import VISIBLE
from backends.ports.filters import Filter
from backends.ports.graph import Group
from backends.ports.values import Scalar
from backends.questions import check_groups, group_position

_GROUPS: Final = (
    "{nodes} WHERE n.ns = $v.ns AND n.kind = $v.kind AND n.id IS NOT NULL AND {where} RETURN count(*){columns}"
)
_EDGES: Final = (
    f"MATCH (a)-[e:ENTREPOT_EDGE]->(b) WHERE e.ns = $v.ns AND e.id IS NOT NULL AND {VISIBLE} RETURN e.type, count(*)"
)


def plan(by: Sequence[str], where: Filter | None, specs: Specs) -> tuple[str, Mapping[str, object]]:
    """Return the statement that counts, and its values. Raises `InvalidInput`."""
    columns = "".join(f", n.{value_property(spec)}" for spec in check_groups(by, specs))
    selected = select(where, specs)
    return _GROUPS.format(nodes=selected.nodes, where=selected.condition, columns=columns), selected.values


async def count_nodes(
    connection: Connection, ns: str, kind: str, planned: tuple[str, Mapping[str, object]]
) -> list[Group]:
    """Count live nodes per combination of fields."""
    query, values = planned
    return sorted(await connection.run(query, {**values, "ns": ns, "kind": kind}, _group), key=group_position)


async def count_edges(connection: Connection, ns: str) -> dict[str, int]:
    """Count visible edges per type, types by name."""
    rows = await connection.run(_EDGES, {"ns": ns}, counted)
    return dict(sorted(rows))


def _group(count: int, *key: Scalar | None) -> Group:
    return Group(key, count)
