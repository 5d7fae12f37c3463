"""Walks and shortest paths, level by level."""

from collections.abc import Callable, Iterable

from backends.ports.graph import Edge, Path, Step, Walk
from backends.ports.values import NodeId

Hops = Callable[[NodeId], Iterable[tuple[Edge, NodeId, bool]]]
Way = tuple[int, tuple[str, ...], Path]
"""How many edges are walked forward, negated; the edge ids; the path."""


def walk(start: NodeId, hops: Hops, max_depth: int, limit: int) -> Walk:
    """Return each reachable node once, at its shortest distance, along its most confident path."""
    ways: dict[NodeId, tuple[float, tuple[str, ...]]] = {start: (-1.0, ())}
    frontier = [start]
    steps: list[Step] = []
    for depth in range(1, max_depth + 1):
        level: dict[NodeId, tuple[float, tuple[str, ...], Step]] = {}
        for near in frontier:
            doubt, ids = ways[near]
            for edge, far, _ in hops(near):
                offer = (doubt * edge.confidence, (*ids, edge.id), Step(far, depth, edge, near))
                if far not in ways and (far not in level or offer[:2] < level[far][:2]):
                    level[far] = offer
        frontier = sorted(level, key=lambda node: (level[node][0], node))
        ways |= {node: offer[:2] for node, offer in level.items()}
        steps += [level[node][2] for node in frontier]
    return Walk(tuple(steps[:limit]), truncated=len(steps) > limit)


def shortest(source: NodeId, target: NodeId, hops: Hops, max_hops: int) -> Path | None:
    """Return the best of the shortest paths: most edges walked forward, then the smallest edge ids.

    The best way to a node is part of the best way through it, so one way to each node is enough.
    """
    ways: dict[NodeId, Way] = {source: (0, (), Path((source,), ()))}
    seen = {source}
    for _ in range(max_hops):
        if target in ways:
            break
        level: dict[NodeId, Way] = {}
        for near, (backward, ids, path) in ways.items():
            for edge, far, forward in hops(near):
                longer = Path((*path.nodes, far), (*path.edges, edge))
                offer = (backward - forward, (*ids, edge.id), longer)
                if far not in seen and (far not in level or offer[:2] < level[far][:2]):
                    level[far] = offer
        ways = level
        seen |= ways.keys()
    return ways[target][2] if target in ways else None
