"""Engines to try: a folder, a shared server, and a server of a test's own."""

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from backends.chroma.adapter import ADAPTER, ChromaEngine
from backends.ports.values import Json
from tests.services.chroma import ChromaProcess
from tests.services.fixtures import chroma_service

__all__ = ["chroma_service"]

Open: TypeAlias = Callable[..., AbstractAsyncContextManager[ChromaEngine]]


@asynccontextmanager
async def opened(directory: Path, **options: Json) -> AsyncGenerator[ChromaEngine]:
    """Open the adapter and close it."""
    engine = await ADAPTER.open(options, directory)
    try:
        yield engine
    finally:
        await engine.close()


@pytest.fixture
async def folder(tmp_path: Path) -> AsyncIterator[ChromaEngine]:
    """Open a folder of the test's own."""
    async with opened(tmp_path) as engine:
        yield engine


@pytest.fixture
def on_server(chroma_service: Mapping[str, str], tmp_path: Path) -> Open:
    """Return what opens the shared server, in a space of the test's own."""
    uri = chroma_service["ENTREPOT_TEST_CHROMA_URI"]
    space = f"t{secrets.token_hex(6)}"

    def open_(**options: Json) -> AbstractAsyncContextManager[ChromaEngine]:
        return opened(tmp_path, **{"uri": uri, "space": space, **options})

    return open_


@pytest.fixture(scope="module")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Generator[ChromaProcess]:
    """Run a server that a test may kill and start again."""
    server = ChromaProcess(tmp_path_factory.mktemp("mortal"))
    server.start()
    yield server
    server.kill()
