"""The write path: commit, then project what the streams now are; a projection that fails leaves the write standing."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, TypeVar

import anyio

from backends.gathering import Gathering
from backends.ports.errors import InvalidInput, NotFound, StoreError
from backends.ports.events import StreamName
from backends.ports.values import JsonObject
from toolsets.apart import apart
from toolsets.sourcing.aggregate import Decide, History, size_of
from toolsets.sourcing.commit import Committer
from toolsets.sourcing.inflight import InFlight
from toolsets.sourcing.leading import NotLeading
from toolsets.sourcing.projection import Projection, Projector
from toolsets.sourcing.sites import Sites
from toolsets.sourcing.targets import KnownVectors, PortName, Target, ports_holding, ports_of
from toolsets.spec import CallContext

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

AT_ONCE = 32
"""Calls whose projections are written together; more would keep the first of them waiting."""

_logger = logging.getLogger(__name__)

ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Written(Generic[ValueT]):
    """A write that stands, and the stores in which its projection is still to be made."""

    value: ValueT
    pending: frozenset[PortName] = frozenset()
    changed: Mapping[StreamName, History] = field(default_factory=dict[StreamName, History], repr=False)
    """The projected streams it wrote to, as it left them."""

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


class _Change:
    """A stream that a call wrote to, as the call left it; projected once, and only when no later one is at hand."""

    def __init__(self, projector: Projector, stream: StreamName, history: History) -> None:
        self.stream = stream
        self.history = history
        self._projector = projector

    @cached_property
    def projection(self) -> Projection:
        """The stream's records. Raises `UnreadableEvent`."""
        return self._projector.project(self.stream, self.history)


@dataclass(frozen=True, slots=True)
class _Share:
    """What one call has for a store."""

    changes: list[_Change]
    known: KnownVectors


class WritePath:
    """Carries decisions into the log and from there into the stores."""

    def __init__(self, sites: Sites, committer: Committer, in_flight: InFlight, bell: Bell) -> None:
        self._sites = sites
        self._committer = committer
        self._in_flight = in_flight
        self._bell = bell
        self._stores = {
            port: Gathering(partial(self._project_into, port), at_once=AT_ONCE) for port in ports_of(sites.projector)
        }

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
        return Written(committed.value, pending, committed.changed)

    async def _project(self, changed: Mapping[StreamName, History], known: KnownVectors) -> frozenset[PortName]:
        """Project streams as they are now; return the stores that did not take it."""
        projector = self._sites.projector
        shares: dict[PortName, _Share] = {}
        for stream, history in changed.items():
            change = _Change(projector, stream, history)
            for port in ports_holding(projector.keys(stream)):
                shares.setdefault(port, _Share([], known)).changes.append(change)
        pending: set[PortName] = set()

        async def project_into(port: PortName, share: _Share) -> None:
            if not await self._stores[port].do(share):
                pending.add(port)

        if len(shares) == 1:
            await project_into(*shares.popitem())
            return frozenset(pending)
        async with anyio.create_task_group() as group:
            for port, share in shares.items():
                group.start_soon(project_into, port, share)
        return frozenset(pending)

    async def _project_into(self, port: PortName, shares: Sequence[_Share]) -> Sequence[bool]:
        """Write what several calls have for a store; say for each whether the store took it."""
        try:
            size = size_of(change.history for share in shares for change in share.changes)
            projections, known = await apart(partial(_together, shares), size=size)
            target: Target = await self._sites.target(port)
            # Asked now, not after the write: the coming generation may have become the live one by then.
            coming = self._sites.joining(port)
            await target.write(projections, known)
            if coming is not None:
                await coming.write(projections, known)
        except NotLeading:
            # The process that leads follows the log and writes it.
            return [False] * len(shares)
        except StoreError as error:
            if len(shares) == 1 or not isinstance(error, InvalidInput | NotFound):
                _logger.warning("%s: projection is pending: %s", port, error)
                self._sites.doubt(port)
                return [False] * len(shares)
        except Exception:  # whatever it is: the writes stand, and the relay makes up for their projection
            _logger.exception("%s: what was just written cannot be projected", port)
            if len(shares) == 1:
                return [False]
        else:
            return [True] * len(shares)
        # One call's records are no reason to leave the others' unwritten.
        return [taken for share in shares for taken in await self._project_into(port, (share,))]


def _together(shares: Sequence[_Share]) -> tuple[Sequence[Projection], KnownVectors]:
    """Return the projections of several calls, of each stream the latest, and the vectors they brought."""
    latest: dict[StreamName, _Change] = {}
    known: dict[str, Vector] = {}
    for share in shares:
        known.update(share.known)
        for change in share.changes:
            earlier = latest.get(change.stream)
            if earlier is None or len(earlier.history) < len(change.history):
                latest[change.stream] = change
    return [change.projection for change in latest.values()], known
