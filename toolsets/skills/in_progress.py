"""Serialises the storing of skills with the same meaning; kept separate because its locks are tested without stores.

The vector store shows a skill only after it is stored. Without this module, two conversations about one problem that
arrive together would both find no duplicate and become two skills.
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
class _Storing:
    vector: "Vector"
    stored: anyio.Event = field(default_factory=anyio.Event)


class InProgress:
    """The skills that this process is storing."""

    def __init__(self) -> None:
        self._storing: list[_Storing] = []

    @asynccontextmanager
    async def exclusive(self, vector: "Vector") -> AsyncGenerator[None]:
        """Wait until no skill that means the same is being stored; later ones wait until the block ends.

        `vector` has unit norm.
        """
        while (alike := self._alike(vector)) is not None:
            await alike.stored.wait()
        arrival = _Storing(vector)
        self._storing.append(arrival)
        try:
            yield
        finally:
            self._storing.remove(arrival)
            arrival.stored.set()

    def _alike(self, vector: "Vector") -> _Storing | None:
        return next((each for each in self._storing if is_duplicate(float(each.vector @ vector))), None)
