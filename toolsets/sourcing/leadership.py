"""Leadership: the process that holds a store's lease runs its relay; without conditional writes, it alone writes the store."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager

import anyio

from backends.ports.errors import Unavailable
from backends.ports.events import EventLog, Lease, StreamName
from toolsets.sourcing.projection import Projection, ProjectionPort
from toolsets.sourcing.projection_store import KnownVectors, ProjectionStore, StoreMeta

LEASE_S = 5.0
"""How long other processes wait for a leader that died. A leader that is merely slow loses only its lease."""
MARGIN_S = 1.0
"""How long before the end of its lease a process stops writing, so that its writes arrive before others write."""
RENEW_AFTER_S = LEASE_S / 2
"""A renewal that fails can be repeated before the lease runs out."""
RELEASE_S = 0.5
"""How long a stopping process tries to release its leases; otherwise they expire."""


class NotLeader(Unavailable):
    """Another process writes this store; its relay makes the projection."""


class Leadership:
    """One process's view of the leadership of a store: whether it leads, and until when that is certain."""

    def __init__(self, name: str, owner: str) -> None:
        self.name = name
        """The name of the lease."""
        self.term = 0
        """Incremented whenever this process asks for a lease that it does not hold; between two terms others may have written."""
        self._owner = owner
        self._acquiring = anyio.Lock()
        self._lease: Lease | None = None
        self._unanswered = False
        """Whether the log may have granted the lease to a call that was cancelled before the answer."""
        self._valid_until = 0.0
        self._renew_at = 0.0
        self.unanswered_since: float | None = None
        """When the log was first asked for the lease without an answer until now, in the event loop's time."""
        self._writing: set[anyio.CancelScope] = set()

    @property
    def leads(self) -> bool:
        """Whether this process leads, with time left in its lease."""
        return self._lease is not None and anyio.current_time() < self._valid_until

    @property
    def may_hold(self) -> bool:
        """Whether this process may hold the lease and has to release it."""
        return self._lease is not None or self._unanswered

    async def acquire(self, log: EventLog) -> bool:
        """Acquire the lease, or renew it once half of it is over; return whether this process leads.

        The log grants it to no other process before it expires or is released. Raises the log's errors.
        """
        async with self._acquiring:
            # The log starts the lease later than this clock, so it ends here first.
            asked = anyio.current_time()
            if self._lease is not None and asked < self._renew_at:
                return True
            self.unanswered_since = asked if self.unanswered_since is None else self.unanswered_since
            if self._lease is None or not await log.renew_lease(self._lease, ttl_s=LEASE_S):
                # Cancel writes in progress: another process may have led and written since they began.
                self._set_valid_until(0.0)
                self._lease, self._unanswered = None, True
                self._lease = await log.acquire_lease(self.name, self._owner, ttl_s=LEASE_S)
                self._unanswered = False
                self.term += 1
            self.unanswered_since = None
            self._renew_at = asked + RENEW_AFTER_S
            self._set_valid_until(0.0 if self._lease is None else asked + LEASE_S - MARGIN_S)
            return self._lease is not None

    async def renew(self, log: EventLog) -> None:
        """Renew the lease if this process holds it and half of it is over. Raises the log's errors."""
        if self._lease is not None and anyio.current_time() >= self._renew_at:
            await self.acquire(log)

    async def release(self, log: EventLog) -> None:
        """Stop writing and release the lease, so that another process can lead at once. Raises the log's errors."""
        self._set_valid_until(0.0)
        async with self._acquiring:
            lease, self._lease = self._lease, None
            self.unanswered_since = None
            if self._unanswered:
                await release_unanswered_lease(log, self.name, self._owner)
                self._unanswered = False
            elif lease is not None:
                await log.release_lease(lease)

    @contextmanager
    def single_writer(self) -> Generator[None]:
        """Run the block as the only writer. Raises `NotLeader`, also if the lease is lost before the block ends."""
        if not self.leads:
            raise NotLeader("another process writes this store")
        with anyio.CancelScope(deadline=self._valid_until) as scope:
            self._writing.add(scope)
            try:
                yield
            finally:
                self._writing.discard(scope)
        if scope.cancelled_caught:
            raise NotLeader("the lease was lost while writing")

    def _set_valid_until(self, moment: float) -> None:
        self._valid_until = moment
        for scope in self._writing:
            scope.deadline = moment


async def release_unanswered_lease(log: EventLog, name: str, owner: str) -> None:
    """Release a lease that may have been granted to a call cancelled before the answer. Raises the log's errors."""
    # The same owner is granted it again, with the token that the lost answer contained.
    if (lease := await log.acquire_lease(name, owner, ttl_s=LEASE_S)) is not None:
        await log.release_lease(lease)


class SingleWriterStore:
    """A store without conditional writes: every process reads it, only the leader writes it."""

    def __init__(self, store: ProjectionStore, leadership: Leadership) -> None:
        self._store = store
        self._leadership = leadership
        self.port: ProjectionPort = store.port
        self.meta: StoreMeta = store.meta
        self.incarnation = store.incarnation
        self.version = store.version
        self.lost = store.lost
        self.conditional_writes = False

    def holds(self, stream: StreamName) -> bool:
        """Return whether a stream has records in this store."""
        return self._store.holds(stream)

    async def revisions(self, streams: Iterable[StreamName]) -> Mapping[StreamName, int]:
        """Return the stored revision of each stream's anchor, 0 for none."""
        return await self._store.revisions(streams)

    async def write(self, projections: Sequence[Projection], known_vectors: KnownVectors) -> None:
        """Store the records. Raises `NotLeader`."""
        with self._leadership.single_writer():
            await self._store.write(projections, known_vectors)
