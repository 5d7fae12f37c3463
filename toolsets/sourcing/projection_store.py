"""Projection stores: graph and vectors of one generation behind one protocol, for the write path, the relay and rebuilds."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Protocol, TypeAlias

from backends.kit.cosine import is_unit
from backends.ports.embedder import Embedder
from backends.ports.errors import Unusable
from backends.ports.events import StreamName
from backends.ports.graph import Graph, GraphBatch
from backends.ports.values import EdgeId, NodeId, RecordId, Revision
from backends.ports.vectors import VectorRecord, Vectors, text_hash
from toolsets.sourcing.projection import Passage, Projection, ProjectionPort, Projector

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

INCARNATION = "incarnation"
"""The meta key with the identity of a store's contents."""
VERSION = "projection"
"""The meta key with the projector's version that made a store's records; if it is missing, that is version 1."""

KnownVectors: TypeAlias = Mapping[str, "Vector"]
"""Vectors that need not be computed, by the `text_hash` of their text.

Each is from the store's embedder, which gives its dimension, and has unit norm. A vector of another dimension makes the write
raise `InvalidInput`; one of another model is not noticed.
"""

_Placed: TypeAlias = tuple[str, Revision, Passage]
"""The collection, the revision and the passage itself."""


class NewerRecords(Unusable):
    """A store has records of a later version of the projector, which this process can neither read nor write."""


class StoreMeta(Protocol):
    """The metadata of a store: key-value pairs about itself."""

    async def get_meta(self, key: str) -> str | None:
        """Return the value of a key, None if it was never set."""
        ...

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Set a key and return its present value; with `if_absent` an existing value is kept."""
        ...


class ProjectionStore(Protocol):
    """A store of one generation."""

    @property
    def meta(self) -> StoreMeta:
        """The metadata of the store."""
        ...

    @property
    def port(self) -> ProjectionPort:
        """Whether it is the graph or the vectors."""
        ...

    @property
    def incarnation(self) -> str:
        """The identity of the contents: a store that was lost and re-created has another one."""
        ...

    @property
    def version(self) -> int:
        """The projector's version that made its records."""
        ...

    @property
    def lost(self) -> bool:
        """Whether contents were found missing when it was opened; it is filled again from the start of the log."""
        ...

    @property
    def conditional_writes(self) -> bool:
        """Whether the store itself refuses older revisions, so that every process may write it."""
        ...

    def holds(self, stream: StreamName) -> bool:
        """Return whether a stream has records in this store."""
        ...

    async def revisions(self, streams: Iterable[StreamName]) -> Mapping[StreamName, int]:
        """Return the stored revision of each stream's anchor, 0 if it has none; streams without records here are left out."""
        ...

    async def write(self, projections: Sequence[Projection], known_vectors: KnownVectors) -> None:
        """Store the records of some streams; the store skips records whose stored revision is not lower."""
        ...


class GraphStore:
    """The graph of one generation."""

    def __init__(self, projector: Projector, graph: Graph, incarnation: str, *, version: int | None = None) -> None:
        """Wrap the opened graph; `version` is the projector's version of its records, by default the present one."""
        self.port: ProjectionPort = "graph"
        self.version = projector.version if version is None else version
        self.lost = False
        self.graph = graph
        self.conditional_writes = graph.conditional_writes
        self.meta: StoreMeta = graph
        self.incarnation = incarnation
        self._projector = projector

    def holds(self, stream: StreamName) -> bool:
        """Return whether a stream has nodes or edges."""
        kind = self._projector.stream_kind(stream)
        return kind is not None and kind.graph is not None

    async def revisions(self, streams: Iterable[StreamName]) -> Mapping[StreamName, int]:
        """Return the stored revision of each stream's anchor, 0 for none."""
        nodes: dict[StreamName, NodeId] = {}
        edges: dict[StreamName, EdgeId] = {}
        for stream in streams:
            kind = self._projector.stream_kind(stream)
            if kind is not None and kind.graph == "node":
                nodes[stream] = NodeId(kind.anchor(stream))
            elif kind is not None and kind.graph == "edge":
                edges[stream] = EdgeId(kind.anchor(stream))
        found: dict[StreamName, int] = {}
        if nodes:
            of_nodes = await self.graph.node_revisions(tuple(nodes.values()))
            found.update({stream: int(of_nodes.get(id_, 0)) for stream, id_ in nodes.items()})
        if edges:
            of_edges = await self.graph.edge_revisions(tuple(edges.values()))
            found.update({stream: int(of_edges.get(id_, 0)) for stream, id_ in edges.items()})
        return found

    async def write(self, projections: Sequence[Projection], known_vectors: KnownVectors) -> None:
        """Store nodes and edges atomically. Raises the store's errors."""
        batch = GraphBatch(
            nodes=tuple(node for projection in projections for node in projection.nodes),
            edges=tuple(edge for projection in projections for edge in projection.edges),
            deleted_nodes={id_: each.rev for each in projections for id_ in each.deleted_nodes},
            deleted_edges={id_: each.rev for each in projections for id_ in each.deleted_edges},
        )
        if batch.nodes or batch.edges or batch.deleted_nodes or batch.deleted_edges:
            await self.graph.apply(batch)


class VectorStore:
    """The vectors of one generation; a text is embedded only if no vector of an equal text is available."""

    def __init__(
        self,
        projector: Projector,
        vectors: Vectors,
        embedder: Embedder,
        incarnation: str,
        *,
        donor: "VectorStore | None" = None,
        version: int | None = None,
        lost: bool = False,
    ) -> None:
        """Wrap the opened vectors; vectors of equal texts are copied from a `donor` with the same embedder.

        `version` is the projector's version of the records, by default the present one; `lost` says that some are missing.
        """
        self.port: ProjectionPort = "vectors"
        self.version = projector.version if version is None else version
        self.lost = lost
        self.vectors = vectors
        self.conditional_writes = vectors.conditional_writes
        self.meta: StoreMeta = vectors
        self.embedder = embedder
        self.incarnation = incarnation
        self.embedded = 0
        """The number of texts that were embedded because no vector was available."""
        self._projector = projector
        self._donor = donor

    @property
    def collection(self) -> str:
        """The name of the projector's first collection."""
        return self._projector.collections[0].name

    def holds(self, stream: StreamName) -> bool:
        """Return whether a stream has passages."""
        kind = self._projector.stream_kind(stream)
        return kind is not None and kind.collection is not None

    async def maintain(self) -> None:
        """Merge and index what was stored in each collection."""
        for collection in self._projector.collections:
            await self.vectors.maintain(collection.name)

    async def revisions(self, streams: Iterable[StreamName]) -> Mapping[StreamName, int]:
        """Return the stored revision of each stream's anchor, 0 for none."""
        anchors: dict[str, dict[StreamName, RecordId]] = {}
        for stream in streams:
            kind = self._projector.stream_kind(stream)
            if kind is not None and kind.collection is not None:
                anchors.setdefault(kind.collection, {})[stream] = RecordId(kind.anchor(stream))
        found: dict[StreamName, int] = {}
        for collection, ids in anchors.items():
            stored = await self.vectors.revisions(collection, tuple(ids.values()))
            found.update({stream: int(stored.get(id_, 0)) for stream, id_ in ids.items()})
        return found

    async def write(self, projections: Sequence[Projection], known_vectors: KnownVectors) -> None:
        """Store passages, then anchors, then tombstones, so that a stream with a current anchor has all its passages.

        Raises the store's and the embedder's errors; some records may have been stored.
        """
        others: list[_Placed] = []
        anchors: list[_Placed] = []
        for projection in projections:
            anchor = self._anchor(projection.stream)
            for passage in projection.passages:
                placed = (passage.collection, projection.rev, passage)
                (anchors if (passage.collection, passage.id) == anchor else others).append(placed)
        if others or anchors:
            vectors = await self._vectors_for((*others, *anchors), known_vectors)
            for part in (others, anchors):
                await self._upsert(part, vectors)
        gone: dict[str, dict[RecordId, Revision]] = {}
        for projection in projections:
            for collection, id_ in projection.deleted_passages:
                gone.setdefault(collection, {})[id_] = projection.rev
        for collection, revisions in gone.items():
            await self.vectors.delete(collection, revisions)

    async def stored(self, collection: str, ids: Sequence[RecordId]) -> "dict[str, Vector]":
        """Return the stored vectors of records by the hash of their text, except damaged ones."""
        found = await self.vectors.get(collection, ids)
        return {record.text_hash: record.vector for record in found.values() if is_unit(record.vector)}

    def _anchor(self, stream: StreamName) -> tuple[str, RecordId] | None:
        kind = self._projector.stream_kind(stream)
        if kind is None or kind.collection is None:
            return None
        return kind.collection, RecordId(kind.anchor(stream))

    async def _upsert(self, placed: Sequence[_Placed], vectors: KnownVectors) -> None:
        for collection, of_one in groupby(sorted(placed, key=lambda each: each[0]), key=lambda each: each[0]):
            records = [VectorRecord(p.id, vectors[text_hash(p.text)], p.text, rev, p.fields) for _, rev, p in of_one]
            await self.vectors.upsert(collection, records)

    async def _vectors_for(self, placed: Sequence[_Placed], known: KnownVectors) -> KnownVectors:
        texts = {text_hash(passage.text): passage.text for _, _, passage in placed}
        vectors = {key: known[key] for key in texts if key in known}
        for source in (self, self._donor):
            if source is not None and len(vectors) < len(texts):
                vectors.update(await self._taken_over(source, placed, vectors))
        missing = {key: text for key, text in texts.items() if key not in vectors}
        if missing:
            rows = await self.embedder.embed(tuple(missing.values()))
            vectors.update(zip(missing, rows, strict=True))
            self.embedded += len(missing)
        return vectors

    async def _taken_over(
        self, source: "VectorStore", placed: Sequence[_Placed], vectors: KnownVectors
    ) -> "dict[str, Vector]":
        """Return a store's vectors for texts that have none yet; the texts are embedded if a donor fails."""
        wanted: dict[str, list[RecordId]] = {}
        hashes: set[str] = set()
        for collection, rev, passage in placed:
            key = text_hash(passage.text)
            # A record at its first revision has no earlier version in this store whose vector could be reused.
            if key not in vectors and (source is not self or rev > 1):
                wanted.setdefault(collection, []).append(passage.id)
                hashes.add(key)
        found: dict[str, Vector] = {}
        try:
            for collection, ids in wanted.items():
                found.update(await source.stored(collection, ids))
        except Exception:  # a donor's contents may be damaged in any way
            if source is self:
                raise
        return {key: vector for key, vector in found.items() if key in hashes}
