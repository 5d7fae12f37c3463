"""A follower brings one store up to the log, saves its checkpoint, and parks streams that cannot be projected."""

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from backends.ports.errors import AlreadyOpen, Conflict, InvalidInput, NotFound, Unsupported, Unusable
from backends.ports.events import EventLog, RecordedEvent, StreamName
from backends.ports.values import Micros
from toolsets.clock import SECOND
from toolsets.concurrency import run_cpu
from toolsets.sourcing.aggregate import History, UnreadableEvent, checkpoint_data, size_of
from toolsets.sourcing.backoff import backoff_s
from toolsets.sourcing.leadership import NotLeader
from toolsets.sourcing.lineage import advance_lineage, followed_to
from toolsets.sourcing.projection import Projection, Projector
from toolsets.sourcing.projection_store import KnownVectors, ProjectionStore
from toolsets.sourcing.stream_cache import StreamCache

if TYPE_CHECKING:
    from toolsets.sourcing.write_path import InFlight

BATCH_WEIGHT = 500
"""The weight of the events that are read at once: some hundred kilobytes, few enough to renew the lease in between."""

COMPARED_AT_START = 1_000
"""Positions before the checkpoint that are compared again at the start: some engines acknowledge before they sync."""

SAVE_EVERY_S = 1
"""Seconds between checkpoints while nothing is repaired; events after a checkpoint are only compared, which is cheap."""

_RECORD_ERRORS = (InvalidInput, NotFound, UnreadableEvent)
"""Errors that a single record causes. A `NotFound` that names no ids means that the collection is gone."""
_STORE_ERRORS = (AlreadyOpen, Conflict, NotLeader, Unsupported, Unusable)
_PROBES = 3
"""Records that are tried one by one before a failed batch counts as the store's fault rather than a record's."""
_MAX_SUSPECTS = 3
"""Streams of a batch that may be parked for an error that is not about a record; if more fail, it is the store's."""
_FIRST_RETRY_S, _LONGEST_RETRY_S = 2.0, 300.0
"""The waits before a parked stream is tried again."""

_logger = logging.getLogger(__name__)


class Parked(BaseModel):
    """A stream that could not be projected: the error, the number of attempts, and the time of the next one."""

    model_config = ConfigDict(frozen=True)

    error: str
    attempts: int
    retry_at: int


class FollowerProgress(BaseModel):
    """A store's position in the log; `pairs` counts the events up to `position` that belong to this store."""

    model_config = ConfigDict(frozen=True)

    position: int = 0
    pairs: int = 0
    parked: Mapping[str, Parked] = {}
    filling: bool = False
    """Whether the store was lost and has not reached the end of the log since."""


def progress_name(projector: Projector, store: ProjectionStore) -> str:
    """Return the name of the checkpoint of a store's present incarnation."""
    return f"{projector.prefix}relay/{store.port}/{store.incarnation}"


async def load_progress(log: EventLog, projector: Projector, store: ProjectionStore) -> tuple[FollowerProgress, int]:
    """Return a store's progress and the revision of its checkpoint; a new incarnation starts at the beginning."""
    name = progress_name(projector, store)
    saved = await log.load_checkpoint(name)
    return (
        (FollowerProgress(), 0) if saved is None else (checkpoint_data(FollowerProgress, name, saved), saved.revision)
    )


async def mark_filling(
    log: EventLog, projector: Projector, store: ProjectionStore, *, known_lost: bool = False
) -> bool:
    """Return whether a store was lost and has not reached the end of the log since; note it for the next start.

    Such a store has no checkpoint at first, and, unless it is `known_lost`, no record of the oldest streams; one that a
    command has filled has them.
    """
    progress, revision = await load_progress(log, projector, store)
    if revision:
        return progress.filling
    if not known_lost:
        oldest = await log.read_all(projector.prefix, after=0, limit=BATCH_WEIGHT)
        held = {event.stream for event in oldest if store.holds(event.stream)}
        if not held or any((await store.revisions(held)).values()):
            return False
    value = FollowerProgress(filling=True).model_dump(mode="json")
    with suppress(Conflict):  # another process has noted it
        await log.save_checkpoint(progress_name(projector, store), value, expected=0)
    return True


async def is_incomplete(log: EventLog, projector: Projector, store: ProjectionStore) -> bool:
    """Return whether a store may lack records: it has not been filled yet since it was lost, or it `is_behind`."""
    progress, _ = await load_progress(log, projector, store)
    return progress.filling or await is_behind(log, projector, store)


async def is_behind(log: EventLog, projector: Projector, store: ProjectionStore) -> bool:
    """Return whether a store has followed the log less far than its checkpoint says.

    It is an older copy that was restored, or has lost its last writes in a crash.
    """
    # In this order: a store notes how far it has followed before its checkpoint is saved, possibly by another process now.
    progress, _ = await load_progress(log, projector, store)
    own = await followed_to(store.meta)
    return own is not None and own < progress.position


async def rewind_if_restored(log: EventLog, projector: Projector, store: ProjectionStore) -> bool:
    """Return whether an older copy of a store was restored; then its checkpoint starts at the beginning again.

    Such a store has followed the log less far than its checkpoint says. The last positions before a checkpoint are compared
    at every start, so a store that is behind by no more than these is left as it is.
    """
    # In the order of `is_behind`.
    progress, revision = await load_progress(log, projector, store)
    own = await followed_to(store.meta)
    if own is None or own >= progress.position - COMPARED_AT_START:
        return False
    value = FollowerProgress(filling=True).model_dump(mode="json")
    try:
        await log.save_checkpoint(progress_name(projector, store), value, expected=revision)
    except Conflict:
        return await rewind_if_restored(log, projector, store)
    return True


class Follower:
    """Brings one store up to the log."""

    def __init__(
        self,
        log: EventLog,
        projector: Projector,
        store: ProjectionStore,
        now: Callable[[], Micros],
        in_flight: "InFlight",
        rng: random.Random,
        cache: StreamCache | None = None,
    ) -> None:
        self.store = store
        self._cache = StreamCache() if cache is None else cache
        self._log = log
        self._projector = projector
        self._now = now
        self._in_flight = in_flight
        self._rng = rng
        self._progress = FollowerProgress()
        self._revision = 0
        self._unsaved = False
        self._repaired = False
        self._suspects = 0
        self._saved_at = now()
        self._no_vectors: KnownVectors = {}

    @property
    def progress(self) -> FollowerProgress:
        """The progress so far."""
        return self._progress

    async def start(self) -> None:
        """Load the checkpoint and compare the last positions before it again; an older copy starts at the beginning.

        Raises `OtherLog` for an older copy that does not fit the log.
        """
        was_behind = await self._is_behind()
        await rewind_if_restored(self._log, self._projector, self.store)
        self._progress, self._revision = await load_progress(self._log, self._projector, self.store)
        after = max(0, self._progress.position - COMPARED_AT_START)
        while after < self._progress.position:
            events = await self._read(after)
            seen = [event for event in events if event.position <= self._progress.position]
            if not seen:
                break
            await self._bring_up(_newest(seen))
            after = seen[-1].position
        if was_behind:
            await self._advance_lineage()

    async def advance(self) -> bool:
        """Project one batch of the log; return False if there was nothing left to read."""
        # Logs answer this query for many followers at once.
        if await self._log.head(self._projector.prefix) <= self._progress.position:
            return self._reached_end()
        events = await self._read(self._progress.position)
        if not events:
            return self._reached_end()
        await self._bring_up(_newest(events))
        pairs = sum(1 for event in events if self.store.holds(event.stream))
        self._note(position=events[-1].position, pairs=self._progress.pairs + pairs)
        return True

    def _reached_end(self) -> Literal[False]:
        if self._progress.filling:
            self._note(filling=False)
        return False

    async def _read(self, after: int) -> Sequence[RecordedEvent]:
        """Return the events after a position that make one batch."""
        events = await self._log.read_all(self._projector.prefix, after=after, limit=BATCH_WEIGHT)
        if all(kind.weight == 1 for kind in self._projector.streams):
            return events
        weight = 0
        for place, event in enumerate(events):
            kind = self._projector.stream_kind(event.stream)
            weight += 1 if kind is None else kind.weight
            if weight > BATCH_WEIGHT and place:
                return events[:place]
        return events

    async def retry_parked(self) -> None:
        """Retry the parked streams that are due, as long as the store itself does not seem to be at fault."""
        self._suspects = 0
        due = [StreamName(name) for name, entry in self._progress.parked.items() if entry.retry_at <= self._now()]
        for stream in due:
            if self._suspects < _MAX_SUSPECTS:
                await self._project_one(stream)

    async def save_if_due(self) -> None:
        """Save the checkpoint if something was repaired or parked, or if the last save is a second old."""
        if self._repaired or self._now() - self._saved_at >= SAVE_EVERY_S * SECOND:
            await self.save()

    async def save(self) -> None:
        """Save the checkpoint. If another process saved one meanwhile, that process leads now and its checkpoint is loaded.

        If an older copy of the store was put back, the follower starts again instead. Raises `OtherLog` for a store that does
        not fit the log.
        """
        if not self._unsaved:
            return
        if await self._is_behind():
            await self.start()
            return
        # Before the checkpoint: a store that has followed less far than its checkpoint is an older copy.
        await self._advance_lineage()
        name = progress_name(self._projector, self.store)
        value = self._progress.model_dump(mode="json")
        try:
            self._revision = (await self._log.save_checkpoint(name, value, expected=self._revision)).revision
        except Conflict:
            self._progress, self._revision = await load_progress(self._log, self._projector, self.store)
        self._unsaved = self._repaired = False
        self._saved_at = self._now()

    async def _is_behind(self) -> bool:
        return await is_behind(self._log, self._projector, self.store)

    async def _advance_lineage(self) -> None:
        await advance_lineage(self._log, self.store.port, self.store.meta, self._projector.prefix, self._rng)

    async def _bring_up(self, newest: Mapping[StreamName, int]) -> None:
        """Project the streams whose anchor is behind the given version; park those that fail alone."""
        await self._in_flight.wait_for(newest)
        behind = await self._behind(newest)
        if not behind:
            return
        self._repaired = True
        self._suspects = 0
        if (error := await self._try_project(behind)) is not None:
            await self._project_by_halves(await self._left(behind, error))

    async def _behind(self, newest: Mapping[StreamName, int]) -> list[StreamName]:
        held = [stream for stream in newest if self.store.holds(stream) and stream not in self._progress.parked]
        if not held:
            return []
        stored = await self.store.revisions(held)
        return [stream for stream in held if stored.get(stream, 0) < newest[stream]]

    def _projections(self, streams: Sequence[StreamName], histories: Mapping[StreamName, History]) -> list[Projection]:
        return [self._projector.project(stream, histories[stream]) for stream in streams if histories[stream]]

    async def _try_project(self, streams: Sequence[StreamName]) -> Exception | None:
        """Project streams together; return the error if that fails. Raises errors that no record caused."""
        histories = await self._cache.read(self._log, streams)
        try:
            projections = partial(self._projections, streams, histories)
            await self.store.write(await run_cpu(projections, size=size_of(histories.values())), self._no_vectors)
        except Exception as error:  # an engine's error about one record must not hold up the others
            _logger.debug("%s: %d streams cannot be projected together", self.store.port, len(streams), exc_info=True)
            await self._raise_store_error(error, streams)
            return error
        return None

    async def _left(self, streams: Sequence[StreamName], error: Exception) -> Sequence[StreamName]:
        """Return the streams still to be projected after they failed together, if one of them may be the cause.

        If the error is not about a record, some streams are tried alone. Raises the error if all of them fail.
        """
        if isinstance(error, _RECORD_ERRORS):
            return streams
        # A new choice each time, so that a few bad records do not block a batch.
        probes = self._rng.sample(streams, min(_PROBES, len(streams))) if len(streams) > 1 else ()
        for probe in probes:
            if await self._try_project((probe,)) is None:
                return [stream for stream in streams if stream != probe]
        raise error

    async def _project_by_halves(self, streams: Sequence[StreamName]) -> None:
        """Bisect streams that failed together until those that fail alone are found."""
        if len(streams) == 1:
            await self._project_one(streams[0])
            return
        half = len(streams) // 2
        for part in (streams[:half], streams[half:]):
            if len(part) == 1 or await self._try_project(part) is not None:
                await self._project_by_halves(part)

    async def _raise_store_error(self, error: Exception, streams: Sequence[StreamName]) -> None:
        """Raise an error that no record caused, or the error of a simple query to the store."""
        if isinstance(error, _STORE_ERRORS) or (isinstance(error, NotFound) and not error.missing):
            raise error
        if not isinstance(error, _RECORD_ERRORS):
            await self.store.revisions(streams)

    async def _project_one(self, stream: StreamName) -> None:
        """Project one stream; park it if that fails, unless the store as a whole is failing.

        Raises the error if too many streams failed with an error that is not about a record.
        """
        self._repaired = True
        parked = dict(self._progress.parked)
        former = parked.pop(stream, None)
        if (error := await self._try_project((stream,))) is not None:
            self._suspects += not isinstance(error, _RECORD_ERRORS)
            if former is None and self._suspects > _MAX_SUSPECTS:
                raise error
            attempts = former.attempts + 1 if former else 1
            wait_s = backoff_s(attempts, first_s=_FIRST_RETRY_S, longest_s=_LONGEST_RETRY_S)
            retry_at = self._now() + int(wait_s * SECOND)
            parked[stream] = Parked(
                error=(str(error) or type(error).__name__)[:500], attempts=attempts, retry_at=retry_at
            )
            _logger.warning("%s: %s cannot be projected (attempt %d): %s", self.store.port, stream, attempts, error)
        self._note(parked=parked)

    def _note(self, **changes: int | dict[str, Parked]) -> None:
        self._progress = self._progress.model_copy(update=changes)
        self._unsaved = True


def _newest(events: Sequence[RecordedEvent]) -> dict[StreamName, int]:
    return {event.stream: event.version for event in events}
