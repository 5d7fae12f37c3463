"""Leadership: one process holds the lease of a store; it runs the relay, and alone writes stores without conditional writes."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager

import anyio

from backends.ports.errors import Unavailable
from backends.ports.events import EventLog, Lease, StreamName
from toolsets.sourcing.projection import Projection, ProjectionPort
from toolsets.sourcing.projection_store import KnownVectors, ProjectionStore, StoreMeta

LEASE_S = 5.0
"""How long the other processes wait for one that died; a process that is merely slow loses no more than its turn."""
MARGIN_S = 1.0
"""How long before its lease ends a process stops writing, so that writes under way arrive before others write."""
RENEW_AFTER_S = LEASE_S / 2
RELEASE_S = 0.5
"""How long a process that stops tries to give its leases back; after that they end by themselves."""


class NotLeader(Unavailable):
    """Another process writes this store; its relay makes the projection."""


class Leadership:
    """The part of one process in the leadership of a store: whether it leads, and until when that is certain."""

    def __init__(self, name: str, owner: str) -> None:
        self.name = name
        """The name of the lease."""
        self.term = 0
        """Counts how often this process acquired the lease anew; between two terms others may have written."""
        self._owner = owner
        self._acquiring = anyio.Lock()
        self._lease: Lease | None = None
        self._unanswered = False
        """Whether the log may have granted the lease to a call that was stopped before its answer came."""
        self._valid_until = 0.0
        self._renew_at = 0.0
        self._writing: set[anyio.CancelScope] = set()

    @property
    def leads(self) -> bool:
        """Whether this process leads, with some time left."""
        return self._lease is not None and anyio.current_time() < self._valid_until

    @property
    def may_hold(self) -> bool:
        """Whether the log may have the lease for this process, so that it is to be released."""
        return self._lease is not None or self._unanswered

    async def acquire(self, log: EventLog) -> bool:
        """Acquire the lease, or renew it when half of it is over; return whether this process leads.

        The log grants it to no other process before it ended or was released. Raises the log's errors.
        """
        async with self._acquiring:
            # The log's clock starts later than this one, so this side's lease ends first.
            asked = anyio.current_time()
            if self._lease is not None and asked < self._renew_at:
                return True
            if self._lease is None or not await log.renew(self._lease, ttl_s=LEASE_S):
                # Writes under way were planned before: another process may have led and written since.
                self._set_valid_until(0.0)
                self._lease, self._unanswered = None, True
                self._lease = await log.lease(self.name, self._owner, ttl_s=LEASE_S)
                self._unanswered = False
                self.term += 1
            self._renew_at = asked + RENEW_AFTER_S
            self._set_valid_until(0.0 if self._lease is None else asked + LEASE_S - MARGIN_S)
            return self._lease is not None

    async def renew(self, log: EventLog) -> None:
        """Renew the lease if this process has it and half of it is over. Raises the log's errors."""
        if self._lease is not None and anyio.current_time() >= self._renew_at:
            await self.acquire(log)

    async def release(self, log: EventLog) -> None:
        """Stop writing and let another process lead at once. Raises the log's errors."""
        self._set_valid_until(0.0)
        async with self._acquiring:
            lease, self._lease = self._lease, None
            if self._unanswered:
                await give_back(log, self.name, self._owner)
                self._unanswered = False
            elif lease is not None:
                await log.release(lease)

    @contextmanager
    def alone(self) -> Generator[None]:
        """Run the block as the only writer. Raises `NotLeader`, also when the lease is lost before its end."""
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


async def give_back(log: EventLog, name: str, owner: str) -> None:
    """Release what the log may have granted to an owner whose call was stopped before its answer. Raises the log's errors."""
    # The same owner is granted it again, with the token that the lost answer had not brought.
    if (lease := await log.lease(name, owner, ttl_s=LEASE_S)) is not None:
        await log.release(lease)


class SingleWriterStore:
    """A store without conditional writes: read by every process, written by the one that leads."""

    def __init__(self, store: ProjectionStore, leadership: Leadership) -> None:
        self._store = store
        self._leadership = leadership
        self.port: ProjectionPort = store.port
        self.meta: StoreMeta = store.meta
        self.incarnation = store.incarnation
        self.version = store.version
        self.conditional_writes = False

    def holds(self, stream: StreamName) -> bool:
        """Return whether a stream has records in this store."""
        return self._store.holds(stream)

    async def revisions(self, streams: Iterable[StreamName]) -> Mapping[StreamName, int]:
        """Return the stored revision of each stream's anchor, 0 for none."""
        return await self._store.revisions(streams)

    async def write(self, projections: Sequence[Projection], known: KnownVectors) -> None:
        """Store the records. Raises `NotLeader`."""
        with self._leadership.alone():
            await self._store.write(projections, known)
