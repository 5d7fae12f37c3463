"""Fixtures: an embedded engine, a shared server, and a server that tests may kill."""

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from backends.engines.chroma.adapter import ADAPTER
from backends.engines.chroma.driver import Buckets
from backends.engines.chroma.embedded import EmbeddedEngine
from backends.kit.file_lock import acquire
from backends.ports.adapter import Engine
from backends.ports.checked import CheckedEngine
from backends.ports.values import Json, RecordId, Value
from backends.ports.vectors import Vectors
from contracts.ports.vector_records import NAME
from tests.services.chroma import ChromaProcess
from tests.services.fixtures import chroma_service

__all__ = ["chroma_service"]

Open: TypeAlias = Callable[..., AbstractAsyncContextManager[Engine]]


@asynccontextmanager
async def opened(directory: Path, **options: Json) -> AsyncGenerator[Engine]:
    """Open an engine with checked ports and close it afterwards."""
    engine = await ADAPTER.open(options, directory)
    try:
        yield CheckedEngine(engine)
    finally:
        await engine.close()


async def stored_fields(vectors: Vectors, name: str) -> dict[str, Value]:
    """Return the fields of a stored record."""
    return dict((await vectors.get(NAME, [RecordId(name)]))[RecordId(name)].fields)


@pytest.fixture
async def folder(tmp_path: Path) -> AsyncIterator[Engine]:
    """Open an engine on its own folder."""
    async with opened(tmp_path) as engine:
        yield engine


@pytest.fixture
async def buckets(tmp_path: Path) -> AsyncIterator[Buckets]:
    """Open the engine's own collections in a folder, without the adapter's layout."""
    access = EmbeddedEngine(tmp_path, 30, acquire(tmp_path))
    yield await access.open()
    await access.close()


@pytest.fixture
def on_server(chroma_service: Mapping[str, str], tmp_path: Path) -> Open:
    """Return a function that opens the shared server in its own space."""
    uri = chroma_service["ENTREPOT_TEST_CHROMA_URI"]
    space = f"t{secrets.token_hex(6)}"

    def open_(**options: Json) -> AbstractAsyncContextManager[Engine]:
        return opened(tmp_path, **{"uri": uri, "space": space, **options})

    return open_


@pytest.fixture(scope="module")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Generator[ChromaProcess]:
    """Run a server that a test may kill and restart."""
    server = ChromaProcess(tmp_path_factory.mktemp("mortal"))
    server.start()
    yield server
    server.kill()
