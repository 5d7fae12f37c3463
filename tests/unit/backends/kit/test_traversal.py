"""A search has the same result whether the bounds of its hops are used or not, and fetches few links at hubs."""

import random
from collections.abc import Callable, Iterable, Iterator

import pytest

from backends.kit import traversal
from backends.kit.traversal import EdgeFilter, HopRequest, Link

BOTH_DIRECTIONS = EdgeFilter("both", None)
Links = Callable[[HopRequest], Iterable[Link] | None]


class Net:
    """Links of a random graph, with a count of those returned."""

    def __init__(self, seed: int, size: int, edges: int) -> None:
        chance = random.Random(seed)
        self.nodes = [f"n{number:03}" for number in range(size)]
        self.given = 0
        self._around: dict[str, list[Link]] = {node: [] for node in self.nodes}
        for number in range(edges):
            # A few nodes have most of the links.
            source, target = self.nodes[int(size * chance.random() ** 4)], chance.choice(self.nodes)
            confidence = chance.choice((1.0, 0.5, 0.25, 0.0))
            self._around[source].append(Link(source, target, f"e{number:04}", confidence, forward=True))
            self._around[target].append(Link(target, source, f"e{number:04}", confidence, forward=False))

    def whole(self, request: HopRequest) -> list[Link]:
        """Return every link, whatever the bounds are."""
        return list(self._all(request))

    def heeding(self, request: HopRequest) -> list[Link] | None:
        """Return only the links within the bounds."""
        links = list(self._all(request))
        if request.max_links is not None and any(
            sum(at.forward == side for at in links) > request.max_links for side in (True, False)
        ):
            return None
        if request.limit_per_node is not None:
            links = [
                link
                for node in request.frontier
                for side in (True, False)
                for link in _first(links, node, side, request.limit_per_node)
            ]
        links = [link for link in links if request.targets is None or link.far in request.targets]
        self.given += len(links)
        return links

    def _all(self, request: HopRequest) -> Iterator[Link]:
        wanted = {"out": (True,), "in": (False,), "both": (True, False)}[request.edge_filter.direction]
        return (link for node in request.frontier for link in self._around[node] if link.forward in wanted)


def _first(links: Iterable[Link], node: str, forward: bool, ends: int) -> Iterator[Link]:
    mine = (link for link in links if link.near == node and link.forward == forward)
    come: set[str] = set()
    for link in sorted(mine, key=lambda link: (-link.confidence, link.far, link.edge)):
        if len(come) == ends:
            return
        yield link
        come.add(link.far)


@pytest.mark.parametrize("seed", range(20))
def test_a_walk_is_the_same_with_and_without_the_bounds(seed: int) -> None:
    """At any limit, from anywhere, in any direction."""
    net = Net(seed, 30, 90)
    for start in net.nodes[::5]:
        for limit in (1, 2, 3, 5, 9, 20):
            for edge_filter in (BOTH_DIRECTIONS, EdgeFilter("out", None), EdgeFilter("in", None)):
                found = [
                    traversal.run(traversal.walk(start, edge_filter, 4, limit), each)
                    for each in (net.heeding, net.whole)
                ]
                assert found[0] == found[1]


@pytest.mark.parametrize("few", [1, 2, 10])
@pytest.mark.parametrize("seed", range(10))
def test_a_path_is_the_same_with_and_without_the_bounds(few: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever counts as many links."""
    monkeypatch.setattr(traversal, "FEW_LINKS", few)
    monkeypatch.setattr(traversal, "MORE_LINKS", 2)
    net = Net(seed, 60, 100)
    for one, other in zip(net.nodes[::3], net.nodes[::-4], strict=False):
        for edge_filter in (BOTH_DIRECTIONS, EdgeFilter("out", None)):
            for hops in (1, 3, 4, 5, 10):
                search = [traversal.shortest_path(one, other, edge_filter, hops) for _ in range(2)]
                assert traversal.run(search[0], net.heeding) == traversal.run(search[1], net.whole)


def test_a_path_past_hubs_fetches_few_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """The links of a hub are not fetched when the path is found from the other side."""
    monkeypatch.setattr(traversal, "FEW_LINKS", 4)
    net = Net(1, 400, 3_000)
    for one, other in zip(net.nodes[100::7], net.nodes[103::7], strict=False):
        traversal.run(traversal.shortest_path(one, other, BOTH_DIRECTIONS, 5), net.heeding)
    bounded = net.given
    for one, other in zip(net.nodes[100::7], net.nodes[103::7], strict=False):
        traversal.run(
            traversal.shortest_path(one, other, BOTH_DIRECTIONS, 5),
            lambda request: net.heeding(HopRequest(request.frontier, request.edge_filter)),
        )
    assert bounded < (net.given - bounded) / 2
