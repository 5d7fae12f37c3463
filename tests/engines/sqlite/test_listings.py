"""A listing too broad for a short list is read along an index, with the same result as a full sort."""

import random
from collections.abc import Callable

import pytest

from backends.ports.adapter import Engine
from backends.ports.filters import And, Eq, Filter, Ge
from backends.ports.graph import Graph, GraphBatch, KindSpec, Node, Order
from backends.ports.ids import namespace
from backends.ports.values import Fields, FieldSpec, NodeId, Revision, Value

KIND = KindSpec(
    "thing",
    (
        *(FieldSpec(level, "str", sort=True) for level in ("area", "topic", "part")),
        FieldSpec("score", "float", sort=True),
        FieldSpec("made", "int", sort=True),
    ),
)


def things() -> list[Node]:
    rng = random.Random(8)
    found: list[Node] = []
    for number in range(2_400):
        fields: dict[str, Value] = {"area": rng.choice("ab"), "score": float(rng.randrange(50))}
        if rng.random() < 0.8:
            fields["made"] = rng.randrange(600)
        if rng.random() < 0.7:
            fields["topic"] = rng.choice("xy")
        found.append(Node(NodeId(f"n{number:05}"), "thing", fields, Revision(1)))
    return found


async def listed(graph: Graph, where: Filter, order: Order) -> list[str]:
    ids: list[str] = []
    after: str | None = None
    while True:
        page = await graph.find("thing", where, order=(order,), after=after, limit=250)
        ids.extend(node.id for node in page.items)
        after = page.after
        if after is None:
            return ids


def in_area_a(fields: Fields) -> bool:
    return fields.get("area") == "a"


def in_topic_x_with_a_score(fields: Fields) -> bool:
    return fields.get("topic") == "x" and float(str(fields["score"])) >= 5


@pytest.mark.parametrize("field", ["made", "score"])
@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize(
    ("where", "holds"),
    [
        (Eq("area", "a"), in_area_a),
        (And((Eq("topic", "x"), Ge("score", 5))), in_topic_x_with_a_score),
    ],
)
async def test_nodes_equal_in_one_field_are_ordered_by_another(
    engine: Engine, field: str, descending: bool, where: Filter, holds: Callable[[Fields], bool]
) -> None:
    graph = await engine.graph(namespace("listing"))
    await graph.ensure([KIND])
    nodes = things()
    await graph.apply(GraphBatch(nodes=tuple(nodes)))
    present = [node for node in nodes if holds(node.fields) and field in node.fields]
    missing = [node for node in nodes if holds(node.fields) and field not in node.fields]
    sign = -1 if descending else 1
    present.sort(key=lambda node: (sign * float(str(node.fields[field])), node.id))
    assert await listed(graph, where, Order(field, descending)) == [node.id for node in (*present, *missing)]
