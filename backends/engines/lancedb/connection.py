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

    def __init__(self, place: str, timeout_s: float, folder: OpenedPath | None = None) -> None:
        """`place` names the store in messages; `folder` is the open one and is checked before each call, if one is given."""
        self.place = place
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
            raise Timeout(f"{self.place} did not answer within {within:g} seconds") from None
        except (ValueError, RuntimeError, OSError) as error:
            raise translate(error, self.place) from error

    def check(self) -> None:
        """Raise `Unavailable` unless the folder is the one that was opened.

        In place of one that was moved away, and may be moved back, the driver would create an empty one. In one that was
        replaced it would continue from the versions of the former one, and damage both.
        """
        if self._folder is None:
            return
        place = "replaced" if self.lost else self._folder.place()
        if place == "same":
            return
        if place in ("moved", "unreachable"):
            raise Unavailable(self._folder.problem(place))
        raise self.lose()

    def lose(self) -> Unavailable:
        """Let every later call fail, because the files are no longer those that were opened; return the error."""
        self.lost = True
        return Unavailable(f"{self.place} was removed or replaced while it was in use; it is opened again, try again")
