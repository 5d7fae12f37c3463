"""Doors to servers of their own, for each toolset of the engines under test."""

from collections.abc import Mapping
from contextlib import AsyncExitStack

import pytest

from contracts.client import Door, DoorKind, Serving, opened
from contracts.processes import Starter
from contracts.servers import Combination


class Doors:
    """Opens a door to any toolset of the engines under test."""

    def __init__(
        self,
        kind: DoorKind,
        engines: Combination,
        folders: pytest.TempPathFactory,
        closing: AsyncExitStack,
        start: Starter,
    ) -> None:
        self._kind: DoorKind = kind
        self._engines = engines
        self._folders = folders
        self._closing = closing
        self._start = start

    async def open(self, toolset: str, variables: Mapping[str, str] | None = None) -> Door:
        """Connect to a new server with a data directory of its own, stopped at the end of the run; `variables` are settings."""
        data = self._folders.mktemp(f"{toolset}-{self._kind}")
        return await self.serve(
            Serving(data, self._engines, toolset, {**self._engines.variables(), **(variables or {})})
        )

    async def serve(self, serving: Serving) -> Door:
        """Connect to a new server on data that are there already, stopped at the end of the run."""
        return await self._closing.enter_async_context(opened(self._kind, serving, self._start))
