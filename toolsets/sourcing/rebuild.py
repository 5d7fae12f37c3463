"""Rebuild: a new generation of the stores is built from the events, compared with the live one and then made live."""

import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from backends.ports.adapter import Stores
from backends.ports.errors import Conflict, StoreError, Unusable
from backends.ports.events import EventLog, Lease, StreamName
from backends.ports.values import Micros
from toolsets.clock import SECOND
from toolsets.ids import uuid4
from toolsets.reports import ComparisonReport, Progress, RebuildReport, no_progress
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.sourcing.comparison import StoreComparer, compare_generations
from toolsets.sourcing.contents import Contents, Generation, contents
from toolsets.sourcing.follower import Follower
from toolsets.sourcing.generations import (
    Pointer,
    VersionedPointer,
    generation_namespace,
    open_graph,
    open_vectors,
    pointer_name,
)
from toolsets.sourcing.health import event_counts
from toolsets.sourcing.leadership import release_unanswered_lease
from toolsets.sourcing.lineage import NO_EVENTS_REMEDY, check_lineage
from toolsets.sourcing.projection import ProjectionPort
from toolsets.sourcing.projection_store import GraphStore, ProjectionStore, VectorStore
from toolsets.sourcing.relay import POLL_S
from toolsets.sourcing.stores import LiveStores
from toolsets.sourcing.write_path import InFlight

REBUILD_LEASE_S = 15.0
"""How long a killed rebuild prevents others from starting; a running one renews its leases in the background."""
RELEASE_LEASES_S = 5.0
"""How long a rebuild tries to release its leases, also if it was cancelled."""
ANNOUNCE_S = 2 * POLL_S + 0.5
"""The time for other servers to notice the next generation before it becomes live."""
NEXT_GENERATION_S = 30.0
"""How long other servers write a next generation if the rebuild dies before it switches."""

_LOST = "the rebuild was suspended for longer than its lease, so another one may have started"
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _RebuildTarget:
    """The stores that a rebuild writes, and the pointers that it changes."""

    live_stores: LiveStores
    pointers: dict[ProjectionPort, VersionedPointer]
    leases: tuple[Lease, ...]
    served: bool
    """Whether another process may follow the log with one of these stores."""

    def generation(self, port: ProjectionPort) -> int:
        """Return the number of the generation to be built."""
        return self.pointers[port].generation + 1


@dataclass(frozen=True, slots=True)
class _Live:
    """The live stores that could be opened."""

    graph: GraphStore | None
    vectors: VectorStore | None
    needs_vectors: bool

    def stores(self) -> tuple[GraphStore | VectorStore, ...]:
        """Return the stores that could be opened."""
        return tuple(store for store in (self.graph, self.vectors) if store is not None)

    def generation(self) -> Generation | None:
        """Return the generation, None if one of its stores is missing."""
        if self.graph is None or (self.needs_vectors and self.vectors is None):
            return None
        return Generation(self.graph, self.vectors)


class Rebuilder:
    """Rebuilds the stores of one projector."""

    def __init__(self, live_stores: LiveStores, now: Callable[[], Micros], in_flight: InFlight) -> None:
        self._live_stores = live_stores
        self._projector = live_stores.projector
        self._in_flight = in_flight
        self._now = now

    async def rebuild(self, progress: Progress, destination: Stores | None = None) -> RebuildReport:
        """Build a new generation beside the live one, compare the two, then make the new one live.

        With `destination` the new generation is built in those stores instead, and made live there; the stores of this
        toolset, and the servers that use them, are not affected.
        Raises `Conflict` while another rebuild of the same stores runs, and the stores' errors; the live generation then
        stays live. A live generation that cannot be read has no digest in the report, but raises if its files are damaged
        and can be replaced, because the new generation would lie in the same files. Also raises if the live generation has
        records but the log has no events at all, or records whose events cannot be read: it may be the last copy of them.
        """
        log = await self._live_stores.log()
        target = self._live_stores
        if destination is not None:
            target = LiveStores(destination, self._projector, self._live_stores.rng)
        async with self._leased(log, target) as leased:
            return await self._while_leased(log, leased, progress)

    async def upgrade(self) -> None:
        """Rebuild the live stores if, with their leases held, one has records of an earlier version. Raises as `rebuild`.

        Another process may have rebuilt them just before the leases were granted.
        """
        log = await self._live_stores.log()
        async with self._leased(log, self._live_stores) as leased:
            if await self._live_stores.has_older_records():
                await self._while_leased(log, leased, no_progress)

    async def compare(self, progress: Progress, other: Stores) -> ComparisonReport:
        """Compare the live stores with other ones. Raises what `StoreComparer.compare` raises."""
        return await StoreComparer(self._live_stores, self._now).compare(progress, other)

    async def _while_leased(self, log: EventLog, target: _RebuildTarget, progress: Progress) -> RebuildReport:
        """Rebuild while renewing the leases. Raises `Conflict` as soon as one of them is lost."""
        outcome: RebuildReport | Exception = Conflict(_LOST)

        async def renew() -> None:
            while True:
                await anyio.sleep(REBUILD_LEASE_S / 4)
                try:
                    await self._renew(log, target)
                except Conflict:
                    group.cancel_scope.cancel()
                except StoreError as error:
                    _logger.debug("the leases of a rebuild could not be renewed: %s", error)

        async with anyio.create_task_group() as group:
            group.start_soon(renew)
            try:
                outcome = await self._rebuild(log, target, progress)
            except Exception as error:  # noqa: BLE001 (raised below, outside the exception group)
                outcome = error
            group.cancel_scope.cancel()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def _rebuild(self, log: EventLog, target: _RebuildTarget, progress: Progress) -> RebuildReport:
        in_place = target.live_stores is self._live_stores
        live = await self._live_generation(in_place=in_place)
        former = live.generation()
        if not await log.head():
            for store in live.stores():
                await check_lineage(
                    log, store.port, store.meta, self._projector.prefix, self._live_stores.rng, remedy=NO_EVENTS_REMEDY
                )
        for port in self._projector.ports():
            # Servers that were slow to follow the last rebuild may have used the previous generation until now.
            for left_behind in {target.generation(port), target.generation(port) - 2} - {0, -1}:
                await self._clear(target.live_stores.stores, port, left_behind)
        built = await self._open_new(target, live.vectors)
        followers = [await self._follower(log, store) for store in built.stores()]
        await self._replay(log, followers, progress)
        for store, follower in zip(() if former is None else former.stores(), followers, strict=False):
            if store.version == self._projector.version:
                await self._check_readable(log, store, follower, in_place=in_place)
        if built.vectors is not None:
            await _maintain(built.vectors)
        held, same = await self._compared(log, built, former, followers, in_place=in_place)
        await self._switch(log, target, built, followers)
        events = sum((await event_counts(log, self._projector)).values())
        former_digest = held.digest if same else await self._digest(former, in_place=in_place)
        return RebuildReport(
            events,
            held.nodes,
            held.edges,
            held.vectors,
            0 if built.vectors is None else built.vectors.embedded,
            held.digest,
            former_digest,
            max(target.generation(port) for port in self._projector.ports()),
        )

    @asynccontextmanager
    async def _leased(self, log: EventLog, target: LiveStores) -> AsyncGenerator[_RebuildTarget]:
        """Hold the leases of all stores to be rebuilt, and determine whether other processes use them."""
        leases: list[Lease] = []
        asked: dict[str, str] = {}
        served = False
        pointers: dict[ProjectionPort, VersionedPointer] = {}
        try:
            for port in self._projector.ports():
                name = f"{self._projector.prefix}rebuild/{port}/{await target.identity(port)}"
                asked[name] = uuid4(self._live_stores.rng)
                lease = await log.acquire_lease(name, asked[name], ttl_s=REBUILD_LEASE_S)
                if lease is None:
                    del asked[name]
                    raise Conflict(
                        f"another rebuild of these stores is running, or was killed less than {REBUILD_LEASE_S:g} s ago",
                        key=name,
                    )
                leases.append(lease)
                leadership = await target.leadership(port)
                # Every server tries to lead, so if the lease is free, or ours, there is no other server.
                served = served or leadership.leads or not await leadership.acquire(log)
                pointers[port] = await target.read_pointer(port)
            yield _RebuildTarget(target, pointers, tuple(leases), served)
        finally:
            with anyio.move_on_after(RELEASE_LEASES_S, shield=True):
                if target is not self._live_stores:
                    for leadership in target.leaderships().values():
                        await leadership.release(log)
                for name, owner in asked.items():
                    await release_unanswered_lease(log, name, owner)

    async def _live_generation(self, *, in_place: bool) -> "_Live":
        """Open the live stores; one that cannot be opened is left out, since a rebuild replaces it."""
        graph: GraphStore | None = None
        vectors: VectorStore | None = None
        try:
            graph = await self._live_stores.graph_of_any_version()
        except Exception as problem:  # noqa: BLE001 -- whatever a former generation holds, a rebuild replaces it
            _unreadable(problem, in_place=in_place)
        try:
            vectors = await self._live_stores.vectors_of_any_version() if self._projector.collections else None
        except Exception as problem:  # noqa: BLE001 -- whatever a former generation holds, a rebuild replaces it
            _unreadable(problem, in_place=in_place)
        return _Live(graph, vectors, needs_vectors=bool(self._projector.collections))

    async def _open_new(self, target: _RebuildTarget, donor: VectorStore | None) -> Generation:
        stores, rng = target.live_stores.stores, self._live_stores.rng
        graph = await open_graph(stores, self._projector, target.generation("graph"), rng=rng, fresh=True)
        if not self._projector.collections:
            return Generation(graph, None)
        number = target.generation("vectors")
        return Generation(graph, await open_vectors(stores, self._projector, number, rng=rng, fresh=True, donor=donor))

    async def _clear(self, stores: Stores, port: ProjectionPort, generation: int) -> None:
        """Remove a generation of a store that is not live."""
        space = generation_namespace(self._projector, generation)
        if port == "graph":
            await (await stores.graph(space)).drop()
            return
        for collection in self._projector.collections:
            await (await stores.vectors(space)).drop(collection.name)

    async def _follower(self, log: EventLog, store: ProjectionStore) -> Follower:
        follower = Follower(log, self._projector, store, self._now, InFlight(), self._live_stores.rng)
        await follower.start()
        return follower

    async def _replay(self, log: EventLog, followers: Sequence[Follower], progress: Progress) -> None:
        """Bring the new stores up to the end of the log."""
        total = float(await log.head(self._projector.prefix)) * len(followers)
        for follower in followers:
            while await follower.advance():
                await progress(sum(f.progress.position for f in followers), total, "replaying the log")
            await follower.retry_parked()

    async def _check_readable(
        self, log: EventLog, live: ProjectionStore, follower: Follower, *, in_place: bool
    ) -> None:
        """Raise `Unusable` for a stream whose events cannot be read, and whose record only the live store has."""
        parked = [StreamName(name) for name in follower.progress.parked]
        if not parked:
            return
        try:
            kept = [stream for stream, version in (await live.revisions(parked)).items() if version]
        except Exception as problem:  # noqa: BLE001 -- as above
            _unreadable(problem, in_place=in_place)
            return
        for stream, events in (await log.read_streams(kept)).items():
            try:
                self._projector.project(stream, tuple(events))
            except UnreadableEvent as error:
                raise Unusable(f"an event cannot be read, and without it records would be lost: {error}") from error

    async def _renew(self, log: EventLog, target: _RebuildTarget) -> None:
        for lease in target.leases:
            if not await log.renew_lease(lease, ttl_s=REBUILD_LEASE_S):
                raise Conflict(_LOST, key=lease.name)

    async def _compared(
        self,
        log: EventLog,
        built: Generation,
        former: Generation | None,
        followers: Sequence[Follower],
        *,
        in_place: bool,
    ) -> tuple[Contents, bool]:
        """Return the contents of the new generation, and whether the former one has the same records."""

        async def bring_up() -> None:
            await self._in_flight.wait_for_all()
            await _advance(followers)

        if former is not None and (in_place or _same_embedder(built, former)):
            try:
                return await compare_generations(self._projector, built, former, bring_up)
            except Exception as problem:  # noqa: BLE001 -- as above; the new generation is read again below
                _unreadable(problem, in_place=in_place)
        await bring_up()
        return await contents(self._projector, built), False

    async def _digest(self, former: Generation | None, *, in_place: bool) -> str | None:
        if former is None:
            return None
        try:
            return (await contents(self._projector, former)).digest
        except Exception as problem:  # noqa: BLE001 -- as above
            return _unreadable(problem, in_place=in_place)

    async def _switch(
        self, log: EventLog, target: _RebuildTarget, built: Generation, followers: Sequence[Follower]
    ) -> None:
        """Make the new generation live; it is announced first, so that every server writes it before any reads it."""
        live = target.live_stores
        for store in built.stores():
            live.attach_mirror(store.port, store)
        try:
            await self._renew(log, target)
            pointers = dict(target.pointers)
            if target.served:
                until = Micros(self._now() + int(NEXT_GENERATION_S * SECOND))
                for port, each in target.pointers.items():
                    pointer = Pointer(
                        generation=each.generation, next_generation=target.generation(port), next_until=until
                    )
                    pointers[port] = await self._save(log, target, port, pointer, each.revision)
                await anyio.sleep(ANNOUNCE_S)
            await self._in_flight.wait_for_all()
            await _advance(followers)
            for follower in followers:
                await follower.save()
            for port, each in pointers.items():
                await self._save(log, target, port, Pointer(generation=target.generation(port)), each.revision)
                await live.switch(port, target.generation(port))
        finally:
            for port in self._projector.ports():
                live.detach_mirror(port)

    async def _save(
        self, log: EventLog, target: _RebuildTarget, port: ProjectionPort, pointer: Pointer, revision: int
    ) -> VersionedPointer:
        name = pointer_name(self._projector, port, await target.live_stores.identity(port))
        saved = await log.save_checkpoint(name, pointer.model_dump(mode="json"), expected=revision)
        return VersionedPointer(pointer, saved.revision)


async def _maintain(vectors: VectorStore) -> None:
    """Merge and index the replayed records, so that the first searches do not wait for it.

    Results do not depend on it, so a failure is ignored.
    """
    try:
        await vectors.maintain()
    except StoreError as problem:
        _logger.warning("the rebuilt vectors could not be merged and indexed: %s", problem)


async def _advance(followers: Sequence[Follower]) -> None:
    for follower in followers:
        while await follower.advance():
            pass


def _same_embedder(one: Generation, other: Generation) -> bool:
    if one.vectors is None or other.vectors is None:
        return True
    return one.vectors.embedder.identity == other.vectors.embedder.identity


def _unreadable(problem: Exception, *, in_place: bool) -> None:
    """Treat an unreadable generation as absent, and log it. Raises the problem if its files must be replaced first."""
    if isinstance(problem, StoreError) and problem.replaceable and in_place:
        raise problem
    # Other errors may quote what is stored.
    reason = str(problem) if isinstance(problem, StoreError) else type(problem).__name__
    _logger.warning("the former generation cannot be read, so it is not compared with the new one: %s", reason)
