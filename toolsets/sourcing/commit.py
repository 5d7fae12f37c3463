"""The commit point: read the streams, decide, append; after a lost race, read and decide again."""

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import anyio

from backends.ports.errors import Conflict, Timeout, Unavailable
from backends.ports.events import (
    Appended,
    BatchId,
    EventId,
    EventLog,
    Expected,
    NewEvent,
    RecordedEvent,
    StreamName,
    Write,
)
from backends.ports.values import Json, JsonObject, Micros
from toolsets.concurrency import KeyedLocks, run_cpu
from toolsets.ids import uuid7
from toolsets.sourcing.aggregate import (
    Change,
    Decide,
    Decision,
    GrowingHistory,
    Histories,
    History,
    NotLoaded,
    size_of,
)
from toolsets.sourcing.backoff import backoff_s
from toolsets.sourcing.projection import Projector
from toolsets.sourcing.stream_cache import StreamCache
from toolsets.spec import CallContext

ATTEMPTS = 20
"""Lost races in a row: writers of one stream take turns in a process, so only other processes can win them."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.002, 0.4
"""The bounds of the random pauses after lost races."""

ValueT = TypeVar("ValueT")

REPLY_S = 3.0
"""How long before its deadline a call stops waiting for log or stores, but at most a tenth of the time that it has left."""


class UnknownOutcome(Unavailable):
    """The log did not answer an append, and may have recorded its events."""


@dataclass(frozen=True, slots=True)
class Committed(Generic[ValueT]):
    """The outcome of a command: the value for the caller, and the streams it wrote to with all their events."""

    value: ValueT
    changed: Mapping[StreamName, History]


class Committer:
    """Appends the events of decisions."""

    def __init__(
        self,
        now: Callable[[], Micros],
        rng: random.Random,
        projector: Projector | None = None,
        cache: StreamCache | None = None,
    ) -> None:
        """Prepare to commit; `rng` makes ids and jitter, and streams are read through `cache`.

        With a `projector`, `Committed.changed` has only the streams that it projects.
        """
        self._cache = StreamCache() if cache is None else cache
        self._now = now
        self._rng = rng
        self._projector = projector
        self._locks = KeyedLocks()

    async def commit(
        self, log: EventLog, decide: Decide[ValueT], context: CallContext, *, prefetch: Collection[StreamName] = ()
    ) -> Committed[ValueT]:
        """Decide on the current streams and append the changes; `prefetch`: streams that `decide` reads.

        Raises what `decide` raises, `Conflict` after 20 lost races in a row, and the log's errors: nothing was written then,
        except perhaps after `UnknownOutcome`.
        """
        async with AsyncExitStack() as lock:
            # If others are queued, an attempt out of turn would lose the race, or make the next in the queue lose it.
            queued = next((stream for stream in prefetch if self._locks.is_locked(stream)), None)
            if queued is not None:
                await lock.enter_async_context(self._locks.lock(queued))
            for attempt in range(ATTEMPTS):
                histories, decision = await self._decide(log, decide, prefetch)
                build_writes = partial(self._writes, decision.changes, histories, context)
                writes = await run_cpu(build_writes, size=len(decision.changes))
                if not any(write.events for write in writes):
                    return Committed(decision.value, {})
                try:
                    appended = await self._append(log, writes)
                except Conflict as lost:
                    if attempt == ATTEMPTS - 1:
                        raise
                    if attempt == 0 and queued is None:
                        await lock.enter_async_context(self._locks.lock(lost.key))
                    else:
                        pause_s = backoff_s(attempt + 1, first_s=_FIRST_PAUSE_S, longest_s=_LONGEST_PAUSE_S)
                        await anyio.sleep(self._rng.uniform(0, pause_s))
                    continue
                reported = [write for write in writes if write.events and self._is_reported(write.stream)]
                return Committed(decision.value, await self._histories_after(log, reported, histories, appended))
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _is_reported(self, stream: StreamName) -> bool:
        return self._projector is None or self._projector.stream_kind(stream) is not None

    def _writes(self, changes: Sequence[Change], histories: Histories, context: CallContext) -> list[Write]:
        cause = cause_of(context)
        return [self._write(change, histories, cause) for change in changes]

    def _write(self, change: Change, histories: Histories, cause: JsonObject) -> Write:
        now = self._now()
        events = tuple(
            NewEvent(EventId(uuid7(self._rng, now)), fact.type, fact.data, now, fact.schema, cause)
            for fact in change.facts
        )
        expected = change.expected if change.expected is not None else len(histories[change.stream])
        return Write(change.stream, events, expected)

    async def _decide(
        self, log: EventLog, decide: Decide[ValueT], prefetch: Collection[StreamName]
    ) -> tuple[Histories, Decision[ValueT]]:
        """Decide, reading streams as the decision needs them; their exact versions are checked by the append."""
        loaded = await self._cache.read(log, prefetch) if prefetch else {}
        while True:
            histories = Histories(loaded)
            try:
                decision = await run_cpu(partial(decide, histories), size=size_of(loaded.values()))
                # Streams are read before they are written to, so that their exact versions are known.
                histories.need(change.stream for change in decision.changes if change.expected is None)
            except NotLoaded as missing:
                loaded = {**loaded, **await self._cache.read(log, missing.streams)}
            else:
                return histories, decision

    async def _append(self, log: EventLog, writes: Sequence[Write]) -> Appended:
        batch = BatchId(uuid7(self._rng, self._now()))
        try:
            return await log.append(writes, batch=batch)
        except (Timeout, Unavailable) as lost:
            # The write may have succeeded without an answer; the same batch id finds it, or writes it now.
            try:
                with anyio.move_on_at(reply_deadline()):
                    return await log.append(writes, batch=batch)
            except (Timeout, Unavailable) as error:
                raise UnknownOutcome(f"{error}; the change may have been recorded") from error
            raise UnknownOutcome(f"{lost}; the change may have been recorded") from lost

    async def _histories_after(
        self, log: EventLog, writes: Sequence[Write], histories: Histories, appended: Appended
    ) -> dict[StreamName, History]:
        """Return the streams written to, reading again only those that another writer may have appended to."""
        after: dict[StreamName, History] = {}
        raced: list[StreamName] = []
        for write in writes:
            before = () if write.expected is Expected.NEW else histories.loaded.get(write.stream)
            if before is None or write.expected not in (Expected.NEW, len(before)):
                raced.append(write.stream)
                continue
            recorded = tuple(
                RecordedEvent(
                    event.id,
                    write.stream,
                    version,
                    appended.position,
                    event.type,
                    event.data,
                    event.at,
                    event.schema,
                    event.meta,
                )
                for version, event in enumerate(write.events, start=len(before) + 1)
            )
            # Not kept: the log stores JSON, and positions of its own.
            grows = isinstance(before, GrowingHistory)
            after[write.stream] = before.extended(recorded) if grows else (*before, *recorded)
        return {**after, **(await self._cache.read(log, raced) if raced else {})}


def reply_deadline() -> float:
    """Return when a call stops waiting for log or stores, so that its reply can still say what was done."""
    deadline = anyio.current_effective_deadline()
    return deadline - min(REPLY_S, (deadline - anyio.current_time()) / 10)


def cause_of(context: CallContext) -> JsonObject:
    """Return the metadata about the cause of a call's events; unknown fields are left out."""
    known: dict[str, Json] = {
        "tool": context.tool,
        "principal": context.principal,
        "client": context.client,
        "request": context.request_id or None,
        "channel": context.channel,
    }
    return {name: value for name, value in known.items() if value is not None}
