"""The graph port over a namespace in memory. Arguments are valid: the port's wrapper has checked them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from backends.kit import cursors, traversal
from backends.kit.declarations import check_filter_fields, group_fields, sort_fields
from backends.kit.filter_evaluation import matches
from backends.kit.records import group_position
from backends.kit.traversal import EdgeFilter
from backends.ports.filters import Filter
from backends.ports.graph import (
    MAX_HOPS,
    Direction,
    Edge,
    Expansion,
    GraphBatch,
    GraphPath,
    Group,
    KindSpec,
    Node,
    Order,
    Walk,
)
from backends.ports.values import EdgeId, NodeId, Page, Revision

from .order import compare, place_of, sorted_nodes
from .state import State


class MemoryGraph:
    """One namespace; nothing is awaited while it changes, so each call is atomic."""

    conditional_writes = True

    def __init__(self, state: State) -> None:
        self._state = state

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        self._state.declare(kinds)

    async def apply(self, batch: GraphBatch) -> None:
        self._state.apply(batch)

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        return {key: node for key in ids if (node := self._state.live(key)) is not None}

    async def get_edges(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Edge]:
        wanted = {*ids}
        return {edge.id: edge for edge in self._state.visible() if edge.id in wanted}

    async def node_revisions(self, ids: Collection[NodeId]) -> Mapping[NodeId, Revision]:
        return {key: self._state.nodes[key].rev for key in ids if key in self._state.nodes}

    async def edge_revisions(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Revision]:
        return {key: self._state.edges[key].rev for key in ids if key in self._state.edges}

    async def find(
        self,
        kind: str,
        where: Filter | None = None,
        *,
        order: Sequence[Order] = (),
        after: str | None = None,
        limit: int = 100,
    ) -> Page[Node]:
        fields = sort_fields(order, self._state.specs(kind))
        nodes = sorted_nodes(self._matching(kind, where), order)
        if after is not None:
            start = cursors.decode(after, [field.type for field in fields])
            nodes = [node for node in nodes if compare(place_of(node, order), start, order) > 0]
        more = len(nodes) > limit
        return Page(tuple(nodes[:limit]), cursors.encode(*place_of(nodes[limit - 1], order)) if more else None)

    async def scan_edges(self, *, after: str | None = None, limit: int = 1_000) -> Page[Edge]:
        start = "" if after is None else cursors.decode(after, ())[1]
        edges = sorted((edge for edge in self._state.visible() if edge.id > start), key=lambda edge: edge.id)
        return Page(tuple(edges[:limit]), cursors.encode((), edges[limit - 1].id) if len(edges) > limit else None)

    async def expand(
        self,
        ids: Collection[NodeId],
        *,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit_per_node: int = 256,
    ) -> Expansion:
        found: dict[NodeId, list[Edge]] = {}
        for node in ids:
            if self._state.live(node) is not None:
                edges = self._state.edges_at(node, direction, types, min_confidence)
                best = sorted(edges, key=lambda each: (-each[0].confidence, each[1], each[0].id))
                found[node] = [edge for edge, _, _ in best]
        cut = frozenset(node for node, edges in found.items() if len(edges) > limit_per_node)
        return Expansion({node: tuple(edges[:limit_per_node]) for node, edges in found.items()}, cut)

    async def walk(
        self,
        start: NodeId,
        *,
        max_depth: int,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit: int = 1_000,
    ) -> Walk:
        if self._state.live(start) is None:
            return Walk((), truncated=False)
        search = traversal.walk(start, EdgeFilter(direction, types, min_confidence), max_depth, limit)
        result = traversal.run(search, self._state.links)
        return result.walk(self._edges(result.edges))

    async def shortest_path(
        self,
        source: NodeId,
        target: NodeId,
        *,
        directed: bool = False,
        types: Collection[str] | None = None,
        max_hops: int = MAX_HOPS,
    ) -> GraphPath | None:
        if self._state.live(source) is None or self._state.live(target) is None:
            return None
        edge_filter = EdgeFilter("out" if directed else "both", types)
        refs = traversal.run(traversal.shortest_path(source, target, edge_filter, max_hops), self._state.links)
        return None if refs is None else refs.path(self._edges(refs.edges))

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        group_fields(by, self._state.specs(kind))
        order = [Order(field) for field in by]
        counts = Counter(place_of(node, order)[0] for node in self._matching(kind, where))
        if not by and not counts:
            return [Group((), 0)]
        return sorted((Group(key, count) for key, count in counts.items()), key=group_position)

    async def count_edges(self) -> Mapping[str, int]:
        return dict(sorted(Counter(edge.type for edge in self._state.visible()).items()))

    async def get_meta(self, key: str) -> str | None:
        return self._state.notes.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        if not if_absent or key not in self._state.notes:
            self._state.notes[key] = value
        return self._state.notes[key]

    async def drop(self) -> None:
        self._state.kinds, self._state.nodes, self._state.edges, self._state.notes = {}, {}, {}, {}

    def _matching(self, kind: str, where: Filter | None) -> list[Node]:
        specs = self._state.specs(kind)
        if where is not None:
            check_filter_fields(where, specs)
        live = [kept.record for kept in self._state.nodes.values() if kept.record is not None]
        return [node for node in live if node.kind == kind and matches(where, node.fields)]

    def _edges(self, ids: Iterable[EdgeId]) -> dict[EdgeId, Edge]:
        found = {key: self._state.edges[key].record for key in ids}
        return {key: edge for key, edge in found.items() if edge is not None}
