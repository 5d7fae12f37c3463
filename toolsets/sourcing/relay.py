"""The relay: the background task of a pair of stores that makes the projections which the write path did not."""

import logging
from collections.abc import Callable
from contextlib import suppress

import anyio

from backends.ports.errors import StoreError
from backends.ports.events import EventLog
from backends.ports.values import Micros
from toolsets.sourcing.follower import Follower, load_standing
from toolsets.sourcing.inflight import InFlight
from toolsets.sourcing.leading import led
from toolsets.sourcing.lineage import check_lineage, note_lineage
from toolsets.sourcing.sites import Sites, open_graph, open_vectors, published
from toolsets.sourcing.targets import INCARNATION, PortName, Target, ports_of
from toolsets.sourcing.writing import Bell

START_S = 2.0
"""How long serving may be put off to catch up with what the last process left behind."""
POLL_S = 1.0
KEEP_S = 0.5
"""How often a process that leads looks whether its lease is to be renewed."""
LOOK_S = 5.0
"""How often a store is asked whether it is still the same; one that was lost fails, or shows it by then."""
LINGER_S = 0.2
"""How long events may gather before they are looked at; the write path projects its own, so nothing waits for it."""
_BACKOFF_S = 1.0
_LONGEST_BACKOFF_S = 5.0

_logger = logging.getLogger(__name__)


class Relay:
    """Follows the log with both stores, in the one process that holds the lease; follows the live generation in all."""

    def __init__(self, sites: Sites, now: Callable[[], Micros], in_flight: InFlight, bell: Bell) -> None:
        self._sites = sites
        self._now = now
        self._in_flight = in_flight
        self._bell = bell
        self._leading = sites.leading
        self._term = 0
        self._followers: dict[PortName, Follower] = {}
        self._look_at: dict[PortName, float] = {}
        self._failures = 0
        self._trusted = False
        """Whether the stores were found to fit the log; only then may they note that they follow it."""

    async def run(self) -> None:
        """Work until cancelled; whatever goes wrong is logged and tried again."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._keep_leading)
            await self._follow_for_ever()

    async def _follow_for_ever(self) -> None:
        while True:
            try:
                await self._turn()
                self._failures = 0
            except StoreError as error:
                await self._back_off(error)
            except Exception:
                _logger.exception("the relay of %s failed unexpectedly", self._sites.projector.prefix)
                await self._back_off(None)

    async def catch_up(self) -> None:
        """Bring both stores up to the log now, if this process may. Raises the first store's error after trying both."""
        log = await self._sites.log()
        await self._follow_generation(log)
        if await self._leads(log):
            await self._bring_up_stores(log)

    async def catch_up_before_serving(self) -> None:
        """Catch up for 2 s at most, if a store is behind the log; the rest, and what fails, is left to `run`.

        Raises `Unusable` for a store that knows more than the log.
        """
        log = await self._sites.log()
        projector = self._sites.projector
        head = await log.head(projector.prefix)
        targets = [await self._sites.target(port) for port in ports_of(projector)]
        for target in targets:
            await check_lineage(log, target, self._sites.chance)
            await note_lineage(log, target, self._sites.chance)
        self._trusted = True
        standings = [await load_standing(log, projector, target) for target in targets]
        if all(standing.position >= head for standing, _ in standings):
            if not all(target.conditional_writes for target in targets):
                await self._leads(log)
            return
        try:
            with anyio.move_on_after(START_S):
                await self.catch_up()
        except StoreError as error:
            _logger.warning("%s starts behind its log: %s", projector.prefix, error)

    async def _turn(self) -> None:
        """Catch up once, then wait for the log to grow or the bell to ring."""
        log = await self._sites.log()
        seen = await log.head()
        await self.catch_up()
        if await log.wait(seen, timeout_s=POLL_S):
            await self._bell.wait(timeout_s=LINGER_S)

    async def _bring_up_stores(self, log: EventLog) -> None:
        failure: StoreError | None = None
        for port in ports_of(self._sites.projector):
            try:
                await self._follow(log, await self._follower(log, port))
            except StoreError as error:
                self._sites.doubt(port)
                self._followers.pop(port, None)
                self._look_at.pop(port, None)
                failure = failure or error
        if failure is not None:
            raise failure

    async def _follower(self, log: EventLog, port: PortName) -> Follower:
        """Return the follower of a store's present contents; another incarnation than before is begun anew."""
        target = await self._sites.target(port)
        if (now := anyio.current_time()) >= self._look_at.get(port, now):
            if await target.notes.get_meta(INCARNATION) != target.incarnation:
                self._sites.doubt(port)
                target = await self._sites.target(port)
            self._look_at[port] = now + LOOK_S
        follower = self._followers.get(port)
        if follower is None or follower.target.incarnation != target.incarnation:
            follower = await self._started(log, target)
            self._followers[port] = follower
        return follower

    async def _started(self, log: EventLog, target: Target) -> Follower:
        follower = Follower(log, self._sites.projector, target, self._now, self._in_flight, self._sites.chance)
        await follower.start()
        return follower

    async def _follow(self, log: EventLog, follower: Follower) -> None:
        """Bring a live store up and keep how far it came, as long as this process leads."""
        while await follower.advance():
            if not await self._leads(log):
                return
        await follower.retry_parked()
        await follower.save_if_due()

    async def _bring_up(self, follower: Follower) -> None:
        while await follower.advance():
            pass

    async def _follow_generation(self, log: EventLog) -> None:
        """Switch to the generation that another process made live, when it has all that this one has."""
        live = (await published(log, self._sites.projector)).generation
        if live == await self._sites.generation():
            return
        sites = self._sites
        graph = await open_graph(sites.stores, sites.projector, live, sites.chance)
        vectors = None
        if sites.projector.collection is not None:
            vectors = await open_vectors(sites.stores, sites.projector, live, sites.chance)
        sites.join(graph, vectors)
        try:
            await self._in_flight.quiet()
            for target in (graph, vectors):
                # What only the leader writes, the leader brings up.
                if target is not None and (target.conditional_writes or await self._leads(log)):
                    await self._bring_up(await self._started(log, led(target, self._leading)))
            sites.switch(live, graph, vectors)
        finally:
            sites.leave()
        self._followers.clear()

    async def _leads(self, log: EventLog) -> bool:
        """Say whether this process leads; when it begins to, it forgets how far it had followed."""
        leads = await self._leading.seek(log)
        if self._term != self._leading.term:
            self._term = self._leading.term
            self._followers.clear()
        return leads

    async def _keep_leading(self) -> None:
        """Renew the lease while a long batch is projected; a log that does not answer is told about elsewhere."""
        while True:
            await anyio.sleep(KEEP_S)
            with suppress(StoreError):
                await self._leading.keep(await self._sites.log())

    async def release(self) -> None:
        """Keep how far the stores came and give the lease back, so that another process goes on at once."""
        if not (self._trusted or self._leading.leads):
            return
        try:
            log = await self._sites.log()
            for port in ports_of(self._sites.projector) if self._trusted else ():
                await note_lineage(log, await self._sites.target(port), self._sites.chance)
            if not self._leading.leads:
                return
            for follower in self._followers.values():
                await follower.save()
            await self._leading.give_back(log)
        except StoreError as error:
            _logger.info("the relay's lease runs out by itself: %s", error)

    async def _back_off(self, error: StoreError | None) -> None:
        self._failures += 1
        pause = min(_BACKOFF_S * 2 ** min(self._failures - 1, 3), _LONGEST_BACKOFF_S)
        if error is not None and self._failures == 1:
            _logger.warning("the relay of %s waits: %s", self._sites.projector.prefix, error)
        await self._bell.wait(timeout_s=pause)
