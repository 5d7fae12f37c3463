"""Work for the processor: little is done at once, much in a thread, so that other calls go on meanwhile."""

from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

MUCH = 200
"""Things to be dealt with from which on a thread is worth its price; they take some ten milliseconds."""

ResultT = TypeVar("ResultT")


async def apart(work: Callable[[], ResultT], *, size: int) -> ResultT:
    """Return what `work` returns, which deals with `size` things and touches nothing that others change.

    A stream is a thing, and so is each event that is read back.
    """
    return work() if size < MUCH else await anyio.to_thread.run_sync(work)
