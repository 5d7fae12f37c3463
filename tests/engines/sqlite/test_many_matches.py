"""A substring that too many nodes contain for a short list: the listing is that of a full sort."""

import random

import pytest

from backends.engines.sqlite.graph import listings
from backends.kit.filter_evaluation import matches
from backends.ports.adapter import Engine
from backends.ports.filters import And, Contains, Eq, Filter, Not
from backends.ports.graph import Graph, GraphBatch, KindSpec, Node, Order
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, NodeId, Revision, Value
from contracts.oracle import ordered

KIND = KindSpec(
    "thing",
    (
        FieldSpec("area", "str", sort=True),
        FieldSpec("name", "str", sort=True, text=True),
        FieldSpec("other", "str", sort=True),
        FieldSpec("made", "int", sort=True),
        FieldSpec("body", "str", text=True),
    ),
    totals=("area",),
)
WORDS = ("pear", "plum", "Pear tree", "no such", "x" * 400 + "y", "x" * 400 + "z")
WHERE: tuple[Filter, ...] = (
    Contains("name", "PEAR"),
    And((Contains("body", "pear"), Not(Contains("name", "pear")))),
    And((Eq("area", "a"), Contains("name", "plu"), Contains("body", "tree"))),
    And((Eq("area", "b"), Contains("body", "pear"))),
    Contains("body", "x" * 400 + "Y"),
    Not(Contains("body", "y" * 50_000)),
)
ORDERS: tuple[tuple[Order, ...], ...] = (
    (),
    (Order("name"),),
    (Order("name", descending=True), Order("made")),
    (Order("made", descending=True), Order("name")),
    (Order("other"), Order("made", descending=True)),
)


def _things(rng: random.Random) -> list[Node]:
    found: list[Node] = []
    for number in range(120):
        fields: dict[str, Value] = {"area": rng.choice("ab"), "body": rng.choice(WORDS)}
        fields["name"] = f"{rng.randrange(20):02} {rng.choice(WORDS)}"
        fields["made"] = rng.randrange(30)
        fields["other"] = "zyx"[number // 40]
        kept = {name: value for name, value in fields.items() if rng.random() < 0.8}
        found.append(Node(NodeId(f"n{number:03}"), "thing", kept, Revision(1)))
    return found


async def _listed(graph: Graph, where: Filter, order: tuple[Order, ...], limit: int) -> list[str]:
    ids: list[str] = []
    after: str | None = None
    while True:
        page = await graph.find("thing", where, order=order, after=after, limit=limit)
        ids.extend(node.id for node in page.items)
        after = page.after
        if after is None:
            return ids


@pytest.mark.parametrize("walked", [1, 10, 60, 4_096])
async def test_a_listing_by_substring_is_that_of_a_full_sort(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, walked: int
) -> None:
    monkeypatch.setattr(listings, "NARROW", 4)
    monkeypatch.setattr(listings, "WALKED", walked)
    nodes = _things(random.Random(3))
    graph = await engine.graph(namespace("many"))
    await graph.ensure([KIND])
    await graph.apply(GraphBatch(tuple(nodes)))
    for where in WHERE:
        matching = [node for node in nodes if matches(where, node.fields)]
        assert matching
        [group] = await graph.count_nodes("thing", where=where)
        assert group.count == len(matching)
        for order in ORDERS:
            expected = [node.id for node in ordered(matching, order)]
            for limit in (7, 1_000):
                assert await _listed(graph, where, order, limit) == expected, (where, order)
