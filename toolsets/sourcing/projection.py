"""Projections: what graph and vectors hold of a stream, each record a function of that one stream."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, Node
from backends.ports.values import EdgeId, Fields, FieldSpec, NodeId, RecordId, Revision
from toolsets.sourcing.aggregate import History


@dataclass(frozen=True, slots=True)
class GoneNode:
    """A node that ended at a revision."""

    id: NodeId
    rev: Revision


@dataclass(frozen=True, slots=True)
class GoneEdge:
    """An edge that ended at a revision."""

    id: EdgeId
    rev: Revision


@dataclass(frozen=True, slots=True)
class GonePassage:
    """A passage that ended at a revision."""

    id: RecordId
    rev: Revision


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to be found by closeness, not yet embedded."""

    id: RecordId
    text: str
    rev: Revision
    fields: Fields = field(default_factory=dict[str, bool])


GraphRecord: TypeAlias = Node | Edge | GoneNode | GoneEdge
VectorsRecord: TypeAlias = Passage | GonePassage


@dataclass(frozen=True, slots=True)
class Keys:
    """Under which id each store keeps the record of a stream; None where it keeps none."""

    graph: NodeId | EdgeId | None = None
    is_edge: bool = False
    vectors: RecordId | None = None


@dataclass(frozen=True, slots=True)
class Projection:
    """A stream's records at its present version."""

    stream: StreamName
    rev: Revision
    graph: GraphRecord | None = None
    vectors: VectorsRecord | None = None


class Projector(Protocol):
    """How streams become records: those of a toolset, or of a part that has stores of its own."""

    @property
    def prefix(self) -> str:
        """The prefix that all its streams lie under, and by which its checkpoints and leases begin."""
        ...

    @property
    def space(self) -> str:
        """The beginning of its namespaces."""
        ...

    @property
    def kinds(self) -> tuple[KindSpec, ...]:
        """The kinds of node it makes."""
        ...

    @property
    def collection(self) -> str | None:
        """The collection its passages are in; None when it makes none, and needs no vectors."""
        ...

    @property
    def fields(self) -> tuple[FieldSpec, ...]:
        """The fields of its passages."""
        ...

    @property
    def prefixes(self) -> Mapping[str, Keys]:
        """The prefixes of projected streams; of the keys only which stores keep a record is looked at."""
        ...

    def keys(self, stream: StreamName) -> Keys | None:
        """Return where a stream's records are; None for a stream that is not projected, such as a claim."""
        ...

    def project(self, stream: StreamName, history: History) -> Projection:
        """Return the records of a projected stream. Raises `UnreadableEvent`."""
        ...
