"""Projections: the records of a stream in graph and vectors, and the projector that defines them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, Node
from backends.ports.values import EdgeId, Fields, FieldSpec, NodeId, RecordId, Revision
from toolsets.sourcing.aggregate import History, UnreadableEvent

ProjectionPort: TypeAlias = Literal["graph", "vectors"]
PORT_NAMES: dict[ProjectionPort, str] = {"graph": "graph", "vectors": "vector store"}
"""The stores that projections are written to, with their names in messages."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to be embedded and searched, in one of the projector's collections."""

    collection: str
    id: RecordId
    text: str
    fields: Fields = field(default_factory=dict[str, bool])


@dataclass(frozen=True, slots=True)
class Projection:
    """All records of one stream at its present version `rev`.

    Nodes and edges carry `rev` themselves. Records of an earlier version that this one lacks are listed in the `deleted_...`
    fields; each store replaces them with tombstones at `rev`. The anchor of the stream (see `StreamKind`) is always among
    the records, live or deleted.
    """

    stream: StreamName
    rev: Revision
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    passages: tuple[Passage, ...] = ()
    deleted_nodes: tuple[NodeId, ...] = ()
    deleted_edges: tuple[EdgeId, ...] = ()
    deleted_passages: tuple[tuple[str, RecordId], ...] = ()
    """Pairs of collection and id."""


@dataclass(frozen=True, slots=True)
class StreamKind:
    """One kind of stream: its prefix, the function that projects it, and the places of its anchors.

    The anchor of a stream in a store is the record whose id is the stream's name after the prefix. Its stored revision is
    the version of the stream that the store contains, so it is written together with the stream's other records (graph), or
    after them (vectors). A stream without an anchor in a store has no records there.
    """

    prefix: str
    project: Callable[[StreamName, History], Projection]
    """Returns the records of a stream with at least one event. Pure; raises `UnreadableEvent`."""
    graph: Literal["node", "edge"] | None = None
    """The sort of the anchor in the graph; None if the stream has no records there."""
    collection: str | None = None
    """The collection of the anchor in the vector store; None if the stream has no records there."""
    weight: int = 1
    """The approximate number of passages of a stream, so that a follower's batch takes only seconds to embed."""

    def ports(self) -> tuple[ProjectionPort, ...]:
        """Return the stores that contain records of these streams."""
        graph: tuple[ProjectionPort, ...] = ("graph",) if self.graph is not None else ()
        return (*graph, "vectors") if self.collection is not None else graph

    def anchor(self, stream: StreamName) -> str:
        """Return the id of the anchors of a stream."""
        return stream[len(self.prefix) :]


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection of passages, and the fields by which they are filtered."""

    name: str
    fields: tuple[FieldSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class Projector:
    """How the streams under one prefix become records: those of a toolset, or of a part with its own stores."""

    prefix: str
    """The prefix of all its streams, checkpoints and leases."""
    namespace: str
    """The namespace of its records without the number of the generation, which follows as `_g1`, `_g2`, ..."""
    kinds: tuple[KindSpec, ...]
    """The kinds of nodes."""
    streams: tuple[StreamKind, ...]
    """The projected kinds of streams; no prefix begins with another one. Other streams, such as claims, have no records."""
    collections: tuple[Collection, ...] = ()
    """The collections of passages; without collections the projector needs no vector store."""
    version: int = 1
    """Increased when the records of a stream change their form; stores of an earlier version are rebuilt before use."""

    def stream_kind(self, stream: StreamName) -> StreamKind | None:
        """Return the kind of a stream, None if it is not projected."""
        for kind in self.streams:
            if stream.startswith(kind.prefix):
                return kind
        return None

    def ports(self) -> tuple[ProjectionPort, ...]:
        """Return the stores that the records are written to."""
        return ("graph", "vectors") if self.collections else ("graph",)

    def project(self, stream: StreamName, history: History) -> Projection:
        """Return the records of a projected stream. Raises `UnreadableEvent`, also for a stream that is not projected."""
        kind = self.stream_kind(stream)
        if kind is None or not history:
            raise UnreadableEvent(f"{stream} has no events" if kind is not None else f"{stream} is not projected")
        return kind.project(stream, history)
