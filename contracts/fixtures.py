"""Fresh, isolated ports for each test, handed out by the engine under test."""

import secrets
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from backends.ports.adapter import Adapter, Engine, capabilities_with
from backends.ports.capabilities import Capabilities
from backends.ports.embedder import Embedder
from backends.ports.events import EventLog
from backends.ports.graph import Graph
from backends.ports.ids import namespace as checked_namespace
from backends.ports.language import LanguageModel
from backends.ports.values import Json, Namespace
from backends.ports.vectors import Vectors
from backends.registry import load_adapter
from backends.stores import open_engine
from contracts.adapter_check import known_gaps
from contracts.plugin import (
    COLUMN,
    ENGINES_UNDER_TEST,
    EngineUnderTest,
    column_of,
    options_under,
    promises_of,
    why_not_offered,
)

UnderTest: TypeAlias = tuple[Adapter, Mapping[str, Json]]


@pytest.fixture(scope="session")
def backend_name(request: pytest.FixtureRequest) -> str:
    """Return the engine of this round; there is one round per `--backend`."""
    return str(request.param)


@pytest.fixture(scope="session")
def adapter_under_test(backend_name: str, pytestconfig: pytest.Config) -> UnderTest:
    """Return the adapter to test and its options; override this fixture to provide your own adapter."""
    return load_adapter(backend_name), options_under(pytestconfig, backend_name)


@pytest.fixture(scope="session")
def capabilities(adapter_under_test: UnderTest) -> Capabilities:
    """Return the capabilities that the engine under test declares."""
    return capabilities_with(*adapter_under_test)


@pytest.fixture(scope="session")
async def engine(
    adapter_under_test: UnderTest, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> AsyncIterator[Engine]:
    """Open the engine under test once; tests that close or reopen it use `engine_factory` instead."""
    adapter, options = adapter_under_test
    opened = await open_engine(adapter, options, tmp_path_factory.mktemp(adapter.name))
    gaps = {gap.promise: f"{gap.kind}: {gap.reason} ({gap.link})" for gap in known_gaps(adapter)}
    engines = pytestconfig.stash.setdefault(ENGINES_UNDER_TEST, {})
    engines[column_of(pytestconfig, adapter.name)] = EngineUnderTest((await opened.health()).versions, gaps)
    yield opened
    await opened.close()


def apply_declared_gaps(node: pytest.Function, adapter: Adapter, capabilities: Capabilities) -> None:
    """Skip a test of what the adapter does not offer; a test of a known gap must fail as declared."""
    column = (COLUMN, column_of(node.config, adapter.name))
    if column not in node.user_properties:
        node.user_properties.append(column)
    if (reason := why_not_offered(node, adapter, capabilities)) is not None:
        pytest.skip(f"unsupported: {reason}")
    for gap in known_gaps(adapter):
        if gap.promise in promises_of(node):
            reason = f"{gap.kind}: {gap.reason} ({gap.link})"
            node.add_marker(pytest.mark.xfail(raises=gap.error, reason=reason, strict=True))


@pytest.fixture
def declared_gaps_applied(
    request: pytest.FixtureRequest, adapter_under_test: UnderTest, capabilities: Capabilities
) -> None:
    """Apply the gaps that the adapter declares, for a test that opens engines itself."""
    apply_declared_gaps(request.node, adapter_under_test[0], capabilities)


@pytest.fixture
def engine_under_test(declared_gaps_applied: None, engine: Engine) -> Engine:
    """Return the open engine; the gaps that its adapter declares apply to the test."""
    return engine


def fresh_namespace() -> Namespace:
    """Return an unused namespace."""
    return checked_namespace(f"t{secrets.token_hex(8)}")


@pytest.fixture
def namespace() -> Namespace:
    """Return the test's own namespace."""
    return fresh_namespace()


@pytest.fixture
def prefix() -> str:
    """Return the test's own prefix for streams, checkpoints and leases, ending in "/"."""
    return f"t{secrets.token_hex(8)}/"


@pytest.fixture
async def graph(engine_under_test: Engine, namespace: Namespace) -> AsyncIterator[Graph]:
    """Return an empty graph."""
    opened = await engine_under_test.graph(namespace)
    yield opened
    await opened.drop()


@pytest.fixture
async def vectors(engine_under_test: Engine, namespace: Namespace) -> Vectors:
    """Return a store of vectors without a collection."""
    return await engine_under_test.vectors(namespace)


@pytest.fixture
async def events(engine_under_test: Engine) -> EventLog:
    """Return the event log; a test writes under its own `prefix`."""
    return await engine_under_test.events()


@pytest.fixture
async def embedder(engine_under_test: Engine) -> Embedder:
    """Return the embedder."""
    return await engine_under_test.embedder()


@pytest.fixture
async def language(engine_under_test: Engine) -> LanguageModel:
    """Return the language model."""
    return await engine_under_test.language()


@dataclass(slots=True)
class EngineFactory:
    """Opens the engine under test on a separate directory, any number of times."""

    adapter: Adapter
    options: Mapping[str, Json]
    directory: Path
    opened: list[Engine]

    async def open(self) -> Engine:
        """Open the engine; it is closed at the latest after the test."""
        engine = await open_engine(self.adapter, self.options, self.directory)
        self.opened.append(engine)
        return engine

    async def reopen(self) -> Engine:
        """Close the engine, if it is open, and open it again on the same data."""
        await self.close()
        return await self.open()

    async def close(self) -> None:
        """Close the engine, if it is open."""
        while self.opened:
            await self.opened.pop().close()


@pytest.fixture
async def engine_factory(
    declared_gaps_applied: None, adapter_under_test: UnderTest, tmp_path: Path
) -> AsyncIterator[EngineFactory]:
    """Return an object that opens the engine under test separately from other tests."""
    adapter, options = adapter_under_test
    engine_factory = EngineFactory(adapter, options, tmp_path, [])
    yield engine_factory
    await engine_factory.close()
