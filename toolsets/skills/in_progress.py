"""Skills that are being stored: two that mean the same come one after the other, so that the second finds the first.

The vectors show a skill only once it is stored. Without this, two conversations about one matter that arrive together
would both find nothing and become two skills.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

from toolsets.skills.scores import is_duplicate

if TYPE_CHECKING:
    from backends.ports.vectors import Vector


@dataclass(frozen=True, slots=True, eq=False)
class _Arrival:
    vector: "Vector"
    stored: anyio.Event = field(default_factory=anyio.Event)


class Arrivals:
    """The skills that this process is storing."""

    def __init__(self) -> None:
        self._arrivals: list[_Arrival] = []

    @asynccontextmanager
    async def alone(self, vector: "Vector") -> AsyncGenerator[None]:
        """Wait until no skill that means the same is being stored; those that come during the block wait for its end.

        `vector` has unit norm.
        """
        while (alike := self._alike(vector)) is not None:
            await alike.stored.wait()
        arrival = _Arrival(vector)
        self._arrivals.append(arrival)
        try:
            yield
        finally:
            self._arrivals.remove(arrival)
            arrival.stored.set()

    def _alike(self, vector: "Vector") -> _Arrival | None:
        return next((each for each in self._arrivals if is_duplicate(float(each.vector @ vector))), None)
