"""Reads for all toolsets: nodes while the graph is down, listings with ties, nearest passages, cached counts."""

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING, Generic, TypeVar

from backends.kit.coalesce import Coalescer
from backends.ports.errors import InvalidInput, StoreError
from backends.ports.events import StreamName
from backends.ports.filters import Filter
from backends.ports.graph import MAX_EXPANSION, Direction, Edge, Graph, Node
from backends.ports.ids import check_id, check_stream
from backends.ports.values import Micros, NodeId
from backends.ports.vectors import MAX_HITS, Hit
from toolsets.clock import SECOND
from toolsets.concurrency import run_cpu
from toolsets.replies import SCORE_DIGITS
from toolsets.sourcing.aggregate import UnreadableEvent, size_of
from toolsets.sourcing.projection_store import VectorStore
from toolsets.sourcing.stores import LiveStores

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

ResultT = TypeVar("ResultT")

MAX_CALLS = 64
"""The most calls that share a count."""

LIFETIME_S = 300
"""The documented lifetime of cached counts."""

EXTRA_HITS = 10
"""Hits requested beyond a limit, because the graph may lack some of them: deleted, or not projected yet."""

HALF_DIGIT = 0.5 * 10**-SCORE_DIGITS
"""How far below a threshold a score may be and still be rounded up to it."""

FIRST_EDGES = 256
"""Edges read at a node at first; if ties reach beyond them, `MAX_EXPANSION` are read."""

_logger = logging.getLogger(__name__)


async def nodes_of(
    live_stores: LiveStores, streams: Mapping[NodeId, StreamName], *, pending: bool = False
) -> Mapping[NodeId, Node]:
    """Return the live nodes with these ids from the graph, or from the log while the graph fails.

    With `pending`, nodes that the graph lacks are read from the log, as their projection may be pending. That is for ids
    that usually have a node, such as those of hits: the stream of each other one is read, too.
    `streams` maps each id to the node's stream. Missing from the result are ids without a live node, and texts that cannot
    be ids, so a caller may pass what a client sent. Raises the log's errors and `UnreadableEvent` while the graph fails.
    """
    streams = {id_: stream for id_, stream in streams.items() if _can_exist(id_, stream)}
    try:
        found = await (await live_stores.graph()).graph.get_nodes(streams.keys())
    except StoreError as error:
        _logger.warning("nodes are read from the log, the graph failed: %s", error)
        live_stores.invalidate("graph")
        return await _recorded_nodes(live_stores, streams)
    missing = {id_: stream for id_, stream in streams.items() if id_ not in found}
    if not missing or not pending:
        return found
    try:
        return {**found, **await _recorded_nodes(live_stores, missing)}
    except (StoreError, UnreadableEvent) as error:
        _logger.warning("nodes that the graph lacks are not read from the log: %s", error)
        return found


async def _recorded_nodes(live_stores: LiveStores, streams: Mapping[NodeId, StreamName]) -> Mapping[NodeId, Node]:
    """Return the live nodes with these ids as the log has them. Raises the log's errors, and `UnreadableEvent`."""
    histories = await live_stores.read_streams(tuple(streams.values()))
    project = live_stores.projector.project

    def nodes() -> dict[NodeId, Node]:
        projections = [project(stream, history) for stream, history in histories.items() if history]
        return {node.id: node for projection in projections for node in projection.nodes if node.id in streams}

    return await run_cpu(nodes, size=size_of(histories.values()))


def _can_exist(node: NodeId, stream: StreamName) -> bool:
    try:
        check_id(node, what="the id of a node")
        check_stream(stream)
    except InvalidInput:
        return False
    return True


async def nearest(
    store: VectorStore,
    collection: str,
    vector: "Vector",
    limit: int,
    *,
    where: Filter | None = None,
    min_score: float | None = None,
) -> Sequence[Hit]:
    """Return the hits nearest to `vector`, best first: ten beyond `limit`, and all that tie with the last within it.

    The caller can therefore drop hits without a live node, order ties by names, and keep the first `limit`. At most 1,000
    hits are read. Raises the store's errors.
    """
    most = min(MAX_HITS, limit + EXTRA_HITS)
    hits = await store.vectors.dense(collection, vector, most, where=where, min_score=min_score)
    if len(hits) < most or not _tie(hits[limit - 1], hits[-1]):
        return hits
    hits = await store.vectors.dense(collection, vector, MAX_HITS, where=where, min_score=min_score)
    ties = sum(1 for hit in hits[limit:] if _tie(hits[limit - 1], hit))
    return hits[: max(most, limit + ties)]


def _tie(one: Hit, other: Hit) -> bool:
    """Return whether two hits have the same score in a reply."""
    return shown_score(one.score) == shown_score(other.score)


def shown_score(score: float) -> float:
    """Return a score as replies show it: with four decimals, and never above 1."""
    return round(min(1.0, float(score)), SCORE_DIGITS)


def ranked_hits(
    hits: Sequence[Hit], nodes: Mapping[NodeId, Node], limit: int, *, name: str = "name", least: float = -1.0
) -> list[tuple[float, Node]]:
    """Return score and node of the first `limit` hits that have a node of the same id, best first.

    Scores have four digits and are at least `least`; ties are ordered by the text field `name` if nodes have it, then by id.
    """
    scored = ((float(hit.score), node) for hit in hits if (node := nodes.get(NodeId(hit.id))) is not None)
    return rank_nodes(scored, limit, name=name, least=least)


def rank_nodes(
    scored: Iterable[tuple[float, Node]], limit: int, *, name: str = "name", least: float = -1.0
) -> list[tuple[float, Node]]:
    """Return the best `limit` pairs of score and node, in the order and form of `ranked_hits`."""
    rounded = ((shown_score(score), node) for score, node in scored)
    kept = (pair for pair in rounded if pair[0] >= least)
    return nsmallest(limit, kept, key=lambda pair: (-pair[0], str(pair[1].fields.get(name, "")), pair[1].id))


async def most_confident_edges(
    graph: Graph, node: NodeId, *, direction: Direction = "both", types: Sequence[str] | None = None, limit: int
) -> Sequence[Edge]:
    """Return the `limit` most confident edges of a node and all ties with the last of them, most confident first.

    The caller can therefore order ties by names. At most 10,000 edges are read.
    """
    edges: Sequence[Edge] = ()
    least = 0.0
    for most in (FIRST_EDGES, MAX_EXPANSION):
        expansion = await graph.expand((node,), direction=direction, types=types, limit_per_node=most)
        edges = expansion.edges.get(node, ())
        least = edges[limit - 1].confidence if len(edges) >= limit else 0.0
        if node not in expansion.truncated or edges[-1].confidence < least:
            break
    return [edge for edge in edges if edge.confidence >= least]


@dataclass(frozen=True, slots=True)
class _Count(Generic[ResultT]):
    """A call that counts."""

    key: tuple[str, int] | None
    nothing_pending: Callable[[], Awaitable[bool]]
    count: Callable[[], Awaitable[ResultT]]


class CountCache(Generic[ResultT]):
    """A cache of the last count, valid for five minutes and for one state of log and store.

    Calls that need a count while another one is counting share the next count.
    """

    def __init__(self, now: Callable[[], Micros]) -> None:
        self._now = now
        self._counts: Coalescer[_Count[ResultT], ResultT] = Coalescer(self._count_together, max_items=MAX_CALLS)
        self._key: tuple[str, int] | None = None
        self._until = 0
        self._result: ResultT | None = None

    async def get(
        self,
        key: tuple[str, int] | None,
        *,
        nothing_pending: Callable[[], Awaitable[bool]],
        count: Callable[[], Awaitable[ResultT]],
    ) -> ResultT:
        """Return the count for a state of store and log (None: unknown), counting if it is not cached.

        A count made while projections were pending is not cached.
        """
        return (
            await self._counts.submit(_Count(key, nothing_pending, count))
            if (known := self._known(key)) is None
            else known
        )

    def _known(self, key: tuple[str, int] | None) -> ResultT | None:
        is_valid = key is not None and key == self._key and self._now() < self._until
        return self._result if is_valid else None

    async def _count_together(self, calls: Sequence[_Count[ResultT]]) -> Sequence[ResultT]:
        call = calls[-1]
        if (known := self._known(call.key)) is not None:
            return [known] * len(calls)
        # Checked before counting: a projection made in between makes the count newer than the key, never older.
        keep = call.key is not None and await call.nothing_pending()
        result = await call.count()
        if keep:
            self._key, self._result, self._until = call.key, result, self._now() + LIFETIME_S * SECOND
        return [result] * len(calls)
