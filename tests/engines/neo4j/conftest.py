"""Fixtures: engines on a shared server, each in its own space."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from backends.engines.neo4j.adapter import ADAPTER, Neo4jEngine
from backends.ports.values import Json
from contracts.servers import options_of
from tests.services.fixtures import neo4j_service

__all__ = ["neo4j_service"]

Open: TypeAlias = Callable[..., AbstractAsyncContextManager[Neo4jEngine]]


@asynccontextmanager
async def opened(directory: Path, **options: Json) -> AsyncGenerator[Neo4jEngine]:
    """Open an engine and close it afterwards."""
    engine = await ADAPTER.open(options, directory)
    try:
        yield engine
    finally:
        await engine.close()


@pytest.fixture
def on_server(neo4j_service: Mapping[str, str], tmp_path: Path) -> Open:
    """Return a function that opens the shared server in its own space."""
    # Read from the environment: the fixture does not describe a server that was started before the tests.
    reached = options_of("neo4j")

    def open_(**options: Json) -> AbstractAsyncContextManager[Neo4jEngine]:
        return opened(tmp_path, **{**reached, **options})

    return open_
