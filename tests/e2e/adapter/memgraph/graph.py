"""The graph port over a namespace in memory."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from backends.ports.errors import InvalidInput
from backends.ports.filters import Filter, check_filter
from backends.ports.graph import (
    MAX_EXPANSION,
    MAX_GROUP_FIELDS,
    MAX_HOPS,
    Direction,
    Edge,
    Expansion,
    GraphBatch,
    Group,
    KindSpec,
    Node,
    Order,
    Path,
    Walk,
)
from backends.ports.ids import check_id, check_name
from backends.ports.text import check_text
from backends.ports.values import EdgeId, NodeId, Page, Revision, Scalar

from . import paths
from .matching import check_order, compare, cursor_of, cursor_read, matches, place_of, sorted_nodes
from .state import IdT, State


class MemoryGraph:
    """One namespace; nothing is awaited while it changes, so each call is atomic."""

    conditional_writes = True

    def __init__(self, state: State) -> None:
        self._state = state

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        checked = State(kinds=dict(self._state.kinds))
        for kind in kinds:
            checked.declare(kind)
        self._state.kinds = checked.kinds

    async def apply(self, batch: GraphBatch) -> None:
        self._state.apply(batch)

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        return {key: node for key in _checked(ids) if (node := self._state.live(key)) is not None}

    async def get_edges(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Edge]:
        wanted = _checked(ids)
        return {edge.id: edge for edge in self._state.visible() if edge.id in wanted}

    async def node_revisions(self, ids: Collection[NodeId]) -> Mapping[NodeId, Revision]:
        return {key: self._state.nodes[key].rev for key in _checked(ids) if key in self._state.nodes}

    async def edge_revisions(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Revision]:
        return {key: self._state.edges[key].rev for key in _checked(ids) if key in self._state.edges}

    async def find(
        self,
        kind: str,
        where: Filter | None = None,
        *,
        order: Sequence[Order] = (),
        after: str | None = None,
        limit: int = 100,
    ) -> Page[Node]:
        _between(limit, 1_000)
        specs = self._state.specs(kind)
        check_order(order, specs)
        nodes = sorted_nodes(self._matching(kind, where), order)
        if after is not None:
            start = cursor_read(after, [specs[key.field].type for key in order])
            nodes = [node for node in nodes if compare(place_of(node, order), start, order) > 0]
        more = len(nodes) > limit
        return Page(tuple(nodes[:limit]), cursor_of(place_of(nodes[limit - 1], order)) if more else None)

    async def scan_edges(self, *, after: str | None = None, limit: int = 1_000) -> Page[Edge]:
        _between(limit, 1_000)
        start = "" if after is None else cursor_read(after, ())[1]
        edges = sorted((edge for edge in self._state.visible() if edge.id > start), key=lambda edge: edge.id)
        return Page(tuple(edges[:limit]), cursor_of(((), edges[limit - 1].id)) if len(edges) > limit else None)

    async def expand(
        self,
        ids: Collection[NodeId],
        *,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit_per_node: int = 256,
    ) -> Expansion:
        _between(limit_per_node, MAX_EXPANSION)
        _check_way(direction, types, min_confidence)
        if len(ids) > 256:
            raise InvalidInput("at most 256 nodes are expanded at once")
        found: dict[NodeId, list[Edge]] = {}
        for node in _checked(ids):
            if self._state.live(node) is not None:
                hops = self._state.hops(node, direction, types, min_confidence)
                best = sorted(hops, key=lambda hop: (-hop[0].confidence, hop[1], hop[0].id))
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
        check_id(start, what="a node id")
        _between(max_depth, MAX_HOPS)
        _between(limit, MAX_EXPANSION)
        _check_way(direction, types, min_confidence)
        if self._state.live(start) is None:
            return Walk((), truncated=False)
        hops = partial(self._state.hops, direction=direction, types=types, min_confidence=min_confidence)
        return paths.walk(start, hops, max_depth, limit)

    async def shortest_path(
        self,
        source: NodeId,
        target: NodeId,
        *,
        directed: bool = False,
        types: Collection[str] | None = None,
        max_hops: int = MAX_HOPS,
    ) -> Path | None:
        _between(max_hops, MAX_HOPS)
        direction: Direction = "out" if directed else "both"
        _check_way(direction, types, 0.0)
        if any(self._state.live(NodeId(check_id(node, what="a node id"))) is None for node in (source, target)):
            return None
        hops = partial(self._state.hops, direction=direction, types=types, min_confidence=0.0)
        return paths.shortest(source, target, hops, max_hops)

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        specs = self._state.specs(kind)
        single = all(field in specs and specs[field].type != "strs" for field in by)
        if len(by) > MAX_GROUP_FIELDS or len(set(by)) != len(by) or not single:
            raise InvalidInput(f"nodes are counted by at most {MAX_GROUP_FIELDS} single-valued fields, each once")
        order = [Order(field) for field in by]
        counts = Counter(place_of(node, order)[0] for node in self._matching(kind, where))
        if not by and not counts:
            return [Group((), 0)]
        return [Group(key, count) for key, count in sorted(counts.items(), key=lambda item: _position(item[0]))]

    async def count_edges(self) -> Mapping[str, int]:
        return dict(sorted(Counter(edge.type for edge in self._state.visible()).items()))

    async def get_meta(self, key: str) -> str | None:
        return self._state.notes.get(check_id(key, what="a note's key"))

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        check_id(key, what="a note's key")
        check_text(value, what="a note")
        if not if_absent or key not in self._state.notes:
            self._state.notes[key] = value
        return self._state.notes[key]

    async def drop(self) -> None:
        self._state.kinds, self._state.nodes, self._state.edges, self._state.notes = {}, {}, {}, {}

    def _matching(self, kind: str, where: Filter | None) -> list[Node]:
        if where is not None:
            check_filter(where, self._state.specs(kind))
        live = [kept.record for kept in self._state.nodes.values() if kept.record is not None]
        return [node for node in live if node.kind == kind and matches(where, node.fields)]


def _checked(ids: Collection[IdT]) -> set[IdT]:
    for key in ids:
        check_id(key, what="an id")
    return {*ids}


def _between(value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise InvalidInput(f"must be 1 to {most}: {value}")


def _check_way(direction: Direction, types: Collection[str] | None, min_confidence: float) -> None:
    for kind in types or ():
        check_name(kind, what="an edge type")
    if direction not in ("out", "in", "both") or not 0 <= min_confidence <= 1:
        raise InvalidInput(f"no such way: {direction!r:.60}, {min_confidence}")


def _position(key: tuple[Scalar | None, ...]) -> tuple[tuple[bool, Scalar], ...]:
    return tuple((value is None, 0 if value is None else value) for value in key)
