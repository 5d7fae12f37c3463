"""A projector's log and stores with write path, relay, rebuild, reads and health."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator, Iterable, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio

from backends.ports.errors import Conflict, StoreError, Unusable
from backends.ports.events import StreamName
from backends.ports.graph import Graph, Node
from backends.ports.values import NodeId
from toolsets.clock import SECOND
from toolsets.replies import counted
from toolsets.sourcing.commit import Committer
from toolsets.sourcing.errors import Translation, store_errors
from toolsets.sourcing.health import (
    SourcedHealth,
    embedder_problems,
    failures_of,
    pending_in,
    pending_since,
    search_once,
    sourced_health,
    without_leader,
)
from toolsets.sourcing.leadership import LEASE_S, RELEASE_S
from toolsets.sourcing.projection import PORT_NAMES, ProjectionPort, Projector
from toolsets.sourcing.reads import CountCache, nodes_of
from toolsets.sourcing.rebuild import Rebuilder
from toolsets.sourcing.relay import POLL_S, Relay
from toolsets.sourcing.stores import LiveStores
from toolsets.sourcing.stream_cache import StreamCache
from toolsets.sourcing.write_path import InFlight, WakeUp, WritePath
from toolsets.spec import BackgroundTask, RunningToolset, Services, ToolsetHealth, ToolSpec

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

ResultT = TypeVar("ResultT")

_logger = logging.getLogger(__name__)

LAGGING_S = 30.0
"""How long projections may be pending before that is reported; the relay needs about a second for 1,000 events."""

LEADERLESS_S = 2 * LEASE_S
"""How long a store may have no leader before that is reported; the lease of a dead leader must expire first."""


class SourcedStores:
    """The log and the stores of one projector; opens nothing by itself.

    Projectors of one toolset may share a `cache` of streams. If streams may be deleted, `is_deleted` returns whether all of
    the projector's were; then the relay ends.
    """

    def __init__(
        self,
        services: Services,
        projector: Projector,
        cache: StreamCache | None = None,
        is_deleted: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self.live_stores = LiveStores(services.stores, projector, services.rng, cache)
        in_flight, wake_up = InFlight(), WakeUp()
        committer = Committer(services.now, services.rng, projector, self.live_stores.cache)
        self.writes = WritePath(self.live_stores, committer, in_flight, wake_up)
        self.relay = Relay(self.live_stores, services.now, in_flight, wake_up, self.upgrade, is_deleted)
        self.rebuilder = Rebuilder(self.live_stores, services.now, in_flight)
        self._now = services.now
        self._projector = projector
        self._lagging: tuple[int, int] | None = None
        """The smallest lag so far, and the time since when it has not become smaller."""
        self._leaderless_since: int | None = None
        self._unusable: set[ProjectionPort] = set()
        """The stores of which a read found damage; their metadata may lie elsewhere and be whole."""

    async def ready(self) -> None:
        """Open the stores and catch up for at most two seconds. Raises `StoreError`; a permanent error aborts the start.

        Stores with records of an earlier version of the projector are rebuilt first.
        """
        await self.upgrade()
        await self.live_stores.open()
        await self.relay.catch_up_before_serving()

    async def upgrade(self) -> None:
        """Rebuild stores with records of an earlier version of the projector, or wait for another process to do so.

        It may be interrupted at any moment and is then repeated; after a kill, once the lease of the rebuild has expired, at
        most 15 seconds later. Raises the errors of the log and of the stores.
        """
        if self._projector.version == 1:
            return
        while await self.live_stores.has_older_records():
            _logger.info(
                "%s: the stores have records of an earlier version and are rebuilt from the log", self._projector.prefix
            )
            try:
                await self.rebuilder.upgrade()
            except Conflict:
                await anyio.sleep(POLL_S)

    @asynccontextmanager
    async def running(self, name: str, tools: Iterable[ToolSpec]) -> AsyncGenerator[RunningToolset]:
        """Yield the toolset `name` with its tools, relay, health and rebuild; leaving releases the relay's leases.

        Further parts of a toolset are added with `dataclasses.replace`.
        """
        try:
            yield RunningToolset(
                tools=tuple(tools),
                background=(BackgroundTask(f"{name} relay", self.relay.run),),
                open=self.ready,
                health=self._toolset_health,
                rebuild=self.rebuilder,
            )
        finally:
            await self.release()

    async def _toolset_health(self) -> ToolsetHealth:
        """Return the health of the log, the stores and, if there are passages, the embedder."""
        others = await embedder_problems(self.live_stores.stores) if self._projector.collections else ()
        return (await self.health()).toolset_health(*others)

    async def release(self) -> None:
        """Release the leases, so that another process can take over at once; give up after half a second."""
        with anyio.move_on_after(RELEASE_S, shield=True):
            await self.relay.release()

    @contextmanager
    def invalidating(self, port: ProjectionPort) -> Generator[None]:
        """Open a store again before its next use if it fails inside the block. The error is raised as it is.

        Damage counts as a problem of the store until it can be searched again.
        """
        try:
            yield
        except StoreError as error:
            if isinstance(error, Unusable):
                self._unusable.add(port)
            self.live_stores.invalidate(port)
            raise

    @contextmanager
    def using(self, port: ProjectionPort, translate: Translation) -> Generator[None]:
        """Use a store inside the block as `invalidating` does, and raise its errors as `translate` returns them.

        `translate` also converts `UnreadableEvent`, which does not invalidate the store.
        """
        with store_errors(translate), self.invalidating(port):
            yield

    async def embed(self, text: str) -> "Vector":
        """Return the vector of a text, of unit norm. Raises the embedder's errors."""
        embedder = await self.live_stores.stores.embedder()
        return (await embedder.embed((text,)))[0]

    async def nodes(self, streams: Mapping[NodeId, StreamName], *, pending: bool = False) -> Mapping[NodeId, Node]:
        """Return the live nodes with these ids from the graph, or from the log while the graph fails.

        `streams` maps each id to the node's stream. With `pending`, nodes that the graph lacks are read from the log; it
        is for ids that usually have a node. Raises the log's errors and `UnreadableEvent` while the graph fails.
        """
        return await nodes_of(self.live_stores, streams, pending=pending)

    async def current_nodes(self, streams: Mapping[NodeId, StreamName]) -> Mapping[NodeId, Node]:
        """Return the live nodes that have the last version of their streams; none while the graph fails.

        `streams` maps each id to the node's stream. Raises the log's errors.
        """
        try:
            with self.invalidating("graph"):
                nodes = await (await self.live_stores.graph()).graph.get_nodes([*streams])
        except StoreError as error:
            _logger.warning("nodes are read from the log, the graph failed: %s", error)
            return {}
        if not nodes:
            return {}
        versions = await (await self.live_stores.log()).versions([streams[id_] for id_ in nodes])
        return {id_: node for id_, node in nodes.items() if node.rev >= versions[streams[id_]]}

    async def cached_count(
        self, cache: CountCache[ResultT], prefix: str, count: Callable[[Graph], Awaitable[ResultT]]
    ) -> ResultT:
        """Return the result of `count` for the live graph, from `cache` if nothing has changed under `prefix`.

        The cache is not used while the log does not answer. Raises the graph's errors.
        """
        store = await self.live_stores.graph()

        async def nothing_pending() -> bool:
            return await pending_in(self.live_stores, "graph") == 0

        async def answer() -> ResultT:
            return await count(store.graph)

        try:
            key = store.incarnation, await (await self.live_stores.log()).head(prefix)
        except StoreError:
            key = None
        return await cache.get(key, nothing_pending=nothing_pending, count=answer)

    async def health(self, *, is_followed: bool = False) -> SourcedHealth:
        """Return the number of pending projections and the problems of log, stores and projections.

        `is_followed` says that this process makes pending projections, although the relay does not run.
        """
        found = await sourced_health(self.live_stores, lambda: self.relay.stalled)
        if found.lag is None:
            return found
        problems = (*found.problems, *await self._damage(), *await self._lag_problem(found.lag))
        if not problems and not is_followed:
            problems = await self._leader_problem(found.lag)
        return SourcedHealth(found.lag, problems)

    async def _damage(self) -> Collection[str]:
        """Return a sentence for each store of which a read found damage, unless it can be searched now."""
        found = await failures_of(
            {PORT_NAMES[port]: partial(search_once, self.live_stores, port) for port in self._unusable}
        )
        self._unusable = {port for port in self._unusable if PORT_NAMES[port] in found}
        return tuple(found.values())

    async def _leader_problem(self, lag: int) -> tuple[str, ...]:
        """Return a sentence while projections are pending and no process leads.

        A process whose relay runs waits ten seconds first, since it becomes the leader as soon as it can.
        """
        try:
            ports = await without_leader(self.live_stores) if lag else ()
        except StoreError as error:
            return (f"the leader of a store cannot be determined: {error}",)
        if not ports:
            self._leaderless_since = None
            return ()
        now = self._now()
        if self._leaderless_since is None:
            self._leaderless_since = now
        if self.relay.is_running and now - self._leaderless_since < LEADERLESS_S * SECOND:
            return ()
        names = " and the ".join(PORT_NAMES[port] for port in ports)
        return (
            f"{counted(lag, 'projection is', 'projections are')} pending, because no server leads "
            f"the {names}: start a server, or run `entrepot rebuild`",
        )

    async def _lag_problem(self, lag: int) -> Collection[str]:
        """Return a sentence if the lag has not become smaller for half a minute.

        A command checks only once, so it reports a projection that has been pending for that long instead.
        """
        now = self._now()
        if lag and not self.relay.is_running:
            try:
                since = await pending_since(self.live_stores)
            except StoreError as error:
                return (f"the age of the oldest pending projection cannot be determined: {error}",)
            if since is None or now - since < LAGGING_S * SECOND:
                return ()
            pending = counted(lag, "projection is", "projections are")
            return (f"{pending} pending, the oldest for {(now - since) // SECOND} s",)
        if not lag:
            self._lagging = None
        elif self._lagging is None or lag < self._lagging[0]:
            self._lagging = lag, now
        elif now - self._lagging[1] >= LAGGING_S * SECOND:
            seconds = (now - self._lagging[1]) // SECOND
            pending = counted(lag, "projection has", "projections have")
            return (f"{pending} been pending for {seconds} s and the relay makes no progress",)
        return ()
