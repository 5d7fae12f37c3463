"""A wrapper around an engine's graph that checks every argument."""

from collections.abc import Collection, Mapping, Sequence

from backends.ports.checked.rules import (
    check_deletions,
    check_ids,
    check_meta,
    check_range,
    check_revision,
    check_where,
    findable,
)
from backends.ports.errors import InvalidInput
from backends.ports.fields import check_field_specs
from backends.ports.filters import Filter
from backends.ports.graph import (
    MAX_EQUAL_FIELDS,
    MAX_EXPANSION,
    MAX_GROUP_FIELDS,
    MAX_HOPS,
    MAX_LISTINGS,
    MAX_SORT_KEYS,
    MAX_STARTS,
    Direction,
    Edge,
    Expansion,
    Graph,
    GraphBatch,
    GraphPath,
    Group,
    KindSpec,
    ListingSpec,
    Node,
    Order,
    Walk,
    check_group_field,
)
from backends.ports.ids import check_id, check_name
from backends.ports.values import MAX_PAGE, EdgeId, FieldSpec, NodeId, Page, Revision


class CheckedGraph:
    """A graph whose engine gets only valid arguments. Raises `InvalidInput` for others, and what the engine raises."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    @property
    def conditional_writes(self) -> bool:
        """Whether the engine itself refuses older revisions."""
        return self._graph.conditional_writes

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Check names, fields and totals."""
        _check_kinds(kinds)
        await self._graph.ensure(kinds)

    async def apply(self, batch: GraphBatch) -> None:
        """Check everything in the batch except fields and props."""
        _check_graph_batch(batch)
        await self._graph.apply(batch)

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Check the ids."""
        check_ids(ids, what="a node id")
        return await self._graph.get_nodes(ids)

    async def get_edges(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Edge]:
        """Check the ids."""
        check_ids(ids, what="an edge id")
        return await self._graph.get_edges(ids)

    async def node_revisions(self, ids: Collection[NodeId]) -> Mapping[NodeId, Revision]:
        """Check the ids."""
        check_ids(ids, what="a node id")
        return await self._graph.node_revisions(ids)

    async def edge_revisions(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Revision]:
        """Check the ids."""
        check_ids(ids, what="an edge id")
        return await self._graph.edge_revisions(ids)

    async def find(
        self,
        kind: str,
        where: Filter | None = None,
        *,
        order: Sequence[Order] = (),
        after: str | None = None,
        limit: int = 100,
    ) -> Page[Node]:
        """Check the kind's name, the filter, the sort keys and the limit."""
        check_name(kind, what="a kind")
        check_where(where)
        _check_order(order)
        check_range("limit", limit, MAX_PAGE)
        return await self._graph.find(kind, findable(where), order=order, after=after, limit=limit)

    async def scan_edges(self, *, after: str | None = None, limit: int = 1_000) -> Page[Edge]:
        """Check the limit."""
        check_range("limit", limit, MAX_PAGE)
        return await self._graph.scan_edges(after=after, limit=limit)

    async def expand(
        self,
        ids: Collection[NodeId],
        *,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit_per_node: int = 256,
    ) -> Expansion:
        """Check ids, limit, direction, types and confidence."""
        _check_starts(ids)
        check_range("limit_per_node", limit_per_node, MAX_EXPANSION)
        _check_edges_followed(direction, types, min_confidence)
        return await self._graph.expand(
            ids, direction=direction, types=types, min_confidence=min_confidence, limit_per_node=limit_per_node
        )

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
        """Check id, depth, limit, direction, types and confidence."""
        check_id(start, what="a node id")
        check_range("max_depth", max_depth, MAX_HOPS)
        check_range("limit", limit, MAX_EXPANSION)
        _check_edges_followed(direction, types, min_confidence)
        return await self._graph.walk(
            start, max_depth=max_depth, direction=direction, types=types, min_confidence=min_confidence, limit=limit
        )

    async def shortest_path(
        self,
        source: NodeId,
        target: NodeId,
        *,
        directed: bool = False,
        types: Collection[str] | None = None,
        max_hops: int = MAX_HOPS,
    ) -> GraphPath | None:
        """Check both ids, the types and the number of hops."""
        check_id(source, what="a node id")
        check_id(target, what="a node id")
        check_range("max_hops", max_hops, MAX_HOPS)
        _check_edges_followed("both", types, 0.0)
        return await self._graph.shortest_path(source, target, directed=directed, types=types, max_hops=max_hops)

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        """Check the kind's name, the fields to count by and the filter."""
        check_name(kind, what="a kind")
        _check_groups(by)
        check_where(where)
        return await self._graph.count_nodes(kind, by=by, where=findable(where))

    async def count_edges(self) -> Mapping[str, int]:
        """Forward the call."""
        return await self._graph.count_edges()

    async def get_meta(self, key: str) -> str | None:
        """Check the key."""
        check_id(key, what="a meta key")
        return await self._graph.get_meta(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Check key and text."""
        check_meta(key, value)
        return await self._graph.set_meta(key, value, if_absent=if_absent)

    async def drop(self) -> None:
        """Forward the call."""
        await self._graph.drop()


def _check_kinds(kinds: Sequence[KindSpec]) -> None:
    """Refuse an invalid name, invalid fields, and invalid totals and listings.

    Totals are up to 3 single-valued fields of the kind; listings are by its sortable fields.
    """
    for kind in kinds:
        check_name(kind.name, what="a kind")
        specs = check_field_specs(kind.fields, owner=f"kind {kind.name!r}")
        _check_groups(kind.totals)
        for name in kind.totals:
            check_group_field(name, specs)
        if len(kind.listings) > MAX_LISTINGS:
            raise InvalidInput(f"a kind has at most {MAX_LISTINGS} listings")
        for listing in kind.listings:
            _check_listing(listing, specs)


def _check_listing(listing: ListingSpec, specs: Mapping[str, FieldSpec]) -> None:
    """Refuse too few or too many fields, one that occurs twice, and one that is not flagged sort."""
    _check_order(listing.order)
    names = [*listing.equal, *(key.field for key in listing.order)]
    if not listing.order or len(listing.equal) > MAX_EQUAL_FIELDS or len(set(names)) != len(names):
        raise InvalidInput(
            f"a declared listing has 1 to {MAX_SORT_KEYS} sort keys and at most {MAX_EQUAL_FIELDS} equal fields, each once"
        )
    for name in names:
        if name not in specs or not specs[name].sort:
            raise InvalidInput(f"cannot list by {name!r:.60}: no field of that name is flagged sort")


def _check_graph_batch(batch: GraphBatch) -> None:
    """Refuse an invalid id, revision, confidence, kind or edge type; the adapter checks fields and props."""
    for node in batch.nodes:
        check_id(node.id, what="a node id")
        check_revision(node.rev)
    for edge in batch.edges:
        check_id(edge.id, what="an edge id")
        check_revision(edge.rev)
        if not 0 <= edge.confidence <= 1:
            raise InvalidInput(f"a confidence is 0 to 1: {edge.confidence}")
    # A batch has few kinds and types, and its edges share ends, so each is checked once.
    for name in {node.kind for node in batch.nodes}:
        check_name(name, what="a kind")
    for name in {edge.type for edge in batch.edges}:
        check_name(name, what="an edge type")
    check_ids({end for edge in batch.edges for end in (edge.source, edge.target)}, what="the id of an edge's end")
    check_deletions(batch.deleted_nodes)
    check_deletions(batch.deleted_edges)


def _check_starts(ids: Collection[str]) -> None:
    """Refuse an invalid id and more than 256 nodes."""
    if len(ids) > MAX_STARTS:
        raise InvalidInput(f"at most {MAX_STARTS} nodes are expanded at once")
    check_ids(ids, what="a node id")


def _check_edges_followed(direction: Direction, types: Collection[str] | None, min_confidence: float) -> None:
    """Refuse an unknown direction, an invalid edge type, and a confidence that is not 0 to 1."""
    for name in types or ():
        check_name(name, what="an edge type")
    if direction not in ("out", "in", "both"):
        raise InvalidInput(f"a direction is out, in or both: {direction!r:.60}")
    if not 0 <= min_confidence <= 1:
        raise InvalidInput(f"min_confidence is 0 to 1: {min_confidence}")


def _check_order(order: Sequence[Order]) -> None:
    """Refuse more than 4 sort keys, and one that occurs twice."""
    if len(order) > MAX_SORT_KEYS or len({key.field for key in order}) != len(order):
        raise InvalidInput(f"a listing has at most {MAX_SORT_KEYS} sort keys, each field once")


def _check_groups(by: Sequence[str]) -> None:
    """Refuse more than 3 fields to count by, and one that occurs twice."""
    if len(by) > MAX_GROUP_FIELDS or len(set(by)) != len(by):
        raise InvalidInput(f"nodes are counted by at most {MAX_GROUP_FIELDS} fields, each once")
