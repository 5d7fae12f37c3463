"""Sites: the generation of projections that is live, opened on first use and again after a store was lost."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import anyio
from pydantic import BaseModel, ConfigDict

from backends.ports.adapter import Stores
from backends.ports.errors import StoreError, Unsupported
from backends.ports.events import EventLog
from backends.ports.graph import Graph
from backends.ports.ids import namespace
from backends.ports.values import Namespace
from backends.ports.vectors import CollectionSpec, Vectors
from toolsets.ids import uuid4
from toolsets.sourcing.leading import Leading, led
from toolsets.sourcing.projection import Projector
from toolsets.sourcing.targets import INCARNATION, GraphTarget, PortName, Target, VectorsTarget, ports_of

TargetT = TypeVar("TargetT", GraphTarget, VectorsTarget)


class _Pointer(BaseModel):
    model_config = ConfigDict(frozen=True)

    generation: int


@dataclass(frozen=True, slots=True)
class Published:
    """Which generation is live for all processes, and the revision of the note that says so (0: never written)."""

    generation: int
    revision: int


def pointer_name(projector: Projector) -> str:
    """Return the name of the checkpoint that says which generation is live."""
    return f"{projector.prefix}generation"


def generation_namespace(projector: Projector, generation: int) -> Namespace:
    """Return the namespace of a generation."""
    return namespace(f"{projector.space}_g{generation}")


async def published(log: EventLog, projector: Projector) -> Published:
    """Return the live generation; the first one when nothing was ever rebuilt."""
    saved = await log.load_checkpoint(pointer_name(projector))
    if saved is None:
        return Published(1, 0)
    return Published(_Pointer.model_validate(saved.value).generation, saved.revision)


async def open_graph(
    stores: Stores, projector: Projector, generation: int, chance: random.Random, *, fresh: bool = False
) -> GraphTarget:
    """Open the graph of a generation, declare its kinds and learn who it is; a `fresh` one is given a new identity."""
    graph = await stores.graph(generation_namespace(projector, generation))
    await graph.ensure(projector.kinds)
    return GraphTarget(graph, await _incarnation(graph, chance, fresh=fresh))


async def open_vectors(
    stores: Stores,
    projector: Projector,
    generation: int,
    chance: random.Random,
    *,
    fresh: bool = False,
    donor: VectorsTarget | None = None,
) -> VectorsTarget:
    """Open the vectors of a generation, declare the collection and learn who it is; a `fresh` one gets a new identity.

    A `donor` of the same model lends its vectors for texts that it has.
    Raises `Unusable` when they were made by another embedder than the one chosen now, and `Unsupported` for a
    projector that makes no passages.
    """
    if projector.collection is None:
        raise Unsupported(f"{projector.prefix} keeps no vectors")
    vectors = await stores.vectors(generation_namespace(projector, generation))
    embedder = await stores.embedder()
    identity = embedder.identity
    await vectors.ensure(CollectionSpec(projector.collection, identity.dim, str(identity), projector.fields))
    incarnation = await _incarnation(vectors, chance, fresh=fresh)
    if donor is not None and donor.embedder.identity != identity:
        donor = None
    return VectorsTarget(vectors, projector.collection, embedder, incarnation, donor=donor)


async def _incarnation(store: Graph | Vectors, chance: random.Random, *, fresh: bool) -> str:
    """Return who a store is; read first, because one that is full can still say it but no longer write it."""
    if fresh:
        return await store.set_meta(INCARNATION, uuid4(chance))
    return await store.get_meta(INCARNATION) or await store.set_meta(INCARNATION, uuid4(chance), if_absent=True)


class Sites:
    """The two stores of the live generation, each opened when it is first needed; one may be down without the other."""

    def __init__(self, stores: Stores, projector: Projector, chance: random.Random) -> None:
        self.stores = stores
        self.projector = projector
        self.chance = chance
        self.leading = Leading(projector.prefix, uuid4(chance))
        self._generation: int | None = None
        self._graph: GraphTarget | None = None
        self._vectors: VectorsTarget | None = None
        self._joining: Mapping[PortName, Target] = {}
        # One each: a store that takes long to refuse must not keep the other waiting.
        self._opening_graph = anyio.Lock()
        self._opening_vectors = anyio.Lock()

    @property
    def is_open(self) -> bool:
        """Whether both stores are open."""
        return self._graph is not None and self._vectors is not None

    async def log(self) -> EventLog:
        """Return the event log."""
        return await self.stores.events()

    async def generation(self) -> int:
        """Return the generation in use here."""
        if self._generation is None:
            self._generation = (await published(await self.log(), self.projector)).generation
        return self._generation

    async def graph(self) -> GraphTarget:
        """Return the live graph. Raises the store's error when it cannot be opened."""
        if self._graph is not None:
            return self._graph
        async with self._opening_graph:
            if self._graph is not None:
                return self._graph
            generation = await self.generation()
            target = await open_graph(self.stores, self.projector, generation, self.chance)
            # Another generation may have become live meanwhile; the next caller opens that one.
            self._graph = target if generation == self._generation else None
            return target

    async def vectors(self) -> VectorsTarget:
        """Return the live vectors. Raises the store's error when they cannot be opened."""
        if self._vectors is not None:
            return self._vectors
        async with self._opening_vectors:
            if self._vectors is not None:
                return self._vectors
            generation = await self.generation()
            target = await open_vectors(self.stores, self.projector, generation, self.chance)
            self._vectors = target if generation == self._generation else None
            return target

    async def open(self) -> None:
        """Open the log and the stores; try all, then raise a `StoreError`, one that waiting does not mend first."""
        problems: list[StoreError] = []
        try:
            await self.log()
        except StoreError as problem:
            problems.append(problem)
        for port in ports_of(self.projector):
            try:
                await self.target(port)
            except StoreError as problem:
                problems.append(problem)
        if problems:
            raise min(problems, key=lambda problem: problem.retryable)

    async def target(self, port: PortName) -> Target:
        """Return one of the two, as this process may write it."""
        return led(await (self.graph() if port == "graph" else self.vectors()), self.leading)

    def doubt(self, port: PortName) -> None:
        """Open a store again before its next use, because it failed and may have been replaced by an empty one."""
        if port == "graph":
            self._graph = None
        else:
            self._vectors = None

    def join(self, graph: GraphTarget, vectors: VectorsTarget | None) -> None:
        """Let writes go into a coming generation too, so that none is missing from it at the moment of the switch."""
        self._joining = {"graph": led(graph, self.leading)}
        if vectors is not None:
            self._joining = {**self._joining, "vectors": led(vectors, self.leading)}

    def leave(self) -> None:
        """Undo `join`; nothing happens when the switch was made."""
        self._joining = {}

    def joining(self, port: PortName) -> Target | None:
        """Return the store of the coming generation, None while there is none."""
        return self._joining.get(port)

    def switch(self, generation: int, graph: GraphTarget | None = None, vectors: VectorsTarget | None = None) -> None:
        """Use another generation from now on."""
        self._generation = generation
        self._joining = {}
        self._graph = graph
        self._vectors = vectors
