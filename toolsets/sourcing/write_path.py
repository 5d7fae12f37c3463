"""The write path: commit, then project what the streams now are; when a projection fails, the write still stands."""

import logging
from collections import Counter
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, TypeVar

import anyio

from backends.kit.coalesce import Coalescer
from backends.ports.errors import InvalidInput, NotFound, StoreError
from backends.ports.events import StreamName
from backends.ports.values import JsonObject
from toolsets.concurrency import run_cpu
from toolsets.sourcing.aggregate import Decide, History, size_of
from toolsets.sourcing.commit import Committer
from toolsets.sourcing.leadership import NotLeader
from toolsets.sourcing.projection import PortName, Projection, Projector
from toolsets.sourcing.projection_store import KnownVectors, ProjectionStore
from toolsets.sourcing.stores import LiveStores
from toolsets.spec import CallContext

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

MAX_CALLS = 32
"""Calls whose projections are written together; with more, the first of them would wait too long."""

_WAIT_FOR_WRITES_S = 1.0
_logger = logging.getLogger(__name__)

ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Written(Generic[ValueT]):
    """A write that stands: the decision's value, and the stores in which its projection is still to be made."""

    value: ValueT
    pending: frozenset[PortName] = frozenset()
    changed: Mapping[StreamName, History] = field(default_factory=dict[StreamName, History], repr=False)
    """The projected streams it wrote to, with all their events."""

    @property
    def indexed(self) -> bool:
        """Whether every store has the projection."""
        return not self.pending

    @property
    def meta(self) -> JsonObject:
        """The protocol metadata of a reply about this write."""
        return {} if self.indexed else {"entrepot/indexing": "pending"}

    def message(self, sentence: str) -> str:
        """Return a reply's message about this write, with a note while the projection is still to be made."""
        return sentence if self.indexed else f"{sentence}; indexing is pending"


class InFlight:
    """The streams that calls of this process are writing, so that its follower waits for their projections."""

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

    async def all_settled(self) -> None:
        """Return when the writes under way now have ended, after one second at most."""
        await self.settled(tuple(self._streams))

    async def settled(self, streams: Collection[StreamName]) -> None:
        """Return when none of these streams is being written, after one second at most: projecting twice does no harm."""
        with anyio.move_on_after(_WAIT_FOR_WRITES_S):
            while any(stream in self._streams for stream in streams):
                await self._changed.wait()


class WakeUp:
    """Wakes the task that waits for work."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def set(self) -> None:
        """Wake it."""
        self._event.set()

    async def wait(self, *, timeout_s: float) -> bool:
        """Return True when set since the last time, False after `timeout_s`."""
        with anyio.move_on_after(timeout_s):
            await self._event.wait()
        is_set = self._event.is_set()
        if is_set:
            self._event = anyio.Event()
        return is_set


class _PendingStream:
    """A stream that a call wrote to, with its events; projected at most once, and only when no later version is at hand."""

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

    changes: list[_PendingStream]
    known: KnownVectors


class WritePath:
    """Appends decisions to the log and projects them into the stores."""

    def __init__(self, live_stores: LiveStores, committer: Committer, in_flight: InFlight, wake_up: WakeUp) -> None:
        self._live_stores = live_stores
        self._committer = committer
        self._in_flight = in_flight
        self._wake_up = wake_up
        self._stores = {
            port: Coalescer(partial(self._project_into, port), at_once=MAX_CALLS)
            for port in live_stores.projector.ports()
        }

    async def write(
        self,
        decide: Decide[ValueT],
        context: CallContext,
        *,
        streams: Collection[StreamName],
        known: KnownVectors | None = None,
    ) -> Written[ValueT]:
        """Commit a decision about `streams` and project them; `known` are vectors that the caller made for its texts.

        Raises what `decide` and the log raise: then nothing was written. A store that fails raises nothing.
        """
        log = await self._live_stores.log()
        with self._in_flight.writing(streams):
            committed = await self._committer.commit(log, decide, context, prefetch=streams)
            pending = await self._project(committed.changed, known or {})
        if pending:
            self._wake_up.set()
        return Written(committed.value, pending, committed.changed)

    async def _project(self, changed: Mapping[StreamName, History], known: KnownVectors) -> frozenset[PortName]:
        """Project streams at their present versions; return the stores that did not take it."""
        projector = self._live_stores.projector
        shares: dict[PortName, _Share] = {}
        for stream, history in changed.items():
            if (kind := projector.stream_kind(stream)) is not None:
                change = _PendingStream(projector, stream, history)
                for port in kind.ports():
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
        """Write what several calls have for a store; return for each whether the store took it."""
        try:
            size = size_of(change.history for share in shares for change in share.changes)
            projections, known = await run_cpu(partial(_latest, shares), size=size)
            store = await self._live_stores.store(port)
            # Read before the write: the mirror may have become the live generation after it.
            mirror = self._live_stores.mirror(port)
            await store.write(projections, known)
        except NotLeader:
            # The leading process follows the log and writes this store.
            return [False] * len(shares)
        except StoreError as error:
            if len(shares) == 1 or not isinstance(error, InvalidInput | NotFound):
                _logger.warning("%s: projection is pending: %s", port, error)
                self._live_stores.invalidate(port)
                return [False] * len(shares)
        except Exception:  # whatever it is: the writes stand, and the relay repeats their projection
            _logger.exception("%s: a write cannot be projected", port)
            if len(shares) == 1:
                return [False]
        else:
            await self._write_mirror(port, mirror, projections, known)
            return [True] * len(shares)
        # One call's records must not keep the others' from being written.
        return [taken for share in shares for taken in await self._project_into(port, (share,))]

    async def _write_mirror(
        self, port: PortName, mirror: ProjectionStore | None, projections: Sequence[Projection], known: KnownVectors
    ) -> None:
        """Write another generation, too; one that fails is left to its follower."""
        if mirror is None:
            return
        try:
            await (await self._live_stores.writable(port, mirror)).write(projections, known)
        except StoreError as error:
            _logger.warning("%s: the other generation is not written: %s", port, error)


def _latest(shares: Sequence[_Share]) -> tuple[Sequence[Projection], KnownVectors]:
    """Return the projections of several calls, of each stream only the latest, and the vectors they brought."""
    latest: dict[StreamName, _PendingStream] = {}
    known: dict[str, Vector] = {}
    for share in shares:
        known.update(share.known)
        for change in share.changes:
            earlier = latest.get(change.stream)
            if earlier is None or len(earlier.history) < len(change.history):
                latest[change.stream] = change
    return [change.projection for change in latest.values()], known
