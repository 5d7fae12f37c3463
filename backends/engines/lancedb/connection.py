"""Calls of the driver with a time limit, raising the ports' errors."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from backends.engines.lancedb.errors import translate
from backends.ports.errors import Timeout

ResultT = TypeVar("ResultT")


class Calls:
    """Runs calls of the driver with a time limit and translates their errors."""

    def __init__(self, place: str, timeout_s: float) -> None:
        self.place = place
        self._timeout_s = timeout_s

    async def run(self, work: Awaitable[ResultT], *, timeout_s: float | None = None) -> ResultT:
        """Return the result of `work`. Raises `Timeout` after the time limit, otherwise the translated driver error."""
        within = timeout_s or self._timeout_s
        try:
            async with asyncio.timeout(within):
                return await work
        except TimeoutError:
            raise Timeout(f"{self.place} did not answer within {within:g} seconds") from None
        except (ValueError, RuntimeError, OSError) as error:
            raise translate(error, self.place) from error
