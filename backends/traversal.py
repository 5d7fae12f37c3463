"""Walks and shortest paths, level by level, over whatever finds the links of a frontier.

A search is a generator: it yields the hop it needs, is sent the links that were found, and returns
its result. So one search serves drivers that block (`run`) and drivers that are awaited (`run_awaited`).
"""

from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, TypeVar

from backends.ports.graph import Direction, Edge, Path, Step, Walk
from backends.ports.values import EdgeId, NodeId


@dataclass(frozen=True, slots=True)
class Way:
    """Which edges may be walked."""

    direction: Direction
    types: Collection[str] | None
    min_confidence: float = 0.0

    @property
    def sides(self) -> tuple[Direction, ...]:
        """The directions to look into, one after the other."""
        return ("out", "in") if self.direction == "both" else (self.direction,)


class Link(NamedTuple):
    """An edge on the way from a node of the frontier to its other end."""

    near: str
    far: str
    edge: str
    confidence: float
    forward: bool


@dataclass(frozen=True, slots=True)
class Hop:
    """What a search asks for: every link from `frontier` to a live node; loops lead nowhere and may come or not.

    The bounds say which links make no difference. An engine saves by heeding them, and is right without.
    """

    frontier: Collection[str]
    way: Way
    each: int | None = None
    """Of each node and side: those after so many far ends, by confidence descending, far end and edge id, unless `tied`."""
    onto: Collection[str] | None = None
    """Those whose far end is not among these."""
    most: int | None = None
    """All of them, when there are more than this at a side; None is the answer then."""


SURE: Final = 1e-150
"""What is reached with less confidence than this may lose all of it at the next link."""
FEW_LINKS = 1_000
"""Links of a side of a path that are fetched without asking whether the other side has fewer."""
MORE_LINKS = 8
"""How many times as many are put up with next, when both sides have more."""

ResultT = TypeVar("ResultT")
Search: TypeAlias = Generator[Hop, Iterable[Link] | None, ResultT]


def tied(confidence: float) -> float:
    """Return the least confidence that may come to the same as this one once it is multiplied and rounded."""
    return confidence * (1 - 1e-12) if confidence >= SURE else 0.0


def run(search: Search[ResultT], links: Callable[[Hop], Iterable[Link] | None]) -> ResultT:
    """Return the result of a search whose hops `links` answers at once."""
    try:
        hop = next(search)
        while True:
            hop = search.send(links(hop))
    except StopIteration as end:
        result: ResultT = end.value
        return result


async def run_awaited(search: Search[ResultT], links: Callable[[Hop], Awaitable[Iterable[Link] | None]]) -> ResultT:
    """Return the result of a search whose hops `links` answers in time."""
    try:
        hop = next(search)
        while True:
            hop = search.send(await links(hop))
    except StopIteration as end:
        result: ResultT = end.value
        return result


class Reached(NamedTuple):
    """How a node was reached; the smaller, the better."""

    doubt: float
    """The product of the confidences along the path, negated."""
    edges: tuple[str, ...]
    node: str
    previous: str


@dataclass(frozen=True, slots=True)
class Reach:
    """What a walk reached, in order; its edges are named but not read yet."""

    reached: tuple[Reached, ...]
    truncated: bool

    @property
    def edges(self) -> list[EdgeId]:
        """The edges by which the nodes were reached."""
        return [EdgeId(it.edges[-1]) for it in self.reached]

    def walk(self, edges: Mapping[EdgeId, Edge]) -> Walk:
        """Return the walk, given its edges."""
        steps = (
            Step(NodeId(it.node), len(it.edges), edges[EdgeId(it.edges[-1])], NodeId(it.previous))
            for it in self.reached
        )
        return Walk(tuple(steps), self.truncated)


def walk(start: str, way: Way, max_depth: int, limit: int) -> Search[Reach]:
    """Search for what lies within reach of a live start."""
    seen = {start}
    frontier = {start: Reached(-1.0, (), start, start)}
    steps: list[Reached] = []
    # A level more than fits is looked at, so that `truncated` is the truth.
    for _ in range(max_depth):
        # The first links of a node lead to the start, to earlier steps, and to more nodes than fit: what comes after is cut
        # off, whatever else leads there. But from a node reached with next to no confidence, no link is better than another.
        each = None if any(-reached.doubt < SURE for reached in frontier.values()) else limit + 2
        frontier = _level(frontier, seen, (yield Hop(frontier.keys(), way, each=each)) or ())
        seen.update(frontier)
        steps += sorted(frontier.values(), key=lambda reached: (reached.doubt, reached.node))
        if not frontier or len(steps) > limit:
            break
    return Reach(tuple(steps[:limit]), truncated=len(steps) > limit)


def _level(frontier: Mapping[str, Reached], seen: Collection[str], links: Iterable[Link]) -> dict[str, Reached]:
    level: dict[str, Reached] = {}
    for link in links:
        if link.far in seen:
            continue
        origin = frontier[link.near]
        doubt = origin.doubt * link.confidence
        known = level.get(link.far)
        # Most links lose by confidence alone; the tuple of edges is only built for the others.
        if known is not None and known.doubt < doubt:
            continue
        reached = Reached(doubt, (*origin.edges, link.edge), link.far, link.near)
        if known is None or reached < known:
            level[link.far] = reached
    return level


@dataclass(frozen=True, slots=True)
class Route:
    """A path whose edges are named but not read yet."""

    nodes: tuple[NodeId, ...]
    edges: tuple[EdgeId, ...]

    def path(self, edges: Mapping[EdgeId, Edge]) -> Path:
        """Return the path, given its edges."""
        return Path(self.nodes, tuple(edges[key] for key in self.edges))


class _Side:
    """A search from one end: the nodes by distance, and the links found from each level to the next."""

    def __init__(self, start: str, way: Way) -> None:
        self.way = way
        self.seen = {start}
        self.levels: list[set[str]] = [{start}]
        self.links: list[list[Link]] = []

    @property
    def frontier(self) -> set[str]:
        """The nodes farthest away."""
        return self.levels[-1]

    def advance(self, links: Iterable[Link]) -> None:
        """Go one level on."""
        found = [link for link in links if link.far not in self.seen]
        self.links.append(found)
        self.levels.append({link.far for link in found})
        self.seen |= self.frontier


def shortest_path(source: str, target: str, way: Way, max_hops: int) -> Search[Route | None]:
    """Search for the best of the shortest paths between two live nodes, from both ends."""
    backwards = Way("in" if way.direction == "out" else "both", way.types, way.min_confidence)
    near, far = _Side(source, way), _Side(target, backwards)
    while not near.frontier & far.frontier:
        smaller, larger = (near, far) if len(near.frontier) <= len(far.frontier) else (far, near)
        hops_left = max_hops - len(near.links) - len(far.links)
        if not hops_left or not smaller.frontier:
            return None
        yield from _advance(smaller, larger, last=hops_left == 1)
    return _best(near, far, source)


def _advance(smaller: _Side, larger: _Side, *, last: bool) -> Search[None]:
    """Take a side a level on: the one of fewer nodes, unless it has many links to go and the other one has not.

    Most paths through a hub are met at the hub, coming from the other side, without a look at all that hangs on it.
    """
    most = FEW_LINKS
    while True:
        for side, other in ((smaller, larger), (larger, smaller)):
            # Whether the sides meet now is found out for less than what many links cost to fetch.
            onto = other.frontier if last or most > FEW_LINKS else None
            found = yield Hop(side.frontier, side.way, onto=onto, most=most)
            if found is None:
                continue
            links = tuple(found)
            if not links and onto is not None and not last:
                links = tuple((yield Hop(side.frontier, side.way)) or ())
            side.advance(links)
            return
        most *= MORE_LINKS


_Rest: TypeAlias = tuple[int, tuple[str, ...], tuple[str, ...]]
"""The way from a node to the target: edges walked forward, negated; edge ids; nodes. The smaller, the better."""


def _best(near: _Side, far: _Side, source: str) -> Route:
    """Choose among the shortest paths from the target back: the best way on from a node does not depend on how it was reached."""
    rest: dict[str, _Rest] = {next(iter(far.levels[0])): (0, (), ())}
    for level in far.links:
        # Links of the far side were found walking from the target, so they are walked the other way round.
        rest = _onward(rest, ((link.far, link.near, link.edge, not link.forward) for link in level))
    rest = {node: way for node, way in rest.items() if node in near.frontier}
    for level in reversed(near.links):
        rest = _onward(rest, ((link.near, link.far, link.edge, link.forward) for link in level))
    _, edges, nodes = rest[source]
    return Route((NodeId(source), *map(NodeId, nodes)), tuple(map(EdgeId, edges)))


def _onward(rest: Mapping[str, _Rest], hops: Iterable[tuple[str, str, str, bool]]) -> dict[str, _Rest]:
    best: dict[str, _Rest] = {}
    for node, onward, edge_id, forward in hops:
        way = rest.get(onward)
        if way is None:
            continue
        candidate = (way[0] - int(forward), (edge_id, *way[1]), (onward, *way[2]))
        if node not in best or candidate < best[node]:
            best[node] = candidate
    return best
