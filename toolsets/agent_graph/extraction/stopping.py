"""Reading off the event loop that ends soon after nobody waits for it any more."""

from collections.abc import Callable
from threading import Event
from typing import TypeAlias

import anyio.to_thread

from toolsets.agent_graph.extraction.model import Extraction

Stopped: TypeAlias = Callable[[], bool]
"""Says whether nobody waits for the outcome any more; may be asked in any thread."""


def never() -> bool:
    """Say that somebody waits."""
    return False


async def stoppable(work: Callable[[Stopped], Extraction]) -> Extraction:
    """Return what `work` returns, which runs in a thread; when the caller is cancelled, it is told so and left alone."""
    stop = Event()
    try:
        return await anyio.to_thread.run_sync(work, stop.is_set, abandon_on_cancel=True)
    finally:
        stop.set()
