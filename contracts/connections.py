"""Connections to new servers, each serving one toolset on the engines under test."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack

import pytest

from contracts.client import McpConnection, Serving, Transport, opened
from contracts.processes import STARTER, Starter, start_process
from contracts.servers import Combination


class Connections:
    """Starts servers on the engines under test and connects to them, all over one transport."""

    def __init__(
        self,
        transport: Transport,
        engines: Combination,
        folders: pytest.TempPathFactory,
        closing: AsyncExitStack,
        start: Starter,
    ) -> None:
        self._transport: Transport = transport
        self._engines = engines
        self._folders = folders
        self._closing = closing
        self._start = start

    async def open(self, toolset: str, variables: Mapping[str, str] | None = None) -> McpConnection:
        """Start a server on a new data directory and connect to it; it stops as in `serve`. `variables` are settings."""
        data = self._folders.mktemp(f"{toolset}-{self._transport}")
        return await self.serve(
            Serving(data, self._engines, toolset, {**self._engines.variables(), **(variables or {})})
        )

    async def serve(self, serving: Serving) -> McpConnection:
        """Start a server on existing data and connect to it; it stops with the tests of its toolset."""
        return await self._closing.enter_async_context(opened(self._transport, serving, self._start))


@pytest.fixture(name="connections", scope="package")
async def toolset_connections(
    transport: Transport, engines: Combination, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> AsyncIterator[Connections]:
    """Return an object that starts servers and connects to them; they stop once the tests of the package are done.

    A toolset's conftest names it, which makes the package the toolset's: of idle servers, each takes a hundredth of a core.
    """
    async with AsyncExitStack() as closing:
        yield Connections(transport, engines, tmp_path_factory, closing, pytestconfig.stash.get(STARTER, start_process))
