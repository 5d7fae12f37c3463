"""A follower: brings one store up to the log, remembers how far it came, and parks what cannot be projected."""

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from pydantic import BaseModel, ConfigDict

from backends.ports.errors import AlreadyOpen, Conflict, InvalidInput, NotFound, Unsupported, Unusable
from backends.ports.events import Checkpoint, EventLog, RecordedEvent, StreamName
from backends.ports.values import Micros
from toolsets.apart import apart
from toolsets.clock import SECOND
from toolsets.sourcing.aggregate import UnreadableEvent, size_of
from toolsets.sourcing.inflight import InFlight
from toolsets.sourcing.leading import NotLeading
from toolsets.sourcing.lineage import note_lineage
from toolsets.sourcing.projection import Keys, Projection, Projector
from toolsets.sourcing.targets import KnownVectors, Target

BATCH = 500
VERIFIED_AT_START = 1_000
"""Positions looked at again at start, because some engines acknowledge before they are durable."""

SAVE_EVERY_S = 1
"""Between checkpoints while nothing had to be repaired; what lies after one is looked at again, which is cheap."""

_OF_A_RECORD = (InvalidInput, NotFound, UnreadableEvent)
"""What says by itself that a record is to blame; a `NotFound` without ids says that the collection is gone."""
_OF_THE_STORE = (AlreadyOpen, Conflict, NotLeading, Unsupported, Unusable)
_PROBES = 3
_MOST_SUSPECTS = 3
"""How many streams of a batch are parked for an error that does not say that they are to blame; more, and the store is."""
_LONGEST_BACKOFF_S = 300
_logger = logging.getLogger(__name__)


class Parked(BaseModel):
    """A stream that could not be projected, why, how often it was tried, and when it is tried again."""

    model_config = ConfigDict(frozen=True)

    error: str
    attempts: int
    retry_at: int


class Standing(BaseModel):
    """How far a store has followed the log; `pairs` counts the events up to `position` that have a record here."""

    model_config = ConfigDict(frozen=True)

    position: int = 0
    pairs: int = 0
    parked: Mapping[str, Parked] = {}


def standing_name(projector: Projector, target: Target) -> str:
    """Return the name of the checkpoint of a store's incarnation."""
    return f"{projector.prefix}relay/{target.port}/{target.incarnation}"


async def load_standing(log: EventLog, projector: Projector, target: Target) -> tuple[Standing, int]:
    """Return how far a store has come and the revision of that note; a store never seen starts at the beginning."""
    saved: Checkpoint | None = await log.load_checkpoint(standing_name(projector, target))
    return (Standing(), 0) if saved is None else (Standing.model_validate(saved.value), saved.revision)


class Follower:
    """Brings one store up to the log."""

    def __init__(
        self,
        log: EventLog,
        projector: Projector,
        target: Target,
        now: Callable[[], Micros],
        in_flight: InFlight,
        chance: random.Random,
    ) -> None:
        self.target = target
        self._log = log
        self._projector = projector
        self._now = now
        self._in_flight = in_flight
        self._chance = chance
        self._standing = Standing()
        self._revision = 0
        self._unsaved = False
        self._repaired = False
        self._suspects = 0
        self._saved_at = now()
        self._no_vectors: KnownVectors = {}

    @property
    def standing(self) -> Standing:
        """How far it has come."""
        return self._standing

    async def start(self) -> None:
        """Take up where the store's checkpoint stands, and look at the last positions again."""
        self._standing, self._revision = await load_standing(self._log, self._projector, self.target)
        after = max(0, self._standing.position - VERIFIED_AT_START)
        while after < self._standing.position:
            events = await self._log.read_all(self._projector.prefix, after=after, limit=BATCH)
            seen = [event for event in events if event.position <= self._standing.position]
            if not seen:
                return
            await self._bring_up(self._newest(seen))
            after = seen[-1].position

    async def advance(self) -> bool:
        """Go on by one batch; False when there was nothing left to read."""
        events = await self._log.read_all(self._projector.prefix, after=self._standing.position, limit=BATCH)
        if not events:
            return False
        await self._bring_up(self._newest(events))
        pairs = sum(1 for event in events if self._keys(event.stream) is not None)
        self._note(position=events[-1].position, pairs=self._standing.pairs + pairs)
        return True

    async def retry_parked(self) -> None:
        """Try again what is due, as long as the store does not seem to be at fault."""
        self._suspects = 0
        due = [StreamName(name) for name, entry in self._standing.parked.items() if entry.retry_at <= self._now()]
        for stream in due:
            if self._suspects < _MOST_SUSPECTS:
                await self._project_one(stream)

    async def save_if_due(self) -> None:
        """Keep how far it came when something was repaired or parked, or when the last time is some seconds ago."""
        if self._repaired or self._now() - self._saved_at >= SAVE_EVERY_S * SECOND:
            await self.save()

    async def save(self) -> None:
        """Keep how far it came. A checkpoint that somebody else moved is taken over instead: another process leads now."""
        if not self._unsaved:
            return
        name = standing_name(self._projector, self.target)
        value = self._standing.model_dump(mode="json")
        try:
            self._revision = (await self._log.save_checkpoint(name, value, expected=self._revision)).revision
        except Conflict:
            self._standing, self._revision = await load_standing(self._log, self._projector, self.target)
        await note_lineage(self._log, self.target, self._chance)
        self._unsaved = self._repaired = False
        self._saved_at = self._now()

    async def _bring_up(self, newest: Mapping[StreamName, int]) -> None:
        """Project the streams whose record is behind the version given; what fails by itself is parked."""
        await self._in_flight.settled(newest)
        behind = await self._behind(newest)
        if not behind:
            return
        self._repaired = True
        self._suspects = 0
        if (error := await self._tried(behind)) is not None:
            await self._project_by_halves(await self._left(behind, error))

    async def _behind(self, newest: Mapping[StreamName, int]) -> list[StreamName]:
        keys = {stream: found for stream in newest if (found := self._keys(stream)) is not None}
        keys = {stream: found for stream, found in keys.items() if stream not in self._standing.parked}
        stored = await self.target.revisions(keys)
        return [stream for stream in keys if stored.get(stream, 0) < newest[stream]]

    def _projections(
        self, streams: Sequence[StreamName], histories: Mapping[StreamName, Sequence[RecordedEvent]]
    ) -> list[Projection]:
        return [self._projector.project(stream, tuple(histories[stream])) for stream in streams if stream in histories]

    async def _tried(self, streams: Sequence[StreamName]) -> Exception | None:
        """Project streams together; return with what that failed. Raises what is the fault of none of them."""
        histories = await self._log.read_streams(streams)
        try:
            projected = partial(self._projections, streams, histories)
            await self.target.write(await apart(projected, size=size_of(histories.values())), self._no_vectors)
        except Exception as error:  # whatever a record does to an engine, it must not hold up the others
            _logger.debug("%s: %d streams cannot be projected together", self.target.port, len(streams), exc_info=True)
            await self._raise_if_of_the_store(error, streams)
            return error
        return None

    async def _left(self, streams: Sequence[StreamName], error: Exception) -> Sequence[StreamName]:
        """Return what is left to do of streams that could not be projected together, if one of them may be to blame.

        When the error does not say so, some are tried by themselves. Raises it when the store takes none of them.
        """
        if isinstance(error, _OF_A_RECORD):
            return streams
        # Others each time, so that a batch does not stand still for a few bad records.
        probes = self._chance.sample(streams, min(_PROBES, len(streams))) if len(streams) > 1 else ()
        for probe in probes:
            if await self._tried((probe,)) is None:
                return [stream for stream in streams if stream != probe]
        raise error

    async def _project_by_halves(self, streams: Sequence[StreamName]) -> None:
        """Project streams that failed together by halves, down to the one that fails by itself."""
        if len(streams) == 1:
            await self._project_one(streams[0])
            return
        half = len(streams) // 2
        for part in (streams[:half], streams[half:]):
            if len(part) == 1 or await self._tried(part) is not None:
                await self._project_by_halves(part)

    async def _raise_if_of_the_store(self, error: Exception, streams: Sequence[StreamName]) -> None:
        """Raise an error that is no record's fault, or the one with which the store answers a plain question now."""
        if isinstance(error, _OF_THE_STORE) or (isinstance(error, NotFound) and not error.missing):
            raise error
        if not isinstance(error, _OF_A_RECORD):
            await self.target.revisions(
                {stream: keys for stream in streams if (keys := self._keys(stream)) is not None}
            )

    async def _project_one(self, stream: StreamName) -> None:
        """Project one stream; park it when that fails, unless the store as a whole is in trouble.

        Raises the error where too many failed with one that does not blame the record.
        """
        self._repaired = True
        parked = dict(self._standing.parked)
        former = parked.pop(stream, None)
        if (error := await self._tried((stream,))) is not None:
            self._suspects += not isinstance(error, _OF_A_RECORD)
            if former is None and self._suspects > _MOST_SUSPECTS:
                raise error
            attempts = former.attempts + 1 if former else 1
            retry_at = self._now() + min(2**attempts, _LONGEST_BACKOFF_S) * SECOND
            parked[stream] = Parked(
                error=(str(error) or type(error).__name__)[:500], attempts=attempts, retry_at=retry_at
            )
            _logger.warning("%s: %s cannot be projected (attempt %d): %s", self.target.port, stream, attempts, error)
        self._note(parked=parked)

    def _keys(self, stream: StreamName) -> Keys | None:
        keys = self._projector.keys(stream)
        return keys if keys is not None and self.target.holds(keys) else None

    def _newest(self, events: Sequence[RecordedEvent]) -> dict[StreamName, int]:
        return {event.stream: event.version for event in events}

    def _note(self, **changes: int | dict[str, Parked]) -> None:
        self._standing = self._standing.model_copy(update=changes)
        self._unsaved = True
