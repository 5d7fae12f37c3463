"""Neighbourhoods and paths agree with a plain oracle on random graphs, and with small hand-made graphs."""

from itertools import pairwise

import pytest

from backends.ports.errors import InvalidInput
from backends.ports.graph import Direction, Edge, Graph, GraphBatch, GraphPath
from backends.ports.values import EdgeId, NodeId, Revision
from contracts.corpus import seeded
from contracts.oracle import GraphOracle
from contracts.ports.graph_records import edge, fill, ids, node
from contracts.promises import promise

TYPES = ("knows", "likes", "owns")
DIRECTIONS: tuple[Direction, ...] = ("out", "in", "both")


async def _random_graph(graph: Graph, seed: int, size: int = 24, density: float = 1.6) -> GraphOracle:
    """Store a random graph with loops, parallel edges, deleted nodes and deleted edges; return its oracle."""
    rng = seeded(seed)
    names = ids(*(f"n{number:02}" for number in range(size)))
    edges: list[Edge] = []
    for number in range(int(size * density)):
        source, target = rng.choice(names), rng.choice(names)
        confidence = rng.choice([1.0, 1.0, 0.5, 0.25, 0.0])  # powers of two: products are exact in any order
        ident = EdgeId(f"e{rng.randrange(10**6):06}-{number}")
        edges.append(Edge(ident, source, target, rng.choice(TYPES), Revision(1), confidence))
    dead = set(rng.sample(names, size // 10))
    cut = {item.id for item in rng.sample(edges, len(edges) // 10)}
    await fill(graph, *(node(name) for name in names), *edges)
    await graph.apply(
        GraphBatch(
            deleted_nodes=dict.fromkeys(dead, Revision(2)),
            deleted_edges=dict.fromkeys(cut, Revision(2)),
        )
    )
    return GraphOracle(frozenset(names) - dead, tuple(item for item in edges if item.id not in cut))


@promise("graph:expand:edges", "graph:expand:order", "graph:expand:filters")
@pytest.mark.parametrize("seed", range(4))
async def test_expanding_agrees_with_the_oracle(graph: Graph, seed: int) -> None:
    """One hop is tested in every direction, by type and by confidence."""
    oracle = await _random_graph(graph, seed, density=4)
    names = sorted(oracle.nodes)
    for direction in DIRECTIONS:
        for types, confidence in ((None, 0.0), (None, 0.5), (["knows"], 0.0), (["likes", "owns"], 0.5), ([], 0.0)):
            got = await graph.expand(names, direction=direction, types=types, min_confidence=confidence)
            for name in names:
                assert got.edges.get(name, ()) == oracle.expand(name, direction, types, confidence)
            assert got.truncated == frozenset()


@promise("graph:expand:limit")
async def test_a_hub_is_cut_by_confidence_and_says_so(graph: Graph) -> None:
    """Each node has its own limit, and only nodes that lost edges are called truncated."""
    spokes = [f"s{number:03}" for number in range(400)]
    hub = [edge("hub", spoke, confidence=(number % 10) / 10) for number, spoke in enumerate(spokes)]
    await fill(graph, node("hub"), *(node(spoke) for spoke in spokes), *hub)
    got = await graph.expand(ids("hub", "s000"), limit_per_node=90)
    expected = sorted(hub, key=lambda item: (-item.confidence, item.target))
    assert got.edges[NodeId("hub")] == tuple(expected[:90])
    assert got.edges[NodeId("s000")] == (hub[0],)
    assert got.truncated == {"hub"}
    assert len((await graph.expand(ids("hub"))).edges[NodeId("hub")]) == 256
    whole = await graph.expand(ids("hub"), limit_per_node=400)
    assert (whole.edges[NodeId("hub")], whole.truncated) == (tuple(expected), frozenset())


@promise("graph:expand:self-loop")
@pytest.mark.parametrize("direction", DIRECTIONS)
async def test_a_self_loop_appears_once(graph: Graph, direction: Direction) -> None:
    """It is the same edge from either of its ends."""
    await fill(graph, node("a"), edge("a", "a"))
    assert (await graph.expand(ids("a"), direction=direction)).edges[NodeId("a")] == (edge("a", "a"),)


@promise("graph:expand:limits")
async def test_expanding_has_limits(graph: Graph) -> None:
    """A call has at most 256 nodes, with 1 to 10,000 edges each."""
    await fill(graph, node("a"))
    with pytest.raises(InvalidInput):
        await graph.expand(ids(*(f"n{number}" for number in range(257))))
    for limit in (0, 10_001):
        with pytest.raises(InvalidInput):
            await graph.expand(ids("a"), limit_per_node=limit)
    got = await graph.expand(ids("unknown"))
    assert got.edges.get(NodeId("unknown"), ()) == ()


@promise("graph:walk:steps", "graph:walk:order", "graph:walk:confidence")
@pytest.mark.parametrize("seed", range(5))
async def test_walking_agrees_with_the_oracle(graph: Graph, seed: int) -> None:
    """Every node occurs once, at its shortest distance, on its most confident shortest path, in order."""
    oracle = await _random_graph(graph, 100 + seed)
    for start in sorted(oracle.nodes)[::6]:
        for direction in DIRECTIONS:
            for types, confidence, depth in (
                (None, 0.0, 10),
                (["knows", "owns"], 0.0, 4),
                (None, 0.5, 2),
                (None, 0.0, 1),
            ):
                got = await graph.walk(
                    start, max_depth=depth, direction=direction, types=types, min_confidence=confidence
                )
                assert list(got.steps) == oracle.walk(start, depth, direction, types, confidence)
                assert not got.truncated


@promise("graph:walk:path-confidence")
async def test_a_step_has_the_confidence_of_its_whole_path(graph: Graph) -> None:
    """Confidences are multiplied in path order, so that every engine has the same last digit; 0 stays 0."""
    along = (0.7, 0.8, 0.9, 0.3, 0.0, 1.0)
    chain = [f"c{number}" for number in range(len(along) + 1)]
    links = [edge(one, two, confidence=each) for (one, two), each in zip(pairwise(chain), along, strict=True)]
    # Walked against its direction, an edge counts alike; a longer way that is more confident does not count.
    back = edge("back", "c0", confidence=0.35)
    detour = (edge("c0", "far", confidence=1.0), edge("far", "back", confidence=1.0))
    await fill(graph, *map(node, (*chain, "back", "far")), *links, back, *detour)
    steps = {step.node: step for step in (await graph.walk(NodeId("c0"), max_depth=10)).steps}
    expected = 1.0
    for name, confidence in zip(chain[1:], along, strict=True):
        expected *= confidence
        assert steps[NodeId(name)].confidence == expected
    assert steps[NodeId("back")].confidence == 0.35
    assert steps[NodeId("far")].confidence == 1.0


@promise("graph:walk:limit")
@pytest.mark.parametrize("seed", range(4))
async def test_a_walk_is_cut_at_its_limit_and_says_so(graph: Graph, seed: int) -> None:
    """The limit cuts the end of the order."""
    oracle = await _random_graph(graph, 7 + seed, density=3)
    for start in sorted(oracle.nodes)[::11]:
        whole = oracle.walk(start, 10, "both", None, 0.0)
        assert len(whole) > 8
        for limit in (1, 2, 3, 5, 8, len(whole) - 1):
            got = await graph.walk(start, max_depth=10, limit=limit)
            assert (list(got.steps), got.truncated) == (whole[:limit], True)
        got = await graph.walk(start, max_depth=10, limit=len(whole))
        assert (list(got.steps), got.truncated) == (whole, False)


@promise("graph:walk:limit")
@pytest.mark.parametrize(
    ("first", "less", "more"),
    [(0.7, 0.7999999999999999, 0.8), (1e-250, 1e-120, 2e-120), (1e-120, 1e-250, 2e-250)],
    ids=["rounded alike", "nothing left", "nothing left of little"],
)
async def test_ties_at_the_limit_of_a_walk_are_broken_by_id(
    graph: Graph, first: float, less: float, more: float
) -> None:
    """Different confidences may have equal products along the way."""
    assert first * less == first * more
    ends = {f"n{number}": less if number < 4 else more for number in range(9)}
    links = [edge("hub", name, confidence=confidence) for name, confidence in ends.items()]
    await fill(graph, *(node(name) for name in ("a", "hub", *ends)), edge("a", "hub", confidence=first), *links)
    whole = [step.node for step in (await graph.walk(NodeId("a"), max_depth=2, limit=30)).steps]
    assert whole == ids("hub", *ends)
    for limit in (2, 3, 6):
        assert [step.node for step in (await graph.walk(NodeId("a"), max_depth=2, limit=limit)).steps] == whole[:limit]


@promise("graph:walk:limits")
async def test_a_walk_has_limits(graph: Graph) -> None:
    """A walk has 1 to 10 hops and 1 to 10,000 nodes; from an unknown node it finds nothing."""
    await fill(graph, node("a"))
    for depth in (0, 11):
        with pytest.raises(InvalidInput):
            await graph.walk(NodeId("a"), max_depth=depth)
    for limit in (0, 10_001):
        with pytest.raises(InvalidInput):
            await graph.walk(NodeId("a"), max_depth=1, limit=limit)
    assert (await graph.walk(NodeId("unknown"), max_depth=3)).steps == ()


@promise("graph:walk:hub")
async def test_a_walk_through_a_hub_reaches_all_its_neighbours(graph: Graph) -> None:
    """No hidden limit for each node cuts the walk short."""
    spokes = [f"s{number:04}" for number in range(1_500)]
    await fill(
        graph, node("start"), node("hub"), edge("start", "hub"), *map(node, spokes), *(edge("hub", s) for s in spokes)
    )
    got = await graph.walk(NodeId("start"), max_depth=2, limit=10_000)
    assert [step.node for step in got.steps] == ["hub", *spokes]
    assert not got.truncated


@promise("graph:path:shortest", "graph:path:choice")
@pytest.mark.parametrize("seed", range(6))
async def test_shortest_paths_agree_with_the_oracle(graph: Graph, seed: int) -> None:
    """The length is right; among the shortest paths, the most forward edges win, then the smallest edge ids."""
    oracle = await _random_graph(graph, 200 + seed, density=1.3 + seed / 5)
    rng = seeded(seed)
    names = sorted(oracle.nodes)
    for _ in range(16):
        source, target = rng.choice(names), rng.choice(names)
        for directed, types, hops in (
            (False, None, 10),
            (True, None, 10),
            (False, ["knows", "likes"], 10),
            (True, None, 3),
        ):
            got = await graph.shortest_path(source, target, directed=directed, types=types, max_hops=hops)
            paths = oracle.shortest_paths(source, target, directed=directed, types=types, max_hops=hops)
            assert got == (paths[0] if paths else None)


@promise("graph:path:choice")
async def test_a_forward_path_is_preferred_to_one_against_the_edges(graph: Graph) -> None:
    """The forward path wins even if its edge ids are larger."""
    await fill(
        graph,
        *(node(name) for name in "abcz"),
        edge("b", "a"),
        edge("b", "z"),
        edge("a", "c"),
        edge("c", "z"),
    )
    got = await graph.shortest_path(NodeId("a"), NodeId("z"))
    assert got == GraphPath(tuple(ids("a", "c", "z")), (edge("a", "c"), edge("c", "z")))


@promise("graph:path:trivial", "graph:path:none")
async def test_a_node_is_its_own_path_and_an_unknown_one_has_none(graph: Graph) -> None:
    """The path has one node and no edge, whatever loops exist."""
    await fill(graph, node("a"), node("b"), node("c"), edge("a", "a"), edge("b", "a"))
    assert await graph.shortest_path(NodeId("a"), NodeId("a")) == GraphPath((NodeId("a"),), ())
    assert await graph.shortest_path(NodeId("a"), NodeId("c")) is None
    assert await graph.shortest_path(NodeId("a"), NodeId("b"), directed=True) is None
    for source, target in (("a", "x"), ("x", "a"), ("x", "x")):
        assert await graph.shortest_path(NodeId(source), NodeId(target)) is None


@promise("graph:path:hops")
async def test_a_path_has_at_most_the_hops_allowed(graph: Graph) -> None:
    """The bound is inclusive, and is 1 to 10."""
    chain = [f"c{number:02}" for number in range(13)]
    await fill(graph, *map(node, chain), *(edge(a, b) for a, b in pairwise(chain)))
    for hops in range(1, 11):
        got = await graph.shortest_path(NodeId("c00"), NodeId(chain[hops]), max_hops=hops)
        assert got is not None
        assert got.nodes == tuple(chain[: hops + 1])
        assert await graph.shortest_path(NodeId("c00"), NodeId(chain[hops + 1]), max_hops=hops) is None
    for hops in (0, 11):
        with pytest.raises(InvalidInput):
            await graph.shortest_path(NodeId("c00"), NodeId("c01"), max_hops=hops)


@promise("graph:path:shortest", "graph:path:choice", "graph:path:hops")
async def test_a_path_is_found_between_two_hubs(graph: Graph) -> None:
    """The best of the shortest paths is found, however many links there are on either side."""
    near, far = ([f"{side}{number:04}" for number in range(1_100)] for side in "nf")
    between = (edge("n0003", "f0900"), edge("f0001", "n0001"), edge("n0777", "f0004"), edge("n0005", "m"))
    await fill(
        graph,
        *(node(name) for name in ("a", "b", "m", "y", "z", *near, *far)),
        *(edge("b", spoke) for spoke in near),
        *(edge(spoke, "y") for spoke in far),
        *(edge("a", "b"), edge("y", "z"), edge("m", "f0005"), *between),
    )
    start, end = NodeId("a"), NodeId("z")
    ways = [["a", "b", *middle, "y", "z"] for middle in (("n0003", "f0900"), ("n0005", "m", "f0005"))]
    paths = [GraphPath(tuple(ids(*way)), tuple(edge(*hop) for hop in pairwise(way))) for way in ways]
    for hops, expected in ((4, None), (5, paths[0]), (10, paths[0])):
        assert await graph.shortest_path(start, end, max_hops=hops) == expected
    await graph.apply(GraphBatch(deleted_edges={item.id: Revision(2) for item in between[:3]}))
    for hops, expected in ((5, None), (6, paths[1]), (10, paths[1])):
        assert await graph.shortest_path(start, end, max_hops=hops) == expected


@promise("graph:path:many")
async def test_the_best_of_very_many_shortest_paths_is_found(graph: Graph) -> None:
    """Only one of 1,296 follows each of its edges forward."""
    layers = [[f"l{depth}-{number}" for number in range(6)] for depth in range(6)]
    best = ids("l0-0", "l1-4", "l2-1", "l3-5", "l4-2", "l5-5")
    forward = {*pairwise(best)}
    await fill(
        graph,
        *(node(name) for layer in layers for name in layer),
        *(edge(a, b) if (a, b) in forward else edge(b, a) for low, high in pairwise(layers) for a in low for b in high),
    )
    got = await graph.shortest_path(NodeId("l0-0"), NodeId("l5-5"))
    assert got is not None
    assert got.nodes == tuple(best)
