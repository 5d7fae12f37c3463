"""Walks and shortest paths, level by level; an engine only finds the links of a frontier.

A search is a generator: it yields a request for a hop, is sent the links that were found, and returns its result. So the same
search serves blocking drivers (`run`) and async drivers (`run_awaited`).
"""

from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, TypeVar

from backends.ports.graph import Direction, Edge, GraphPath, Step, Walk
from backends.ports.values import EdgeId, NodeId


@dataclass(frozen=True, slots=True)
class EdgeFilter:
    """The edges that may be followed: the arguments of `expand` and `walk`."""

    direction: Direction
    types: Collection[str] | None
    min_confidence: float = 0.0

    @property
    def sides(self) -> tuple[Direction, ...]:
        """The directions to look up, one after the other."""
        return ("out", "in") if self.direction == "both" else (self.direction,)


class Link(NamedTuple):
    """A link: an edge, by ids, from a node of the frontier (`near`) to its other end (`far`)."""

    near: str
    far: str
    edge: str
    confidence: float
    forward: bool


@dataclass(frozen=True, slots=True)
class HopRequest:
    """The links that a search needs: all from `frontier` to live nodes, in any order. Self-loops may be omitted.

    The bounds say which links the search does not need. An engine may omit those; only `max_links` permits None as the answer.
    """

    frontier: Collection[str]
    edge_filter: EdgeFilter
    limit_per_node: int | None = None
    """Not needed: links of a node and side after this many far ends, by falling confidence, far end, edge id, unless `tied`."""
    targets: Collection[str] | None = None
    """Not needed: links whose far end is not among these."""
    max_links: int | None = None
    """Not needed: all links, if a side has more than this; the answer may then be None."""


LEAST_CONFIDENCE: Final = 1e-150
"""A product of confidences below this may become 0 at the next link, so that all links tie."""
FEW_LINKS: Final = 1_000
"""How many links of one side are fetched without checking whether the other side has fewer."""
MORE_LINKS: Final = 8
"""The factor by which that limit grows while both sides have more."""

ResultT = TypeVar("ResultT")
Search: TypeAlias = Generator[HopRequest, Iterable[Link] | None, ResultT]


def tied(confidence: float) -> float:
    """Return the least confidence whose products may equal those of `confidence` after rounding."""
    return confidence * (1 - 1e-12) if confidence >= LEAST_CONFIDENCE else 0.0


def run(search: Search[ResultT], links: Callable[[HopRequest], Iterable[Link] | None]) -> ResultT:
    """Return the result of a search; `links` finds the links of a hop, blocking."""
    try:
        request = next(search)
        while True:
            request = search.send(links(request))
    except StopIteration as end:
        result: ResultT = end.value
        return result


async def run_awaited(
    search: Search[ResultT], links: Callable[[HopRequest], Awaitable[Iterable[Link] | None]]
) -> ResultT:
    """Return the result of a search; `links` finds the links of a hop."""
    try:
        request = next(search)
        while True:
            request = search.send(await links(request))
    except StopIteration as end:
        result: ResultT = end.value
        return result


class ReachedNode(NamedTuple):
    """How a node was reached. Of two ways to a node the smaller one is better."""

    cost: float
    """The product of the confidences along the path, negated."""
    edges: tuple[str, ...]
    node: str
    previous: str


@dataclass(frozen=True, slots=True)
class WalkResult:
    """The nodes that a walk reached, in order. Its edges are ids, which the adapter reads."""

    reached: tuple[ReachedNode, ...]
    truncated: bool

    @property
    def edges(self) -> list[EdgeId]:
        """The ids of the edges by which the nodes were reached."""
        return [EdgeId(it.edges[-1]) for it in self.reached]

    def walk(self, edges: Mapping[EdgeId, Edge]) -> Walk:
        """Return the walk, given its edges by id."""
        steps = (
            Step(NodeId(it.node), len(it.edges), edges[EdgeId(it.edges[-1])], NodeId(it.previous), -it.cost)
            for it in self.reached
        )
        return Walk(tuple(steps), self.truncated)


def walk(start: str, edge_filter: EdgeFilter, max_depth: int, limit: int) -> Search[WalkResult]:
    """Search for the nodes within `max_depth` hops of a live `start`, cut to `limit`."""
    seen = {start}
    frontier = {start: ReachedNode(-1.0, (), start, start)}
    steps: list[ReachedNode] = []
    # One step beyond the limit is found, so that `truncated` is right.
    for _ in range(max_depth):
        # All of the first `limit + 2` far ends of a node except the start are steps, earlier or new ones: more than the limit,
        # so later ones are cut. Not for a node whose confidence may round to 0: there all links tie.
        limit_per_node = None if any(-reached.cost < LEAST_CONFIDENCE for reached in frontier.values()) else limit + 2
        frontier = _level(
            frontier, seen, (yield HopRequest(frontier.keys(), edge_filter, limit_per_node=limit_per_node)) or ()
        )
        seen.update(frontier)
        steps += sorted(frontier.values(), key=lambda reached: (reached.cost, reached.node))
        if not frontier or len(steps) > limit:
            break
    return WalkResult(tuple(steps[:limit]), truncated=len(steps) > limit)


def _level(frontier: Mapping[str, ReachedNode], seen: Collection[str], links: Iterable[Link]) -> dict[str, ReachedNode]:
    level: dict[str, ReachedNode] = {}
    for link in links:
        if link.far in seen:
            continue
        origin = frontier[link.near]
        cost = origin.cost * link.confidence
        known = level.get(link.far)
        # Most links lose by confidence alone, so the tuple of edges is built only for the others.
        if known is not None and known.cost < cost:
            continue
        reached = ReachedNode(cost, (*origin.edges, link.edge), link.far, link.near)
        if known is None or reached < known:
            level[link.far] = reached
    return level


@dataclass(frozen=True, slots=True)
class PathRefs:
    """A path whose edges are ids, which the adapter reads."""

    nodes: tuple[NodeId, ...]
    edges: tuple[EdgeId, ...]

    def path(self, edges: Mapping[EdgeId, Edge]) -> GraphPath:
        """Return the path, given its edges by id."""
        return GraphPath(self.nodes, tuple(edges[key] for key in self.edges))


class _Side:
    """A search from one end: the nodes by distance, and the links from each level to the next."""

    def __init__(self, start: str, edge_filter: EdgeFilter) -> None:
        self.edge_filter = edge_filter
        self.seen = {start}
        self.levels: list[set[str]] = [{start}]
        self.links: list[list[Link]] = []

    @property
    def frontier(self) -> set[str]:
        """The nodes of the last level."""
        return self.levels[-1]

    def advance(self, links: Iterable[Link]) -> None:
        """Add a level."""
        found = [link for link in links if link.far not in self.seen]
        self.links.append(found)
        self.levels.append({link.far for link in found})
        self.seen |= self.frontier


def shortest_path(source: str, target: str, edge_filter: EdgeFilter, max_hops: int) -> Search[PathRefs | None]:
    """Search for the best of the shortest paths between two live nodes, from both ends; None beyond `max_hops`."""
    backwards = EdgeFilter(
        "in" if edge_filter.direction == "out" else "both", edge_filter.types, edge_filter.min_confidence
    )
    near, far = _Side(source, edge_filter), _Side(target, backwards)
    while not near.frontier & far.frontier:
        smaller, larger = (near, far) if len(near.frontier) <= len(far.frontier) else (far, near)
        hops_left = max_hops - len(near.links) - len(far.links)
        if not hops_left or not smaller.frontier:
            return None
        yield from _advance(smaller, larger, last=hops_left == 1)
    return _best(near, far, source)


def _advance(smaller: _Side, larger: _Side, *, last: bool) -> Search[None]:
    """Add a level to one side: the one with fewer nodes, unless it has many links and the other has few.

    Most paths through a hub are then found from the other side, without fetching all links of the hub.
    """
    max_links = FEW_LINKS
    while True:
        for side, other in ((smaller, larger), (larger, smaller)):
            # Checking only whether the sides meet costs less than fetching many links.
            targets = other.frontier if last or max_links > FEW_LINKS else None
            found = yield HopRequest(side.frontier, side.edge_filter, targets=targets, max_links=max_links)
            if found is None:
                continue
            links = tuple(found)
            if not links and targets is not None and not last:
                links = tuple((yield HopRequest(side.frontier, side.edge_filter)) or ())
            side.advance(links)
            return
        max_links *= MORE_LINKS


_Rest: TypeAlias = tuple[int, tuple[str, ...], tuple[str, ...]]
"""The rest of a path to the target: the negated number of edges walked forward, edge ids, nodes. Smaller is better."""


def _best(near: _Side, far: _Side, source: str) -> PathRefs:
    """Return the best of the shortest paths, built backwards: the best rest of a path does not depend on how it began."""
    rest: dict[str, _Rest] = {next(iter(far.levels[0])): (0, (), ())}
    for level in far.links:
        # The links of the far side were found from the target, so the path follows them in reverse.
        rest = _onward(rest, ((link.far, link.near, link.edge, not link.forward) for link in level))
    rest = {node: best for node, best in rest.items() if node in near.frontier}
    for level in reversed(near.links):
        rest = _onward(rest, ((link.near, link.far, link.edge, link.forward) for link in level))
    _, edges, nodes = rest[source]
    return PathRefs((NodeId(source), *map(NodeId, nodes)), tuple(map(EdgeId, edges)))


def _onward(rest: Mapping[str, _Rest], hops: Iterable[tuple[str, str, str, bool]]) -> dict[str, _Rest]:
    best: dict[str, _Rest] = {}
    for node, onward, edge_id, forward in hops:
        known = rest.get(onward)
        if known is None:
            continue
        candidate = (known[0] - int(forward), (edge_id, *known[1]), (onward, *known[2]))
        if node not in best or candidate < best[node]:
            best[node] = candidate
    return best
