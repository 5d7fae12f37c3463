"""Comparison of generations: a digest of all that one holds, and whether another one holds the same."""

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias, TypeVar

import anyio

from backends.ports.graph import Edge, Node
from backends.ports.values import EdgeId, Json, NodeId, Page, RecordId
from backends.ports.vectors import VectorRecord
from toolsets.sourcing.projection import Projector
from toolsets.sourcing.projection_store import GraphStore, VectorStore

_PAGE = 1_000
MAX_DIFFERENCES = 1_000
"""Records that are read again because they differ; with more of them, two generations differ."""

ROUNDS = 10
"""How often records that differ are read again while they go on changing."""
AGAIN_S = 0.2
"""How long another process may take to write what it has appended to the log."""

NODES, EDGES, PASSAGES = range(3)
ItemT = TypeVar("ItemT")

Key: TypeAlias = tuple[int, str, str]
"""Where a record lies: its sort, its kind or collection, and its id; generations are read in this order."""


@dataclass(frozen=True, slots=True)
class Generation:
    """The stores of one generation."""

    graph: GraphStore
    vectors: VectorStore | None

    def stores(self) -> tuple[GraphStore | VectorStore, ...]:
        """Return the stores that there are, the graph first."""
        return (self.graph,) if self.vectors is None else (self.graph, self.vectors)


@dataclass(frozen=True, slots=True)
class Contents:
    """What a generation holds: the number of live records of each sort, and the digest of all."""

    nodes: int
    edges: int
    vectors: int
    digest: str


class _ReadPage(Protocol[ItemT]):
    async def __call__(self, *, after: str | None, limit: int) -> Page[ItemT]: ...


class Digest:
    """Counts records and hashes them in order, without revisions and floats."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._counts = [0, 0, 0]

    def add(self, key: Key, record: Json) -> None:
        """Add the next record."""
        line = json.dumps(record, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        self._sha256.update(line.encode() + b"\n")
        self._counts[key[0]] += 1

    def contents(self) -> Contents:
        """Return what was added."""
        return Contents(self._counts[NODES], self._counts[EDGES], self._counts[PASSAGES], self._sha256.hexdigest())


async def contents(projector: Projector, generation: Generation) -> Contents:
    """Return what a generation holds, read whole, a page at a time.

    In the digest a vector counts by the hash of its text and the embedder's identity. Raises the stores' errors.
    """
    digest = Digest()
    async for key, record in records(projector, generation):
        digest.add(key, record)
    return digest.contents()


async def compared(
    projector: Projector, one: Generation, other: Generation, bring_up: Callable[[], Awaitable[None]]
) -> tuple[Contents, bool]:
    """Return what `one` holds, and whether `other` holds the same although both may be written meanwhile.

    They are read side by side. A record that differs may have been written between the two reads, or to one of them
    only, so it is read again from both after `bring_up`, which brings them up to the log. Raises the stores' errors.
    """
    await bring_up()
    digest, suspects = Digest(), set[Key]()
    left, right = records(projector, one), records(projector, other)
    first, second = await anext(left, None), await anext(right, None)
    while first is not None or (second is not None and len(suspects) <= MAX_DIFFERENCES):
        key = min(record[0] for record in (first, second) if record is not None)
        if first != second:
            suspects.add(key)
        if second is not None and second[0] == key:
            second = await anext(right, None) if len(suspects) <= MAX_DIFFERENCES else None
        if first is not None and first[0] == key:
            digest.add(*first)
            first = await anext(left, None)
    if len(suspects) > MAX_DIFFERENCES:
        return digest.contents(), False
    return digest.contents(), await _become_equal(projector, one, other, suspects, bring_up)


async def _become_equal(
    projector: Projector,
    one: Generation,
    other: Generation,
    suspects: Collection[Key],
    bring_up: Callable[[], Awaitable[None]],
) -> bool:
    """Read records that differ until none does, and return False for one that is twice the same and differs.

    One that is written faster than both can be read is no difference.
    """
    former: Mapping[Key, tuple[Json, Json]] = {}
    for _ in range(ROUNDS):
        await bring_up()
        here, there = await read_again(projector, one, suspects), await read_again(projector, other, suspects)
        pairs = {key: (here.get(key), there.get(key)) for key in suspects if here.get(key) != there.get(key)}
        if not pairs:
            return True
        if any(former.get(key) == pair for key, pair in pairs.items()):
            return False
        suspects, former = pairs.keys(), pairs
        await anyio.sleep(AGAIN_S)
    return True


async def read_again(projector: Projector, generation: Generation, keys: Collection[Key]) -> Mapping[Key, Json]:
    """Return those records among `keys` that a generation holds. Raises the stores' errors."""
    nodes = await generation.graph.graph.get_nodes([NodeId(key[2]) for key in keys if key[0] == NODES])
    edges = await generation.graph.graph.get_edges([EdgeId(key[2]) for key in keys if key[0] == EDGES])
    found: dict[Key, Json] = {(NODES, node.kind, node.id): _node(node) for node in nodes.values()}
    found |= {(EDGES, "", edge.id): _edge(edge) for edge in edges.values()}
    if generation.vectors is not None:
        for collection in {key[1] for key in keys if key[0] == PASSAGES}:
            ids = [RecordId(key[2]) for key in keys if key[:2] == (PASSAGES, collection)]
            for record in (await generation.vectors.vectors.get(collection, ids)).values():
                shown = _passage(projector, generation.vectors, collection, record)
                found[PASSAGES, collection, record.id] = shown
    return found


async def records(projector: Projector, generation: Generation) -> AsyncIterator[tuple[Key, Json]]:
    """Yield every live record with its key, in the order of the keys. Raises the stores' errors."""
    graph = generation.graph.graph
    for kind in sorted(kind.name for kind in projector.kinds):
        async for node in _paged(partial(graph.find, kind)):
            yield (NODES, kind, node.id), _node(node)
    async for edge in _paged(graph.scan_edges):
        yield (EDGES, "", edge.id), _edge(edge)
    if (vectors := generation.vectors) is None:
        return
    for collection in sorted(collection.name for collection in projector.collections):
        async for record in _paged(partial(vectors.vectors.scan, collection)):
            yield (PASSAGES, collection, record.id), _passage(projector, vectors, collection, record)


async def _paged(read: _ReadPage[ItemT]) -> AsyncIterator[ItemT]:
    after: str | None = None
    while True:
        page = await read(after=after, limit=_PAGE)
        for item in page.items:
            yield item
        if (after := page.after) is None:
            return


def _node(node: Node) -> Json:
    return {"node": node.id, "kind": node.kind, "fields": dict(node.fields), "props": dict(node.props)}


def _edge(edge: Edge) -> Json:
    ends: list[Json] = [edge.source, edge.target, edge.type]
    return {"edge": edge.id, "ends": ends, "confidence": repr(edge.confidence), "props": dict(edge.props)}


def _passage(projector: Projector, vectors: VectorStore, collection: str, record: VectorRecord) -> Json:
    # A single collection is not named, as in version 0.1, so that digests stay comparable.
    named: dict[str, Json] = {"collection": collection} if len(projector.collections) > 1 else {}
    model = str(vectors.embedder.identity)
    return {"passage": record.id, "text": record.text_hash, "fields": dict(record.fields), "model": model, **named}
