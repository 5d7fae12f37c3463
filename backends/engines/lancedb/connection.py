"""Calls of the driver with a time limit, raising the ports' errors."""

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import TypeVar

from backends.engines.lancedb.errors import translate
from backends.kit.file_identity import OpenedPath
from backends.ports.errors import Timeout, Unavailable

ResultT = TypeVar("ResultT")


class Calls:
    """Runs calls of the driver with a time limit and translates their errors."""

    def __init__(self, location: str, timeout_s: float, folder: OpenedPath | None = None) -> None:
        """`location` names the store in messages; `folder` is the open one and is checked before each call, if one is given."""
        self.location = location
        self.lost = False
        """Whether the folder was removed or replaced; then every call fails."""
        self._timeout_s = timeout_s
        self._folder = folder

    def close(self) -> None:
        """Release the folder; repeatable."""
        if self._folder is not None:
            self._folder.close()

    async def run(self, work: Awaitable[ResultT], *, timeout_s: float | None = None) -> ResultT:
        """Return the result of `work`. Raises `Timeout` after the time limit, otherwise the translated driver error.

        Raises `Unavailable` before the call as `check` does.
        """
        within = timeout_s or self._timeout_s
        try:
            self.check()
        except Unavailable:
            if isinstance(work, Coroutine):
                work.close()
            raise
        try:
            async with asyncio.timeout(within):
                return await work
        except TimeoutError:
            raise Timeout(f"{self.location} did not answer within {within:g} seconds") from None
        except (ValueError, RuntimeError, OSError) as error:
            raise translate(error, self.location) from error

    def check(self) -> None:
        """Raise `Unavailable` unless the folder is the one that was opened.

        In place of one that was moved away, and may be moved back, the driver would create an empty one. In one that was
        replaced it would continue from the versions of the former one, and damage both.
        """
        if self._folder is None:
            return
        state = "replaced" if self.lost else self._folder.state()
        if state == "same":
            return
        if state in ("moved", "unreachable"):
            raise Unavailable(self._folder.problem(state))
        raise self.lose()

    def lose(self) -> Unavailable:
        """Let every later call fail, because the files are no longer those that were opened; return the error."""
        self.lost = True
        return Unavailable(
            f"{self.location} was removed or replaced while it was in use; it is opened again, try again"
        )
