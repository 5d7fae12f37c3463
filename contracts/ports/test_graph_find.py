"""Nodes are found in order and counted, in pages whose cursors survive changes."""

import pytest

from backends.ports.errors import InvalidInput
from backends.ports.filters import And, Eq, Exists, Filter, Ge, Not
from backends.ports.graph import Graph, GraphBatch, KindSpec, ListingSpec, Node, Order
from backends.ports.values import NodeId, Revision, Value
from contracts.corpus import seeded
from contracts.oracle import ordered
from contracts.ports.graph_records import KIND, THING, edge, fill, ids, node, remove_node
from contracts.promises import promise

WORDS = (
    "a",
    "A",
    "b",
    "B",
    "ä",
    "a\u0308",
    "z",
    "Z",
    "",
    " ",
    "é",
    "日本",
    "😀",
    "\uffff",
    "aa",
    "a\x01",
    "'",
    "ß",
    "10",
    "9",
)


def _mixed(count: int, seed: int) -> list[Node]:
    """Return nodes with some fields missing, and many ties."""
    rng = seeded(seed)
    nodes: list[Node] = []
    for number in range(count):
        fields: dict[str, Value] = {}
        if rng.random() < 0.8:
            fields["name"] = rng.choice(WORDS)
        if rng.random() < 0.8:
            fields["rank"] = rng.choice([-(2**53) + 1, -1, 0, 1, 2, 10, 2**53 - 1])
        if rng.random() < 0.7:
            fields["score"] = rng.choice([-0.5, 0, 0.25, 1.5, 1e300])
        if rng.random() < 0.7:
            fields["flag"] = rng.random() < 0.5
        nodes.append(node(f"n{rng.randrange(10**6)}-{number}", fields))
    return nodes


async def _all_pages(graph: Graph, order: list[Order], limit: int, where: Filter | None = None) -> list[NodeId]:
    found: list[NodeId] = []
    after: str | None = None
    while True:
        page = await graph.find(KIND, where, order=order, after=after, limit=limit)
        found += [item.id for item in page.items]
        after = page.after
        if after is None:
            return found
        assert len(page.items) == limit


@promise("graph:find:order", "graph:find:missing-last", "graph:find:pages")
@pytest.mark.parametrize(
    "order",
    [
        [],
        [Order("name")],
        [Order("name", descending=True)],
        [Order("rank"), Order("name", descending=True)],
        [Order("flag"), Order("score", descending=True), Order("rank")],
        [Order("flag", descending=True), Order("name"), Order("rank", descending=True), Order("score")],
    ],
)
async def test_nodes_come_by_up_to_four_keys_and_then_by_id(graph: Graph, order: list[Order]) -> None:
    """Texts go by code point, false precedes true, and nodes without the field come last in either direction."""
    nodes = _mixed(150, seed=len(order))
    await fill(graph, *nodes)
    expected = [item.id for item in ordered(nodes, order)]
    assert await _all_pages(graph, order, 1_000) == expected
    assert await _all_pages(graph, order, 7) == expected
    filtered = [item.id for item in ordered(nodes, order) if "rank" in item.fields]
    assert await _all_pages(graph, order, 10, Exists("rank")) == filtered


@promise("graph:find:pages")
async def test_a_listing_ends_without_a_cursor(graph: Graph) -> None:
    """This also holds when the last page is exactly full, and when nothing is found."""
    await graph.ensure([THING])
    assert await graph.find(KIND) == await graph.find(KIND, Eq("rank", 1), order=[Order("rank")])
    await fill(graph, *(node(f"n{number}") for number in range(6)))
    first = await graph.find(KIND, limit=3)
    assert first.after is not None
    second = await graph.find(KIND, limit=3, after=first.after)
    assert [item.id for item in (*first.items, *second.items)] == [f"n{number}" for number in range(6)]
    last = second if second.after is None else await graph.find(KIND, limit=3, after=second.after)
    assert last.after is None


@promise("graph:find:default-limit")
async def test_a_page_has_one_hundred_nodes_unless_said_otherwise(graph: Graph) -> None:
    """The default limit is part of the port."""
    await fill(graph, *(node(f"n{number:03}") for number in range(101)))
    assert len((await graph.find(KIND)).items) == 100


@promise("graph:find:cursor-survives")
async def test_a_listing_goes_on_where_it_stopped_although_records_come_and_go(graph: Graph) -> None:
    """The cursor stays valid when its node is deleted or has moved."""
    await fill(graph, *(node(f"n{number}", rank=number // 3) for number in range(12)))
    order = [Order("rank", descending=True)]
    page = await graph.find(KIND, order=order, limit=5)
    assert [item.id for item in page.items] == ["n10", "n11", "n9", "n6", "n7"]
    await remove_node(graph, "n7", 2)
    await graph.apply(GraphBatch((node("n6", rev=2, rank=0), node("n80", rank=2), node("early", rank=9))))
    rest = await graph.find(KIND, order=order, after=page.after)
    assert [item.id for item in rest.items] == ["n8", "n80", "n3", "n4", "n5", "n0", "n1", "n2", "n6"]


@promise("graph:find:cursor-survives")
async def test_a_cursor_works_among_nodes_that_lack_the_key(graph: Graph) -> None:
    """Missing values have a place in the order like any other value."""
    await fill(graph, *(node(f"n{number}", {} if number > 1 else {"rank": number}) for number in range(8)))
    for descending in (False, True):
        assert await _all_pages(graph, [Order("rank", descending=descending)], 3) == (
            ["n1", "n0"] if descending else ["n0", "n1"]
        ) + [f"n{number}" for number in range(2, 8)]


@promise("graph:find:cursor-bad")
@pytest.mark.parametrize("cursor", ["", "nonsense", "[]", "e30=", "'; DROP TABLE nodes; --", "\x00", "ÿ"])
async def test_an_invalid_cursor_is_refused(graph: Graph, cursor: str) -> None:
    """Cursors may come back from untrusted callers."""
    await fill(graph, node("n", rank=1))
    with pytest.raises(InvalidInput):
        await graph.find(KIND, order=[Order("rank")], after=cursor)


@promise("graph:find:limits")
@pytest.mark.parametrize("limit", [0, -1, 1_001])
async def test_a_page_has_one_to_a_thousand_nodes(graph: Graph, limit: int) -> None:
    """A limit out of range is refused, not clamped."""
    await graph.ensure([THING])
    with pytest.raises(InvalidInput):
        await graph.find(KIND, limit=limit)
    with pytest.raises(InvalidInput):
        await graph.scan_edges(limit=limit)


@promise("graph:find:limits")
@pytest.mark.parametrize(
    "names", [["rank", "score", "flag", "name", "rank"], ["unknown"], ["tags"], ["colour"], ["id; --"]]
)
async def test_only_up_to_four_sort_fields_can_be_ordered_by(graph: Graph, names: list[str]) -> None:
    """A field must be declared, with the flag for this use."""
    await fill(graph, node("n"))
    with pytest.raises(InvalidInput):
        await graph.find(KIND, order=[Order(name) for name in names])


@promise("graph:find:kind")
async def test_kinds_are_kept_apart(graph: Graph) -> None:
    """A node is found only under its own kind."""
    await fill(graph, node("a", rank=1))
    await graph.ensure([KindSpec("other", THING.fields)])
    await graph.apply(GraphBatch((node("b", kind="other", rank=1),)))
    assert [item.id for item in (await graph.find(KIND, Eq("rank", 1))).items] == ["a"]
    assert [item.id for item in (await graph.find("other", Eq("rank", 1))).items] == ["b"]
    assert [group.count for group in await graph.count_nodes("other")] == [1]


@promise("graph:count:groups")
async def test_nodes_are_counted_per_combination_of_fields(graph: Graph) -> None:
    """Groups come by key, those without a field last."""
    values: list[dict[str, Value]] = [
        {"name": "b", "flag": True},
        {"name": "b", "flag": False},
        {"name": "B", "flag": True, "rank": 1},
        {"name": "b", "flag": True},
        {"flag": False},
        {"name": "a"},
        {},
    ]
    await fill(graph, *(node(f"n{number}", fields) for number, fields in enumerate(values)))
    by_two = await graph.count_nodes(KIND, by=["name", "flag"])
    assert [(group.key, group.count) for group in by_two] == [
        (("B", True), 1),
        (("a", None), 1),
        (("b", False), 1),
        (("b", True), 2),
        ((None, False), 1),
        ((None, None), 1),
    ]
    assert all(flag is None or isinstance(flag, bool) for flag in (group.key[1] for group in by_two))
    by_three = await graph.count_nodes(KIND, by=["rank", "name", "flag"], where=Not(Exists("rank")))
    assert [group.key for group in by_three] == [(None, *group.key) for group in by_two[1:]]


@promise("graph:count:nodes")
async def test_without_fields_to_group_by_there_is_one_count(graph: Graph) -> None:
    """The count is of matching nodes, 0 included."""
    await fill(graph, *(node(f"n{number}", rank=number) for number in range(5)))
    for where, expected in ((None, 5), (Ge("rank", 3), 2), (And((Ge("rank", 1), Eq("rank", 0))), 0)):
        [group] = await graph.count_nodes(KIND, where=where)
        assert (group.key, group.count) == ((), expected)


@promise("graph:count:limits")
@pytest.mark.parametrize("by", [["name", "rank", "score", "flag"], ["unknown"], ["tags"]])
async def test_only_up_to_three_fields_with_one_value_can_be_grouped_by(graph: Graph, by: list[str]) -> None:
    """A list cannot be a key."""
    await fill(graph, node("n"))
    with pytest.raises(InvalidInput):
        await graph.count_nodes(KIND, by=by)


@promise("graph:count:edges")
async def test_edges_are_counted_by_type(graph: Graph) -> None:
    """Types without a visible edge are left out."""
    await fill(
        graph,
        *(node(name) for name in "abc"),
        edge("a", "b"),
        edge("b", "c"),
        edge("a", "a", kind="likes"),
        edge("c", "a", kind="hates"),
    )
    await graph.apply(GraphBatch(deleted_edges={edge("c", "a", kind="hates").id: Revision(2)}))
    assert await graph.count_edges() == {"knows": 2, "likes": 1}


@promise("graph:scan:edges")
async def test_all_edges_are_listed_by_id(graph: Graph) -> None:
    """The scan comes in pages, and is complete although edges are added and deleted."""
    await fill(graph, *(node(name) for name in "abcd"), *(edge(one, two) for one in "abcd" for two in "abcd"))
    expected = sorted(edge(one, two).id for one in "abcd" for two in "abcd")
    first = await graph.scan_edges(limit=6)
    assert [item.id for item in first.items] == expected[:6]
    await graph.apply(GraphBatch(deleted_edges={expected[5]: Revision(2)}))
    second = await graph.scan_edges(after=first.after, limit=1_000)
    assert [item.id for item in second.items] == expected[6:]
    assert second.after is None
    assert set(await graph.get_nodes(ids(*"abcd"))) == set("abcd")


LISTED = ListingSpec((Order("score", descending=True), Order("rank", descending=True), Order("name")), ("flag",))


async def _declared(graph: Graph, *listings: ListingSpec) -> None:
    await graph.ensure([KindSpec(KIND, THING.fields, listings=listings)])


@promise("graph:find:declared-listing")
async def test_a_declared_listing_is_the_same_as_an_undeclared_one(graph: Graph) -> None:
    """This holds from the first page to the last, whether the listing was declared early, late, changed or removed."""
    nodes = _mixed(120, seed=11)
    await _declared(graph, LISTED)
    await graph.apply(GraphBatch(tuple(nodes[:60])))
    await _declared(graph)
    await graph.apply(GraphBatch(tuple(nodes[60:])))
    orders = (list(LISTED.order), [*LISTED.order[:2], Order("name", descending=True)], [Order("rank"), Order("score")])
    for listings in ((LISTED,), (ListingSpec(tuple(orders[2])), LISTED), ()):
        await _declared(graph, *listings)
        for order in orders:
            for where, held in (
                (None, nodes),
                (Eq("flag", value=True), [each for each in nodes if each.fields.get("flag") is True]),
                (
                    And((Ge("rank", 0), Eq("flag", value=False))),
                    [
                        each
                        for each in nodes
                        if each.fields.get("flag") is False and int(str(each.fields.get("rank", -1))) >= 0
                    ],
                ),
            ):
                expected = [item.id for item in ordered(held, order)]
                for limit in (7, 1_000):
                    assert await _all_pages(graph, order, limit, where) == expected


@promise("graph:find:declared-listing")
async def test_a_declared_listing_follows_what_changes(graph: Graph) -> None:
    """Nodes move within a listing, leave it and return; other kinds and a dropped graph leave nothing in it."""
    await _declared(graph, LISTED)
    await graph.ensure([KindSpec("other", THING.fields, listings=(LISTED,))])
    where, order = Eq("flag", value=True), list(LISTED.order)
    await graph.apply(
        GraphBatch(
            (*(node(f"n{number}", flag=True, score=number) for number in range(5)), node("x", kind="other", flag=True))
        )
    )
    await remove_node(graph, "n2", 2)
    await graph.apply(
        GraphBatch(
            (node("n1", rev=2, flag=True, score=9), node("n3", rev=2, flag=False), node("n4", rev=2, kind="other"))
        )
    )
    assert await _all_pages(graph, order, 2, where) == ["n1", "n0"]
    await graph.apply(GraphBatch((node("n2", rev=3, flag=True), node("n4", rev=3, flag=True, rank=1))))
    assert await _all_pages(graph, order, 2, where) == ["n1", "n0", "n4", "n2"]
    await graph.drop()
    await _declared(graph, LISTED)
    await graph.apply(GraphBatch((node("n0", flag=True),)))
    assert await _all_pages(graph, order, 2, where) == ["n0"]


@promise("graph:ensure:limits")
@pytest.mark.parametrize(
    "listings",
    [
        (ListingSpec(()),),
        (ListingSpec((Order("colour"),)),),
        (ListingSpec((Order("unknown"),)),),
        (ListingSpec((Order("rank"),), ("tags",)),),
        (ListingSpec((Order("rank"),), ("rank",)),),
        (ListingSpec((Order("rank"),), ("name", "score", "flag")),),
        (ListingSpec((Order("rank"), Order("rank", descending=True))),),
        (ListingSpec((Order("rank"),)),) * 5,
    ],
    ids=["empty", "unsorted", "unknown", "list", "twice", "three", "double", "five"],
)
async def test_a_declared_listing_has_limits(graph: Graph, listings: tuple[ListingSpec, ...]) -> None:
    """The declaration is refused as a whole, like any other invalid one."""
    with pytest.raises(InvalidInput):
        await _declared(graph, *listings)
