"""A cache of long streams: of each, only events that are new are read from the log, and only they are folded."""

from collections.abc import Collection
from functools import partial
from typing import Final

from backends.kit.byte_cache import ByteCache
from backends.ports.events import EventLog, StreamName
from toolsets.concurrency import run_cpu
from toolsets.sourcing.aggregate import GrowingHistory, History

LONG: Final = 16
"""Events from which on a stream is kept: a shorter one is read and folded in less time than the bookkeeping takes."""

MAX_BYTES: Final = 16 * 2**20
"""The most bytes of all kept streams: about 10,000 events of usual size."""


class StreamCache:
    """The long streams that were read last, each with the states folded from it.

    What it returns is always what the log has: the last known event of a stream is read again with those after it, and a
    stream in which it differs, as after a restored backup, is read from its beginning.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        """Keep at most `max_bytes`; a longer stream is not kept."""
        self._histories = ByteCache[StreamName, GrowingHistory](max_bytes, lambda _, history: history.bytes)

    async def read(self, log: EventLog, streams: Collection[StreamName]) -> dict[StreamName, History]:
        """Return all events of each of `streams`, none for an unknown one. Raises the log's errors."""
        known = {stream: kept for stream in streams if (kept := self._histories.get(stream)) is not None}
        if not known:
            found = await log.read_streams(streams)
            return {stream: await self._kept(stream, tuple(found.get(stream, ()))) for stream in streams}
        found = await log.read_streams(streams, after={stream: len(kept) - 1 for stream, kept in known.items()})
        histories: dict[StreamName, History] = {}
        for stream in streams:
            events = tuple(found.get(stream, ()))
            if (kept := known.get(stream)) is None:
                histories[stream] = await self._kept(stream, events)
            elif events and events[0].id == kept[-1].id:
                histories[stream] = self._put(stream, kept.extended(events[1:])) if events[1:] else kept
            else:
                self._histories.discard(stream)
        if changed := [stream for stream in streams if stream not in histories]:
            histories |= await self.read(log, changed)
        return histories

    async def _kept(self, stream: StreamName, events: History) -> History:
        """Keep a stream that was read from its beginning; measuring a very long one takes too long for the event loop."""
        if len(events) < LONG:
            return events
        return self._put(stream, await run_cpu(partial(GrowingHistory, events), size=len(events)))

    def _put(self, stream: StreamName, history: GrowingHistory) -> GrowingHistory:
        self._histories.put(stream, history)
        return history
