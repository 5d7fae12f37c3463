"""The contents of a generation: its records in order, their number and their digest."""

import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, TypeAlias, TypeVar

from backends.ports.graph import Edge, Node
from backends.ports.values import EdgeId, Json, NodeId, Page, RecordId
from backends.ports.vectors import VectorRecord
from toolsets.sourcing.projection import Projector
from toolsets.sourcing.projection_store import GraphStore, VectorStore

_PAGE: Final = 1_000
"""The largest page of the ports."""

NODES, EDGES, PASSAGES = range(3)

ItemT = TypeVar("ItemT")

Key: TypeAlias = tuple[int, str, str]
"""The key of a record: its sort, its kind or collection, and its id; generations are read in this order."""
Pair: TypeAlias = tuple[Key, Json, Json]
"""A key with the records that two generations have under it; None for one that has none."""


@dataclass(frozen=True, slots=True)
class Generation:
    """The stores of one generation."""

    graph: GraphStore
    vectors: VectorStore | None

    def stores(self) -> tuple[GraphStore | VectorStore, ...]:
        """Return the stores, the graph first."""
        return (self.graph,) if self.vectors is None else (self.graph, self.vectors)


@dataclass(frozen=True, slots=True)
class Contents:
    """The number of live records of each sort in a generation, and the digest of all."""

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
        """Return the counts and the digest of the records added so far."""
        return Contents(self._counts[NODES], self._counts[EDGES], self._counts[PASSAGES], self._sha256.hexdigest())


async def contents(projector: Projector, generation: Generation) -> Contents:
    """Return counts and digest of a generation, reading all of it page by page.

    A vector enters the digest as the hash of its text and the embedder's identity. Raises the stores' errors.
    """
    digest = Digest()
    async for key, record in records(projector, generation):
        digest.add(key, record)
    return digest.contents()


async def records(projector: Projector, generation: Generation) -> AsyncGenerator[tuple[Key, Json]]:
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


async def side_by_side(projector: Projector, one: Generation, other: Generation) -> AsyncGenerator[Pair]:
    """Yield the records of two generations in the order of the keys. Raises the stores' errors."""
    async with aclosing(records(projector, one)) as left, aclosing(records(projector, other)) as right:
        first, second = await anext(left, None), await anext(right, None)
        while first is not None or second is not None:
            key = min(record[0] for record in (first, second) if record is not None)
            here = first[1] if first is not None and first[0] == key else None
            there = second[1] if second is not None and second[0] == key else None
            yield key, here, there
            if here is not None:
                first = await anext(left, None)
            if there is not None:
                second = await anext(right, None)


async def read_pairs(projector: Projector, one: Generation, other: Generation, keys: Collection[Key]) -> list[Pair]:
    """Return the present records of two generations under `keys`, in their order. Raises the stores' errors."""
    here, there = await _read(projector, one, keys), await _read(projector, other, keys)
    return [(key, here.get(key), there.get(key)) for key in keys]


async def _read(projector: Projector, generation: Generation, keys: Collection[Key]) -> Mapping[Key, Json]:
    """Return the records among `keys` that a generation contains. Raises the stores' errors."""
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
    # A single collection is not named, as in builds before the first release, so that digests stay comparable.
    named: dict[str, Json] = {"collection": collection} if len(projector.collections) > 1 else {}
    model = str(vectors.embedder.identity)
    return {"passage": record.id, "text": record.text_hash, "fields": dict(record.fields), "model": model, **named}
