"""Doors to servers of their own, for each toolset of the profile under test."""

from collections.abc import Mapping
from contextlib import AsyncExitStack

import pytest

from contracts.client import Door, DoorKind, Serving, opened
from contracts.servers import variables_of


class Doors:
    """Opens a door to any toolset of the profile under test."""

    def __init__(self, kind: DoorKind, profile: str, folders: pytest.TempPathFactory, closing: AsyncExitStack) -> None:
        self._kind: DoorKind = kind
        self._profile = profile
        self._folders = folders
        self._closing = closing

    async def open(self, toolset: str, variables: Mapping[str, str] | None = None) -> Door:
        """Connect to a new server with a data directory of its own, stopped at the end of the run; `variables` are settings."""
        data = self._folders.mktemp(f"{toolset}-{self._kind}")
        serving = Serving(data, self._profile, toolset, {**variables_of(self._profile), **(variables or {})})
        return await self._closing.enter_async_context(opened(self._kind, serving))
