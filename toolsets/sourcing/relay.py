"""The relay: the background task that makes pending projections and follows the live generation."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from backends.ports.errors import StoreError
from backends.ports.events import EventLog
from backends.ports.values import Micros
from toolsets.sourcing.backoff import backoff_s
from toolsets.sourcing.follower import Follower, is_behind, load_progress, mark_filling, rewind_if_restored
from toolsets.sourcing.generations import OlderRecords
from toolsets.sourcing.health import pending_in
from toolsets.sourcing.leadership import Leadership
from toolsets.sourcing.lineage import OtherLog, advance_lineage, check_lineage
from toolsets.sourcing.projection import ProjectionPort
from toolsets.sourcing.projection_store import INCARNATION, NewerRecords, ProjectionStore
from toolsets.sourcing.stores import LiveStores
from toolsets.sourcing.write_path import InFlight, WakeUp

START_S = 2.0
"""The longest delay of the start for catching up with what the last process left pending."""
POLL_S = 1.0
"""The longest interval between reads of the log and of the pointers to the live generations."""
RENEW_S = 0.5
"""How often a leader checks whether its leases must be renewed."""
CHECK_S = 5.0
"""How often the contents of a store are checked: whether it was lost or replaced, and whether it fits the log."""
LINGER_S = 0.2
"""How long events may accumulate before they are read; the write path projects its own, so nothing waits for this."""
MIRROR_S = 2 * POLL_S + 0.5
"""How long the former generation is written after a switch, until every process has read the new pointer."""
_FIRST_RETRY_S, _LONGEST_RETRY_S = 1.0, 5.0
"""The waits after iterations that failed."""

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _StoreState:
    """The state of the relay for one store."""

    term: int = 0
    follower: Follower | None = None
    check_at: float | None = None
    mirrored: int | None = None
    """The generation that is written beside the live one."""
    mirror_until: float = 0.0
    stalled: str | None = None
    """The error that kept the store from being brought up the last time."""


class Relay:
    """Brings each store whose lease this process holds up to the log; follows the live generation of all stores."""

    def __init__(
        self,
        live_stores: LiveStores,
        now: Callable[[], Micros],
        in_flight: InFlight,
        wake_up: WakeUp,
        upgrade: Callable[[], Awaitable[None]],
        is_deleted: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        """Prepare to follow; `upgrade` rebuilds stores with records of an earlier version.

        `is_deleted` returns whether the streams were deleted, so that neither they nor the stores need be complete any more.
        """
        self._live_stores = live_stores
        self._projector = live_stores.projector
        self._now = now
        self._in_flight = in_flight
        self._wake_up = wake_up
        self._upgrade = upgrade
        self._is_deleted = is_deleted
        self._stores: dict[ProjectionPort, _StoreState] = {port: _StoreState() for port in self._projector.ports()}
        self._failures = 0
        self._own_head = -1
        self._due_at = 0.0
        self._unexpected: str | None = None
        """The unexpected error that ended the last iteration, or the relay itself."""
        self.is_running = False
        self._trusted = False
        """Whether the stores were found to fit the log; only then may their lineage be recorded."""

    async def run(self) -> None:
        """Run until cancelled, or until the streams are deleted; errors are logged and the work is retried."""
        self.is_running = True
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._renew_leases)
                await self._follow()
                group.cancel_scope.cancel()
        except Exception:
            self._unexpected = "the relay ended with an error, which the log shows; restart the server"
            raise
        finally:
            self.is_running = False

    async def _follow(self) -> None:
        """Follow the log until the streams are deleted."""
        while True:
            try:
                await self._iterate()
                self._failures, self._unexpected = 0, None
            except StoreError as error:
                if not error.retryable and self._is_deleted is not None and await self._is_deleted():
                    return
                # It may be the log that failed, and be back as an older copy.
                self._live_stores.log_failed = True
                self.check_soon()
                await self._back_off(error)
            except Exception as error:
                _logger.exception("the relay of %s failed unexpectedly", self._projector.prefix)
                self._unexpected = f"{type(error).__name__}, which the log shows"
                await self._back_off(None)

    async def catch_up(self) -> None:
        """Bring every store that this process leads up to the log. Raises the first error after trying all stores."""
        log = await self._live_stores.log()
        failure: StoreError | None = None
        for port in self._projector.ports():
            try:
                await self._follow_generation(log, port)
                # Opened before its lease is acquired: a process that cannot write the store must not keep others from doing so.
                await self._check(log, port)
                if await self._leads(log, port):
                    await self._bring_up_live(log, port)
                if port in self._live_stores.filling:
                    await pending_in(self._live_stores, port)
            except StoreError as error:
                self._live_stores.invalidate(port)
                self._stores[port].follower = self._stores[port].check_at = None
                self._stores[port].stalled = str(error)
                if isinstance(error, OtherLog):
                    self._live_stores.lineage_errors[port] = error
                if isinstance(error, NewerRecords):
                    await (await self._live_stores.leadership(port)).release(log)
                failure = failure or error
            else:
                self._stores[port].stalled = None
        if failure is not None:
            raise failure

    @property
    def stalled(self) -> tuple[str, ...]:
        """The errors that presently keep stores from being brought up, one sentence each."""
        errors = (*(found.stalled for found in self._stores.values()), self._unexpected)
        return tuple(dict.fromkeys(error for error in errors if error is not None))

    @property
    def log_waits_s(self) -> float:
        """How long a renewal of a lease, which is a small write, has been waiting for the log; 0 if none is waiting."""
        asked = [each.unanswered_since for each in self._live_stores.leaderships().values()]
        return max((anyio.current_time() - since for since in asked if since is not None), default=0.0)

    async def catch_up_before_serving(self) -> None:
        """If a store is behind the log, catch up for at most two seconds; `run` does the rest and retries failures.

        A store that was lost is not read before it has caught up.
        Raises `Unusable` for a store that is ahead of the log.
        """
        log = await self._live_stores.log()
        projector = self._projector
        head = await log.head(projector.prefix)
        stores = [await self._live_stores.store(port) for port in projector.ports()]
        for store in stores:
            await rewind_if_restored(log, projector, store)
            await self._advance_lineage(log, store)
        self._trusted = True
        progress = [(await load_progress(log, projector, store))[0] for store in stores]
        if not self._live_stores.filling and all(each.position >= head for each in progress):
            for store in stores:
                if not store.conditional_writes:
                    await self._leads(log, store.port)
            return
        try:
            for store in stores:
                if await mark_filling(log, projector, store, known_lost=store.port in self._live_stores.filling):
                    self._live_stores.filling.add(store.port)
            with anyio.move_on_after(START_S):
                await self.catch_up()
        except StoreError as error:
            _logger.warning("%s starts behind its log: %s", projector.prefix, error)

    async def release(self) -> None:
        """Save the checkpoints and release the leases, so that another process can take over at once."""
        leaderships = self._live_stores.leaderships()
        if not (self._trusted or any(each.may_hold for each in leaderships.values())):
            return
        async with anyio.create_task_group() as group:
            for port in self._projector.ports():
                group.start_soon(self._release, port, leaderships.get(port))

    async def _release(self, port: ProjectionPort, leadership: Leadership | None) -> None:
        """Save a store's checkpoint, release its lease, even if the store is down, and record its lineage."""
        try:
            log = await self._live_stores.log()
            if leadership is not None and leadership.may_hold:
                try:
                    if (follower := self._stores[port].follower) is not None:
                        await follower.save()
                finally:
                    await leadership.release(log)
            if self._trusted:
                await self._advance_lineage(log, await self._live_stores.store(port))
        except StoreError as error:
            _logger.info("the relay's leases could not be released and will expire: %s", error)

    async def _advance_lineage(self, log: EventLog, store: ProjectionStore) -> None:
        """Record how far a store has followed the log, unless it shows that an older copy was put back. Raises `OtherLog`."""
        prefix, rng = self._projector.prefix, self._live_stores.rng
        if await is_behind(log, self._projector, store):
            await check_lineage(log, store.port, store.meta, prefix, rng)
        else:
            await advance_lineage(log, store.port, store.meta, prefix, rng)

    async def _iterate(self) -> None:
        """Catch up once, then wait for the log to grow or for the write path to leave something pending."""
        log = await self._live_stores.log()
        seen, own = await log.head(), await log.head(self._projector.prefix)
        if own < self._own_head:
            self.check_soon()
        # All toolsets and databases append to the log; events of others are no reason to look earlier.
        if own != self._own_head or self.stalled or anyio.current_time() >= self._due_at:
            try:
                await self.catch_up()
            except OlderRecords:
                await self._upgrade()
                return
            self._own_head, self._due_at = own, anyio.current_time() + POLL_S / 2
        if await log.wait(seen, timeout_s=_until_next(POLL_S)):
            await self._wake_up.wait(timeout_s=LINGER_S)

    async def _bring_up_live(self, log: EventLog, port: ProjectionPort) -> None:
        """Bring a live store up to the log and save its checkpoint, as long as this process leads."""
        was_filling = port in self._live_stores.filling
        follower = await self._follower(log, port)
        while await follower.advance():
            if not await self._leads(log, port):
                return
        if was_filling:  # the follower has reached the end of the log since
            self._live_stores.filling.discard(port)
        await follower.retry_parked()
        await follower.save_if_due()
        if follower.progress.filling:
            self._live_stores.filling.add(port)

    def check_soon(self) -> None:
        """Check all stores in the next iteration."""
        self._own_head = -1
        for found in self._stores.values():
            found.check_at = None

    async def _check(self, log: EventLog, port: ProjectionPort) -> None:
        """Open a store; from time to time notice whether its contents were lost or replaced. Raises `OtherLog`."""
        found, projector = self._stores[port], self._projector
        store = await self._live_stores.store(port)
        if found.check_at is not None and anyio.current_time() < found.check_at:
            return
        if await store.meta.get_meta(INCARNATION) != store.incarnation:
            self._live_stores.invalidate(port)
            store = await self._live_stores.store(port)
        if await is_behind(log, projector, store):
            await rewind_if_restored(log, projector, store)
            self._live_stores.filling.add(port)
            found.follower = None
        await check_lineage(log, port, store.meta, projector.prefix, self._live_stores.rng)
        self._live_stores.lineage_errors.pop(port, None)
        found.check_at = anyio.current_time() + CHECK_S

    async def _follower(self, log: EventLog, port: ProjectionPort) -> Follower:
        """Return the follower of a store's present contents; a new incarnation or an older copy gets a new follower."""
        found = self._stores[port]
        store = await self._live_stores.store(port)
        known, is_filling = found.follower, port in self._live_stores.filling
        is_current = known is not None and known.store.incarnation == store.incarnation
        if known is None or not is_current or (is_filling and not known.progress.filling):
            if is_filling:
                await mark_filling(log, self._projector, store, known_lost=True)
            known = found.follower = await self._started(log, store)
        return known

    async def _started(self, log: EventLog, store: ProjectionStore) -> Follower:
        live = self._live_stores
        follower = Follower(log, self._projector, store, self._now, self._in_flight, live.rng, live.cache)
        await follower.start()
        return follower

    async def _follow_generation(self, log: EventLog, port: ProjectionPort) -> None:
        """Attach the next generation, switch to the one that another process made live, and detach the previous one."""
        pointer = (await self._live_stores.read_pointer(port)).pointer
        former = await self._live_stores.generation(port)
        found = self._stores[port]
        if pointer.generation != former:
            await self._switch(log, port, former, pointer.generation)
            return
        next_generation = pointer.next_generation if pointer.next_until > self._now() else None
        if next_generation is not None and next_generation != found.mirrored:
            store = await self._live_stores.open_generation(port, next_generation)
            # Records of this version must not be written into a generation of another version.
            if store.version == self._projector.version:
                self._live_stores.attach_mirror(port, store)
                found.mirrored, found.mirror_until = next_generation, 0.0
        elif next_generation is None and found.mirrored is not None and anyio.current_time() >= found.mirror_until:
            self._live_stores.detach_mirror(port)
            found.mirrored = None

    async def _switch(self, log: EventLog, port: ProjectionPort, former: int, generation: int) -> None:
        """Switch to a generation once it has caught up; the former one is written for a while longer."""
        found = self._stores[port]
        new = await self._live_stores.open_generation(port, generation)
        if new.version != self._projector.version:
            # Its next use says which of the two is the newer version; until then nothing is written.
            self._live_stores.detach_mirror(port)
            await self._live_stores.switch(port, generation)
            found.mirrored = found.follower = None
            return
        if found.mirrored != generation:
            self._live_stores.attach_mirror(port, new)
            found.mirrored = generation
        await self._in_flight.wait_for_all()
        # The leader brings up a store with a single writer.
        if new.conditional_writes or await self._leads(log, port):
            follower = await self._started(log, await self._live_stores.writable(port, new))
            while await follower.advance():
                pass
        left = await self._live_stores.open_generation(port, former)
        # A generation of another version does not accept records of this one, and no process of this version reads it.
        if left.version == new.version:
            self._live_stores.attach_mirror(port, left)
            found.mirrored, found.mirror_until = former, anyio.current_time() + MIRROR_S
        await self._live_stores.switch(port, generation)
        found.follower = None

    async def _leads(self, log: EventLog, port: ProjectionPort) -> bool:
        """Return whether this process leads; at the start of a term the follower is dropped."""
        leadership = await self._live_stores.leadership(port)
        leads = await leadership.acquire(log)
        found = self._stores[port]
        if found.term != leadership.term:
            found.term = leadership.term
            found.follower = None
        return leads

    async def _renew_leases(self) -> None:
        """Renew leases while a long batch is projected. Errors of the log are ignored here; the turn reports them."""
        while True:
            await anyio.sleep(_until_next(RENEW_S))
            for leadership in self._live_stores.leaderships().values():
                try:
                    await leadership.renew(await self._live_stores.log())
                except StoreError:
                    pass
                except Exception:  # a lease that is not renewed expires, and the relay goes on
                    _logger.exception("the lease %s is not renewed", leadership.name)

    async def _back_off(self, error: StoreError | None) -> None:
        self._failures += 1
        if error is not None and self._failures == 1:
            _logger.warning("the relay of %s waits and tries again: %s", self._projector.prefix, error)
        pause_s = backoff_s(self._failures, first_s=_FIRST_RETRY_S, longest_s=_LONGEST_RETRY_S)
        await self._wake_up.wait(timeout_s=pause_s)


def _until_next(period_s: float) -> float:
    """Return the seconds until the next multiple of a period, at least a quarter of the period.

    All relays of a process wake at the same moments, so that the log can answer them together.
    """
    left = period_s - anyio.current_time() % period_s
    return left if left > period_s / 4 else left + period_s
