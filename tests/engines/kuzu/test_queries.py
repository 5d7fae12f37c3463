"""Listings continue after any node, and counts have the types of the fields."""

import itertools

import pytest

from backends.engines.kuzu.kinds import Declared
from backends.engines.kuzu.queries import listing, node_count
from backends.kit.queries import FindQuery
from backends.ports.errors import InvalidInput
from backends.ports.graph import Graph, Order
from backends.ports.values import MAX_INTEGER
from contracts.oracle import ordered
from contracts.ports.graph_records import KIND, THING, edge, fill, node, remove_node
from tests.engines.kuzu.files import SPACE

DECLARED = Declared({spec.name: spec for spec in THING.fields})
NODES = [
    node(
        f"n{number}", {name: value for name, value in zip(("name", "rank", "flag"), fields, strict=True) if value != ""}
    )
    for number, fields in enumerate(itertools.product(("a", "B", ""), (0, MAX_INTEGER, -1, ""), (True, "")))
]


@pytest.mark.parametrize(
    "order",
    [
        (),
        (Order("rank"),),
        (Order("flag", descending=True), Order("name")),
        (Order("name"), Order("rank", descending=True)),
    ],
)
async def test_a_listing_continues_after_any_node(graph: Graph, order: tuple[Order, ...]) -> None:
    await fill(graph, *NODES)
    expected = [found.id for found in ordered(NODES, order)]
    after: str | None = None
    for start in range(0, len(expected), 5):
        page = await graph.find(KIND, order=order, after=after, limit=5)
        assert [found.id for found in page.items] == expected[start : start + 5]
        after = page.after
    assert after is None


@pytest.mark.parametrize("query", [{"order": (Order("colour"),)}, {"after": "no cursor"}, {"order": (Order("none"),)}])
def test_an_order_or_a_cursor_that_does_not_fit_is_refused(query: dict[str, object]) -> None:
    asked = {"namespace": SPACE, "kind": KIND, "where": None, "order": (), "after": None, "limit": 5, **query}
    with pytest.raises(InvalidInput):
        listing(FindQuery(**asked), DECLARED)  # pyright: ignore[reportArgumentType]  # as the caller gives it


async def test_groups_have_the_types_of_their_fields(graph: Graph) -> None:
    """The columns hold floats."""
    await fill(graph, node("a", rank=1, flag=True, score=1.0), node("b", rank=1, flag=True, score=1.0), node("c"))
    groups = await graph.count_nodes(KIND, by=("rank", "flag", "score"))
    assert {group.key: group.count for group in groups} == {(1, True, 1.0): 2, (None, None, None): 1}
    found = next(group.key for group in groups if group.count == 2)
    assert [type(value) for value in found] == [int, bool, float]
    with pytest.raises(InvalidInput):
        node_count(SPACE, KIND, DECLARED, ("tags",), None)


async def test_edges_of_deleted_nodes_are_not_counted(graph: Graph) -> None:
    await fill(graph, *map(node, "abc"), edge("a", "b"), edge("b", "c", kind="likes"), edge("a", "c", kind="likes"))
    assert await graph.count_edges() == {"knows": 1, "likes": 2}
    await remove_node(graph, "b", 2)
    assert await graph.count_edges() == {"likes": 1}
