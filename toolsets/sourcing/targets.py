"""The two stores that projections are written to, seen alike by the write path, the relay and a rebuild."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from backends.closeness import is_unit
from backends.ports.embedder import Embedder
from backends.ports.errors import StoreError
from backends.ports.events import StreamName
from backends.ports.graph import Edge, Graph, GraphBatch, Node
from backends.ports.values import EdgeId, NodeId, RecordId
from backends.ports.vectors import VectorRecord, Vectors, text_hash
from toolsets.sourcing.projection import GoneEdge, GoneNode, GonePassage, Keys, Passage, Projection, Projector

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

PortName: TypeAlias = Literal["graph", "vectors"]
INCARNATION = "incarnation"
"""The store's note that says who it is."""

KnownVectors: TypeAlias = Mapping[str, "Vector"]
"""Vectors at hand, by the hash of their text."""


def ports_of(projector: Projector) -> tuple[PortName, ...]:
    """Return the stores that a projector's records go into."""
    return ("graph",) if projector.collection is None else ("graph", "vectors")


def ports_holding(keys: Keys | None) -> tuple[PortName, ...]:
    """Return the stores that have a record of a stream with these keys."""
    if keys is None:
        return ()
    graph: tuple[PortName, ...] = ("graph",) if keys.graph is not None else ()
    return (*graph, "vectors") if keys.vectors is not None else graph


class Notes(Protocol):
    """What a store keeps about itself."""

    async def get_meta(self, key: str) -> str | None:
        """Return a note."""
        ...

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Keep a note."""
        ...


class Target(Protocol):
    """A store of one generation."""

    @property
    def notes(self) -> Notes:
        """What the store keeps about itself."""
        ...

    @property
    def port(self) -> PortName:
        """Which of the two it is."""
        ...

    @property
    def incarnation(self) -> str:
        """The identity of the store's contents: a store that was lost and made again has another."""
        ...

    @property
    def conditional_writes(self) -> bool:
        """Whether the store itself refuses older revisions, so that any process may write it."""
        ...

    def holds(self, keys: Keys) -> bool:
        """Say whether a stream with these keys has a record here."""
        ...

    async def revisions(self, keys: Mapping[StreamName, Keys]) -> Mapping[StreamName, int]:
        """Return the stored revision of each stream's record, 0 for none."""
        ...

    async def write(self, projections: Sequence[Projection], known: KnownVectors) -> None:
        """Store the records; older revisions than the stored ones are skipped by the store."""
        ...


class GraphTarget:
    """The graph of one generation."""

    def __init__(self, graph: Graph, incarnation: str) -> None:
        self.port: PortName = "graph"
        self.graph = graph
        self.conditional_writes = graph.conditional_writes
        self.notes: Notes = graph
        self.incarnation = incarnation

    def holds(self, keys: Keys) -> bool:
        """Say whether a stream with these keys has a record here."""
        return keys.graph is not None

    async def revisions(self, keys: Mapping[StreamName, Keys]) -> Mapping[StreamName, int]:
        """Return the stored revision of each stream's record, 0 for none."""
        nodes = {stream: NodeId(key.graph) for stream, key in keys.items() if key.graph and not key.is_edge}
        edges = {stream: EdgeId(key.graph) for stream, key in keys.items() if key.graph and key.is_edge}
        of_nodes = await self.graph.node_revisions(tuple(nodes.values()))
        of_edges = await self.graph.edge_revisions(tuple(edges.values()))
        return {
            **{stream: int(of_nodes.get(id_, 0)) for stream, id_ in nodes.items()},
            **{stream: int(of_edges.get(id_, 0)) for stream, id_ in edges.items()},
        }

    async def write(self, projections: Sequence[Projection], known: KnownVectors) -> None:
        """Store the records, all or none."""
        records = [projection.graph for projection in projections if projection.graph is not None]
        if records:
            batch = GraphBatch(
                nodes=tuple(record for record in records if isinstance(record, Node)),
                edges=tuple(record for record in records if isinstance(record, Edge)),
                deleted_nodes={record.id: record.rev for record in records if isinstance(record, GoneNode)},
                deleted_edges={record.id: record.rev for record in records if isinstance(record, GoneEdge)},
            )
            await self.graph.apply(batch)


class VectorsTarget:
    """The vectors of one generation; texts are embedded only where no equal one has a vector already."""

    def __init__(
        self,
        vectors: Vectors,
        collection: str,
        embedder: Embedder,
        incarnation: str,
        *,
        donor: "VectorsTarget | None" = None,
    ) -> None:
        self.port: PortName = "vectors"
        self.vectors = vectors
        self.conditional_writes = vectors.conditional_writes
        self.notes: Notes = vectors
        self.collection = collection
        self.embedder = embedder
        self.incarnation = incarnation
        self.embedded = 0
        self._donor = donor

    def holds(self, keys: Keys) -> bool:
        """Say whether a stream with these keys has a record here."""
        return keys.vectors is not None

    async def revisions(self, keys: Mapping[StreamName, Keys]) -> Mapping[StreamName, int]:
        """Return the stored revision of each stream's record, 0 for none."""
        ids = {stream: key.vectors for stream, key in keys.items() if key.vectors is not None}
        stored = await self.vectors.revisions(self.collection, tuple(ids.values()))
        return {stream: int(stored.get(id_, 0)) for stream, id_ in ids.items()}

    async def write(self, projections: Sequence[Projection], known: KnownVectors) -> None:
        """Store the records; `known` are vectors that need not be computed."""
        records = [projection.vectors for projection in projections if projection.vectors is not None]
        gone = {record.id: record.rev for record in records if isinstance(record, GonePassage)}
        passages = [record for record in records if isinstance(record, Passage)]
        if passages:
            vectors = await self._vectors_for(passages, known)
            await self.vectors.upsert(
                self.collection,
                [VectorRecord(p.id, vectors[text_hash(p.text)], p.text, p.rev, p.fields) for p in passages],
            )
        if gone:
            await self.vectors.delete(self.collection, gone)

    async def stored(self, ids: Sequence[RecordId]) -> "Mapping[str, Vector]":
        """Return the stored vectors of records, by the hash of their text; none that damage has made another's."""
        found = await self.vectors.get(self.collection, ids)
        return {record.text_hash: record.vector for record in found.values() if is_unit(record.vector)}

    async def _stored_by(self, source: "VectorsTarget", ids: Sequence[RecordId]) -> "Mapping[str, Vector]":
        """Return the vectors that a store has; a donor that cannot be read costs no more than embedding again."""
        try:
            return await source.stored(ids)
        except StoreError:
            if source is self:
                raise
            return {}

    async def _vectors_for(self, passages: Sequence[Passage], known: KnownVectors) -> KnownVectors:
        texts = {text_hash(passage.text): passage.text for passage in passages}
        vectors = {key: known[key] for key in texts if key in known}
        for source in (self, self._donor):
            if source is not None and len(vectors) < len(texts):
                # A record at its first revision has no former self here whose vector could serve.
                missing = [
                    passage.id
                    for passage in passages
                    if text_hash(passage.text) not in vectors and (source is not self or passage.rev > 1)
                ]
                if missing:
                    found = await self._stored_by(source, missing)
                    vectors.update({key: value for key, value in found.items() if key in texts})
        missing_texts = {key: text for key, text in texts.items() if key not in vectors}
        if missing_texts:
            rows = await self.embedder.embed(tuple(missing_texts.values()))
            vectors.update(zip(missing_texts, rows, strict=True))
            self.embedded += len(missing_texts)
        return vectors
