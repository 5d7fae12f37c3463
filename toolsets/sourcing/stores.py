"""Live stores: the live generation of each store, opened on first use and again after a store was lost."""

import random
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

import anyio

from backends.ports.adapter import Stores
from backends.ports.errors import StoreError, Unavailable
from backends.ports.events import EventLog, StreamName
from toolsets.ids import uuid4
from toolsets.sourcing.aggregate import History, checkpoint_data
from toolsets.sourcing.follower import is_incomplete
from toolsets.sourcing.generations import (
    LiveGenerationUnknown,
    OlderRecords,
    Pointer,
    VersionedPointer,
    former_pointer,
    open_graph,
    open_vectors,
    pointer_name,
    store_identity,
    store_meta,
)
from toolsets.sourcing.leadership import Leadership, SingleWriterStore
from toolsets.sourcing.lineage import OtherLog, check_lineage
from toolsets.sourcing.projection import PORT_NAMES, ProjectionPort, Projector
from toolsets.sourcing.projection_store import (
    GraphStore,
    NewerRecords,
    ProjectionStore,
    VectorStore,
)
from toolsets.sourcing.stream_cache import StreamCache

StoreT = TypeVar("StoreT", GraphStore, VectorStore)

LOG_ANSWER_S = 1.0
"""How long the opening of a store waits for the log, which it does not need."""


class _LiveStore(Generic[StoreT]):
    """One store of the live generation, as seen by this process."""

    def __init__(
        self, live_stores: "LiveStores", port: ProjectionPort, opener: Callable[[int], Awaitable[StoreT]]
    ) -> None:
        self._live_stores = live_stores
        self._port: ProjectionPort = port
        self.open_generation = opener
        # A lock per store: one that takes long to fail must not delay the other.
        self._opening = anyio.Lock()
        self._failures = 0
        self._failure: StoreError | None = None
        self._identity: str | None = None
        """None until it was read, and after `invalidate`."""
        self._last_identity: str | None = None
        """Another identity means another store, whose live generation may be another one."""
        self._incarnation: str | None = None
        """The incarnation last opened; another one in the same generation has lost its contents."""
        self.opened: StoreT | None = None
        self.generation: int | None = None
        self.leadership: Leadership | None = None
        self.mirror: ProjectionStore | None = None

    async def get(self) -> StoreT:
        """Return the store, opened if it is not open; callers that wait while another one fails to open it get its error."""
        if self.opened is not None:
            return self.opened
        failures = self._failures
        async with self._opening:
            if self.opened is not None:
                return self.opened
            if self._failure is not None and self._failures != failures:
                raise self._failure
            try:
                return await self._open()
            except StoreError as failure:
                self._failures, self._failure = self._failures + 1, failure
                raise

    async def _open(self) -> StoreT:
        generation = await self.live_generation()
        opened = await self._opened(generation)
        self._check_version(opened)
        if self._incarnation not in (None, opened.incarnation):
            self._live_stores.filling.add(self._port)
        self._incarnation = opened.incarnation
        if await self._is_incomplete(opened):
            self._live_stores.filling.add(self._port)
        # If another generation has become live meanwhile, the next caller opens that one.
        self.opened = opened if generation == self.generation else None
        return opened

    async def _is_incomplete(self, opened: StoreT) -> bool:
        """Return whether a store is known to lack records; while the log does not answer, the relay compares them later."""
        with suppress(StoreError), anyio.move_on_after(LOG_ANSWER_S):
            return await is_incomplete(await self._live_stores.log(), self._live_stores.projector, opened)
        return False

    async def readable(self) -> StoreT:
        """Return the store for reading. Raises `Unavailable` while lost contents are being restored."""
        store = await self.get()
        if self._port in self._live_stores.filling:
            raise Unavailable(
                f"The {PORT_NAMES[self._port]} was lost and is being filled again from the event log; try again."
            )
        return store

    async def any_version(self) -> StoreT:
        """Return the store, even with records of another version of the projector."""
        return self.opened or await self._opened(await self.live_generation())

    async def _opened(self, generation: int) -> StoreT:
        opened = await self.open_generation(generation)
        if opened.lost:
            self._live_stores.filling.add(self._port)
        return opened

    def _check_version(self, store: StoreT) -> None:
        version, name = self._live_stores.projector.version, PORT_NAMES[self._port]
        if store.version > version:
            raise NewerRecords(
                f"The {name} was written by a newer version of Entrepot; upgrade Entrepot or choose other stores."
            )
        if store.version < version:
            raise OlderRecords(
                f"The {name} has records of an earlier version: a server rebuilds it from the log when it starts, and so does "
                "`entrepot rebuild`."
            )

    async def identity(self) -> str:
        """Return the identity of the store."""
        if self._identity is None:
            # Not from the injected source: this draw depends on other toolsets, and would make ids depend on them.
            known = await store_identity(self._live_stores.stores, self._port, random.SystemRandom())
            if known != self._last_identity:
                self.generation = None
            self._identity = self._last_identity = known
        return self._identity

    async def live_generation(self) -> int:
        """Return the generation that this process uses; while the log does not answer, the one last noted in the store.

        Raises `LiveGenerationUnknown` if none was noted.
        """
        await self.identity()
        if self.generation is None:
            try:
                generation = (await self._live_stores.read_pointer(self._port)).generation
            except StoreError as problem:
                meta = await store_meta(self._live_stores.stores, self._port)
                noted = await meta.get_meta(self._noted_generation)
                if noted is None:
                    raise LiveGenerationUnknown(str(problem)) from problem
                generation = int(noted)
            else:
                await self._note_generation(generation)
            self.generation = generation
        return self.generation

    async def switch(self, generation: int) -> None:
        """Use another generation, which is complete, from the next call on, and note it in the store."""
        self.generation = generation
        self.opened = self._incarnation = None
        self._live_stores.filling.discard(self._port)
        await self._note_generation(generation)

    @property
    def _noted_generation(self) -> str:
        return f"{self._live_stores.projector.prefix}generation"

    async def _note_generation(self, generation: int) -> None:
        """Note the live generation for a process that starts while the log is down; a store that cannot be written is left."""
        with suppress(StoreError):  # a store on a full disk can still be read
            meta = await store_meta(self._live_stores.stores, self._port)
            if await meta.get_meta(self._noted_generation) != str(generation):
                await meta.set_meta(self._noted_generation, str(generation))

    def invalidate(self) -> None:
        """Open the store again before its next use, and check its identity again."""
        self.opened = None
        self._identity = None


class LiveStores:
    """Graph and vectors of the live generation, each opened on first use; one may be down without the other."""

    def __init__(
        self, stores: Stores, projector: Projector, rng: random.Random, cache: StreamCache | None = None
    ) -> None:
        self.stores = stores
        self.cache = StreamCache() if cache is None else cache
        self.projector = projector
        self.rng = rng
        self.filling: set[ProjectionPort] = set()
        """The stores that lost their contents while in use; they are not read until they are filled from the log."""
        self.lineage_errors: dict[ProjectionPort, OtherLog] = {}
        """Why stores do not fit the log; nothing is written until the relay finds that they do."""
        self.log_failed = False
        """Whether the log has failed since the stores were compared with it: it may be back as an older copy."""
        self._owner = uuid4(rng)
        self._former_pointer: Pointer | None = None
        self._graph = _LiveStore(self, "graph", partial(open_graph, stores, projector, rng=rng))
        self._vectors = _LiveStore(self, "vectors", partial(open_vectors, stores, projector, rng=rng))

    @property
    def is_open(self) -> bool:
        """Whether every store of the projector is open."""
        return all(self._live(port).opened is not None for port in self.projector.ports())

    async def log(self) -> EventLog:
        """Return the event log."""
        return await self.stores.events()

    async def read_streams(self, streams: Collection[StreamName]) -> dict[StreamName, History]:
        """Return all events of each of `streams`, none for an unknown one. Raises the log's errors."""
        return await self.cache.read(await self.log(), streams)

    async def refuse_other_log(self, log: EventLog) -> None:
        """Raise `OtherLog` if a store is known not to fit the log; the open stores are compared again if the log has failed."""
        if self.log_failed:
            self.log_failed = False
            for port in self.projector.ports():
                if (opened := self._live(port).opened) is not None:
                    try:
                        await check_lineage(log, port, opened.meta, self.projector.prefix, self.rng)
                    except OtherLog as error:
                        self.lineage_errors[port] = error
                    except StoreError:  # the relay compares it when it answers
                        continue
        for error in self.lineage_errors.values():
            raise error

    async def graph(self) -> GraphStore:
        """Return the live graph for reading. Raises the store's error if it cannot be opened or is being refilled."""
        return await self._graph.readable()

    async def vectors(self) -> VectorStore:
        """Return the live vectors for reading. Raises the store's error if they cannot be opened or are being refilled."""
        return await self._vectors.readable()

    async def graph_of_any_version(self) -> GraphStore:
        """Return the live graph, even with records of another version of the projector; for comparison only."""
        return await self._graph.any_version()

    async def vectors_of_any_version(self) -> VectorStore:
        """Return the live vectors, even with records of another version of the projector; for comparison only."""
        return await self._vectors.any_version()

    async def has_older_records(self) -> bool:
        """Return whether a live store has records of an earlier version, reading the pointers again. Raises `StoreError`."""
        for port in self.projector.ports():
            if self._live(port).opened is None:
                # Another process may have made another generation live.
                self._live(port).generation = None
        stores = [await self._live(port).any_version() for port in self.projector.ports()]
        return any(store.version < self.projector.version for store in stores)

    async def open(self) -> None:
        """Open the log and the stores; after trying all, raise a `StoreError`, permanent errors first."""
        problems: list[StoreError] = []
        try:
            await self.log()
        except StoreError as problem:
            problems.append(problem)
        for port in self.projector.ports():
            try:
                await self.store(port)
            except StoreError as problem:
                problems.append(problem)
        if problems:
            raise min(problems, key=lambda problem: problem.retryable)

    async def store(self, port: ProjectionPort) -> ProjectionStore:
        """Return one of the live stores in the form in which this process may write it."""
        return await self.writable(port, await self._live(port).get())

    async def writable(self, port: ProjectionPort, store: ProjectionStore) -> ProjectionStore:
        """Return any generation of a store in the form in which this process may write it."""
        return store if store.conditional_writes else SingleWriterStore(store, await self.leadership(port))

    async def identity(self, port: ProjectionPort) -> str:
        """Return the identity of a store. Raises the store's errors."""
        return await self._live(port).identity()

    async def leadership(self, port: ProjectionPort) -> Leadership:
        """Return this process's view of the leadership of a store. Raises the store's errors."""
        live = self._live(port)
        name = f"{self.projector.prefix}relay/{port}/{await live.identity()}"
        if live.leadership is None or live.leadership.name != name:
            live.leadership = Leadership(name, self._owner)
        return live.leadership

    def leaderships(self) -> Mapping[ProjectionPort, Leadership]:
        """Return the leaderships of the stores whose identity is known."""
        known: dict[ProjectionPort, Leadership] = {}
        for port in self.projector.ports():
            if (leadership := self._live(port).leadership) is not None:
                known[port] = leadership
        return known

    async def read_pointer(self, port: ProjectionPort) -> VersionedPointer:
        """Return the pointer of a store; without any rebuild the first generation is live.

        In builds before the first release all stores of a log shared one pointer. A store without its own pointer uses that
        generation, so that its records are found. Raises the errors of the log and of the store.
        """
        log = await self.log()
        name = pointer_name(self.projector, port, await self.identity(port))
        if (saved := await log.load_checkpoint(name)) is not None:
            return VersionedPointer(checkpoint_data(Pointer, name, saved), saved.revision)
        if self._former_pointer is None:
            # No version writes it any more, so it is read once.
            self._former_pointer = await former_pointer(log, self.projector)
        return VersionedPointer(self._former_pointer, 0)

    async def generation(self, port: ProjectionPort) -> int:
        """Return the generation of a store that this process uses. Raises the errors of the log and of the store."""
        return await self._live(port).live_generation()

    def invalidate(self, port: ProjectionPort) -> None:
        """Open a store again before its next use, and check its identity again: it may have been replaced."""
        self._live(port).invalidate()

    async def open_generation(self, port: ProjectionPort, generation: int) -> ProjectionStore:
        """Open any generation of a store beside the live one."""
        opened: ProjectionStore = await self._live(port).open_generation(generation)
        return opened

    def attach_mirror(self, port: ProjectionPort, store: ProjectionStore) -> None:
        """Also write another generation: the next one before a switch, the former one for a while after it."""
        self._live(port).mirror = store

    def detach_mirror(self, port: ProjectionPort) -> None:
        """Stop writing the mirrored generation; repeatable."""
        self._live(port).mirror = None

    def mirror(self, port: ProjectionPort) -> ProjectionStore | None:
        """Return the mirrored generation that is written as well, None if there is none."""
        return self._live(port).mirror

    async def switch(self, port: ProjectionPort, generation: int) -> None:
        """Use another generation of a store from now on, and note it in the store; it is opened on its next use."""
        await self._live(port).switch(generation)

    def _live(self, port: ProjectionPort) -> _LiveStore[GraphStore] | _LiveStore[VectorStore]:
        return self._graph if port == "graph" else self._vectors
