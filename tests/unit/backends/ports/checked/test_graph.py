"""The graph's arguments are validated before the engine sees them."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import cast

import pytest

from backends.ports.adapter import Engine
from backends.ports.errors import InvalidInput
from backends.ports.filters import And, Eq, Filter, Ge, In, InIgnoringCase, Lt, Not
from backends.ports.graph import Direction, Edge, Graph, GraphBatch, KindSpec, ListingSpec, Node, Order
from backends.ports.ids import namespace
from backends.ports.values import EdgeId, FieldSpec, NodeId, Revision

FIELDS = tuple(FieldSpec(name, "int", sort=True) for name in ("a", "b", "c", "d", "e"))
KIND = KindSpec("thing", FIELDS)
GOOD = NodeId("n")
BAD_IDS = ("", "a\nb", "nul\x00", "\ud800", "x" * 2_001)
SIDEWAYS = cast("Direction", "sideways")


def node(name: str = "n", *, rev: int = 1, kind: str = "thing") -> Node:
    return Node(NodeId(name), kind, {}, Revision(rev))


def edge(name: str = "e", *, end: str = "n", kind: str = "knows", rev: int = 1, confidence: float = 1.0) -> Edge:
    return Edge(EdgeId(name), GOOD, NodeId(end), kind, Revision(rev), confidence)


def deep() -> Filter:
    where: Filter = Eq("a", 1)
    for _ in range(16):
        where = Not(where)
    return where


BATCHES: Mapping[str, GraphBatch] = {
    **{f"node id {bad[:9]!r}": GraphBatch((node(bad),)) for bad in BAD_IDS},
    **{f"edge id {bad[:9]!r}": GraphBatch((node(),), (edge(bad),)) for bad in BAD_IDS},
    **{f"end {bad[:9]!r}": GraphBatch((node(),), (edge(end=bad),)) for bad in BAD_IDS},
    "kind": GraphBatch((node(kind="A thing"),)),
    "edge type": GraphBatch((node(),), (edge(kind="knows'"),)),
    "revision 0": GraphBatch((node(rev=0),)),
    "revision of an edge": GraphBatch((node(),), (edge(rev=2**53),)),
    "confidence": GraphBatch((node(),), (edge(confidence=1.01),)),
    "confidence NaN": GraphBatch((node(),), (edge(confidence=float("nan")),)),
    "deleted id": GraphBatch(deleted_nodes={NodeId(""): Revision(1)}),
    "deleted revision": GraphBatch(deleted_edges={EdgeId("e"): Revision(0)}),
}
FILTERS: Mapping[str, Filter] = {
    "too deep": deep(),
    "too large": And(tuple(Eq("a", number) for number in range(200))),
    "name": Eq("a'", 1),
    "set": In("a", tuple(range(1_001))),
    "set of names": InIgnoringCase("a", tuple(map(str, range(1_001)))),
    "name with NUL": InIgnoringCase("a", ("b", "\x00")),
    "bound": Lt("a", float("inf")),
    "bound NaN": Lt("a", float("nan")),
    "huge bound": Lt("a", 10**400),
    "bound that has no text": Ge("a", -(10**5_000)),
    "number": Eq("a", 2**53),
    "text": Eq("a", "\x00"),
}
CALLS: Mapping[str, Callable[[Graph], Awaitable[object]]] = {
    "kind's name": lambda graph: graph.ensure([KindSpec("a b", ())]),
    "too many fields": lambda graph: graph.ensure([KindSpec("k", tuple(FieldSpec(f"f{n}", "int") for n in range(17)))]),
    "total of no field": lambda graph: graph.ensure([KindSpec("k", FIELDS, ("unknown",))]),
    "total of a list": lambda graph: graph.ensure([KindSpec("k", (FieldSpec("tags", "strs"),), ("tags",))]),
    "four totals": lambda graph: graph.ensure([KindSpec("k", FIELDS, ("a", "b", "c", "d"))]),
    "double total": lambda graph: graph.ensure([KindSpec("k", FIELDS, ("a", "a"))]),
    "five listings": lambda graph: graph.ensure([KindSpec("k", FIELDS, listings=(ListingSpec((Order("a"),)),) * 5)]),
    "empty listing": lambda graph: graph.ensure([KindSpec("k", FIELDS, listings=(ListingSpec(()),))]),
    "listing by no field": lambda graph: graph.ensure([KindSpec("k", FIELDS, listings=(ListingSpec((Order("x"),)),))]),
    "double listing": lambda graph: graph.ensure(
        [KindSpec("k", FIELDS, listings=(ListingSpec((Order("a"),), ("a",)),))]
    ),
    "find kind": lambda graph: graph.find("A"),
    "find limit 0": lambda graph: graph.find("thing", limit=0),
    "find limit 1001": lambda graph: graph.find("thing", limit=1_001),
    "five keys": lambda graph: graph.find("thing", order=[Order(field.name) for field in FIELDS]),
    "double key": lambda graph: graph.find("thing", order=[Order("a"), Order("a", descending=True)]),
    "scan limit": lambda graph: graph.scan_edges(limit=1_001),
    "257 starts": lambda graph: graph.expand([NodeId(f"n{number}") for number in range(257)]),
    "expand limit": lambda graph: graph.expand([GOOD], limit_per_node=10_001),
    "direction": lambda graph: graph.expand([GOOD], direction=SIDEWAYS),
    "types": lambda graph: graph.expand([GOOD], types=["a b"]),
    "least confidence": lambda graph: graph.expand([GOOD], min_confidence=-0.1),
    "walk depth 0": lambda graph: graph.walk(GOOD, max_depth=0),
    "walk depth 11": lambda graph: graph.walk(GOOD, max_depth=11),
    "walk limit": lambda graph: graph.walk(GOOD, max_depth=1, limit=0),
    "walk direction": lambda graph: graph.walk(GOOD, max_depth=1, direction=SIDEWAYS),
    "path hops": lambda graph: graph.shortest_path(GOOD, GOOD, max_hops=11),
    "path types": lambda graph: graph.shortest_path(GOOD, GOOD, types=["A"]),
    "path target": lambda graph: graph.shortest_path(GOOD, NodeId("")),
    "count kind": lambda graph: graph.count_nodes(""),
    "four groups": lambda graph: graph.count_nodes("thing", by=("a", "b", "c", "d")),
    "double group": lambda graph: graph.count_nodes("thing", by=("a", "a")),
    "note": lambda graph: graph.set_meta("key", "\x00"),
}


@pytest.fixture
async def graph(engine: Engine) -> Graph:
    opened = await engine.graph(namespace("n"))
    await opened.ensure([KIND])
    return opened


@pytest.mark.parametrize("name", BATCHES)
async def test_a_batch_that_breaks_a_rule_is_refused_whole(graph: Graph, name: str) -> None:
    with pytest.raises(InvalidInput):
        await graph.apply(BATCHES[name])
    assert (await graph.find("thing")).items == ()


@pytest.mark.parametrize("name", FILTERS)
async def test_a_filter_is_checked_without_its_declaration(graph: Graph, name: str) -> None:
    """An unknown kind is reported second: the filter never reaches the engine."""
    for kind in ("thing", "unknown"):
        with pytest.raises(InvalidInput, match=r"filter|bound|range|field name|a value for"):
            await graph.find(kind, FILTERS[name])
        with pytest.raises(InvalidInput, match=r"filter|bound|range|field name|a value for"):
            await graph.count_nodes(kind, where=FILTERS[name])


async def test_a_revision_that_is_too_high_is_refused_with_the_whole_rule(graph: Graph) -> None:
    for rev in (0, 2**60):
        with pytest.raises(InvalidInput, match=f"a revision must be 1 to 9007199254740991: {rev}"):
            await graph.apply(GraphBatch((node(rev=rev),)))


@pytest.mark.parametrize("name", CALLS)
async def test_a_call_that_breaks_a_rule_is_refused(graph: Graph, name: str) -> None:
    with pytest.raises(InvalidInput):
        await CALLS[name](graph)


@pytest.mark.parametrize("bad", BAD_IDS, ids=lambda text: repr(text[:9]))
async def test_an_invalid_id_is_refused_wherever_one_is_taken(graph: Graph, bad: str) -> None:
    nodes: Collection[NodeId] = [GOOD, NodeId(bad)]
    edges: Collection[EdgeId] = [EdgeId(bad)]
    for call in (
        lambda: graph.get_nodes(nodes),
        lambda: graph.get_edges(edges),
        lambda: graph.node_revisions(nodes),
        lambda: graph.edge_revisions(edges),
        lambda: graph.expand(nodes),
        lambda: graph.walk(NodeId(bad), max_depth=1),
        lambda: graph.shortest_path(NodeId(bad), GOOD),
        lambda: graph.get_meta(bad),
        lambda: graph.set_meta(bad, "value"),
    ):
        with pytest.raises(InvalidInput):
            await call()
