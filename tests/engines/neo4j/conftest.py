"""Fixtures: engines on a shared server, each in its own space."""

from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from backends.engines.neo4j.adapter import ADAPTER, Neo4jEngine
from backends.engines.neo4j.connection import Connection
from backends.engines.neo4j.settings import Neo4jSettings
from backends.ports.values import Json
from contracts.servers import options_of
from tests.services.fixtures import neo4j_service
from tests.services.needed import Missing, required
from tests.services.neo4j import PRESENT, Neo4jProcess, started

__all__ = ["neo4j_service"]

Open: TypeAlias = Callable[..., AbstractAsyncContextManager[Neo4jEngine]]
Login: TypeAlias = Callable[..., AbstractAsyncContextManager[Connection]]


class OwnServer:
    """A server that no other run uses, so that tests may freeze it, or kill it and start it again."""

    def __init__(self, folder: Path, running: ExitStack) -> None:
        self._folder = folder
        self._running = running
        self.process: Neo4jProcess = running.enter_context(started(PRESENT, folder))

    def start_again(self) -> None:
        """Start it over its data once it was killed."""
        former = self.process
        again = started(PRESENT, self._folder, port=former.port, password=former.password)
        self.process = self._running.enter_context(again)


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


@pytest.fixture
def login(neo4j_service: Mapping[str, str]) -> Login:
    """Return a function that connects to the shared server without an engine."""
    reached = options_of("neo4j")

    @asynccontextmanager
    async def login_(**options: Json) -> AsyncGenerator[Connection]:
        logged_in = Connection(Neo4jSettings.model_validate({**reached, **options}))
        logged_in.start()
        try:
            yield logged_in
        finally:
            await logged_in.close()

    return login_


@pytest.fixture(scope="package")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[OwnServer]:
    """Run one server for all tests that stop theirs; each start takes as long as all other tests of the adapter."""
    with ExitStack() as running:
        try:
            server = OwnServer(tmp_path_factory.mktemp("own_server"), running)
        except Missing as missing:
            (pytest.fail if required() else pytest.skip)(str(missing))
        yield server
