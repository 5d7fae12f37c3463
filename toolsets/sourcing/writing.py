"""The write path: commit, then project what the streams now are; a projection that fails leaves the write standing."""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import anyio

from backends.ports.errors import StoreError
from backends.ports.events import StreamName
from backends.ports.values import JsonObject
from toolsets.sourcing.aggregate import Decide, History, UnreadableEvent
from toolsets.sourcing.commit import Committer
from toolsets.sourcing.inflight import InFlight
from toolsets.sourcing.leading import NotLeading
from toolsets.sourcing.projection import Projection
from toolsets.sourcing.sites import Sites
from toolsets.sourcing.targets import KnownVectors, PortName, Target, ports_of
from toolsets.spec import CallContext

_logger = logging.getLogger(__name__)

ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Written(Generic[ValueT]):
    """A write that stands, and the stores in which its projection is still to be made."""

    value: ValueT
    pending: frozenset[PortName] = frozenset()

    @property
    def indexed(self) -> bool:
        """Whether every store has it."""
        return not self.pending

    @property
    def note(self) -> JsonObject:
        """The metadata of a reply about it."""
        return {} if self.indexed else {"entrepot/indexing": "pending"}


class Bell:
    """Wakes whoever waits for work."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def ring(self) -> None:
        """Wake them."""
        self._event.set()

    async def wait(self, *, timeout_s: float) -> bool:
        """Return True when rung since the last time, False after `timeout_s`."""
        with anyio.move_on_after(timeout_s):
            await self._event.wait()
        rung = self._event.is_set()
        if rung:
            self._event = anyio.Event()
        return rung


class WritePath:
    """Carries decisions into the log and from there into the stores."""

    def __init__(self, sites: Sites, committer: Committer, in_flight: InFlight, bell: Bell) -> None:
        self._sites = sites
        self._committer = committer
        self._in_flight = in_flight
        self._bell = bell

    async def write(
        self,
        decide: Decide[ValueT],
        context: CallContext,
        *,
        streams: Collection[StreamName],
        known: KnownVectors | None = None,
    ) -> Written[ValueT]:
        """Commit a decision about `streams` and project it; `known` are vectors made for its texts beforehand.

        Raises what deciding and the log raise: then nothing happened. A store that fails raises nothing.
        """
        log = await self._sites.log()
        with self._in_flight.writing(streams):
            committed = await self._committer.commit(log, decide, context, prefetch=streams)
            pending = await self._project(committed.changed, known or {})
        if pending:
            self._bell.ring()
        return Written(committed.value, pending)

    async def _project(self, changed: Mapping[StreamName, History], known: KnownVectors) -> frozenset[PortName]:
        """Project streams as they are now; return the stores that did not take it."""
        projector = self._sites.projector
        keys = {stream: found for stream in changed if (found := projector.keys(stream)) is not None}
        try:
            projections = [projector.project(stream, changed[stream]) for stream in keys]
        except UnreadableEvent:
            _logger.exception("a stream just written cannot be projected")
            return frozenset(ports_of(projector))
        pending: set[PortName] = set()

        async def project_into(port: PortName) -> None:
            concerned = [p for p in projections if (p.graph if port == "graph" else p.vectors) is not None]
            if concerned and not await self._project_into(port, concerned, known):
                pending.add(port)

        async with anyio.create_task_group() as group:
            for port in ports_of(projector):
                group.start_soon(project_into, port)
        return frozenset(pending)

    async def _project_into(self, port: PortName, projections: list[Projection], known: KnownVectors) -> bool:
        try:
            target: Target = await self._sites.target(port)
            # Asked now, not after the write: the coming generation may have become the live one by then.
            coming = self._sites.joining(port)
            await target.write(projections, known)
            if coming is not None:
                await coming.write(projections, known)
        except NotLeading:
            # The process that leads follows the log and writes it.
            return False
        except StoreError as error:
            _logger.warning("%s: projection is pending: %s", port, error)
            self._sites.doubt(port)
            return False
        return True
