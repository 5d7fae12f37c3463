"""The write path: commit, then project the changed streams; if a projection fails, the write is still valid."""

import logging
from collections import Counter
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, TypeVar

import anyio

from backends.kit.coalesce import Coalescer
from backends.ports.errors import InvalidInput, NotFound, StoreError, Timeout, Unavailable, Unusable
from backends.ports.events import StreamName
from backends.ports.values import JsonObject
from toolsets.concurrency import run_cpu
from toolsets.sourcing.aggregate import Decide, History, size_of
from toolsets.sourcing.commit import Committer, reply_deadline
from toolsets.sourcing.leadership import NotLeader
from toolsets.sourcing.projection import Projection, ProjectionPort, Projector
from toolsets.sourcing.projection_store import KnownVectors, ProjectionStore
from toolsets.sourcing.stores import LiveStores
from toolsets.spec import CallContext

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

MAX_CALLS = 32
"""The most calls whose projections are written together, so that the first does not wait too long."""

_WAIT_FOR_WRITES_S = 1.0
"""A write in progress usually ends within milliseconds; after this its streams are projected twice, which does no harm."""
_logger = logging.getLogger(__name__)

ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Written(Generic[ValueT]):
    """A committed write: the decision's value, and the stores in which its projection is still pending."""

    value: ValueT
    pending: frozenset[ProjectionPort] = frozenset()
    changed: Mapping[StreamName, History] = field(default_factory=dict[StreamName, History], repr=False)
    """The projected streams that it wrote to, with all their events."""

    @property
    def indexed(self) -> bool:
        """Whether every store has the projection."""
        return not self.pending

    @property
    def meta(self) -> JsonObject:
        """The protocol metadata for a reply about this write."""
        return {} if self.indexed else {"entrepot/indexing": "pending"}

    def message(self, sentence: str) -> str:
        """Return the message of a reply about this write, with a note while a projection is pending."""
        return sentence if self.indexed else f"{sentence}; indexing is pending"


class InFlight:
    """The streams that calls of this process are writing; its followers wait for the projections of these calls."""

    def __init__(self) -> None:
        self._streams: Counter[StreamName] = Counter()
        self._changed = anyio.Event()

    @contextmanager
    def writing(self, streams: Collection[StreamName]) -> Generator[None]:
        """Mark streams as being written inside the block."""
        self._streams.update(streams)
        try:
            yield
        finally:
            self._streams.subtract(streams)
            self._streams = +self._streams
            self._changed.set()
            self._changed = anyio.Event()

    async def wait_for_all(self) -> None:
        """Wait until the writes in progress have ended, for one second at most."""
        await self.wait_for(tuple(self._streams))

    async def wait_for(self, streams: Collection[StreamName]) -> None:
        """Wait until none of these streams is being written, for one second at most: projecting twice does no harm."""
        with anyio.move_on_after(_WAIT_FOR_WRITES_S):
            while any(stream in self._streams for stream in streams):
                await self._changed.wait()


class WakeUp:
    """A signal that wakes the task waiting for work."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def set(self) -> None:
        """Wake the waiting task, or the next one that waits."""
        self._event.set()

    async def wait(self, *, timeout_s: float) -> bool:
        """Return True as soon as it is set, False after `timeout_s`; then clear it."""
        with anyio.move_on_after(timeout_s):
            await self._event.wait()
        is_set = self._event.is_set()
        if is_set:
            self._event = anyio.Event()
        return is_set


class _PendingStream:
    """A stream that a call wrote to, with its events; projected at most once, and only if no later version is queued."""

    def __init__(self, projector: Projector, stream: StreamName, history: History) -> None:
        self.stream = stream
        self.history = history
        self._projector = projector

    @cached_property
    def projection(self) -> Projection:
        """The stream's records. Raises `UnreadableEvent`."""
        return self._projector.project(self.stream, self.history)


@dataclass(frozen=True, slots=True)
class _CallChanges:
    """One call's changes for one store."""

    changes: list[_PendingStream]
    known_vectors: KnownVectors


class WritePath:
    """Appends decisions to the log and projects them into the stores."""

    def __init__(self, live_stores: LiveStores, committer: Committer, in_flight: InFlight, wake_up: WakeUp) -> None:
        self._live_stores = live_stores
        self._committer = committer
        self._in_flight = in_flight
        self._wake_up = wake_up
        self._stores = {
            port: Coalescer(partial(self._project_into, port), max_items=MAX_CALLS)
            for port in live_stores.projector.ports()
        }

    async def write(
        self,
        decide: Decide[ValueT],
        context: CallContext,
        *,
        streams: Collection[StreamName],
        known_vectors: KnownVectors | None = None,
    ) -> Written[ValueT]:
        """Commit a decision and project the changed streams.

        `streams` are those that `decide` reads; `known_vectors` are vectors that the caller has already computed for its texts.
        Raises what `decide` and the log raise. Nothing was written then, unless it is `UnknownOutcome`, after which the log
        may have the events: the answer got lost. A failing store raises nothing, but `OtherLog` is raised while a store does
        not fit the log: it has records of events that the log has lost, and would refuse the new ones as outdated.
        """
        log = await self._live_stores.log()
        await self._live_stores.refuse_other_log(log)
        with self._in_flight.writing(streams):
            try:
                committed = await self._committer.commit(log, decide, context, prefetch=streams)
            except (Timeout, Unavailable, Unusable):
                self._live_stores.log_failed = True
                raise
            pending = await self._project(committed.changed, known_vectors or {})
        if pending:
            self._wake_up.set()
        return Written(committed.value, pending, committed.changed)

    async def _project(
        self, changed: Mapping[StreamName, History], known_vectors: KnownVectors
    ) -> frozenset[ProjectionPort]:
        """Project streams at their present versions; return the stores in which that is still pending.

        Stops some seconds before the deadline of the call.
        """
        projector = self._live_stores.projector
        calls: dict[ProjectionPort, _CallChanges] = {}
        for stream, history in changed.items():
            if (kind := projector.stream_kind(stream)) is not None:
                change = _PendingStream(projector, stream, history)
                for port in kind.ports():
                    calls.setdefault(port, _CallChanges([], known_vectors)).changes.append(change)
        pending = set(calls)

        async def project_into(port: ProjectionPort, call: _CallChanges) -> None:
            if await self._stores[port].submit(call):
                pending.discard(port)

        with anyio.move_on_at(reply_deadline()) as scope:
            if len(calls) == 1:
                await project_into(*calls.popitem())
                return frozenset(pending)
            async with anyio.create_task_group() as group:
                for port, call in calls.items():
                    group.start_soon(project_into, port, call)
        if scope.cancelled_caught:
            _logger.warning("projection is pending: %s did not answer in time", " and ".join(sorted(pending)))
        return frozenset(pending)

    async def _project_into(self, port: ProjectionPort, calls: Sequence[_CallChanges]) -> Sequence[bool]:
        """Write the changes of several calls into one store; return for each call whether it was written."""
        try:
            size = size_of(change.history for call in calls for change in call.changes)
            projections, known = await run_cpu(partial(_latest, calls), size=size)
            store = await self._live_stores.store(port)
            # Read before the write: after it, the mirror may have become the live generation.
            mirror = self._live_stores.mirror(port)
            await store.write(projections, known)
        except NotLeader:
            # The leader follows the log and writes this store.
            return [False] * len(calls)
        except StoreError as error:
            if len(calls) == 1 or not isinstance(error, InvalidInput | NotFound):
                _logger.warning("%s: projection is pending: %s", port, error)
                self._live_stores.invalidate(port)
                return [False] * len(calls)
        except Exception:  # the writes are committed, and the relay repeats their projection
            _logger.exception("%s: a write cannot be projected", port)
            if len(calls) == 1:
                return [False]
        else:
            await self._write_mirror(port, mirror, projections, known)
            return [True] * len(calls)
        # The records of one call must not prevent those of the others from being written.
        return [taken for call in calls for taken in await self._project_into(port, (call,))]

    async def _write_mirror(
        self,
        port: ProjectionPort,
        mirror: ProjectionStore | None,
        projections: Sequence[Projection],
        known: KnownVectors,
    ) -> None:
        """Also write the mirrored generation; its follower makes up for a failure, and the writes are committed."""
        if mirror is None:
            return
        try:
            await (await self._live_stores.writable(port, mirror)).write(projections, known)
        except StoreError as error:
            _logger.warning("%s: the other generation is not written: %s", port, error)
        except Exception:
            _logger.exception("%s: the other generation is not written", port)


def _latest(calls: Sequence[_CallChanges]) -> tuple[Sequence[Projection], KnownVectors]:
    """Return the projections of several calls, only the latest of each stream, and the vectors of all calls."""
    latest: dict[StreamName, _PendingStream] = {}
    known: dict[str, Vector] = {}
    for call in calls:
        known.update(call.known_vectors)
        for change in call.changes:
            earlier = latest.get(change.stream)
            if earlier is None or len(earlier.history) < len(change.history):
                latest[change.stream] = change
    return [change.projection for change in latest.values()], known
