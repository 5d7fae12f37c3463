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
        """`place` names the store in messages; `folder` is checked before each call, if one is given."""
        self.place = place
        self._timeout_s = timeout_s
        self._folder = folder

    def close(self) -> None:
        """Release the folder; repeatable."""
        if self._folder is not None:
            self._folder.close()

    async def run(self, work: Awaitable[ResultT], *, timeout_s: float | None = None) -> ResultT:
        """Return the result of `work`. Raises `Timeout` after the time limit, otherwise the translated driver error.

        Raises `Unavailable` before the call for a folder that was moved away: the driver would create an empty one.
        """
        within = timeout_s or self._timeout_s
        try:
            self._check_place()
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

    def _check_place(self) -> None:
        """Raise `Unavailable` for a folder that may be moved back. A replaced one becomes the open one."""
        if self._folder is None or (place := self._folder.place()) == "same":
            return
        if place in ("moved", "unreachable"):
            raise Unavailable(self._folder.problem(place))
        self._folder.remember()
