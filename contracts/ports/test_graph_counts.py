"""Counts are right after any history, although an engine may keep them separately from the records."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from backends.kit.filter_evaluation import matches
from backends.ports.adapter import Engine
from backends.ports.errors import InvalidInput, NotFound
from backends.ports.filters import And, Contains, Filter, Not, Or
from backends.ports.graph import Edge, Graph, GraphBatch, KindSpec, Node
from backends.ports.values import EdgeId, FieldSpec, NodeId, Revision, Scalar
from contracts.corpus import seeded
from contracts.fixtures import fresh_namespace
from contracts.ports.graph_records import edge, edge_id, node
from contracts.promises import promise

FIELDS = (
    FieldSpec("area", "str", sort=True),
    FieldSpec("name", "str", sort=True, text=True),
    FieldSpec("flag", "bool"),
    FieldSpec("score", "float"),
)
TOTALS: Sequence[tuple[str, ...]] = (("area",), ("area", "flag"), ("score", "flag", "area"), ("name",), ())
ASKED: Sequence[tuple[str, ...]] = ((), ("area",), ("flag", "area"), ("score",), ("area", "flag", "score"))
SOUGHT: Sequence[Filter] = (
    Contains("name", "LUM"),
    Not(Contains("name", "nowhere")),
    And((Or((Contains("name", "pe"), Contains("name", ""))), Not(Contains("name", "plum")))),
)
KINDS = ("page", "plain")
NODES = tuple(f"n{number}" for number in range(12))


@dataclass(slots=True)
class History:
    """The applied history: the highest revision of each id and its record, None for a deletion."""

    nodes: dict[NodeId, tuple[int, Node | None]] = field(default_factory=dict[NodeId, tuple[int, Node | None]])
    edges: dict[EdgeId, tuple[int, Edge | None]] = field(default_factory=dict[EdgeId, tuple[int, Edge | None]])

    def note(self, batch: GraphBatch) -> None:
        """Apply a batch; of equal revisions the first wins, and within a batch a record wins over a deletion."""
        for item in batch.nodes:
            if self.nodes.get(item.id, (0, None))[0] < item.rev:
                self.nodes[item.id] = item.rev, item
        for link in batch.edges:
            if self.edges.get(link.id, (0, None))[0] < link.rev:
                self.edges[link.id] = link.rev, link
        for key, rev in batch.deleted_nodes.items():
            if self.nodes.get(key, (0, None))[0] < rev:
                self.nodes[key] = rev, None
        for end, rev in batch.deleted_edges.items():
            if self.edges.get(end, (0, None))[0] < rev:
                self.edges[end] = rev, None

    def live(self, kind: str) -> list[Node]:
        """Return the live nodes of a kind."""
        return [item for _, item in self.nodes.values() if item is not None and item.kind == kind]

    def edge_counts(self) -> Counter[str]:
        """Return the visible edges by type."""
        there = {key for key, (_, item) in self.nodes.items() if item is not None}
        links = (link for _, link in self.edges.values() if link is not None)
        return Counter(link.type for link in links if link.source in there and link.target in there)


def _random_node(rng: random.Random) -> Node:
    fields: dict[str, Scalar] = {
        "area": rng.choice("ab"),
        "flag": rng.random() < 0.5,
        "name": rng.choice(("pear", "Plum")),
    }
    fields["score"] = rng.choice((0, 0.5, 1, 1e300))
    kept = {name: value for name, value in fields.items() if rng.random() < 0.7}
    return node(rng.choice(NODES), kept, rev=rng.randrange(1, 40), kind=rng.choice(KINDS))


def _random_batch(rng: random.Random) -> GraphBatch:
    nodes = tuple(_random_node(rng) for _ in range(rng.randrange(4)))
    ends = [tuple(rng.choice(NODES) for _ in range(2)) for _ in range(rng.randrange(4))]
    edges = tuple(
        Edge(edge_id(*pair), NodeId(pair[0]), NodeId(pair[1]), rng.choice(("knows", "likes")), Revision(rev))
        for pair in ends
        if (rev := rng.randrange(1, 40))
    )
    gone = {NodeId(rng.choice(NODES)): Revision(rng.randrange(1, 40)) for _ in range(rng.randrange(2))}
    cut = {
        edge_id(rng.choice(NODES), rng.choice(NODES)): Revision(rng.randrange(1, 40)) for _ in range(rng.randrange(3))
    }
    return GraphBatch(nodes, edges, gone, cut)


async def _agree(graph: Graph, history: History) -> None:
    """Check every count against the history."""
    assert await graph.count_edges() == history.edge_counts()
    for kind in KINDS:
        nodes = history.live(kind)
        for by in ASKED:
            groups = await graph.count_nodes(kind, by=by)
            counted = Counter(tuple(item.fields.get(name) for name in by) for item in nodes)
            assert {group.key: group.count for group in groups} == (counted if by else {(): len(nodes)}), by
            assert len(groups) == len({group.key for group in groups})
        for where in SOUGHT:
            page = await graph.find(kind, where, limit=100)
            assert [item.id for item in page.items] == sorted(item.id for item in nodes if matches(where, item.fields))
            [group] = await graph.count_nodes(kind, where=where)
            assert group.count == len(page.items)


@promise("graph:count:kept", "graph:search:current", "graph:revisions:any-order")
@pytest.mark.parametrize("seed", range(3))
async def test_counts_are_right_after_any_history(graph: Graph, seed: int) -> None:
    """Records arrive late, change kind, are deleted, revived and refused, while the declared totals change."""
    rng, history = seeded(400 + seed), History()
    await graph.ensure([KindSpec(kind, FIELDS, TOTALS[seed]) for kind in KINDS])
    start = GraphBatch(tuple(node(name, area="a", kind=KINDS[0], rev=1) for name in NODES))
    await graph.apply(start)
    history.note(start)
    for number in range(80):
        batch = _random_batch(rng)
        await graph.apply(batch)
        history.note(batch)
        if number % 10 == 3:
            refused = GraphBatch((*batch.nodes, node("n0", rev=99)), (edge("n0", "nowhere", rev=99),), {}, {})
            with pytest.raises((NotFound, InvalidInput)):
                await graph.apply(refused)
        if number % 20 == 7:
            await graph.ensure([KindSpec(rng.choice(KINDS), FIELDS, rng.choice(TOTALS))])
        if number % 5 == 0:
            await _agree(graph, history)
    await _agree(graph, history)


@promise("graph:count:kept")
async def test_kinds_that_gain_fields_are_counted_by_those(graph: Graph) -> None:
    """Nodes that were stored before lack the new fields."""
    await graph.ensure([KindSpec("page", FIELDS[1:2], ("name",))])
    await graph.apply(GraphBatch((node("n1", name="x", kind="page"), node("n2", name="x", kind="page"))))
    await graph.ensure([KindSpec("page", FIELDS, ("area", "name"))])
    await graph.apply(GraphBatch((node("n2", name="x", area="a", kind="page", rev=2),)))
    groups = await graph.count_nodes("page", by=("name", "area"))
    assert [(group.key, group.count) for group in groups] == [(("x", "a"), 1), (("x", None), 1)]
    assert [(group.key, group.count) for group in await graph.count_nodes("page", by=("name",))] == [(("x",), 2)]


@promise("graph:count:kept", "graph:drop:everything")
@pytest.mark.needs("graph")
async def test_a_dropped_graph_counts_from_nothing(engine_under_test: Engine) -> None:
    """Nothing of the dropped namespace is counted, and other namespaces lose nothing."""
    names = [fresh_namespace(), fresh_namespace()]
    graph, other = [await engine_under_test.graph(name) for name in names]
    batch = GraphBatch((node("n1", area="a", kind="page"), node("n2", area="a", kind="page")), (edge("n1", "n2"),))
    for store in (graph, other):
        await store.ensure([KindSpec("page", FIELDS, ("area",))])
        await store.apply(batch)
    await graph.drop()
    await graph.ensure([KindSpec("page", FIELDS, ("area",))])
    assert await graph.count_nodes("page", by=("area",)) == []
    assert await graph.count_edges() == {}
    await graph.apply(batch)
    for store in (graph, other):
        assert [(it.key, it.count) for it in await store.count_nodes("page", by=("area",))] == [(("a",), 2)]
        assert await store.count_edges() == {"knows": 1}
        await store.drop()
