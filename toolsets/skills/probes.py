"""Health checks of the stores; kept separate because concurrent callers share one request to each store.

A store that hangs therefore holds one connection and one task, however many requests for its health arrive.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from toolsets.skills.errors import Part, translate
from toolsets.sourcing.errors import store_errors
from toolsets.spec import ToolError

GIVE_UP_S: Final = 30.0
"""The time after which a check is abandoned and may be repeated, because its connection may be dead."""


class Probe:
    """The health check of one store."""

    def __init__(self, part: Part, ask: Callable[[], Awaitable[object]], *, may_be_late: bool = False) -> None:
        """With `may_be_late`, only a failure is a problem: another probe asks the same store something that is always fast."""
        self._part: Part = part
        self._ask = ask
        self._may_be_late = may_be_late
        self._asked: asyncio.Task[str | None] | None = None

    async def problem(self, *, within_s: float) -> str | None:
        """Return a sentence if the store fails or does not answer in time, None if it answers."""
        if self._asked is None or self._asked.done():
            self._asked = asyncio.create_task(self._answer())
        asked = self._asked
        done, _ = await asyncio.wait((asked,), timeout=within_s)
        if done:
            return asked.result()
        return None if self._may_be_late else f"The {self._part} did not answer within {within_s:g} s"

    async def close(self) -> None:
        """Cancel a pending check."""
        if self._asked is not None:
            self._asked.cancel()
            with suppress(asyncio.CancelledError):
                await self._asked

    async def _answer(self) -> str | None:
        try:
            async with asyncio.timeout(GIVE_UP_S):
                with store_errors(translate(self._part)):
                    await self._ask()
        except ToolError as error:
            return error.message
        except TimeoutError:
            return f"The {self._part} did not answer within {GIVE_UP_S:g} s"
        return None


async def problems(probes: Sequence[Probe], *, within_s: float) -> tuple[str, ...]:
    """Return a sentence for each store that fails or does not answer in time, in the order of `probes`."""
    found = await asyncio.gather(*(probe.problem(within_s=within_s) for probe in probes))
    return tuple(problem for problem in found if problem is not None)
