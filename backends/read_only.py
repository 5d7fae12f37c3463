"""Read-only engines: they read what is stored and create nothing.

Meta values, checkpoints, and declarations of kinds and collections that the engine does not have are kept in memory; such
kinds and collections are empty. Existing declarations may grow, as at every start.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from backends.ports.adapter import Engine
from backends.ports.checked.engine import CheckedEngine
from backends.ports.checked.events import CheckedEventLog
from backends.ports.checked.graph import CheckedGraph
from backends.ports.checked.vectors import CheckedVectors
from backends.ports.errors import Conflict, InvalidInput, NotFound, Unsupported
from backends.ports.events import Appended, BatchId, Checkpoint, EventLog, Lease, Write
from backends.ports.filters import Filter
from backends.ports.graph import Edge, Graph, GraphBatch, Group, KindSpec, Node, Order
from backends.ports.values import EdgeId, Json, Namespace, NodeId, Page, RecordId, Revision
from backends.ports.vectors import NO_RECORD, CollectionSpec, Hit, VectorRecord, Vectors

if TYPE_CHECKING:
    from backends.ports.vectors import Vector


class ReadOnlyEngine(CheckedEngine):
    """An open engine whose ports write nothing except declarations that grow."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._graphs: dict[Namespace, ReadOnlyGraph] = {}
        self._vectors: dict[Namespace, ReadOnlyVectors] = {}
        self._log: ReadOnlyEventLog | None = None

    async def graph(self, namespace: Namespace) -> Graph:
        """Return the graph of a namespace, read-only."""
        graph = await super().graph(namespace)
        return self._graphs.setdefault(namespace, ReadOnlyGraph(graph))

    async def vectors(self, namespace: Namespace) -> Vectors:
        """Return the vectors of a namespace, read-only."""
        vectors = await super().vectors(namespace)
        return self._vectors.setdefault(namespace, ReadOnlyVectors(vectors))

    async def events(self) -> EventLog:
        """Return the event log, read-only."""
        log = await super().events()
        if self._log is None:
            self._log = ReadOnlyEventLog(log)
        return self._log


class ReadOnlyGraph(CheckedGraph):
    """A read-only graph; a namespace without a declared kind is empty."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._meta = _MemoryMeta(super().get_meta)
        self._missing: set[str] = set()
        self._is_declared = False

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Extend the kinds that the engine has; remember that the others have no nodes."""
        for kind in kinds:
            try:
                await super().find(kind.name, limit=1)
            except InvalidInput:
                self._missing.add(kind.name)
            else:
                self._is_declared = True
                self._missing.discard(kind.name)
                await super().ensure((kind,))

    async def apply(self, batch: GraphBatch) -> None:
        """Raise `Unsupported`."""
        raise _refused()

    async def drop(self) -> None:
        """Raise `Unsupported`."""
        raise _refused()

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Return an empty mapping if no kind is declared."""
        return await super().get_nodes(ids) if self._is_declared else {}

    async def get_edges(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Edge]:
        """Return an empty mapping if no kind is declared."""
        return await super().get_edges(ids) if self._is_declared else {}

    async def node_revisions(self, ids: Collection[NodeId]) -> Mapping[NodeId, Revision]:
        """Return an empty mapping if no kind is declared."""
        return await super().node_revisions(ids) if self._is_declared else {}

    async def edge_revisions(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Revision]:
        """Return an empty mapping if no kind is declared."""
        return await super().edge_revisions(ids) if self._is_declared else {}

    async def find(
        self,
        kind: str,
        where: Filter | None = None,
        *,
        order: Sequence[Order] = (),
        after: str | None = None,
        limit: int = 100,
    ) -> Page[Node]:
        """Return an empty page for a kind that the engine does not have."""
        if kind in self._missing:
            return Page((), None)
        return await super().find(kind, where, order=order, after=after, limit=limit)

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        """Count zero nodes of a kind that the engine does not have."""
        if kind in self._missing:
            return () if by else (Group((), 0),)
        return await super().count_nodes(kind, by=by, where=where)

    async def get_meta(self, key: str) -> str | None:
        """Return a meta value."""
        return await self._meta.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Keep a meta value in memory."""
        return await self._meta.set(key, value, if_absent=if_absent)


class ReadOnlyVectors(CheckedVectors):
    """Read-only vectors; a collection that the engine does not have is empty."""

    def __init__(self, vectors: Vectors) -> None:
        super().__init__(vectors)
        self._meta = _MemoryMeta(super().get_meta)
        self._missing: set[str] = set()

    async def ensure(self, spec: CollectionSpec) -> None:
        """Extend a collection that the engine has; remember that another one has no records."""
        try:
            await super().get(spec.name, (NO_RECORD,))
        except NotFound:
            self._missing.add(spec.name)
        else:
            self._missing.discard(spec.name)
            await super().ensure(spec)

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Raise `Unsupported`."""
        raise _refused()

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Raise `Unsupported`."""
        raise _refused()

    async def drop(self, name: str) -> None:
        """Raise `Unsupported`."""
        raise _refused()

    async def maintain(self, name: str) -> None:
        """Raise `Unsupported`."""
        raise _refused()

    async def get(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Return an empty mapping for a collection that the engine does not have."""
        return {} if name in self._missing else await super().get(name, ids)

    async def revisions(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, Revision]:
        """Return an empty mapping for a collection that the engine does not have."""
        return {} if name in self._missing else await super().revisions(name, ids)

    async def scan(
        self, name: str, where: Filter | None = None, *, after: str | None = None, limit: int = 1_000
    ) -> Page[VectorRecord]:
        """Return an empty page for a collection that the engine does not have."""
        if name in self._missing:
            return Page((), None)
        return await super().scan(name, where, after=after, limit=limit)

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Count zero records of a collection that the engine does not have."""
        return 0 if name in self._missing else await super().count(name, where)

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Return no hits from a collection that the engine does not have."""
        if name in self._missing:
            return ()
        return await super().dense(name, vector, k, where=where, min_score=min_score)

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Return no hits from a collection that the engine does not have."""
        return () if name in self._missing else await super().keyword(name, text, k, where=where)

    async def get_meta(self, key: str) -> str | None:
        """Return a meta value."""
        return await self._meta.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Keep a meta value in memory."""
        return await self._meta.set(key, value, if_absent=if_absent)


class ReadOnlyEventLog(CheckedEventLog):
    """A read-only event log."""

    def __init__(self, events: EventLog) -> None:
        super().__init__(events)
        self._checkpoints: dict[str, Checkpoint] = {}

    async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
        """Raise `Unsupported`."""
        raise _refused()

    async def purge(self, prefix: str) -> None:
        """Raise `Unsupported`."""
        raise _refused()

    async def load_checkpoint(self, name: str) -> Checkpoint | None:
        """Return a named value."""
        return self._checkpoints.get(name) or await super().load_checkpoint(name)

    async def save_checkpoint(self, name: str, value: Json, *, expected: int) -> Checkpoint:
        """Keep a named value in memory."""
        former = await self.load_checkpoint(name)
        if (0 if former is None else former.revision) != expected:
            raise Conflict(f"the checkpoint {name} is not at revision {expected}")
        self._checkpoints[name] = Checkpoint(value, expected + 1)
        return self._checkpoints[name]

    async def acquire_lease(self, name: str, owner: str, *, ttl_s: float) -> Lease | None:
        """Return None: a lease is never granted."""
        return None

    async def renew_lease(self, lease: Lease, *, ttl_s: float) -> bool:
        """Return False: there is no lease."""
        return False

    async def release_lease(self, lease: Lease) -> None:
        """Do nothing: there is no lease."""


class _MemoryMeta:
    """Meta values that are kept in memory, and read from a store until they are set."""

    def __init__(self, stored: Callable[[str], Awaitable[str | None]]) -> None:
        self._stored = stored
        self._values: dict[str, str] = {}

    async def get(self, key: str) -> str | None:
        return self._values[key] if key in self._values else await self._stored(key)

    async def set(self, key: str, value: str, *, if_absent: bool) -> str:
        former = await self.get(key) if if_absent else None
        if former is None:
            self._values[key] = former = value
        return former


def _refused() -> Unsupported:
    return Unsupported("this engine is open read-only")
