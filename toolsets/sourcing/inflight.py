"""Writes under way: lets the relay wait for this process's own projections instead of repeating them."""

from collections import Counter
from collections.abc import Collection, Generator
from contextlib import contextmanager

import anyio

from backends.ports.events import StreamName

_PATIENCE_S = 1.0


class InFlight:
    """The streams that a write of this process is appending to or projecting."""

    def __init__(self) -> None:
        self._streams: Counter[StreamName] = Counter()
        self._changed = anyio.Event()

    @contextmanager
    def writing(self, streams: Collection[StreamName]) -> Generator[None]:
        """Hold the relay off these streams."""
        self._streams.update(streams)
        try:
            yield
        finally:
            self._streams.subtract(streams)
            self._streams = +self._streams
            self._changed.set()
            self._changed = anyio.Event()

    async def quiet(self) -> None:
        """Return when the writes under way now have ended; later ones are not waited for longer than a second."""
        await self.settled(tuple(self._streams))

    async def settled(self, streams: Collection[StreamName]) -> None:
        """Return when none of these streams is being written, or after a second: a projection done twice does no harm."""
        with anyio.move_on_after(_PATIENCE_S):
            while any(stream in self._streams for stream in streams):
                await self._changed.wait()
