"""Leading: one process of a toolset holds a lease; it runs the relay, and alone writes stores that compare no revisions."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

import anyio

from backends.ports.errors import Unavailable
from backends.ports.events import EventLog, Lease, StreamName
from toolsets.sourcing.projection import Keys, Projection
from toolsets.sourcing.targets import KnownVectors, Notes, PortName, Target

LEASE_S = 5.0
"""How long the others wait for a process that died; one that is merely slow loses no more than its turn."""
MARGIN_S = 1.0
"""How long before its lease runs out a process stops writing, so that what is on its way arrives before others write."""
RENEW_AFTER_S = LEASE_S / 2


class NotLeading(Unavailable):
    """Another process writes this store; what is to be written here it will write itself."""


class Leading:
    """A process's standing: whether it leads, and until when it can be sure of that."""

    def __init__(self, prefix: str, owner: str) -> None:
        self._name = f"{prefix}relay"
        self._owner = owner
        self._seeking = anyio.Lock()
        self._lease: Lease | None = None
        self._sure_until = 0.0
        self._renew_at = 0.0
        self._writing: set[anyio.CancelScope] = set()
        self.term = 0
        """Counts how often this process sought the lead anew; whoever lost it knows no more what others wrote."""

    @property
    def leads(self) -> bool:
        """Whether this process leads, with some time left."""
        return self._lease is not None and anyio.current_time() < self._sure_until

    async def seek(self, log: EventLog) -> bool:
        """Take the lease or, when half of it is over, renew it; say whether this process leads.

        The log gives it to nobody else before it has run out or was given back. Raises the log's errors.
        """
        async with self._seeking:
            # The log's clock starts later than this one, so it is this side that runs out first.
            asked = anyio.current_time()
            if self._lease is not None and asked < self._renew_at:
                return True
            if self._lease is None or not await log.renew(self._lease, ttl_s=LEASE_S):
                # What is under way was planned before: another process may have led and written since.
                self._be_sure_until(0.0)
                self._lease = await log.lease(self._name, self._owner, ttl_s=LEASE_S)
                self.term += 1
            self._renew_at = asked + RENEW_AFTER_S
            self._be_sure_until(0.0 if self._lease is None else asked + LEASE_S - MARGIN_S)
            return self._lease is not None

    async def keep(self, log: EventLog) -> None:
        """Renew the lease if this process has it, also while it is busy with something long. Raises the log's errors."""
        if self._lease is not None:
            await self.seek(log)

    async def give_back(self, log: EventLog) -> None:
        """Stop writing and let another process lead at once. Raises the log's errors."""
        lease, self._lease = self._lease, None
        self._be_sure_until(0.0)
        if lease is not None:
            await log.release(lease)

    @contextmanager
    def alone(self) -> Generator[None]:
        """Let the block write as the only process. Raises `NotLeading`, also when the lead is lost before its end."""
        if not self.leads:
            raise NotLeading("another process writes this store")
        with anyio.CancelScope(deadline=self._sure_until) as scope:
            self._writing.add(scope)
            try:
                yield
            finally:
                self._writing.discard(scope)
        if scope.cancelled_caught:
            raise NotLeading("the lead was lost while writing")

    def _be_sure_until(self, moment: float) -> None:
        self._sure_until = moment
        for scope in self._writing:
            scope.deadline = moment


class LedTarget:
    """A store that compares no revisions: read by everybody, written while this process leads."""

    def __init__(self, target: Target, leading: Leading) -> None:
        self._target = target
        self._leading = leading
        self.port: PortName = target.port
        self.notes: Notes = target.notes
        self.incarnation = target.incarnation
        self.conditional_writes = False

    def holds(self, keys: Keys) -> bool:
        """Say whether a stream with these keys has a record here."""
        return self._target.holds(keys)

    async def revisions(self, keys: Mapping[StreamName, Keys]) -> Mapping[StreamName, int]:
        """Return the stored revision of each stream's record, 0 for none."""
        return await self._target.revisions(keys)

    async def write(self, projections: Sequence[Projection], known: KnownVectors) -> None:
        """Store the records. Raises `NotLeading`."""
        with self._leading.alone():
            await self._target.write(projections, known)


def led(target: Target, leading: Leading) -> Target:
    """Return a store as this process may use it."""
    return target if target.conditional_writes else LedTarget(target, leading)
