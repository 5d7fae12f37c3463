"""Engines to try: on a shared server, in a space of each test's own."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from backends.neo4j.adapter import ADAPTER, Neo4jEngine
from backends.ports.values import Json
from contracts.servers import options_of
from tests.services.fixtures import neo4j_service

__all__ = ["neo4j_service"]

Open: TypeAlias = Callable[..., AbstractAsyncContextManager[Neo4jEngine]]


@asynccontextmanager
async def opened(directory: Path, **options: Json) -> AsyncGenerator[Neo4jEngine]:
    """Open the adapter and close it."""
    engine = await ADAPTER.open(options, directory)
    try:
        yield engine
    finally:
        await engine.close()


@pytest.fixture
def on_server(neo4j_service: Mapping[str, str], tmp_path: Path) -> Open:
    """Return what opens the shared server, in a space of the test's own."""
    # Asked of the environment: a server that was there before the run is not in the fixture's answer.
    reached = options_of("neo4j")

    def open_(**options: Json) -> AbstractAsyncContextManager[Neo4jEngine]:
        return opened(tmp_path, **{**reached, **options})

    return open_
