"""Rebuild: a new generation of both stores from the events, beside the live one, compared with it and then made live."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from backends.ports.adapter import Stores
from backends.ports.errors import Conflict, StoreError
from backends.ports.events import EventLog, Lease
from backends.ports.values import Micros
from toolsets.ids import uuid4
from toolsets.sourcing.digest import Holdings, holdings
from toolsets.sourcing.follower import Follower
from toolsets.sourcing.inflight import InFlight
from toolsets.sourcing.lineage import NOTHING, check_lineage
from toolsets.sourcing.sites import (
    Published,
    Sites,
    generation_namespace,
    open_graph,
    open_vectors,
    pointer_name,
    published,
)
from toolsets.sourcing.stats import event_counts
from toolsets.sourcing.targets import GraphTarget, VectorsTarget
from toolsets.spec import Progress, RebuildReport

LEASE_S = 120.0
COMPARISONS = 3
"""How often two generations are compared when events keep landing between reading the one and the other."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """The stores of a generation."""

    graph: GraphTarget
    vectors: VectorsTarget | None
    apart: bool = False
    """Whether it lies in other files than what is built."""

    @property
    def all(self) -> tuple[GraphTarget | VectorsTarget, ...]:
        """Those that there are."""
        return (self.graph,) if self.vectors is None else (self.graph, self.vectors)


class Rebuilder:
    """Builds the stores of one projector again."""

    def __init__(self, sites: Sites, now: Callable[[], Micros], in_flight: InFlight) -> None:
        self._sites = sites
        self._in_flight = in_flight
        self._now = now

    async def rebuild(self, progress: Progress, target: Stores | None = None) -> RebuildReport:
        """Build a new generation beside the live one, compare digests, then switch to it.

        With `target` those stores are filled under the live generation's name instead, and nothing is switched.
        Raises `Conflict` while another rebuild of these stores runs, and the stores' errors: then the live
        generation stays. An old generation that cannot be read has no digest in the report; one whose files are
        damaged and can be replaced raises, for the new one would lie in the same files. So does one that was made from
        another log when this one has no events: it may be the last that is left of them.
        """
        log = await self._sites.log()
        name = f"{self._sites.projector.prefix}rebuild"
        lease = await log.lease(name, uuid4(self._sites.chance), ttl_s=LEASE_S)
        if lease is None:
            raise Conflict("another rebuild of these stores is running", key=name)
        try:
            return await self._rebuild(log, lease, progress, target)
        finally:
            await log.release(lease)

    async def _rebuild(self, log: EventLog, lease: Lease, progress: Progress, target: Stores | None) -> RebuildReport:
        projector = self._sites.projector
        live = await published(log, projector)
        former = await self._live_pair(live, apart=target is not None)
        if former is not None and not await log.head(projector.prefix):
            for store in former.all:
                await check_lineage(log, store, self._sites.chance, way_out=NOTHING)
        if target is None:
            generation = live.generation + 1
            # What the last rebuild replaced has served processes that were slow to follow, and is free now.
            for left_behind in {generation, generation - 2} - {0, -1}:
                await self._clear(left_behind)
        else:
            generation = live.generation
        built = await self._open(target or self._sites.stores, generation, former, fresh=target is None)
        followers = [await self._follower(log, store) for store in built.all]
        await self._replay(log, lease, followers, progress)
        if target is None:
            held, former_digest = await self._switched(log, lease, live, built, former, followers)
        else:
            held, former_digest = await self._compared(log, built, former, followers)
            await _saved(followers)
        events = sum((await event_counts(log, projector)).values())
        embedded = 0 if built.vectors is None else built.vectors.embedded
        return RebuildReport(
            events, held.nodes, held.edges, held.vectors, embedded, held.digest, former_digest, generation
        )

    async def _switched(
        self,
        log: EventLog,
        lease: Lease,
        live: Published,
        built: _Pair,
        former: _Pair | None,
        followers: list[Follower],
    ) -> tuple[Holdings, str | None]:
        """Compare the generations, then make the new one live: for all processes, and at once for this one."""
        name = pointer_name(self._sites.projector)
        self._sites.join(built.graph, built.vectors)
        try:
            await self._in_flight.quiet()
            compared = await self._compared(log, built, former, followers)
            await _saved(followers)
            if not await log.renew(lease, ttl_s=LEASE_S):
                raise Conflict("the rebuild took too long and another one may have begun", key=lease.name)
            await log.save_checkpoint(name, {"generation": live.generation + 1}, expected=live.revision)
            self._sites.switch(live.generation + 1)
        finally:
            self._sites.leave()
        return compared

    async def _live_pair(self, live: Published, *, apart: bool) -> _Pair | None:
        """Open the live generation; None when it cannot be used, which is a reason to rebuild."""
        try:
            pair = await self._open(self._sites.stores, live.generation, None, fresh=False)
        except StoreError as problem:
            return _unreadable(problem, apart=apart)
        return replace(pair, apart=apart)

    async def _open(self, stores: Stores, generation: int, former: _Pair | None, *, fresh: bool) -> _Pair:
        projector, chance = self._sites.projector, self._sites.chance
        graph = await open_graph(stores, projector, generation, chance, fresh=fresh)
        if projector.collection is None:
            return _Pair(graph, None)
        donor = former.vectors if former is not None else None
        vectors = await open_vectors(stores, projector, generation, chance, fresh=fresh, donor=donor)
        return _Pair(graph, vectors)

    async def _clear(self, generation: int) -> None:
        """Remove a generation that is not live."""
        space = generation_namespace(self._sites.projector, generation)
        await (await self._sites.stores.graph(space)).drop()
        if (collection := self._sites.projector.collection) is not None:
            await (await self._sites.stores.vectors(space)).drop(collection)

    async def _follower(self, log: EventLog, store: GraphTarget | VectorsTarget) -> Follower:
        follower = Follower(log, self._sites.projector, store, self._now, InFlight(), self._sites.chance)
        await follower.start()
        return follower

    async def _replay(self, log: EventLog, lease: Lease, followers: list[Follower], progress: Progress) -> None:
        """Bring the new stores up to the end of the log."""
        total = float(await log.head(self._sites.projector.prefix)) * len(followers)
        renewed = self._now()
        for follower in followers:
            while await follower.advance():
                await progress(sum(f.standing.position for f in followers), total, "replaying events")
                if self._now() - renewed > LEASE_S / 4 * 1_000_000:
                    renewed = self._now()
                    await log.renew(lease, ttl_s=LEASE_S)
            await follower.retry_parked()

    async def _compared(
        self, log: EventLog, built: _Pair, former: _Pair | None, followers: list[Follower]
    ) -> tuple[Holdings, str | None]:
        """Return what the new generation holds and the digest of the old one, both at the same end of the log if possible."""
        projector = self._sites.projector
        for comparison in range(1, COMPARISONS + 1):
            for follower in followers:
                while await follower.advance():
                    pass
            head = await log.head(projector.prefix)
            former_digest = await self._former_digest(former)
            held = await holdings(projector, built.graph, built.vectors)
            same = held.digest == former_digest
            if same or comparison == COMPARISONS or await log.head(projector.prefix) == head:
                return held, former_digest
        raise AssertionError("unreachable: the last comparison returns")

    async def _former_digest(self, former: _Pair | None) -> str | None:
        if former is None:
            return None
        try:
            return (await holdings(self._sites.projector, former.graph, former.vectors)).digest
        except StoreError as problem:
            return _unreadable(problem, apart=former.apart)


def _unreadable(problem: StoreError, *, apart: bool) -> None:
    """Stand for what cannot be read. Raises the problem where files are to be replaced before anything is built in them."""
    if problem.replaceable and not apart:
        raise problem


async def _saved(followers: list[Follower]) -> None:
    for follower in followers:
        await follower.save()
